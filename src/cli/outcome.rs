//! `outerloop outcome`: how the work of a run turned out. The last word on a run counts.

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;

use super::pipeline::PipelineArgs;
use super::pipeline::{Answer, answer, project_of};
use super::printer::Printer;
use super::require;
use crate::args::ProjectArgs;
use crate::landing::{land, unfit};
use event::Draft;
use render::plain_text;
use store::clock;
use store::inbox::Recorder;
use store::lake;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The later result of a run's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ending {
    /// The work was good.
    Pass,
    /// The work was not good.
    Fail,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Counts once for every role pattern that was shown in the run, and takes the place of the run's own
result in the reliability of its adapters (setting `reliability.late_results`). The latest result of
a run counts: a fail weeks after a pass replaces it.

  outerloop outcome r-42 pass
  outerloop outcome r-42 fail --reason 'reverted in #77'

Only wrong arguments make it fail, unless --strict is given.")]
pub struct OutcomeArgs {
    /// The run
    run: String,
    /// The result
    #[arg(value_enum)]
    ending: Ending,
    #[command(flatten)]
    project: ProjectArgs,
    /// Why
    #[arg(long, short)]
    reason: Option<String>,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

/// Lands how the work of a run turned out.
pub(crate) fn run(workspace: &Workspace, name: &str, options: &OutcomeArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, name, options.pipeline, printer, || take(workspace, options))
}

fn take(workspace: &Workspace, options: &OutcomeArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let run = options.run.trim();
    if run.is_empty() {
        return Err(Diagnostic::edit("the run has no name", "name the run"));
    }
    let project = project_of(workspace, &settings, options.project.name.as_deref());
    let has_passed = options.ending == Ending::Pass;
    let reason = options.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let draft = Draft::new("aftermath", clock::now(), &project)
        .with("run_id", run)
        .with("passed", has_passed)
        .with_some("reason", reason.map(str::to_owned));
    land(Recorder::with_rules(workspace, settings.run), &[draft.finish().map_err(unfit)?])?;
    // A slip of the pen in the run's name would go unnoticed. What cannot be found out must not keep the outcome from landing.
    let is_known = lake::is_run_known(workspace, &project, run).ok().flatten();
    let word = if has_passed { "passed" } else { "failed" };
    let text = format!(
        "the work of run {} {word}: recorded; takes effect with the next run (`outerloop run hourly`)",
        plain_text(run, 100)
    );
    let mut answer = Answer::new(json!({"run": run, "passed": has_passed, "project": project, "known": is_known}), text);
    if is_known == Some(false) {
        answer.remarks.push(format!(
            "unknown run {}: no `run` event of project {} names it; for adapters the outcome counts once one does",
            plain_text(run, 100),
            plain_text(&project, 100)
        ));
    }
    Ok(answer)
}
