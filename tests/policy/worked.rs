//! The worked numbers, E1 to E21.
#![expect(clippy::float_cmp, reason = "worked numbers hold to the last bit")]

use event::field::RunResult;
use event::field::RunResult::{Failure, Partial, Success};
use learn::policy::{
    AgentStep, Basis, FailurePattern, Grounds, Ledger, Overlay, Reliability, SkillStat, Tally, Task, Thresholds, Trigger,
    build_overlay, confidence, decide_gate, effective_confidence, failure_id, optimize, profile_agents, step_agent, weigh,
};
use setting::{AgentSettings, OverlaySettings, ReliabilitySettings, RiskLevel, Settings};

use super::scene::{decision, failure, governed, run, success};

const MILLION: i64 = 1_000_000;
const DAY: i64 = 86_400_000_000;

/// The sums of runs: whether each succeeded, its retries and its quality in millionths.
fn tally(runs: &[(bool, i64, i64)]) -> Tally {
    let mut tally = Tally::default();
    for &(is_success, retries, quality) in runs {
        tally.add(is_success, retries, quality);
    }
    tally
}

fn score(tally: Tally) -> f64 {
    tally.score(&ReliabilitySettings::default())
}

fn pattern(adapter: &str, kind: &str, occurrences: i64) -> FailurePattern {
    FailurePattern {
        id: failure_id(adapter, kind),
        adapter: adapter.to_owned(),
        failure_type: kind.to_owned(),
        occurrences,
        since_clear: occurrences,
        successes_since: 0,
        last_micros: 0,
    }
}

/// The overlay of an adapter of a score, with what failed.
fn overlay(score: f64, failures: &[FailurePattern]) -> Overlay {
    let reliability = scored("github", score, 0);
    let failures: Vec<&FailurePattern> = failures.iter().collect();
    let grounds = Grounds {
        adapter: "github",
        reliability: Some(&reliability),
        missing: learn::policy::Missing::default(),
        failures: &failures,
        lowest: None,
        annotations: &[],
    };
    build_overlay(grounds, &OverlaySettings::default())
}

/// Multiplier, retries and approval.
fn rules(overlay: &Overlay) -> (f64, u32, bool) {
    (overlay.risk_multiplier, overlay.suggested_max_retries, overlay.require_approval)
}

#[test]
fn e1_confidence_rises_with_each_sighting_up_to_its_bound() {
    let settings = ReliabilitySettings::default();
    let seen: Vec<f64> = (1..=11).map(|occurrences| confidence(occurrences, &settings)).collect();
    assert_eq!(seen, [0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.95, 0.95]);
}

#[test]
fn e2_eight_of_ten_with_fifteen_retries_score_0_740() {
    let tally = Tally { runs: 10, successes: 8, retries: 15, quality_millionths: 8 * MILLION };
    assert_eq!((tally.success_rate(), tally.average_retries(), score(tally)), (0.8, 1.5, 0.740));
    assert_eq!(rules(&overlay(0.740, &[])), (1.0, 1, true));
}

#[test]
fn e3_two_of_three_score_0_593() {
    let tally = tally(&[(true, 1, 800_000), (true, 2, 900_000), (false, 3, 200_000)]);
    assert_eq!(score(tally), 0.593);
    assert_eq!(learn::round_half_away(tally.success_rate(), 3), 0.667);
    assert_eq!(rules(&overlay(0.593, &[])), (1.4, 1, true));
}

#[test]
fn e4_an_adapter_that_a_run_names_twice_counts_once() {
    let terminal = tally(&[(true, 0, MILLION), (false, 2, 0), (true, 1, 900_000)]);
    let github = tally(&[(true, 0, MILLION), (false, 2, 0), (true, 0, MILLION)]);
    assert_eq!((score(terminal), score(github)), (0.660, 0.689));
}

#[test]
fn e5_retries_are_bounded_on_average_not_by_run() {
    assert_eq!(score(tally(&[(true, 10, MILLION), (true, 0, MILLION)])), 0.8);
    assert_eq!(score(tally(&[(true, 4, MILLION), (true, 4, MILLION)])), 0.8);
}

