//! The overview on the terminal and in Markdown: what a reader must never meet.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::Scene;
use crate::support::published::read;

const AS_OF: &str = "2026-10-20T00:00:00Z";

fn published(events: &[Value]) -> Scene {
    let scene = Scene::new();
    let lines = events.iter().fold(String::new(), |mut text, event| {
        let _ = writeln!(text, "{event}");
        text
    });
    scene.land("a.jsonl", lines.as_bytes());
    scene.done(&["run", "hourly", "--as-of", AS_OF]);
    scene
}

fn run(number: usize, adapter: &str, succeeds: bool) -> Value {
    let result = if succeeds { "success" } else { "failure" };
    let mut event = json!({"kind": "run", "ts": "2026-10-18T00:00:00Z", "run_id": format!("{adapter}-{number}"), "result": result,
        "adapters": [adapter], "quality": if succeeds { 0.9 } else { 0.1 }});
    if !succeeds {
        event["failure_type"] = "auth".into();
    }
    event
}

fn shown(number: usize, pattern: &str, status: &str) -> Value {
    json!({"kind": "application", "ts": "2026-10-18T00:00:00Z", "id": format!("{pattern}-{number}"), "run_id": format!("r{number}"),
        "iteration": 1, "pattern_id": pattern, "status": status})
}

fn lesson(pattern: &str, summary: &str) -> Value {
    json!({"kind": "learning", "ts": "2026-09-01T00:00:00Z", "id": pattern, "pattern_id": pattern, "summary": summary})
}

fn text_of(scene: &Scene) -> String {
    scene.done(&["report", "--format", "text"]).out
}

#[test]
fn a_failing_loop_is_never_told_to_carry_on() {
    let events: Vec<Value> = (0..100).map(|number| run(number, "git", number >= 85)).collect();
    let scene = published(&events);
    let text = text_of(&scene);
    assert!(text.contains("! 85 of 100 runs failed this week.") && text.contains("outerloop policy explain git"), "{text}");
    for shown in [text, read(&scene, "report.md"), read(&scene, "report.html")] {
        assert!(
            shown.contains("85 of 100 runs failed this week.") && !shown.contains("Nothing asks for your attention"),
            "{shown}"
        );
        assert!(!shown.to_lowercase().contains("carry on"), "{shown}");
    }
}

