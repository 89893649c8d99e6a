//! `outerloop build`: how the build of an iteration ended.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use clap::{Args as ClapArgs, ValueEnum};
use jiff::Timestamp;

use super::Desk;
use super::TurnArgs;
use crate::landing::unfit;
use crate::printer::Printer;
use agent::iteration::{build_file_line, build_line, parse_build_result};
use render::plain_text;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How a build ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BuildStatus {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop build passed --run r-42 --iteration 2
  outerloop build failed --run r-42 --details 'two tests fail'
  outerloop build --workdir .closedloop-ai/work    record what the build validator left there")]
pub struct BuildArgs {
    /// The build result [default: read .learnings/build-result.json, and remove it]
    #[arg(value_enum)]
    status: Option<BuildStatus>,
    /// Details of the result
    #[arg(long, value_name = "TEXT")]
    details: Option<String>,
    #[command(flatten)]
    turn: TurnArgs,
}

/// Records how a build ended.
pub(crate) fn run(workspace: &Workspace, options: &BuildArgs, printer: &Printer) -> Outcome<Exit> {
    // A file says itself which run it belongs to.
    let run = options.turn.run.clone().filter(|run| !run.trim().is_empty());
    if run.is_none() && options.status.is_some() {
        return Err(nameless());
    }
    let desk = Desk::open_for(workspace, &options.turn, run.unwrap_or_default(), printer)?;
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
    let (text, written) = match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok("no result".to_owned()),
        read => read.map_err(|error| Diagnostic::io("cannot read the build's result", &path, &error))?,
    };
    let faulty = |reason: String| {
        Diagnostic::edit("the build's result cannot be read", "correct the file or remove it").at(&path).because(reason)
    };
    let Some(result) = parse_build_result(&text).map_err(faulty)? else {
        remove(desk, &path)?;
        return Ok("unknown result".to_owned());
    };
    if result.run_id.is_none() && desk.turn.run_id.is_empty() {
        return Err(nameless());
    }
    // Another run's result says nothing about this one, but it is that run's all the same.
    desk.land(&[build_file_line(&desk.turn, &result, &text, written).map_err(unfit)?])?;
    remove(desk, &path)?;
    let other = result.run_id.filter(|run| *run != desk.turn.run_id);
    let whose = other.map(|run| format!(", that of the run {}", plain_text(&run, 100))).unwrap_or_default();
    Ok(format!("{}{whose}", if result.passed { "passed" } else { "failed" }))
}

fn nameless() -> Diagnostic {
    Diagnostic::edit("no run is named", "name it with --run or CLOSEDLOOP_RUN_ID")
}

/// The file and when it was written. A result is one line, so that nothing longer is read.
fn read(path: &Path) -> io::Result<(Vec<u8>, Timestamp)> {
    const MOST_BYTES: u64 = 1 << 20;
    let file = durable::open_regular(path)?;
    let written = Timestamp::try_from(file.metadata()?.modified()?).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok((text, written))
}

fn remove(desk: &Desk<'_>, path: &Path) -> Outcome<()> {
    // Beside ClosedLoop, its own step reads the result too, and removes it.
    if desk.is_dry || desk.settings.capture.beside {
        return Ok(());
    }
    fs::remove_file(path).map_err(|error| Diagnostic::io("cannot remove the build's result", path, &error))
}