#[test]
fn e6_overlays_follow_the_steps() {
    for (score, multiplier, retries, approval) in [
        (0.699, 1.4, 1, true),
        (0.700, 1.0, 1, true),
        (0.749, 1.0, 1, true),
        (0.750, 1.0, 2, false),
        (0.900, 1.0, 2, false),
        (0.901, 0.9, 2, false),
    ] {
        assert_eq!(rules(&overlay(score, &[])), (multiplier, retries, approval), "{score}");
    }
    let thrice = overlay(0.950, &[pattern("github", "auth", 3)]);
    assert_eq!(rules(&thrice), (0.9, 2, true));
    assert_eq!(thrice.triggers, [Trigger::RepeatedFailure { pattern_id: "github::auth".to_owned(), occurrences: 3 }]);
    assert_eq!(rules(&overlay(0.950, &[pattern("github", "auth", 2), pattern("github", "network", 2)])), (0.9, 2, false));
}

#[test]
fn e7_the_rounded_score_is_compared() {
    let tally = Tally { runs: 37, successes: 26, retries: 7, quality_millionths: 26 * MILLION };
    assert!(tally.raw_score(&ReliabilitySettings::default()) < 0.75);
    assert_eq!(score(tally), 0.750);
    assert_eq!(rules(&overlay(score(tally), &[])), (1.0, 2, false));
}

#[test]
fn e8_ties_are_decided_by_the_binary_value() {
    for (successes, rate, wanted) in
        [(1, 0.063, 0.238), (3, 0.188, 0.313), (5, 0.313, 0.388), (9, 0.563, 0.537), (15, 0.938, 0.762)]
    {
        let tally = Tally { runs: 16, successes, retries: 0, quality_millionths: 0 };
        assert_eq!(learn::round_half_away(tally.success_rate(), 3), rate, "{successes} of 16");
        assert_eq!(score(tally), wanted, "{successes} of 16");
    }
}

/// The threshold after one run from the defaults.
fn threshold_after(result: RunResult, risk: RiskLevel, is_rolled_back: bool, is_overridden: bool) -> f64 {
    let settings = Settings::default();
    let mut ledger = Ledger::start(&settings);
    let mut run = governed(1, result, risk, Vec::new());
    (run.is_rolled_back, run.is_overridden) = (is_rolled_back, is_overridden);
    ledger.take(&run);
    ledger.folded().thresholds[risk as usize]
}

#[test]
fn e9_thresholds_move_by_their_risk() {
    use RiskLevel::{High, Low, Medium};
    for (result, risk, rolled_back, overridden, wanted) in [
        (Failure, High, false, false, 0.80),
        (Failure, Medium, false, false, 0.683),
        (Failure, Low, false, false, 0.575),
        (Success, Medium, false, false, 0.6335),
        (Success, Low, false, false, 0.5375),
        (Success, High, false, false, 0.75),
        (Partial, Medium, false, false, 0.65),
        (Partial, High, true, false, 0.80),
        (Success, Low, true, false, 0.575),
        (Success, Low, false, true, 0.55),
    ] {
        assert_eq!(threshold_after(result, risk, rolled_back, overridden), wanted, "{result:?} {risk:?}");
    }
}

#[test]
fn e10_thresholds_stop_at_their_bounds() {
    let settings = Settings::default();
    let walk = |result, risk, steps: i64| {
        let mut ledger = Ledger::start(&settings);
        let values = (0..steps).map(|number| {
            let changes = ledger.take(&governed(number, result, risk, Vec::new()));
            let has_moved = changes.iter().any(|event| event.kind == "threshold_policy_updated");
            (ledger.folded().thresholds[risk as usize], has_moved)
        });
        values.collect::<Vec<_>>()
    };
    assert_eq!(walk(Failure, RiskLevel::High, 4), [(0.80, true), (0.85, true), (0.90, true), (0.90, false)]);
    let low: Vec<f64> = walk(Success, RiskLevel::Low, 13).iter().map(|(value, _)| *value).collect();
    assert_eq!(low, [0.5375, 0.525, 0.5125, 0.5, 0.4875, 0.475, 0.4625, 0.45, 0.4375, 0.425, 0.4125, 0.4, 0.4]);
    let medium = walk(Success, RiskLevel::Medium, 17);
    assert_eq!((medium[14].0, medium[15], medium[16]), (0.4025, (0.4, true), (0.4, false)));
}

