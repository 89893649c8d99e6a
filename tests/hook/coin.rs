//! Coins in hooks, `inject` and tools: which arm a unit of work draws, what it is shown, and what is logged of that.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::stage::{Stage, agent, ending, lesson};

const SESSION: &str = "5b7c0f6e-2c38-4d1c-9a53-0d6f4c4c1a11";

/// Every arm of a unit that was recorded.
const ARMS: &str = "select coalesce(unit, run_id), arm, propensity, coalesce(experiment, '') from assignment order by 1, 4";
/// Every coin of a pattern that was recorded.
const COINS: &str = "select coalesce(unit, run_id), pattern_id, status, propensity from application order by 1, 2, 3";

/// A project whose coins are the same in every run of the test.
fn salted(patterns: usize) -> Stage {
    let stage = Stage::with_patterns(patterns);
    stage.salt();
    stage
}

fn of_session(session: &str, id: &str) -> Value {
    json!({"session_id": session, "agent_id": id, "agent_type": "x"})
}

fn end_of(session: &str, id: &str) -> Value {
    let mut end = ending(id, "x", "LEARNINGS_ACKNOWLEDGED");
    end["session_id"] = json!(session);
    end
}

/// Lets an agent of each session begin and end, and gives what each was shown.
fn play(stage: &Stage, sessions: &[String]) -> Vec<String> {
    let play = |session: &String| {
        let shown = stage.context("subagent-start", &of_session(session, "a1"));
        stage.answer("subagent-stop", &end_of(session, "a1"));
        shown
    };
    sessions.iter().map(play).collect()
}

fn sessions(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("s{number:03}")).collect()
}

#[test]
fn coins_are_logged_with_salt_chance_and_unit_and_anybody_can_recompute_them() {
    let stage = salted(4);
    stage.publish_coins(Some(0.7), |_| (Some(0.6), None));
    let sessions = sessions(40);
    let shown = play(&stage, &sessions);
    let salt = stage.salt();
    let arms = stage.rows(ARMS);
    assert_eq!(arms.len(), 40, "each unit once, in both arms");
    let off: Vec<&String> = sessions.iter().filter(|session| !salt.toss(session, "*", 0.7).is_shown).collect();
    assert!((4..22).contains(&off.len()), "{off:?}");
    for (session, row) in sessions.iter().zip(&arms) {
        let arm = if off.contains(&session) { "off" } else { "on" };
        assert_eq!(*row, format!("{session},{arm},0.7,"));
    }
    let mut wanted = Vec::new();
    for (session, text) in sessions.iter().zip(&shown) {
        if off.contains(&session) {
            assert_eq!(text, "", "a unit with the arm off is shown nothing");
            continue;
        }
        for number in 1..=4 {
            let pattern = format!("P-{number:03}");
            let is_shown = salt.toss(session, &pattern, 0.6).is_shown;
            assert_eq!(text.contains(&format!("the {number}. thing")), is_shown, "{session} {pattern}");
            wanted.push(format!("{session},{pattern},{},0.6", if is_shown { "injected" } else { "withheld" }));
        }
    }
    assert_eq!(stage.rows(COINS), wanted);
    let ids = "select distinct salt_id from application union select distinct salt_id from assignment";
    assert_eq!(stage.rows(ids), [salt.id()]);
    let told = fs::read_to_string(stage.scene.workspace.salt()).expect("a salt");
    let files = ["application", "assignment"].map(|table| stage.rows(&format!("select * from {table}")).concat());
    assert!(!files.concat().contains(told.trim()), "the salt itself is told to nobody");
}

