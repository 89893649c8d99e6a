//! The verbs by which pipelines store, query and judge without reports.

use serde_json::json;

use super::{Pipeline, SAYING, assert_near};

const OTHER: &str = "Config loader falls back silently on missing keys";

fn store(pipeline: &Pipeline, verb: &str, text: &str, more: &[&str]) {
    let arguments = ["memory", verb, "--role", "judge", "--project", "web", "--text", text, "--strict"];
    pipeline.scene.done(&[&arguments[..], more].concat());
}

#[test]
fn what_is_stored_twice_in_a_turn_is_one_sighting() {
    let pipeline = Pipeline::new();
    for verb in ["store", "store-pattern", "insert"] {
        store(&pipeline, verb, SAYING, &["--run", "r1", "--issue", "10", "--category", "rule"]);
    }
    store(&pipeline, "store", SAYING, &["--issue", "11"]);
    // Without a turn, every telling is one.
    store(&pipeline, "store", OTHER, &[]);
    store(&pipeline, "store", OTHER, &[]);
    pipeline.learn();
    let (first, second) = (pipeline.pattern("D-001"), pipeline.pattern("D-002"));
    assert_eq!((&first["seen"], &first["contexts"], &first["category"]), (&2.into(), &2.into(), &"rule".into()), "{first}");
    assert_eq!(
        (&second["seen"], &second["contexts"], &second["category"]),
        (&2.into(), &1.into(), &"observation".into()),
        "{second}"
    );
    assert_eq!(pipeline.scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn a_query_finds_what_fits_a_role_and_its_task() {
    let pipeline = Pipeline::new();
    store(&pipeline, "store", OTHER, &["--issue", "1"]);
    store(
        &pipeline,
        "store",
        SAYING,
        &["--issue", "1", "--labels", "auth,jkz:review", "--files", "src/hook.rs", "--phase", "review"],
    );
    store(&pipeline, "store", SAYING, &["--issue", "2"]);
    store(&pipeline, "store", SAYING, &["--issue", "3"]);
    pipeline.learn();
    let ask = |more: &[&str]| {
        let told =
            pipeline.json(&[&["memory", "query", "--role", "judge", "--project", "web", "--json", "--strict"], more].concat());
        let patterns = told["patterns"].as_array().expect("a list").clone();
        patterns
            .iter()
            .map(|pattern| (pattern["id"].as_str().expect("an id").to_owned(), pattern["score"].clone()))
            .collect::<Vec<_>>()
    };
    let plain = ask(&[]);
    assert_eq!(plain.iter().map(|(id, _)| &**id).collect::<Vec<_>>(), ["D-002", "D-001"]);
    assert_near(&plain[0].1, 1.0);
    let fitting = ask(&["--labels", "AUTH", "--files", "./src/hook.rs", "--phase", "Review", "--limit", "1"]);
    assert_eq!(fitting.len(), 1);
    assert_near(&fitting[0].1, 1.25);
    assert_near(&ask(&["--labels", "jkz:review"])[0].1, 1.0);
    assert_eq!(ask(&["--governed"]).iter().map(|(id, _)| &**id).collect::<Vec<_>>(), ["D-002"]);
    assert!(ask(&["--at", "2027-11-17T00:00:00Z"]).is_empty(), "everything fades");
    // Other projects and other kinds of roles see nothing of it.
    for arguments in [["--role", "judge", "--project", "shop"], ["--role", "builder", "--project", "web"]] {
        let told = pipeline.json(&[&["memory", "query-patterns", "--json"], &arguments[..]].concat());
        assert_eq!(told["patterns"], json!([]), "{arguments:?}");
    }
    let table = pipeline.scene.done(&["memory", "query", "--role", "judge", "--project", "web"]).out;
    assert!(table.contains("D-002") && table.contains("3x validated"), "{table}");
}

#[test]
fn a_rejection_counts_once_for_a_run() {
    let pipeline = Pipeline::new();
    store(&pipeline, "store", SAYING, &["--issue", "1"]);
    pipeline.learn();
    for verb in ["ignore", "increment-ignore"] {
        let told = pipeline.json(&["memory", verb, "d-001", "--run", "r1", "--json", "--strict"]);
        assert_eq!((&told["pattern"], &told["penalty"], &told["role"]), (&"D-001".into(), &1.0.into(), &"judge".into()));
    }
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_eq!(
        (&pattern["successes"], &pattern["ignored"], &pattern["reinforced"]),
        (&1.into(), &1.into(), &0.into()),
        "{pattern}"
    );
    pipeline.scene.done(&["memory", "ignore", "D-001", "--strict"]);
    pipeline.scene.done(&["memory", "ignore", "D-001", "--strict"]);
    pipeline.learn();
    assert_near(&pipeline.pattern("D-001")["rate"], 0.25);
}

#[test]
fn reinforcement_takes_evidence_and_makes_the_others_older() {
    let pipeline = Pipeline::new();
    store(&pipeline, "store", SAYING, &["--issue", "1"]);
    store(&pipeline, "store", OTHER, &["--issue", "1"]);
    pipeline.learn();
    for _ in 0..2 {
        pipeline.scene.done(&["memory", "reinforce", "D-001", "--level", "1", "--run", "r1", "--strict"]);
    }
    let evidence = pipeline.write("evidence.md", "See src/hook.rs:3\n`let body = parse(raw);`\n");
    let evidence = evidence.to_str().expect("a path");
    let told = pipeline.json(&[
        "memory",
        "reinforce-patterns",
        "D-001",
        "D-001",
        "--evidence",
        evidence,
        "--run",
        "r2",
        "--json",
        "--strict",
    ]);
    assert_eq!((&told["level"], &told["patterns"]), (&2.into(), &json!(["D-001"])));
    let refused = pipeline.json(&["memory", "reinforce", "D-001", "--evidence", evidence, "--files", "src/other.rs", "--json"]);
    assert!(refused["reason"].as_str().is_some_and(|reason| reason.contains("level 3")), "{refused}");
    pipeline.learn();
    let (first, second) = (pipeline.pattern("D-001"), pipeline.pattern("D-002"));
    assert_eq!((&first["reinforced"], &first["successes"], &first["skipped"]), (&2.into(), &3.into(), &0.into()), "{first}");
    assert_eq!((&second["reinforced"], &second["skipped"]), (&0.into(), &2.into()), "{second}");
    let told = pipeline.json(&["memory", "reinforce", "D-009", "--level", "1", "--json"]);
    assert!(told["reason"].as_str().is_some_and(|reason| reason.contains("D-009")), "{told}");
}

#[test]
fn decay_tells_what_time_takes_out_of_use_and_writes_nothing() {
    let pipeline = Pipeline::new();
    store(&pipeline, "store", SAYING, &["--issue", "1"]);
    pipeline.learn();
    let landed = pipeline.landed();
    let soon = pipeline.json(&["memory", "decay", "--json", "--strict"]);
    assert_eq!((&soon["in_use"], &soon["deprecated"]), (&1.into(), &json!([])));
    let late = pipeline.json(&["memory", "decay", "--at", "2030-01-01T00:00:00Z", "--json", "--strict"]);
    assert_eq!((&late["deprecated"][0]["id"], &late["deprecated"][0]["state"]), (&"D-001".into(), &"observed".into()));
    assert!(pipeline.scene.done(&["memory", "decay", "--at", "2030-01-01T00:00:00Z", "--role", "lens"]).out.contains("0 of 0"));
    assert_eq!(pipeline.landed(), landed);
}