/// The reliability of the four agents after one run from the defaults.
fn agents_after(result: RunResult, confidence: f64, is_rolled_back: bool, is_overridden: bool) -> Vec<f64> {
    let settings = AgentSettings::default();
    let step = AgentStep { sequence: 1, agent: "", decision: None, confidence, result, is_rolled_back, is_overridden };
    settings.profiles.iter().map(|profile| step_agent(profile.reliability, &step, &settings)).collect()
}

#[test]
fn e11_agents_move_with_the_runs_that_they_decided_about() {
    assert_eq!(agents_after(Success, 0.9, false, false), [0.838, 0.858, 0.898, 0.938]);
    assert_eq!(agents_after(Failure, 0.8, false, false), [0.78, 0.80, 0.84, 0.88]);
    assert_eq!(agents_after(Partial, 0.5, false, false), [0.815, 0.835, 0.875, 0.915]);
    assert_eq!(agents_after(Failure, 1.0, true, true), [0.77, 0.79, 0.83, 0.87]);
    assert_eq!(agents_after(Success, 0.5, true, false), [0.81, 0.83, 0.87, 0.91]);
    assert_eq!(agents_after(Success, 1.0, false, true), [0.825, 0.845, 0.885, 0.925]);
    assert_eq!(agents_after(Failure, 0.0, false, false), [0.82, 0.84, 0.88, 0.92]);
    let settings = Settings::default();
    let walk = |agent: &str, place: usize, result, steps: i64| {
        let mut ledger = Ledger::start(&settings);
        let values = (0..steps).map(|number| {
            ledger.take(&governed(number, result, RiskLevel::High, vec![decision(agent, 1.0)]));
            ledger.folded().reliability[place]
        });
        values.collect::<Vec<_>>()
    };
    let planner = walk("planner", 0, Failure, 12);
    assert_eq!((planner[0], planner[1], planner[9], planner[10], planner[11]), (0.77, 0.72, 0.32, 0.30, 0.30));
    assert_eq!(walk("security", 3, Success, 3), [0.94, 0.95, 0.95]);
}

#[test]
fn agents_that_warned_are_right_where_decisions_count() {
    let settings = AgentSettings { decision_aware: true, ..AgentSettings::default() };
    let after = |decision, result| {
        let step = AgentStep {
            sequence: 1,
            agent: "planner",
            decision: Some(decision),
            confidence: 1.0,
            result,
            is_rolled_back: false,
            is_overridden: false,
        };
        step_agent(0.82, &step, &settings)
    };
    assert_eq!([after("reject", Failure), after("approve", Success)], [0.84, 0.84]);
    assert_eq!([after("approve", Failure), after("reject", Success)], [0.77, 0.77]);
    assert_eq!([after("needs-review", Success), after("needs-review", Failure)], [0.83, 0.795]);
}

/// Four successes with a retry each, then failures of `auth`, then successes: the ledger after each run of the last part.
fn github_story(settings: &Settings, failures: i64, successes: i64) -> Ledger<'_> {
    let mut ledger = Ledger::start(settings);
    for number in 0..4 {
        let mut run = success(number, "github");
        run.retries = 1;
        ledger.take(&run);
    }
    for number in 0..failures {
        ledger.take(&failure(10 + number, "github", "auth"));
    }
    for number in 0..successes {
        ledger.take(&success(20 + number, "github"));
    }
    ledger
}

/// The score, and the rules.
fn standing(ledger: &Ledger<'_>) -> (f64, (f64, u32, bool)) {
    let score = score(ledger.tally("github").expect("an adapter"));
    (score, rules(ledger.overlay_of("github").expect("an overlay")))
}

