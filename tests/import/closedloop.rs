//! The files of ClosedLoop: what each row becomes, and that none is lost.

use agent::import::closedloop::{Imported, import_acknowledgments, import_outcomes, import_patterns, import_pending, import_runs};
use event::{Kind, Latest, Parser};
use jiff::Timestamp;
use proptest::prelude::*;
use render::toon::{Located, Row};
use serde_json::{Value, json};

const HEAD: &str = "2026-05-06T10:00:00Z|20260506-100000-abcdef01|3|builder|Check the token|applied";

/// The events, after checking that our door takes each of them and that every record is accounted for.
fn events(imported: &Imported) -> Vec<Value> {
    let counts = imported.counts;
    assert_eq!(counts.records, counts.taken + counts.parts + counts.blank + counts.left_out, "{imported:?}");
    assert_eq!(counts.left_out, imported.odd.iter().filter(|odd| !odd.taken).count(), "{imported:?}");
    assert!(imported.lines.len() >= counts.taken && imported.odd.iter().all(|odd| odd.text.chars().count() <= 200));
    let mut parser = Parser::new(Latest::from_clock(i64::MAX / 2));
    for line in &imported.lines {
        assert!(!line.contains(['\n', '\r']), "{line}");
        parser.parse(line).unwrap_or_else(|refusal| panic!("{refusal}: {line}"));
    }
    imported.lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn of_kind(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["kind"] == kind).cloned().collect()
}

/// The events of one kind that a row with this tail gives.
fn with_tail(tail: &str, kind: &str) -> Vec<Value> {
    of_kind(&events(&import_outcomes(format!("{HEAD}{tail}\n").as_bytes(), "shop")), kind)
}

fn ids(text: &str) -> Vec<String> {
    let applications = of_kind(&events(&import_outcomes(text.as_bytes(), "shop")), "application");
    applications.iter().map(|event| event["id"].as_str().expect("an id").to_owned()).collect()
}

/// What a row's relevance is by structure (score, method), and as the original reads it (score, text).
type Relevances = (Option<(f64, Option<String>)>, Option<(f64, String)>);

fn relevances(tail: &str) -> Relevances {
    let found = with_tail(tail, "relevance");
    let word = |event: &Value, name: &str| event[name].as_str().map(str::to_owned);
    let score = |event: &Value| event["score"].as_f64().expect("a score");
    let (as_read, own): (Vec<_>, Vec<_>) = found.iter().partition(|event| event["method"] == "closedloop:as-read");
    assert!(as_read.len() <= 1 && own.len() <= 1, "{found:?}");
    (
        own.first().map(|event| (score(event), word(event, "method"))),
        as_read.first().map(|event| (score(event), word(event, "raw").expect("the text"))),
    )
}

fn goals(tail: &str) -> Vec<(String, bool, Option<f64>)> {
    let goal =
        |event: &Value| (event["goal"].as_str().expect("a name").to_owned(), event["success"] == true, event["score"].as_f64());
    with_tail(tail, "goal").iter().map(goal).collect()
}

fn goal(name: &str, success: bool, score: f64) -> (String, bool, Option<f64>) {
    (name.to_owned(), success, Some(score))
}

fn own(score: f64, method: &str) -> Relevances {
    (Some((score, Some(method.to_owned()))), None)
}

fn reasons(imported: &Imported) -> Vec<(usize, bool, &str)> {
    imported.odd.iter().map(|odd| (odd.line, odd.taken, &*odd.reason)).collect()
}

#[test]
fn a_row_becomes_an_application_with_an_id_of_its_own() {
    let found = with_tail("|src/a.py:1, ,src/b.py:2", "application");
    let id = found[0]["id"].as_str().expect("an id").to_owned();
    assert!(id.len() == 35 && id.starts_with("cl-"), "{id}");
    let expected = json!({
        "kind": "application", "ts": "2026-05-06T10:00:00Z", "project": "shop", "id": id,
        "run_id": "20260506-100000-abcdef01", "iteration": 3, "agent": "builder", "trigger": "Check the token",
        "status": "applied", "citations": ["src/a.py:1", "src/b.py:2"],
    });
    assert_eq!(found, [expected]);
}

