//! `outerloop jobs`: the jobs and their steps.

use serde_json::json;

use super::args::JobsArgs;
use super::printer::Printer;
use super::table::Columns;
use crate::diagnostic::{Exit, Outcome};
use crate::job::{Job, builtin_jobs};

/// Lists the jobs.
pub fn run(options: &JobsArgs, printer: &Printer) -> Outcome<Exit> {
    let jobs = builtin_jobs()?;
    let steps = |job: &Job| job.steps.iter().map(|step| step.name()).collect::<Vec<_>>();
    if options.json {
        let list: Vec<_> =
            jobs.iter().map(|job| json!({"job": job.name, "steps": steps(job), "description": job.description})).collect();
        printer.line(&serde_json::Value::from(list).to_string())?;
        return Ok(Exit::Done);
    }
    let mut table = Columns::new(&["job", "steps", "what it does"]);
    for job in &jobs {
        table.row([job.name.clone(), steps(job).join(", "), job.description.clone()]);
    }
    printer.line(&table.render())?;
    Ok(Exit::Done)
}
