//! Made-up events with fixed times. They depend on nothing but this file, so no change of the program can move them.

use serde_json::{Value, json};

/// The first day of every story, 2025-03-01: long ago, so that it has passed wherever the tests run.
pub const FIRST_DAY: u64 = 20_148;

const MINUTES: u64 = 24 * 60;
const MONTHS: [(u64, u64); 4] = [(3, 31), (4, 30), (5, 31), (6, 30)];

const LESSONS: [&str; 12] = [
    "Always check token expiry before API calls",
    "Check for None before dict access",
    "Prefer named exports over default exports",
    "Retry API calls with backoff and jitter",
    "Await every promise that is made",
    "Close files before they are renamed",
    "Run the whole build after every merge",
    "Run the whole build before every merge",
    "Never swallow an error in a retry loop",
    "Pin the version of every tool in continuous integration",
    "Write a migration for each change of the schema",
    "Quote paths that hold blanks in shell scripts",
];
const SAYINGS: [&str; 8] = [
    "Validate webhook signature before parsing body",
    "Missing null check on user session in login handler",
    "Unbounded retries hide upstream timeouts because errors are swallowed",
    "[rule] Never trust the config loader on missing keys",
    "[rule] Always validate webhook signature before parsing the body",
    "login handler lacks a null check for the user session",
    "Fixtures must not share a database",
    "Tests that sleep lead to flaky builds on slow machines",
];
const SIGHTINGS: [&str; 7] = [
    "Use Postgres for orders",
    "use postgres, for orders!",
    "Run the linter, then the tests, then push",
    "Never amend a commit that was pushed",
    "Debugging a hook that does nothing",
    "Results over exceptions",
    "Ship | it \"twice\" <!-- a week -->",
];
const FILES: [&str; 6] =
    ["src/auth/login.ts", "src/api/routes.py", "src/store/state.rs", "tests/test_billing.py", "docs/setup.md", "config/app.yaml"];

/// A minute of a story, counted from its first.
pub fn time(minute: u64) -> String {
    let (mut day, rest) = (minute / MINUTES, minute % MINUTES);
    for (month, days) in MONTHS {
        if day < days {
            return format!("2025-{month:02}-{:02}T{:02}:{:02}:00Z", day + 1, rest / 60, rest % 60);
        }
        day -= days;
    }
    panic!("the story has no day of minute {minute}")
}

/// The start of a day of a story.
pub fn day(number: u64) -> String {
    time(number * MINUTES)
}

/// The item whose turn it is.
pub fn turn<'t>(items: &[&'t str], number: u64) -> &'t str {
    items[usize::try_from(number % items.len() as u64).expect("a small number")]
}

/// Events as lines.
pub fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect::<Vec<_>>().concat()
}

/// Numbers that look like chance, from a seed, by `SplitMix64`.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, hundredths: u64) -> bool {
        self.below(100) < hundredths
    }

    pub fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        turn(items, self.below(items.len() as u64))
    }

    /// A number from 0 to 1 with two decimals.
    pub fn part(&mut self) -> f64 {
        f64::from(u32::try_from(self.below(101)).expect("a small number")) / 100.0
    }
}

/// A story: one event after the other, of up to so many days.
pub struct Story {
    pub dice: Dice,
    prefix: &'static str,
    days: u64,
    told: Vec<Value>,
    texts: Vec<String>,
}

impl Story {
    pub fn new(prefix: &'static str, seed: u64, days: u64) -> Self {
        Self { dice: Dice(seed), prefix, days, told: Vec::new(), texts: LESSONS.map(str::to_owned).to_vec() }
    }

    /// The same story about other lessons.
    pub fn about(mut self, texts: &[&str]) -> Self {
        self.texts = texts.iter().map(|text| (*text).to_owned()).collect();
        self
    }

    pub fn told(self) -> Vec<Value> {
        self.told
    }

    /// Lands an event of any minute of the story.
    pub fn tell(&mut self, event: Value) {
        let minute = self.dice.below(self.days * MINUTES);
        let project = self.dice.pick(&["shop", "shop", "bank", "lab"]);
        self.tell_at(minute, project, event);
    }

    pub fn tell_at(&mut self, minute: u64, project: &str, mut event: Value) {
        event["id"] = format!("{}-{}", self.prefix, self.told.len()).into();
        event["ts"] = time(minute).into();
        event["project"] = project.into();
        self.told.push(event);
    }

    fn text(&mut self) -> String {
        let place = self.dice.below(self.texts.len() as u64);
        self.texts[usize::try_from(place).expect("a small number")].clone()
    }