#[test]
fn a_row_without_markers_gives_nothing_else() {
    for tail in ["", "|", "|unverified", "|a.py:1", "|c|"] {
        let imported = import_outcomes(format!("{HEAD}{tail}").as_bytes(), "shop");
        assert_eq!((imported.lines.len(), imported.odd.len()), (1, 0), "{tail}");
    }
    assert_eq!(with_tail("|unverified", "application")[0]["citations"], json!(["unverified"]));
}

#[test]
fn a_goal_without_relevance_is_no_relevance_but_the_original_reads_one() {
    assert_eq!(relevances("|c|g|1|0.83"), (None, Some((1.0, "1".to_owned()))));
    assert_eq!(goals("|c|g|1|0.83"), [goal("g", true, 0.83)]);
    assert_eq!(relevances("|c|g|0|0.17"), (None, Some((0.0, "0".to_owned()))));
    assert_eq!(goals("|c|g|0|0.17"), [goal("g", false, 0.17)]);
    assert_eq!(relevances("|c|0|0|0"), (None, Some((0.0, "0".to_owned()))));
    assert_eq!(goals("|c|0|0|0"), [goal("0", false, 0.0)]);
}

#[test]
fn a_relevance_in_front_of_goals_is_read_alike_by_both() {
    assert_eq!(relevances("|c|0.5|unverified|g|1|0.8"), (Some((0.5, None)), None));
    assert_eq!(goals("|c|0.5|unverified|g|1|0.8"), [goal("g", true, 0.8)]);
    assert_eq!(with_tail("|c|0.5|unverified|g|1|0.8", "citation").len(), 1);
    assert_eq!(relevances("|c|0.5|default|g|1|0.83|g|0|0.17"), own(0.5, "default"));
    assert_eq!(relevances("|c|0.5|default|1|1|0.5"), own(0.5, "default"));
    assert_eq!(goals("|c|0.5|default|1|1|0.5"), [goal("default", true, 1.0)]);
    assert_eq!(relevances("|c|0.5"), (Some((0.5, None)), None));
    assert_eq!(relevances("|c|0.5|build_passed"), (Some((0.5, None)), None));
    assert_eq!(relevances("|c| 0_1.5e-1 |m"), own(0.15, "m"));
}

#[test]
fn half_a_goal_is_none() {
    for half in ["g|1|", "g|1", "g|true|0.8", "g|1|high", "g|01|0.8", "g| 1|0.8"] {
        let tail = format!("|c|0.5|default|{half}");
        assert_eq!((relevances(&tail), goals(&tail).len()), (own(0.5, "default"), 0), "{half}");
        let imported = import_outcomes(format!("{HEAD}{tail}").as_bytes(), "shop");
        assert!(imported.odd[0].taken && imported.odd[0].reason.contains("belong to no marker: `g`"), "{:?}", imported.odd);
    }
}

#[test]
fn a_relevance_out_of_range_is_moved_into_it_and_one_that_is_no_number_is_dropped() {
    let found = with_tail("|c|2024|x", "relevance");
    assert_eq!((found.len(), &found[0]["score"], &found[0]["raw"]), (1, &json!(1.0), &json!("2024")));
    assert_eq!(with_tail("|c|-3|x", "relevance")[0]["score"], json!(0.0));
    for text in ["nan", "NaN", "-inf", "Infinity", "1e999"] {
        assert_eq!(relevances(&format!("|c|{text}|x|g|0|0.2")), (None, Some((0.0, text.to_owned()))), "{text}");
    }
    assert_eq!(relevances("|c|0.2|0.7|m"), (Some((0.7, Some("m".to_owned()))), Some((0.2, "0.2".to_owned()))));
}

#[test]
fn only_the_exact_word_marks_a_row_as_unverified() {
    assert_eq!(with_tail("|c|Unverified", "citation").len(), 0);
    let found = with_tail("|c|unverified|0.5|default|unverified", "citation");
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["verified"], &found[0]["trigger"]), (&json!(false), &json!("Check the token")));
    assert_eq!(found[0]["application_id"], with_tail("|c", "application")[0]["id"]);
}

