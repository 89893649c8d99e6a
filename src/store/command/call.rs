//! One call of a command: text in, text out, within its time and size.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use thiserror::Error;

use crate::subprocess;
use crate::subprocess::{Allowance, Ending};
use text::fit::{plain_text, quoted};

/// Why a command gave no answer.
#[derive(Debug, Error)]
pub enum Failure {
    #[error("the command names no program")]
    NoProgram,
    /// The program could not be started, or not be waited for.
    #[error("{} could not be run: {cause}", quoted(program))]
    NotRun { program: String, cause: io::Error },
    /// It took too long and was stopped, with everything that it had started.
    #[error("{} took longer than {} seconds and was stopped{said}", quoted(program), time.as_secs_f32())]
    TimedOut {
        program: String,
        /// How long it was let run.
        time: Duration,
        /// The beginning of its complaints.
        said: String,
    },
    #[error("{} failed with {status}{said}", quoted(program))]
    Failed {
        program: String,
        status: ExitStatus,
        /// The beginning of its complaints.
        said: String,
    },
    /// It answered with more than is read.
    #[error("{} answered with more than {most_bytes} bytes", quoted(program))]
    TooLong { program: String, most_bytes: usize },
    #[error("{} answered with bytes that are not UTF-8{said}", quoted(program))]
    NotText {
        program: String,
        /// The beginning of its complaints.
        said: String,
    },
}

/// Runs a command with the request on its stdin, and gives what it wrote to stdout. Nothing that it started is left running.
pub fn ask(command: &[String], request: &str, allowance: Allowance) -> Result<String, Failure> {
    let (program, arguments) = command.split_first().ok_or(Failure::NoProgram)?;
    let program = program.clone();
    // One byte more tells an answer that just fits from one that was cut off.
    let watched = Allowance { output_bytes: allowance.output_bytes.saturating_add(1), ..allowance };
    let mut asked = Command::new(&program);
    // An agent that is asked runs hooks too: what it says there is no work of anybody's.
    asked.args(arguments).env("OUTERLOOP_LEARNING", "off");
    let finished = match subprocess::run(&mut asked, request.as_bytes(), watched) {
        Ok(finished) => finished,
        Err(cause) => return Err(Failure::NotRun { program, cause }),
    };
    let said = complaint(&finished.stderr);
    match finished.ending {
        Ending::TimedOut => Err(Failure::TimedOut { program, time: allowance.time, said }),
        Ending::Exited(status) if !status.success() => Err(Failure::Failed { program, status, said }),
        Ending::Exited(_) if finished.stdout.len() > allowance.output_bytes => {
            Err(Failure::TooLong { program, most_bytes: allowance.output_bytes })
        }
        Ending::Exited(_) => String::from_utf8(finished.stdout).map_err(|_| Failure::NotText { program, said }),
    }
}

/// The name under which a command answers: its program's, without folders.
pub fn name_of(command: &[String]) -> String {
    const MOST_CHARACTERS: usize = 100;
    let name = command.first().and_then(|program| Path::new(program).file_name()).unwrap_or_default();
    let name = plain_text(&name.to_string_lossy(), MOST_CHARACTERS);
    if name.is_empty() { "command".to_owned() } else { name }
}

/// The first lines that a program wrote to stderr, fit for a sentence.
fn complaint(stderr: &[u8]) -> String {
    const LINES: usize = 3;
    const BYTES: usize = 4096;
    const CHARACTERS: usize = 300;
    let text = String::from_utf8_lossy(&stderr[..stderr.len().min(BYTES)]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES).collect();
    let said = plain_text(&lines.join(" / "), CHARACTERS);
    if said.is_empty() { said } else { format!("; it said: {said}") }
}
