//! A run counts once, and which runs are taken is the workspace's choice.

use std::fs;

use crate::support::Scene;

/// A run with further members.
fn run(members: &str) -> String {
    format!("{{\"kind\":\"run\",\"ts\":\"2026-03-14T09:26:53Z\",\"project\":\"shop\",\"run_id\":\"r-1\"{members}}}\n")
}

/// A workspace with these settings of runs.
fn scene(settings: &str) -> Scene {
    let scene = Scene::new();
    fs::write(scene.workspace.settings(), format!("[run]\n{settings}\n")).expect("settings");
    scene
}

const SUCCESS: &str = ",\"result\":\"success\",\"adapters\":[\"terminal\"]";
const FAILURE: &str = ",\"result\":\"failure\",\"adapters\":[\"terminal\"],\"failure_type\":\"auth\"";

#[track_caller]
fn assert_compacted(scene: &Scene, counts: &str) {
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains(counts), "{}", outcome.error);
}

#[test]
fn the_same_run_again_is_a_duplicate_and_another_account_of_it_a_conflict() {
    let scene = scene("replace = false");
    scene.land("a.jsonl", (run(SUCCESS) + &run(SUCCESS) + &run(FAILURE)).as_bytes());
    assert_compacted(&scene, "1 taken + 1 duplicates + 1 quarantined");
    scene.land("b.jsonl", (run(SUCCESS) + &run(FAILURE)).as_bytes());
    assert_compacted(&scene, "0 taken + 1 duplicates + 1 quarantined");
    assert_eq!(scene.count("select count(*) from run where id = 'shop/r-1' and success"), 1);
    assert_eq!(scene.count("select count(*) from run"), 1);
    assert_eq!(scene.count("select count(*) from quarantine where code = 'id_conflict' and text like '%failure%'"), 2);
    assert_eq!(scene.count("select count(*) from quarantine where remedy like '%run.replace%'"), 2);
}

#[test]
fn a_run_is_recognised_in_a_day_with_too_many_to_be_held() {
    let scene = Scene::new();
    fs::write(scene.workspace.settings(), "[run]\nreplace = false\n[compact]\nheld_ids = 2\n").expect("settings");
    for number in 2..8 {
        scene.land("a.jsonl", run(SUCCESS).replace("r-1", &format!("r-{number}")).as_bytes());
    }
    scene.land("a.jsonl", run(SUCCESS).as_bytes());
    assert_compacted(&scene, "7 taken + 0 duplicates + 0 quarantined");
    scene.land("b.jsonl", (run(SUCCESS) + &run(FAILURE)).as_bytes());
    assert_compacted(&scene, "0 taken + 1 duplicates + 1 quarantined");
    assert_eq!(scene.count("select count(*) from quarantine where remedy like '%run.replace%'"), 1);
}

#[test]
fn runs_of_one_name_in_two_projects_are_two() {
    let scene = Scene::new();
    scene.land("a.jsonl", (run(SUCCESS) + &run(SUCCESS).replace("shop", "bank")).as_bytes());
    assert_compacted(&scene, "2 taken + 0 duplicates + 0 quarantined");
}

#[test]
fn where_runs_are_replaced_every_account_lands_once() {
    let scene = scene("replace = true");
    scene.land("a.jsonl", (run(SUCCESS) + &run(FAILURE) + &run(FAILURE)).as_bytes());
    assert_compacted(&scene, "2 taken + 1 duplicates + 0 quarantined");
    // What landed is known in later batches too, each version of it.
    scene.land("b.jsonl", (run(FAILURE) + &run(SUCCESS) + &run(",\"result\":\"success\",\"adapters\":[\"fs\"]")).as_bytes());
    assert_compacted(&scene, "1 taken + 2 duplicates + 0 quarantined");
    assert_eq!(scene.count("select count(*) from run where id = 'shop/r-1'"), 3);
}

