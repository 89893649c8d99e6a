//! The laws for roles: what is published follows from the log, whatever file a line stood in, whenever it landed and however often
//! the cycle runs.

use agent::published::load_role_scores;
use batch::retention::{Moment, prune_lake};
use cli::sample;
use cli::sample::{Mix, Recipe};
use engine::Horizon;
use fastrand::Rng;
use learn::role::RoleScore;
use serde_json::{Value, json};
use setting::Compat;
use store::deadline::Deadline;

use super::{time, with};
use crate::law::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};

/// Sayings of which none is like another, two ways of saying the same, and one that is alike.
pub const SAYINGS: [&str; 6] = [
    "Validate webhook signature before parsing body",
    "Missing null check on user session in login handler",
    "Unbounded retries hide upstream timeouts because errors are swallowed",
    "[rule] Never trust the config loader on missing keys",
    "[rule] Always validate webhook signature before parsing the body",
    "login handler lacks a null check for the user session",
];
const ROLES: [&str; 3] = ["judge", "sentinel", "auditor"];

/// The days over which events are spread.
const DAYS: f64 = 60.0;

/// Makes events of projects up. The same seed makes the same ones, no two of them at one instant.
pub struct World<'w> {
    pub random: Rng,
    pub projects: &'w [&'w str],
    /// How many of the sayings are used.
    pub sayings: usize,
}

impl World<'_> {
    pub fn events(&mut self, count: usize) -> Vec<Value> {
        let mut said: Vec<String> = Vec::new();
        (0..count).map(|number| self.event(number, &mut said)).collect()
    }

    fn event(&mut self, number: usize, said: &mut Vec<String>) -> Value {
        let id = format!("e{number}");
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let on = self.random.f64() * DAYS + number as f64 * 1e-9;
        let (role, run, project) = (self.pick(&ROLES), self.pick(&["r1", "r2", "r3"]), self.pick(self.projects));
        let event = json!({"id": id, "ts": time(on), "project": project, "run_id": run});
        let event = if self.random.bool() { with(event, &json!({"iteration": self.random.u32(1..3)})) } else { event };
        let more = match self.random.u32(..10) {
            0..4 => {
                said.push(id);
                self.deliberation(role)
            }
            4..7 => self.verdict(role, said),
            7..9 => {
                json!({"kind": "application", "role": role, "pattern_id": self.id(), "status": self.pick(&["injected", "applied", "withheld"])})
            }
            _ if self.random.bool() => json!({"kind": "aftermath", "passed": self.random.bool()}),
            _ => {
                let action = self.pick(&["promote", "retire", "restore", "clear"]);
                json!({"kind": "curation", "action": action, "pattern_id": self.id(), "actor": "ann", "value": {"force": self.random.bool()}})
            }
        };
        with(event, &more)
    }

    fn deliberation(&mut self, role: &str) -> Value {
        let sayings = self.some_sayings();
        let (level, issue, file) = (self.random.u32(1..4), self.random.u32(1..4), self.pick(&["src/a.rs", "src/b.rs"]));
        json!({"kind": "deliberation", "role": role, "text": "t", "patterns": sayings, "evidence_level": level, "issue": issue,
            "files": [file], "labels": [self.pick(&["auth", "jkz:auto", "db"])], "verdict": self.pick(&["PASS", "FAIL"])})
    }

    fn verdict(&mut self, role: &str, said: &[String]) -> Value {
        let rejected = self.some_sayings();
        let verdict = json!({"kind": "verdict", "role": "inspector", "adversarial_role": role, "verdict": self.pick(&["PASS", "PASS", "FAIL"]),
            "must_fix": ["J1"], "rejected": rejected, "evidence_level": self.random.u32(1..4)});
        match said {
            [] => verdict,
            _ if self.random.bool() => verdict,
            said => with(verdict, &json!({"deliberation_id": said[self.random.usize(..said.len())]})),
        }
    }

    fn some_sayings(&mut self) -> Vec<&'static str> {
        (0..self.random.usize(..3)).map(|_| SAYINGS[self.random.usize(..self.sayings)]).collect()
    }

    fn id(&mut self) -> String {
        format!("D-{:03}", self.random.u32(1..20))
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.random.usize(..items.len())]
    }
}

