//! Intervals by task: runs of one task are not independent, and one task decides nothing.

use serde_json::{Value, json};

use super::world::{DAY, HOUR, START, Story};

/// The published line of P-001 after runs of some tasks, of which every other task meets its goals.
fn line(tasks: usize, runs: usize, is_named: bool) -> (Value, String) {
    let mut story = Story::of(1, 1);
    for number in 0..tasks * runs {
        let (task, run) = (number / runs, format!("run-{number}"));
        let mut shown = json!({"kind": "application", "run_id": run, "pattern_id": "P-001", "status": "applied"});
        if is_named {
            shown["unit"] = format!("T-{task}").into();
        }
        story.tell(shown, START);
        story.goal(&run, task % 2 == 0, START + HOUR);
    }
    let files = story.published(1 + 2 * HOUR / DAY);
    let report: Value = serde_json::from_slice(&files["report.json"]).expect("JSON");
    (report["published"][0].clone(), String::from_utf8_lossy(&files["report.md"]).into_owned())
}

#[test]
fn the_interval_of_a_rate_is_as_wide_as_tasks_make_it() {
    let width = |line: &Value| line["upper"].as_f64().expect("an end") - line["lower"].as_f64().expect("an end");
    let ((plain, text), (clustered, by_task)) = (line(8, 10, false), line(8, 10, true));
    assert_eq!(plain["rate"], clustered["rate"]);
    assert!(width(&clustered) > 1.5 * width(&plain), "{plain} {clustered}");
    assert_eq!((&plain["tasks"], &clustered["tasks"]), (&Value::Null, &json!(8)));
    assert!(by_task.contains(", 8 tasks |") && !text.contains("tasks |"), "{by_task}");
}

#[test]
fn one_task_decides_nothing() {
    let (line, text) = line(1, 40, true);
    assert_eq!((&line["lower"], &line["upper"], &line["tasks"]), (&json!(0.0), &json!(1.0), &json!(1)));
    assert!(text.contains("0.00 to 1.00, 1 task |"), "{text}");
}
