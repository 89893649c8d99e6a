//! Running git on addresses and repositories that are not ours: no hooks, no questions, no surprises from the environment.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::place::without_password;
use event::redact::redact;
use store::subprocess;
use store::subprocess::{Allowance, Finished};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::printable;

/// How long one call may take.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// What a git that asks for nothing it should not get is told each time.
const CONFIGURATION: [&str; 14] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "push.gpgSign=false",
    // A collection in the background would be killed with its group.
    "-c",
    "gc.autoDetach=false",
    "-c",
    "maintenance.autoDetach=false",
    "-c",
    "advice.detachedHead=false",
];
/// How the repository of others is called in ours.
pub(super) const REMOTE: &str = "shared";

/// Runs git in one private repository, for one repository of others.
#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
    address: String,
    environment: Vec<(String, String)>,
}

impl Git {
    /// Runs git in that folder, for that address.
    #[must_use]
    pub(super) fn new(folder: &Path, address: &str) -> Self {
        Self { folder: folder.to_path_buf(), address: address.to_owned(), environment: Vec::new() }
    }

    /// The same with one more variable.
    #[must_use]
    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Creates the private repository in a folder.
    pub(super) fn init(&self) -> Outcome<()> {
        let mut command = self.bare_command();
        command.args(["init", "--quiet", "--bare", "--template=", "--"]).arg(&self.folder);
        let finished = start(&mut command, &[], 1 << 20)?;
        self.succeeded("init", finished).map(drop)
    }

    /// Runs git, which must succeed, and gives the first line that it writes.
    pub(super) fn line(&self, arguments: &[&str], input: &[u8]) -> Outcome<String> {
        let output = self.output(arguments, input, 1 << 20)?;
        Ok(String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned())
    }

    /// Runs git, which must succeed, and gives everything that it writes, up to a bound.
    pub(super) fn output(&self, arguments: &[&str], input: &[u8], most_bytes: usize) -> Outcome<Vec<u8>> {
        let finished = self.run(arguments, input, most_bytes)?;
        self.succeeded(arguments.first().copied().unwrap_or_default(), finished)
    }

    /// Runs git, whichever way it ends.
    pub(super) fn run(&self, arguments: &[&str], input: &[u8], most_bytes: usize) -> Outcome<Finished> {
        let mut command = self.bare_command();
        command.arg("--git-dir").arg(&self.folder).args(arguments);
        start(&mut command, input, most_bytes)
    }

    /// Why git failed, for a person.
    #[must_use]
    pub(super) fn failure(&self, step: &str, finished: &Finished) -> Diagnostic {
        const MISTAKES: [&str; 9] = [
            "does not appear to be a git repository",
            "not found",
            "does not exist",
            "Authentication failed",
            "Permission denied",
            "could not read Username",
            "not allowed",
            "checked out branch",
            "declined",
        ];
        let written = [&finished.stderr, &finished.stdout].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).join("\n");
        let exit = if MISTAKES.iter().any(|mistake| written.contains(mistake)) { Exit::Edit } else { Exit::Machine };
        let remedy = if written.contains("checked out branch") {
            "name a bare repository, or another branch: the checked out branch of a working tree cannot be pushed to"
        } else {
            "check the address, the network and your access to it, then run the command again; nothing was lost"
        };
        let what = format!("git cannot {step} `{}`", without_password(&self.address));
        Diagnostic::new(exit, what, remedy).because(self.shown(&written, finished))
    }

    fn succeeded(&self, step: &str, finished: Finished) -> Outcome<Vec<u8>> {
        if finished.is_success() && !finished.is_cut { Ok(finished.stdout) } else { Err(self.failure(step, &finished)) }
    }

    /// What git said: a few lines, without control characters, without passwords.
    fn shown(&self, written: &str, finished: &Finished) -> String {
        const LINES: usize = 6;
        let written = written.replace(&self.address, &without_password(&self.address));
        let lines = written.lines().map(|line| printable(line, 300)).filter(|line| !line.is_empty());
        let lines: Vec<String> = lines.take(LINES).collect();
        let said = if lines.is_empty() { finished.describe() } else { lines.join("; ") };
        redact(&said).text.into_owned()
    }

    fn bare_command(&self) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
            command.env_remove(name);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh")
            // Nobody is there to answer a question for a password.
            .env("SSH_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "force")
            // In the environment the address is kept out of every file.
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", format!("remote.{REMOTE}.url"))
            .env("GIT_CONFIG_VALUE_0", &self.address)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .args(CONFIGURATION);
        if let Some(parent) = self.folder.parent() {
            command.current_dir(parent);
        }
        command
    }
}

fn start(command: &mut Command, input: &[u8], most_bytes: usize) -> Outcome<Finished> {
    let allowance = Allowance { time: TIME_LIMIT, output_bytes: most_bytes };
    subprocess::run(command, input, allowance).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Diagnostic::edit("git is not installed", "install git, or share through a plain folder"),
        _ => Diagnostic::new(Exit::Machine, "git cannot be started", "run the command again").because(error),
    })
}