fn events(seed: u64, count: usize) -> Vec<Value> {
    World { random: Rng::with_seed(seed), projects: &["web", "api"], sayings: SAYINGS.len() }.events(count)
}

fn micros(on: f64) -> i64 {
    time(on).parse::<jiff::Timestamp>().expect("a time").as_microsecond()
}

/// The published patterns of roles.
pub fn patterns(lab: &Lab, horizon: Horizon) -> Vec<RoleScore> {
    load_role_scores(&lab.cycle(horizon).published.generation).expect("the patterns")
}

/// Patterns must be the same; only the first that differs is shown.
#[track_caller]
pub fn assert_alike(wanted: &[RoleScore], found: &[RoleScore], seed: u64) {
    let differing = wanted.iter().zip(found).find(|(wanted, found)| wanted != found);
    assert_eq!((differing, wanted.len()), (None, found.len()), "seed {seed}");
}

#[test]
fn cycles_along_the_way_change_no_byte() {
    let events = events(1, 60);
    let once = Lab::of(Compat::None, &events);
    let often = Lab::new(Compat::None);
    for (number, event) in events.iter().enumerate() {
        often.land(INBOX, &lines(std::slice::from_ref(event)));
        often.compact(LARGE);
        if number % 8 == 7 {
            often.rewrite();
        }
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        often.cycle(as_of(micros(number as f64)));
    }
    for on in [DAYS + 1.0, DAYS / 2.0, 200.0] {
        assert_same(&once.publish(as_of(micros(on))), &often.publish(as_of(micros(on))), &format!("day {on}"));
    }
    assert!(
        patterns(&once, as_of(micros(DAYS))).iter().any(|score| score.reinforced > 0 && score.ignored > 0),
        "hardly anything happened"
    );
}

#[test]
fn only_deliberations_must_land_in_order() {
    for seed in 10..16 {
        let mut random = Rng::with_seed(seed);
        let events = events(seed, 120);
        let wanted = patterns(&Lab::of(Compat::None, &events), as_of(micros(DAYS)));
        let mut others: Vec<&Value> = events.iter().filter(|event| event["kind"] != "deliberation").collect();
        random.shuffle(&mut others);
        let apart = Lab::new(Compat::None);
        for event in events.iter().filter(|event| event["kind"] == "deliberation").chain(others) {
            let file = if event["kind"] == "deliberation" { "z.jsonl" } else { ["a.jsonl", "b.jsonl"][random.usize(..2)] };
            apart.land(file, &lines(std::slice::from_ref(event)));
            if random.u32(..40) == 0 {
                apart.compact(4096);
            }
        }
        apart.compact(LARGE);
        assert_alike(&wanted, &patterns(&apart, as_of(micros(DAYS))), seed);
    }
}

#[test]
fn in_whatever_order_texts_land_only_their_ids_differ() {
    for seed in 20..23 {
        let mut random = Rng::with_seed(seed);
        // Of sayings that are alike the first one to land is the pattern, and ids say nothing once they are given anew.
        let mut world = World { random: Rng::with_seed(seed), projects: &["web", "api"], sayings: 4 };
        let has_id = |event: &Value| event.get("pattern_id").is_some();
        let mut events: Vec<Value> = world.events(150).into_iter().filter(|event| !has_id(event)).collect();
        let nameless = |lab: &Lab| {
            let mut scores = patterns(lab, as_of(micros(DAYS)));
            for score in &mut scores {
                score.id.clear();
            }
            scores.sort_by(|one, other| (&one.project, &one.role, &one.text).cmp(&(&other.project, &other.role, &other.text)));
            scores
        };
        // Of patterns that are worth the same the first one is reinforced: no two are said in one text.
        for event in events.iter_mut().filter(|event| event["kind"] == "deliberation") {
            event["patterns"].as_array_mut().expect("a list").truncate(1);
        }
        let wanted = nameless(&Lab::of(Compat::None, &events));
        random.shuffle(&mut events);
        assert_alike(&wanted, &nameless(&Lab::of(Compat::None, &events)), seed);
    }
}

