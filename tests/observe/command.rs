//! The real program: transcripts that are named, sessions that wait, commands that answer, fail and are too dear.

use std::fs;

use serde_json::{Value, json};

use super::room::Room;
use super::{TELLING, row};
use crate::support::Outcome;

fn told(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {} {}", outcome.out, outcome.error))
}

/// Four turns in which a decision is made.
const TALK: [(&str, &str); 4] = [
    ("", "please have a look at how the sessions are stored in this project"),
    ("I could move them to Postgres.", "keep SQLite because the tests have to run without any server"),
    ("Done.", "now have a look at the importer and tell me what it does with empty files"),
    ("It skips them.", "that is fine for the moment, we will come back to it next week"),
];

/// A fenced answer that names one decision twice, as a model does.
fn fenced(session: Option<usize>) -> String {
    let entry = json!({"id": "obs_fk0001", "type": "decision", "pattern": "SQLite over Postgres",
        "evidence": ["keep SQLite because the tests have to run without any server"],
        "details": "context: storage; decision: SQLite; rationale: no server", "quality_ok": true, "session": session});
    format!("```json\n{}\n```\n", json!({"observations": [entry, entry]}))
}

#[test]
fn a_healthy_run_against_a_fenced_answer_ends_in_events() {
    let room = Room::new();
    room.answering("", &fenced(None));
    for session in ["s1", "s10", "s2"] {
        room.end(session, &TALK);
    }
    let outcome = room.observe();
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let result = told(&outcome);
    assert_eq!(
        (&result["calls"], &result["sessions"], &result["landed"], &result["waiting"]),
        (&1.into(), &3.into(), &1.into(), &0.into())
    );
    let landed = room.landed();
    assert_eq!(landed.len(), 1, "named twice, seen once");
    assert_eq!(
        (&landed[0]["observation_id"], &landed[0]["session"], &landed[0]["quality_ok"]),
        (&"obs_fk0001".into(), &"s1".into(), &true.into())
    );
    assert_eq!((&landed[0]["ts"], &landed[0]["project"]), (&"2026-03-01T10:03:00Z".into(), &"shop".into()));
    assert_eq!(room.waiting(), []);
    assert_eq!(fs::read_to_string(room.path("calls")).expect("a call"), "off\n", "what the command starts is not observed");
    let request: Value = serde_json::from_str(&fs::read_to_string(room.path("request")).expect("a request")).expect("JSON");
    assert_eq!(request["sessions"].as_array().expect("sessions").len(), 3);
    room.scene.done(&["run", "compact"]);
    assert_eq!(room.scene.count("select count(*) from observation where type = 'decision' and quality_ok"), 1);
}

#[test]
fn a_batch_waits_until_it_is_full_and_stays_until_its_events_have_landed() {
    let room = Room::new();
    room.answering("throttle_minutes = 0", &fenced(Some(1)));
    room.end("s1", &TALK);
    room.end("s2", &TALK);
    assert_eq!((told(&room.observe())["waiting"].clone(), room.calls()), (2.into(), 0));
    room.end("s3", &TALK);
    for failure in ["exit 3", "echo nonsense", "echo '{\"observations\":[null]}'"] {
        room.set("throttle_minutes = 0", Some(&format!("cat > /dev/null; echo x >> calls; {failure}")));
        let outcome = room.observe();
        assert_eq!(outcome.code, 75, "{failure}: {}", outcome.error);
        assert!(outcome.error.contains("warning: 3 sessions stay unobserved"), "{}", outcome.error);
        assert_eq!(room.landed().len(), 0);
    }
    assert_eq!(room.waiting(), [("s1".to_owned(), 3), ("s2".to_owned(), 3), ("s3".to_owned(), 3)]);
    room.answering("throttle_minutes = 0", &fenced(Some(1)));
    assert_eq!(room.observe().code, 0);
    assert_eq!((room.landed().len(), room.waiting().len(), room.calls()), (1, 0, 4));
}

