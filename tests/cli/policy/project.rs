//! Projects of one workspace share no rules: neither scores nor gates, neither agents nor thresholds.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::parse;
use crate::support::published::{read, set};
use crate::support::{Outcome, Scene};

const AGENTS: &str = r#"[{"agent": "planner", "decision": "approve", "confidence": 1.0}]"#;

fn run(project: &str, number: u32, is_good: bool) -> String {
    let mut event = json!({"kind": "run", "ts": format!("2026-05-01T10:{:02}:{:02}Z", number / 60, number % 60), "project": project,
        "run_id": format!("{project}-{number}"), "adapters": ["GitHub"], "risk": "low", "skills": ["deploy"],
        "result": if is_good { "success" } else { "failure" }, "agent_decisions": parse(AGENTS), "rollback": !is_good});
    if !is_good {
        event["failure_type"] = "auth".into();
    }
    format!("{event}\n")
}

/// A workspace of two projects: in the one all runs fail, in the other all succeed.
fn two_projects() -> Scene {
    let scene = Scene::new();
    let lines: String = (0..8).flat_map(|number| [run("shop", number, false), run("desk", number, true)]).collect();
    scene.land("runs.jsonl", lines.as_bytes());
    scene
}

fn gate(scene: &Scene, project: &str) -> (i32, Value) {
    let outcome = scene.run(&["gate", "github", "--json", "--project", project]);
    (outcome.code, parse(&outcome.out))
}

#[test]
fn a_gate_follows_the_runs_of_its_own_project() {
    let scene = two_projects();
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "shop");
    assert_eq!((code, &answer["approval"], &answer["multiplier"], &answer["runs"]), (1, &json!(true), &json!(1.4), &json!(8)));
    let (code, answer) = gate(&scene, "desk");
    assert_eq!((code, &answer["approval"], &answer["multiplier"]), (0, &json!(false), &json!(0.9)), "{answer}");
    assert_eq!((&answer["score"], &answer["runs"]), (&json!(1.0), &json!(8)));
    // A third one knows nothing, and says who does.
    let (code, answer) = gate(&scene, "barn");
    assert_eq!((code, &answer["known"], &answer["runs"]), (0, &json!(false), &json!(0)));
    let told = scene.run(&["gate", "github", "--project", "barn"]).error;
    assert!(told.contains("other projects know it; name one with --project: desk, shop"), "{told}");
    assert_eq!(scene.run(&["gate", "github", "--project", "barn", "--require-known"]).code, 1);
    // Where nothing says which project is meant, nobody guesses.
    let told = scene.run(&["gate", "github"]);
    assert!(told.code == 2 && told.error.contains("name one with --project: desk, shop"), "{}", told.error);
    // A line that was refused without a project makes none that has rules.
    scene.land("odd.jsonl", b"{\"kind\":\"run\",\"run_id\":\"x\",\"adapters\":[],\"result\":\"success\"}\n");
    scene.done(&["run", "hourly"]);
    assert!(parse(&read(&scene, "policy.json"))["projects"].get("default").is_some());
    assert_eq!(scene.run(&["gate", "github"]).code, 2, "nobody guesses");
    let shared = parse(&read(&scene, "policy.json"));
    assert_eq!(shared["overlays"][0]["basis"]["runs"], 16, "the file also says what all runs come to");
}

#[test]
fn agents_thresholds_and_tasks_follow_their_own_project_too() {
    let scene = two_projects();
    scene.done(&["run", "hourly"]);
    let document = parse(&read(&scene, "policy.json"));
    let of = |project: &str, name: &str| document["projects"][project][name].clone();
    assert!(of("shop", "thresholds")["low"].as_f64() > of("desk", "thresholds")["low"].as_f64());
    assert!(of("shop", "agents")[0]["reliability"].as_f64() < of("desk", "agents")[0]["reliability"].as_f64());
    let weigh = |project: &str| {
        let outcome = scene.run_with(&["consensus", "--risk", "low", "--json", "--project", project], AGENTS.as_bytes());
        parse(&outcome.out)
    };
    let (shop, desk) = (weigh("shop"), weigh("desk"));
    assert!(shop["threshold"].as_f64() > desk["threshold"].as_f64(), "{shop} {desk}");
    let tasks = r#"[{"id": "t1", "adapterId": "github", "retryLimit": 5}]"#;
    let limit = |project: &str| {
        let outcome = scene.run_with(&["optimize", "--json", "--project", project], tasks.as_bytes());
        parse(&outcome.out)["tasks"][0]["retryLimit"].clone()
    };
    assert_eq!((limit("shop"), limit("desk")), (json!(1), json!(2)));
}