#[test]
fn what_is_delivered_again_counts_once() {
    let mut random = Rng::with_seed(30);
    let mut events = events(30, 120);
    let lab = Lab::of(Compat::None, &events);
    let instants = [as_of(micros(DAYS)), as_of(micros(DAYS / 2.0))];
    let wanted = instants.map(|instant| lab.publish(instant));
    lab.land(INBOX, &lines(&events));
    random.shuffle(&mut events);
    lab.land("b.jsonl", &lines(&events));
    lab.compact(4096);
    for (wanted, instant) in wanted.iter().zip(instants) {
        assert_same(wanted, &lab.publish(instant), "delivered again");
    }
}

#[test]
fn a_past_state_can_be_had_again() {
    let later = |seed| -> Vec<Value> {
        let moved = events(seed, 100).into_iter().map(|event| {
            let on = event["ts"].as_str().expect("a time").parse::<jiff::Timestamp>().expect("a time").as_microsecond();
            let ts = jiff::Timestamp::from_microsecond(on + micros(DAYS + 1.0) - micros(0.0)).expect("a time").to_string();
            with(event.clone(), &json!({"ts": ts, "id": format!("later {}", event["id"])}))
        });
        moved.collect()
    };
    let lab = Lab::of(Compat::None, &events(40, 120));
    let end = as_of(micros(DAYS + 0.5));
    let wanted = lab.publish(end);
    let then = Horizon { as_of_micros: micros(DAYS / 2.0), through: lab.landed() };
    let known = lab.publish(then);
    lab.land(INBOX, &lines(&later(41)));
    lab.compact(LARGE);
    assert_same(&wanted, &lab.publish(end), "what happened later");
    // What lands late changes the past, but not what was known of it then.
    let late: Vec<Value> =
        events(42, 100).into_iter().map(|event| with(event.clone(), &json!({"id": format!("late {}", event["id"])}))).collect();
    lab.land(INBOX, &lines(&late));
    lab.compact(LARGE);
    assert_same(&known, &lab.publish(then), "what landed later");
    assert_ne!(known, lab.publish(as_of(then.as_of_micros)), "nothing landed late");
}

#[test]
fn pruning_changes_nothing_of_what_roles_have_learned() {
    for seed in 60..63 {
        let events = events(seed, 200);
        let (whole, mut pruned) = (Lab::of(Compat::None, &events), Lab::of(Compat::None, &events));
        let end = as_of(micros(DAYS + 0.5));
        let wanted = whole.publish(end);
        for days in [40, 20] {
            pruned.settings.retention.lake_days = days;
            let now = jiff::Timestamp::from_microsecond(end.as_of_micros).expect("a time");
            let moment = Moment { now, deadline: Deadline::NEVER, is_dry: false };
            let gone = prune_lake(&pruned.workspace, &pruned.settings, moment, &mut |work| work()).expect("pruned");
            assert!(gone.events > 5, "hardly anything was pruned: {gone:?}");
            assert_same(&wanted, &pruned.publish(end), &format!("seed {seed}, {days} days kept"));
        }
    }
}

#[test]
fn made_up_roles_are_shown_what_they_have_learned() {
    let recipe = Recipe {
        seed: 7,
        lines: 4000,
        start_seconds: 1_740_787_200,
        step_millis: 600_000,
        patterns: 200,
        agents: 1,
        adapters: None,
        mix: Mix::Roles,
        late: 0.0,
        duplicate: 0.02,
        bad: 0.0,
    };
    let (mut bytes, mut again) = (Vec::new(), Vec::new());
    let made = sample::write(&recipe, &mut bytes).expect("memory takes it");
    sample::write(&recipe, &mut again).expect("memory takes it");
    assert!(made.duplicates > 0 && bytes == again, "the same seed makes the same bytes");
    let lab = Lab::new(Compat::None);
    lab.land(INBOX, &bytes);
    lab.compact(LARGE);
    let known = patterns(&lab, as_of(micros(100.0)));
    assert_eq!(known.len(), 200, "no two of them are one");
    let events = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut shown = 0;
    for event in
        events.map(|line| serde_json::from_slice::<Value>(line).expect("JSON")).filter(|event| event["kind"] == "application")
    {
        let pattern = known.iter().find(|known| event["pattern_id"] == known.id).expect("a pattern");
        assert_eq!((&event["project"], &event["role"]), (&json!(pattern.project), &json!(pattern.role)), "{event}");
        shown += 1;
    }
    assert!(shown > 1000 && known.iter().any(|known| known.is_trusted) && known.iter().any(|known| known.ignored > 0));
}
