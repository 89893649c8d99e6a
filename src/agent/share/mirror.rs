//! The shared files in a git repository: a private bare clone, one commit on top of what is there, and again if somebody was
//! faster.
//!
//! Git runs on addresses and repositories that are not ours: no hooks, no questions, no surprises from the environment.
//! There is no working tree: nothing of a repository that others fill is ever a file, a link or a filter here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, io, thread};

use super::document::{Remark, State};
use super::exchange::without_password;
use super::folder;
use super::folder::{DOCUMENT, Lock, MOST_BYTES, SOURCES, text_of, within_bounds};
use super::merge::{Local, Merged, merge};
use super::signature::Signer;
use event::redact::redact;
use store::subprocess::{Allowance, Finished};
use store::workspace::Workspace;
use store::{durable, subprocess};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;
use text::fit::printable;

/// Where the files stand below the top of a repository.
const FOLDER: &str = ".closedloop-ai/learnings";
/// The branch of a repository that names none.
const DEFAULT_BRANCH: &str = "main";
/// What the tip of the shared branch is called in the clone.
const TIP: &str = "refs/shared/tip";
/// How often somebody else may be faster. Each time somebody was, their patterns are there: on a busy machine one of two that push again
/// and again may lose to every push of the other.
const MOST_ATTEMPTS: u32 = 30;
/// From so many attempts on the pause between them grows no longer.
const LONGEST_PAUSE: u32 = 10;
/// Enough for the answers that name a few objects.
const ANSWER_BYTES: usize = 1 << 20;

/// A private clone of a repository, used by nobody else for as long as this lives.
#[derive(Debug)]
pub(super) struct Mirror {
    git: Git,
    branch: String,
    index: PathBuf,
    busy: PathBuf,
    _lock: Lock,
}

/// A commit that is to become the tip, and what it brings.
struct Proposal {
    commit: String,
    merged: Merged,
    remarks: Vec<Remark>,
}

impl Mirror {
    /// Opens the clone of an address, and makes it if need be. Without a branch it is the repository's own.
    pub(super) fn open(workspace: &Workspace, address: &str, branch: Option<&str>) -> Outcome<Self> {
        let folder = workspace.root().join("share").join("clones");
        durable::create_folder(&folder)?;
        let folder = folder.canonicalize().map_err(|error| Diagnostic::io("cannot use the folder", &folder, &error))?;
        let name = sha256(address.as_bytes());
        let lock = folder::take_exclusive(&folder.join(format!("{name}.lock")), 0o600)?;
        let (path, busy) = (folder.join(&name), folder.join(format!("{name}.busy")));
        // A git that was killed leaves locks behind, and perhaps half an object. The clone holds nothing that is not elsewhere.
        if busy.exists() || !path.exists() {
            durable::replace(&busy, b"")?;
            remove_all(&path)?;
            Git::new(&path, address).init()?;
        }
        durable::replace(&busy, b"")?;
        let git = Git::new(&path, address);
        let branch = choose_branch(&git, address, branch)?;
        Ok(Self { git, branch, index: path.join("shared.index"), busy, _lock: lock })
    }