#[test]
fn where_runs_are_replaced_those_with_an_id_of_their_own_are_too() {
    for settings in ["[run]\nreplace = true\n", "[run]\nreplace = true\n[compact]\nheld_ids = 2\n"] {
        let scene = Scene::new();
        fs::write(scene.workspace.settings(), settings).expect("settings");
        let (success, failure) = (run(&format!(",\"id\":\"e-1\"{SUCCESS}")), run(&format!(",\"id\":\"e-1\"{FAILURE}")));
        for number in 2..8 {
            scene.land("a.jsonl", run(SUCCESS).replace("r-1", &format!("r-{number}")).as_bytes());
        }
        scene.land("a.jsonl", success.as_bytes());
        assert_compacted(&scene, "7 taken + 0 duplicates + 0 quarantined");
        for counts in ["1 taken + 2 duplicates + 0 quarantined", "0 taken + 3 duplicates + 0 quarantined"] {
            scene.land("b.jsonl", (failure.clone() + &success + &failure).as_bytes());
            assert_compacted(&scene, counts);
        }
        assert_eq!(scene.count("select count(*) from run where id = 'e-1'"), 2);
        // Events of other kinds have no versions.
        let goal = |is_met| {
            format!(
                "{{\"kind\":\"goal\",\"id\":\"g-1\",\"ts\":\"2026-03-14T09:26:53Z\",\"run_id\":\"r-1\",\"goal\":\"g\",\"success\":{is_met}}}\n"
            )
        };
        scene.land("c.jsonl", (goal(true) + &goal(false)).as_bytes());
        assert_compacted(&scene, "1 taken + 0 duplicates + 1 quarantined");
    }
}

#[test]
fn the_same_report_is_a_duplicate_whenever_it_is_stamped() {
    let scene = Scene::new();
    // As `record` writes reports that carry no time.
    let report = |time: &str| run(SUCCESS).replace("2026-03-14T09:26:53Z", time);
    scene.land("a.jsonl", (report("2026-03-14T09:26:53.123456789Z") + &report("2026-03-14T09:26:54.5Z")).as_bytes());
    assert_compacted(&scene, "1 taken + 1 duplicates + 0 quarantined");
    scene.land("b.jsonl", report("2026-03-14T17:00:00Z").as_bytes());
    assert_compacted(&scene, "0 taken + 1 duplicates + 0 quarantined");
}

#[test]
fn strict_rules_set_incomplete_runs_aside_and_lenient_ones_take_them() {
    let untyped = ",\"result\":\"failure\",\"adapters\":[\"terminal\"]";
    let lines = [",\"result\":\"success\"", ",\"result\":\"success\",\"adapters\":[]", untyped];
    let lines: Vec<String> =
        lines.iter().enumerate().map(|(number, members)| run(members).replace("r-1", &format!("r-{number}"))).collect();
    let strict = Scene::new();
    strict.land("a.jsonl", lines.concat().as_bytes());
    assert_compacted(&strict, "0 taken + 0 duplicates + 3 quarantined");
    assert_eq!(strict.count("select count(*) from quarantine where code = 'missing_field' and remedy like '%run.lenient%'"), 3);
    let lenient = scene("lenient = true");
    lenient.land("a.jsonl", lines.concat().as_bytes());
    assert_compacted(&lenient, "3 taken + 0 duplicates + 0 quarantined");
    assert_eq!(lenient.count("select count(*) from run where result = 'failure' and failure_type is null"), 1);
}

#[test]
fn record_keeps_to_the_rules_of_the_workspace() {
    let line = run(",\"result\":\"success\"");
    let strict = Scene::new();
    let outcome = strict.run_with(&["record"], line.as_bytes());
    assert_eq!(outcome.code, 1, "{}", outcome.error);
    assert!(outcome.error.contains("stdin:1: missing_field: `adapters` is missing"), "{}", outcome.error);
    let outcome = scene("lenient = true").run_with(&["record"], line.as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.error);
}

#[test]
fn adapters_land_in_lower_case_with_the_list_as_written_beside_them() {
    let scene = Scene::new();
    scene.land("a.jsonl", run(",\"result\":\"success\",\"adaptersUsed\":[\" GitHub\",\"github\",\"fs\"]").as_bytes());
    assert_compacted(&scene, "1 taken");
    assert_eq!(scene.count("select count(*) from run where adapters = ['github', 'fs']"), 1);
    assert_eq!(scene.count("select count(*) from run where extra = '{\"adaptersUsed\":[\" GitHub\",\"github\",\"fs\"]}'"), 1);
}

#[test]
fn a_gate_lands_in_a_table_of_its_own() {
    let scene = Scene::new();
    scene.land(
        "a.jsonl",
        b"{\"kind\":\"gate\",\"ts\":\"2026-03-14T09:26:53Z\",\"adapterId\":\"github\",\"approval\":true,\"multiplier\":1.4}\n",
    );
    assert_compacted(&scene, "1 taken");
    assert_eq!(scene.count("select count(*) from gate where adapter = 'github' and approval and multiplier = 1.4"), 1);
}

