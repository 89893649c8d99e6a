//! A project, a home, the client, and what comes of a prompt.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::server::{Ask, Script, Server};
use crate::hook::stage::Stage;

/// The packages that `./dev` fetches: version, machine, hash. The first version is the one that scenarios are played with, the other
/// one proves that a change is noticed.
const PACKAGES: &str = include_str!("packages.txt");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";
/// No scenario takes longer, whatever goes wrong in it.
const PATIENCE: Duration = Duration::from_secs(90);
/// The client takes a core for a second when it starts, and its hooks are timed.
const MOST_AT_ONCE: usize = 2;

/// A client.
#[derive(Debug, Clone)]
pub struct Client {
    pub version: String,
    pub program: PathBuf,
}

impl Client {
    /// The one that everything is promised for.
    pub fn pinned() -> Self {
        Self::find(0)
    }

    /// An older one, which differs.
    pub fn other() -> Self {
        Self::find(1)
    }

    fn find(place: usize) -> Self {
        let mut versions: Vec<&str> = PACKAGES.lines().filter_map(|line| line.split(' ').next()).collect();
        versions.dedup();
        let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).expect("a cache folder");
        let program = cache.join(format!("outerloop/claude-code-{}/claude", versions[place]));
        assert!(program.is_file(), "the client is not at {}: run `./dev client`, which fetches it", program.display());
        Self { version: versions[place].to_owned(), program }
    }
}

/// A project in which a client is at work.
pub struct Play {
    pub stage: Stage,
    house: TempDir,
    server: Server,
    client: Client,
    path: OsString,
}

impl Play {
    /// A project whose workspace has learned some lessons, with the hooks that `init --claude` writes.
    pub fn new(lessons: &[Value], script: Script) -> Self {
        let play = Self::without_hooks(Stage::with(lessons), script);
        play.stage.scene.done(&["init", "--claude"]);
        play
    }

    /// The same with some lessons for everybody.
    pub fn with_patterns(count: usize, script: Script) -> Self {
        let play = Self::without_hooks(Stage::with_patterns(count), script);
        play.stage.scene.done(&["init", "--claude"]);
        play
    }

