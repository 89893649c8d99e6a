//! The worked numbers, each end to end: what lands, what is published, what a role is shown. Those about embeddings and about files of
//! memory are tested where these are.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Team, assert_near, ended, passed, rejected, rejected_often, said, said_often, shown, with};
use crate::support::published::set;

const RULE: &str = "[rule] Always validate the webhook signature before parsing";
const CAUSAL: &str = "Unbounded retries hide upstream timeouts because errors are swallowed";
const PLAIN: &str = "Config loader falls back silently on missing keys";

/// Half of the last digit that is given.
const FOUR: f64 = 5e-5;
const EXACT: f64 = 1e-12;

#[test]
fn j1_j2_a_fresh_observation_is_worth_one_and_fades() {
    let team = Team::of(&[said("d0", "judge", 0.0, "1", &[PLAIN])]);
    assert_near(team.pattern("judge", 0.0).score, 1.0, EXACT);
    for (on, score) in [(7.0, 0.6065), (9.704, 0.5), (14.0, 0.3679), (28.0, 0.1353)] {
        assert_near(team.pattern("judge", on).score, score, FOUR);
    }
}

#[test]
fn j3_patterns_are_shown_until_they_are_worth_less_than_a_tenth() {
    let task = json!({"labels": ["auth"], "files": ["src/login.rs"], "phase": "review"});
    let team = Team::of(&[with(said("d0", "judge", 0.0, "1", &[PLAIN, RULE]), &task)]);
    team.publish(0.0);
    let plain = |on| team.ids("judge", on, &[]);
    let in_task = |on| team.ids("judge", on, &["--labels", "Auth", "--files", "./src/login.rs", "--phase", "review"]);
    assert_eq!(plain(32.0), ["D-002", "D-001"], "an observation is at 0.1017");
    assert_eq!(plain(32.235), ["D-002", "D-001"]);
    assert_eq!(plain(32.237), ["D-002"]);
    assert_eq!(plain(33.0), ["D-002"], "an observation is at 0.0947");
    assert_eq!((plain(35.908), plain(35.910)), (vec!["D-002".to_owned()], Vec::new()));
    assert_eq!((in_task(39.032), in_task(39.034)), (vec!["D-002".to_owned()], Vec::new()));
    assert!(in_task(42.0).is_empty(), "the most that can be left is 0.0809");
}

#[test]
fn j4_what_was_reinforced_three_times_does_not_fade() {
    let mut events = said_often(2, "judge", 0.0, RULE);
    events.extend(said_often(3, "auditor", 0.0, RULE));
    events.extend(["r1", "r2", "r3"].map(|run| passed(&format!("j {run}"), "judge", 0.0, run)));
    events.extend(["r1", "r2"].map(|run| passed(&format!("a {run}"), "auditor", 0.0, run)));
    let team = Team::of(&events);
    for (role, reinforced, score) in [("judge", 3, 1.3), ("auditor", 2, 0.00103)] {
        let found = team.pattern(role, 100.0);
        assert_eq!((found.successes, found.reinforced), (5, reinforced));
        assert_near(found.score, score, 5e-6);
    }
}

#[test]
fn j5_rejections_weigh_by_the_role_and_those_of_old_stores_one_each() {
    let mut events = Vec::new();
    for role in ["judge", "sentinel"] {
        events.extend(said_often(5, role, 0.0, PLAIN));
        events.extend(rejected_often(2, role, 0.0, PLAIN));
    }
    for (role, weight) in [("auditor", json!(0)), ("architect", Value::Null), ("builder", json!(3.0))] {
        let prior = json!({"prior": {"success_count": 5, "ignore_count": 2, "ignore_weight_score": weight}});
        events.push(with(said(role, role, 0.0, "1", &[PLAIN]), &prior));
    }
    let team = Team::of(&events);
    let scores = team.patterns(0.0);
    for (role, penalty, rate) in [
        ("judge", 2.0, 0.7143),
        ("sentinel", 3.0, 0.625),
        ("auditor", 2.0, 0.7143),
        ("architect", 2.0, 0.7143),
        ("builder", 3.0, 0.625),
    ] {
        let found = scores.iter().find(|score| score.role == role).expect("a pattern");
        assert_eq!((found.successes, found.ignored), (5, 2), "{role}");
        assert_near(found.penalty, penalty, EXACT);
        assert_near(found.rate, rate, FOUR);
    }
}