#[test]
fn e12_a_failure_that_recurs_asks_for_approval_until_it_is_cleared() {
    let settings = Settings::default();
    let story = |failures, successes| standing(&github_story(&settings, failures, successes));
    assert_eq!(story(2, 0), (0.689, (1.4, 1, true)));
    let third = github_story(&settings, 3, 0);
    let known = third.failure("github::auth").expect("a failure");
    assert_eq!((known.occurrences, known.confidence(&settings.reliability)), (3, 0.65));
    assert_eq!(standing(&third), (0.619, (1.4, 1, true)));
    assert_eq!(story(3, 1), (0.667, (1.4, 1, true)));
    assert_eq!(story(3, 2), (0.704, (1.0, 1, true)));
    assert_eq!(story(3, 3).0, 0.733);
    assert_eq!(story(3, 4), (0.758, (1.0, 2, true)));
    assert_eq!(story(3, 6).0, 0.795);
    assert_eq!(story(3, 11).0, 0.852);
    assert_eq!(story(3, 21), (0.905, (0.9, 2, true)));
    assert_eq!(story(3, 41), (0.944, (0.9, 2, true)));
}

#[test]
fn e12_a_failure_is_released_after_enough_successes_where_that_is_set() {
    let mut settings = Settings::default();
    settings.overlay.release_after_successes = Some(5);
    assert_eq!(standing(&github_story(&settings, 3, 4)).1, (1.0, 2, true));
    assert_eq!(standing(&github_story(&settings, 3, 5)), (0.778, (1.0, 2, false)));
    let mut again = github_story(&settings, 3, 40);
    again.take(&failure(90, "github", "auth"));
    assert!(standing(&again).1.2, "one more sighting asks again");
}

#[test]
fn e13_so_many_successes_make_failures_good() {
    for (failures, wanted) in [(1, [2, 3, 8]), (2, [4, 5, 15]), (3, [5, 7, 22]), (5, [9, 11, 36])] {
        let needed = |enough: &dyn Fn(f64) -> bool| {
            (0..100).find(|&successes| {
                let tally = Tally { runs: failures + successes, successes, retries: 0, quality_millionths: successes * MILLION };
                enough(score(tally))
            })
        };
        let found = [needed(&|score| score >= 0.70), needed(&|score| score >= 0.75), needed(&|score| score > 0.90)];
        assert_eq!(found, wanted.map(Some), "{failures} failures");
    }
}

#[test]
fn e14_skills_score_successes_and_part_of_their_failures() {
    let mut stat = SkillStat::default();
    let scores = [Success, Success, Failure, Partial, Failure, Failure, Failure].map(|result| {
        stat.add(result);
        stat.score()
    });
    assert_eq!(scores, [1.0, 1.0, 0.4167, 0.3125, 0.1, -0.0417, -0.1429]);
    assert_eq!(SkillStat::default().score(), 0.0);
}

#[test]
fn e15_one_run_moves_everything_that_it_touches() {
    let settings = Settings::default();
    let mut ledger = Ledger::start(&settings);
    let mut run = governed(1, Failure, RiskLevel::Medium, vec![decision("builder", 0.9), decision("security", 0.6)]);
    (run.is_rolled_back, run.is_overridden) = (true, true);
    run.issues = vec!["the SHELL got away".to_owned()];
    run.skills = vec!["deploy".to_owned(), "lint".to_owned()];
    let events = ledger.take(&run);
    let kinds: Vec<&str> = events.iter().map(|event| &*event.kind).collect();
    assert_eq!(
        kinds,
        [
            "outcome_recorded",
            "agent_reliability_updated",
            "agent_reliability_updated",
            "threshold_policy_updated",
            "skill_stat_updated",
            "skill_stat_updated",
            "constraint_suggestion_created",
            "constraint_suggestion_created",
            "constraint_suggestion_created",
        ]
    );
    assert_eq!(events[3].data, serde_json::json!({"medium": {"before": 0.65, "after": 0.683}}));
    assert_eq!((events[1].data["after"].as_f64(), events[2].data["after"].as_f64()), (Some(0.79), Some(0.87)));
    assert_eq!((events[4].data["score"].as_f64(), events[5].data["score"].as_f64()), (Some(-0.75), Some(-0.75)));
    let sure: Vec<_> = events[6..].iter().map(|event| event.data["confidence"].as_f64()).collect();
    assert_eq!(sure, [Some(0.87), Some(0.74), Some(0.92)]);
    assert_eq!(events[0].data["postExecutionScore"], serde_json::json!(0), "whole numbers have no point");
}