#[test]
fn a_cap_of_one_run_a_day_means_one() {
    let room = Room::new();
    room.answering("max_daily_runs = 1\nthrottle_minutes = 0\nbatch_size = 1", &fenced(Some(1)));
    room.end("s1", &TALK);
    assert_eq!(room.observe().code, 0);
    assert_eq!((room.calls(), room.landed().len()), (1, 1));
    room.end("s2", &TALK);
    let outcome = room.observe();
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    assert!(outcome.error.contains("the 1 runs of today are used up"), "{}", outcome.error);
    assert_eq!((room.calls(), room.waiting()), (1, vec![("s2".to_owned(), 0)]));
    let by_hand = room.scene.run(&["observe", room.path("s2.jsonl").to_str().expect("a path")]);
    assert_eq!((by_hand.code, room.calls()), (75, 1), "{}", by_hand.error);
}

#[test]
fn runs_lie_apart_as_the_settings_say() {
    let room = Room::new();
    room.answering("throttle_minutes = 60\nbatch_size = 1", &fenced(Some(1)));
    room.end("s1", &TALK);
    room.observe();
    room.end("s2", &TALK);
    assert_eq!((told(&room.observe())["waiting"].clone(), room.calls()), (1.into(), 1));
    room.answering("throttle_minutes = 0\nbatch_size = 1", &fenced(Some(1)));
    room.observe();
    assert_eq!((room.calls(), room.waiting().len()), (2, 0));
    room.answering("throttle_minutes = 60\nbatch_size = 1", &fenced(Some(1)));
    let by_hand = room.scene.run(&["observe", room.path("s2.jsonl").to_str().expect("a path")]);
    assert_eq!((by_hand.code, room.calls()), (0, 3), "whoever asks by hand need not wait: {}", by_hand.error);
}