    pub fn without_hooks(stage: Stage, script: Script) -> Self {
        let house = TempDir::new().expect("a folder");
        for folder in ["home", "tmp"] {
            fs::create_dir(house.path().join(folder)).expect("a folder");
        }
        let built = Path::new(env!("CARGO_BIN_EXE_outerloop")).parent().expect("a folder").as_os_str();
        let mut path = built.to_owned();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        let play = Self { stage, house, server: Server::start(script), client: Client::pinned(), path };
        fs::write(play.folder().join("a.rs"), "fn main() {}\n").expect("a file");
        play.git(&["init", "--quiet"]);
        play.git(&["add", "a.rs"]);
        play.git(&["-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "--quiet", "-m", "first"]);
        play
    }

    /// Gives hooks more time than users do: where many agents start at once on a busy machine, a hook that came too late would be
    /// taken for one that does not know its agent's task.
    pub fn with_patience(self) -> Self {
        let path = self.folder().join(".claude/settings.local.json");
        let text = fs::read_to_string(&path).expect("settings");
        let patient = text.replace("\"timeout\": 2", "\"timeout\": 30");
        assert_ne!(text, patient, "{text}");
        fs::write(&path, patient).expect("settings");
        self
    }

    /// Plays with another client.
    pub fn with_client(self, client: Client) -> Self {
        Self { client, ..self }
    }

    /// Plays with other programs on the path.
    pub fn with_path(self, path: impl Into<OsString>) -> Self {
        Self { path: path.into(), ..self }
    }

    pub fn folder(&self) -> PathBuf {
        self.stage.folder()
    }

    pub fn git(&self, arguments: &[&str]) {
        let status = Command::new("git").current_dir(self.folder()).args(arguments).status().expect("git starts");
        assert!(status.success(), "git {arguments:?}");
    }

    /// Begins the session with a prompt. Tools need no permission.
    pub fn prompt(&self, prompt: &str) -> Run {
        self.run(prompt, &["--session-id", SESSION, "--dangerously-skip-permissions"])
    }

    /// Goes on with the session.
    pub fn resume(&self, prompt: &str) -> Run {
        self.run(prompt, &["--resume", SESSION, "--dangerously-skip-permissions"])
    }

    /// The client with a prompt and options.
    pub fn run(&self, prompt: &str, options: &[&str]) -> Run {
        let _turn = Turn::take();
        let mut command = Command::new(&self.client.program);
        command.args(["-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events"]).args(options);
        command.current_dir(self.folder());
        self.furnish(&mut command);
        // It has a group of its own, so that all of it can be ended.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Run::of(command.spawn().expect("the client starts"))
    }

    /// A home of its own, the model on loopback, and nothing else.
    fn furnish(&self, command: &mut Command) {
        command.env_clear().env("PATH", &self.path);
        command.env("HOME", self.house.path().join("home")).env("TMPDIR", self.house.path().join("tmp"));
        command.env("ANTHROPIC_BASE_URL", self.server.address()).env("ANTHROPIC_API_KEY", "none");
        for variable in ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "IS_SANDBOX"] {
            command.env(variable, "1");
        }
    }

    /// A person at a terminal: words are typed one after the other, each when the one before is answered, and the session is left. What
    /// `-p` is given counts as a program's.
    pub fn typed(&self, words: &[&str]) {
        let _turn = Turn::take();
        let home = self.house.path().join("home");
        let folder = fs::canonicalize(self.folder()).expect("the project");
        // Whoever sits there has answered the client's first questions long ago.
        let known = json!({"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": {"approved": ["none"], "rejected": []},
            "projects": {(folder.to_str().expect("a path")): {"hasTrustDialogAccepted": true}}});
        fs::write(home.join(".claude.json"), known.to_string()).expect("a file");
        let mut command = Command::new("script");
        let line = "stty rows 40 cols 120; exec \"$CLIENT\" --dangerously-skip-permissions \"$PROMPT\"";
        command.args(["-qefc", line, "/dev/null"]).current_dir(&folder);
        self.furnish(&mut command);
        command.env("CLIENT", &self.client.program).env("PROMPT", words[0]).env("TERM", "xterm-256color");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().expect("`script` of util-linux starts");
        let mut keys = child.stdin.take().expect("stdin");
        let begin = Instant::now();
        let is_over = |child: &mut Child| {
            let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
            if begin.elapsed() > PATIENCE {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                panic!("the client takes longer than {PATIENCE:?}");
            }
            thread::sleep(Duration::from_millis(50));
            child.try_wait().expect("the client ends").is_some()
        };
        let before = self.asked().len();
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                // The client takes keys while it works, too; they would be queued.
                thread::sleep(Duration::from_millis(1500));
                for key in [word, "\r"] {
                    keys.write_all(key.as_bytes()).expect("a terminal");
                    keys.flush().expect("a terminal");
                    thread::sleep(Duration::from_millis(400));
                }
            }
            // A slash command reaches the model as what stands in its file.
            let reached = |ask: &Ask| ask.news().contains(word) || word.starts_with('/') && ask.news().contains("<command-name>");
            while !self.asked()[before..].iter().any(reached) {
                assert!(!is_over(&mut child), "the client ended before {word:?} reached the model");
            }
        }
        thread::sleep(Duration::from_millis(1500));
        for key in ["/exit", "\r"] {
            keys.write_all(key.as_bytes()).expect("a terminal");
            keys.flush().expect("a terminal");
            thread::sleep(Duration::from_millis(400));
        }
        while !is_over(&mut child) {}
    }

    /// Everything that the model was asked.
    pub fn asked(&self) -> Vec<Ask> {
        self.server.asked()
    }

    /// What the model was asked by whoever has that word in its task.
    pub fn asked_by(&self, task: &str) -> Vec<Ask> {
        self.asked().into_iter().filter(|ask| ask.opening().contains(task)).collect()
    }

    /// Says in one line that a scenario holds. Tests that succeed are heard nowhere else.
    pub fn tell(&self, what: &str) {
        let line = format!("client {}: {what}\n", self.client.version);
        std::io::stderr().write_all(line.as_bytes()).expect("stderr");
    }
}

