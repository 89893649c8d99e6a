//! Words of people, wherever a host writes them down, and nobody else's.

use agent::transcript::{Fate, Foreign, Provenance};
use serde_json::{Value, json};

use super::{lines, read, said};

/// Where the words of some rows come from, with the words.
fn told(rows: impl IntoIterator<Item = Value>) -> Vec<(Provenance, String)> {
    read(&lines(rows)).exchanges.into_iter().map(|exchange| (exchange.provenance, exchange.user)).collect()
}

/// Why what stands in a person's place in some rows is not a person's.
fn foreign(rows: impl IntoIterator<Item = Value>) -> Vec<(Foreign, u64)> {
    let transcript = read(&lines(rows));
    assert!(transcript.exchanges.is_empty(), "{:?}", transcript.exchanges);
    transcript.foreign.into_iter().collect()
}

fn with(mut row: Value, key: &str, value: impl Into<Value>) -> Value {
    row[key] = value.into();
    row
}

fn queue(operation: &str, content: Option<&str>) -> Value {
    let mut row = json!({"type": "queue-operation", "operation": operation, "sessionId": "s"});
    if let Some(content) = content {
        row["content"] = content.into();
    }
    row
}

fn attached(prompt: impl Into<Value>, mode: &str, kind: &str) -> Value {
    json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt.into(), "commandMode": mode, "origin": {"kind": kind}}})
}

fn result(content: &str, is_error: bool) -> Value {
    said("user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error}]))
}

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). ";

#[test]
fn copies_of_requests_carry_a_role_and_are_nobodys() {
    for kind in ["api-request-blob", "api-request", "progress", "last-prompt", "system", "summary"] {
        let row = with(said("user", "Always run the linter before you push"), "type", kind);
        assert_eq!(told([row]), [], "{kind}");
    }
}

#[test]
fn a_prompt_in_mid_turn_counts_once_however_often_it_is_told() {
    let words = "also check the logs";
    let once = [(Provenance::Queued, words.to_owned())];
    // Older clients write down only the queue.
    assert_eq!(told([queue("enqueue", Some(words)), queue("remove", None)]), once);
    // Newer ones attach it too, before or after it leaves the queue.
    assert_eq!(told([queue("enqueue", Some(words)), queue("remove", Some(words)), attached(words, "prompt", "human")]), once);
    assert_eq!(told([queue("enqueue", Some(words)), attached(words, "prompt", "human"), queue("remove", None)]), once);
    assert_eq!(told([attached(json!([{"type": "text", "text": words}]), "prompt", "human")]), once);
    // What becomes a turn of its own, or is taken back and edited, is told there.
    let typed = [queue("enqueue", Some(words)), queue("dequeue", None), said("user", words)];
    assert_eq!(told(typed), [(Provenance::Typed, words.to_owned())]);
    assert_eq!(told([queue("enqueue", Some(words)), queue("popAll", Some(words))]), []);
    // The session ended before the agent could take it.
    assert_eq!(told([queue("enqueue", Some(words))]), once);
}

#[test]
fn notices_in_the_queue_are_nobodys_and_let_a_person_pass() {
    let notice = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
    let rows = [
        said("assistant", "I am running the tests."),
        queue("enqueue", Some(notice)),
        queue("enqueue", Some("are the slow ones needed?")),
        queue("remove", None),
        said("assistant", "No, they are not."),
        queue("dequeue", None),
        said("user", notice),
    ];
    let transcript = read(&lines(rows));
    assert_eq!(transcript.exchanges.len(), 1);
    assert_eq!(transcript.exchanges[0].prior.as_deref(), Some("I am running the tests."));
    assert_eq!(transcript.foreign.get(&Foreign::Notice), Some(&1));
    assert_eq!(foreign([attached(notice, "task-notification", "task-notification")]), [(Foreign::Notice, 1)]);
    assert_eq!(foreign([attached("run it again", "prompt", "auto-continuation")]), [(Foreign::Host, 1)]);
}