#[test]
fn e17_the_first_adapter_is_held_responsible() {
    let settings = Settings::default();
    let mut ledger = Ledger::start(&settings);
    ledger.take(&run(1, Failure, &["fs"]));
    let mut second = run(2, Failure, &["fs", "terminal"]);
    (second.retries, second.quality_millionths, second.failure_type) = (1, 300_000, Some("io".to_owned()));
    ledger.take(&second);
    assert_eq!(ledger.failure("fs::io").map(|known| known.occurrences), Some(1));
    assert!(ledger.failure("terminal::io").is_none());
    assert_eq!(ledger.tally("fs").map(score), Some(0.197));
    assert_eq!(ledger.tally("terminal").map(score), Some(0.193));
    for adapter in ["fs", "terminal"] {
        assert_eq!(ledger.overlay_of(adapter).map(rules), Some((1.4, 1, true)));
    }
}

#[test]
fn e18_tasks_get_the_limits_of_their_adapters_and_every_approval_is_named() {
    let known = |adapter: &str, retries, approval| Overlay {
        adapter_id: adapter.to_owned(),
        risk_multiplier: 1.0,
        suggested_max_retries: retries,
        require_approval: approval,
        reason: "score 0.593 is below 0.75".to_owned(),
        updated_at: String::new(),
        triggers: Vec::new(),
        expires_at: None,
        basis: Basis::default(),
    };
    let overlays = [known("github", 1, true), known("fs", 2, false), known("rep", 2, true)];
    let task = |id: &str, adapter: &str, limit| Task {
        id: id.to_owned(),
        title: None,
        adapter_id: adapter.to_owned(),
        retry_limit: limit,
        rest: serde_json::Map::new(),
    };
    let tasks = vec![task("t1", "github", Some(5)), task("t2", "fs", None), task("t3", "new", Some(4)), task("t4", "rep", None)];
    let optimized = optimize(tasks, &overlays);
    assert_eq!(optimized.tasks.iter().map(|task| task.retry_limit).collect::<Vec<_>>(), [Some(1), Some(2), Some(4), Some(2)]);
    let suggestions: Vec<(&str, &str)> = optimized.suggestions.iter().map(|one| (&*one.id, one.impact)).collect();
    assert_eq!(
        suggestions,
        [("retry-t1", "high"), ("approval-t1", "high"), ("retry-t2", "medium"), ("retry-t4", "high"), ("approval-t4", "high")]
    );
    assert!(optimized.suggestions[1].reason.contains("0.593"));
    let lowered = optimize(vec![task("t5", "FS ", Some(1))], &overlays);
    assert_eq!(lowered.tasks[0].retry_limit, Some(1), "a limit is never raised");
}

