//! `outerloop patterns` and `outerloop explain` for what roles have gathered.

use serde_json::{Value, json};

use crate::feedback::{Pipeline, SAYING, report, verdict};

const OTHER: &str = "Config loader falls back silently on missing keys";
const PASS: &str = r#"{"verdict":"PASS"}"#;

/// A pipeline whose judge has said something about each of some issues.
fn said(issues: &[&str], text: &str) -> Pipeline {
    let pipeline = Pipeline::new();
    say(&pipeline, issues, text);
    pipeline.learn();
    pipeline
}

fn say(pipeline: &Pipeline, issues: &[&str], text: &str) {
    for issue in issues {
        let arguments = ["memory", "store", "--role", "judge", "--project", "web", "--issue", issue, "--text", text, "--strict"];
        pipeline.scene.done(&arguments);
    }
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|pattern| pattern["id"].as_str().expect("an id")).collect()
}

fn decide(pipeline: &Pipeline, action: &str, more: &[&str]) {
    pipeline.scene.done(&[&["patterns", action, "d-001", "--reason", "we agree", "--actor", "ann"], more].concat());
    pipeline.learn();
}

#[test]
fn patterns_of_roles_are_listed_beside_those_of_lessons() {
    let pipeline = said(&["1"], OTHER);
    say(&pipeline, &["1", "2", "3"], SAYING);
    let screens = "Screens are compared pixel by pixel";
    pipeline.scene.done(&["memory", "store", "--role", "lens", "--project", "web", "--text", screens]);
    pipeline.learn();
    let list = |more: &[&str]| pipeline.json(&[&["patterns", "list", "--json"], more].concat());
    assert_eq!(ids(&list(&[])), [""; 0], "lessons are other patterns");
    assert_eq!(ids(&list(&["--roles"])).len(), 3);
    assert_eq!(ids(&list(&["--role", "JUDGE"])), ["D-002", "D-001"], "the one that was used later is worth more");
    assert_eq!(ids(&list(&["--role", "judge", "--limit", "1"])), ["D-002"]);
    assert_eq!(ids(&list(&["--state", "verified"])), ["D-002"]);
    assert_eq!(ids(&list(&["--roles", "--project", "shop"])), [""; 0]);
    let table = pipeline.scene.done(&["patterns", "list", "--roles"]).out;
    assert!(table.contains("verified") && table.contains("Config loader"), "{table}");
    let outcome = pipeline.scene.run(&["patterns", "list", "--state", "sparkling"]);
    assert!(outcome.code == 2 && outcome.error.contains("observed, candidate, verified"), "{}", outcome.error);
    assert_eq!(pipeline.scene.run(&["patterns", "list", "--roles", "--flag", "stale"]).code, 2);
}

#[test]
fn a_card_shows_the_sum_that_a_score_is() {
    let pipeline = said(&["1", "2"], SAYING);
    let card = pipeline.scene.done(&["patterns", "show", "d-001"]).out;
    for wanted in ["D-001  Validate webhook", "candidate observation of judge, project web", "2 / (2 + 0) x decay", "in 2 contexts"]
    {
        assert!(card.contains(wanted), "{wanted} in {card}");
    }
    let outcome = pipeline.scene.run(&["patterns", "show", "D-099"]);
    assert!(outcome.code == 2 && outcome.error.contains("patterns list --roles"), "{}", outcome.error);
}

#[test]
fn only_what_is_verified_becomes_active_without_force() {
    let pipeline = said(&["1"], SAYING);
    let outcome = pipeline.scene.run(&["patterns", "promote", "D-001", "--reason", "now"]);
    assert!(
        outcome.code == 2 && outcome.error.contains("D-001 is observed") && outcome.error.contains("--force"),
        "{}",
        outcome.error
    );
    let landed = pipeline.landed();
    assert_eq!(pipeline.scene.run(&["patterns", "promote", "D-077", "--reason", "now"]).code, 2);
    assert_eq!(pipeline.landed(), landed);
    say(&pipeline, &["2", "3"], SAYING);
    pipeline.learn();
    assert_eq!(pipeline.pattern("D-001")["state"], "verified");
    decide(&pipeline, "promote", &[]);
    let pattern = pipeline.pattern("D-001");
    assert_eq!((&pattern["state"], &pattern["note"]), (&"active".into(), &"ann: we agree".into()));
    let card = pipeline.scene.done(&["patterns", "show", "D-001"]).out;
    assert!(card.contains("decided by ann: we agree"), "{card}");
}

#[test]
fn force_holds_and_a_retirement_can_be_undone() {
    let pipeline = said(&["1"], SAYING);
    let state = || pipeline.pattern("D-001")["state"].as_str().expect("a state").to_owned();
    decide(&pipeline, "promote", &["--force"]);
    assert_eq!(state(), "active");
    decide(&pipeline, "retire", &[]);
    assert_eq!(state(), "deprecated");
    assert_eq!(ids(&pipeline.json(&["patterns", "list", "--roles", "--json"])), [""; 0]);
    assert_eq!(ids(&pipeline.json(&["patterns", "list", "--roles", "--all", "--json"])), ["D-001"]);
    let block = pipeline.scene.done(&["inject", "--role", "judge", "--project", "web"]).out;
    assert_eq!(block, "");
    decide(&pipeline, "restore", &[]);
    assert_eq!(state(), "active");
    decide(&pipeline, "reject", &[]);
    say(&pipeline, &["2", "3"], SAYING);
    pipeline.learn();
    assert_eq!(state(), "deprecated", "what a person refused stays refused");
}