    /// A lesson's text, as it is or as agents remember it.
    fn quote(&mut self) -> String {
        let text = self.text();
        match self.dice.below(10) {
            0 => text.to_uppercase(),
            1 => text.split(' ').rev().collect::<Vec<_>>().join(" "),
            2 => text.split(' ').take(3).collect::<Vec<_>>().join(" "),
            3 => format!("  {text} as ever"),
            4 => self.dice.pick(&["build", "Run the whole build", "something else entirely", "Check"]).to_owned(),
            5 => self.pattern_id("P"),
            _ => text,
        }
    }

    fn pattern_id(&mut self, letter: &str) -> String {
        format!("{letter}-{:03}", self.dice.below(14) + 1)
    }

    /// Names the pattern by id, by text, or by both; and the run, mostly with its iteration.
    fn name(&mut self, event: &mut Value) {
        event["run_id"] = format!("run-{}", self.dice.below(6)).into();
        if self.dice.chance(85) {
            event["iteration"] = self.dice.below(6).into();
        }
        let way = self.dice.below(20);
        if way < 9 {
            event["pattern_id"] = self.pattern_id("P").into();
        }
        if way >= 7 {
            event["trigger"] = self.quote().into();
        }
    }

    /// Lessons, what became of them, and what was found out about that.
    pub fn tell_of_lessons(&mut self, count: usize) {
        for _ in 0..count {
            let event = match self.dice.below(100) {
                0..12 => self.lesson(),
                12..52 => self.application(),
                52..64 => {
                    let score = [json!(0), json!(1), json!(0.333_333_3), json!(self.dice.part())][self.told.len() % 4].clone();
                    self.finding(json!({"kind": "relevance", "score": score, "method": "context_tags"}))
                }
                64..76 => {
                    let (goal, success, score) =
                        (self.dice.pick(&["reduce-failures", "ship"]), self.dice.chance(60), self.dice.part());
                    self.finding(json!({"kind": "goal", "goal": goal, "success": success, "score": score}))
                }
                76..88 => {
                    let (path, line, verified) = (self.dice.pick(&FILES), self.dice.below(9) + 1, self.dice.chance(70));
                    self.finding(json!({"kind": "citation", "path": path, "cited_line": line, "verified": verified}))
                }
                88..93 => {
                    let agent = self.dice.pick(&["implementation-subagent", "build-validator"]);
                    let (run, iteration) = (format!("run-{}", self.dice.below(6)), self.dice.below(6));
                    json!({"kind": "build", "run_id": run, "iteration": iteration, "agent": agent, "passed": self.dice.chance(50)})
                }
                93..97 => self.timing(),
                _ => {
                    let files = [self.dice.pick(&FILES), self.dice.pick(&FILES)];
                    json!({"kind": "change", "run_id": "run-1", "iteration": self.dice.below(6), "files": files, "added_lines": self.dice.below(90)})
                }
            };
            self.tell(event);
        }
    }

    fn lesson(&mut self) -> Value {
        let text = self.text();
        let mut event =
            json!({"kind": "learning", "agent": self.dice.pick(&["planner", "builder"]), "what": "it broke", "why": "haste"});
        event["summary"] = if self.dice.chance(20) { format!("{text} always").into() } else { text.into() };
        event["category"] = self.dice.pick(&["mistake", "pattern", "convention", "insight", "Rule", "miracle"]).into();
        if self.dice.chance(20) {
            event["pattern_id"] = self.pattern_id("P").into();
        }
        if self.dice.chance(20) {
            event["trigger"] = self.dice.pick(&["at the start", "at the end", "whole build"]).into();
        }
        if self.dice.chance(30) {
            event["repo"] = self.dice.pick(&["*", "shop", "bank"]).into();
            event["applies_to"] = json!([self.dice.pick(&["planner", "builder", "*"])]);
            event["tags"] = json!([self.dice.pick(&["api", "db", "test"])]);
        }
        match self.dice.below(12) {
            0 => event["no_learnings"] = true.into(),
            1 => event["context"] = json!({"file": self.dice.pick(&FILES)}),
            2 => event["citations"] = json!([format!("{}:7", self.dice.pick(&FILES)), "lib/shared.rs:1"]),
            3 => event["pending"] = true.into(),
            4 => {
                event["seen_count"] = self.dice.below(9).into();
                event["success_rate"] = self.dice.part().into();
            }
            _ => {}
        }
        event
    }

    fn application(&mut self) -> Value {
        let status = self.dice.pick(&["applied", "applied", "applied", "injected", "injected", "withheld"]);
        let agent = self.dice.pick(&["planner", "builder", "implementation-subagent"]);
        let mut event = json!({"kind": "application", "status": status, "agent": agent});
        if self.dice.chance(15) {
            event["tool"] = "Bash".into();
        }
        self.name(&mut event);
        event
    }

