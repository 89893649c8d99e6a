//! What jkz has gathered: what each record and row becomes, and that none is lost.

use agent::import::Imported;
use agent::import::jkz::{Counted, ImportedRows, Owner, RecordSource, import_record, import_rows};
use agent::import::sqlite::Database;
use event::{Latest, Parser};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

const SAYING: &str = "Validate webhook signatures before the body is parsed";

const OWNER: Owner<'static> = Owner { project: "web", is_apart: false };

fn modified() -> Timestamp {
    "2026-06-01T00:00:00Z".parse().expect("a time")
}

/// The events, after checking that the door takes each of them and that every record is accounted for.
fn events(imported: &Imported) -> Vec<Value> {
    let counts = imported.counts;
    assert_eq!(counts.records, counts.taken + counts.parts + counts.duplicates + counts.blank + counts.left_out, "{imported:?}");
    assert_eq!(counts.left_out, imported.odd.iter().filter(|odd| !odd.taken).count(), "{imported:?}");
    let mut door = Parser::new(Latest::from_clock(modified().as_microsecond()));
    let read = |line: &String| {
        door.parse(line).unwrap_or_else(|refusal| panic!("{refusal}: {line}"));
        serde_json::from_str(line).expect("JSON")
    };
    imported.lines.iter().map(read).collect()
}

fn record(name: &str, text: &str) -> Imported {
    import_record(name, text.as_bytes(), modified(), RecordSource { owner: OWNER, counted_through: &Counted::new() }).imported
}

fn rows(text: &str) -> ImportedRows {
    import_rows(text.as_bytes(), modified(), OWNER)
}

#[test]
fn a_record_becomes_a_deliberation() {
    let response = format!("Text.\n\n## Accumulated Patterns\n- {SAYING}\n\n<!-- jkz:verdict-json {{\"verdict\":\"PASS\"}} -->");
    let text = json!({
        "role": "judge", "timestamp": "2026-05-01T10:00:00Z", "status": "success", "response": response, "model": "m-1",
        "endpoint": "e-1", "pr": 7, "issue": 42, "phase": "review", "command": "/review", "duration_ms": 1200.0, "tokens": 900,
    });
    let event = events(&record("42-judge-2.json", &text.to_string())).remove(0);
    for (name, value) in [
        ("kind", json!("deliberation")),
        ("project", json!("web")),
        ("role", json!("judge")),
        ("issue", json!("42")),
        ("pull_request", json!("7")),
        ("iteration", json!(2)),
        ("phase", json!("review")),
        ("verdict", json!("PASS")),
        ("evidence_level", json!(3)),
        ("patterns", json!([SAYING])),
        ("duration_ms", json!(1200)),
        ("endpoint", json!("e-1")),
        ("ts", json!("2026-05-01T10:00:00Z")),
    ] {
        assert_eq!(event[name], value, "{name}");
    }
}

#[test]
fn the_name_of_a_file_says_what_its_record_leaves_out() {
    for (name, members, wanted) in [
        ("10-judge-1.json", json!({}), json!(["10", "judge", 1])),
        ("PROJ-7-research-auditor-3.json", json!({}), json!(["PROJ-7", "research-auditor", 3])),
        ("PROJ-7-night-watch-3.json", json!({"role": "night-watch"}), json!(["PROJ-7", "night-watch", 3])),
        ("10-night-watch-3.json", json!({}), json!(["10", "night-watch", 3])),
        ("10-judge-1.json", json!({"role": "lens", "issue": 11, "iter": 4}), json!(["11", "lens", 4])),
        ("anything.json", json!({"role": "lens"}), json!([null, "lens", null])),
    ] {
        let mut text = members;
        text["response"] = "Some words.".into();
        let event = events(&record(name, &text.to_string())).remove(0);
        assert_eq!(json!([event["issue"], event["role"], event["iteration"]]), wanted, "{name}");
        assert_eq!(event["ts"], "2026-06-01T00:00:00Z");
    }
}