#[test]
fn j6_one_success_and_three_rejections() {
    let mut events = Vec::new();
    for role in ["judge", "sentinel"] {
        events.push(said(role, role, 0.0, "1", &[PLAIN]));
        events.extend(rejected_often(3, role, 0.0, PLAIN));
    }
    let team = Team::of(&events);
    team.publish(0.0);
    for (role, rate) in [("judge", 0.25), ("sentinel", 1.0 / 5.5)] {
        let shown = team.shown(role, 0.0, &[]);
        assert_near(shown["patterns"][0]["rate"].as_f64().expect("a rate"), rate, EXACT);
        assert!(shown["text"].as_str().expect("a text").contains(&format!("- [-2 net, 3x ignored] {PLAIN}\n")), "{shown}");
    }
}

#[test]
fn j7_a_task_like_those_it_was_learned_in_raises_a_pattern() {
    let task = json!({"labels": ["auth", "jkz:auto"], "phase": "review", "files": ["src/login.rs"]});
    let mut events: Vec<Value> = said_often(6, "sentinel", 0.0, RULE).into_iter().map(|event| with(event, &task)).collect();
    events.push(rejected("v", "sentinel", 0.0, &[RULE]));
    let team = Team::of(&events);
    team.publish(10.0);
    let more = ["--labels", "AUTH,jkz:auto", "--phase", "Review", "--files", "login.rs"];
    let shown = team.shown("sentinel", 10.0, &more);
    assert_near(shown["patterns"][0]["score"].as_f64().expect("a score"), 0.585_492, 5e-7);
    let shown = team.shown("sentinel", 10.0, &["--labels", "jkz:auto", "--phase", "plan"]);
    assert_near(shown["patterns"][0]["score"].as_f64().expect("a score"), 0.585_492 / 1.15, 5e-7);
}

#[test]
fn j8_the_best_come_first() {
    let mut events = said_often(2, "judge", 0.0, CAUSAL);
    events.extend(["r1", "r2", "r3"].map(|run| passed(run, "judge", 0.0, run)));
    events.push(rejected("v1", "judge", 0.0, &[CAUSAL]));
    events.extend(said_often(4, "judge", 17.0, RULE));
    events.push(rejected("v2", "judge", 17.0, &[RULE]));
    events.extend(said_often(9, "judge", 20.0, PLAIN));
    let team = Team::of(&events);
    team.publish(20.0);
    let shown = team.shown("judge", 20.0, &[]);
    let scores: Vec<f64> = (0..3).map(|place| shown["patterns"][place]["score"].as_f64().expect("a score")).collect();
    for (score, wanted) in scores.into_iter().zip([1.0, 0.9167, 0.8394]) {
        assert_near(score, wanted, FOUR);
    }
    assert_eq!(
        shown["text"],
        format!(
            "=== HISTORICAL PATTERNS (judge) ===\n- [9x validated] {PLAIN}\n- [+4 net, 1x ignored] {CAUSAL}\n- [+3 net, 1x ignored] {}\n\
             === END HISTORICAL PATTERNS ===\n",
            &RULE[7..]
        )
    );
}

