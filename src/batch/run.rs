//! `outerloop run`: one run of a job.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::job;
use crate::job::{Progress, RunOptions, RunReport, StepOutcome, StepReport, StepRun};
use agent::classify::Classified;
use agent::embed::Embedded;
use agent::intake::Captures;
use agent::observe::Observed;
use cli::args::RunArgs;
use cli::printer::Printer;
use cli::require;
use cli::table::{grouped, sized};
use engine::cycle::{Cycle, Phase, PolicyCycle, Standing, Verification};
use learn::Flag;
use render::plain_text;
use store::job::{Job, OnFailure, Step, Task, find_job};
use store::lake::{Compaction, Notice, Rewrite};
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};

pub(crate) fn run(workspace: &Workspace, options: &RunArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let mut job = find_job(workspace, &options.job)?;
    if options.only.is_some() {
        job.tasks = only_policy(&job)?;
    }
    let from = options.from.as_deref().map(|name| find_step(&job, name)).transpose()?;
    if options.dry_run {
        let skipped = from.and_then(|from| job.tasks.iter().position(|task| task.step == from)).unwrap_or(0);
        for task in &job.tasks[skipped..] {
            printer.line(&task_line(*task))?;
        }
        return Ok(Exit::Done);
    }
    let _span = tracing::info_span!("run", job = %job.name).entered();
    let bar = progress_bar(printer);
    let options_of_run =
        RunOptions { settings: &settings, from, as_of: options.as_of, only_policy: options.only.is_some(), is_full: options.full };
    let report = job::run_job(workspace, &job, options_of_run, |step, progress| show(&bar, step, progress));
    bar.finish_and_clear();
    let report = report?;
    tell(&report, options.output.json, printer)?;
    Ok(report.exit())
}

/// The steps of a job that policies depend on. What was recorded a moment ago counts.
fn only_policy(job: &Job) -> Outcome<Vec<Task>> {
    let learn = job.tasks.iter().find(|task| task.step == Step::Learn).copied();
    let learn = learn.ok_or_else(|| {
        Diagnostic::edit(format!("the job `{}` learns nothing", job.name), "use `outerloop run learn --only policy`")
    })?;
    Ok(vec![Task { step: Step::Compact, ..learn }, learn])
}

fn find_step(job: &Job, name: &str) -> Outcome<Step> {
    job.tasks.iter().map(|task| task.step).find(|step| step.name() == name).ok_or_else(|| {
        let steps: Vec<&str> = job.tasks.iter().map(|task| task.step.name()).collect();
        Diagnostic::edit(
            format!("the job `{}` has no step `{}`", job.name, name.escape_default()),
            format!("its steps are: {}", steps.join(", ")),
        )
    })
}

fn task_line(task: Task) -> String {
    let mut parts = vec![task.step.name().to_owned()];
    parts.extend(task.timeout.map(|timeout| format!("at most {} minutes", timeout.as_secs() / 60)));
    if task.retries > 0 {
        parts.push(format!("{} retries on temporary failure", task.retries));
    }
    if task.on_failure == OnFailure::GoOn {
        parts.push("the job continues on failure".to_owned());
    }
    parts.join(", ")
}

fn progress_bar(printer: &Printer) -> ProgressBar {
    let target = if printer.shows_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(Some(0), target)
}