#[test]
fn a_regression_is_listed_until_it_is_cleared() {
    let pipeline = said(&["1"], SAYING);
    for run in ["r1", "r2", "r3"] {
        pipeline.scene.done(&["memory", "reinforce", "D-001", "--level", "1", "--run", run, "--strict"]);
    }
    pipeline.learn();
    let outcome = pipeline.scene.run(&["patterns", "clear", "D-001", "--reason", "fine"]);
    assert!(outcome.code == 2 && outcome.error.contains("no regression"), "{}", outcome.error);
    assert_eq!(pipeline.pattern("D-001")["is_immune"], true);
    pipeline.scene.done(&["memory", "ignore", "D-001", "--run", "r4", "--strict"]);
    pipeline.learn();
    let review = pipeline.json(&["patterns", "review", "--json"]);
    assert_eq!(ids(&review["review"]["regressions"]), ["D-001"]);
    assert_eq!(pipeline.json(&["patterns", "status", "--json"])["regressions"], 1);
    let shown = pipeline.scene.done(&["patterns", "review"]).out;
    assert!(shown.contains("Regressions: trusted but rejected") && shown.contains("D-001"), "{shown}");
    assert!(pipeline.scene.done(&["patterns", "show", "D-001"]).out.contains("[REGRESSION]"));
    decide(&pipeline, "clear", &[]);
    assert_eq!(ids(&pipeline.json(&["patterns", "review", "--json"])["review"]["regressions"]), [""; 0]);
    let outcome = pipeline.scene.run(&["patterns", "clear", "P-001", "--reason", "fine"]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
}

#[test]
fn review_and_status_say_what_people_should_look_at() {
    let pipeline = said(&["1", "2", "3"], SAYING);
    // Six words of nine: alike enough to look at, not enough to be one.
    say(&pipeline, &["1"], "Validate webhook signatures before the handler reads any body");
    let rejects = r#"{"verdict":"PASS","false_positives":["The moon is made of green cheese and nobody noticed"]}"#;
    pipeline.judge([&report(&[OTHER], PASS), &verdict(rejects)], &["--run", "r1"]);
    pipeline.learn();
    let review = pipeline.json(&["patterns", "review", "--json"])["review"].clone();
    assert_eq!(ids(&review["waiting"]), ["D-001"]);
    let status = pipeline.json(&["patterns", "status", "--json"]);
    assert_eq!((&status["health"], &status["patterns"], &status["unmatched"]), (&"good".into(), &3.into(), &1.into()), "{status}");
    assert_eq!(review["pairs"].as_array().map(Vec::len), status["pairs"].as_u64().and_then(|pairs| usize::try_from(pairs).ok()));
    assert!(status["by_state"].as_array().expect("a list").contains(&json!({"name": "verified", "patterns": 1})), "{status}");
    assert_eq!(pipeline.json(&["patterns", "status", "--role", "lens", "--json"])["patterns"], 0);
    let text = pipeline.scene.done(&["patterns", "status"]).out;
    assert!(text.contains("health: good") && text.contains("1 rejected findings match no pattern"), "{text}");
    let text = pipeline.scene.done(&["patterns", "review"]).out;
    assert!(text.contains("Verified, waiting for promotion"), "{text}");
}

#[test]
fn people_are_told_loudly_that_nothing_is_published() {
    let pipeline = Pipeline::new();
    for action in ["review", "status"] {
        let outcome = pipeline.scene.run(&["patterns", action]);
        assert!(outcome.code == 2 && outcome.error.contains("outerloop run hourly"), "{}", outcome.error);
    }
}

#[test]
fn the_moments_of_a_life_add_up_to_its_score() {
    let pipeline = said(&["1", "2"], SAYING);
    pipeline.scene.done(&["memory", "ignore", "D-001", "--run", "r1", "--strict"]);
    pipeline.scene.done(&["memory", "reinforce", "D-001", "--level", "2", "--run", "r2", "--strict"]);
    pipeline.scene.done(&["patterns", "promote", "D-001", "--force", "--reason", "we agree"]);
    pipeline.learn();
    let told = pipeline.json(&["explain", "d-001", "--json"]);
    let moments = told["moments"].as_array().expect("a list");
    let kinds: Vec<&str> = moments.iter().map(|moment| moment["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["deliberation", "deliberation", "verdict", "verdict", "curation"]);
    let counts: Vec<(i64, f64)> = moments
        .iter()
        .map(|moment| (moment["successes"].as_i64().expect("a count"), moment["penalty"].as_f64().expect("a number")))
        .collect();
    assert_eq!(counts, [(1, 0.0), (2, 0.0), (2, 1.0), (3, 1.0), (3, 1.0)]);
    let place = moments[0]["place"].as_str().expect("a place");
    assert!(place.starts_with("record-") && place.ends_with(".jsonl:1"), "{place}");
    let number = |value: &Value| value.as_f64().expect("a number");
    let pattern = &told["pattern"];
    let sum = number(&pattern["successes"]) / (number(&pattern["successes"]) + number(&pattern["penalty"]))
        * number(&pattern["decay"])
        * number(&told["weight"]);
    assert!((sum - number(&pattern["score"])).abs() < 1e-9, "{told}");
    assert_eq!((pattern, &told["changed_since"]), (&pipeline.pattern("D-001"), &json!([])));
    let text = pipeline.scene.done(&["explain", "D-001", "--limit", "2"]).out;
    for wanted in ["\nHistory\n", "reinforced by a PASS with evidence", "and 3 earlier ones", "3 / (3 + 1) x "] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    let outcome = pipeline.scene.run(&["explain", "D-404"]);
    assert!(outcome.code == 2 && outcome.error.contains("there is no pattern"), "{}", outcome.error);
}
