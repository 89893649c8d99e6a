//! Many agents at once, and agents that only read.

use serde_json::{Value, json};

use super::play::Play;
use super::server::{Say, Script, await_agent, text};
use crate::hook::stage::lesson;

const AGENTS: usize = 24;

/// The client refuses more agents at once.
const AT_ONCE: usize = 20;

/// A session that starts agents, as many in one answer as the client takes, and then says that it is done.
fn start_all(tasks: Vec<String>) -> impl Fn(usize) -> Vec<Say> + Send + Sync {
    move |turn| match tasks.chunks(AT_ONCE).nth(turn) {
        Some(tasks) => tasks.iter().map(|task| await_agent("general-purpose", task)).collect(),
        None => text("all are done"),
    }
}

#[test]
fn many_agents_at_once_lose_nothing() {
    let start = start_all((0..AGENTS).map(|number| format!("TASK-{number:02}")).collect());
    let script: Script = Box::new(move |ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, turn) => start(turn),
        (false, _) => text("LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at a.rs:1"),
    });
    let play = Play::with_patterns(15, script).with_patience();
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!((run.count("SubagentStart"), run.count("SubagentStop")), (AGENTS, AGENTS));
    for number in 0..AGENTS {
        let asked = play.asked_by(&format!("TASK-{number:02}"));
        // The client may also ask about an agent, in words of its own.
        let is_shown = asked.iter().any(|ask| ask.opening().matches("<organization-learnings>").count() == 1);
        assert!(
            is_shown,
            "agent {number}: {:#?}",
            run.hooks().iter().filter(|hook| hook["outcome"] != "success").collect::<Vec<_>>()
        );
    }
    let rows = play.stage.exposures_of("general-purpose");
    let applied = rows.iter().filter(|row| row.starts_with("P-001,applied,")).count();
    assert_eq!((rows.len(), applied), (AGENTS * 15, AGENTS));
    assert_eq!(play.stage.scene.count("select count(*) from quarantine"), 0);
    play.tell(&format!("many agents at once: {AGENTS} agents, {} exposures, each once", rows.len()));
}

#[test]
fn agents_that_only_read_make_no_pattern_worse() {
    let start = start_all((0..AGENTS).map(|number| format!("READ-{number:02}")).collect());
    let script: Script = Box::new(move |ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, turn) => start(turn),
        (false, 0) => vec![Say::Tool("Read", json!({"file_path": format!("{}/a.rs", folder_in(&ask.opening()))}))],
        (false, _) => text("I have read it. LEARNINGS_ACKNOWLEDGED"),
    });
    let play = Play::with_patterns(18, script).with_patience();
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!(play.stage.rows("select count(*) from touch where tool = 'Read' and path = 'a.rs'"), [AGENTS.to_string()]);
    play.stage.scene.done(&["run", "hourly"]);
    assert_eq!(play.stage.rows("select flag, count(*), sum(seen), sum(applied) from pattern group by 1"), ["UNTESTED,18,0,0"]);
    assert_eq!(
        play.stage.rows("select sum(offered) from pattern"),
        [(AGENTS * 15 + 5).to_string()],
        "15 each, and 5 for the session"
    );
    let told: Value = serde_json::from_str(&play.stage.scene.done(&["explain", "P-001", "--json"]).out).expect("JSON");
    assert_eq!(told["applications"][0]["status"], "offered", "{told}");
    play.tell(&format!("read-only agents: {AGENTS} agents that used nothing count against no pattern"));
}

#[test]
fn agents_of_one_name_that_start_at_once_are_shown_what_fits_their_own_task() {
    let things = ["invoice", "ledger", "parcel", "ticket"];
    let lessons: Vec<Value> =
        things.iter().flat_map(|thing| (1..=12).map(move |number| lesson(&format!("Rule {number} of the {thing}")))).collect();
    let start = start_all(things.iter().map(|thing| format!("Look after the {thing}")).collect());
    let script: Script = Box::new(move |ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, turn) => start(turn),
        (false, 0) => vec![Say::Tool("Bash", json!({"command": "true"}))],
        (false, _) => text("LEARNINGS_ACKNOWLEDGED"),
    });
    let play = Play::new(&lessons, script).with_patience();
    play.prompt("PLAY").assert_undisturbed();
    for thing in things {
        let asked = play.asked_by(&format!("Look after the {thing}"));
        let all = asked.last().expect("an agent").all();
        let rules = |other: &str| (1..=12).filter(|number| all.contains(&format!("Rule {number} of the {other}"))).count();
        let all_others: usize = things.iter().filter(|other| **other != thing).map(|other| rules(other)).sum();
        assert!(rules(thing) == 12 && all_others <= 15, "{thing}: {} of its own, {all_others} of others", rules(thing));
    }
    play.tell("agents of one name at once: each is shown what fits its own task");
}