#[test]
fn a_unit_that_is_off_is_shown_nothing_anywhere_and_only_the_log_says_so() {
    let stage = salted(3);
    let decisions = stage.folder().join(".memory/knowledge/decisions.md");
    fs::create_dir_all(decisions.parent().expect("a folder")).expect("folders");
    fs::write(&decisions, "# Decisions\n\n## ADR-001: Check the thing twice\n\n- **Decision**: Check the thing\n").expect("a file");
    let salt = stage.salt();
    let is_off = |session: &&String| !salt.toss(session, "*", 0.5).is_shown;
    let all = sessions(40);
    let (off, on) = (all.iter().find(is_off).expect("one"), all.iter().find(|session| !is_off(session)).expect("one"));
    stage.publish_coins(Some(0.5), |_| (None, None));
    let told = |session: &str, more: Value| {
        let mut told = json!({"session_id": session});
        told.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        told
    };
    let tool = json!({"tool_name": "Bash", "tool_input": {"command": "check the 1. thing"}, "agent_id": "a1", "agent_type": "x"});
    let occasions = [
        ("session-start", json!({"source": "startup"})),
        ("user-prompt-submit", json!({"prompt": "check the 1. thing"})),
        ("subagent-start", json!({"agent_id": "a1", "agent_type": "x"})),
        ("pre-tool-use", tool),
    ];
    let show = |session: &str| {
        let show = |(hook, more): &(&str, Value)| stage.context(hook, &told(session, more.clone()));
        occasions.iter().map(show).collect::<Vec<_>>()
    };
    assert_eq!(show(off), ["", "", "", ""]);
    assert!(show(on).iter().filter(|text| !text.is_empty()).count() >= 2);
    for session in [off, on] {
        stage.answer("session-end", &told(session, json!({"reason": "exit"})));
    }
    assert_eq!(stage.rows(&format!("{ARMS} desc")).len(), 2);
    assert!(stage.rows(COINS).iter().all(|row| row.starts_with(&**on)), "no row of a pattern is logged for it");
    let shown = stage.scene.done(&["inject", "--agent", "x", "--record", off]);
    assert_eq!(shown.out, "");
    assert!(shown.error.contains("shown nothing, so that the effect of the whole loop"), "{}", shown.error);
}

#[test]
fn a_task_is_the_unit_where_one_is_named_and_all_of_its_runs_draw_alike() {
    let stage = salted(6);
    stage.publish_coins(None, |_| (Some(0.5), None));
    let text = |session: &str| {
        let mut told = of_session(session, "a1");
        told["task_id"] = json!("ISSUE-17");
        let text = stage.context("subagent-start", &told);
        let mut end = end_of(session, "a1");
        end["task_id"] = json!("ISSUE-17");
        stage.answer("subagent-stop", &end);
        text
    };
    let first = text("one");
    assert_eq!(first, text("two"));
    let salt = stage.salt();
    let shown: Vec<bool> = (1..=6).map(|number| salt.toss("ISSUE-17", &format!("P-{number:03}"), 0.5).is_shown).collect();
    assert_eq!(first.lines().filter(|line| line.starts_with("[medium]")).count(), shown.iter().filter(|shown| **shown).count());
    assert_eq!(stage.rows("select distinct unit, run_id from application order by 2"), ["ISSUE-17,one", "ISSUE-17,two"]);
    assert_eq!(stage.rows("select distinct propensity from application"), ["0.5"]);
}

#[test]
fn a_run_keeps_its_coins_when_another_generation_is_published() {
    let stage = salted(8);
    stage.publish_coins(Some(0.99), |_| (Some(0.5), None));
    let before = stage.context("subagent-start", &of_session("one", "a1"));
    let count = |text: &str| text.lines().filter(|line| line.starts_with("[medium]")).count();
    assert!((1..8).contains(&count(&before)), "{before}");
    // A verdict, an adapted coin, or a person who switches the loop's coin to almost nothing.
    stage.publish_coins(Some(0.01), |_| (Some(0.9), None));
    assert_eq!(stage.context("subagent-start", &of_session("one", "a2")), before, "another agent of the same run");
    assert_eq!(stage.context("subagent-start", &of_session("one", "a1")), before);
    for id in ["a1", "a2"] {
        stage.answer("subagent-stop", &end_of("one", id));
    }
    assert_eq!(stage.rows("select distinct propensity from application"), ["0.5"]);
    assert_eq!(stage.rows(ARMS), ["one,on,0.99,"]);
    let others: Vec<String> = play(&stage, &sessions(10));
    assert!(others.iter().filter(|text| text.is_empty()).count() >= 8, "new runs draw by the new generation");
}

/// What an agent sees does not depend on the coins of patterns behind it, and a withheld one keeps its place.
#[test]
fn a_withheld_pattern_keeps_its_place_and_only_what_would_be_shown_has_a_row() {
    let stage = salted(20);
    fs::write(stage.scene.workspace.settings(), "[inject]\nmost = 5\n").expect("settings");
    let all = stage.context("subagent-start", &of_session("plain", "a1"));
    stage.answer("session-end", &json!({"session_id": "plain"}));
    stage.publish_coins(None, |_| (Some(0.5), None));
    for (session, text) in sessions(6).iter().zip(play(&stage, &sessions(6))) {
        assert!(text.lines().filter(|line| line.starts_with('[')).all(|line| all.contains(line)), "{session}: {text}");
    }
    let rows =
        stage.rows("select run_id, count(*), count(distinct pattern_id) from application where propensity is not null group by 1");
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row.ends_with(",5,5")), "{rows:?}");
}

