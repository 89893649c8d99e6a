//! `outerloop jobs`: the jobs, when they start, their steps, and how they went last.

use std::collections::BTreeMap;

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use super::table::tabulate;
use crate::args::OutputArgs;
use store::job::{Job, OnFailure, Record, Schedule, list_jobs, load_history};
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};
use text::time::to_minutes;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Steps run in order. A file in the workspace's jobs/ adds a job, or replaces the built-in job of that name.

  outerloop jobs                                   what each job does, and how its last run ended
  outerloop jobs --json | jq '.[].last.outcome'
  outerloop run hourly                             run one of them now")]
pub struct JobsArgs {
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists the jobs.
pub(crate) fn run(workspace: &Workspace, options: &JobsArgs, printer: &Printer) -> Outcome<Exit> {
    let jobs = list_jobs(workspace)?;
    let history = load_history(workspace)?;
    let last: BTreeMap<&str, &Record> = history.iter().map(|record| (&*record.job, record)).collect();
    if options.output.json {
        let all: Vec<_> = jobs.iter().map(|job| as_json(job, last.get(&*job.name).copied())).collect();
        printer.line(&serde_json::Value::from(all).to_string())?;
        return Ok(Exit::Done);
    }
    let rows = jobs.iter().map(|job| {
        let steps: Vec<&str> = job.tasks.iter().map(|task| task.step.name()).collect();
        let ended = last.get(&*job.name).map(|record| format!("{} {}", to_minutes(record.ended.as_microsecond()), record.outcome));
        [
            job.name.clone(),
            job.schedule.map_or("manually", Schedule::name).to_owned(),
            steps.join(", "),
            ended.unwrap_or_else(|| "never".to_owned()),
            job.description.clone(),
        ]
    });
    printer.line(&tabulate(["job", "starts", "steps", "last run", "description"], rows))?;
    Ok(Exit::Done)
}

fn as_json(job: &Job, last: Option<&Record>) -> serde_json::Value {
    let steps: Vec<_> = job
        .tasks
        .iter()
        .map(|task| {
            json!({
                "step": task.step.name(),
                "timeout_seconds": task.timeout.map(|timeout| timeout.as_secs()),
                "retries": task.retries,
                "on_failure": if task.on_failure == OnFailure::Stop { "stop" } else { "go_on" },
            })
        })
        .collect();
    json!({
        "job": job.name,
        "description": job.description,
        "schedule": job.schedule.map(Schedule::name),
        "steps": steps,
        "last": last,
    })
}