#[test]
fn builds_belong_to_the_row() {
    let found = with_tail("|c|0.5|default|build_failed|g|1|0.7", "build");
    assert_eq!((found.len(), &found[0]["passed"], &found[0]["iteration"]), (1, &json!(false), &json!(3)));
    assert!(found[0]["application_id"].as_str().is_some_and(|id| id.starts_with("cl-")), "{found:?}");
    assert_eq!(with_tail("|c|build_passed", "build")[0]["passed"], json!(true));
}

#[test]
fn later_goals_are_later_in_time() {
    let tail = "|c|0.5|default|g|1|0.83|unverified|build_passed|g|0|nan|g|1|0.67|unverified";
    let found = with_tail(tail, "goal");
    let times: Vec<_> = found.iter().map(|event| event["ts"].as_str().expect("a time")).collect();
    assert_eq!(times, ["2026-05-06T10:00:00Z", "2026-05-06T10:00:00.000001Z", "2026-05-06T10:00:00.000002Z"]);
    assert_eq!(goals(tail), [goal("g", true, 0.83), ("g".to_owned(), false, None), goal("g", true, 0.67)]);
    assert_eq!(goals("|c|0.5|default||1|0.5"), [goal("unnamed", true, 0.5)]);
}

#[test]
fn the_rows_of_the_golden_example_keep_what_its_rates_are_made_of() {
    let tails = [
        "applied|a.py:1|0.8|context_tags|reduce-failures|1|0.83",
        "applied|a.py:2|0.8|context_tags|reduce-failures|0|0.17",
        "applied|a.py:3|unverified|0.8|context_tags|reduce-failures|1|0.83",
        "injected||0.5|default|reduce-failures|1|0.83",
        "applied|a.py:9",
        "injected|",
        "applied|b.py:5|unverified",
    ];
    let log = tails.map(|tail| format!("2026-05-06T10:00:00Z|r|1|impl|Text|{tail}")).join("\n");
    let imported = import_outcomes(format!("{log}\nshort|line\n").as_bytes(), "shop");
    let found = events(&imported);
    let count = |kind| of_kind(&found, kind).len();
    assert_eq!(["application", "relevance", "goal", "citation", "build"].map(count), [7, 4, 4, 2, 0]);
    let scores: Vec<_> = of_kind(&found, "relevance").iter().map(|event| event["score"].as_f64()).collect();
    assert_eq!(scores, [Some(0.8), Some(0.8), Some(0.8), Some(0.5)]);
    assert_eq!(reasons(&imported), [(8, false, "has 2 fields, fewer than 6")]);
}

#[test]
fn importing_again_after_markers_were_appended_gives_the_same_applications() {
    let rows = [HEAD, "2026-05-06T10:00:01Z|r|1|a|t|injected|", "2026-05-06T10:00:02Z|r|1|a|t|applied|x.rs:1 "];
    let before = rows.map(|row| if row == HEAD { format!("{row}|c") } else { row.to_owned() });
    let after = before.clone().map(|row| row + "|0.5|default|g|1|0.83|unverified|build_passed|1|1|0.5");
    let (first, second) = (import_outcomes(before.join("\n").as_bytes(), "p"), import_outcomes(after.join("\r\n").as_bytes(), "p"));
    assert_eq!(of_kind(&events(&first), "application"), of_kind(&events(&second), "application"));
    assert!(first.lines.iter().all(|line| second.lines.contains(line)));
    assert_eq!(import_outcomes(after.join("\r\n").as_bytes(), "p"), second);
}

#[test]
fn equal_rows_are_told_apart_by_their_order_and_projects_by_their_name() {
    let thrice = ids(&format!("{HEAD}|c\n{HEAD}|c|0.5|default\n\n{HEAD}|c\n{HEAD}|d\n"));
    let unique: std::collections::HashSet<_> = thrice.iter().collect();
    assert_eq!((thrice.len(), unique.len()), (4, 4));
    assert_eq!(thrice[..2], ids(&format!("{HEAD}|c\n{HEAD}|c")));
    let elsewhere = import_outcomes(format!("{HEAD}|c").as_bytes(), "other");
    assert_ne!(elsewhere.lines[0], import_outcomes(format!("{HEAD}|c").as_bytes(), "shop").lines[0].replace("shop", "other"));
}