#[test]
fn made_up_runs_are_taken_whatever_their_adapters() {
    let scene = Scene::new();
    for arguments in [
        &["generate", "--lines", "3000", "--kind", "run"][..],
        &["generate", "--lines", "3000", "--kind", "run", "--seed", "2", "--adapters", "40"],
        &["generate", "--lines", "50", "--kind", "gate"],
    ] {
        scene.land("a.jsonl", scene.done(arguments).out.as_bytes());
    }
    assert_compacted(&scene, "6,050 taken + 0 duplicates + 0 quarantined");
    let adapters =
        "select count(distinct adapter) from (select unnest(adapters) as adapter from run) where adapter like 'adapter-%'";
    assert_eq!(scene.count(adapters), 40);
    assert_eq!(scene.count("select count(*) from run where extra like '%adapters%'"), 0);
    for told in ["result = 'partial'", "human_override", "len(issues) > 0", "len(skills) = 2", "len(agent_decisions) = 4"] {
        assert!(scene.count(&format!("select count(*) from run where {told}")) > 50, "{told}");
    }
}

/// A run that is reported at 23:59 and again after midnight stands in two partitions, and is one run.
#[test]
fn a_run_that_is_reported_again_on_another_day_counts_once() {
    let first = run(FAILURE).replace("09:26:53", "23:59:59");
    let again = run(SUCCESS).replace("2026-03-14T09:26:53", "2026-03-15T00:00:01");
    let other = run(SUCCESS).replace("r-1", "r-2");
    for (settings, successes) in [("", 2), ("replace = true", 2), ("replace = false", 1)] {
        for lines in [vec![&first, &again, &other], vec![&other, &again, &first]] {
            let scene = scene(settings);
            for (number, line) in lines.iter().enumerate() {
                scene.land(&format!("{number}.jsonl"), line.as_bytes());
                scene.done(&["run", "compact"]);
            }
            scene.done(&["run", "learn"]);
            let store: serde_json::Value =
                serde_json::from_str(&crate::support::published::read(&scene, "learning-store.json")).expect("JSON");
            assert_eq!(store["totalOutcomes"], 2, "{settings}: {store}");
            assert_eq!(store["reliability"][0]["totalRuns"], 2, "{settings}");
            let good = store["outcomes"].as_array().expect("a list").iter().filter(|run| run["success"] == true).count();
            assert_eq!(good, successes, "{settings}: the latest report counts, or the first, whatever landed first");
        }
    }
}

/// Only reports of runs that were seen before are marked, so that no query has to compare all runs of all days.
#[test]
fn only_reports_that_may_not_be_the_first_are_marked() {
    let scene = Scene::new();
    let day = |day: u32| run(SUCCESS).replace("2026-03-14", &format!("2026-03-{day}"));
    scene.land("a.jsonl", (day(14) + &day(15).replace("r-1", "r-2")).as_bytes());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run where is_again"), 0);
    scene.land("b.jsonl", (day(16) + &day(17).replace("r-1", "r-3") + &day(18).replace("shop", "bank")).as_bytes());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run where is_again"), 1);
    // What remembers runs is a cache: without it, the lake is read.
    fs::remove_file(scene.workspace.seen_runs()).expect("the filter");
    scene.land("c.jsonl", day(19).as_bytes());
    scene.done(&["run", "compact"]);
    fs::write(scene.workspace.seen_runs(), b"damaged").expect("the filter");
    scene.land("d.jsonl", day(20).replace("r-1", "r-3").as_bytes());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run where is_again"), 3);
    assert_eq!(scene.count("select count(*) from run"), 7);
}

/// Many runs, none of which is another: a filter that is often wrong would make every query compare all of them.
#[test]
fn few_new_runs_are_marked_by_mistake() {
    let scene = Scene::new();
    let lines: String = (0..200_000).map(|number| run(SUCCESS).replace("r-1", &format!("run-{number}"))).collect();
    scene.land("a.jsonl", lines.as_bytes());
    scene.done(&["run", "compact"]);
    let marked = scene.count("select count(*) from run where is_again");
    assert!(marked < 600, "{marked} of 200,000");
}
