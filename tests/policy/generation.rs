//! From recorded runs to published policies, through the real lake and the real engine.

use std::collections::BTreeMap;

use event::field::RunResult;
use fastrand::Rng;
use learn::policy::{FinishedRun, Ledger, number, replay};
use render::policy::parse_graph;
use serde_json::{Value, json};
use setting::{RiskLevel, Settings};

use super::scene::{failure, line, random_run, run, success};
use crate::support::Scene;
use crate::support::published::{read, set};

/// A published JSON file.
pub fn published(scene: &Scene, name: &str) -> Value {
    serde_json::from_str(&read(scene, name)).expect("JSON")
}

/// Lands runs and learns from them.
pub fn learn(scene: &Scene, runs: &[FinishedRun]) {
    scene.land("runs.jsonl", runs.iter().map(line).collect::<String>().as_bytes());
    scene.done(&["run", "hourly"]);
}

/// The entry of a list that has a value under a name.
fn entry<'v>(list: &'v Value, name: &str, value: &str) -> &'v Value {
    list.as_array().and_then(|list| list.iter().find(|entry| entry[name] == *value)).unwrap_or(&Value::Null)
}

#[test]
fn recorded_runs_become_the_originals_store() {
    let scene = Scene::new();
    let mut runs: Vec<FinishedRun> = (0..4).map(|number| FinishedRun { retries: 1, ..success(number, "GitHub") }).collect();
    runs.extend((4..7).map(|number| failure(number, "github", "Auth")));
    runs[6].failure_type = Some("AUTH".to_owned());
    learn(&scene, &runs);
    let store = published(&scene, "learning-store.json");
    assert_eq!((&store["version"], &store["totalOutcomes"]), (&json!(1), &json!(7)));
    assert_eq!(
        store["reliability"],
        json!([{"adapterId": "github", "successRate": 0.571, "avgRetries": 0.571, "reliabilityScore": 0.619, "totalRuns": 7,
            "updatedAt": "2026-09-21T14:19:20.000Z"}])
    );
    let failure = entry(&store["patterns"], "id", "github::auth");
    assert_eq!(
        (&failure["failureType"], &failure["occurrences"], &failure["confidence"]),
        (&json!("Auth"), &json!(3), &json!(0.65))
    );
    let overlays = published(&scene, "overlays.json");
    let overlay = entry(&overlays, "adapterId", "github");
    assert_eq!(
        (&overlay["riskMultiplier"], &overlay["suggestedMaxRetries"], &overlay["requireApproval"]),
        (&json!(1.4), &json!(1), &json!(true))
    );
    let document = published(&scene, "policy.json");
    assert_eq!(
        entry(&document["overlays"], "adapterId", "github")["triggers"],
        json!([{"type": "lowScore", "score": 0.619}, {"type": "repeatedFailure", "patternId": "github::auth", "occurrences": 3}])
    );
    assert_eq!(store["policyOverlays"], overlays);
    assert!(!read(&scene, "learning-store.json").ends_with('\n'), "the original ends without a line end");
}

#[test]
fn a_run_of_the_governance_half_moves_agents_thresholds_and_skills() {
    let scene = Scene::new();
    let event = json!({"kind": "run", "ts": "2026-05-01T10:00:00Z", "runId": "r-1", "result": "failure", "riskLevel": "medium",
        "issues": ["the SHELL got away"], "humanOverride": true, "rollbackOccurred": true, "postExecutionScore": 0,
        "selectedSkills": ["deploy", "lint"],
        "agentDecisions": [{"agent": "builder", "decision": "approve", "confidence": 0.9},
            {"agent": "security", "decision": "approve", "confidence": 0.6}]});
    scene.land("runs.jsonl", format!("{event}\n").as_bytes());
    scene.done(&["run", "hourly"]);
    let store = published(&scene, "learning-store.json");
    assert_eq!(store["thresholdPolicy"]["mediumRiskApprovalThreshold"], json!(0.683));
    let agents = &store["agentProfiles"];
    assert_eq!((&agents["builder"]["reliability"], &agents["security"]["reliability"]), (&json!(0.79), &json!(0.87)));
    assert_eq!((&agents["planner"]["reliability"], &agents["planner"]["totalRuns"]), (&json!(0.82), &json!(0)));
    assert_eq!((&store["skillStats"]["deploy"]["score"], &store["skillStats"]["lint"]["failures"]), (&json!(-0.75), &json!(1)));
    let graph = read(&scene, "graph-events.jsonl");
    assert_eq!(graph.lines().count(), 9);
    let report = scene.done(&["report"]).out;
    for key in ["mutation-scope", "approval-pauses", "shell-pattern-blocklist"] {
        assert!(report.contains(key), "{key} in\n{report}");
    }
}

