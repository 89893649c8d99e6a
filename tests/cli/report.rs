//! `outerloop report` and `outerloop demo`.

use crate::support::published::{current, learned, read};
use crate::support::{Material, Scene, command};

#[test]
fn report_prints_what_is_published_and_what_changed_since() {
    let scene = Scene::new();
    let outcome = scene.run(&["report"]);
    assert!(outcome.code == 2 && outcome.error.contains("outerloop run hourly"), "{}", outcome.error);
    scene.land("a.jsonl", &Material::made(51, 150).bytes);
    scene.done(&["run", "hourly"]);
    let first = current(&scene);
    assert!(scene.done(&["report"]).out.contains("No earlier generation."));
    scene.land("a.jsonl", &Material::made(52, 300).bytes);
    scene.done(&["run", "hourly"]);
    let shown = scene.done(&["report"]).out;
    assert_eq!(shown, read(&scene, "report.md") + &read(&scene, "changes.md"));
    for wanted in ["# Learning report, as of 20", "## Strongest", "## Flags", "## Quarantine", "## Events", "sql/outcome.sql"] {
        assert!(shown.contains(wanted), "{wanted} in {shown}");
    }
    assert!(shown.contains(&format!("## Changes since {first}")), "{shown}");
    assert_eq!(scene.done(&["report", "--generation", &first]).out.matches("No earlier generation.").count(), 1);
}

#[test]
fn report_as_json_holds_the_same_figures_as_the_pattern_table() {
    let scene = learned(300);
    let report: serde_json::Value = serde_json::from_str(&scene.done(&["report", "--format", "json"]).out).expect("JSON");
    assert_eq!(report["generation"], current(&scene).as_str());
    assert!(report["changes"]["changes"].is_array() && report["settings"]["cap"] == 50 && report["queries"]["outcome"].is_string());
    let totals = &report["totals"];
    assert_eq!(totals["applications"].as_i64(), Some(scene.count("select count(*) from application")));
    assert_eq!(totals["patterns"].as_i64(), Some(scene.count("select count(*) from pattern")));
    let seen = scene.count("select cast(sum(seen + withheld + offered) as bigint) from pattern");
    assert_eq!(Some(seen), totals["applications"].as_i64().zip(totals["unattributed"].as_i64()).map(|(all, lost)| all - lost));
    let published = report["published"].as_array().expect("a list");
    let rows = read(&scene, "org-patterns.toon").lines().count() - 1;
    assert_eq!((published.len(), report["dropped"].as_i64()), (rows, Some(0)));
}

#[test]
fn the_demo_shows_the_figures_the_events_behind_one_and_the_report() {
    let scene = Scene::new();
    let folder = scene.root().join("shown");
    let outcome = scene.done(&["demo", "--keep", folder.to_str().expect("a path")]);
    for wanted in [
        "`run hourly`",
        "\nEvents\n",
        "[6x validated] Always validate webhook signatures before parsing the body",
        ".memory/knowledge/pitfalls.md#PF-001",
        "# Learning report, as of 2026-10-08T00:00:00Z",
        "patterns list",
    ] {
        assert!(outcome.out.contains(wanted), "{wanted} in {}", outcome.out);
    }
    let root = folder.join(".outerloop");
    let output = command(&root, &["patterns", "list"]).output().expect("the program starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("P-005"));
}