#[test]
fn every_line_end_ends_a_line() {
    let imported = import_outcomes(format!("{HEAD}|a\r\n{HEAD}|b\r{HEAD}|c\n\n \t\n{HEAD}|d").as_bytes(), "shop");
    let counts = imported.counts;
    assert_eq!((counts.records, counts.taken, counts.blank), (6, 4, 2));
    assert_eq!(import_outcomes(b"", "shop"), Imported::default());
}

#[test]
fn what_can_be_repaired_is_taken_and_noted() {
    let log = "\u{feff}2026-05-06T10:00:00Z|../x\\y\u{202e}|-1|a/b| T |Applied|c\n2026-05-06T10:00:00+02:00||1_0|||injected|";
    let imported = import_outcomes(log.as_bytes(), "shop");
    let found = events(&imported);
    let row = &found[0];
    assert_eq!((&row["run_id"], &row["agent"], &row["trigger"]), (&json!(".._x_y_"), &json!("a_b"), &json!(" T ")));
    assert_eq!((row.get("iteration"), &row["iteration_text"], &row["status_text"]), (None, &json!("-1"), &json!("Applied")));
    assert_eq!((&row["status"], &found[1]["run_id"], &found[1]["iteration"]), (&json!("applied"), &json!("unknown"), &json!(10)));
    assert_eq!((&found[1]["trigger"], &found[1]["ts"], found[1].get("agent")), (&json!(""), &json!("2026-05-06T08:00:00Z"), None));
    assert!(imported.odd.iter().all(|odd| odd.taken) && imported.odd.len() == 6, "{:?}", imported.odd);

    let mut broken = format!("{HEAD}|c").into_bytes();
    broken.extend(b"\xc3|0.5|default\n");
    let imported = import_outcomes(&broken, "shop");
    assert_eq!(of_kind(&events(&imported), "application")[0]["citations"], json!(["c\u{fffd}"]));
    assert!(imported.odd[0].taken && imported.odd[0].reason.contains("UTF-8"));
}

#[test]
fn what_cannot_be_repaired_is_left_out_with_its_reason() {
    let log = "yesterday|r|1|a|t|applied|\n1999-12-31T23:59:59Z|r|1|a|t|applied|\na|b|c|d|e\n";
    let imported = import_outcomes(log.as_bytes(), "shop");
    assert!(events(&imported).is_empty());
    let expected = [
        (1, false, "the time `yesterday` is not RFC 3339"),
        (2, false, "the time `1999-12-31T23:59:59Z` is before 2000"),
        (3, false, "has 5 fields, fewer than 6"),
    ];
    assert_eq!(reasons(&imported), expected);
}

#[test]
fn hostile_rows_are_bounded() {
    let wide = "ä".repeat(300_000);
    let many = vec!["x"; 2000].join(",");
    let log = format!("2026-05-06T10:00:00Z|{wide}|1|..|{wide}|applied|{many}|0.5|{wide}|{wide}|1|0.5\n");
    let imported = import_outcomes(log.as_bytes(), "a/b");
    let found = events(&imported);
    assert_eq!((found.len(), &found[0]["agent"], &found[0]["project"]), (3, &json!("__"), &json!("a_b")));
    assert_eq!(found[0]["citations"].as_array().map(Vec::len), Some(1000));
    let controls = format!("{HEAD}|c\n2026-05-06T10:00:00Z|r|1|a|{}|applied|", "\u{1}".repeat(250_000));
    let imported = import_outcomes(controls.as_bytes(), "shop");
    assert_eq!((events(&imported).len(), imported.odd[0].line, imported.odd[0].taken), (1, 2, false));
}

#[test]
fn long_names_that_begin_alike_stay_apart() {
    let wide = "r".repeat(300);
    let log = format!("2026-05-06T10:00:00Z|{wide}1|1|a|t|applied|\n2026-05-06T10:00:00Z|{wide}2|1|a|t|applied|\n");
    let found = events(&import_outcomes(log.as_bytes(), "shop"));
    assert_ne!(found[0]["run_id"], found[1]["run_id"]);
}

