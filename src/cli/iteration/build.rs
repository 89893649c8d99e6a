//! `outerloop build`: how the build of an iteration ended.

use std::fs;
use std::io;
use std::path::Path;

use super::{Desk, unfit};
use crate::cli::args::{BuildArgs, BuildStatus};
use crate::cli::printer::Printer;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::iteration::{build_file_line, build_line, parse_build_result};
use crate::workspace::Workspace;

/// Records how a build ended.
pub fn run(workspace: &Workspace, options: &BuildArgs, printer: &Printer) -> Outcome<Exit> {
    // A file says itself which run it belongs to.
    let run = options.turn.run.clone().filter(|run| !run.trim().is_empty());
    if run.is_none() && options.status.is_some() {
        return Err(Diagnostic::edit("no run is named", "name it with --run or CLOSEDLOOP_RUN_ID"));
    }
    let desk = Desk::open_for(workspace, &options.turn, run.unwrap_or_else(|| "unknown".to_owned()), printer)?;
    match options.status {
        Some(status) => {
            let passed = status == BuildStatus::Passed;
            desk.land(&[build_line(&desk.turn, passed, options.details.as_deref()).map_err(unfit)?])?;
            printer.note(&format!("build {}", if passed { "passed" } else { "failed" }));
        }
        None => printer.note(&format!("build: {}", take_file(&desk)?)),
    }
    Ok(Exit::Done)
}

/// Takes in what the build validator left, and removes it. A file that cannot be read stays.
pub(super) fn take_file(desk: &Desk<'_>) -> Outcome<String> {
    let path = desk.learnings().join("build-result.json");
    let text = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok("none was reported".to_owned()),
        read => read.map_err(|error| Diagnostic::io("cannot read the build's result", &path, &error))?,
    };
    let faulty = |reason: String| {
        Diagnostic::edit("the build's result cannot be read", "correct the file or remove it").at(&path).because(reason)
    };
    let Some(result) = parse_build_result(&text).map_err(faulty)? else {
        remove(desk, &path)?;
        return Ok("it neither passed nor failed".to_owned());
    };
    // Another run's result says nothing about this one, but it is that run's all the same.
    desk.land(&[build_file_line(&desk.turn, &result, &text).map_err(unfit)?])?;
    remove(desk, &path)?;
    Ok(if result.passed { "passed" } else { "failed" }.to_owned())
}

fn remove(desk: &Desk<'_>, path: &Path) -> Outcome<()> {
    if desk.is_dry {
        return Ok(());
    }
    fs::remove_file(path).map_err(|error| Diagnostic::io("cannot remove the build's result", path, &error))
}
