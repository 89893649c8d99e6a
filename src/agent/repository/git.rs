//! Running `git`: in an environment that cannot redirect it, within limits of time and output.

use std::env;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use store::subprocess;
use store::subprocess::{Allowance, Ending, Finished};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::printable;

/// How long one call may take.
const TIME: Duration = Duration::from_secs(60);
/// The most that one call may answer.
pub(super) const OUTPUT_BYTES: usize = 256 << 20;
/// The longest complaint that is shown.
const COMPLAINT_CHARACTERS: usize = 1000;

/// What holds for every call: no pager, no locks, no hooks, no file watcher, and names as they are.
const OPTIONS: &[&str] = &[
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.quotepath=off",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
];

/// Variables that say where the configuration and the program's own parts lie. All others of the family could point a call at
/// another repository, index or program, as they do for whatever a hook starts.
const KEPT_VARIABLES: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
];

/// Runs `git` in a folder. However it ends, its whole answer is there.
pub(super) fn run(folder: &Path, arguments: &[&str]) -> Outcome<Finished> {
    let mut command = Command::new("git");
    for (name, _) in env::vars_os() {
        let is_kept = |text: &str| !text.starts_with("GIT_") || KEPT_VARIABLES.contains(&text);
        if !name.to_str().is_none_or(is_kept) {
            command.env_remove(&name);
        }
    }
    // Its messages are compared, nobody is there to be asked, and missing objects are not worth a network.
    command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1");
    command.args(OPTIONS).arg("-C").arg(folder).args(arguments);
    let allowance = Allowance { time: TIME, output_bytes: OUTPUT_BYTES };
    let finished = subprocess::run(&mut command, &[], allowance).map_err(|error| not_started(folder, &error))?;
    if finished.ending == Ending::TimedOut {
        let what = format!("`git {}` took longer than {} seconds", first(arguments), TIME.as_secs());
        return Err(Diagnostic::new(Exit::Machine, what, "run the command again when the machine is less busy").at(folder));
    }
    if finished.is_cut {
        let what = format!("`git {}` answers with more than {} MiB", first(arguments), OUTPUT_BYTES >> 20);
        return Err(Diagnostic::edit(what, "compare with a later commit, or keep generated files out of the repository").at(folder));
    }
    Ok(finished)
}

/// Runs `git` in a folder, where it must succeed, and gives its answer.
pub(super) fn answer(folder: &Path, arguments: &[&str]) -> Outcome<Vec<u8>> {
    let finished = run(folder, arguments)?;
    if finished.is_success() { Ok(finished.stdout) } else { Err(failed(folder, arguments, &finished)) }
}

/// The error for a call that did not succeed.
pub(super) fn failed(folder: &Path, arguments: &[&str], finished: &Finished) -> Diagnostic {
    let complaint: String = complaint(finished).chars().take(COMPLAINT_CHARACTERS).collect();
    let cause = if complaint.is_empty() { finished.describe() } else { complaint };
    let what = format!("`git {}` failed", first(arguments));
    Diagnostic::edit(what, "fix the cause, then run the command again").at(folder).because(cause)
}

/// What `git` said on stderr, on one line and without control characters.
pub(super) fn complaint(finished: &Finished) -> String {
    printable(&String::from_utf8_lossy(&finished.stderr), usize::MAX)
}

/// An answer of one line, without its end. Folders may hold line breaks themselves, so only the last one goes.
pub(super) fn one_line(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    bytes
}

fn first<'a>(arguments: &[&'a str]) -> &'a str {
    arguments.first().copied().unwrap_or_default()
}

fn not_started(folder: &Path, error: &io::Error) -> Diagnostic {
    if error.kind() == io::ErrorKind::NotFound {
        return Diagnostic::edit("the program `git` is not installed", "install git, or add its folder to PATH").because(error);
    }
    Diagnostic::io("cannot run `git`", folder, error)
}