/// What the generation says of patterns: id, sightings, uses, flag.
fn figures(play: &Play) -> Vec<String> {
    play.stage.scene.done(&["run", "hourly"]);
    play.stage.rows("select id, seen, applied, flag from pattern order by id")
}

fn shown_to(play: &Play, task: &str) -> usize {
    let first = play.asked_by(task)[0].opening();
    let block = first.split("<organization-learnings>").nth(1).and_then(|rest| rest.split("</organization-learnings>").next());
    block.unwrap_or_default().lines().filter(|line| line.starts_with('[')).count()
}

#[test]
fn a_day_of_agents_that_read_and_agents_that_edit_judges_only_what_could_be_used() {
    let mut lessons: Vec<Value> = vec![
        json!({"summary": "Write a test for every new function", "category": "pattern", "applies_to": ["*"], "tags": ["rust"]}),
        json!({"summary": "Keep functions in src/a.rs short", "category": "pattern", "applies_to": ["*"], "tags": ["rust"]}),
    ];
    let others = ["Ask twice", "Mind the gap", "Check the weather", "Call the client", "Read the contract", "Water the plants"];
    lessons.extend(others.iter().map(|summary| lesson(summary)));
    let mut tasks: Vec<String> = (0..24).map(|number| format!("READ-{number:02}")).collect();
    tasks.extend((0..6).map(|number| format!("EDIT-{number:02}")));
    let start = start_all(tasks);
    let script: Script = Box::new(move |ask| {
        let opening = ask.opening();
        let number = opening.split("EDIT-").nth(1).and_then(|rest| rest.get(..2)).map(str::to_owned);
        match (opening.contains("PLAY"), ask.turn(), number) {
            (true, 0, _) if opening.contains("LAST") => vec![await_agent("general-purpose", "LAST-ONE")],
            (true, ..) if opening.contains("LAST") => text("done"),
            (true, turn, _) => start(turn),
            (false, 0, Some(number)) => {
                let input = json!({"file_path": format!("{}/new_{number}.rs", folder_in(&opening)), "content": "fn one() {}\n"});
                vec![Say::Tool("Write", input)]
            }
            (false, _, Some(number)) => {
                text(format!("LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at new_{number}.rs:1\nApplied: P-002 at new_{number}.rs:1"))
            }
            (false, 0, None) => vec![Say::Tool("Read", json!({"file_path": format!("{}/a.rs", folder_in(&opening))}))],
            (false, ..) => text("I have read it. LEARNINGS_ACKNOWLEDGED"),
        }
    });
    let play = Play::new(&lessons, script).with_patience();
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    let figures = figures(&play);
    assert_eq!(&figures[..2], ["P-001,6,6,", "P-002,6,6,"], "{figures:#?}");
    for row in &figures[2..] {
        assert!(row.ends_with(",0,0,UNTESTED"), "{figures:#?}");
    }
    play.run("PLAY LAST", &["--dangerously-skip-permissions"]);
    assert_eq!((shown_to(&play, "READ-00"), shown_to(&play, "LAST-ONE")), (8, 8));
    play.tell("a day of 24 agents that read and 6 that edit: what was used is high, the rest is untouched, as many are shown");
}

/// The folder that the client names to its model.
fn folder_in(opening: &str) -> String {
    let named = opening.split("Primary working directory: ").nth(1).or_else(|| opening.split("Working directory: ").nth(1));
    named.and_then(|rest| rest.lines().next()).unwrap_or_default().trim().to_owned()
}