#[test]
fn denied_approvals_say_nothing_about_an_adapter() {
    let scene = Scene::new();
    let mut runs = vec![success(0, "github")];
    runs.extend((1..9).map(|number| FinishedRun { risk: Some(RiskLevel::High), ..failure(number, "github", "Approval-Denied") }));
    learn(&scene, &runs);
    let store = published(&scene, "learning-store.json");
    assert_eq!(store["reliability"][0]["totalRuns"], json!(1));
    assert_eq!((&store["patterns"], &store["thresholdPolicy"]["highRiskApprovalThreshold"]), (&json!([]), &json!(0.75)));
    assert_eq!(store["totalOutcomes"], json!(9), "they are stored all the same");
}

#[test]
fn a_lenient_workspace_takes_failures_without_a_type_and_runs_without_adapters() {
    let scene = Scene::new();
    set(&scene, "[run]\nlenient = true\n");
    let typeless = run(0, RunResult::Failure, &["fs"]);
    let lines = line(&typeless)
        + "{\"kind\":\"run\",\"ts\":\"2026-05-01T10:00:00Z\",\"run_id\":\"bare\",\"result\":\"failure\",\"failure_type\":\"io\"}\n";
    scene.land("runs.jsonl", lines.as_bytes());
    scene.done(&["run", "hourly"]);
    let store = published(&scene, "learning-store.json");
    assert_eq!(store["reliability"].as_array().map(Vec::len), Some(1));
    assert_eq!((&store["reliability"][0]["adapterId"], &store["reliability"][0]["reliabilityScore"]), (&json!("fs"), &json!(0.2)));
    assert_eq!(store["patterns"].as_array().map(Vec::len), Some(1));
    assert_eq!(store["patterns"][0]["id"], json!("unknown::io"));
}

#[test]
fn refused_runs_stand_out_in_the_report() {
    let scene = Scene::new();
    let bad = "{\"kind\":\"run\",\"ts\":\"2026-05-01T10:00:00Z\",\"run_id\":\"bare\",\"result\":\"success\"}\n";
    scene.land("runs.jsonl", (bad.to_owned() + &line(&success(1, "fs"))).as_bytes());
    scene.run(&["run", "hourly"]);
    let report = published(&scene, "report.json");
    assert_eq!(report["policy"]["rejected"], json!(1));
    assert!(read(&scene, "report.md").contains("Refused: 1 run reports"));
}

/// What counting run by run gives for everything that is published.
fn naive(settings: &Settings, runs: &[FinishedRun]) -> Value {
    let mut ledger = Ledger::start(settings);
    for run in runs {
        ledger.take(run);
    }
    let names = (0..5).map(|at| format!("adapter-{at}"));
    let adapters: BTreeMap<String, Value> = names
        .filter_map(|name| {
            let tally = ledger.tally(&name)?;
            let overlay = ledger.overlay_of(&name)?;
            let figures = json!([
                tally.runs,
                number(tally.score(&settings.reliability)),
                number(overlay.risk_multiplier),
                overlay.suggested_max_retries,
                overlay.require_approval
            ]);
            Some((name, figures))
        })
        .collect();
    let folded = ledger.folded();
    json!({"adapters": adapters, "agents": folded.reliability.iter().map(|value| number(*value)).collect::<Vec<_>>(),
        "thresholds": folded.thresholds.map(number),
        "skill": ledger.skill("skill-0").map(|stat| number(stat.score()))})
}

/// The same from what is published.
fn found(scene: &Scene) -> Value {
    let store = published(scene, "learning-store.json");
    let adapters: BTreeMap<String, Value> = store["reliability"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|known| {
            let name = known["adapterId"].as_str().expect("a name");
            let overlay = entry(&store["policyOverlays"], "adapterId", name);
            let figures = json!([
                known["totalRuns"],
                known["reliabilityScore"],
                overlay["riskMultiplier"],
                overlay["suggestedMaxRetries"],
                overlay["requireApproval"]
            ]);
            (name.to_owned(), figures)
        })
        .collect();
    let agents = ["planner", "builder", "reviewer", "security"].map(|name| store["agentProfiles"][name]["reliability"].clone());
    let thresholds = ["low", "medium", "high"].map(|risk| store["thresholdPolicy"][format!("{risk}RiskApprovalThreshold")].clone());
    json!({"adapters": adapters, "agents": agents, "thresholds": thresholds, "skill": store["skillStats"]["skill-0"]["score"]})
}

