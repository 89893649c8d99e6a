//! `merge-result.json`: taken whole, or refused with every fault.

use agent::import::closedloop::{Imported, import_merged};
use jiff::Timestamp;
use serde_json::{Value, json};

fn pattern(id: &str) -> Value {
    json!({"id": id, "category": "mistake", "summary": "Check for None", "confidence": "low", "seen_count": "3", "success_rate": "0.50",
        "flags": "[REVIEW]", "applies_to": "*", "context": "python|api", "repo": "*"})
}

fn import(patterns: &[Value]) -> Imported {
    import_merged(json!({"patterns": patterns, "stats": {}}).to_string().as_bytes(), Timestamp::UNIX_EPOCH, "shop")
}

#[test]
fn a_whole_merge_becomes_lessons_under_their_ids() {
    let mut odd = pattern("P-0002");
    odd["id"] = "P-002".into();
    odd["summary"] = "Two\nlines".into();
    odd["seen_count"] = 4.into();
    odd["success_rate"] = "".into();
    odd["applies_to"] = json!(["a", "b"]);
    let imported = import(&[pattern("P-001"), odd]);
    assert_eq!((imported.counts.taken, imported.counts.left_out), (2, 0), "{imported:?}");
    let events: Vec<Value> = imported.lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events[0]["tags"], json!(["python", "api"]));
    assert_eq!((&events[0]["pattern_id"], &events[0]["seen_count"]), (&"P-001".into(), &3.into()));
    assert_eq!((&events[1]["summary"], &events[1]["applies_to"]), (&"Two lines".into(), &json!(["a", "b"])));
    assert_eq!(events[1].get("success_rate"), None);
}

#[test]
fn nine_malformed_patterns_give_nine_faults_and_nothing_is_imported() {
    let wrong = [
        ("id", json!("X-001")),
        ("id", json!("P-01")),
        ("category", json!("Mistake")),
        ("confidence", json!("sure")),
        ("flags", json!("[REVIEW][STALE]")),
        ("seen_count", json!(-1)),
        ("success_rate", json!("1.5")),
        ("success_rate", Value::Null),
        ("summary", json!(7)),
    ];
    let mut patterns: Vec<Value> = (1..=9).map(|number| pattern(&format!("P-{number:03}"))).collect();
    for (pattern, (name, value)) in patterns.iter_mut().zip(wrong) {
        pattern[name] = value;
    }
    patterns.push(pattern("P-100"));
    let imported = import(&patterns);
    assert_eq!((imported.counts.taken, imported.counts.left_out, imported.lines.len()), (0, 10, 0), "{imported:?}");
    let faults = imported.odd.iter().filter(|odd| odd.reason.starts_with("pattern ")).count();
    assert_eq!(faults, 9, "{:?}", imported.odd);
}

#[test]
fn ids_given_twice_missing_members_and_other_shapes_are_faults() {
    let twice = import(&[pattern("P-001"), pattern("P-001")]);
    assert!(twice.lines.is_empty() && twice.odd.iter().any(|odd| odd.reason.contains("twice")), "{twice:?}");
    let bare = import(&[json!({})]);
    assert!(bare.odd[0].reason.matches("is missing").count() == 10, "{bare:?}");
    for text in ["[]", "{\"patterns\": 5}", "nonsense", "{\"patterns\": [3]}"] {
        let imported = import_merged(text.as_bytes(), Timestamp::UNIX_EPOCH, "shop");
        assert_eq!((imported.counts.left_out, imported.lines.len()), (1, 0), "{text}");
    }
    assert_eq!(import_merged(b"{\"stats\":{}}", Timestamp::UNIX_EPOCH, "shop").counts.records, 0);
}