/// A pattern that is mostly withheld has the same place in both arms: what else an agent sees does not depend on its coin.
#[test]
fn what_else_is_shown_does_not_depend_on_a_low_coin() {
    let stage = salted(20);
    fs::write(stage.scene.workspace.settings(), "[inject]\nmost = 8\n").expect("settings");
    stage.publish_coins(None, |id| if id == "P-001" { (Some(0.3), None) } else { (None, None) });
    let sessions = sessions(40);
    let (own, others): (Vec<_>, Vec<_>) = play(&stage, &sessions)
        .into_iter()
        .map(|text| {
            let lines = text.lines().filter(|line| line.starts_with("[medium]")).map(str::to_owned);
            lines.partition::<Vec<String>, _>(|line| line.contains("the 1. thing"))
        })
        .unzip();
    let shown = own.iter().filter(|lines| !lines.is_empty()).count();
    assert!((5..20).contains(&shown), "{shown}");
    assert_eq!(others.iter().collect::<BTreeSet<_>>().len(), 1, "{others:?}");
    assert_eq!(others[0].len(), 7, "its place is kept, whichever way its coin falls");
    let rows = stage.rows("select count(*), count(distinct run_id), count(propensity) from application where pattern_id = 'P-001'");
    assert_eq!(rows, ["40,40,40"], "it has a row in every unit");
}

#[test]
fn a_session_that_works_on_several_tasks_has_coins_for_each_of_them() {
    let stage = salted(4);
    stage.publish_coins(Some(0.99), |_| (Some(0.5), None));
    for task in ["T-1", "T-2", "T-3"] {
        for (hook, mut told) in [("subagent-start", of_session("one", "a1")), ("subagent-stop", end_of("one", "a1"))] {
            told["task_id"] = json!(task);
            stage.answer(hook, &told);
        }
    }
    assert_eq!(stage.rows("select count(*) from quarantine"), ["0"]);
    assert_eq!(stage.rows("select unit, count(*) from application group by 1 order by 1"), ["T-1,4", "T-2,4", "T-3,4"]);
}

#[test]
fn a_coin_at_a_tool_is_logged_in_both_arms() {
    let stage =
        Stage::with(&(1..=8).map(|number| lesson(&format!("Run cargo test number {number} with a lock"))).collect::<Vec<_>>());
    fs::write(stage.scene.workspace.settings(), "[inject]\nmost = 1\n").expect("settings");
    stage.publish_coins(None, |_| (Some(0.5), None));
    stage.context("subagent-start", &agent("a1", "x"));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "agent_id": "a1", "agent_type": "x"});
    let told: BTreeSet<String> = (0..3).map(|_| stage.context("pre-tool-use", &call)).collect();
    assert!(!told.is_empty());
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    let salt = stage.salt();
    let rows = stage.rows("select pattern_id, status, coalesce(tool, '') from application order by 1");
    assert_eq!(rows.len(), 8, "{rows:?}");
    for row in rows {
        let pattern = row.split(',').next().expect("an id");
        assert_eq!(row.contains("injected"), salt.toss(SESSION, pattern, 0.5).is_shown, "{row}");
    }
}