#[test]
fn words_beside_the_result_of_a_tool_are_a_persons() {
    let row = said(
        "user",
        json!([{"type": "tool_result", "tool_use_id": "t", "content": "ok"}, {"type": "text", "text": "and remember to use pagination"},
               {"type": "text", "text": "<system-reminder>a reminder</system-reminder>"}]),
    );
    let row = with(row, "toolUseResult", json!({"stdout": "ok"}));
    assert_eq!(told([row]), [(Provenance::Queued, "and remember to use pagination".to_owned())]);
}

#[test]
fn a_rejected_call_tells_what_the_person_said_and_what_did_not_run() {
    let call =
        said("assistant", json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git commit -m x"}}]));
    let rows = [
        said("user", "fix the typo"),
        said("assistant", "I will commit this."),
        call,
        result(&format!("{REJECTED}To tell you how to proceed, the user said:\nno, I did not say commit anything"), true),
    ];
    let transcript = read(&lines(rows));
    let [asked, rejected] = [&transcript.exchanges[0], &transcript.exchanges[1]];
    assert_eq!((rejected.provenance, &*rejected.user), (Provenance::Rejected, "no, I did not say commit anything"));
    assert_eq!(rejected.prior.as_deref(), Some("I will commit this."));
    assert_eq!((&*asked.ran[0].command, asked.ran[0].fate), ("git commit -m x", Fate::Rejected));
    let denied = "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). The user said:\nuse jq\n\nNote: The user's next message may contain a correction or preference.";
    assert_eq!(told([result(denied, true)]), [(Provenance::Rejected, "use jq".to_owned())]);
    // A rejection without a word, and a file that quotes one.
    assert_eq!(
        told([result(&format!("{REJECTED}STOP what you are doing and wait for the user to tell you how to proceed."), true)]),
        []
    );
    assert_eq!(told([result(&format!("{REJECTED}To tell you how to proceed, the user said:\nquoted"), false)]), []);
    assert_eq!(told([result("grep: To tell you how to proceed, the user said:\nquoted", true)]), []);
}

#[test]
fn what_the_agent_ran_stands_with_the_turn_that_it_answers() {
    let call = |id: &str, command: &str| {
        said("assistant", json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]))
    };
    let failed = said("user", json!([{"type": "tool_result", "tool_use_id": "b", "content": "Exit code 1", "is_error": true}]));
    let rows = [
        call("z", "before anybody spoke"),
        said("user", "lint, then push"),
        call("a", "mise run lint"),
        call("b", "git push"),
        failed,
        with(call("c", "of a sub-agent"), "isSidechain", true),
        said("user", "thanks"),
    ];
    let transcript = read(&lines(rows));
    let ran: Vec<(&str, Fate)> = transcript.exchanges[0].ran.iter().map(|ran| (&*ran.command, ran.fate)).collect();
    assert_eq!(ran, [("mise run lint", Fate::Done), ("git push", Fate::Failed)]);
    assert!(transcript.exchanges[1].ran.is_empty());
}

#[test]
fn answers_stand_behind_their_questions() {
    let row = with(
        result("User has answered your questions: ...", false),
        "toolUseResult",
        json!({"questions": [], "answers": {"Which store?": "SQLite, because tests run offline", "Skip?": ""}, "annotations": {"Skip?": {"notes": "not the slow ones"}}}),
    );
    let transcript = read(&lines([said("assistant", "I have two questions."), row]));
    let exchange = &transcript.exchanges[0];
    assert_eq!(
        (exchange.provenance, &*exchange.user),
        (Provenance::Answered, "not the slow ones\nSQLite, because tests run offline")
    );
    assert_eq!(exchange.prior.as_deref(), Some("Skip?\nWhich store?"));
}

