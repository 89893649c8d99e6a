//! `outerloop consensus`: weights, thresholds, vetoes and exit codes.

use serde_json::{Value, json};

use super::{document, parse, publish_document, thresholds};
use crate::support::{Outcome, Scene};

fn decide(scene: &Scene, risk: &str, decisions: &Value) -> (Outcome, Value) {
    let outcome = scene.run_with(&["consensus", "--risk", risk, "--json"], decisions.to_string().as_bytes());
    let value = parse(&outcome.out);
    (outcome, value)
}

fn team(reviewer: &str) -> Value {
    json!([
        {"agent": "planner", "decision": "approve", "confidence": 0.9},
        {"agent": "builder", "decision": "approve", "confidence": 0.8},
        {"agent": "reviewer", "decision": reviewer, "confidence": 0.7},
        {"agent": "security", "decision": "approve", "confidence": 0.95},
    ])
}

#[test]
fn agents_weigh_as_much_as_they_are_reliable_and_sure() {
    let scene = Scene::new();
    let (outcome, consensus) = decide(&scene, "medium", &team("needs-review"));
    let weights: Vec<f64> =
        consensus["votes"].as_array().expect("a list").iter().map(|vote| vote["weight"].as_f64().expect("a number")).collect();
    for (found, wanted) in weights.iter().zip([1.860_480, 1.720_820, 1.754_676, 2.461_188]) {
        assert!((found - wanted).abs() < 1e-6, "{weights:?}");
    }
    assert!((consensus["approval"].as_f64().expect("a number") - 0.775).abs() < 1e-3, "{consensus}");
    assert_eq!((&consensus["verdict"], &consensus["pause"]), (&json!("approve"), &json!(true)));
    assert_eq!(outcome.code, 1, "a person is asked at medium risk");
    assert!(outcome.error.contains("no policies are published yet"), "{}", outcome.error);
    let (outcome, consensus) = decide(&scene, "low", &team("needs-review"));
    assert_eq!((outcome.code, &consensus["pause"]), (0, &json!(false)));
}

#[test]
fn published_thresholds_and_profiles_decide() {
    let scene = Scene::new();
    let mut published = document(vec![]);
    publish_document(&scene, &published);
    assert_eq!(decide(&scene, "low", &team("needs-review")).0.code, 0);
    published.whole.thresholds = thresholds([0.8, 0.8, 0.8]);
    publish_document(&scene, &published);
    let (outcome, consensus) = decide(&scene, "low", &team("needs-review"));
    assert_eq!((outcome.code, &consensus["verdict"], &consensus["threshold"]), (1, &json!("needs-review"), &json!(0.8)));
    published.whole.agents[2].reliability = 0.3;
    publish_document(&scene, &published);
    let (outcome, consensus) = decide(&scene, "low", &team("needs-review"));
    assert_eq!((outcome.code, &consensus["verdict"]), (0, &json!("approve")), "a reviewer of little reliability weighs less");
}

#[test]
fn a_veto_decides_alone_where_its_agent_has_one() {
    let scene = Scene::new();
    let (outcome, consensus) = decide(&scene, "medium", &team("reject"));
    assert_eq!((outcome.code, &consensus["verdict"], &consensus["vetoes"]), (1, &json!("reject"), &json!(["reviewer"])));
    let (_, consensus) = decide(&scene, "low", &team("reject"));
    assert_eq!((&consensus["verdict"], &consensus["vetoes"]), (&json!("needs-review"), &json!([])));
}

#[test]
fn the_last_word_of_an_agent_counts() {
    let scene = Scene::new();
    let twice = json!({"agentDecisions": [
        {"agent": "planner", "decision": "reject", "confidence": 1},
        {"agent": "planner", "decision": "approve", "confidence": 0.5},
    ]});
    let (outcome, consensus) = decide(&scene, "low", &twice);
    assert_eq!((outcome.code, consensus["votes"].as_array().map(Vec::len)), (0, Some(1)));
    assert_eq!(consensus["rejection"], json!(0.0));
}

#[test]
fn strangers_and_silence_approve_nothing() {
    let scene = Scene::new();
    let stranger = json!([{"agent": "gho\u{1b}[31mst", "decision": "approve", "confidence": 1}]);
    let (outcome, consensus) = decide(&scene, "low", &stranger);
    assert_eq!((outcome.code, &consensus["verdict"]), (1, &json!("needs-review")));
    assert!(outcome.error.contains("gho [31mst") && !outcome.error.contains('\u{1b}'), "{}", outcome.error);
    assert_eq!(decide(&scene, "low", &json!([])).0.code, 1);
}

