//! A project whose workspace knows some patterns, and a host that runs its hooks.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use learn::truth::Salt;
use serde_json::{Value, json};

use crate::support::{Outcome, Scene};

/// A project with a workspace.
pub struct Stage {
    pub scene: Scene,
}

impl Stage {
    /// A project whose workspace has learned some lessons.
    pub fn with(lessons: &[Value]) -> Self {
        let stage = Self { scene: Scene::new() };
        stage.learn(lessons);
        stage
    }

    /// The same with a number of lessons for everybody.
    pub fn with_patterns(count: usize) -> Self {
        let lessons: Vec<Value> =
            (1..=count).map(|number| lesson(&format!("{} the {number}. thing", WORDS[number % 12]))).collect();
        Self::with(&lessons)
    }

    pub fn learn(&self, lessons: &[Value]) {
        // Of lessons that were learned at the same instant none is fresher than another.
        let instant = jiff::Timestamp::now().to_string();
        let stamped = lessons.iter().map(|lesson| {
            let mut lesson = lesson.clone();
            lesson["ts"] = instant.clone().into();
            format!("{lesson}\n")
        });
        let text: String = stamped.collect();
        let outcome = self.scene.run_with(&["record", "--kind", "learning"], text.as_bytes());
        assert_eq!(outcome.code, 0, "{}", outcome.error);
        self.scene.done(&["run", "hourly"]);
    }

    /// The folder of the project.
    pub fn folder(&self) -> PathBuf {
        self.scene.root().parent().expect("a folder").to_path_buf()
    }

    /// What the host tells every hook.
    pub fn payload(&self, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": "5b7c0f6e-2c38-4d1c-9a53-0d6f4c4c1a11",
            "transcript_path": nowhere!("/5b7c0f6e.jsonl"),
            "cwd": self.folder(),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        let members = more.as_object().expect("an object").clone();
        payload.as_object_mut().expect("an object").extend(members);
        payload
    }

    /// Runs a hook.
    pub fn hook(&self, name: &str, more: &Value) -> Outcome {
        let event: String = name.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        self.hook_raw(name, self.payload(&event, more).to_string().as_bytes())
    }

    /// Runs a hook with whatever is told.
    pub fn hook_raw(&self, name: &str, input: &[u8]) -> Outcome {
        self.hook_by(name, input, None)
    }

    /// The same as a plugin in a folder calls it.
    pub fn hook_by(&self, name: &str, input: &[u8], plugin: Option<&str>) -> Outcome {
        let mut command = self.scene.command(&["hook", name]);
        for variable in ["OUTERLOOP_RUN_ID", "CLOSEDLOOP_RUN_ID", "CLOSEDLOOP_WORKDIR", "CLAUDE_PROJECT_DIR"] {
            command.env_remove(variable);
        }
        match plugin {
            Some(folder) => command.env("CLAUDE_PLUGIN_ROOT", folder),
            None => command.env_remove("CLAUDE_PLUGIN_ROOT"),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), input);
        Outcome::of(&child.wait_with_output().expect("the program ends"))
    }

    /// Runs a hook that must succeed without a remark, and gives its answer.
    #[track_caller]
    pub fn answer(&self, name: &str, more: &Value) -> Value {
        let outcome = self.hook(name, more);
        assert_eq!((outcome.code, &*outcome.error), (0, ""), "{name}");
        if outcome.out.is_empty() { Value::Null } else { serde_json::from_str(&outcome.out).expect("JSON") }
    }

    /// What a hook puts into the agent's context.
    #[track_caller]
    pub fn context(&self, name: &str, more: &Value) -> String {
        let answer = self.answer(name, more);
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    /// Takes in what landed, and gives the rows of a query.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Vec<String> {
        self.scene.done(&["run", "compact"]);
        let out = self.scene.done(&["query", sql, "--format", "csv"]).out;
        out.lines().skip(1).map(str::to_owned).collect()
    }

    /// The salt of the workspace's coins. One that is put there counts like one that a hook has made.
    pub fn salt(&self) -> Salt {
        let path = self.scene.workspace.salt();
        if !path.exists() {
            fs::write(&path, "0123456789abcdef0123456789abcdef\n").expect("a salt");
        }
        agent::hook::find_salt(&self.scene.workspace).expect("it can be read").expect("a salt")
    }

    /// Publishes coins: that of the loop, and one for every pattern with its worth.
    pub fn publish_coins(&self, whole: Option<f64>, coin: impl Fn(&str) -> (Option<f64>, Option<f64>)) {
        let path = self.scene.workspace.current().join(setting::INJECTION_FILE);
        let text = fs::read_to_string(&path).expect("an index");
        let mut lines = text.lines();
        let counts: Vec<&str> = lines.next().expect("a header").split(' ').take(6).collect();
        let whole = whole.map_or_else(|| "-".to_owned(), |whole| whole.to_string());
        let mut index = vec![format!("{} {whole}", counts.join(" "))];
        let columns = lines.next().expect("columns").split('\t').take(22).collect::<Vec<_>>();
        index.push(format!("{}\tcoin\tworth", columns.join("\t")));
        for line in lines {
            let cells: Vec<&str> = line.split('\t').take(22).collect();
            let cell = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            let (coin, worth) = coin(cells[0]);
            index.push(format!("{}\t{}\t{}", cells.join("\t"), cell(coin), cell(worth)));
        }
        fs::write(path, index.join("\n") + "\n").expect("it can be written");
    }

    /// What was recorded of patterns: pattern, status, agent, tool.
    #[track_caller]
    pub fn exposures(&self) -> Vec<String> {
        self.rows("select coalesce(pattern_id, trigger), status, agent, coalesce(tool, '') from application order by 1, 2, 3, 4")
    }

    /// The same of one sort of agents.
    #[track_caller]
    pub fn exposures_of(&self, agent: &str) -> Vec<String> {
        self.exposures().into_iter().filter(|row| row.contains(&format!(",{agent},"))).collect()
    }

    /// Makes the hooks' memories look so many hours older.
    pub fn age(&self, hours: u64) {
        let time = SystemTime::now() - Duration::from_secs(hours * 3600);
        for path in self.memories() {
            File::open(path).expect("it opens").set_modified(time).expect("its time can be set");
        }
    }

    /// What the hooks of the session still remember.
    pub fn memories(&self) -> Vec<PathBuf> {
        let mut files = files_below(&self.scene.workspace.hooks());
        // This one tells which events were heard, whoever they are of.
        files.retain(|path| !path.ends_with("heard.txt"));
        files
    }

    /// The remarks of hooks that are kept.
    pub fn remarks(&self) -> String {
        fs::read_to_string(self.scene.workspace.hook_history()).unwrap_or_default()
    }
}

const WORDS: [&str; 12] =
    ["Await", "Check", "Close", "Flush", "Guard", "Merge", "Parse", "Retry", "Sort", "Trim", "Unlock", "Verify"];

/// A lesson for everybody.
pub fn lesson(summary: &str) -> Value {
    json!({"summary": summary, "category": "pattern", "applies_to": ["*"]})
}

/// An agent of that name.
pub fn agent(id: &str, name: &str) -> Value {
    json!({"agent_id": id, "agent_type": name})
}

/// An agent that ends with some words.
pub fn ending(id: &str, name: &str, said: &str) -> Value {
    json!({"agent_id": id, "agent_type": name, "stop_hook_active": false, "last_assistant_message": said})
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() { files.extend(files_below(&entry.path())) } else { files.push(entry.path()) }
    }
    files.sort();
    files
}