#[test]
fn arguments_of_slash_commands_are_words_and_their_names_are_uses() {
    let row = |name: &str, argument: &str| {
        said(
            "user",
            format!(
                "<command-message>x</command-message>\n<command-name>/{name}</command-name>\n<command-args>{argument}</command-args>"
            ),
        )
    };
    assert_eq!(
        told([row("plan", "suppress the warning by a flag, not by a prompt")]),
        [(Provenance::SlashArgument, "suppress the warning by a flag, not by a prompt".to_owned())]
    );
    assert_eq!(foreign([row("exit", ""), said("user", "<bash-input>pwd</bash-input>")]), [(Foreign::Command, 2)]);
    assert_eq!(
        told([queue("enqueue", Some("/plan use a flag")), queue("remove", None)]),
        [(Provenance::SlashArgument, "use a flag".to_owned())]
    );
    assert_eq!(told([queue("enqueue", Some("/skills")), queue("remove", None)]), []);
    assert_eq!(told([queue("enqueue", Some("/home/ann is full")), queue("remove", None)])[0].0, Provenance::Queued);
    let used = read(&lines([row("self-learning:ship-it", "commit, then push")])).mentions.used;
    assert!(used.contains_key("ship-it"), "{used:?}");
}

#[test]
fn programs_plans_monitors_teammates_and_sub_agents_are_marked_as_what_they_are() {
    let words = "Review this change, then run the tests, then commit";
    let marked = |key: &str, value: Value| foreign([with(said("user", words), key, value)]);
    for program in ["sdk-cli", "sdk-ts", "sdk-py", "claude-code-github-action"] {
        assert_eq!(marked("entrypoint", json!(program)), [(Foreign::Program, 1)], "{program}");
    }
    for person in ["cli", "claude-vscode", "claude-desktop"] {
        // Editors say `sdk` too.
        let row = with(with(said("user", words), "entrypoint", person), "promptSource", "sdk");
        assert_eq!(told([row]), [(Provenance::Typed, words.to_owned())], "{person}");
    }
    assert_eq!(marked("planContent", json!("# Plan")), [(Foreign::Plan, 1)]);
    assert_eq!(foreign([said("user", "Implement the following plan:\n\n# Plan: use tabs")]), [(Foreign::Plan, 1)]);
    assert_eq!(marked("turnOrigin", json!("task_notification")), [(Foreign::Notice, 1)]);
    assert_eq!(marked("turnOrigin", json!("scheduled")), [(Foreign::Host, 1)]);
    assert_eq!(marked("promptSource", json!("system")), [(Foreign::Host, 1)]);
    assert_eq!(marked("isSidechain", json!(true)), [(Foreign::SubAgent, 1)]);
    assert_eq!(marked("agentId", json!("a1")), [(Foreign::SubAgent, 1)]);
    let notices = [
        "Monitor event: \"ci\"\n<event>green</event>",
        "<teammate-message teammate_id=\"lead\">do it</teammate-message>",
        "<cross-session-message from=\"x\">hello</cross-session-message>",
    ];
    for notice in notices {
        assert_eq!(foreign([said("user", notice)]), [(Foreign::Notice, 1)], "{notice}");
    }
    assert_eq!(foreign([said("user", "Operation stopped by hook: Another session is active")]), [(Foreign::Host, 1)]);
}

#[test]
fn the_clients_own_mark_of_a_person_goes_before_how_a_text_begins() {
    let words = "Implement the following plan: first the lexer, then the parser";
    let row = with(said("user", words), "origin", json!({"kind": "human"}));
    assert_eq!(told([row]), [(Provenance::Typed, words.to_owned())]);
}

#[test]
fn what_an_editor_puts_around_a_persons_words_goes() {
    let text =
        "<ide_selection>fn main() {}</ide_selection>\nrename this function\n\n<system-reminder>\nthe clock\n</system-reminder>";
    assert_eq!(told([said("user", text)]), [(Provenance::Typed, "rename this function".to_owned())]);
    assert_eq!(told([said("user", "<user-memory-input>always use tabs</user-memory-input>")])[0].1, "always use tabs");
}