#[test]
fn rows_that_end_a_run_become_its_event() {
    let log = "r1|2026-05-06T10:00:00Z|reduce-failures|1|in_progress|code|s1\n\
               r2|2026-05-06T10:00:30Z|g|9|in_progress\n\
               r1|2026-05-06T10:01:00Z|reduce-failures|2|context_limit|code|s1\n\
               r1|2026-05-06T10:02:00Z|reduce-failures|1|completed|code|s2\n\
               r1|2026-05-06T10:03:00Z|reduce-failures|2|review_approved|code_review|s3\n\
               r1|2026-05-06T10:04:00Z|reduce-failures|2|fix_error|code_review|s3\n\
               r3|2026-05-06T10:05:00Z|g|x|error\n\
               r3|2026-05-06T10:05:00Z|g|1|paused|c|s\n\
               r3|soon|g|1|completed|c|s\n\
               r4|2026-05-06T10:05:00Z|g|1\n\n";
    let imported = import_runs(log.as_bytes(), "shop");
    let found = events(&imported);
    let expected = json!({
        "kind": "run", "ts": "2026-05-06T10:01:00Z", "project": "shop", "run_id": "r1", "result": "failure",
        "failure_type": "context_limit", "iterations": 2, "command": "code", "session": "s1", "goal": "reduce-failures",
        "status_text": "context_limit",
    });
    assert_eq!(found[0], expected);
    assert_eq!((&found[1]["result"], &found[1]["iterations"], &found[1]["session"]), (&json!("success"), &json!(2), &json!("s2")));
    let third = json!({
        "kind": "run", "ts": "2026-05-06T10:05:00Z", "project": "shop", "run_id": "r3", "result": "failure", "goal": "g",
        "status_text": "error", "iteration_text": "x",
    });
    assert_eq!(found[2..], [third]);
    let counts = imported.counts;
    assert_eq!((counts.records, counts.taken, counts.parts, counts.blank, counts.left_out), (11, 3, 4, 1, 3));
    let left_out: Vec<_> = imported.odd.iter().filter(|odd| !odd.taken).map(|odd| (odd.line, &*odd.reason)).collect();
    let expected =
        [(8, "the status `paused` is unknown"), (9, "the time `soon` is not RFC 3339"), (10, "has 4 fields, fewer than 5")];
    assert_eq!(left_out, expected);
}

#[test]
fn acknowledgments_become_deliberations_that_always_say_something() {
    let log = "2026-05-06T10:00:00Z|r|1|impl|true|A,B|see src/a.py:1 | and more\n\
               2026-05-06T10:00:00Z|r|1|impl|false||missing acknowledgment\n\
               2026-05-06T10:00:00Z|r|1||maybe|A|\n\
               2026-05-06T10:00:00Z|r|1|impl|false||\n\
               2026-05-06T10:00:00Z|r|1|impl|true|A\n";
    let imported = import_acknowledgments(log.as_bytes(), "shop");
    let found = events(&imported);
    let expected = json!({
        "kind": "deliberation", "ts": "2026-05-06T10:00:00Z", "project": "shop", "run_id": "r", "iteration": 1, "role": "impl",
        "phase": "acknowledgment", "status": "acknowledged", "text": "see src/a.py:1 | and more", "summaries": "A,B",
    });
    assert_eq!(found[0], expected);
    let seen: Vec<_> = found.iter().map(|event| [&event["role"], &event["status"], &event["text"]]).collect();
    assert_eq!(seen[1], ["impl", "missing", "missing acknowledgment"]);
    assert_eq!(seen[2], ["unknown", "missing", "A"]);
    assert_eq!(seen[3], ["impl", "missing", "-"]);
    assert_eq!((found.len(), imported.counts.left_out), (4, 1));
}

fn modified() -> Timestamp {
    "2026-05-06T10:00:00.123456789Z".parse().expect("a time")
}

fn pending(text: &str) -> Imported {
    import_pending("plan-writer-a1b2.json", text.as_bytes(), modified(), "shop")
}