/// One of the few clients that may run at a time.
struct Turn;

static RUNNING: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

impl Turn {
    fn take() -> Self {
        let running = RUNNING.lock().expect("a number");
        *FREED.wait_while(running, |running| *running >= MOST_AT_ONCE).expect("a number") += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Ok(mut running) = RUNNING.lock() {
            *running -= 1;
        }
        FREED.notify_one();
    }
}

/// What came of a prompt.
pub struct Run {
    /// What the client told, and when.
    events: Vec<(Instant, Value)>,
    pub elapsed: Duration,
}

impl Run {
    fn of(mut child: Child) -> Self {
        let begin = Instant::now();
        let (output, errors) = (child.stdout.take().expect("stdout"), child.stderr.take().expect("stderr"));
        let reader = thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.filter_map(|line| Some((Instant::now(), serde_json::from_str(&line).ok()?))).collect::<Vec<(Instant, Value)>>()
        });
        let errors = thread::spawn(move || BufReader::new(errors).lines().map_while(Result::ok).collect::<Vec<_>>().join("\n"));
        let status = loop {
            if let Some(status) = child.try_wait().expect("the client ends") {
                break status;
            }
            if begin.elapsed() > PATIENCE {
                let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL).expect("it ends");
                panic!("the client takes longer than {PATIENCE:?}");
            }
            thread::sleep(Duration::from_millis(20));
        };
        let elapsed = begin.elapsed();
        let (events, errors) = (reader.join().expect("lines"), errors.join().expect("lines"));
        assert!(status.success(), "the client failed: {status}\n{errors}\n{:#?}", events.last());
        Self { events, elapsed }
    }

    /// What the client told.
    pub fn events(&self) -> impl Iterator<Item = &Value> {
        self.events.iter().map(|(_, event)| event)
    }

    /// The last words of the session.
    pub fn result(&self) -> String {
        let last = self.events().filter(|event| event["type"] == "result").last().expect("a result");
        assert_eq!(last["is_error"], false, "{last}");
        last["result"].as_str().unwrap_or_default().to_owned()
    }

    /// What the client says of hooks that ended.
    pub fn hooks(&self) -> Vec<&Value> {
        self.events().filter(|event| event["subtype"] == "hook_response").collect()
    }

    /// How often a hook was called.
    pub fn count(&self, event: &str) -> usize {
        self.hooks().iter().filter(|hook| hook["hook_event"] == event).count()
    }

    /// How long the client waited for each hook.
    pub fn waits(&self) -> Vec<Duration> {
        let mut started: HashMap<&str, Instant> = HashMap::new();
        let mut waits = Vec::new();
        for (instant, event) in &self.events {
            let id = event["hook_id"].as_str().unwrap_or_default();
            match event["subtype"].as_str() {
                Some("hook_started") => drop(started.insert(id, *instant)),
                Some("hook_response") => waits.extend(started.get(id).map(|begin| instant.duration_since(*begin))),
                _ => {}
            }
        }
        waits
    }

    /// Every hook ended well and without a word to the person.
    #[track_caller]
    pub fn assert_undisturbed(&self) {
        for hook in self.hooks() {
            assert_eq!((&hook["exit_code"], hook["stderr"].as_str()), (&Value::from(0), Some("")), "{hook}");
        }
        assert!(!self.events().any(|event| event.to_string().contains("hook blocking error")));
    }
}