#[test]
fn what_cannot_be_a_record_is_left_out_with_its_reason() {
    for (name, text, reason) in [
        ("10-judge-1.json", "{", "is not JSON"),
        ("10-judge-1.json", "[]", "is not an object"),
        ("10-judge-1.json", r#"{"role":"judge"}"#, "holds no `response`"),
        ("10-judge-1.json", r#"{"response":" "}"#, "is empty"),
        ("10-judge-1.json", r#"{"response":{"a":1}}"#, "is not a text"),
        ("judge.json", r#"{"response":"words"}"#, "gives the role"),
        ("10-judge-1.json", r#"{"response":"words","timestamp":"yesterday"}"#, "is not a time"),
        ("10-judge-1.json", r#"{"response":"words","timestamp":12}"#, "before 2000"),
    ] {
        let imported = record(name, text);
        assert_eq!(events(&imported).len(), 0, "{text}");
        assert!(imported.odd[0].reason.contains(reason), "{text}: {}", imported.odd[0].reason);
    }
    assert_eq!(record("10-judge-1.json", "\n").counts.blank, 1);
}

#[test]
fn rows_are_read_from_every_export() {
    let row = json!({"text": SAYING, "role": "judge", "success_count": 5, "ignore_count": 2, "last_used": "2026-05-01 10:00:00"});
    for text in [json!([row]).to_string(), json!({"patterns": [row]}).to_string(), row.to_string(), format!("{row}\n\n")] {
        let found = rows(&text);
        let event = events(&found.imported).remove(0);
        assert_eq!(event["patterns"], json!([SAYING]), "{text}");
        assert_eq!(
            event["prior"],
            json!({"success_count": 5, "ignore_count": 2, "was_validated": false, "last_used": "2026-05-01T10:00:00Z"})
        );
        assert_eq!(found.through.get("web").copied(), "2026-05-01T10:00:00Z".parse().ok());
    }
}

#[test]
fn a_row_brings_along_what_its_store_knew() {
    let row = json!({
        "text": SAYING, "text_hash": "ab", "role": "Judge", "category": "RULE", "success_count": "6", "ignore_count": 1,
        "ignore_weight_score": 1.5, "reinforce_count": 3, "seen_count": 4, "was_validated": 1, "lifecycle_state": "active",
        "last_used": 1_777_000_000_000_i64, "created_at": 1_776_000_000, "embedding": [0.1, 0.2], "project_id": "x",
    });
    let found = rows(&row.to_string());
    let event = events(&found.imported).remove(0);
    assert_eq!(event["patterns"], json!([format!("[rule] {SAYING}")]));
    assert_eq!((&event["project"], &event["ts"]), (&"web".into(), &"2026-04-12T13:20:00Z".into()));
    let prior = &event["prior"];
    assert_eq!(
        (&prior["success_count"], &prior["was_validated"], &prior["lifecycle_state"]),
        (&6.into(), &true.into(), &"active".into())
    );
}

#[test]
fn rows_of_several_projects_are_kept_apart() {
    let row = |project: &str| json!({"text": SAYING, "role": "judge", "project_id": project}).to_string();
    let found = rows(&format!("{}\n{}\n{}\n", row("a"), row("b"), row("a")));
    let projects: Vec<Value> = events(&found.imported).iter().map(|event| event["project"].clone()).collect();
    assert_eq!(projects, ["a", "b"]);
    assert_eq!(found.imported.counts.duplicates, 1);
    assert!(found.imported.odd.iter().any(|odd| odd.taken && odd.reason.contains("several projects")));
}

#[test]
fn rows_that_are_none_are_left_out_with_their_line() {
    let text = format!(
        "{}\nnot JSON\n{}\n{}\n\n{}\n",
        json!({"text": SAYING, "role": "judge"}),
        json!({"text": "short", "role": "judge"}),
        json!({"text": SAYING}),
        json!({"text": format!("{SAYING}."), "role": "JUDGE"}),
    );
    let found = rows(&text);
    let counts = found.imported.counts;
    assert_eq!((counts.records, counts.taken, counts.duplicates, counts.blank, counts.left_out), (6, 1, 1, 1, 3));
    let lines: Vec<usize> = found.imported.odd.iter().map(|odd| odd.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    events(&found.imported);
    assert_eq!(rows("[1, {").imported.counts.left_out, 1);
}

#[test]
fn what_the_rows_count_is_not_counted_again() {
    let response = format!("## Accumulated Patterns\n- {SAYING}\n");
    let text = |day: &str| json!({"response": response, "timestamp": format!("2026-05-{day}T00:00:00Z")}).to_string();
    let counted = Counted::from([("web".to_owned(), "2026-05-10T00:00:00Z".parse().expect("a time"))]);
    let source = RecordSource { owner: OWNER, counted_through: &counted };
    let patterns = |day: &str| {
        let imported = import_record("1-judge-1.json", text(day).as_bytes(), modified(), source).imported;
        events(&imported)[0]["patterns"].clone()
    };
    assert_eq!(patterns("10"), json!([]));
    assert_eq!(patterns("11"), json!([SAYING]));
}

proptest! {
    #[test]
    fn whatever_is_imported_is_accounted_for(text in "[\\[\\]{}\",:a-z0-9\\n ]{0,80}", value in any::<Option<i64>>()) {
        events(&record("1-judge-1.json", &text));
        events(&rows(&text).imported);
        let row = json!({"text": SAYING, "role": "judge", "success_count": value, "ignore_weight_score": value, "seen_count": text});
        events(&rows(&row.to_string()).imported);
    }
}

/// A database that `SQLite` made; its log, where it has one.
fn database(name: &str) -> Database {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/sqlite");
    let log = std::fs::read(folder.join(format!("{name}-wal"))).unwrap_or_default();
    Database::new(std::fs::read(folder.join(name)).expect("the file"), log).expect("a database")
}

#[test]
fn tables_are_read_as_sqlite_wrote_them() {
    let plain = database("plain.db").rows("patterns").expect("rows").expect("the table");
    assert_eq!(plain.len(), 90);
    let row = |number: usize| &plain[number - 1];
    assert_eq!((&row(1)["id"], &row(1)["success_count"], &row(1)["category"]), (&1.into(), &70_000.into(), &"rule".into()));
    assert_eq!(
        (&row(2)["category"], &row(2)["embedding"], &row(2)["ignore_weight_score"]),
        (&Value::Null, &Value::Null, &1.5.into())
    );
    assert_eq!(row(90)["text"], "Rule 89 of project shop: never trust input number 89");
    assert_eq!((&row(90)["last_used"], &row(90)["project_id"]), (&1_777_000_000_089_i64.into(), &"shop".into()));
    let said = database("plain.db").rows("Deliberations").expect("rows").expect("the table");
    let long = said[0]["response"].as_str().expect("a text");
    assert!(long.len() > 6000 && long.ends_with("very long report\n"), "{}", long.len());
    assert_eq!(database("plain.db").rows("nothing").expect("no fault"), None);
}

#[test]
fn the_log_beside_a_database_counts_up_to_its_last_commit() {
    let rows = database("memory.db").rows("patterns").expect("rows").expect("the table");
    assert_eq!(rows.len(), 89);
    assert_eq!((&rows[1]["success_count"], &rows[2]["id"]), (&99.into(), &4.into()));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/sqlite");
    let file = std::fs::read(folder.join("memory.db")).expect("the file");
    let mut log = std::fs::read(folder.join("memory.db-wal")).expect("the log");
    // What does not add up is not taken, and nothing behind it.
    log[100] ^= 1;
    let rows = Database::new(file, log).expect("a database").rows("patterns").expect("rows").expect("the table");
    assert_eq!((rows.len(), &rows[1]["success_count"]), (90, &2.into()));
}

#[test]
fn damaged_databases_are_refused_and_never_read_for_ever() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/sqlite");
    let file = std::fs::read(folder.join("plain.db")).expect("the file");
    assert!(Database::new(b"SQLite".to_vec(), Vec::new()).is_err());
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let mut damaged = file.clone();
        for _ in 0..random.usize(1..40) {
            let place = random.usize(16..damaged.len());
            damaged[place] = random.u8(..);
        }
        damaged.truncate(random.usize(0..=damaged.len()));
        if let Ok(database) = Database::new(damaged, Vec::new()) {
            let _ = (database.rows("patterns"), database.rows("deliberations"));
        }
    }
}