#[test]
fn j10_rejections_take_a_pattern_out_of_sight() {
    let mut events = Vec::new();
    for (role, few, many) in [("sentinel", 6, 7), ("judge", 9, 10)] {
        for (saying, times) in [(PLAIN, few), ("Login handler lacks a null check", many)] {
            events.push(said(&format!("{role} {times}"), role, 0.0, "1", &[saying]));
            events.extend(rejected_often(times, role, 0.0, saying));
        }
    }
    // From five successes it takes longer.
    for (role, few, many) in [("architect", 5, 6), ("inspector", 3, 4)] {
        for (saying, times) in [(PLAIN, few), ("Login handler lacks a null check", many)] {
            events.extend(said_often(5, role, 0.0, saying));
            events.extend(rejected_often(times, role, 0.0, saying));
        }
    }
    let team = Team::of(&events);
    let scores = team.patterns(0.0);
    let rates = |role: &str| scores.iter().filter(|score| score.role == role).map(|score| score.rate).collect::<Vec<_>>();
    for (role, kept, dropped) in [("sentinel", 0.1, 0.0870), ("judge", 0.1, 0.0909)] {
        assert_near(rates(role)[0], kept, EXACT);
        assert_near(rates(role)[1], dropped, FOUR);
        let shown = team.shown(role, 0.0, &[]);
        assert_eq!(shown["patterns"].as_array().map(Vec::len), Some(1), "{shown}");
        assert_eq!(shown["patterns"][0]["text"], PLAIN);
    }
    for role in ["architect", "inspector"] {
        assert!(rates(role)[0] >= 0.5 && rates(role)[1] < 0.5, "{role}: {:?}", rates(role));
    }
}

#[test]
fn j11_what_is_rejected_each_time_it_is_said_is_not_shown_for_ever() {
    let mut events = Vec::new();
    for run in 0..10 {
        let on = f64::from(run) / 10.0;
        for role in ["judge", "auditor", "sentinel"] {
            let id = format!("{role} {run}");
            events.push(said(&id, role, on, "1", &[PLAIN]));
            // Whoever says which text it judges takes back what that text counted for.
            let judged = if role == "judge" { json!({"deliberation_id": id}) } else { json!({}) };
            events.push(with(rejected(&format!("no {id}"), role, on, &[PLAIN]), &judged));
        }
    }
    let team = Team::of(&events);
    let scores = team.patterns(1.0);
    for (role, successes, rate) in [("judge", 1, 0.0909), ("auditor", 10, 0.5), ("sentinel", 10, 0.4)] {
        let found = scores.iter().find(|score| score.role == role).expect("a pattern");
        assert_eq!((found.successes, found.ignored, found.seen), (successes, 10, 10), "{role}");
        assert_near(found.rate, rate, FOUR);
    }
    assert_eq!(team.ids("judge", 0.0, &[]), [""; 0]);
    assert_eq!(team.ids("auditor", 1.0, &[]), ["D-002"]);
}

/// The story of a rule of the judge.
fn story() -> Vec<Value> {
    let mut events = vec![
        with(said("d0", "judge", 0.0, "10", &[RULE]), &json!({"run_id": "run-10", "iteration": 1})),
        with(said("d3", "judge", 3.0, "10", &[RULE]), &json!({"run_id": "run-10", "iteration": 2})),
        said("d9", "judge", 9.0, "14", &[RULE]),
    ];
    events.extend([12, 20, 25].map(|on| passed(&format!("p{on}"), "judge", f64::from(on), &format!("run-{on}"))));
    events.push(said("d60", "judge", 60.0, "20", &[RULE]));
    let verdict = json!({"deliberation_id": "d60", "validator_id": "i60", "rejected": null, "false_positives": ["J1"],
        "issues": [{"id": "J1", "summary": "Always validate the webhook signature before parsing"}]});
    events.push(with(rejected("v60", "judge", 60.0, &[]), &verdict));
    events
}

