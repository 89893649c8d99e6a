//! Lessons about the tool itself, from the original's files.

use agent::import::closedloop::import_tool_lessons;
use jiff::Timestamp;
use serde_json::{Value, json};

#[test]
fn lessons_about_the_tool_keep_their_numbers_times_and_projects() {
    let document = json!({"schema_version": "1.0", "learnings": [
        {"id": "SL-004", "trigger": "hooks", "summary": "Hooks must end quickly", "detail": "or the agent waits", "category": "insight",
         "source_project": "web", "captured_at": "2026-05-01T10:00:00Z", "merged_at": "2026-05-02T10:00:00Z"},
        {"id": "L-001", "scope": "closedloop", "summary": "Name agents plainly"},
        {"id": "SL-005"}, 7,
    ]});
    let imported = import_tool_lessons(document.to_string().as_bytes(), "2026-06-01T00:00:00Z".parse().expect("a time"), "shop");
    assert_eq!((imported.counts.taken, imported.counts.left_out), (2, 2), "{imported:?}");
    let events: Vec<Value> = imported.lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&events[0]["pattern_id"], &events[0]["scope"]), (&"SL-004".into(), &"closedloop".into()));
    assert_eq!((&events[0]["project"], &events[0]["ts"]), (&"web".into(), &"2026-05-01T10:00:00Z".into()));
    assert_eq!(events[0]["merged_at"], "2026-05-02T10:00:00Z");
    assert_eq!((&events[1]["project"], &events[1]["ts"]), (&"shop".into(), &"2026-06-01T00:00:00Z".into()));
    assert_eq!(events[1].get("pattern_id"), None);
}

#[test]
fn other_shapes_are_left_out_with_the_reason() {
    for text in ["", "[]", "{}", "{\"learnings\": 1}", "nonsense"] {
        let imported = import_tool_lessons(text.as_bytes(), Timestamp::UNIX_EPOCH, "shop");
        assert_eq!((imported.counts.left_out, imported.lines.len()), (1, 0), "{text}");
    }
}