#[test]
fn what_is_published_is_what_counting_run_by_run_gives() {
    let variants = [
        "",
        // The end of the log, and where that does not settle it, all of it.
        "[recent]\nruns = 7\nfolded_runs = 20\n",
        "[overlay]\nrelease_after_successes = 2\n[recent]\nruns = 15\n",
        "[overlay]\nratchet = true\n[recent]\nruns = 15\n",
        "[agent]\ndecision_aware = true\n",
    ];
    for (seed, variant) in (0..).zip(variants) {
        let mut random = Rng::with_seed(seed);
        let scene = Scene::with_small_batches();
        set(&scene, &format!("{variant}[compact]\nbatch_kib = 32\n"));
        let settings = store::workspace::load_settings(&scene.workspace).expect("settings");
        let landed = land_at_random(&scene, &mut random);
        assert_eq!(found(&scene), naive(&settings, &landed), "{variant}");
        let story = parse_graph(read(&scene, "graph-events.jsonl").as_bytes());
        let mut whole = replay(Ledger::start(&settings), &landed, &[]);
        assert_eq!(whole.split_off(whole.len() - story.len()), story, "{variant}");
        assert!(!story.is_empty());
        let verified = scene.done(&["run", "verify"]);
        assert!(!verified.error.contains("not what the log says"), "{}", verified.error);
    }
}

/// Lands runs in three cycles, some of them days late and some twice. Gives them in the order of landing.
fn land_at_random(scene: &Scene, random: &mut Rng) -> Vec<FinishedRun> {
    let mut landed: Vec<FinishedRun> = Vec::new();
    for cycle in 0..3_i64 {
        let mut bytes = String::new();
        for number in 0..random.i64(20..150) {
            let mut run = random_run(cycle * 1000 + number, random);
            if random.u32(..10) == 0 {
                run.micros -= random.i64(1..6) * 86_400_000_000;
            }
            bytes += &line(&run);
            landed.push(run);
            if random.u32(..10) == 0 {
                let again = random.usize(..landed.len());
                bytes += &line(&landed[again]);
            }
        }
        scene.land("runs.jsonl", bytes.as_bytes());
        scene.done(&["run", "hourly"]);
    }
    landed
}

#[test]
fn a_later_report_takes_an_earlier_ones_place_unless_settings_say_otherwise() {
    let scene = Scene::new();
    let first = failure(1, "github", "auth");
    let mut second = success(1, "github");
    second.micros += 86_400_000_000;
    learn(&scene, &[first.clone(), second.clone()]);
    let store = published(&scene, "learning-store.json");
    assert_eq!((&store["totalOutcomes"], &store["patterns"]), (&json!(1), &json!([])));
    assert_eq!(store["reliability"][0]["reliabilityScore"], json!(1));
    let strict = Scene::new();
    set(&strict, "[run]\nreplace = false\n");
    second.micros -= 86_400_000_000;
    learn(&strict, &[first, second]);
    assert_eq!(strict.count("select count(*) from quarantine where code = 'id_conflict'"), 1);
}

#[test]
fn only_the_last_runs_are_listed_and_told_of() {
    let scene = Scene::new();
    set(&scene, "[recent]\nruns = 3\n");
    let runs: Vec<FinishedRun> = (0..40).map(|number| success(number, "fs")).collect();
    learn(&scene, &runs);
    let store = published(&scene, "learning-store.json");
    let listed: Vec<&str> = store["outcomes"].as_array().expect("a list").iter().filter_map(|run| run["runId"].as_str()).collect();
    assert_eq!(listed, ["run-37", "run-38", "run-39"]);
    assert_eq!(store["totalOutcomes"], json!(40));
    assert_eq!(read(&scene, "graph-events.jsonl").lines().count(), 3, "nothing but the runs themselves: the score stays 1");
}

#[test]
fn runs_of_one_name_in_two_projects_are_told_apart() {
    let scene = Scene::new();
    let other = FinishedRun { project: "bank".to_owned(), ..failure(1, "fs", "io") };
    learn(&scene, &[success(1, "fs"), other]);
    assert_eq!(published(&scene, "learning-store.json")["totalOutcomes"], json!(2));
    let both = scene.run(&["report", "--run-id", "run-1"]);
    assert!(both.code == 2 && both.error.contains("`bank`, `shop`"), "{}", both.error);
    let one = scene.done(&["report", "--run-id", "run-1", "--project", "shop"]).out;
    assert!(one.contains("success") && !one.contains("fs::io"), "{one}");
}
