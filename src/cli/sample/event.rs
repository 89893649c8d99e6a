//! One made-up line of each kind, and lines that cannot be taken.

use std::io::{self, Write as _};

use fastrand::Rng;

use super::role::{lesson, pick, story};
use event::Kind;

const ADAPTERS: [&str; 8] = ["terminal", "github", "filesystem", "browser", "postgres", "docker", "slack", "jira"];
const FAILURES: [&str; 6] = ["timeout", "auth", "network", "step-failed", "conflict", "quota"];
const SKILLS: [&str; 12] = [
    "api-design",
    "caching",
    "code-review",
    "database",
    "debugging",
    "deploy",
    "documentation",
    "lint",
    "migration",
    "profiling",
    "refactor",
    "testing",
];
const RISKS: [&str; 3] = ["low", "medium", "high"];
const DECIDERS: [&str; 4] = ["planner", "builder", "reviewer", "security"];
const DECISIONS: [&str; 4] = ["approve", "approve", "needs-review", "reject"];
const ISSUES: [&str; 5] = [
    "a test fails now and then",
    "unsafe shell command was refused",
    "the migration took too long",
    "a command ended with code 1",
    "the review asked for smaller steps",
];
const FILES: [&str; 10] = [
    "src/auth/login.ts",
    "src/api/routes.py",
    "src/store/state.rs",
    "tests/test_billing.py",
    "src/components/Button.tsx",
    "config/app.yaml",
    "src/models/user.rs",
    "docs/setup.md",
    "src/utils/retry.go",
    "src/services/mail.ts",
];
const CATEGORIES: [&str; 4] = ["mistake", "pattern", "convention", "insight"];
pub(super) const ROLES: [&str; 6] = ["auditor", "judge", "sentinel", "curator", "inspector", "lens"];
const LABELS: [&str; 5] = ["backend", "frontend", "security", "performance", "docs"];
pub(super) const PROJECTS: [&str; 4] = ["shop", "billing", "search", "mobile"];
const KINDS: [&str; 4] = ["workflow", "procedural", "decision", "pitfall"];

/// How many events a run has.
const RUN_EVENTS: u64 = 120;

/// How many events an iteration has.
const ITERATION_EVENTS: u64 = 10;

/// How often agents take up a lesson that they are shown: some help, some do not.
const UPTAKE: [f64; 7] = [0.95, 0.75, 0.5, 0.85, 0.25, 0.65, 0.9];

/// How often each kind occurs in a thousand events.
const WEIGHTS: [(Kind, u32); 11] = [
    (Kind::Application, 600),
    (Kind::Relevance, 120),
    (Kind::Goal, 60),
    (Kind::Build, 50),
    (Kind::Citation, 60),
    (Kind::Run, 55),
    (Kind::Learning, 20),
    (Kind::Observation, 15),
    (Kind::Deliberation, 12),
    (Kind::VerdictGiven, 6),
    (Kind::Curation, 2),
];

/// Which kinds of events are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// All kinds, as a busy team's agents produce them.
    All,
    Only(Kind),
    /// What roles are shown and say, and what becomes of it.
    Roles,
}

/// Who and what occurs in the events.
pub(super) struct Cast {
    lessons: Vec<String>,
    /// The cumulated weights of the lessons: the n-th is used 1/n as often as the first.
    reach: Vec<f64>,
    agents: Vec<String>,
    adapters: Vec<String>,
}

impl Cast {
    /// Makes up lessons, agents and adapters.
    pub(super) fn new(patterns: usize, agents: usize, adapters: Option<usize>, random: &mut Rng) -> Self {
        let lessons = (1..=patterns.max(1)).map(|number| lesson(number, random)).collect::<Vec<_>>();
        let mut sum = 0.0;
        let reach = (1..=lessons.len()).map(|rank| {
            #[expect(clippy::cast_precision_loss, reason = "a rank is far below 2^52")]
            let weight = 1.0 / rank as f64;
            sum += weight;
            sum
        });
        let reach = reach.collect();
        let agents = (1..=agents.max(1)).map(|number| format!("agent-{number:03}")).collect();
        let adapters = match adapters {
            None => ADAPTERS.map(str::to_owned).to_vec(),
            Some(count) => (1..=count.max(1)).map(|number| format!("adapter-{number:02}")).collect(),
        };
        Self { lessons, reach, agents, adapters }
    }