#[test]
fn sessions_that_say_too_little_or_are_gone_leave_the_queue() {
    let room = Room::new();
    room.answering("batch_size = 1", &fenced(Some(1)));
    let tool = json!({"type": "user", "toolUseResult": {}, "message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}});
    let path = room.transcript("results", &TALK[..2]);
    let lines = fs::read_to_string(&path).expect("a transcript") + &format!("{tool}\n").repeat(9);
    fs::write(&path, lines).expect("a transcript");
    room.enqueue("results", path);
    room.end("silent", &[("I did something.", "")]);
    room.enqueue("gone", room.path("gone.jsonl"));
    fs::write(room.path("odd.jsonl"), "not json\n").expect("a file");
    room.enqueue("odd", room.path("odd.jsonl"));
    let outcome = room.observe();
    let result = told(&outcome);
    assert_eq!((&result["shallow"], &result["missing"], &result["waiting"], room.calls()), (&2.into(), &2.into(), &0.into(), 0));
    for words in ["the session gone", "no longer exists", "the session odd", "line 1: expected"] {
        assert!(outcome.error.contains(words), "{words} in {}", outcome.error);
    }
    assert_eq!(room.waiting(), []);
}

#[test]
fn nothing_is_asked_about_two_hundred_characters_that_are_not_there() {
    let room = Room::new();
    room.answering("batch_size = 1", &fenced(Some(1)));
    room.end("short", &[("", "hello there"), ("Hi.", "and again"), ("Hm.", "good bye")]);
    let result = told(&room.observe());
    assert_eq!((&result["shallow"], room.calls(), room.waiting().len()), (&1.into(), 0, 0));
}

#[test]
fn projects_are_asked_about_apart() {
    let room = Room::new();
    room.answering("batch_size = 2\nthrottle_minutes = 0", r#"{"observations": []}"#);
    for (session, project) in [("a1", "alpha"), ("b1", "beta"), ("a2", "alpha"), ("b2", "beta"), ("c1", "gamma")] {
        let path = room.transcript(session, &TALK);
        let pending = json!({"session": session, "project": project, "transcript": path, "at": "2026-03-01T00:00:00Z"});
        let folder = room.scene.workspace.observing();
        fs::create_dir_all(&folder).expect("a folder");
        let queue = fs::read_to_string(folder.join("queue.jsonl")).unwrap_or_default();
        fs::write(folder.join("queue.jsonl"), format!("{queue}{pending}\n")).expect("a queue");
    }
    let result = told(&room.observe());
    assert_eq!((&result["calls"], &result["sessions"], room.waiting()), (&2.into(), &4.into(), vec![("c1".to_owned(), 0)]));
}

#[test]
fn an_answer_with_bad_entries_lands_the_good_ones_and_tells_the_others() {
    let room = Room::new();
    let entry = json!({"id": "obs_good01", "type": "decision", "pattern": "SQLite over Postgres", "session": 1});
    let bad = json!({"id": "nope", "type": "decision", "pattern": "x"});
    room.answering(
        "batch_size = 1",
        &json!({"observations": [bad, entry, {"id": "obs_e", "type": "decision", "pattern": "p", "evidence": "abcd"}]}).to_string(),
    );
    room.end("s1", &TALK);
    let outcome = room.observe();
    assert_eq!((outcome.code, &told(&outcome)["refused"]), (1, &2.into()), "{}", outcome.error);
    assert!(outcome.error.contains("entry 1: `id` is `nope`") && outcome.error.contains("entry 3: "), "{}", outcome.error);
    assert_eq!((room.landed().len(), room.waiting().len()), (1, 0));
}

#[test]
fn the_built_in_rules_take_every_session_at_once_and_find_all_four_types() {
    let room = Room::new();
    room.end("s1", &TELLING);
    let outcome = room.observe();
    assert_eq!((outcome.code, &*outcome.error), (0, "observe: 4 observations in 1 sessions, 4 of them new\n"));
    let kinds: Vec<Value> = room.landed().iter().map(|row| row["type"].clone()).collect();
    assert_eq!(kinds, ["workflow", "pitfall", "decision", "procedural"]);
    assert_eq!(room.waiting(), []);
    assert!(!room.scene.workspace.history().join(format!("observer-{}.jsonl", &jiff::Timestamp::now().to_string()[..10])).exists());
}

#[test]
fn a_session_that_goes_on_tells_nothing_twice() {
    let room = Room::new();
    room.end("s1", &TELLING);
    room.observe();
    let more: Vec<(&str, &str)> =
        TELLING.into_iter().chain([("Done.", "please use `make gen` to regenerate the client")]).collect();
    room.end("s1", &more);
    let result = told(&room.observe());
    assert_eq!((&result["known"], &result["landed"]), (&4.into(), &1.into()), "{result}");
    room.scene.done(&["run", "compact"]);
    assert_eq!(room.scene.count("select count(*) from observation"), 5);
    assert_eq!(room.scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn what_two_sessions_say_in_other_words_is_one_good_observation() {
    let room = Room::new();
    let filler = [("", "hello, have a look around"), ("Hi.", "that is all there is to it")];
    for (session, order) in [("s1", "run the linter, then commit"), ("s2", "Please run the linter and then commit")] {
        let turns: Vec<(&str, &str)> = filler.into_iter().chain([("Done.", order)]).collect();
        room.end(session, &turns);
    }
    room.observe();
    let landed: Vec<(Value, Value, usize)> = room
        .landed()
        .iter()
        .map(|row| (row["session"].clone(), row["quality_ok"].clone(), row["evidence"].as_array().map_or(0, Vec::len)))
        .collect();
    assert_eq!(landed, [("s1".into(), false.into(), 1), ("s2".into(), false.into(), 1)]);
    // Neither says so alone; both together do.
    room.scene.done(&["run", "hourly"]);
    let listed: Value = serde_json::from_str(&room.scene.done(&["learn", "list", "--all", "--json"]).out).expect("JSON");
    let told: Vec<_> =
        listed.as_array().into_iter().flatten().map(|row| (row["observations"].clone(), row["quality_ok"].clone())).collect();
    assert_eq!(told, [(2.into(), true.into())], "{listed}");
}

#[test]
fn a_named_transcript_is_shown_and_landed_and_a_dry_run_lands_nothing() {
    let room = Room::new();
    let path = room.transcript("5b7c0f6e", &TELLING);
    let path = path.to_str().expect("a path");
    let dry = room.scene.done(&["observe", path, "--dry-run", "--project", "ledger"]);
    for words in ["5b7c0f6e", "workflow", "Do not amend pushed commits", "Keep SQLite"] {
        assert!(dry.out.contains(words), "{words} in {}", dry.out);
    }
    assert!(dry.error.contains("nothing was recorded") && room.landed().is_empty(), "{}", dry.error);
    let outcome = room.scene.done(&["observe", path, "--project", "ledger", "--json"]);
    let result = told(&outcome);
    assert_eq!((&result["landed"], &result["observations"][0]["project"]), (&4.into(), &"ledger".into()));
    assert!(room.landed().iter().all(|row| row["project"] == "ledger" && row["session"] == "5b7c0f6e"));
    let again = told(&room.scene.done(&["observe", path, "--project", "ledger", "--json"]));
    assert_eq!((&again["landed"], &again["known"]), (&0.into(), &4.into()));
}

#[test]
fn the_channels_of_a_transcript_are_printed_as_json() {
    let room = Room::new();
    let path = room.transcript("s1", &TALK[..2]);
    let outcome = room.scene.done(&["observe", path.to_str().expect("a path"), "--channels"]);
    let channels = told(&outcome);
    assert_eq!(channels["user_signals"], json!([TALK[0].1, TALK[1].1]));
    assert_eq!(channels["dialog_pairs"], json!([{"prior": TALK[1].0, "user": TALK[1].1}]));
    assert_eq!((&channels["session"], &channels["time"]), (&"s1".into(), &"2026-03-01T10:01:00Z".into()));
    assert!(room.landed().is_empty());
}

#[test]
fn a_folder_is_searched_for_transcripts() {
    let room = Room::new();
    let folder = room.path("projects");
    fs::create_dir_all(folder.join("-work-shop/deep")).expect("a folder");
    for (place, session) in [("-work-shop", "s1"), ("-work-shop/deep", "s2")] {
        super::write_transcript(&folder.join(place), session, &TELLING);
    }
    fs::write(folder.join("notes.jsonl"), "no transcript\n").expect("a file");
    fs::write(folder.join("readme.md"), "x").expect("a file");
    let outcome = room.scene.done(&["observe", folder.to_str().expect("a path"), "--json"]);
    assert_eq!((&told(&outcome)["sessions"], &told(&outcome)["landed"]), (&2.into(), &8.into()));
    assert!(outcome.error.contains("skipped: ") && outcome.error.contains("notes.jsonl"), "{}", outcome.error);
    fs::create_dir(room.path("empty")).expect("a folder");
    let empty = room.scene.run(&["observe", room.path("empty").to_str().expect("a path")]);
    assert!(empty.code == 2 && empty.error.contains("holds no transcripts"), "{}", empty.error);
}

#[test]
fn input_that_is_no_transcript_is_told_with_its_place() {
    let room = Room::new();
    let path = room.path("odd.jsonl");
    for (text, cause) in [("\nhello\n", "line 2: expected"), ("", "it is empty"), ("[1]\n", "line 1: it is not an object")] {
        fs::write(&path, text).expect("a file");
        let outcome = room.scene.run(&["observe", path.to_str().expect("a path")]);
        assert_eq!(outcome.code, 2, "{text:?}");
        for words in ["no line of the transcript is a JSON object", "odd.jsonl", cause, "remedy: "] {
            assert!(outcome.error.contains(words), "{words} in {}", outcome.error);
        }
    }
    let outcome = room.scene.run(&["observe", room.path("nowhere.jsonl").to_str().expect("a path")]);
    assert!(outcome.code == 2 && outcome.error.contains("nowhere.jsonl"), "{}", outcome.error);
    assert_eq!(room.scene.run(&["observe"]).code, 2);
    let good = room.transcript("good", &TELLING);
    let mut text = fs::read_to_string(&good).expect("a transcript");
    text.insert_str(0, "{\"half\": \n");
    fs::write(&good, text).expect("a transcript");
    let outcome = room.scene.done(&["observe", good.to_str().expect("a path"), "--dry-run"]);
    assert!(outcome.error.contains("good.jsonl:1: skipped: EOF while parsing"), "{}", outcome.error);
}

#[test]
fn settings_out_of_range_are_named() {
    let room = Room::new();
    for (setting, range) in [
        ("max_daily_runs = 0", "from 1 to 50"),
        ("max_daily_runs = 51", "from 1 to 50"),
        ("throttle_minutes = 61", "from 0 to 60"),
        ("batch_size = 0", "from 1 to 20"),
        ("batch_size = 21", "from 1 to 20"),
    ] {
        room.set(setting, None);
        let outcome = room.observe();
        let name = setting.split(' ').next().expect("a name");
        assert!(
            outcome.code == 2 && outcome.error.contains(range) && outcome.error.contains(&format!("observe.{name}")),
            "{}",
            outcome.error
        );
    }
}

#[test]
fn a_folder_is_read_without_sub_agents_and_each_session_names_its_project() {
    let room = Room::new();
    let folder = room.path("transcripts");
    fs::create_dir_all(folder.join("s1/subagents")).expect("folders");
    let session = |name: &str, cwd: &str| {
        let said = "Implement the parser, then run the tests, then commit";
        let mut row = row(name, "user", said, "2026-03-01T10:00:00Z");
        row["cwd"] = cwd.into();
        row.to_string() + "\n"
    };
    let here = room.path("");
    fs::write(folder.join("s1.jsonl"), session("s1", "/home/ann/shop/src")).expect("a transcript");
    fs::write(folder.join("s2.jsonl"), session("s2", "/home/bob/cli/.worktrees/3")).expect("a transcript");
    fs::write(folder.join("s3.jsonl"), session("s3", &here.to_string_lossy())).expect("a transcript");
    fs::write(folder.join("s1/subagents/agent-a.jsonl"), session("a", "/x")).expect("a transcript");
    fs::write(folder.join("agent-b.jsonl"), session("b", "/x")).expect("a transcript");
    let told = room.scene.done(&["observe", "--dry-run", "--json", &folder.to_string_lossy()]);
    let told: Value = serde_json::from_str(&told.out).expect("JSON");
    let projects: Vec<(&str, &str)> = told["observations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["session"].as_str().expect("a session"), one["project"].as_str().expect("a project")))
        .collect();
    // Folders of one name are told apart by where they lie.
    let named: Vec<(&str, &str)> =
        projects.iter().map(|(session, project)| (*session, project.rsplit_once('-').map_or(*project, |name| name.0))).collect();
    assert_eq!(named, [("s1", "src"), ("s2", "cli"), ("s3", "default")], "{projects:?}");
}

#[test]
fn with_many_known_observations_more_sessions_make_a_batch() {
    let room = Room::new();
    room.answering("throttle_minutes = 0", r#"{"observations": []}"#);
    let known: Vec<_> = (0..15)
        .map(|number| {
            let mut known = crate::support::observed::observation(&format!("obs_{number:06}"), "workflow", &format!("Do {number}"));
            "shop".clone_into(&mut known.project);
            known
        })
        .collect();
    let end = |name: &str| {
        let long = format!("Implement the parser of {name}, then run the tests, then commit. {}", "Be careful. ".repeat(10));
        room.end(name, &[("", &long), ("Done.", "and the lexer please"), ("Done.", "and the printer please")]);
    };
    ["s1", "s2", "s3"].iter().for_each(|name| end(name));
    crate::support::observed::publish(&room.scene, &known);
    room.observe();
    assert_eq!((room.calls(), room.waiting().len()), (0, 3));
    ["s4", "s5"].iter().for_each(|name| end(name));
    room.observe();
    assert_eq!((room.calls(), room.waiting().len()), (1, 0));
}
