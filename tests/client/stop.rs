//! Agents that end, that are sent back, and that go on.

use serde_json::json;

use super::play::Play;
use super::server::{Ask, Say, Script, await_agent, start_agent, text};
use crate::hook::stage::lesson;

/// One of the agents that must report.
const LEARNER: &str = "implementation-subagent";
const REPORT: &str = "REPORT: the parser drops the last field of a line that has no end. It reads until the separator, and nobody wrote \
                      one there. I repaired it in src/parse.rs and added a case for it; all other cases still pass.";

/// A learning agent of the project.
fn add_learner(play: &Play) {
    let folder = play.folder().join(".claude/agents");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = format!("---\nname: {LEARNER}\ndescription: writes code\n---\nYou write code.\n");
    std::fs::write(folder.join(format!("{LEARNER}.md")), text).expect("an agent");
}

/// A session that starts one agent and is told by it; the agent answers as it is scripted.
fn one_agent(kind: &'static str, agent: impl Fn(&Ask) -> Vec<Say> + Send + Sync + 'static) -> Script {
    one_agent_by(kind, start_agent, agent)
}

/// The same, in the background or not.
fn one_agent_by(
    kind: &'static str,
    start: fn(&str, &str) -> Say,
    agent: impl Fn(&Ask) -> Vec<Say> + Send + Sync + 'static,
) -> Script {
    Box::new(move |ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, 0) => vec![start(kind, "TASK-ONE")],
        (true, turn) => text(format!("turn {turn}")),
        (false, _) => agent(ask),
    })
}

#[test]
fn an_agent_that_ends_is_shown_patterns_and_what_it_used_is_recorded() {
    let play =
        Play::with_patterns(3, one_agent("general-purpose", |_| text("Done.\n\nLEARNINGS_ACKNOWLEDGED\nApplied: P-002 at a.rs:1")));
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!((run.count("SubagentStart"), run.count("SubagentStop")), (1, 1));
    let first = play.asked_by("TASK-ONE")[0].opening();
    assert_eq!(first.matches("<organization-learnings>").count(), 1, "{first}");
    assert_eq!(
        play.stage.exposures_of("general-purpose"),
        ["P-001,injected,general-purpose,", "P-002,applied,general-purpose,", "P-003,injected,general-purpose,"]
    );
    play.tell("start and stop: an agent is shown patterns in its first request; what it used is recorded");
}

#[test]
fn an_agent_that_is_sent_back_loses_no_report() {
    let play = Play::with_patterns(
        2,
        one_agent(LEARNER, |ask| {
            let is_asked = ask.news().contains("whole report");
            text(if is_asked {
                format!("LEARNINGS_ACKNOWLEDGED\nno_learnings: nothing new\n\n{REPORT}")
            } else {
                REPORT.to_owned()
            })
        }),
    );
    add_learner(&play);
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!(run.count("SubagentStop"), 2);
    let received = play.asked_by("PLAY").last().expect("a request").all();
    assert!(received.contains(REPORT), "{received}");
    assert!(!play.asked().iter().any(|ask| ask.all().contains("hook blocking error")));
    assert_eq!(play.stage.exposures_of(LEARNER).len(), 2);
    play.tell("sent back: whoever started the agent receives its whole report, and no error is shown");
}

#[test]
fn an_agent_that_forgets_its_report_is_asked_for_it() {
    let play = Play::with_patterns(
        2,
        one_agent(LEARNER, |ask| match ask.turn() {
            1 => text("LEARNINGS_ACKNOWLEDGED\nno_learnings: nothing new"),
            _ => text(REPORT),
        }),
    );
    add_learner(&play);
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!(run.count("SubagentStop"), 3);
    let received = play.asked_by("PLAY").last().expect("a request").all();
    assert!(received.contains(REPORT), "{received}");
    play.tell("sent back: an agent that only acknowledges is asked for its report once more");
}

