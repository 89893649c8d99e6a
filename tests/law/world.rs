//! Made-up events in which everything meets: few patterns, runs and instants, and enrichment at every level.

use fastrand::Rng;
use serde_json::{Value, json};

/// 2026-10-01, in microseconds since 1970.
pub const START: i64 = 1_790_812_800_000_000;
/// How many instants there are.
pub const INSTANTS: i64 = 100;
/// The time between two of them: a third of an hour, so that the events lie on two days.
pub const STEP: i64 = 1_200_000_000;
/// The last instant.
pub const END: i64 = START + INSTANTS * STEP;

const LESSONS: [&str; 9] = [
    "Always check token expiry before API calls",
    "Check for None before dict access",
    "Prefer named exports over default exports",
    "Retry API calls with backoff and jitter",
    "Await every promise that is made",
    "Close files before they are renamed",
    "Run the whole build after every merge",
    "Run the whole build before every merge",
    "Never swallow an error",
];

/// Makes events up. The same seed makes the same ones.
pub fn events(seed: u64, count: usize) -> Vec<Value> {
    let mut world = World { random: Rng::with_seed(seed), prefix: format!("w{seed}"), applications: 0 };
    (0..count).map(|number| world.event(number)).collect()
}

/// The instant in an event's words.
pub fn time_text(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).expect("a time").to_string()
}

/// Whether the order of landing counts for an event.
pub fn is_folded(event: &Value) -> bool {
    matches!(event["kind"].as_str(), Some("learning" | "curation"))
}

struct World {
    random: Rng,
    prefix: String,
    applications: usize,
}