#[test]
fn a_pending_file_becomes_a_learning_with_everything_in_it() {
    let lesson = json!({
        "what_happened": "It broke", "why": "No check", "fix_applied": "Checked", "pattern_to_remember": "Check first",
        "applies_to": ["*", "", "builder"], "context": {"file": "src/a.py", "line": 7, "function": "f"},
        "id": "L-1", "kind": "x", "category": 3, "agent": "me", "severity": {"deep": [1]}, "detail": null, "scope": "",
    });
    let imported = pending(&lesson.to_string());
    let expected = json!({
        "kind": "learning", "ts": "2026-05-06T10:00:00.123456Z", "project": "shop", "agent": "plan-writer", "pending": true,
        "what": "It broke", "why": "No check", "fix": "Checked", "summary": "Check first", "applies_to": ["*", "builder"],
        "context": {"file": "src/a.py", "line": 7, "function": "f"}, "citations": ["src/a.py:7"], "source_id": "L-1",
        "source_kind": "x", "source_category": 3, "source_agent": "me", "severity": {"deep": [1]},
    });
    assert_eq!(events(&imported), [expected]);
    assert_eq!((imported.odd.len(), imported.odd.iter().all(|odd| odd.taken && odd.line == 0)), (4, true));
}

#[test]
fn a_pending_file_may_say_that_nothing_was_learned() {
    let imported = pending("\u{feff} {\"no_learnings\": true, \"reason\": \"routine\"}\n");
    let found = events(&imported);
    assert_eq!((&found[0]["no_learnings"], &found[0]["reason"]), (&json!(true), &json!("routine")));
}

