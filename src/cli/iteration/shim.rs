//! `outerloop closedloop STEP`: the steps of ClosedLoop's pipeline under its own names, and both tools' figures side by side.
//!
//! A pipeline with `set -euo pipefail` must not end because of a step that has nothing to do: no repository, a short row or a job that
//! is running already are told in a line, and the exit code is 0.

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::Value;

use super::{Desk, TurnArgs, build, change, citation, goal, relevance, take_lessons};
use crate::import::follow_folder;
use crate::printer::Printer;
use crate::remark::{fit_remark, log_remark};
use crate::shadow::run_program;
use agent::hook::unit_of_run;
use agent::iteration::make_learnings;
use agent::repository::Repository;
use learn::change::{Changes, Reach};
use learn::relevance::METHOD;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Put it in the place of ClosedLoop's programs, step by step or all at once. Each step writes the files
that ClosedLoop's programs write, and records what it finds out. Steps that only rewrite logs have
nothing to do: findings are events. With --exit-code, a missed goal and a refuted citation exit with
1, as ClosedLoop's programs do; everything else exits with 0, so `set -euo pipefail` is safe.

  outerloop closedloop changed_files --start-sha $START_SHA
  outerloop closedloop evaluate_goal
  outerloop closedloop compute_success_rates
  outerloop closedloop shadow --workdir .closedloop-ai/work      compare both tools' figures
  outerloop closedloop shadow --history                          the comparisons so far; with the setting
                                                                 `capture.shadow` the hourly job makes one")]
pub struct ClosedloopArgs {
    /// The step, as perf.jsonl calls it
    #[arg(value_enum)]
    step: Step,
    #[command(flatten)]
    turn: TurnArgs,
    /// The commit at which the iteration started
    #[arg(long, value_name = "COMMIT", env = "CLOSEDLOOP_START_SHA", visible_alias = "since")]
    start_sha: Option<String>,
    /// The goal to judge by [default: the active one of goal.yaml]
    #[arg(long, env = "CLOSEDLOOP_ACTIVE_GOAL")]
    goal: Option<String>,
    /// With `shadow`: show the comparisons that were kept
    #[arg(long)]
    history: bool,
    /// Exit with 1 for a missed goal or a refuted citation
    #[arg(long)]
    exit_code: bool,
}

/// A step of ClosedLoop's pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Step {
    /// What changed: .learnings/changed-files.json
    ChangedFiles,
    /// How relevant each pattern is to it: .learnings/relevance-scores.json
    PatternRelevance,
    /// Nothing: relevance is an event
    MergeRelevance,
    /// Whether the goal was met: .learnings/goal-outcome.json
    EvaluateGoal,
    /// Nothing: goals are events
    MergeGoalOutcome,
    /// Whether cited places hold
    VerifyCitations,
    /// Takes .learnings/build-result.json
    MergeBuildResult,
    /// Takes .learnings/pending/
    ProcessLearnings,
    /// Nothing: patterns are published with the rates
    WriteMergedPatterns,
    /// Imports what is new in the logs, and runs the hourly job
    ComputeSuccessRates,
    /// Nothing: lessons about the tool are published with the rates
    ExportClosedloopLearnings,
    /// Compares ClosedLoop's figures with Outerloop's, digit by digit, and says why they differ
    Shadow,
}

/// Does a step.
pub(crate) fn run_closedloop(workspace: &Workspace, options: &ClosedloopArgs, printer: &Printer) -> Outcome<Exit> {
    if options.step == Step::Shadow {
        return crate::shadow::run(workspace, &options.turn.workdir, options.history, options.turn.output.json, printer);
    }
    let name = options.step.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    match take(workspace, options, printer) {
        Ok(exit) => Ok(if options.exit_code { exit } else { Exit::Done }),
        Err(fault) => {
            let reason = fit_remark(&fault.in_a_line());
            printer.note(&format!("outerloop closedloop {name}: {reason}"));
            log_remark(workspace, &name, &reason);
            Ok(Exit::Done)
        }
    }
}