#[test]
fn who_cannot_be_told_apart_is_unassigned_and_sees_everything() {
    let stage = Stage::with_patterns(3);
    stage.publish_coins(Some(0.001), |_| (Some(0.001), None));
    // Patterns that mostly are withheld are hidden where no coin can be tossed for them.
    let payload = json!({"cwd": stage.folder(), "hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "x"});
    let shown = stage.hook_raw("subagent-start", payload.to_string().as_bytes());
    assert_eq!((shown.code, &*shown.out, &*shown.error), (0, "", ""));
    stage.publish_coins(Some(0.001), |_| (Some(0.5), None));
    let shown = stage.hook_raw("subagent-start", payload.to_string().as_bytes());
    assert!(shown.out.contains("the 3. thing"), "{}", shown.out);
    let end = json!({"cwd": stage.folder(), "agent_id": "a1", "agent_type": "x", "last_assistant_message": "done"});
    assert_eq!(stage.hook_raw("subagent-stop", end.to_string().as_bytes()).code, 0);
    assert!(stage.rows(ARMS).is_empty());
    assert_eq!(stage.rows("select count(*), count(propensity), count(salt_id) from application"), ["3,0,0"]);
    let shown = stage.scene.done(&["inject", "--agent", "x"]);
    assert!(shown.error.contains("3 patterns") && shown.error.contains("not logged: no run or task is named"), "{}", shown.error);
    let shown = stage.scene.done(&["inject", "--agent", "x", "--unit", "T-1"]);
    assert!(shown.error.contains("not logged: the coins of the task hold"), "{}", shown.error);
    assert!(stage.rows(ARMS).is_empty(), "and nothing is");
}

#[test]
fn inject_draws_and_records_as_hooks_do() {
    let stage = salted(6);
    stage.publish_coins(Some(0.99), |_| (Some(0.5), None));
    let show = |arguments: &[&str]| {
        let out = stage.scene.done(&[&["inject", "--agent", "x", "--format", "json"], arguments].concat()).out;
        serde_json::from_str::<Value>(&out).expect("JSON")
    };
    let (first, again) = (show(&["--record", "r-1", "--unit", "T-9"]), show(&["--record", "r-2", "--unit", "T-9"]));
    let ids =
        |shown: &Value| shown["patterns"].as_array().expect("patterns").iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&again));
    assert_eq!((&first["arm"], &first["patterns"][0]["propensity"]), (&json!("on"), &json!(0.5)));
    let silent = show(&["--unit", "T-9"]);
    assert_eq!(ids(&first), ids(&silent), "unlogged, but the same");
    let hook = stage.hook_raw("subagent-start", &{
        let mut told = stage.payload("SubagentStart", &of_session("s", "a1"));
        told["unit"] = json!("T-9");
        told.to_string().into_bytes()
    });
    for pattern in first["patterns"].as_array().expect("patterns") {
        assert!(hook.out.contains(pattern["text"].as_str().expect("a text")), "{}", hook.out);
    }
    assert_eq!(stage.rows(ARMS), ["T-9,on,0.99,"], "once a unit, whoever draws first");
    let rows = stage.rows("select run_id, count(*) from application where unit = 'T-9' group by 1 order by 1");
    assert_eq!(rows, ["r-1,6", "r-2,6"]);
}

#[test]
fn nothing_is_tossed_in_compatibility_mode_and_where_a_person_says_never() {
    for settings in ["compat = \"closedloop\"\n", "[truth]\non = \"never\"\n"] {
        let stage = Stage::with_patterns(3);
        stage.publish_coins(Some(0.001), |_| (Some(0.5), Some(-0.3)));
        fs::write(stage.scene.workspace.settings(), settings).expect("settings");
        let shown = play(&stage, &sessions(5));
        assert!(shown.iter().all(|text| (1..=3).all(|number| text.contains(&format!("the {number}. thing")))), "{settings}");
        assert!(stage.rows(ARMS).is_empty(), "{settings}");
        assert_eq!(stage.rows("select count(propensity) from application"), ["0"], "{settings}");
        assert!(!stage.scene.workspace.salt().exists(), "{settings}");
    }
}

#[test]
fn the_salt_is_made_once_by_hooks_that_run_at_once_and_belongs_to_its_user() {
    let stage = Stage::with_patterns(2);
    stage.publish_coins(Some(0.9), |_| (Some(0.8), None));
    let begin = |number: usize| {
        let mut command = stage.scene.command(&["hook", "subagent-start"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let told = stage.payload("SubagentStart", &of_session(&format!("s{number}"), "a1")).to_string();
        std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), told.as_bytes()).expect("it is told");
        child
    };
    let children: Vec<_> = (0..16).map(begin).collect();
    for child in children {
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), &*String::from_utf8_lossy(&ended.stderr)), (Some(0), ""));
    }
    for number in 0..16 {
        stage.answer("subagent-stop", &end_of(&format!("s{number}"), "a1"));
    }
    assert_eq!(stage.rows("select distinct salt_id from assignment"), [stage.salt().id()]);
    let mode = fs::metadata(stage.scene.workspace.salt()).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left = fs::read_dir(stage.scene.root()).expect("files").flatten();
    assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")), "nothing is left behind");
}