#[test]
fn j12_a_rule_lives_from_its_first_sighting_to_a_regression() {
    let team = Team::of(&story());
    for (on, state, successes, contexts, reinforced, is_trusted) in [
        (0.0, "observed", 1, 1, 0, false),
        (2.9, "observed", 1, 1, 0, false),
        (3.0, "candidate", 2, 1, 0, false),
        (9.0, "verified", 3, 2, 0, false),
        (12.0, "verified", 4, 2, 1, false),
        (20.0, "verified", 5, 2, 2, false),
        (25.0, "verified", 6, 2, 3, true),
        (59.9, "verified", 6, 2, 3, true),
        (60.0, "verified", 6, 3, 3, true),
    ] {
        let found = team.pattern("judge", on);
        let figures = (found.state.name(), found.successes, found.contexts, found.reinforced, found.is_trusted);
        assert_eq!(figures, (state, successes, contexts, reinforced, is_trusted), "on day {on}");
        assert_eq!(found.regressed.is_some(), on >= 60.0, "on day {on}");
    }
    let found = team.pattern("judge", 60.0);
    assert_near(found.penalty, 1.0, EXACT);
    assert_near(found.rate, 0.8571, FOUR);
    assert_near(found.score, 1.1143, FOUR);
    assert_eq!(found.last_used, super::time(25.0), "what was ruled out is no use");
    let shown = team.shown("judge", 60.0, &[]);
    assert!(shown["text"].as_str().expect("a text").contains("- [+5 net, 1x ignored] Always validate"), "{shown}");
    // In the order of days or in any other, in one file or in many: the story is the same.
    let other = Team::new();
    for (place, event) in story().iter().enumerate().rev() {
        other.scene.land(&format!("{place}.jsonl"), format!("{event}\n").as_bytes());
    }
    other.scene.done(&["run", "compact"]);
    assert_eq!(other.patterns(60.0), team.patterns(60.0));
    // Without immunity it would fade, and be dropped.
    set(&team.scene, "[inject.score]\nimmune_from = 100\n\n[deliberation]\nidle_days = 1000\n");
    assert_near(team.pattern("judge", 60.0).score, 0.0915, FOUR);
    assert_eq!(team.ids("judge", 60.0, &[]), [""; 0]);
}

#[test]
fn j13_how_the_work_turned_out_counts_and_the_last_word_counts_alone() {
    let mut events = said_often(5, "judge", 0.0, PLAIN);
    for role in ["sentinel", "inspector"] {
        events.extend(said_often(3, role, 0.0, PLAIN));
        events.push(rejected(&format!("no {role}"), role, 0.0, &[PLAIN]));
    }
    for (role, pattern, has_passed) in [("judge", "D-001", false), ("sentinel", "D-002", true), ("inspector", "D-003", false)] {
        events.push(shown(&format!("shown {role}"), role, 0.5, role, pattern));
        events.push(ended(&format!("ended {role}"), 1.0, role, has_passed));
        events.push(ended(&format!("ended {role} again"), 1.5, role, has_passed));
    }
    events.push(ended("reverted", 5.0, "judge", true));
    let team = Team::of(&events);
    let rates = |on| team.patterns(on).iter().map(|score| score.rate).collect::<Vec<_>>();
    for (on, wanted) in
        [(0.9, [1.0, 0.6667, 0.6667]), (1.0, [0.9091, 0.7273, 0.6]), (2.0, [0.9091, 0.7273, 0.6]), (5.0, [1.0, 0.7273, 0.6])]
    {
        for (rate, wanted) in rates(on).into_iter().zip(wanted) {
            assert_near(rate, wanted, FOUR);
        }
    }
    assert_eq!(team.pattern("judge", 5.0).successes, 6);
}

#[test]
fn j14_the_same_words_have_the_same_hash() {
    let spellings =
        ["- [rule] Always validate  the webhook signature before parsing.", "always validate the webhook signature before parsing"];
    let mut events = Vec::new();
    for (role, sayings) in [("judge", &spellings[..1]), ("auditor", &spellings[1..]), ("sentinel", &spellings[..])] {
        events.push(with(said(role, role, 0.0, "1", &[]), &json!({"patterns": sayings})));
    }
    let scores = Team::of(&events).patterns(0.0);
    assert_eq!(scores.len(), 3);
    for score in scores {
        assert!(score.text_hash.starts_with("2c4a6fb29d1ebb2c"), "{score:?}");
    }
}