fn styled(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

fn show(bar: &ProgressBar, step: Step, progress: Progress) {
    match progress {
        Progress::Bytes(progress) => {
            styled(bar, "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
            bar.set_message(step.name());
            bar.set_length(progress.all_bytes);
            bar.set_position(progress.done_bytes);
        }
        Progress::Phase(phase) => {
            styled(bar, "{msg} {wide_bar} {pos}/{len} {elapsed}");
            bar.set_message(format!("{}: {}", step.name(), phase.describe()));
            bar.set_length(Phase::COUNT);
            bar.set_position(phase.place());
        }
        Progress::Lessons { done, all } | Progress::Sessions { done, all } => {
            styled(bar, "{msg} {wide_bar} {pos}/{len} {elapsed}");
            bar.set_message(step.name());
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
        Progress::Waiting(pause) => {
            bar.set_message(format!("{}: temporary failure; retrying in {} s", step.name(), pause.as_secs()));
        }
    }
    bar.tick();
}

fn tell(report: &RunReport, as_json: bool, printer: &Printer) -> Outcome<()> {
    let seconds = report.ended.duration_since(report.started).as_secs_f64();
    if as_json {
        let steps: Vec<serde_json::Value> = report.steps.iter().map(step_json).collect();
        let text = json!({"job": report.job, "started": report.started.to_string(), "seconds": seconds,
            "exit": report.exit() as u8, "generation": report.generation(), "steps": steps});
        printer.line(&text.to_string())?;
    }
    for (place, step) in report.steps.iter().enumerate() {
        let is_again = report.steps[..place].iter().any(|before| before.step == step.step);
        match &step.outcome {
            // What one step landed for the next is taken by a second look, which mostly finds nothing.
            StepOutcome::Done(StepReport::Compacted(done)) if is_again && *done == Compaction::default() => {}
            StepOutcome::Done(StepReport::Captured(done)) => tell_captures(done, printer),
            StepOutcome::Done(StepReport::Observed(done)) => tell_observations(done, printer),
            StepOutcome::Done(StepReport::Classified(done)) => tell_classification(done, printer),
            StepOutcome::Done(StepReport::Pruned(done)) => crate::prune::tell(done, printer),
            StepOutcome::Done(StepReport::Compacted(done)) => tell_compaction(done, printer),
            StepOutcome::Done(StepReport::Rewritten(done)) => printer.note(&rewrite_line(*done)),
            StepOutcome::Done(StepReport::Learned(cycle)) => tell_cycle(cycle, printer),
            StepOutcome::Done(StepReport::Stood(standing)) => tell_standing(standing, printer),
            StepOutcome::Done(StepReport::Governed(cycle)) => tell_policy(*cycle, printer),
            StepOutcome::Done(StepReport::Rendered(done)) => cli::artifact::tell(done, printer),
            StepOutcome::Done(StepReport::Verified(done)) => printer.note(&verify_line(done)),
            StepOutcome::Done(StepReport::Embedded(done)) => tell_embedding(done, printer),
            StepOutcome::Failed(fault) => printer.error(fault),
            StepOutcome::Skipped => printer.note(&format!("{}: skipped, because an earlier step failed", step.step.name())),
        }
    }
    // Where a step failed, a disk that is too full for the history too says nothing more.
    if let Some(fault) = report.unwritten.as_ref().filter(|_| report.failure().is_none()) {
        printer.error(fault);
    }
    tracing::info!(job = %report.job, seconds, exit = report.exit() as u8, generation = report.generation(), "done");
    Ok(())
}

fn tell_cycle(cycle: &Cycle, printer: &Printer) {
    let flags: Vec<String> = cycle
        .flags
        .iter()
        .filter(|(flag, patterns)| *flag != Flag::None && *patterns > 0)
        .map(|(flag, patterns)| format!("{patterns} {flag}"))
        .collect();
    printer.note(&format!(
        "learn: {} patterns ({}) from {} applications, {} of them unmatched; {} in the pattern file",
        grouped(cycle.patterns as u64),
        if flags.is_empty() { "none flagged".to_owned() } else { flags.join(", ") },
        grouped(cycle.applications.unsigned_abs()),
        grouped(cycle.unattributed.unsigned_abs()),
        cycle.in_file,
    ));
    if cycle.observations > 0 {
        printer.note(&format!("observations: {}, {} ready to become artifacts", grouped(cycle.observations as u64), cycle.ready));
    }
    if cycle.adapters > 0 {
        printer.note(&format!(
            "policies: {} runs; {} of {} adapters need approval; {} changes",
            grouped(cycle.runs.unsigned_abs()),
            cycle.approvals,
            cycle.adapters,
            cycle.policy_changes
        ));
    }
    let name = &cycle.published.generation.manifest.generation;
    if cycle.published.is_current {
        printer.note(&format!("published {name}: {} changes, {} copies written", cycle.changes, cycle.copies));
    } else {
        printer.note(&format!(
            "published {name}, but kept the current generation, which is of a later instant; \
             `outerloop report --generation {name}` shows it"
        ));
    }
    for problem in &cycle.problems {
        printer.error(problem);
    }
}

fn tell_standing(standing: &Standing, printer: &Printer) {
    let name = &standing.generation.manifest.generation;
    let copies = if standing.copies > 0 { format!("; {} copies written", standing.copies) } else { String::new() };
    printer.note(&format!("learn: nothing new since {name}, which stands; nothing published{copies}"));
    standing.problems.iter().for_each(|problem| printer.error(problem));
}

fn tell_policy(cycle: PolicyCycle, printer: &Printer) {
    printer.note(&format!(
        "policies: {} runs; {} of {} adapters need approval; published without patterns and reports",
        grouped(cycle.runs.unsigned_abs()),
        cycle.approvals,
        cycle.adapters
    ));
}

fn tell_captures(done: &Captures, printer: &Printer) {
    // Most workspaces name no folder to capture from.
    if *done != Captures::default() {
        printer.note(&format!("capture: {}", cli::iteration::describe_capture(&done.capture)));
    }
    for (path, reason) in &done.capture.refused {
        printer.note(&format!("refused {}: {}", plain_text(&path.display().to_string(), 200), plain_text(reason, 300)));
    }
    done.problems.iter().for_each(|problem| printer.error(problem));
}

fn tell_observations(done: &Observed, printer: &Printer) {
    // Most workspaces have no hooks.
    if *done != Observed::default() {
        printer.note(&cli::observe::describe(done));
    }
    tell_warnings(&done.warnings, printer);
}

fn tell_classification(done: &Classified, printer: &Printer) {
    let Classified { approved, reworded, rejected, left, calls, warnings, .. } = done;
    if *done != Classified::default() {
        printer.note(&format!(
            "classify: {approved} approved, {reworded} reworded, {rejected} rejected, {left} pending; {calls} calls"
        ));
    }
    tell_warnings(warnings, printer);
}

fn tell_embedding(done: &Embedded, printer: &Printer) {
    let Embedded { vectors, left, calls, warnings } = done;
    // Most workspaces have no command for it.
    if *done != Embedded::default() {
        printer.note(&format!("embed: {vectors} new vectors, {left} texts pending; {calls} calls"));
    }
    tell_warnings(warnings, printer);
}

fn tell_warnings(warnings: &[String], printer: &Printer) {
    for warning in warnings {
        printer.note(&format!("warning: {}", plain_text(warning, 500)));
    }
}

fn verify_line(done: &Verification) -> String {
    match (&done.generation, &done.obstacle) {
        (Some(generation), None) => format!("verify: {} files of {generation} were reproduced byte for byte", done.files),
        (_, obstacle) => format!("verify: nothing to compare: {}", obstacle.as_deref().unwrap_or_default()),
    }
}

fn tell_compaction(done: &Compaction, printer: &Printer) {
    for notice in &done.notices {
        printer.note(&notice_line(notice));
    }
    for stream in &done.rewound {
        printer.note(&format!(
            "note: a staged file is missing, so {} is read again from byte {}",
            plain_text(&stream.file, 100),
            stream.offset
        ));
    }
    for problem in &done.problems {
        printer.error(&problem.0);
    }
    let counts = done.counts;
    printer.note(&format!(
        "compact: {} lines ({}) = {} taken + {} duplicates + {} quarantined + {} blank; {} secrets redacted",
        grouped(counts.lines),
        sized(done.bytes),
        grouped(counts.taken),
        grouped(counts.duplicates),
        grouped(counts.quarantined),
        grouped(counts.blank),
        grouped(counts.redacted),
    ));
    if counts.quarantined > 0 {
        printer.note("refused lines are kept in quarantine/; `outerloop status` says what is wrong with them and what to do");
    }
}

fn notice_line(notice: &Notice) -> String {
    match notice {
        Notice::Renamed { from, to } => format!("note: {} was renamed to {}", plain_text(from, 100), plain_text(to, 100)),
        Notice::Replaced { file, taken } => {
            let file = plain_text(file, 100);
            format!("note: {file} was truncated or replaced after {} were ingested; reading it from the start", sized(*taken))
        }
    }
}

fn rewrite_line(done: Rewrite) -> String {
    let busy = if done.busy > 0 { format!("; {} postponed because they were being read", done.busy) } else { String::new() };
    format!(
        "rewrite: {} partitions, {} files became {}{busy}",
        grouped(done.partitions as u64),
        done.files_before,
        done.files_after
    )
}

fn step_json(run: &StepRun) -> serde_json::Value {
    let record = run.record();
    let mut value = json!({"step": record.step, "outcome": record.outcome, "seconds": record.seconds, "attempts": record.attempts});
    for (name, number) in record.numbers {
        value[name] = number.into();
    }
    match &run.outcome {
        StepOutcome::Done(StepReport::Compacted(Compaction { notices, problems, .. })) => {
            value["notices"] = notices.iter().map(notice_line).collect::<Vec<_>>().into();
            value["problems"] = problems.iter().map(|problem| problem.0.to_string()).collect::<Vec<_>>().into();
        }
        StepOutcome::Done(StepReport::Observed(done)) => value["warnings"] = done.warnings.clone().into(),
        StepOutcome::Done(StepReport::Classified(done)) => value["warnings"] = done.warnings.clone().into(),
        StepOutcome::Done(StepReport::Embedded(done)) => value["warnings"] = done.warnings.clone().into(),
        StepOutcome::Done(StepReport::Captured(done)) => value["problems"] = texts(&done.problems),
        StepOutcome::Done(StepReport::Pruned(done)) => value["problems"] = texts(&done.problems),
        StepOutcome::Done(StepReport::Rendered(done)) => value["problems"] = texts(&done.problems),
        StepOutcome::Done(StepReport::Learned(cycle)) => {
            value["generation"] = cycle.published.generation.manifest.generation.clone().into();
            value["is_current"] = cycle.published.is_current.into();
            value["problems"] = texts(&cycle.problems);
        }
        StepOutcome::Done(StepReport::Stood(standing)) => {
            value["stands"] = standing.generation.manifest.generation.clone().into();
            value["problems"] = texts(&standing.problems);
        }
        StepOutcome::Failed(fault) => value["error"] = fault.to_string().into(),
        StepOutcome::Done(_) | StepOutcome::Skipped => {}
    }
    value
}

fn texts(problems: &[Diagnostic]) -> serde_json::Value {
    problems.iter().map(ToString::to_string).collect()
}