impl World {
    fn event(&mut self, number: usize) -> Value {
        let mut event = match self.random.u32(..100) {
            0..10 => self.learning(),
            10..13 => self.curation(),
            13..55 => self.application(),
            55..67 => self.relevance(),
            67..80 => self.goal(),
            80..96 => self.citation(),
            96..98 => json!({"kind": "build", "run_id": "run-1", "passed": self.random.bool()}),
            _ => {
                json!({"kind": "run", "run_id": format!("{}-{number}", self.prefix), "result": "success", "adapters": ["terminal"]})
            }
        };
        let time = START + self.random.i64(0..INSTANTS) * STEP;
        event["ts"] = time_text(time).into();
        event["project"] = self.pick(&["shop", "shop", "bank", "lab"]).into();
        if event.get("id").is_none() {
            event["id"] = format!("{}-{number}", self.prefix).into();
        }
        event
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.random.usize(..items.len())]
    }

    fn chance(&mut self, part: f64) -> bool {
        self.random.f64() < part
    }

    /// A lesson's text, as it is or as agents remember it.
    fn quote(&mut self) -> String {
        let text = self.pick(&LESSONS);
        match self.random.u32(..10) {
            0 => text.to_uppercase(),
            1 => text.split(' ').rev().collect::<Vec<_>>().join(" "),
            2 => text.split(' ').take(3).collect::<Vec<_>>().join(" "),
            3 => format!("  {text} as ever"),
            4 => self.pick(&["", "build", "Run the whole build", "something else entirely", "Check"]).to_owned(),
            5 => self.id(),
            _ => text.to_owned(),
        }
    }

    fn id(&mut self) -> String {
        self.pick(&["P-001", "P-002", "P-003", "P-004", "P-005", "P-008", "P-012", "P-077", "P-9", "old-3"]).to_owned()
    }

    /// How an event names its pattern: by id, by text, by both; rarely by neither where that may be.
    fn name_pattern(&mut self, event: &mut Value, may_be_none: bool) {
        let way = self.random.u32(..20);
        if way < 9 {
            event["pattern_id"] = self.id().into();
        }
        if way >= 7 && (way < 19 || !may_be_none) {
            event["trigger"] = self.quote().into();
        }
    }

    /// Names the run, and mostly the iteration.
    fn name_turn(&mut self, event: &mut Value, part_with_iteration: f64) {
        event["run_id"] = self.pick(&["run-1", "run-2", "run-3"]).into();
        if self.chance(part_with_iteration) {
            event["iteration"] = self.random.u32(..6).into();
        }
    }

    /// Where enrichment belongs: to an application, to an iteration, to a run.
    fn name_level(&mut self, event: &mut Value) {
        self.name_turn(event, 0.6);
        if self.chance(0.4) {
            event["application_id"] = format!("{}-a{}", self.prefix, self.random.usize(..=self.applications)).into();
        }
    }

    fn learning(&mut self) -> Value {
        let mut event = json!({"kind": "learning"});
        let text = self.pick(&LESSONS).to_owned();
        event["summary"] = if self.chance(0.2) { format!("{text} always").into() } else { text.into() };
        if self.chance(0.2) {
            event["pattern_id"] = self.id().into();
        }
        if self.chance(0.2) {
            event["trigger"] = self.pick(&["at the start", "at the end", "whole build"]).into();
        }
        if self.chance(0.2) {
            event["repo"] = self.pick(&["*", "shop", "bank"]).into();
        }
        if self.chance(0.5) {
            event["category"] = self.pick(&["mistake", "workflow", "Rule", "miracle"]).into();
        }
        if self.chance(0.3) {
            event["applies_to"] = json!([self.pick(&["impl", "plan"])]);
            event["tags"] = json!([self.pick(&["api", "db"])]);
        }
        if self.chance(0.1) {
            event["seen_count"] = self.random.u32(..9).into();
            event["confidence"] = "low".into();
        }
        // Without chance, so that the other events stay what they are.
        match self.applications % 4 {
            0 => event["context"] = json!({"file": format!("src/{}.rs", self.applications)}),
            1 => event["citations"] = json!([format!("src/{}.rs:7", self.applications / 3), "lib/shared.rs:1"]),
            _ => {}
        }
        match self.random.u32(..12) {
            0 => event["no_learnings"] = true.into(),
            // A lesson without a summary is what was seen.
            1 => {
                event["what"] = event["summary"].take();
            }
            _ => {}
        }
        event
    }

    fn curation(&mut self) -> Value {
        let action = self.pick(&["promote", "retire", "reject", "restore", "restore", "annotate"]);
        json!({"kind": "curation", "action": action, "pattern_id": self.id(), "actor": "ann", "reason": "so it is"})
    }

    fn application(&mut self) -> Value {
        self.applications += 1;
        let status = self.pick(&["applied", "applied", "applied", "injected", "withheld"]);
        let mut event = json!({"kind": "application", "status": status, "id": format!("{}-a{}", self.prefix, self.applications)});
        if self.applications.is_multiple_of(3) {
            event["tool"] = "Bash".into();
        }
        // What was seen of the agent, without chance too.
        match self.applications % 5 {
            0 => event["acted"] = false.into(),
            1 | 2 => {
                event["acted"] = true.into();
                event["touched_relevance"] =
                    [json!(0), json!(0.099_999), json!(0.1), json!(0.75)][self.applications / 5 % 4].clone();
            }
            _ => {}
        }
        if !self.applications.is_multiple_of(4) {
            event["agent"] = ["impl", "plan"][self.applications % 2].into();
        }
        self.name_turn(&mut event, 0.9);
        self.name_pattern(&mut event, false);
        event
    }

    fn relevance(&mut self) -> Value {
        let scores = [json!(0), json!(0.25), json!(0.5), json!(1), json!(0.333_333_3), json!(self.random.f64())];
        let score = scores[self.random.usize(..scores.len())].clone();
        let mut event = json!({"kind": "relevance", "score": score, "method": "context_tags"});
        self.name_level(&mut event);
        self.name_pattern(&mut event, true);
        event
    }

    fn goal(&mut self) -> Value {
        let mut event = json!({"kind": "goal", "goal": "reduce-failures", "success": self.random.bool()});
        self.name_level(&mut event);
        if self.applications % 5 == 2 {
            event["measured"] = false.into();
        }
        event
    }

    fn citation(&mut self) -> Value {
        let mut event = json!({"kind": "citation", "verified": self.chance(0.6)});
        self.name_level(&mut event);
        self.name_pattern(&mut event, true);
        if self.chance(0.8) {
            event["path"] = self.pick(&["a.rs", "b.rs"]).into();
        }
        if self.chance(0.5) {
            event["cited_line"] = self.random.u32(1..3).into();
        }
        match self.applications % 3 {
            0 => event["agent"] = "impl".into(),
            1 => event["agent"] = "plan".into(),
            _ => {}
        }
        event
    }
}