#[test]
fn people_see_the_verdict_first() {
    let scene = Scene::new();
    let shown = scene.run_with(&["consensus", "--risk", "medium", "-"], team("needs-review").to_string().as_bytes());
    assert_eq!(shown.out.lines().next(), Some("approve, pause"));
    assert!(shown.out.contains("approval   0.775, needed 0.65") && shown.out.contains("2.461"), "{}", shown.out);
    let shown = scene.run_with(&["consensus", "--risk", "low"], team("approve").to_string().as_bytes());
    assert_eq!((shown.code, shown.out.lines().next()), (0, Some("approve")));
}

#[test]
fn decisions_that_cannot_be_read_are_named_with_their_place() {
    let scene = Scene::new();
    for (input, wanted) in [
        (r#"[{"agent":"planner","decision":"approve","confidence":1.01}]"#, "`[0].confidence` is `1.01`"),
        (r#"[{"agent":"planner","decision":"approve","confidence":-0.1}]"#, "`[0].confidence` is `-0.1`"),
        (r#"[{"agent":"planner","decision":"approve","confidence":"high"}]"#, "`[0].confidence` is `\"high\"`"),
        (r#"[{"agent":"planner","decision":"approve"}]"#, "`[0]` has no `confidence`"),
        (r#"[{"agent":"planner","decision":"lgtm","confidence":1}]"#, "`[0].decision` is `\"lgtm\"`"),
        (r#"[{"agent":"planner","confidence":1}]"#, "`[0]` has no `decision`"),
        (r#"{"agentDecisions":[{"decision":"approve","confidence":1}]}"#, "`agentDecisions[0]` has no `agent`"),
        ("nonsense", "line 1"),
    ] {
        let outcome = scene.run_with(&["consensus", "--risk", "low"], input.as_bytes());
        assert_eq!((outcome.code, &*outcome.out), (2, ""), "{input}");
        assert!(outcome.error.contains(wanted) && outcome.error.contains("remedy: "), "{input}: {}", outcome.error);
    }
    assert_eq!(scene.run_with(&["consensus"], b"[]").code, 2, "a risk must be given");
}

#[test]
fn a_name_is_the_same_agents_in_any_case() {
    let scene = Scene::new();
    let mut decisions = team("approve");
    decisions[3] = json!({"agent": " Security ", "decision": "reject", "confidence": 0.1});
    let (outcome, consensus) = decide(&scene, "high", &decisions);
    assert_eq!((outcome.code, &consensus["verdict"], &consensus["vetoes"]), (1, &json!("reject"), &json!(["security"])));
    assert_eq!(consensus["unknown"], json!([]));
    let twice = json!([
        {"agent": "Planner", "decision": "reject", "confidence": 1},
        {"agent": "planner ", "decision": "approve", "confidence": 0.5},
    ]);
    let (outcome, consensus) = decide(&scene, "low", &twice);
    assert_eq!((outcome.code, consensus["votes"].as_array().map(Vec::len)), (0, Some(1)), "{consensus}");
}

#[test]
fn a_stranger_that_does_not_approve_holds_back_an_approval_and_nothing_else() {
    let scene = Scene::new();
    let with = |word: &str| {
        let mut decisions = team("approve");
        decisions.as_array_mut().expect("a list").push(json!({"agent": "securty", "decision": word, "confidence": 1}));
        decisions
    };
    assert_eq!(decide(&scene, "low", &with("approve")).0.code, 0);
    for word in ["reject", "needs-review"] {
        let (outcome, consensus) = decide(&scene, "low", &with(word));
        assert_eq!((outcome.code, &consensus["verdict"], &consensus["pause"]), (1, &json!("needs-review"), &json!(true)), "{word}");
        assert_eq!((&consensus["doubts"], &consensus["approval"]), (&json!(["securty"]), &json!(1.0)), "{word}");
        assert!(outcome.error.contains("securty did not approve"), "{}", outcome.error);
    }
    let shown = scene.run_with(&["consensus", "--risk", "low"], with("reject").to_string().as_bytes());
    assert!(shown.out.contains("not approved by securty (unknown agents)"), "{}", shown.out);
    let mut rejected = with("reject");
    rejected[3]["decision"] = json!("reject");
    assert_eq!(decide(&scene, "high", &rejected).1["verdict"], json!("reject"));
}