#[test]
fn a_salt_that_cannot_be_read_stops_coins_and_no_agent() {
    let stage = Stage::with_patterns(2);
    stage.publish_coins(Some(0.001), |_| (Some(0.5), None));
    for content in ["", "short\n", "x".repeat(5000).as_str(), "with a blank 0123456789abcdef0123456789abcdef"] {
        fs::write(stage.scene.workspace.salt(), content).expect("a file");
        let shown = stage.hook("subagent-start", &agent("a1", "x"));
        assert_eq!(shown.code, 0);
        assert!(shown.out.contains("the 2. thing"), "{}", shown.out);
        assert!(
            shown.error.contains("the salt of the coins cannot be read") && shown.error.contains("remove it"),
            "{}",
            shown.error
        );
        assert_eq!(fs::read_to_string(stage.scene.workspace.salt()).expect("a file"), content, "nobody makes another one");
    }
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.rows("select count(propensity) from application"), ["0"]);
}

#[test]
fn hostile_units_draw_coins_and_break_nothing() {
    let stage = salted(2);
    stage.publish_coins(Some(0.9), |_| (Some(0.5), None));
    let long = "x".repeat(100_000);
    let units = [
        "../../etc/passwd",
        "a\u{0}b",
        "*",
        "P-001",
        "\u{202e}evil",
        "'; drop table application; --",
        " ",
        "\n",
        "😀",
        &*long,
        "a\tb",
        "$(id)",
    ];
    for (number, unit) in units.iter().enumerate() {
        for (hook, mut told) in
            [("subagent-start", of_session(&format!("s{number}"), "a1")), ("subagent-stop", end_of(&format!("s{number}"), "a1"))]
        {
            told["unit"] = json!(unit);
            let outcome = stage.hook(hook, &told);
            assert_eq!((outcome.code, &*outcome.error), (0, ""), "{unit:?}");
        }
    }
    assert_eq!(stage.rows("select count(*) from quarantine"), ["0"]);
    // Two differ in nothing but what cannot be printed; what is no name leaves it to the run.
    assert_eq!(stage.rows("select count(*), count(unit) from assignment"), ["11,9"]);
    let named = stage.rows("select unit, run_id, pattern_id, status, propensity from application where unit is not null");
    let salt = stage.salt();
    for row in stage.rows("select coalesce(unit, run_id) || chr(31) || pattern_id || chr(31) || status from application") {
        let parts: Vec<&str> = row.trim_matches('"').split('\u{1f}').collect();
        assert_eq!(parts[2] == "injected", salt.toss(parts[0], parts[1], 0.5).is_shown, "{row}");
    }
    assert!(!named.is_empty());
    let outside = fs::read_dir(stage.folder()).expect("files").flatten().map(|entry| entry.path());
    assert_eq!(outside.collect::<Vec<_>>(), [stage.scene.root()], "no name leads out of the workspace");
}

#[test]
fn a_hook_that_is_killed_anywhere_logs_no_coin_twice() {
    let mut killed = 0;
    for micros in (0..6000).step_by(400) {
        let stage = salted(3);
        stage.publish_coins(Some(0.99), |_| (Some(0.5), None));
        let told = stage.payload("SubagentStart", &of_session("one", "a1")).to_string();
        let mut command = stage.scene.command(&["hook", "subagent-start"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), told.as_bytes());
        std::thread::sleep(Duration::from_micros(micros));
        let _ = child.kill();
        killed += u32::from(child.wait().expect("it ends").code().is_none());
        for id in ["a1", "a2"] {
            stage.context("subagent-start", &of_session("one", id));
            stage.answer("subagent-stop", &end_of("one", id));
        }
        stage.answer("session-end", &json!({"session_id": "one"}));
        assert_eq!(stage.rows(ARMS), ["one,on,0.99,"], "killed after {micros} µs");
        let doubled = "select count(*) - count(distinct (agent, pattern_id, session, id)) from application";
        assert_eq!(stage.rows(doubled), ["0"], "killed after {micros} µs");
        assert_eq!(stage.rows("select count(*) from application"), ["6"], "two agents, three patterns, killed after {micros} µs");
        assert_eq!(stage.rows("select count(*) from quarantine"), ["0"], "killed after {micros} µs");
    }
    assert!(killed > 3, "{killed}");
}

