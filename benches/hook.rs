//! Hooks beside their peer: `outerloop hook` and a script with jq and awk written for the comparison (`benches/hook.sh`), which
//! does the same work over the same patterns, once from the index that ours reads and once from the pattern file. Every call is a process of its own, started cold; contenders take turns, and the
//! median of the rounds counts. `true` shows what starting any process costs here.
//!
//! The tools of `outerloop mcp` are measured beside: one server, called again and again, as an agent's host does.
//!
//! `cargo bench --bench hook -- --patterns 5000 --rounds 50`

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark is a program for people, in a folder of its own"
)]

mod measure;

use std::env;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use measure::{Cost, cost, median};
use serde_json::{Value, json};

/// What the script reads.
const INDEX: &str = "injection.tsv";
const PATTERNS: &str = "org-patterns.toon";

const PROGRAM: &str = env!("CARGO_BIN_EXE_outerloop");

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let option = |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned();
    let rounds: usize = option("--rounds").map_or(50, |rounds| rounds.parse().expect("a number of rounds"));
    let sizes = option("--patterns").map_or_else(|| vec![50, 5_000], |count| vec![count.parse().expect("a number of patterns")]);
    println!("| patterns | hook | contender | wall ms | CPU ms | peak MB | times as fast as the script |");
    println!("|---:|---|---|---:|---:|---:|---:|");
    let mut calls = Vec::new();
    for patterns in sizes {
        calls.extend(measure(patterns, rounds));
    }
    println!("\n| patterns | MCP tool | median ms | worst ms |");
    println!("|---:|---|---:|---:|");
    for line in &calls {
        println!("{line}");
    }
}