#[test]
fn nothing_is_among_the_best_and_the_worst() {
    let mut events: Vec<Value> = Vec::new();
    for adapter in ["git", "npm"] {
        events.extend((0..12).map(|number| run(number, adapter, adapter == "git")));
    }
    let scene = published(&events);
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    let names = |list: &str| -> Vec<String> {
        let lines = report["policy"][list].as_array().expect("a list").iter();
        lines.map(|line| line["adapter"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!((names("strongest"), names("weakest")), (vec!["git".to_owned()], vec!["npm".to_owned()]));
}

#[test]
fn a_pattern_to_be_pruned_is_never_among_the_strongest() {
    let mut events = vec![lesson("P-001", "Quote every path"), lesson("P-002", "Rewrite whole files instead of patching them")];
    events.extend((0..40).map(|number| shown(number, "P-002", if number < 4 { "applied" } else { "injected" })));
    let scene = published(&events);
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    assert_eq!(report["flagged"][0]["id"], "P-002");
    assert_eq!((&report["strongest"], &report["weakest"][0]["id"]), (&json!([]), &json!("P-002")));
    let text = text_of(&scene);
    assert!(
        text.contains("Decide about P-002: it helped in 10% of 40 sightings.") && text.contains("outerloop explain P-002"),
        "{text}"
    );
}

#[test]
fn small_samples_are_said_to_be_small() {
    let goal = |number: usize| {
        json!({"kind": "goal", "ts": "2026-10-18T00:00:00Z", "id": format!("g{number}"), "run_id": format!("r{number}"), "goal": "ship",
            "success": number.is_multiple_of(2)})
    };
    let mut events: Vec<Value> = (0..6).map(goal).collect();
    events.push(lesson("P-001", "Quote every path"));
    events.extend((0..4).map(|number| shown(number, "P-001", "applied")));
    let scene = published(&events);
    assert!(text_of(&scene).contains("50% of 6 runs this week, a small sample"), "{}", text_of(&scene));
    assert!(read(&scene, "report.html").contains("few sightings") && read(&scene, "report.html").contains("small sample"));
    assert!(read(&scene, "report.md").contains("| 4 (few) |"));
}

#[test]
fn a_pattern_that_was_stale_for_long_is_no_news() {
    let mut events = vec![lesson("P-001", "Quote every path"), lesson("P-002", "Name the failing test")];
    events.extend((0..12).map(|number| shown(number, "P-001", "applied")));
    for (number, event) in (0..40).map(|number| (number, shown(number + 100, "P-002", "applied"))) {
        let mut event = event;
        event["ts"] = format!("2026-10-19T00:{number:02}:00Z").into();
        event["iteration"] = (number + 2).into();
        events.push(event);
    }
    let scene = published(&events);
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    assert_eq!((&report["flagged"][0]["id"], &report["flagged"][0]["flag"]), (&json!("P-001"), &json!("STALE")));
    assert!(!report["overview"]["news"].to_string().contains("STALE"), "{}", report["overview"]["news"]);
}

#[test]
fn a_report_of_many_flags_stays_short() {
    let mut events = Vec::new();
    for pattern in 1..=120 {
        let id = format!("P-{pattern:03}");
        events.push(lesson(&id, &format!("Do a{pattern} before b{pattern} unless c{pattern}")));
        events.extend((0..3).map(|number| shown(pattern * 10 + number, &id, "injected")));
    }
    let scene = published(&events);
    let report = read(&scene, "report.md");
    assert!(report.contains("100 more: `outerloop patterns list --flag prune`"), "{report}");
    assert!(report.lines().count() < 300, "{} lines", report.lines().count());
    assert!(text_of(&scene).lines().count() <= 20);
}

#[test]
fn the_terminal_gets_twenty_lines_that_fit_and_a_pipe_gets_markdown() {
    let scene = crate::browser::made::shop(60);
    for width in ["40", "80", "120"] {
        let output = scene.command(&["report", "--format", "text"]).env("COLUMNS", width).output().expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.lines().count() <= 20 && !text.contains('\u{1b}'), "{text}");
        // Commands keep their length: one that is cut is none.
        let wide = text.lines().filter(|line| !line.trim_start().starts_with("outerloop"));
        let wide = wide.map(|line| line.chars().count()).max().expect("lines");
        assert!(wide <= width.parse().expect("a number"), "{wide} of {width} in\n{text}");
        let spark = text.lines().find_map(|line| line.strip_prefix("goals met ")).expect("a line of goals");
        assert!(spark.chars().take(8).all(|block| ('▁'..='█').contains(&block)), "{text}");
    }
    let colored = scene.command(&["--color", "always", "report", "--format", "text"]).output().expect("the program runs");
    assert!(String::from_utf8_lossy(&colored.stdout).contains("\u{1b}["));
    assert!(scene.done(&["report"]).out.starts_with("# Learning report, as of 2026-11-17T12:00:00Z\n\nNobody knows yet"));
}

#[test]
fn every_command_that_a_report_names_runs() {
    let scene = crate::browser::made::shop(60);
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    let (actions, news) = (report["overview"]["actions"].as_array(), report["overview"]["news"].as_array());
    let mut commands: Vec<String> =
        actions.into_iter().chain(news).flatten().filter_map(|line| line["command"].as_str()).map(str::to_owned).collect();
    assert!(commands.len() >= 5, "{commands:?}");
    // The explanations of the page, for a lesson, an adapter and whatever else they are about.
    let page = read(&scene, "report.html");
    for part in page.split("data-command=\"").skip(1) {
        let command = part.split('"').next().expect("a command").replace("&quot;", "\"").replace("&#39;", "'");
        let of = if command.contains("policy") { "git" } else { "P-001" };
        commands.push(command.replace("{id}", of));
    }
    commands.retain(|command| !command.starts_with("outerloop init"));
    for command in commands {
        let words = words(&command);
        let outcome = scene.run(&words.iter().skip(1).map(String::as_str).collect::<Vec<_>>());
        assert_eq!(outcome.code, 0, "{command}\n{}", outcome.error);
    }
}

/// The words of a command as a shell splits it.
fn words(command: &str) -> Vec<String> {
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("for word in {command}; do printf '%s\\n' \"$word\"; done")])
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}