    /// Brings the patterns of a project into the repository. Says how many attempts it took.
    pub(super) fn push(self, local: &Local<'_>, signer: &Signer) -> Outcome<(Merged, Vec<Remark>, u32)> {
        let mut refused: Option<(Option<String>, Proposal, Diagnostic)> = None;
        for attempt in 1..=MOST_ATTEMPTS {
            let tip = self.fetch()?;
            if let Some((before, proposal, failure)) = refused.take() {
                // The answer was lost, but the push was not.
                if tip.as_ref() == Some(&proposal.commit) {
                    return self.done((proposal.merged, proposal.remarks, attempt - 1));
                }
                // Nobody was faster: it was refused for another reason, and will be again. Locks are held for a moment only.
                if tip == before && !is_passing(&failure) {
                    return Err(failure);
                }
            }
            let mut state = self.read(tip.as_deref())?;
            state.check_org(local.org_id)?;
            let merged = merge(&mut state, local, signer);
            if !merged.is_changed {
                return self.done((merged, state.remarks, attempt));
            }
            let commit = self.commit(tip.as_deref(), &state, &merged, local)?;
            let target = format!("{commit}:refs/heads/{}", self.branch);
            let finished = self.git.run(&["push", "--porcelain", "--no-verify", REMOTE, &target], &[], ANSWER_BYTES)?;
            let proposal = Proposal { commit, merged, remarks: state.remarks };
            if finished.is_success() {
                return self.done((proposal.merged, proposal.remarks, attempt));
            }
            refused = Some((tip, proposal, self.git.failure("push to", &finished)));
            thread::sleep(Duration::from_millis(fastrand::u64(5..50 * u64::from(attempt.min(LONGEST_PAUSE)))));
        }
        let what = format!("concurrent pushes won {MOST_ATTEMPTS} times");
        let cause = refused.and_then(|(_, _, failure)| failure.cause).unwrap_or_default();
        Err(Diagnostic::new(Exit::Machine, what, "run the command again; nothing was lost").because(cause))
    }

    /// Reads the files of the repository. `is_needed` says that the branch must be there.
    pub(super) fn load(self, is_needed: bool) -> Outcome<State> {
        let tip = self.fetch()?;
        if tip.is_none() && is_needed {
            let what = format!("the shared repository has no branch `{}`", self.branch);
            return Err(Diagnostic::edit(what, "check the branch, or push to it first"));
        }
        let state = self.read(tip.as_deref())?;
        self.done(state)
    }

    /// The tip of the branch, with everything that it holds. None if there is no such branch yet.
    fn fetch(&self) -> Outcome<Option<String>> {
        let name = format!("refs/heads/{}", self.branch);
        let listed = self.git.output(&["ls-remote", REMOTE, &name], &[], ANSWER_BYTES)?;
        let listed = String::from_utf8_lossy(&listed);
        if !listed.lines().any(|line| line.split_once('\t').is_some_and(|(_, found)| found == name)) {
            return Ok(None);
        }
        let what = format!("+{name}:{TIP}");
        self.git.output(
            &["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--depth=1", REMOTE, &what],
            &[],
            ANSWER_BYTES,
        )?;
        self.git.line(&["rev-parse", "--verify", "--end-of-options", TIP], &[]).map(Some)
    }

    fn read(&self, tip: Option<&str>) -> Outcome<State> {
        let Some(tip) = tip else { return State::parse(None, None) };
        let document = self.read_file(tip, DOCUMENT)?;
        let sources = self.read_file(tip, SOURCES)?;
        State::parse(document.as_deref(), sources.as_deref())
    }

    fn read_file(&self, tip: &str, name: &str) -> Outcome<Option<String>> {
        let path = format!("{FOLDER}/{name}");
        let listed = self.git.output(&["ls-tree", "-z", "-l", "--full-tree", tip, "--", &path], &[], ANSWER_BYTES)?;
        let listed = String::from_utf8_lossy(&listed);
        let Some((about, _)) = listed.split_once('\t') else { return Ok(None) };
        let refused = |cause: &str| {
            Diagnostic::edit(format!("the shared `{path}` cannot be read"), "repair it in the shared repository, then try again")
                .because(cause)
        };
        let mut words = about.split_whitespace();
        let (mode, _, object, size) = (words.next(), words.next(), words.next().unwrap_or_default(), words.next());
        if !matches!(mode, Some("100644" | "100755")) {
            return Err(refused("it is not a regular file"));
        }
        if size.and_then(|size| size.parse::<usize>().ok()).is_none_or(|size| size > MOST_BYTES) {
            return Err(refused("it is larger than 16 MiB"));
        }
        let bytes = self.git.output(&["cat-file", "blob", object], &[], MOST_BYTES)?;
        text_of(name, bytes).map(Some)
    }