#[test]
fn j15_likeness_merges_sayings_and_finds_what_is_rejected() {
    let (one, other) =
        ("Missing null check on user session in login handler", "login handler lacks a null check for the user session");
    let race = "there is a race with some condition in the worker of the pool";
    let team = Team::of(&[
        said("j", "judge", 0.0, "1", &[one, other]),
        said("a", "auditor", 0.0, "1", &[one, race]),
        said("s", "sentinel", 0.0, "1", &["Validate webhook signature before parsing body"]),
        said("t", "sentinel", 0.0, "1", &["Always validate webhook signature before parsing the body"]),
        rejected("v", "auditor", 0.0, &[other, "missing timeout on database pool in worker handler", "race condition"]),
    ]);
    let scores = team.patterns(0.0);
    let figures: Vec<_> = scores.iter().map(|score| (&*score.role, &*score.text, score.successes, score.ignored)).collect();
    assert_eq!(
        figures,
        [
            ("judge", one, 1, 0),
            ("judge", other, 1, 0),
            ("auditor", one, 1, 1),
            ("auditor", race, 1, 0),
            ("sentinel", "Validate webhook signature before parsing body", 2, 0)
        ]
    );
    let report = std::fs::read_to_string(team.publish(0.0).join("report.md")).expect("the report");
    assert!(report.contains("2 rejected findings of auditor in web match no pattern."), "{report}");
}

/// Three patterns, of which the judge has learned two.
fn block() -> Team {
    let (webhook, retries) = ("Validate webhook signatures before parsing the body", CAUSAL);
    let mut events = said_often(5, "judge", 10.0, webhook);
    events.push(said("retries", "judge", 10.0, "1", &[retries]));
    events.extend(rejected_often(3, "judge", 10.0, retries));
    // At the discount for another role's patterns, 0.42 is left of it.
    events.push(said("config", "auditor", 10.0 - 9.0208, "1", &[PLAIN]));
    let team = Team::of(&events);
    team.publish(10.0);
    team
}

#[test]
fn j16_a_block_is_as_it_should_be() {
    let shown = block().shown("judge", 10.0, &[]);
    let text = shown["text"].as_str().expect("a text");
    assert_eq!(
        text,
        "=== HISTORICAL PATTERNS (judge) ===\n\
         - [5x validated] Validate webhook signatures before parsing the body\n\
         - [-2 net, 3x ignored] Unbounded retries hide upstream timeouts because errors are swallowed\n\
         - [score:0.42] Config loader falls back silently on missing keys (via:auditor)\n\
         === END HISTORICAL PATTERNS ===\n"
    );
    assert_eq!((text.chars().count(), text.chars().count().div_ceil(4)), (309, 78));
    assert_eq!((&shown["tokens"], &shown["budget"], &shown["reach"]), (&json!(79), &json!(800), &json!("full")));
    let tokens: Vec<_> = (0..3).map(|place| shown["patterns"][place]["tokens"].clone()).collect();
    assert_eq!(tokens, [18, 24, 20]);
}

#[test]
fn j17_a_block_keeps_to_its_budget() {
    let team = block();
    let fit = |more: &[&str]| {
        let shown = team.shown("judge", 10.0, more);
        (shown["reach"].as_str().expect("a word").to_owned(), super::ids(&shown).len(), shown["tokens"].as_i64().expect("a number"))
    };
    for budget in ["800", "500"] {
        assert_eq!(fit(&["--budget", budget]), ("full".to_owned(), 3, 79));
    }
    for budget in ["60", "40"] {
        assert_eq!(fit(&["--budget", budget]), ("none".to_owned(), 0, 0), "too little is nothing");
    }
    set(&team.scene, "[inject]\nleast_tokens = 0\n");
    assert_eq!(fit(&["--budget", "60"]), ("truncated".to_owned(), 2, 59));
    assert_eq!(fit(&["--budget", "40"]), ("truncated".to_owned(), 1, 35));
}