#[test]
fn a_pending_list_is_read_object_by_object() {
    let imported = pending(r#"[{"summary":"One"}, 2, {"what":""}, {"no_learnings":false}, {"what":"Two","context":"x"}]"#);
    let found = events(&imported);
    assert_eq!((found.len(), &found[1]["source_context"]), (2, &json!("x")));
    let left_out: Vec<_> = imported.odd.iter().filter(|odd| !odd.taken).map(|odd| &*odd.reason).collect();
    let empty = "holds neither a lesson nor `no_learnings`";
    assert_eq!(left_out, ["item 2: is not an object".to_owned(), format!("item 3: {empty}"), format!("item 4: {empty}")]);
}

#[test]
fn a_pending_file_of_another_shape_is_left_out() {
    for text in ["{", "7", "[]", "{}", "null", r#"{"summary":"\ud800"}"#, r#"{"what":5}"#] {
        let imported = pending(text);
        assert_eq!((events(&imported).len(), imported.counts.left_out), (0, 1), "{text}");
    }
    assert_eq!(pending(" \n").counts.blank, 1);
}

#[test]
fn a_member_that_does_not_fit_its_field_is_kept_beside_it() {
    let names = Kind::Learning.fields().iter().map(|field| field.name);
    let names = names.chain(["kind", "ts", "project", "id", "event_id", "created_at"]);
    for name in names.filter(|name| *name != "summary") {
        for value in [json!([{}]), json!({"a": 1.5}), json!(-1), json!("/\u{1}"), json!(""), json!(" "), json!(true), json!(null)] {
            let lesson = json!({"summary": "s", name: value});
            assert_eq!(events(&pending(&lesson.to_string())).len(), 1, "{lesson}");
        }
    }
}

#[test]
fn a_hostile_pending_file_is_bounded() {
    let deep = format!(r#"{{"summary":"s","context":{0}{1},"x":{0}{1}}}"#, "[".repeat(100), "]".repeat(100));
    assert!(events(&pending(&deep))[0]["x"].is_string());
    let members: Vec<String> = (0..500).map(|number| format!(r#""m{number}":[{number}]"#)).collect();
    let found = events(&pending(&format!(r#"{{"summary":"s",{}}}"#, members.join(","))));
    assert_eq!(found[0]["members"].as_object().map(serde_json::Map::len), Some(500));
    let huge = json!({"summary": "s", "x": "y".repeat(2_000_000)}).to_string();
    assert_eq!(pending(&huge).counts.left_out, 1);
    let old = import_pending("x.json", br#"{"summary":"s"}"#, Timestamp::UNIX_EPOCH, "shop");
    assert_eq!((&events(&old)[0]["ts"], events(&old)[0].get("agent")), (&json!("2000-01-01T00:00:00Z"), None));
}

#[test]
fn pattern_rows_become_learnings() {
    let row = Located {
        line: 4,
        row: Row {
            id: "P-001".to_owned(),
            category: "mistake".to_owned(),
            summary: "Check the token".to_owned(),
            confidence: "high".to_owned(),
            seen_count: 5,
            success_rate: Some(0.48),
            flags: "[STALE]".to_owned(),
            applies_to: "builder| |planner".to_owned(),
            context: "auth|API".to_owned(),
            repo: "*".to_owned(),
        },
    };
    let expected = json!({
        "kind": "learning", "ts": "2026-05-06T10:00:00.123456Z", "project": "shop", "pattern_id": "P-001", "category": "mistake",
        "summary": "Check the token", "confidence": "high", "seen_count": 5, "success_rate": 0.48,
        "applies_to": ["builder", "planner"], "tags": ["auth", "API"], "repo": "*", "flags": "[STALE]",
        "origin": "org-patterns.toon",
    });
    let bare = Located { line: 5, row: Row { summary: "s".to_owned(), success_rate: Some(f64::NAN), ..Row::default() } };
    let imported = import_patterns(&[row, bare, Located { line: 6, row: Row::default() }], modified(), "shop");
    let found = events(&imported);
    assert_eq!((found.len(), &found[0], &found[1]["seen_count"]), (2, &expected, &json!(0)));
    let expected = [(5, true, "`success_rate` NaN is not a finite number"), (6, false, "the summary is empty")];
    assert_eq!(reasons(&imported), expected);
}

#[test]
fn ids_that_are_given_twice_come_last_and_without_their_number() {
    let row = |line: usize, id: &str, summary: &str| Located {
        line,
        row: Row { id: id.to_owned(), summary: summary.to_owned(), ..Row::default() },
    };
    let rows = [row(2, "P-001", "One"), row(3, "P-001", "Another"), row(4, "odd", "No number"), row(5, "P-002", "Two")];
    let imported = import_patterns(&rows, modified(), "shop");
    let found: Vec<_> =
        events(&imported).iter().map(|event| (event["summary"].clone(), event.get("pattern_id").cloned())).collect();
    let [one, two] = ["P-001", "P-002"].map(|id| Some(json!(id)));
    assert_eq!(found, [(json!("One"), one), (json!("Two"), two), (json!("Another"), None), (json!("No number"), None)]);
}

/// Bytes that look like a log now and then, so that the readers get far into them.
fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let words = ["|", "|", "|", "\n", "\r", "\r\n", "0", "1", "0.5", "nan", "unverified", "build_passed", "g", "..", "true", " "];
    let rows = ["2026-05-06T10:00:00Z|r|1|a|t|applied|c", "\nr|2026-05-06T10:00:00Z|g|1|completed|", "{\"summary\":\"s\"}", "["];
    let text = proptest::sample::select([words.as_slice(), rows.as_slice()].concat()).prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![8 => text, 1 => proptest::collection::vec(any::<u8>(), 0..6)];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_line_of_any_bytes_is_accounted_for(bytes in any_log()) {
        let universal = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
        for imported in [import_outcomes(&bytes, "p"), import_runs(&bytes, "p"), import_acknowledgments(&bytes, "p")] {
            events(&imported);
            prop_assert_eq!(imported.counts.records, universal.lines().count());
        }
        events(&import_pending("a-b.json", &bytes, modified(), "p"));
    }

    #[test]
    fn appending_a_marker_keeps_every_application(bytes in any_log()) {
        let once = import_outcomes(&bytes, "p");
        let rows: Vec<_> = String::from_utf8_lossy(&bytes).replace('\r', "\n").lines().map(str::to_owned).collect();
        // A row that lacks its citations gets the marker in their place, in the original too.
        let mark = |row: &String| if row.split('|').count() < 7 { row.clone() } else { format!("{row}|0.5|default|g|1|0.8") };
        let marked = import_outcomes(rows.iter().map(mark).collect::<Vec<_>>().join("\n").as_bytes(), "p");
        prop_assert_eq!(of_kind(&events(&once), "application"), of_kind(&events(&marked), "application"));
    }
}