#[test]
fn half_a_line_of_coins_and_lines_of_nonsense_are_passed_over() {
    let stage = salted(3);
    stage.publish_coins(Some(0.99), |_| (Some(0.5), None));
    let before = stage.context("subagent-start", &of_session("one", "a1"));
    let folder = stage.scene.workspace.coins();
    let path = fs::read_dir(&folder).expect("coins").flatten().next().expect("a file").path();
    let mut text = fs::read_to_string(&path).expect("coins");
    text.push_str("nonsense\n{\"tossed\":{\"P-001\":0.9}}\n{\"tossed\":{\"P-0");
    fs::write(&path, text).expect("it can be written");
    assert_eq!(stage.context("subagent-start", &of_session("one", "a2")), before);
    stage.answer("session-end", &json!({"session_id": "one"}));
    assert_eq!(stage.rows("select distinct propensity from application"), ["0.5"]);
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    // A day later nobody needs them.
    let time = std::time::SystemTime::now() - Duration::from_secs(25 * 3600);
    fs::File::open(&path).expect("it opens").set_modified(time).expect("its time can be set");
    stage.answer("session-start", &json!({"session_id": "two", "source": "startup"}));
    assert!(!path.exists());
}

#[test]
fn settings_are_compared_by_the_same_coin() {
    let stage = salted(12);
    let settings = "[truth.experiment.few]\nmost = 2\n[truth.experiment.words]\npattern = \"P-002\"\ntext = \"Say it in other words\"\nshare = 0.3\n";
    fs::write(stage.scene.workspace.settings(), settings).expect("settings");
    stage.publish_coins(Some(0.8), |_| (None, None));
    let sessions = sessions(30);
    let shown = play(&stage, &sessions);
    let salt = stage.salt();
    let mut wanted = Vec::new();
    for (session, text) in sessions.iter().zip(&shown) {
        let lines = text.lines().filter(|line| line.starts_with('[')).count();
        if !salt.toss(session, "*", 0.8).is_shown {
            assert_eq!(lines, 0);
            wanted.push(format!("{session},off,0.8,"));
            continue;
        }
        let few = salt.toss(session, "*few", 0.5).is_shown;
        let words = salt.toss(session, "*words", 0.3).is_shown;
        assert_eq!(lines, if few { 2 } else { 12 }, "{session}");
        assert_eq!(text.contains("Say it in other words"), words && (!few || text.contains("other words")), "{session}");
        assert!(few || text.contains("Close the 2. thing") != words, "{session}: {text}");
        let word = |is_on: bool| if is_on { "on" } else { "off" };
        wanted.push(format!("{session},on,0.8,"));
        wanted.push(format!("{session},{},0.5,few", word(few)));
        wanted.push(format!("{session},{},0.3,words", word(words)));
    }
    assert_eq!(stage.rows(ARMS), wanted);
}

#[test]
fn an_experiment_needs_no_coin_of_the_loop_and_may_be_about_the_coin_itself() {
    let stage = salted(10);
    fs::write(stage.scene.workspace.settings(), "[truth.experiment.half]\ncoin = 0.5\n").expect("settings");
    let sessions = sessions(12);
    let shown = play(&stage, &sessions);
    let salt = stage.salt();
    for (session, text) in sessions.iter().zip(&shown) {
        let lines = text.lines().filter(|line| line.starts_with('[')).count();
        let is_variant = salt.toss(session, "*half", 0.5).is_shown;
        assert!(if is_variant { lines < 10 } else { lines == 10 }, "{session}: {lines}");
    }
    assert_eq!(stage.rows(ARMS).len(), 12);
    let levels = stage.rows("select distinct coalesce(cast(propensity as varchar), '') from application order by 1");
    assert_eq!(levels, ["", "0.5"].map(|level| if level.is_empty() { "\"\"" } else { level }));
}