    /// Something that was found out about an application, an iteration or a run.
    fn finding(&mut self, mut event: Value) -> Value {
        self.name(&mut event);
        if self.dice.chance(40) {
            event["application_id"] = format!("{}-{}", self.prefix, self.dice.below(self.told.len() as u64 + 1)).into();
        }
        event
    }

    fn timing(&mut self) -> Value {
        let step = self.dice.below(4);
        json!({"kind": "timing", "run_id": format!("run-{}", self.dice.below(6)), "iteration": self.dice.below(3), "event": "pipeline_step",
            "step": step, "step_name": format!("step {step}"), "seconds": self.dice.part() * 90.0, "exit_code": self.dice.below(2)})
    }

    /// What people and classifiers decide about lessons.
    pub fn tell_of_decisions(&mut self, count: usize) {
        let pending: Vec<Value> = self.told.iter().filter(|event| event["pending"] == true).cloned().collect();
        for (number, lesson) in pending.iter().enumerate().skip(1) {
            let status = ["approved", "reworded", "rejected"][number % 3];
            let summary = lesson["summary"].as_str().expect("a text");
            self.tell(json!({"kind": "classification", "learning_id": lesson["id"], "status": status, "classifier": "rules",
                "summary": format!("{summary}, in other words"), "original_summary": summary, "category": "convention", "reason": "so be it"}));
        }
        for _ in 0..count {
            let action = self.dice.pick(&["promote", "retire", "reject", "restore", "annotate"]);
            let (pattern, actor) = (self.pattern_id("P"), self.dice.pick(&["ann", "bob"]));
            self.tell(json!({"kind": "curation", "action": action, "pattern_id": pattern, "actor": actor, "reason": "so it is"}));
        }
    }

    /// What roles say, what validators say of it, what is shown and how the work turns out.
    pub fn tell_of_roles(&mut self, count: usize) {
        let mut said: Vec<String> = Vec::new();
        for _ in 0..count {
            let role = self.dice.pick(&["judge", "sentinel", "auditor"]);
            let mut event = match self.dice.below(20) {
                0..8 => {
                    said.push(format!("{}-{}", self.prefix, self.told.len()));
                    self.deliberation(role)
                }
                8..13 => {
                    let mut verdict = self.verdict(role);
                    if self.dice.chance(60) && !said.is_empty() {
                        let place = self.dice.below(said.len() as u64);
                        verdict["deliberation_id"] = said[usize::try_from(place).expect("a small number")].clone().into();
                    }
                    verdict
                }
                13..17 => {
                    let status = self.dice.pick(&["injected", "injected", "applied", "withheld"]);
                    json!({"kind": "application", "role": role, "pattern_id": self.pattern_id("D"), "status": status})
                }
                17 | 18 => json!({"kind": "aftermath", "passed": self.dice.chance(60), "reason": "seen in use"}),
                _ => {
                    let action = self.dice.pick(&["promote", "promote", "retire", "restore", "clear"]);
                    json!({"kind": "curation", "action": action, "pattern_id": self.pattern_id("D"), "actor": "ann",
                        "reason": "our rule", "value": {"force": self.dice.chance(50)}})
                }
            };
            event["run_id"] = format!("work-{}", self.dice.below(12)).into();
            if self.dice.chance(50) {
                event["iteration"] = (self.dice.below(3) + 1).into();
            }
            self.tell(event);
        }
    }

