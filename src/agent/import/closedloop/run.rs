//! `runs.log`: the rows of a run, of which those that end it become events.

use std::collections::HashMap;

use super::log::{fit_iteration, import_log};
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::value::{fit_label, fit_name, fit_needed_name, fit_project, fit_text, parse_row_time, trim};
use event::Draft;
use text::fit::quoted;

/// The fewest fields with which a row has a status.
const LEAST_FIELDS: usize = 5;
const MOST_FIELDS: usize = 7;

/// Imports `runs.log`: a `run` event for each row that ends a run. Rows of a run under way, or of the review behind it,
/// count as its parts.
pub fn import_runs(text: &[u8], project: &str) -> Imported {
    let project = fit_project(project);
    let mut highest_iterations = HashMap::new();
    import_log(text, |row, notes| read_row(row, &project, &mut highest_iterations, notes))
}

/// What a row says about its run.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Part,
    Success,
    /// A failure, and whether its status names the cause.
    Failure {
        names_cause: bool,
    },
}

impl Stage {
    fn parse(status: &str) -> Option<Self> {
        match status {
            "completed" => Some(Self::Success),
            "max_iterations" | "error" | "spurious_complete" | "ghost_loop_abort" => Some(Self::Failure { names_cause: false }),
            "context_limit" | "claude_auth_error" | "claude_rate_limit" => Some(Self::Failure { names_cause: true }),
            "in_progress" | "fix_completed" | "fix_error" => Some(Self::Part),
            _ => status.starts_with("review_").then_some(Self::Part),
        }
    }
}

fn read_row(row: &str, project: &str, highest_iterations: &mut HashMap<String, i64>, notes: &mut Notes) -> Result<Record, Refusal> {
    let fields: Vec<&str> = row.split('|').collect();
    let [run_id, time, goal, iteration, status, rest @ ..] = &*fields else {
        return Err(format!("has {} fields, fewer than {LEAST_FIELDS}", fields.len()));
    };
    let status = trim(status);
    let Some(stage) = Stage::parse(status) else {
        return Err(format!("the status {} is unknown", quoted(status)));
    };
    let run_id = fit_needed_name(run_id, "run_id", notes);
    let (iteration, iteration_text) = fit_iteration(iteration, notes);
    let (result, names_cause) = match stage {
        Stage::Part => {
            raise(highest_iterations, run_id, iteration);
            return Ok(Record::Part);
        }
        Stage::Success => ("success", false),
        Stage::Failure { names_cause } => ("failure", names_cause),
    };
    // A row that is left out must not leave a trace in the rows behind it.
    let time = parse_row_time(time)?;
    let iterations = raise(highest_iterations, run_id.clone(), iteration);
    if fields.len() > MOST_FIELDS {
        notes.add(format!("has {} fields, more than {MOST_FIELDS}; the others were skipped", fields.len()));
    }
    let command = rest.first().and_then(|command| fit_label(command, "command", notes));
    let session = rest.get(1).and_then(|session| fit_name(session, "session", notes));
    let event = Draft::new("run", time, project)
        .with("run_id", run_id)
        .with("result", result)
        .with_some("failure_type", names_cause.then_some(status))
        .with_some("iterations", iterations)
        .with_some("command", command)
        .with_some("session", session)
        .with("goal", fit_text(goal, "goal", notes))
        .with("status_text", status)
        .with_some("iteration_text", iteration_text);
    Ok(Record::Events(vec![event.finish()?]))
}

fn raise(highest_iterations: &mut HashMap<String, i64>, run_id: String, iteration: Option<i64>) -> Option<i64> {
    match iteration {
        Some(iteration) => {
            let highest = highest_iterations.entry(run_id).or_insert(iteration);
            *highest = iteration.max(*highest);
            Some(*highest)
        }
        None => highest_iterations.get(&run_id).copied(),
    }
}