#[test]
fn e19_votes_weigh_as_much_as_agents_are_reliable_and_sure() {
    let settings = AgentSettings::default();
    let start: Vec<f64> = settings.profiles.iter().map(|profile| profile.reliability).collect();
    let profiles = profile_agents(&settings, &start, &std::collections::BTreeMap::new());
    let mut votes = vec![decision("planner", 0.9), decision("builder", 0.8), decision("reviewer", 0.7), decision("security", 0.95)];
    votes[2].decision = Some("needs-review".to_owned());
    let thresholds = Thresholds::start(&Settings::default().threshold);
    let consensus = weigh(&votes, RiskLevel::Medium, &profiles, &thresholds);
    let weights: Vec<String> = consensus.votes.iter().map(|vote| format!("{:.6}", vote.weight)).collect();
    assert_eq!(weights, ["1.860480", "1.720820", "1.754676", "2.461188"]);
    assert_eq!(format!("{:.3}", consensus.approval), "0.775");
    assert_eq!((consensus.verdict, consensus.pause), ("approve", true));
    assert!(!weigh(&votes, RiskLevel::Low, &profiles, &thresholds).pause);
    votes[2].decision = Some("reject".to_owned());
    let vetoed = weigh(&votes, RiskLevel::Medium, &profiles, &thresholds);
    assert_eq!((vetoed.verdict, &*vetoed.vetoes), ("reject", &["reviewer".to_owned()][..]));
    assert_eq!(weigh(&votes, RiskLevel::Low, &profiles, &thresholds).verdict, "needs-review", "rejections from a fifth on");
    assert_eq!(weigh(&[], RiskLevel::Low, &profiles, &thresholds).verdict, "needs-review");
}

#[test]
fn e20_confidence_fades_when_it_is_read() {
    let settings = ReliabilitySettings { confidence_half_life_days: Some(30.0), ..ReliabilitySettings::default() };
    let after = |confidence, days| effective_confidence(confidence, 5, 5 + days * DAY, &settings);
    assert_eq!([after(0.95, 0), after(0.95, 30), after(0.95, 60), after(0.95, 90)], [0.95, 0.75, 0.65, 0.60]);
    assert_eq!(after(0.65, 30), 0.60);
    assert_eq!(effective_confidence(0.95, 0, 900 * DAY, &ReliabilitySettings::default()), 0.95, "unless nothing is set");
}

#[test]
fn e21_an_overlay_is_stale_after_thirty_days_and_not_before() {
    let settings = OverlaySettings::default();
    let overlay = overlay(0.8, &[]);
    assert!(!overlay.is_stale(30 * DAY, &settings));
    assert!(overlay.is_stale(30 * DAY + 1000, &settings), "a millisecond later");
}

#[test]
fn a_gate_takes_the_stricter_of_what_is_asked_and_what_is_known() {
    use learn::policy::{BaseRisk, GateQuestion};
    let settings = Settings::default();
    let (risky, sound) = (overlay(0.6, &[]), overlay(0.8, &[]));
    let ask = |overlay, base_retries, base_approval| {
        let risk = Some(BaseRisk::Level(RiskLevel::High));
        let question = GateQuestion { adapter: "github", risk, base_retries, base_approval, requires_known: false, now_micros: 0 };
        decide_gate(question, overlay, &settings.gate, &settings.overlay)
    };
    let answer = ask(Some(&risky), Some(5), false);
    assert_eq!((answer.approval, answer.multiplier, answer.retries, answer.attempts), (true, 1.4, 1, 2));
    assert_eq!(answer.risk, Some(1.0), "a risk has its bound");
    assert_eq!(ask(Some(&sound), Some(1), false).retries, 1, "what the caller allows is never raised");
    assert!(ask(Some(&sound), None, true).approval);
    assert_eq!(ask(Some(&sound), None, false).retries, 2, "what the settings allow counts where the caller says nothing");
    let lapsed = Overlay { expires_at: Some("1970-01-01T00:00:00Z".to_owned()), ..sound.clone() };
    assert!(ask(Some(&lapsed), None, false).approval, "what a person allowed for a time is over");
    let neutral = ask(None, Some(7), false);
    assert_eq!((neutral.approval, neutral.multiplier, neutral.retries, neutral.known), (false, 1.0, 7, false));
    assert_eq!(neutral.risk, Some(0.75));
}

/// An adapter of that score, after enough runs to be trusted.
fn scored(adapter: &str, score: f64, last_micros: i64) -> Reliability {
    let tally = Tally { runs: 100, ..Tally::default() };
    Reliability {
        adapter: adapter.to_owned(),
        tally,
        score,
        last_micros,
        missing: learn::policy::Missing::default(),
        lowest: score,
        highest: score,
    }
}
