//! `outerloop run`: one run of a job.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::args::RunArgs;
use super::printer::Printer;
use super::require;
use super::table::{grouped, sized};
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::job::{self, RunOptions, RunReport, Step, StepReport};
use crate::lake::{Compaction, Notice, Progress, Rewrite};
use crate::setting::load_settings;
use crate::workspace::Workspace;

/// Runs a job.
pub fn run(workspace: &Workspace, options: &RunArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let job = job::find_job(workspace, &options.job)?;
    let from = options.from.as_deref().map(|name| find_step(&job, name)).transpose()?;
    if options.dry_run {
        let skipped = from.and_then(|from| job.steps.iter().position(|step| *step == from)).unwrap_or(0);
        for step in &job.steps[skipped..] {
            printer.line(step.name())?;
        }
        return Ok(Exit::Done);
    }
    let bar = progress_bar(printer);
    let report =
        job::run_job(workspace, &job, RunOptions { settings: &settings, from }, |step, progress| show(&bar, step, progress));
    bar.finish_and_clear();
    let report = report?;
    tell(&report, options.json, printer)?;
    Ok(report.exit())
}

fn find_step(job: &job::Job, name: &str) -> Outcome<Step> {
    job.steps.iter().copied().find(|step| step.name() == name).ok_or_else(|| {
        let steps: Vec<&str> = job.steps.iter().map(|step| step.name()).collect();
        Diagnostic::edit(
            format!("the job `{}` has no step `{}`", job.name, name.escape_default()),
            format!("its steps are: {}", steps.join(", ")),
        )
    })
}

fn progress_bar(printer: &Printer) -> ProgressBar {
    let target = if printer.shows_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, step: Step, progress: Progress) {
    bar.set_message(step.name());
    bar.set_length(progress.all_bytes);
    bar.set_position(progress.done_bytes);
}

fn tell(report: &RunReport, as_json: bool, printer: &Printer) -> Outcome<()> {
    if as_json {
        let steps: Vec<serde_json::Value> = report.steps.iter().map(step_json).collect();
        let text = json!({"job": report.job, "started": report.started.to_string(), "seconds": report.elapsed.as_secs_f64(), "steps": steps});
        printer.line(&text.to_string())?;
    }
    for step in &report.steps {
        match step {
            StepReport::Compacted(done) => tell_compaction(done, printer),
            StepReport::Rewritten(done) => printer.note(&rewrite_line(*done)),
        }
    }
    tracing::info!(job = %report.job, seconds = report.elapsed.as_secs_f64(), "done");
    Ok(())
}

fn tell_compaction(done: &Compaction, printer: &Printer) {
    for notice in &done.notices {
        printer.note(&notice_line(notice));
    }
    for stream in &done.rewound {
        printer.note(&format!("note: a staged file was lost, so {} is read again from byte {}", stream.file, stream.offset));
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
}

fn notice_line(notice: &Notice) -> String {
    match notice {
        Notice::Renamed { from, to } => format!("note: {from} goes on as {to}"),
        Notice::Replaced { file, taken } => {
            format!("note: {file} was truncated or replaced after {} had been taken; it is read from its start", sized(*taken))
        }
    }
}

fn rewrite_line(done: Rewrite) -> String {
    let busy = if done.busy > 0 { format!("; {} left for later because they were being read", done.busy) } else { String::new() };
    format!(
        "rewrite: {} partitions, {} files became {}{busy}",
        grouped(done.partitions as u64),
        done.files_before,
        done.files_after
    )
}

fn step_json(step: &StepReport) -> serde_json::Value {
    match step {
        StepReport::Compacted(Compaction { counts, bytes, batches, notices, problems, .. }) => json!({
            "step": "compact", "lines": counts.lines, "taken": counts.taken, "duplicates": counts.duplicates,
            "quarantined": counts.quarantined, "blank": counts.blank, "redacted": counts.redacted, "bytes": bytes, "batches": batches,
            "notices": notices.iter().map(notice_line).collect::<Vec<_>>(),
            "problems": problems.iter().map(|problem| problem.0.to_string()).collect::<Vec<_>>(),
        }),
        StepReport::Rewritten(Rewrite { partitions, files_before, files_after, busy }) => json!({
            "step": "rewrite", "partitions": partitions, "files_before": files_before, "files_after": files_after, "busy": busy,
        }),
    }
}
