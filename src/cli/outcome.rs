//! `outerloop outcome`: how the work of a run turned out. The last word on a run counts.

use serde_json::json;

use super::args::{Ending, OutcomeArgs};
use super::pipeline::{Answer, answer, land_together, project_of, unfit};
use super::printer::Printer;
use super::require;
use event::Draft;
use render::plain_text;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Lands how the work of a run turned out.
pub fn run(workspace: &Workspace, name: &str, options: &OutcomeArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, name, options.pipeline, printer, || take(workspace, options))
}

fn take(workspace: &Workspace, options: &OutcomeArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let run = options.run.trim();
    if run.is_empty() {
        return Err(Diagnostic::edit("the run has no name", "name the run"));
    }
    let project = project_of(workspace, &settings, options.project.as_deref());
    let has_passed = options.ending == Ending::Pass;
    let reason = options.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let draft = Draft::new("aftermath", clock::now(), &project)
        .with("run_id", run)
        .with("passed", has_passed)
        .with_some("reason", reason.map(str::to_owned));
    land_together(workspace, &settings, &[draft.finish().map_err(unfit)?])?;
    let word = if has_passed { "passed" } else { "failed" };
    let text = format!(
        "the work of run {} {word}: recorded; takes effect with the next run (`outerloop run hourly`)",
        plain_text(run, 100)
    );
    Ok(Answer::new(json!({"run": run, "passed": has_passed, "project": project}), text))
}