    /// Makes the commit: the same tree with two other files, on top of the tip.
    fn commit(&self, tip: Option<&str>, state: &State, merged: &Merged, local: &Local<'_>) -> Outcome<String> {
        let git = self.git.clone().with("GIT_INDEX_FILE", self.index.to_string_lossy());
        git.output(&["read-tree", tip.unwrap_or("--empty")], &[], ANSWER_BYTES)?;
        let mut entries = Vec::new();
        for (name, text) in [(DOCUMENT, state.document.render()), (SOURCES, state.sources.render())] {
            within_bounds(name, &text)?;
            let object = git.line(&["hash-object", "-w", "--no-filters", "--stdin"], text.as_bytes())?;
            entries.push(format!("100644,{object},{FOLDER}/{name}"));
        }
        let mut arguments = vec!["update-index", "--add"];
        arguments.extend(entries.iter().flat_map(|entry| ["--cacheinfo", &**entry]));
        git.output(&arguments, &[], ANSWER_BYTES)?;
        let tree = git.line(&["write-tree"], &[])?;
        let mut arguments = vec!["commit-tree", &*tree, "-F", "-"];
        arguments.extend(tip.iter().flat_map(|tip| ["-p", *tip]));
        let message =
            format!("patterns of {}: {} added, {} updated\n", printable(local.project, 100), merged.added, merged.updated);
        self.signed_off(git, local)?.line(&arguments, message.as_bytes())
    }

    /// Git with the identity of whoever uses it, as git knows it; else with one of our own.
    fn signed_off(&self, git: Git, local: &Local<'_>) -> Outcome<Git> {
        let date = format!("@{} +0000", local.now.as_second());
        let mut git = git.with("GIT_AUTHOR_DATE", &*date).with("GIT_COMMITTER_DATE", &*date);
        let is_set =
            |name: &str| Ok::<_, Diagnostic>(!self.git.run(&["config", "--get", name], &[], ANSWER_BYTES)?.stdout.is_empty());
        if !(is_set("user.name")? && is_set("user.email")?) {
            for role in ["AUTHOR", "COMMITTER"] {
                git = git.with(&format!("GIT_{role}_NAME"), "outerloop").with(&format!("GIT_{role}_EMAIL"), "outerloop@localhost");
            }
        }
        Ok(git)
    }

    /// The result, once the clone may be used again as it is.
    fn done<T>(self, result: T) -> Outcome<T> {
        match fs::remove_file(&self.busy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Diagnostic::io("cannot remove the file", &self.busy, &error))
            }
            _ => Ok(result),
        }
    }
}

/// The branch that is asked for, else the one that the repository's HEAD names, else `main`.
fn choose_branch(git: &Git, address: &str, branch: Option<&str>) -> Outcome<String> {
    if let Some(branch) = branch {
        let name = format!("refs/heads/{branch}");
        let is_good = !branch.starts_with('-') && git.run(&["check-ref-format", &name], &[], ANSWER_BYTES)?.is_success();
        let odd = || Diagnostic::edit("the branch has no usable name", "name a branch as git allows it");
        return if is_good { Ok(branch.to_owned()) } else { Err(odd()) };
    }
    let listed = git.output(&["ls-remote", "--symref", REMOTE, "HEAD"], &[], ANSWER_BYTES)?;
    let listed = String::from_utf8_lossy(&listed);
    let named = listed.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
    if let Some(branch) = named {
        return Ok(branch.to_owned());
    }
    // An empty repository does not tell which branch its HEAD waits for, but one on this machine can be asked.
    if Path::new(address).is_absolute() {
        let head = Git::new(Path::new(address), address).run(&["symbolic-ref", "--quiet", "HEAD"], &[], ANSWER_BYTES)?;
        let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        if let Some(branch) = head.strip_prefix("refs/heads/") {
            return Ok(branch.to_owned());
        }
    }
    Ok(DEFAULT_BRANCH.to_owned())
}

/// Whether a push failed on a lock that somebody holds for a moment.
fn is_passing(failure: &Diagnostic) -> bool {
    failure.cause.as_deref().is_some_and(|cause| cause.contains(".lock") || cause.contains("cannot lock"))
}

fn remove_all(path: &Path) -> Outcome<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Diagnostic::io("cannot remove the folder", path, &error)),
        _ => Ok(()),
    }
}

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