    fn sayings(&mut self) -> Vec<&'static str> {
        (0..self.dice.below(3)).map(|_| self.dice.pick(&SAYINGS)).collect()
    }

    fn deliberation(&mut self, role: &str) -> Value {
        let file = self.dice.pick(&FILES);
        let sayings = self.sayings();
        let mut event = json!({"kind": "deliberation", "role": role, "phase": self.dice.pick(&["plan", "review"]), "issue": self.dice.below(9) + 1,
            "files": [file], "labels": [self.dice.pick(&["auth", "jkz:auto", "db"])]});
        if self.dice.chance(50) {
            let items = sayings.iter().map(|saying| format!("- {saying}\n")).collect::<Vec<_>>().concat();
            let verdict = self.dice.pick(&["PASS", "FAIL"]);
            event["text"] = format!(
                "The body is read first, `{file}:42`:\n\n```console\n$ cargo test\ntest result: ok. 12 passed\n```\n\n\
                 ## Accumulated Patterns\n\n{items}\n<!-- jkz:verdict-json {{\"verdict\": \"{verdict}\", \"must_fix\": [\"J1\"]}} -->\n"
            )
            .into();
        } else {
            event["text"] = "words".into();
            event["patterns"] = sayings.into();
            event["evidence_level"] = (self.dice.below(3) + 1).into();
            event["verdict"] = self.dice.pick(&["PASS", "FAIL"]).into();
        }
        event
    }

    fn verdict(&mut self, role: &str) -> Value {
        let validator = self.dice.pick(&["inspector", "lens", "curator"]);
        let rejected = self.sayings();
        json!({"kind": "verdict", "role": validator, "adversarial_role": role, "verdict": self.dice.pick(&["PASS", "PASS", "FAIL"]),
            "must_fix": ["J1"], "rejected": rejected, "files": [self.dice.pick(&FILES)], "evidence_level": self.dice.below(3) + 1})
    }

    /// What recurs in transcripts, what it became, and what people decided about it.
    pub fn tell_of_observations(&mut self, count: usize) {
        const IDS: [&str; 4] = ["obs_aaaaaa", "obs_bbbbbb", "obs_cccccc", "obs_dddddd"];
        let kinds = ["workflow", "procedural", "decision", "pitfall"];
        for _ in 0..count {
            let event = match self.dice.below(20) {
                0..13 => {
                    let (kind, pattern) = (self.dice.pick(&kinds), self.dice.pick(&SIGHTINGS));
                    let session = format!("s-{}", self.dice.below(40));
                    let mut event = json!({"kind": "observation", "type": kind, "pattern": pattern, "session": session,
                        "evidence": [format!("quoted in {session}")], "quality_ok": self.dice.chance(80)});
                    event["details"] = format!("context: orders; decision: {}; rationale: acid", self.dice.pick(&FILES)).into();
                    if self.dice.chance(25) {
                        event["observation_id"] = self.dice.pick(&IDS).into();
                    }
                    event
                }
                13..18 => {
                    let actions = ["rendered", "adopted", "edited", "deleted", "stale", "fresh", "blocked", "cited", "used"];
                    json!({"kind": "artifact", "action": self.dice.pick(&actions), "observation_id": self.dice.pick(&IDS),
                        "path": ".memory/knowledge/decisions.md", "anchor": format!("ADR-{:03}", self.dice.below(3) + 1)})
                }
                18 if self.dice.chance(5) => {
                    json!({"kind": "curation", "action": "clear", "pattern_id": "obs:all", "actor": "ann"})
                }
                _ => {
                    let action = self.dice.pick(&["promote", "retire", "reject", "restore", "clear", "annotate"]);
                    json!({"kind": "curation", "action": action, "pattern_id": self.dice.pick(&IDS), "actor": "ann", "reason": "looked at it"})
                }
            };
            self.tell(event);
        }
    }

    /// Finished runs, one every few minutes.
    pub fn tell_of_runs(&mut self, count: u64) {
        for number in 0..count {
            let event = self.run(number);
            self.tell_at(number * 37, "shop", event);
        }
    }

    fn run(&mut self, number: u64) -> Value {
        let result = self.dice.pick(&["success", "success", "success", "success", "partial", "failure"]);
        let mut event = json!({"kind": "run", "run_id": format!("{}-run-{number}", self.prefix), "result": result, "retries": self.dice.below(5),
            "quality": self.dice.part(), "rollback": self.dice.chance(8), "human_override": self.dice.chance(8),
            "tokens": self.dice.below(90_000), "duration_ms": self.dice.below(900_000)});
        if self.dice.chance(85) {
            let (first, second) = (self.dice.below(7), self.dice.below(7));
            event["adapters"] =
                [first, second].iter().take(1 + usize::from(first != second)).map(|at| format!("Adapter-{at}")).collect();
        }
        if result != "success" {
            event["failure_type"] = self.dice.pick(&["timeout", "Auth", "auth", "approval-denied", "network", "quota"]).into();
        }
        if self.dice.chance(75) {
            event["risk"] = self.dice.pick(&["low", "medium", "high"]).into();
        }
        event["issues"] = if self.dice.chance(30) { json!(["an Unsafe shell command was refused"]) } else { json!([]) };
        event["skills"] = (0..self.dice.below(3)).map(|_| self.dice.pick(&["deploy", "lint", "database", "caching"])).collect();
        let agents = ["planner", "builder", "reviewer", "security", "stranger"];
        event["agent_decisions"] = agents.iter().filter(|_| self.dice.chance(50)).collect::<Vec<_>>().into_iter().map(|agent| {
            json!({"agent": agent, "decision": self.dice.pick(&["approve", "approve", "needs-review", "reject"]), "confidence": self.dice.part()})
        }).collect();
        event
    }
}