fn measure(patterns: usize, rounds: usize) -> Vec<String> {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let stage = Stage::new(folder.path(), patterns);
    for hook in ["subagent-start", "pre-tool-use"] {
        eprintln!("{patterns} patterns, {hook}: {rounds} rounds");
        stage.check(hook);
        let (mut ours, mut theirs, mut over_toon, mut nothing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for round in 0..rounds {
            let payload = stage.payload(hook, &format!("{hook}-{round}"));
            ours.push(cost(stage.own(hook).stdin(open(&payload))));
            theirs.push(cost(stage.script(hook, INDEX).stdin(open(&payload))));
            over_toon.push(cost(stage.script(hook, PATTERNS).stdin(open(&payload))));
            nothing.push(cost(&mut Command::new("true")));
        }
        let peer = median(theirs);
        let contenders = [
            ("outerloop", median(ours)),
            ("script over the same index", peer),
            ("script over the pattern file", median(over_toon)),
            ("true", median(nothing)),
        ];
        for (name, Cost { wall, cpu, peak }) in contenders {
            let (times, wall, cpu) = (peer.wall / wall, wall * 1e3, cpu * 1e3);
            println!("| {patterns} | {hook} | {name} | {wall:.1} | {cpu:.1} | {peak:.0} | {times:.1} |");
        }
    }
    measure_alone(&stage, patterns, rounds);
    measure_tools(&stage, patterns, rounds)
}

/// The hooks that no script was written for, each with what it is told: the median of calls that are started cold.
fn measure_alone(stage: &Stage, patterns: usize, rounds: usize) {
    let file = stage.folder.join("src/ba.rs");
    let task = "Mend the build of src/ba.rs, then run every test of the api and write the docs. ".repeat(10);
    let patch = json!([{"oldStart": 10, "oldLines": 1, "newStart": 10, "newLines": 2, "lines": ["-x", "+y", "+z"]}]);
    let hooks = [
        ("session-start", "", json!({"source": "startup"})),
        ("user-prompt-submit", "", json!({"prompt": task})),
        ("pre-tool-use", " Agent", json!({"tool_name": "Agent", "tool_input": {"subagent_type": "coder", "prompt": task}})),
        ("subagent-start", " with a task", json!({"agent_type": "coder"})),
        ("pre-tool-use", " Read", json!({"tool_name": "Read", "tool_input": {"file_path": file}})),
        (
            "post-tool-use",
            " Edit",
            json!({"tool_name": "Edit", "tool_input": {"file_path": file}, "tool_response": {"structuredPatch": patch}}),
        ),
        (
            "post-tool-use-failure",
            " Bash",
            json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 2\nno"}),
        ),
    ];
    for (hook, what, more) in hooks {
        eprintln!("{patterns} patterns, {hook}{what}: {rounds} rounds");
        let costs = (0..rounds).map(|round| {
            if what == " with a task" {
                let task = json!({"tool_name": "Agent", "tool_input": {"subagent_type": "coder", "prompt": task}});
                let payload = stage.payload_with("pre-tool-use", &format!("task-{round}"), &task);
                run(stage.own("pre-tool-use").stdin(open(&payload)));
            }
            let payload = stage.payload_with(hook, &format!("alone-{hook}{}-{round}", what.trim()), &more);
            cost(stage.own(hook).stdin(open(&payload)))
        });
        let Cost { wall, cpu, peak } = median(costs.collect());
        println!("| {patterns} | {hook}{what} | outerloop | {:.1} | {:.1} | {peak:.0} | |", wall * 1e3, cpu * 1e3);
    }
}

/// How long calls of each tool take, as the host sees them.
fn measure_tools(stage: &Stage, patterns: usize, rounds: usize) -> Vec<String> {
    let tools = [
        ("acknowledge", json!({"patterns": [{"pattern": "P-001", "places": ["src/a.rs:1"]}]})),
        ("capture_lesson", json!({"summary": "Close every file that a test opens before it ends"})),
        ("find_patterns", json!({"task": "build the api and test it", "files": ["src/api.rs", "tests/api.py"]})),
        // Without a task, every pattern is rated by the files.
        ("find_patterns", json!({"files": ["src/api.rs", "tests/api.py", "src/auth/session.ts", "deploy/values.yaml"]})),
        ("read_knowledge", json!({})),
        ("explain_pattern", json!({"id": "P-001"})),
        ("ask_gate", json!({"adapter": "github", "risk": "high"})),
    ];
    eprintln!("{patterns} patterns, MCP tools: {rounds} rounds");
    let mut server = Server::start(stage);
    let line = |(tool, arguments): &(&str, Value)| {
        let mut times: Vec<f64> = (0..rounds).map(|_| server.call(tool, arguments)).collect();
        times.sort_by(f64::total_cmp);
        format!("| {patterns} | {tool} | {:.2} | {:.2} |", times[rounds / 2], times[rounds - 1])
    };
    tools.iter().map(line).collect()
}

/// A server, and its host's side of the pipe.
struct Server {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn start(stage: &Stage) -> Self {
        let mut command = stage.program();
        let mut child = command
            .arg("mcp")
            .env_remove("CLAUDE_PROJECT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let output = BufReader::new(child.stdout.take().expect("stdout"));
        let mut server = Self { child, output };
        let host = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        server.request(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": host}));
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().expect("stdin");
        input.write_all(format!("{message}\n").as_bytes()).expect("it reads");
    }

    fn request(&mut self, message: &Value) -> Value {
        self.send(message);
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Calls a tool, and gives the time in milliseconds.
    fn call(&mut self, tool: &str, arguments: &Value) -> f64 {
        let params = json!({"name": tool, "arguments": arguments});
        let begin = Instant::now();
        let answer = self.request(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        let time = begin.elapsed().as_secs_f64() * 1e3;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        time
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A project with patterns, and what its host tells.
struct Stage {
    folder: PathBuf,
    root: PathBuf,
}

impl Stage {
    fn new(folder: &Path, patterns: usize) -> Self {
        let stage = Self { folder: folder.to_path_buf(), root: folder.join(".outerloop") };
        run(Command::new("git").args(["init", "--quiet"]).arg(folder));
        run(Command::new("git").arg("-C").arg(folder).args(["remote", "add", "origin", "git@example.com:acme/shop.git"]));
        run(stage.program().arg("init"));
        fs::write(stage.root.join("outerloop.toml"), format!("[publish]\ncap = {patterns}\n")).expect("settings");
        let lessons = folder.join("lessons.jsonl");
        fs::write(&lessons, (0..patterns).map(lesson).collect::<String>()).expect("lessons");
        run(stage.program().args(["record", "--batch", "--kind", "learning"]).arg(lessons));
        run(stage.program().args(["run", "hourly"]));
        stage
    }

    fn program(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("--root").arg(&self.root).current_dir(&self.folder);
        command
    }

    fn own(&self, hook: &str) -> Command {
        let mut command = self.program();
        command.args(["hook", hook]);
        command
    }

    fn script(&self, hook: &str, file: &str) -> Command {
        let mut command = Command::new("bash");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/hook.sh")).arg(hook);
        command.arg(self.root.join("published/current").join(file)).arg(&self.folder).current_dir(&self.folder);
        command
    }

    /// What the host tells about an agent that no hook knows yet.
    fn payload(&self, hook: &str, agent: &str) -> PathBuf {
        let mut payload = json!({
            "session_id": "5b7c0f6e-2c38-4d1c-9a53-0d6f4c4c1a11", "transcript_path": "/nowhere", "cwd": self.folder,
            "permission_mode": "default", "hook_event_name": hook, "agent_id": agent, "agent_type": "code:plan-writer",
        });
        if hook == "pre-tool-use" {
            payload["tool_name"] = "Bash".into();
            payload["tool_input"] = json!({"command": "cargo test --workspace && npm run build"});
        }
        self.told(agent, &payload)
    }

    /// The same with more to tell.
    fn payload_with(&self, hook: &str, agent: &str, more: &Value) -> PathBuf {
        let mut payload = json!({
            "session_id": format!("s-{agent}"), "transcript_path": "/nowhere", "cwd": self.folder, "hook_event_name": hook,
            "agent_id": agent, "agent_type": "coder",
        });
        if matches!(hook, "session-start" | "user-prompt-submit") || more["tool_name"] == "Agent" {
            payload = json!({"session_id": "s", "cwd": self.folder, "hook_event_name": hook});
        }
        if more.get("agent_type").is_some() {
            // The task waits in the session that it was left in.
            payload["session_id"] = "s".into();
        }
        payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.told(agent, &payload)
    }

    fn told(&self, agent: &str, payload: &Value) -> PathBuf {
        let path = self.folder.join(format!("payload-{agent}.json"));
        fs::write(&path, payload.to_string()).expect("a payload");
        path
    }

    /// Both contenders must have something to show, or the race means nothing.
    fn check(&self, hook: &str) {
        for (name, mut command) in
            [("outerloop", self.own(hook)), ("a script", self.script(hook, INDEX)), ("the script", self.script(hook, PATTERNS))]
        {
            let payload = self.payload(hook, &format!("check-{hook}-{}", name.len()));
            let output = command.stdin(open(&payload)).stderr(Stdio::inherit()).output().expect("the contender starts");
            let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
            let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a block");
            let shown = text.lines().filter(|line| line.starts_with('[')).count();
            assert!(shown >= 8, "{name} shows {shown} patterns:\n{text}");
        }
    }
}

/// A lesson like no other.
fn lesson(number: usize) -> String {
    const SYLLABLES: [&str; 16] = ["ba", "co", "di", "fu", "ga", "he", "ji", "ko", "lu", "ma", "ne", "po", "ri", "su", "ta", "vo"];
    const TAGS: [&str; 6] = ["build", "test", "api", "react", "python", "docs"];
    let mut state = number as u64 + 1;
    let mut word = || {
        (0..3)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                SYLLABLES[usize::try_from(state >> 60).expect("four bits")]
            })
            .collect::<String>()
    };
    let text = (0..10).map(|_| word()).collect::<Vec<_>>().join(" ");
    let category = ["mistake", "convention", "pattern", "insight"][number % 4];
    let repo = ["*", "shop", "other"][number % 3];
    let agents = if number.is_multiple_of(5) { json!(["code-reviewer"]) } else { json!(["*"]) };
    let tags = [TAGS[number % 6], TAGS[number / 6 % 6]];
    let lesson = json!({"ts": "2026-05-01T10:00:00Z", "summary": text, "trigger": format!("case {number}"), "category": category, "repo": repo,
        "applies_to": agents, "tags": tags});
    format!("{lesson}\n")
}

fn open(path: &Path) -> File {
    File::open(path).expect("a payload")
}

fn run(command: &mut Command) {
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it starts").success(), "{command:?} failed");
}