/// What the caller of an agent receives that never repeats its report.
fn received_from_stubborn(start: fn(&str, &str) -> Say, report: String) -> (Play, String) {
    let script = one_agent_by(LEARNER, start, move |ask| match ask.turn() {
        0 => text(report.clone()),
        _ => text("LEARNINGS_ACKNOWLEDGED\nno_learnings: nothing new"),
    });
    let play = Play::with_patterns(2, script);
    add_learner(&play);
    let run = play.prompt("PLAY");
    assert_eq!(run.count("SubagentStop"), 3);
    let received = play.asked_by("PLAY").last().expect("a request").all();
    assert!(received.contains("no_learnings: nothing new"), "{received}");
    (play, received)
}

#[test]
fn a_caller_receives_the_report_of_an_agent_that_never_repeats_it() {
    for (name, start) in [("waited for", await_agent as fn(&str, &str) -> Say), ("in the background", start_agent)] {
        let (play, received) = received_from_stubborn(start, REPORT.to_owned());
        assert_eq!(received.matches(REPORT).count(), 1, "{name}: {received}");
        play.tell(&format!("disobedient agent, {name}: its caller receives the report that it did not repeat"));
    }
}

#[test]
fn a_caller_receives_a_long_report_too() {
    let report: String = (0..1000).map(|number| format!("Finding {number}: the field {number} is dropped.\n")).collect();
    let (play, received) = received_from_stubborn(await_agent, report.clone());
    // The client puts what is longer than a hook may say into a file, and names it with the first lines.
    let path = received.split_whitespace().find(|word| word.contains("/tool-results/hook-")).expect("a file");
    let whole = std::fs::read_to_string(path.trim_end_matches(|sign: char| !sign.is_alphanumeric())).expect("the report");
    assert!(received.contains("Finding 1:") && whole.contains(report.trim_end()), "{received}");
    play.tell("disobedient agent: a report of 40,000 characters reaches its caller as a file that is named");
}

#[test]
fn an_agent_that_acknowledges_in_its_last_message_is_not_sent_back() {
    let said = format!("{REPORT}\n\nLEARNINGS_ACKNOWLEDGED\nno_learnings: nothing new");
    let play = Play::with_patterns(2, one_agent(LEARNER, move |_| text(said.clone())));
    add_learner(&play);
    let run = play.prompt("PLAY");
    assert_eq!(run.count("SubagentStop"), 1);
    let received = play.asked_by("PLAY").last().expect("a request").all();
    assert!(received.contains(REPORT), "{received}");
    play.tell("stop: an agent that acknowledges in its last message is not sent back");
}

#[test]
fn what_a_continued_agent_uses_later_counts() {
    let script: Script = Box::new(|ask| {
        let is_session = ask.opening().contains("PLAY");
        let all = ask.all();
        match (is_session, ask.turn()) {
            (true, 0) => vec![start_agent("general-purpose", "TASK-ONE")],
            (true, _) if all.contains("PART-ONE") && !all.contains("TASK-TWO") => {
                let agent = all.split("agentId: ").nth(1).and_then(|rest| rest.split([' ', '\n']).next()).unwrap_or_default();
                vec![Say::Tool("SendMessage", json!({"to": agent, "summary": "go on", "message": "TASK-TWO"}))]
            }
            (true, _) => text("waiting"),
            (false, 0) => text("PART-ONE is done."),
            (false, _) => text("PART-TWO is done.\n\nLEARNINGS_ACKNOWLEDGED\nApplied: P-001 at a.rs:1"),
        }
    });
    let play = Play::new(&[lesson("Never push to main"), lesson("Sort keys before values")], script);
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!(run.count("SubagentStop"), 2);
    assert_eq!(play.stage.exposures_of("general-purpose"), ["P-001,applied,general-purpose,", "P-002,injected,general-purpose,"]);
    play.tell("continued agent: what it uses after its first end counts, once");
}
