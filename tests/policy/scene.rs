//! Runs by hand: short to write, whole to the engine.

use event::field::RunResult;
use learn::policy::{AgentDecision, Decisions, FinishedRun};
use setting::RiskLevel;

/// A run of the adapters given; the rest as it is in most runs.
pub fn run(number: i64, result: RunResult, adapters: &[&str]) -> FinishedRun {
    FinishedRun {
        sequence: number,
        project: "shop".to_owned(),
        run_id: format!("run-{number}"),
        micros: 1_790_000_000_000_000 + number * 60_000_000,
        result,
        is_success: result == RunResult::Success,
        retries: 0,
        quality: None,
        quality_millionths: if result == RunResult::Success { 1_000_000 } else { 0 },
        adapters: adapters.iter().map(|&adapter| adapter.to_owned()).collect(),
        failure_type: None,
        risk: None,
        is_rolled_back: false,
        is_overridden: false,
        duration_millis: None,
        issues: Vec::new(),
        skills: Vec::new(),
        decisions: Decisions::default(),
        rating: None,
        feedback: None,
        notes: None,
    }
}

/// A run that succeeded.
pub fn success(number: i64, adapter: &str) -> FinishedRun {
    run(number, RunResult::Success, &[adapter])
}

/// A run that failed of something.
pub fn failure(number: i64, adapter: &str, kind: &str) -> FinishedRun {
    FinishedRun { failure_type: Some(kind.to_owned()), ..run(number, RunResult::Failure, &[adapter]) }
}

/// What an agent decided.
pub fn decision(agent: &str, confidence: f64) -> AgentDecision {
    AgentDecision { agent: agent.to_owned(), decision: Some("approve".to_owned()), confidence }
}

/// A run without adapters, of some risk, that agents decided about.
pub fn governed(number: i64, result: RunResult, risk: RiskLevel, decisions: Vec<AgentDecision>) -> FinishedRun {
    FinishedRun { risk: Some(risk), decisions: Decisions(decisions), ..run(number, result, &[]) }
}

/// Runs at random: some adapters, failures, skills and decisions, of all results and risks.
pub fn random_run(number: i64, random: &mut fastrand::Rng) -> FinishedRun {
    let result =
        [RunResult::Success, RunResult::Success, RunResult::Success, RunResult::Partial, RunResult::Failure][random.usize(..5)];
    let mut adapters: Vec<String> = (0..random.usize(1..4)).map(|_| format!("adapter-{}", random.u32(..5))).collect();
    adapters =
        adapters.iter().enumerate().filter(|(at, name)| !adapters[..*at].contains(name)).map(|(_, name)| name.clone()).collect();
    let kinds = ["timeout", "Auth", "auth", "approval-denied", "network"];
    let agents = ["planner", "builder", "reviewer", "security", "stranger"];
    let first = random.usize(..agents.len());
    FinishedRun {
        retries: random.i64(0..5),
        quality_millionths: random.i64(0..=100) * 10_000,
        failure_type: (result != RunResult::Success).then(|| kinds[random.usize(..kinds.len())].to_owned()),
        risk: [None, Some(RiskLevel::Low), Some(RiskLevel::Medium), Some(RiskLevel::High)][random.usize(..4)],
        is_rolled_back: random.u32(..10) == 0,
        is_overridden: random.u32(..10) == 0,
        issues: if random.bool() { vec!["an Unsafe thing".to_owned()] } else { Vec::new() },
        skills: (0..random.u32(..3)).map(|skill| format!("skill-{skill}")).collect(),
        decisions: Decisions(
            (0..random.usize(..4))
                .map(|place| decision(agents[(first + place) % agents.len()], f64::from(random.u32(..=100)) / 100.0))
                .collect(),
        ),
        adapters,
        ..run(number, result, &[])
    }
}

/// The run as an event to land.
pub fn line(run: &FinishedRun) -> String {
    let decisions: Vec<_> = run
        .decisions
        .iter()
        .map(|made| serde_json::json!({"agent": made.agent, "decision": made.decision, "confidence": made.confidence}))
        .collect();
    let time = jiff::Timestamp::from_microsecond(run.micros).expect("a time");
    let mut event = serde_json::json!({
        "kind": "run", "ts": time.to_string(), "project": run.project, "run_id": run.run_id, "result": run.result.get(),
        "retries": run.retries, "quality": learn::policy::quality(run), "rollback": run.is_rolled_back,
        "human_override": run.is_overridden, "issues": run.issues, "skills": run.skills, "agent_decisions": decisions,
    });
    if !run.adapters.is_empty() {
        event["adapters"] = run.adapters.clone().into();
    }
    if let Some(kind) = &run.failure_type {
        event["failure_type"] = kind.clone().into();
    }
    if let Some(risk) = run.risk {
        event["risk"] = risk.name().into();
    }
    format!("{event}\n")
}