fn take(workspace: &Workspace, options: &ClosedloopArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open_for(workspace, &options.turn, options.turn.run.clone().unwrap_or_else(|| "unknown".to_owned()), printer)?;
    let seen = || changes(&desk, options.start_sha.as_deref());
    match options.step {
        Step::ChangedFiles => {
            let (repository, changes) = seen()?;
            change::record(&desk, &repository, &changes)?;
            write_changed(&desk, &changes)?;
            printer.note(&change::summary(&changes));
        }
        Step::PatternRelevance => {
            let (_, changes) = seen()?;
            let patterns = relevance::load_patterns(&desk, None)?;
            let rated = relevance::rate(&desk, &changes, &patterns)?;
            let scores: Vec<Value> = rated
                .iter()
                .map(|(row, score, matched)| serde_json::json!({"pattern_id": row.id, "score": score, "method": METHOD, "matched_concepts": matched}))
                .collect();
            write(&desk, "relevance-scores.json", &format!("{:#}", Value::from(scores)))?;
            printer.note(&relevance::summary(&changes, rated.len()));
        }
        Step::EvaluateGoal => {
            let outcome = goal::judge(&desk, options.goal.as_deref(), None, unit_of_run(&desk.work).as_deref())?;
            write(&desk, "goal-outcome.json", &outcome.json(&desk.turn.run_id, desk.turn.time))?;
            printer.note(&goal::summary(&outcome));
            return Ok(if outcome.success { Exit::Done } else { Exit::Refused });
        }
        Step::VerifyCitations => {
            let (repository, changes) = seen()?;
            let summary = citation::check(&desk, &repository, &changes)?;
            printer.note(&citation::describe(&summary));
            return Ok(if summary.refuted == 0 { Exit::Done } else { Exit::Refused });
        }
        Step::MergeBuildResult => printer.note(&build::take_file(&desk)?),
        Step::ProcessLearnings => printer.note(&take_lessons(&desk)?),
        Step::ComputeSuccessRates => return compute(&desk, printer),
        Step::MergeRelevance
        | Step::MergeGoalOutcome
        | Step::WriteMergedPatterns
        | Step::ExportClosedloopLearnings
        | Step::Shadow => {
            printer.note("nothing to do: findings are events, and patterns are published with their rates");
        }
    }
    Ok(Exit::Done)
}

fn changes(desk: &Desk<'_>, start: Option<&str>) -> Outcome<(Repository, Changes)> {
    let start = start.filter(|start| !start.trim().is_empty());
    let start = start.ok_or_else(|| Diagnostic::edit("the commit of the start is not known", "name it with --start-sha"))?;
    let repository = desk.repository()?;
    let changes = repository.changes_since(start, Reach::Worktree)?;
    Ok((repository, changes))
}

/// One line, as ClosedLoop's reader expects it.
fn write_changed(desk: &Desk<'_>, changes: &Changes) -> Outcome<()> {
    let names: Vec<String> = changes.files.iter().map(|file| Value::from(file.path.clone()).to_string()).collect();
    write(desk, "changed-files.json", &format!("[{}]\n", names.join(", ")))
}

fn write(desk: &Desk<'_>, name: &str, text: &str) -> Outcome<()> {
    if desk.is_dry {
        return Ok(());
    }
    durable::replace(&make_learnings(&desk.work)?.join(name), text.as_bytes())
}

/// Imports what is new in the logs and has the hourly job count it. A job that is running already will count it with its next run.
fn compute(desk: &Desk<'_>, printer: &Printer) -> Outcome<Exit> {
    let followed = follow_folder(desk.workspace, &desk.settings, &desk.work)?;
    printer.note(&format!("{} events imported, {} records skipped", followed.landed, followed.left_out));
    match run_program(desk.workspace.root(), &["run", "hourly"])?.0 {
        0 => printer.note("rates computed and published"),
        75 => printer.note("another job is running; it or the next one counts this"),
        code => printer.note(&format!("the job ended with exit code {code}; `outerloop jobs` tells why")),
    }
    Ok(Exit::Done)
}