#[test]
fn lists_explanations_reports_and_figures_name_the_project() {
    let scene = two_projects();
    scene.done(&["run", "hourly"]);
    let list = scene.done(&["policy", "list"]).out;
    assert!(list.contains("github (shop)") && list.contains("github (desk)"), "{list}");
    let list = parse(&scene.done(&["policy", "list", "--json", "--project", "desk"]).out);
    assert_eq!(
        (list.as_array().map(Vec::len), &list[0]["project"], &list[0]["basis"]["runs"]),
        (Some(1), &json!("desk"), &json!(8))
    );
    let card = scene.done(&["policy", "show", "github", "--project", "shop"]).out;
    assert!(card.starts_with("github (shop): approval needed"), "{card}");
    assert_eq!(scene.run(&["policy", "show", "github", "--project", "barn"]).code, 2);
    let explained = parse(&scene.done(&["policy", "explain", "github", "--json", "--project", "shop"]).out);
    assert_eq!((&explained["sums"]["runs"], &explained["sums"]["successes"]), (&json!(8), &json!(0)));
    assert!(explained["runs"].as_array().expect("runs").iter().all(|run| run["project"] == "shop"), "{explained}");
    assert_eq!(scene.run(&["policy", "explain", "github", "--project", "barn"]).code, 2);
    let report = scene.done(&["report"]).out;
    for words in
        ["| github (shop) |", "| github (desk) |", "github::auth (shop)", "Agents of desk", "policy explain github --project shop"]
    {
        assert!(report.contains(words), "{words}: {report}");
    }
    let figures = read(&scene, "policy.prom");
    for (project, score) in [("shop", "0.2"), ("desk", "1")] {
        let line = format!("outerloop_learning_reliability_score{{adapter=\"github\",project=\"{project}\"}} {score}\n");
        assert!(figures.contains(&line), "{line}: {figures}");
    }
    let verified = scene.done(&["run", "verify"]).error;
    assert!(verified.contains("verif"), "the generation can be made again: {verified}");
}

#[test]
fn the_originals_files_exist_for_each_project_in_their_shape() {
    let scene = two_projects();
    scene.done(&["run", "hourly"]);
    for project in ["shop", "desk"] {
        let alone = Scene::new();
        let lines: String = (0..8).map(|number| run(project, number, project == "desk")).collect();
        alone.land("runs.jsonl", lines.as_bytes());
        alone.done(&["run", "hourly"]);
        for name in ["overlays", "learning-store"] {
            assert_eq!(
                read(&scene, &format!("{name}.{project}.json")),
                read(&alone, &format!("{name}.json")),
                "{name} of {project}"
            );
        }
        assert!(!alone.workspace.current().join(format!("overlays.{project}.json")).exists(), "one project needs no other files");
    }
}

#[test]
fn a_decision_is_about_one_project() {
    let scene = two_projects();
    let more: String = (20..24).map(|number| run("desk", number, false)).collect();
    scene.land("more.jsonl", more.as_bytes());
    scene.done(&["run", "hourly"]);
    let repeated = |project: &str| {
        let answer = gate(&scene, project).1;
        answer["triggers"].as_array().expect("triggers").iter().any(|trigger| trigger["type"] == "repeatedFailure")
    };
    assert!(repeated("shop") && repeated("desk"));
    let told = scene.run(&["policy", "clear", "github", "--failure", "auth", "--reason", "renewed", "--actor", "ann"]);
    assert!(told.code == 2 && told.error.contains("--project: desk, shop"), "{}", told.error);
    scene.done(&["policy", "clear", "github", "--failure", "auth", "--reason", "renewed", "--actor", "ann", "--project", "desk"]);
    scene.done(&["policy", "annotate", "github", "--retries", "0", "--reason", "limits", "--actor", "ann", "--project", "shop"]);
    scene.done(&["run", "hourly"]);
    assert!(repeated("shop") && !repeated("desk"));
    let retries = |project: &str| gate(&scene, project).1["retries"].clone();
    assert_eq!((retries("shop"), retries("desk") == json!(0)), (json!(0), false));
    let history = parse(&scene.done(&["policy", "history", "--json", "--project", "desk"]).out);
    assert!(history.as_array().expect("changes").iter().all(|change| change["project"] == "desk"), "{history}");
}

