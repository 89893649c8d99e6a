//! What roles learn, the whole way: from what lands to what is published and shown, with the real program.

mod insight;
mod law;
mod scope;
mod worked;

use learn::role::RoleScore;
use render::parse_table;
use serde_json::{Value, json};

use crate::support::Scene;

/// 2025-03-01. Long ago, so that every day of a story has passed.
const START: i64 = 1_740_787_200_000_000;
const DAY: f64 = 86_400e6;

/// A day of a story, as the program writes times.
#[expect(clippy::cast_possible_truncation, reason = "days of a test")]
pub fn time(on: f64) -> String {
    jiff::Timestamp::from_microsecond(START + (on * DAY).round() as i64).expect("a time").to_string()
}

/// A workspace whose roles talk.
pub struct Team {
    pub scene: Scene,
}

impl Team {
    pub fn new() -> Self {
        Self { scene: Scene::new() }
    }

    /// A team whose lake holds these events.
    pub fn of(events: &[Value]) -> Self {
        let team = Self::new();
        team.tell(events);
        team
    }

    /// Lands events and takes them in.
    pub fn tell(&self, events: &[Value]) {
        self.scene
            .land("a.jsonl", events.iter().flat_map(|event| format!("{event}\n").into_bytes()).collect::<Vec<_>>().as_slice());
        self.scene.done(&["run", "compact"]);
        assert!(
            self.scene.holdings().quarantined.is_empty(),
            "{}",
            self.scene.done(&["query", "select reason, text from quarantine"]).out
        );
    }

    /// Publishes what is known on a day, and gives the folder of the generation.
    pub fn publish(&self, on: f64) -> std::path::PathBuf {
        let out = self.scene.done(&["run", "learn", "--as-of", &time(on), "--json"]).out;
        let report: Value = serde_json::from_str(&out).expect("JSON");
        self.scene.workspace.published().join(report["generation"].as_str().expect("a generation"))
    }

    /// The published patterns of a day.
    pub fn patterns(&self, on: f64) -> Vec<RoleScore> {
        let bytes = std::fs::read(self.publish(on).join("role-patterns.parquet")).expect("the file");
        parse_table(bytes).expect("patterns")
    }

    /// The only published pattern of a role on a day.
    #[track_caller]
    pub fn pattern(&self, role: &str, on: f64) -> RoleScore {
        let mut found: Vec<RoleScore> = self.patterns(on).into_iter().filter(|score| score.role == role).collect();
        assert_eq!(found.len(), 1, "{found:#?}");
        found.remove(0)
    }

    /// What a role of a project is shown on a day.
    #[track_caller]
    pub fn shown_in(&self, project: &str, role: &str, on: f64, more: &[&str]) -> Value {
        let time = time(on);
        let arguments = ["inject", "--strict", "--format", "json", "--project", project, "--role", role, "--at", &time];
        serde_json::from_str(&self.scene.done(&[&arguments, more].concat()).out).expect("JSON")
    }

    /// What a role is shown on a day.
    #[track_caller]
    pub fn shown(&self, role: &str, on: f64, more: &[&str]) -> Value {
        self.shown_in("web", role, on, more)
    }

    /// The ids of what a role is shown on a day.
    #[track_caller]
    pub fn ids(&self, role: &str, on: f64, more: &[&str]) -> Vec<String> {
        ids(&self.shown(role, on, more))
    }
}

/// The ids of what is shown.
pub fn ids(shown: &Value) -> Vec<String> {
    let patterns = shown["patterns"].as_array().expect("patterns").iter();
    patterns.map(|pattern| pattern["id"].as_str().expect("an id").to_owned()).collect()
}

/// An event with further members, or with others in their place.
pub fn with(mut event: Value, more: &Value) -> Value {
    event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    event
}

/// A role of the project `web` writes a report about an issue.
pub fn said(id: &str, role: &str, on: f64, issue: &str, sayings: &[&str]) -> Value {
    let items = sayings.iter().fold(String::new(), |items, saying| items + "- " + saying + "\n");
    json!({"kind": "deliberation", "id": id, "ts": time(on), "project": "web", "role": role, "issue": issue,
        "text": format!("# Report\n\n## Accumulated Patterns\n{items}")})
}

/// The same report, again and again.
pub fn said_often(times: usize, role: &str, on: f64, saying: &str) -> Vec<Value> {
    (0..times).map(|number| said(&format!("{role} {on} {saying} {number}"), role, on, "1", &[saying])).collect()
}

/// A validator rejects findings of a role, and does not say where they stood.
pub fn rejected(id: &str, role: &str, on: f64, findings: &[&str]) -> Value {
    json!({"kind": "verdict", "id": id, "ts": time(on), "project": "web", "role": "inspector", "adversarial_role": role,
        "verdict": "FAIL", "must_fix": ["J9"], "rejected": findings})
}

/// So many validators reject one finding.
pub fn rejected_often(times: usize, role: &str, on: f64, finding: &str) -> Vec<Value> {
    (0..times).map(|number| rejected(&format!("no {role} {on} {finding} {number}"), role, on, &[finding])).collect()
}

/// A validator lets a role's work of a run pass, on a quotation.
pub fn passed(id: &str, role: &str, on: f64, run: &str) -> Value {
    json!({"kind": "verdict", "id": id, "ts": time(on), "project": "web", "role": "inspector", "adversarial_role": role,
        "verdict": "PASS", "run_id": run, "evidence_level": 2})
}

/// A role is shown a pattern in a run.
pub fn shown(id: &str, role: &str, on: f64, run: &str, pattern: &str) -> Value {
    json!({"kind": "application", "id": id, "ts": time(on), "project": "web", "role": role, "run_id": run,
        "pattern_id": pattern, "status": "injected"})
}

/// How the work of a run turned out.
pub fn ended(id: &str, on: f64, run: &str, has_passed: bool) -> Value {
    json!({"kind": "aftermath", "id": id, "ts": time(on), "project": "web", "run_id": run, "passed": has_passed})
}

#[track_caller]
pub fn assert_near(is: f64, wanted: f64, tolerance: f64) {
    assert!((is - wanted).abs() <= tolerance, "{is} instead of {wanted}");
}
