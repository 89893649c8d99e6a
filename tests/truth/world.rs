//! Made-up work with logged coins.

use fastrand::Rng;
use learn::truth::Salt;
use serde_json::{Value, json};
use setting::Compat;

use crate::law::lab::{Files, Lab, as_of};
use crate::law::world::time_text;

/// 2026-04-01, in microseconds since 1970: half a year later still lies behind every clock.
pub const START: i64 = 1_775_001_600_000_000;
pub const DAY: i64 = 86_400_000_000;
pub const HOUR: i64 = DAY / 24;

/// Events, in the order in which they are told.
pub struct Story {
    pub events: Vec<Value>,
    pub random: Rng,
    pub salt: Salt,
}

impl Story {
    /// A story with so many lessons, P-001 and on, that share no word.
    pub fn of(lessons: usize, seed: u64) -> Self {
        let mut story = Self { events: Vec::new(), random: Rng::with_seed(seed), salt: Salt::new(format!("salt-{seed}")) };
        for number in 1..=lessons {
            story.tell(json!({"kind": "learning", "summary": format!("alpha{number} beta{number} gamma{number}")}), START - DAY);
        }
        story
    }

    pub fn tell(&mut self, mut event: Value, at: i64) {
        event["id"] = format!("e-{}", self.events.len()).into();
        event["ts"] = time_text(at).into();
        event["project"] = "shop".into();
        self.events.push(event);
    }

    /// Logs that a pattern's coin fell for a run.
    pub fn coin(&mut self, run: &str, pattern: usize, chance: f64, is_shown: bool, at: i64) {
        let status = if is_shown { "injected" } else { "withheld" };
        self.tell(
            json!({"kind": "application", "run_id": run, "pattern_id": format!("P-{pattern:03}"), "status": status,
                "propensity": chance, "session": "s"}),
            at,
        );
    }

    /// Tosses a pattern's coin for a run and logs it. Gives how it fell.
    pub fn toss(&mut self, run: &str, pattern: usize, chance: f64, at: i64) -> bool {
        let is_shown = self.salt.toss(run, &format!("P-{pattern:03}"), chance).is_shown;
        self.coin(run, pattern, chance, is_shown, at);
        is_shown
    }

    /// Tosses the loop's coin for a run and logs it. Gives how it fell.
    pub fn toss_loop(&mut self, run: &str, chance: f64, at: i64) -> bool {
        let is_on = self.salt.toss(run, Salt::LOOP, chance).is_shown;
        let arm = if is_on { "on" } else { "off" };
        self.tell(json!({"kind": "assignment", "run_id": run, "arm": arm, "propensity": chance}), at);
        is_on
    }

    pub fn goal(&mut self, run: &str, success: bool, at: i64) {
        self.tell(json!({"kind": "goal", "run_id": run, "goal": "tests", "success": success}), at);
    }

    /// Whether something of this chance happens.
    pub fn chance(&mut self, chance: f64) -> bool {
        self.random.f64() < chance
    }

    pub fn lab(&self) -> Lab {
        Lab::of(Compat::None, &self.events)
    }

    /// What is published some days after the start.
    pub fn published(&self, days: i64) -> Files {
        self.lab().publish(as_of(START + days * DAY))
    }
}

/// The verdicts of a generation.
pub fn truth(files: &Files) -> Value {
    serde_json::from_slice(files.get("truth.json").expect("verdicts")).expect("JSON")
}

/// The verdict on a pattern.
pub fn pattern(truth: &Value, number: usize) -> Value {
    let id = format!("P-{number:03}");
    let list = truth["patterns"].as_array().expect("a list");
    list.iter().find(|verdict| verdict["subject"] == *id).unwrap_or_else(|| panic!("nothing of {id}")).clone()
}