#[test]
fn refused_and_unreported_runs_lower_the_bounds_of_their_project_alone() {
    let scene = Scene::new();
    let lines: String = (0..8).flat_map(|number| [run("shop", number, true), run("desk", number, true)]).collect();
    scene.land("runs.jsonl", lines.as_bytes());
    let refused = json!({"kind": "run", "ts": "2026-05-01T11:00:00Z", "project": "shop", "run_id": "x", "adapters": ["github"],
        "result": "failure"});
    assert_eq!(scene.run_with(&["record"], format!("{refused}\n").as_bytes()).code, 1);
    let let_through = json!({"kind": "gate", "ts": "2026-05-01T11:00:00Z", "project": "desk", "run_id": "y", "adapter": "github",
        "approval": false});
    scene.land("gates.jsonl", format!("{let_through}\n").as_bytes());
    scene.done(&["run", "hourly"]);
    let (shop, desk) = (gate(&scene, "shop").1, gate(&scene, "desk").1);
    assert_eq!((&shop["refusedRuns"], &shop["unreportedRuns"]), (&json!(1), &json!(0)), "{shop}");
    assert_eq!((&desk["refusedRuns"], &desk["unreportedRuns"]), (&json!(0), &json!(1)), "{desk}");
}

#[test]
fn all_projects_share_rules_where_that_is_set_and_in_compat() {
    for settings in ["[overlay]\nby_project = false\n", "compat = \"closedloop\"\n"] {
        let scene = two_projects();
        set(&scene, settings);
        scene.done(&["run", "hourly"]);
        let runs = ["shop", "desk", "barn"].map(|project| gate(&scene, project).1["runs"].clone());
        assert_eq!(runs, [json!(16), json!(16), json!(16)], "{settings}");
        assert!(parse(&read(&scene, "policy.json")).get("projects").is_none(), "{settings}");
        assert_eq!(parse(&scene.done(&["policy", "explain", "github", "--json"]).out)["sums"]["runs"], 16);
    }
}

#[test]
fn rules_of_one_project_are_not_anothers_before_that_has_runs() {
    let scene = Scene::new();
    let lines: String = (0..8).map(|number| run("shop", number, false)).collect();
    scene.land("runs.jsonl", lines.as_bytes());
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "shop").0, 1);
    assert_eq!(gate(&scene, "desk").1["known"], json!(false));
    // Nothing here says which project is meant, and there is only one.
    assert_eq!(scene.run(&["gate", "github"]).code, 1);
    scene.done(&["policy", "clear", "github", "--reason", "renewed", "--actor", "ann"]);
    scene.done(&["run", "hourly"]);
    let document = parse(&read(&scene, "policy.json"));
    assert_eq!((&document["project"], document.get("projects")), (&json!("shop"), None), "the decision is about that one");
}

/// Runs the program in a folder.
fn run_in(scene: &Scene, folder: &Path, arguments: &[&str], input: &str) -> Outcome {
    let mut command = scene.command(arguments);
    let mut child =
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), input.as_bytes()).expect("written");
    Outcome::of(&child.wait_with_output().expect("it ends"))
}

#[test]
fn two_repositories_of_one_workspace_share_nothing() {
    let scene = Scene::new();
    let home = tempfile::tempdir().expect("a folder");
    let [shop, desk] = ["a/shop", "b/shop"].map(|name| {
        let folder = home.path().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        assert!(Command::new("git").args(["init", "--quiet"]).current_dir(&folder).status().expect("git runs").success());
        folder
    });
    for (folder, is_good) in [(&shop, false), (&desk, true)] {
        for number in 0..8 {
            let mut event = parse(&run("", number, is_good));
            event.as_object_mut().expect("an object").remove("project");
            assert_eq!(run_in(&scene, folder, &["record"], &format!("{event}\n")).code, 0);
        }
    }
    scene.done(&["run", "hourly"]);
    assert_eq!([&shop, &desk].map(|folder| run_in(&scene, folder, &["gate", "github"], "").code), [1, 0]);
    let explained = parse(&run_in(&scene, &desk, &["policy", "explain", "github", "--json"], "").out);
    assert_eq!((&explained["sums"]["runs"], &explained["sums"]["successes"]), (&json!(8), &json!(8)));
    // What a gate answers is recorded where it was asked, and so is what a person decides there.
    assert_eq!(run_in(&scene, &desk, &["gate", "github", "--record", "r1"], "").code, 0);
    let annotate = ["policy", "annotate", "github", "--approve", "--reason", "freeze", "--actor", "ann"];
    assert_eq!(run_in(&scene, &desk, &annotate, "").code, 0);
    scene.done(&["run", "learn", "--only", "policy"]);
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(distinct project) from (select project from run union all select project from gate union all select project from curation)"), 2);
    assert_eq!([&shop, &desk].map(|folder| run_in(&scene, folder, &["gate", "github"], "").code), [1, 1]);
    assert_eq!(scene.count("select count(*) from gate inner join run using (project) where not run.success"), 0);
}