#[test]
fn j18_thirty_long_lines_fit_an_adversary_and_eighteen_another_role() {
    let saying = |number: usize| {
        let mut text = String::new();
        for part in 0..8 {
            // Writing to a string cannot fail.
            let _ = write!(text, "w{number:02}x{part} ");
        }
        format!("{text}{}", "y".repeat(85 - text.len()))
    };
    let mut events = Vec::new();
    for role in ["judge", "curator"] {
        for first in (0..40).step_by(10) {
            let sayings: Vec<String> = (first..first + 10).map(saying).collect();
            let sayings: Vec<&str> = sayings.iter().map(String::as_str).collect();
            events.push(said(&format!("{role} {first}"), role, 0.0, "1", &sayings));
        }
    }
    let team = Team::of(&events);
    team.publish(0.0);
    for (role, lines) in [("judge", 30), ("curator", 18)] {
        let shown = team.shown(role, 0.0, &["--most", "40"]);
        assert_eq!((super::ids(&shown).len(), &shown["patterns"][0]["tokens"]), (lines, &json!(26)), "{role}");
    }
}

#[test]
fn j20_a_place_is_a_path_with_an_extension_and_a_line() {
    let cases = [("src/auth.ts:42", 2), ("a/b.rs:10-14", 2), ("file.ts", 3), ("localhost:3000", 3), ("10:30", 3), ("v1.2:3", 3)];
    let event = |(place, _): &(&str, i64)| {
        with(said(place, "judge", 0.0, "1", &[]), &json!({"text": format!("At {place} stands `let x = 1`")}))
    };
    let team = Team::of(&cases.iter().map(event).collect::<Vec<_>>());
    let out =
        team.scene.done(&["query", "select id, evidence_level from deliberation order by landing_seq", "--format", "csv"]).out;
    let wanted: Vec<String> = cases.iter().map(|(place, level)| format!("{place},{level}")).collect();
    assert_eq!(out.lines().skip(1).collect::<Vec<_>>(), wanted);
}

#[test]
fn j21_a_verdict_is_the_last_block_that_can_be_read() {
    let block = |json: &str| format!("<!-- jkz:verdict-json\n{json}\n-->\n");
    let cases = [
        ("nothing to mend", block(r#"{"verdict":"FAIL","must_fix":[]}"#), "PASS"),
        ("something to mend", block(r#"{"verdict":"FAIL","must_fix":["J1"]}"#), "FAIL"),
        ("two", block(r#"{"verdict":"PASS"}"#) + &block(r#"{"verdict":"FAIL","must_fix":["J1"]}"#), "FAIL"),
        ("plain", r#"jkz:verdict-json {"verdict":"PASS"}"#.to_owned(), ""),
        ("broken", block(r#"{"verdict":"PASS""#), ""),
    ];
    let mut events: Vec<Value> =
        cases.iter().map(|(id, text, _)| with(said(id, "judge", 0.0, "1", &[]), &json!({"text": text}))).collect();
    // The same of a verdict that is an event of its own: only what passes reinforces.
    events.extend([said("a", "auditor", 0.0, "1", &[PLAIN]), said("s", "sentinel", 0.0, "1", &[PLAIN])]);
    let fail =
        |id: &str, role: &str, must_fix: Value| with(passed(id, role, 1.0, id), &json!({"verdict": "FAIL", "must_fix": must_fix}));
    events.extend([fail("v1", "auditor", json!([])), fail("v2", "sentinel", json!(["S1"]))]);
    let team = Team::of(&events);
    let sql = "select id, coalesce(verdict, '') as verdict from deliberation where role = 'judge' order by landing_seq";
    let out = team.scene.done(&["query", sql, "--format", "csv"]).out;
    let lines: Vec<&str> = out.lines().skip(1).map(|line| line.trim_end_matches("\"\"")).collect();
    let wanted: Vec<String> = cases.iter().map(|(id, _, verdict)| format!("{id},{verdict}")).collect();
    assert_eq!(lines, wanted);
    let reinforced: Vec<i64> = team.patterns(1.0).iter().map(|score| score.reinforced).collect();
    assert_eq!(reinforced, [1, 0]);
}