    /// A lesson and its number, some far more often than others.
    fn lesson(&self, random: &mut Rng) -> (usize, &str) {
        let at = random.f64() * self.reach.last().copied().unwrap_or(0.0);
        let index = self.reach.partition_point(|&reach| reach < at).min(self.lessons.len() - 1);
        (index + 1, &self.lessons[index])
    }

    fn agent(&self, random: &mut Rng) -> &str {
        &self.agents[random.usize(..self.agents.len())]
    }

    fn adapter(&self, random: &mut Rng) -> &str {
        &self.adapters[random.usize(..self.adapters.len())]
    }
}

/// Writes one event, without its line end.
pub(super) fn write_event(out: &mut Vec<u8>, mix: Mix, cast: &Cast, number: u64, millis: u64, random: &mut Rng) -> io::Result<()> {
    let kind = match mix {
        Mix::Only(kind) => kind,
        Mix::All | Mix::Roles => choose_kind(random),
    };
    // A run has about a hundred events: its iterations, its agents and what is said of them.
    let run = number / RUN_EVENTS;
    let project = PROJECTS[usize::try_from(run).unwrap_or_default() % PROJECTS.len()];
    let id = random.u64(..);
    write!(out, r#"{{"kind":"{}","ts":"{}","project":"{project}","id":"{id:016x}-{number}""#, kind.name(), time(millis))?;
    match kind {
        Kind::Run => write!(out, r#","run_id":"run-{number:08}""#)?,
        Kind::Gate => write!(out, r#","run_id":"run-{run:08}""#)?,
        Kind::Learning
        | Kind::Classification
        | Kind::Observation
        | Kind::Artifact
        | Kind::Curation
        | Kind::Summary
        | Kind::Embedding => {}
        _ => write!(out, r#","run_id":"run-{run:08}","iteration":{}"#, number % RUN_EVENTS / ITERATION_EVENTS + 1)?,
    }
    write_body(out, kind, cast, random)?;
    out.push(b'}');
    Ok(())
}

fn choose_kind(random: &mut Rng) -> Kind {
    let all: u32 = WEIGHTS.iter().map(|(_, weight)| weight).sum();
    let mut at = random.u32(..all);
    for (kind, weight) in WEIGHTS {
        if at < weight {
            return kind;
        }
        at -= weight;
    }
    Kind::Application
}

#[expect(clippy::too_many_lines, reason = "one arm for each kind")]
fn write_body(out: &mut Vec<u8>, kind: Kind, cast: &Cast, random: &mut Rng) -> io::Result<()> {
    let agent = cast.agent(random);
    let (number, lesson) = cast.lesson(random);
    let place = format!("{}:{}", pick(&FILES, random), random.u32(1..400));
    match kind {
        Kind::Application => {
            let status = if random.f64() < UPTAKE[number % UPTAKE.len()] { "applied" } else { "injected" };
            write!(out, r#","agent":"{agent}","trigger":"{lesson}","status":"{status}","citations":["{place}"]"#)?;
            if random.f64() < 0.5 { write!(out, r#","pattern_id":"P-{number:03}""#) } else { Ok(()) }
        }
        Kind::Assignment => {
            let arm = if random.f64() < 0.9 { "on" } else { "off" };
            write!(out, r#","unit":"TASK-{}","arm":"{arm}","propensity":0.9,"salt_id":"{:016x}""#, random.u32(1..900), 7)
        }
        Kind::Touch => write!(out, r#","agent":"{agent}","tool":"Edit","path":"{}","lines":["1-9"]"#, pick(&FILES, random)),
        Kind::Relevance => write!(
            out,
            r#","pattern_id":"P-{number:03}","score":{},"method":"context_tags","matched_concepts":["api","test"]"#,
            hundredths(random)
        ),
        Kind::Goal => {
            let (success, score) = (random.bool(), hundredths(random));
            write!(
                out,
                r#","goal":"reduce-failures","success":{success},"score":{score},"metrics":{{"iterations":{},"target":3}}"#,
                random.u32(1..9)
            )
        }
        Kind::Build => write!(out, r#","agent":"build-validator","passed":{}"#, random.f64() < 0.8),
        Kind::Citation => {
            let verified = random.f64() < 0.9;
            let reason = if verified { "" } else { "the cited line was not changed" };
            write!(
                out,
                r#","agent":"{agent}","pattern_id":"P-{number:03}","path":"{place}","verified":{verified},"reason":"{reason}""#
            )
        }
        Kind::Run => write_run(out, cast, random),
        Kind::Learning => write!(
            out,
            r#","pattern_id":"P-{number:03}","agent":"{agent}","summary":"{lesson}","category":"{}","applies_to":["*"],"what":"{}","why":"{}""#,
            pick(&CATEGORIES, random),
            story(1, random),
            story(1, random)
        ),
        Kind::Classification | Kind::Change | Kind::Timing => write_finding(out, kind, agent, random),
        Kind::Gate => write_gate(out, cast, random),
        Kind::Summary => write!(out, r#","set_hash":"{:016x}","text":"{lesson}""#, random.u64(..)),
        Kind::Aftermath => write!(out, r#","passed":{}"#, random.f64() < 0.8),
        Kind::Artifact => write!(out, r#","action":"cited","anchor":"ADR-{:03}""#, random.u32(1..100)),
        Kind::Embedding => {
            write!(out, r#","text_hash":"{:016x}","vector":[{},{}]"#, random.u64(..), hundredths(random), hundredths(random))
        }
        Kind::Observation => write!(
            out,
            r#","type":"{}","pattern":"{lesson}","evidence":["{}"],"details":"{}","quality_ok":{},"session":"s-{:06}""#,
            pick(&KINDS, random),
            story(1, random),
            story(2, random),
            random.f64() < 0.8,
            random.u32(..1_000_000)
        ),
        Kind::Deliberation => write!(
            out,
            r#","role":"{}","phase":"review","issue":{},"labels":["{}"],"files":["{}"],"evidence_level":{},"text":"{}""#,
            pick(&ROLES[..3], random),
            random.u32(1..900),
            pick(&LABELS, random),
            pick(&FILES, random),
            random.u32(1..4),
            story(6, random)
        ),
        Kind::VerdictGiven => write!(
            out,
            r#","role":"{}","adversarial_role":"{}","verdict":"{}","false_positives":[],"must_fix":["J1"]"#,
            pick(&ROLES[3..], random),
            pick(&ROLES[..3], random),
            if random.bool() { "PASS" } else { "FAIL" }
        ),
        Kind::Curation => write!(
            out,
            r#","action":"{}","pattern_id":"P-{number:03}","actor":"reviewer","reason":"{}""#,
            pick(&["promote", "retire", "annotate"], random),
            story(1, random)
        ),
    }
}

fn write_finding(out: &mut Vec<u8>, kind: Kind, agent: &str, random: &mut Rng) -> io::Result<()> {
    match kind {
        Kind::Classification => {
            let category = pick(&CATEGORIES, random);
            write!(out, r#","learning_id":"{:016x}","status":"approved","category":"{category}""#, random.u64(..))
        }
        Kind::Change => {
            let file = pick(&FILES, random);
            write!(out, r#","base":"{:040x}","files":["{file}"],"added_lines":{}"#, random.u128(..), random.u32(..200))
        }
        _ => write!(out, r#","event":"agent","agent":"{agent}","seconds":{}"#, random.u32(..600)),
    }
}

fn write_gate(out: &mut Vec<u8>, cast: &Cast, random: &mut Rng) -> io::Result<()> {
    let (adapter, approval) = (cast.adapter(random), random.f64() < 0.3);
    let (risk, retries) = (pick(&RISKS, random), random.u32(1..3));
    let multiplier = if approval { 1.4 } else { 1.0 };
    write!(out, r#","adapter":"{adapter}","risk":"{risk}","approval":{approval},"multiplier":{multiplier},"retries":{retries}"#)
}

fn write_run(out: &mut Vec<u8>, cast: &Cast, random: &mut Rng) -> io::Result<()> {
    // What only some runs tell is drawn aside, so that the events behind a run do not depend on it.
    let mut aside = Rng::with_seed(random.clone().u64(..));
    let succeeded = random.f64() < 0.75;
    let (first, second) = (cast.adapter(random), cast.adapter(random));
    let result = match succeeded {
        true => "success",
        false if aside.f64() < 0.2 => "partial",
        false => "failure",
    };
    write!(
        out,
        r#","result":"{result}","quality":{},"retries":{},"rollback":{},"human_override":{},"risk":"{}","adapters":["{first}""#,
        hundredths(random),
        random.u32(..4),
        random.f64() < 0.05,
        aside.f64() < 0.08,
        pick(&RISKS, random),
    )?;
    if first != second {
        write!(out, r#","{second}""#)?;
    }
    write!(
        out,
        r#"],"tokens":{},"duration_ms":{},"model":"model-{}""#,
        random.u32(2_000..90_000),
        random.u32(900..900_000),
        random.u32(1..4)
    )?;
    if !succeeded {
        let failure = pick(&FAILURES, random);
        if result == "failure" {
            write!(out, r#","failure_type":"{failure}""#)?;
        }
    }
    write_governance(out, &mut aside)
}

/// What a run tells of its skills, its agents and its issues.
fn write_governance(out: &mut Vec<u8>, random: &mut Rng) -> io::Result<()> {
    out.extend_from_slice(b",\"skills\":[");
    let (count, start) = (random.usize(..3), random.usize(..SKILLS.len()));
    // Steps of five through twelve meet every skill before one comes again.
    for index in 0..count {
        let comma = if index > 0 { "," } else { "" };
        write!(out, r#"{comma}"{}""#, SKILLS[(start + 5 * index) % SKILLS.len()])?;
    }
    out.extend_from_slice(b"],\"agent_decisions\":[");
    let mut comma = "";
    for agent in DECIDERS {
        if random.bool() {
            continue;
        }
        let (decision, confidence) = (pick(&DECISIONS, random), hundredths(random));
        write!(out, r#"{comma}{{"agent":"{agent}","decision":"{decision}","confidence":{confidence}}}"#)?;
        comma = ",";
    }
    out.push(b']');
    if random.f64() < 0.15 {
        write!(out, r#","issues":["{}"]"#, pick(&ISSUES, random))?;
    }
    Ok(())
}

/// Writes a line that cannot be taken, each in another way.
pub(super) fn write_bad(out: &mut Vec<u8>, number: u64, random: &mut Rng) -> io::Result<()> {
    match random.u32(..8) {
        0 => writeln!(out, r#"{{"kind":"application","ts":"2026-01-01T00:00:00Z","run_id":"#),
        1 => writeln!(out, "this is not JSON, line {number}"),
        2 => writeln!(out, r#"{{"kind":"party","ts":"2026-01-01T00:00:00Z","id":"bad-{number}"}}"#),
        3 => writeln!(
            out,
            r#"{{"kind":"run","ts":"2026-01-01T00:00:00Z","id":"bad-{number}","run_id":"../../etc","result":"success","adapters":["terminal"]}}"#
        ),
        4 => writeln!(
            out,
            r#"{{"kind":"run","ts":"2026-01-01T00:00:00Z","id":"bad-{number}","run_id":"r","result":"success","adapters":["terminal"],"quality":1.5}}"#
        ),
        5 => writeln!(out, r#"{{"kind":"goal","ts":"yesterday","id":"bad-{number}","run_id":"r","goal":"g","success":true}}"#),
        6 => writeln!(out, r"[{number}]"),
        _ => {
            out.extend_from_slice(b"{\"kind\":\"build\",\"details\":\"\xff\xfe\"}\n");
            Ok(())
        }
    }
}

fn hundredths(random: &mut Rng) -> f64 {
    f64::from(random.u32(..=100)) / 100.0
}

pub(super) fn time(millis: u64) -> String {
    jiff::Timestamp::from_millisecond(millis.cast_signed()).map(|time| format!("{time:.3}")).unwrap_or_default()
}