#[test]
fn order_goes_by_worth_for_each_token() {
    let stage = salted(4);
    let worth = |id: &str| match id {
        "P-003" => 0.08,
        "P-001" => 0.02,
        "P-004" => -0.01,
        _ => 0.0,
    };
    stage.publish_coins(None, |id| (None, Some(worth(id))));
    let out = stage.scene.done(&["inject", "--agent", "x", "--format", "json"]).out;
    let out: Value = serde_json::from_str(&out).expect("JSON");
    let ids: Vec<&str> =
        out["patterns"].as_array().expect("patterns").iter().map(|one| one["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["P-003", "P-001", "P-002", "P-004"]);
}

#[test]
fn an_audit_recomputes_every_arm_and_names_one_that_was_forged() {
    let stage = salted(4);
    let fresh = stage.scene.done(&["truth", "audit"]);
    assert!(fresh.error.starts_with("0 coins recomputed"), "{}", fresh.error);
    stage.publish_coins(Some(0.7), |_| (Some(0.6), None));
    fs::write(stage.scene.workspace.settings(), "[truth.experiment.few]\nmost = 2\n").expect("settings");
    play(&stage, &sessions(12));
    stage.scene.done(&["run", "compact"]);
    let audit: Value = serde_json::from_str(&stage.scene.done(&["truth", "audit", "--json"]).out).expect("JSON");
    assert_eq!((&audit["differing"], &audit["unchecked"]), (&json!([]), &json!(0)));
    assert!(audit["checked"].as_u64().expect("a number") > 30, "{audit}");
    let coins = || {
        let told: Value = serde_json::from_str(&stage.scene.run(&["doctor", "--json"]).out).expect("JSON");
        told.as_array().expect("checks").iter().find(|check| check["check"] == "coins").expect("a check of coins").clone()
    };
    assert_eq!(coins()["grade"], "ok");
    let salt = stage.salt();
    let is_shown = salt.toss("T-1", "P-001", 0.6).is_shown;
    let row = |id: &str, is_shown: bool, salt_id: &str| {
        let status = if is_shown { "injected" } else { "withheld" };
        json!({"kind": "application", "id": id, "ts": "2026-10-01T00:00:00Z", "run_id": "r", "task": "T-1", "pattern_id": "P-001",
            "status": status, "propensity": 0.6, "salt_id": salt_id})
    };
    let arm = if salt.toss("T-1", "*", 0.9).is_shown { "off" } else { "on" };
    let forged = json!({"kind": "assignment", "id": "forged-arm", "ts": "2026-10-01T00:00:00Z", "run_id": "r", "unit": "T-1", "arm": arm,
        "propensity": 0.9, "salt_id": salt.id()});
    let lines = [row("right", is_shown, &salt.id()), row("forged", !is_shown, &salt.id()), row("strange", !is_shown, "00"), forged];
    stage.scene.land("odd.jsonl", lines.map(|line| format!("{line}\n")).concat().as_bytes());
    stage.scene.done(&["run", "compact"]);
    let audit = stage.scene.run(&["truth", "audit", "--json"]);
    assert_eq!(audit.code, 1);
    let audit: Value = serde_json::from_str(&audit.out).expect("JSON");
    let ids: Vec<&str> =
        audit["differing"].as_array().expect("rows").iter().map(|row| row["id"].as_str().expect("an id")).collect();
    assert_eq!((ids, &audit["unchecked"]), (vec!["forged", "forged-arm"], &json!(1)));
    let told = stage.scene.run(&["truth", "audit"]);
    assert!(told.out.contains("odd.jsonl:2") && told.error.contains("2 have another arm"), "{}{}", told.out, told.error);
    let told = coins();
    assert_eq!(told["grade"], "bad");
    assert!(told["text"].as_str().expect("a text").contains("2 have another arm than the salt draws"), "{told}");
}

#[test]
fn coins_that_nobody_can_recompute_are_named_and_no_ground_for_praise() {
    let stage = salted(2);
    let row = |id: &str, more: Value| {
        let mut row = json!({"kind": "application", "id": id, "ts": "2026-10-01T00:00:00Z", "run_id": id, "status": "injected",
            "propensity": 0.6});
        row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        format!("{row}\n")
    };
    let lines = [
        row("foreign", json!({"pattern_id": "P-001", "salt_id": "00"})),
        row("silent", json!({"pattern_id": "P-001"})),
        row("by-text", json!({"trigger": "Check the 1. thing", "salt_id": stage.salt().id()})),
    ];
    stage.scene.land("odd.jsonl", lines.concat().as_bytes());
    stage.scene.done(&["run", "compact"]);
    let audit = stage.scene.done(&["truth", "audit"]).error;
    assert!(audit.starts_with("0 coins recomputed; 3 cannot be recomputed") && !audit.contains("every arm"), "{audit}");
    let told: Value = serde_json::from_str(&stage.scene.run(&["doctor", "--json"]).out).expect("JSON");
    let coins = told.as_array().expect("checks").iter().find(|check| check["check"] == "coins").expect("a check").clone();
    assert_eq!(coins["grade"], "warn", "{coins}");
}
