//! What becomes of what an agent was shown, and what it is sent back for.

use serde_json::{Value, json};

use super::stage::{Stage, agent, ending, lesson};
use ::agent::hook::{Claim, Payload, Situation, acknowledge, note_lesson};
use setting::Settings;

const LEARNER: &str = "code:implementation-subagent";

/// What an agent is sent back with; nothing if it may go.
fn asked(answer: &Value) -> String {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_was_used_is_applied_and_all_else_injected() {
    let stage = Stage::with(&[
        lesson("Avoid \"any\" in types"),
        lesson("Sort keys, then values, always"),
        lesson("Use arr[0] to index the first one"),
        lesson("Split a|b at pipes before parsing"),
    ]);
    stage.context("subagent-start", &agent("a1", "x:helper"));
    let said = "All done.\n\n**LEARNINGS_ACKNOWLEDGED**\n- Applied: \"Avoid \"any\" in types\" at src/a.ts:4\n\
                - Applied: \"Sort keys, then values, always\" at src/b.ts:9, src/c.ts:11\n";
    assert_eq!(stage.answer("subagent-stop", &ending("a1", "x:helper", said)), json!({}));
    assert_eq!(
        stage.exposures(),
        ["P-001,applied,helper,", "P-002,applied,helper,", "P-003,injected,helper,", "P-004,injected,helper,"]
    );
    let cited = "select array_to_string(citations, ' ') from application where status = 'applied' order by pattern_id";
    assert_eq!(stage.rows(cited), ["src/a.ts:4", "src/b.ts:9 src/c.ts:11"]);
}

#[test]
fn an_agent_that_is_asked_for_a_lesson_finds_a_folder_that_git_ignores() {
    let stage = Stage::with_patterns(1);
    let git = |arguments: &[&str]| {
        let ran = std::process::Command::new("git").arg("-C").arg(stage.folder()).args(arguments).output().expect("git runs");
        String::from_utf8(ran.stdout).expect("text")
    };
    git(&["init", "--quiet"]);
    stage.context("subagent-start", &agent("a1", LEARNER));
    let reason = asked(&stage.answer("subagent-stop", &ending("a1", LEARNER, "I am done. LEARNINGS_ACKNOWLEDGED")));
    assert!(reason.contains("implementation-subagent-a1.json"), "{reason}");
    let pending = stage.folder().join(".learnings/pending");
    std::fs::create_dir_all(&pending).expect("a folder");
    std::fs::write(pending.join("implementation-subagent-a1.json"), "{}").expect("a lesson");
    assert_eq!(git(&["status", "--porcelain"]), "", "neither the lesson nor the workspace is anybody's commit");
}

#[test]
fn a_silent_agent_is_sent_back_twice_and_each_pattern_counts_once() {
    let stage = Stage::with_patterns(10);
    stage.context("subagent-start", &agent("a1", LEARNER));
    for attempt in 1..=2 {
        let answer = stage.answer("subagent-stop", &ending("a1", LEARNER, "I am done."));
        assert_eq!(answer["decision"], Value::Null, "a veto is shown to the agent as an error");
        let reason = asked(&answer);
        assert!(reason.contains("LEARNINGS_ACKNOWLEDGED") && reason.contains("implementation-subagent-a1.json"), "{reason}");
        let message = answer["systemMessage"].as_str().expect("a message");
        assert!(message.ends_with(&format!("sent back, attempt {attempt} of 2")), "{message}");
        assert!(stage.exposures().is_empty());
    }
    let outcome = stage.hook("subagent-stop", &ending("a1", LEARNER, "I am done."));
    assert_eq!(outcome.out.trim(), "{}");
    assert_eq!(outcome.error.lines().count(), 2, "{}", outcome.error);
    assert!(stage.remarks().contains("without an acknowledgment") && stage.remarks().contains("without a lesson"));
    assert_eq!(stage.exposures().len(), 10);
    assert!(stage.exposures().iter().all(|row| row.contains(",injected,implementation-subagent,")));
    // Whoever stops once more is let go, and nothing is counted again.
    stage.hook("subagent-stop", &ending("a1", LEARNER, "I am done."));
    stage.hook("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures().len(), 10);
    assert_eq!(stage.scene.count("select count(*) from timing"), 1, "it took its time once");
}

#[test]
fn what_an_agent_said_before_it_was_sent_back_still_counts() {
    let stage = Stage::with(&[lesson("Never push to main"), lesson("Sort keys before values")]);
    let reason = |said: &str| {
        let answer = stage.hook("subagent-stop", &ending("a1", LEARNER, said));
        asked(&serde_json::from_str(&answer.out).expect("JSON"))
    };
    stage.context("subagent-start", &agent("a1", LEARNER));
    let first = reason("LEARNINGS_ACKNOWLEDGED\nApplied: \"Never push to main\" at a.rs:1");
    assert!(!first.contains("shown patterns") && first.contains("pending"), "{first}");
    assert_eq!(reason("no_learnings: it was easy"), "", "all is said");
    assert_eq!(stage.exposures(), ["P-001,applied,implementation-subagent,", "P-002,injected,implementation-subagent,"]);
}

#[test]
fn an_agent_that_has_said_all_and_is_resumed_is_not_asked_again() {
    let stage = Stage::with_patterns(1);
    stage.context("subagent-start", &agent("a1", LEARNER));
    assert_eq!(stage.answer("subagent-stop", &ending("a1", LEARNER, "no_learnings LEARNINGS_ACKNOWLEDGED")), json!({}));
    stage.context("subagent-start", &agent("a1", LEARNER));
    assert_eq!(stage.answer("subagent-stop", &ending("a1", LEARNER, "One thing more")), json!({}));
    assert_eq!(stage.exposures().len(), 1);
}

#[test]
fn the_two_duties_share_one_number_of_attempts() {
    let stage = Stage::with_patterns(3);
    stage.context("subagent-start", &agent("a1", LEARNER));
    let reason = |said: &str| {
        let answer = stage.hook("subagent-stop", &ending("a1", LEARNER, said));
        asked(&serde_json::from_str(&answer.out).expect("JSON"))
    };
    let first = reason("All done");
    assert!(first.contains("LEARNINGS_ACKNOWLEDGED") && first.contains("pending"), "{first}");
    let second = reason("LEARNINGS_ACKNOWLEDGED");
    assert!(!second.contains("shown patterns") && second.contains("pending"), "{second}");
    assert_eq!(reason("Nothing more to say"), "");
}

#[test]
fn an_agent_with_an_odd_name_finds_the_place_that_it_is_told() {
    let stage = Stage::with_patterns(1);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nlearning_agents = [\"my.agent\"]\n").expect("settings");
    stage.context("subagent-start", &agent("a/1", "my.agent"));
    let answer = stage.answer("subagent-stop", &ending("a/1", "my.agent", "LEARNINGS_ACKNOWLEDGED"));
    let reason = asked(&answer);
    let path = reason.split(" into ").nth(1).and_then(|rest| rest.split(". If").next()).expect("a path");
    std::fs::create_dir_all(std::path::Path::new(path).parent().expect("a folder")).expect("folders");
    std::fs::write(path, "{\"no_learnings\": true}").expect("a lesson");
    let longago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::open(path).expect("it opens").set_modified(longago).expect("its time");
    assert_eq!(stage.answer("subagent-stop", &ending("a/1", "my.agent", "LEARNINGS_ACKNOWLEDGED")), json!({}));
}

#[test]
fn an_agent_that_no_hook_knows_has_no_duties() {
    let stage = Stage::with_patterns(1);
    let said = "LEARNINGS_ACKNOWLEDGED\nApplied: \"Check the 1. thing\" at a.rs:1";
    assert_eq!(stage.answer("subagent-stop", &ending("a1", LEARNER, said)), Value::Null);
    assert_eq!(stage.answer("subagent-stop", &ending("a2", "code:build-validator", "VALIDATION_FAILED")), json!({}));
    assert_eq!(stage.exposures(), [""; 0]);
    assert_eq!(stage.rows("select passed from build"), ["false"]);
    stage.scene.done(&["run", "hourly"]);
    let left = std::fs::read_dir(stage.scene.workspace.hooks()).expect("a folder").flatten();
    assert_eq!(left.filter(|entry| entry.path().is_dir()).count(), 0, "nothing of it is left");
}

#[test]
fn repeating_the_instruction_is_no_claim() {
    let stage = Stage::with(&[lesson("Never push to main")]);
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED\nApplied: \"its text\" at path:line\n"));
    assert_eq!(stage.exposures(), ["P-001,injected,x,"]);
}

#[test]
fn a_lesson_that_was_written_down_is_enough_and_is_taken_in_at_the_end() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", LEARNER));
    let pending = stage.folder().join(".learnings/pending");
    std::fs::create_dir_all(&pending).expect("folders");
    let lesson = json!({"what_happened": "The port was taken", "pattern_to_remember": "Ask the kernel for a free port in tests", "applies_to": ["*"]});
    std::fs::write(pending.join("implementation-subagent-a1.json"), lesson.to_string()).expect("a lesson");
    assert_eq!(stage.answer("subagent-stop", &ending("a1", LEARNER, "LEARNINGS_ACKNOWLEDGED")), json!({}));
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.rows("select summary from learning where pending"), ["Ask the kernel for a free port in tests"]);
    assert!(pending.join("archived/implementation-subagent-a1.json").is_file());
}

#[test]
fn only_agents_that_learn_have_duties() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", "code:explorer"));
    assert_eq!(stage.answer("subagent-stop", &ending("a1", "code:explorer", "done")), json!({}));
    assert_eq!(stage.exposures(), ["P-001,injected,explorer,", "P-002,injected,explorer,"]);
}

#[test]
fn the_builder_s_judge_says_whether_the_build_passed() {
    let stage = Stage::with_patterns(1);
    for (id, said) in [
        ("a1", "VALIDATION_FAILED at first, then mended: VALIDATION_PASSED"),
        ("a2", "no VALIDATION_PASSED: VALIDATION_FAILED"),
        ("a3", "nothing"),
    ] {
        stage.context("subagent-start", &agent(id, "code:build-validator"));
        stage.answer("subagent-stop", &ending(id, "code:build-validator", said));
    }
    stage.context("subagent-start", &agent("a4", "code:other"));
    stage.answer("subagent-stop", &ending("a4", "code:other", "VALIDATION_FAILED"));
    assert_eq!(stage.rows("select passed from build order by passed"), ["false", "true"]);
    assert_eq!(
        stage.rows("select event, agent, count(*) from timing group by all order by agent"),
        ["agent,build-validator,3", "agent,other,1"]
    );
}

#[test]
fn the_last_words_are_found_in_the_transcript() {
    let stage = Stage::with(&[lesson("Never push to main")]);
    stage.context("subagent-start", &agent("a1", "x"));
    let transcript = stage.folder().join("agent-a1.jsonl");
    let line = |role: &str, content: Value| {
        json!({"type": role, "isSidechain": true, "message": {"role": role, "id": "m1", "content": content}}).to_string() + "\n"
    };
    let text = line("user", json!("LEARNINGS_ACKNOWLEDGED is what you say"))
        + &line(
            "assistant",
            json!([{"type": "text", "text": "LEARNINGS_ACKNOWLEDGED\nApplied: \"Never push to main\" at a.rs:1"}]),
        );
    std::fs::write(&transcript, text).expect("a transcript");
    stage.answer("subagent-stop", &json!({"agent_id": "a1", "agent_type": "x", "agent_transcript_path": transcript}));
    assert_eq!(stage.exposures(), ["P-001,applied,x,"]);
}

#[test]
fn an_agent_whose_words_cannot_be_read_is_let_go() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", LEARNER));
    let outcome =
        stage.hook("subagent-stop", &json!({"agent_id": "a1", "agent_type": LEARNER, "agent_transcript_path": nowhere!()}));
    assert_eq!((outcome.code, outcome.out.trim()), (0, "{}"));
    assert!(outcome.error.contains("was not found"), "{}", outcome.error);
    assert_eq!(stage.exposures().len(), 2);
}

#[test]
fn what_an_agent_used_and_was_not_shown_is_kept_in_its_own_words() {
    let stage = Stage::with(&[lesson("Never push to main")]);
    stage.context("subagent-start", &agent("a1", "x"));
    let said = "LEARNINGS_ACKNOWLEDGED\nApplied: \"Rotate the tokens every week\" at a.rs:3";
    stage.answer("subagent-stop", &ending("a1", "x", said));
    assert_eq!(stage.exposures(), ["P-001,injected,x,", "Rotate the tokens every week,applied,x,"]);
}

#[test]
fn patterns_that_are_held_back_are_recorded_so_and_not_shown() {
    let stage = Stage::with_patterns(10);
    std::fs::write(stage.scene.workspace.settings(), "[inject]\nholdout = 0.5\n").expect("settings");
    let text = stage.context("subagent-start", &agent("a1", "x"));
    let shown = text.lines().filter(|line| line.starts_with("[medium] ")).count();
    assert!((1..10).contains(&shown), "{text}");
    let other = stage.context("subagent-start", &agent("a2", "y"));
    assert_eq!(text, other, "the whole run does without the same ones");
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    let count = |status: &str| stage.exposures().iter().filter(|row| row.contains(&format!(",{status},x,"))).count();
    assert_eq!((count("injected"), count("withheld")), (shown, 10 - shown));
}

#[test]
fn a_pattern_is_held_back_only_where_it_would_have_been_shown() {
    let long = |number: usize| lesson(&format!("Lesson {number} {}", format!("word{number} ").repeat(26)));
    let stage = Stage::with(&(1..=15).map(long).collect::<Vec<_>>());
    let shown = |stage: &Stage, id: &str| {
        let text = stage.context("subagent-start", &agent(id, "x"));
        text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>()
    };
    let all = shown(&stage, "a0");
    assert!((2..10).contains(&all.len()), "{all:?}");
    std::fs::write(stage.scene.workspace.settings(), "[inject]\nholdout = 0.5\n").expect("settings");
    let some = shown(&stage, "a1");
    assert!(some.len() < all.len() && some.iter().all(|line| all.contains(line)), "{some:?}");
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    let count = |status: &str| stage.exposures().iter().filter(|row| row.contains(status)).count();
    assert_eq!((count(",injected,"), count(",withheld,")), (some.len(), all.len() - some.len()));
}

#[test]
fn where_everything_is_held_back_that_is_recorded_and_nothing_is_shown() {
    let stage = Stage::with_patterns(3);
    std::fs::write(stage.scene.workspace.settings(), "[inject]\nholdout = 1.0\n").expect("settings");
    assert_eq!(stage.context("subagent-start", &agent("a1", "x")), "");
    let beside = json!({"tool_name": "Bash", "tool_input": {"command": "check the thing"}, "agent_id": "a1", "agent_type": "x"});
    assert_eq!(stage.context("pre-tool-use", &beside), "");
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    assert_eq!(stage.exposures(), ["P-001,withheld,x,", "P-002,withheld,x,", "P-003,withheld,x,"]);
}

#[test]
fn whoever_is_sent_back_is_asked_for_the_whole_report_again() {
    let stage = Stage::with_patterns(2);
    let report = "The parser drops the last field of a line. ".repeat(10);
    let stop = |said: &str| asked(&stage.answer("subagent-stop", &ending("a1", LEARNER, said)));
    stage.context("subagent-start", &agent("a1", LEARNER));
    let first = stop(&report);
    assert!(first.contains("LEARNINGS_ACKNOWLEDGED") && first.ends_with("nothing that you said before."), "{first}");
    // It does what it was asked for and forgets its report: whoever started it would never see that.
    let second = stop("LEARNINGS_ACKNOWLEDGED\nno_learnings: it was easy");
    assert!(second.contains("whole report") && !second.contains("LEARNINGS_ACKNOWLEDGED"), "{second}");
    assert_eq!(stop(&report), "");
    assert_eq!(stage.exposures().len(), 2);
}

/// A report, and the answer of an agent that does not repeat it.
const REPORT: &str =
    "The parser drops the last field of a line without an end: it reads until the separator. Mended in src/parse.rs.";
const STUBBORN: &str = "LEARNINGS_ACKNOWLEDGED\nno_learnings: nothing new";

/// An agent that reports, is sent back twice, and never repeats its report.
fn stubborn(id: &str) -> Stage {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent(id, LEARNER));
    for said in [REPORT, STUBBORN] {
        assert!(asked(&stage.answer("subagent-stop", &ending(id, LEARNER, said))).contains("whole report"), "{said}");
    }
    assert_eq!(stage.hook("subagent-stop", &ending(id, LEARNER, STUBBORN)).out.trim(), "{}");
    stage
}

#[test]
fn a_caller_is_handed_the_report_that_its_agent_did_not_repeat_once() {
    let ended =
        json!({"tool_name": "Agent", "tool_input": {"prompt": "x"}, "tool_response": {"status": "completed", "agentId": "a1"}});
    let notified = json!({"prompt": "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>"});
    for (hook, told) in [("post-tool-use", ended), ("user-prompt-submit", notified), ("stop", json!({}))] {
        let stage = stubborn("a1");
        let handed = stage.context(hook, &told);
        assert!(handed.contains(REPORT) && handed.contains("implementation-subagent (a1)"), "{hook}: {handed}");
        for hook in [hook, "stop"] {
            assert_eq!(stage.answer(hook, &told), Value::Null, "{hook}");
        }
    }
}

#[test]
fn a_report_waits_while_its_agent_is_at_work_and_goes_when_it_is_repeated() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", LEARNER));
    stage.answer("subagent-stop", &ending("a1", LEARNER, REPORT));
    let at_work = json!({"background_tasks": [{"id": "a1", "type": "subagent", "status": "running"}]});
    assert_eq!(stage.answer("stop", &at_work), Value::Null);
    let launched = json!({"tool_name": "Agent", "tool_response": {"status": "async_launched", "agentId": "a1"}});
    assert_eq!(stage.answer("post-tool-use", &launched), Value::Null);
    stage.answer("subagent-stop", &ending("a1", LEARNER, &format!("{STUBBORN}\n\n{REPORT}")));
    assert_eq!(stage.answer("stop", &json!({})), Value::Null);
    assert_eq!(stage.memories().len(), 1);
}

#[test]
fn the_report_of_an_agent_that_failed_after_it_was_sent_back_is_handed_over() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", LEARNER));
    stage.answer("subagent-stop", &ending("a1", LEARNER, "Key: sk-ant-REDACTED. Found it in a.rs."));
    let handed = stage.context("stop", &json!({}));
    assert!(handed.contains("Found it in a.rs.") && !handed.contains("sk-ant-api03"), "{handed}");
}

#[test]
fn whoever_has_acknowledged_and_captured_by_a_tool_is_not_sent_back() {
    let stage = Stage::with(&[lesson("Never push to main"), lesson("Sort keys before values")]);
    stage.context("subagent-start", &agent("a1", LEARNER));
    let payload = Payload::read(stage.payload("PostToolUse", &agent("a1", LEARNER)).to_string().as_bytes()).expect("a payload");
    let (workspace, settings) = (&stage.scene.workspace, Settings::default());
    let situation = Situation::find(workspace, &settings, &payload, stage.folder(), jiff::Timestamp::now());
    let used = Claim { id: Some("P-002".to_owned()), citations: vec!["a.rs:1".to_owned()], ..Claim::default() };
    let other = Claim { id: Some("P-907".to_owned()), ..Claim::default() };
    let nameless = Claim { text: "\u{7}".to_owned(), ..Claim::default() };
    acknowledge(workspace, &situation, Some("a1"), &[used.clone(), other, nameless]).expect("a note");
    acknowledge(workspace, &situation, Some("a1"), &[used]).expect("a note");
    note_lesson(workspace, &situation, Some("a1")).expect("a note");
    assert_eq!(stage.answer("subagent-stop", &ending("a1", LEARNER, "The report.")), json!({}));
    assert_eq!(
        stage.exposures(),
        [
            "P-001,injected,implementation-subagent,",
            "P-002,applied,implementation-subagent,",
            "P-907,applied,implementation-subagent,"
        ]
    );
    assert_eq!(stage.rows("select array_to_string(citations, ' ') from application where pattern_id = 'P-002'"), ["a.rs:1"]);
}

#[test]
fn what_a_continued_agent_uses_later_counts_once_and_in_place_of_what_was_recorded() {
    let stage = Stage::with(&[lesson("Never push to main"), lesson("Sort keys before values")]);
    let play = |said: &str| {
        stage.context("subagent-start", &agent("a1", "x"));
        stage.answer("subagent-stop", &ending("a1", "x", said));
    };
    play("The first part is done.");
    assert_eq!(stage.exposures(), ["P-001,injected,x,", "P-002,injected,x,"]);
    play("LEARNINGS_ACKNOWLEDGED\nApplied: P-002 at a.rs:1");
    play("LEARNINGS_ACKNOWLEDGED\nApplied: P-002 at b.rs:2");
    play("The fourth part is done.");
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,injected,x,", "P-002,applied,x,"]);
    assert_eq!(stage.rows("select status from lake_application where pattern_id = 'P-002' order by 1"), ["applied", "injected"]);
    stage.scene.done(&["run", "hourly"]);
    let figures = "select id, seen, applied from pattern order by id";
    // Whoever did nothing could use nothing: its silence counts for nothing.
    assert_eq!(stage.rows(figures), ["P-001,0,0", "P-002,1,1"]);
}

#[test]
fn a_use_takes_the_place_of_what_it_names_in_its_own_project_and_once() {
    let line = |id: &str, project: &str, status: &str, earlier: Option<&str>, second: u32| {
        let mut event = json!({"kind": "application", "id": id, "project": project, "ts": format!("2026-05-01T00:00:{second:02}Z"),
                               "run_id": "r", "pattern_id": "P-001", "status": status});
        event["application_id"] = json!(earlier);
        format!("{event}\n")
    };
    let lines = [
        line("shown", "one", "injected", None, 1),
        line("other", "two", "injected", None, 2),
        line("late", "one", "applied", Some("shown"), 4),
        line("later", "one", "applied", Some("shown"), 5),
        line("itself", "one", "applied", Some("itself"), 6),
        line("foreign", "one", "applied", Some("other"), 7),
        line("nowhere", "two", "applied", Some("gone"), 8),
    ];
    // In whatever order they land.
    for lines in [lines.to_vec(), lines.iter().rev().cloned().collect()] {
        let other = Stage::with(&[lesson("Never push to main")]);
        let outcome = other.scene.run_with(&["record"], lines.concat().as_bytes());
        assert_eq!(outcome.code, 0, "{}", outcome.error);
        let kept = other.rows("select id, project, status from application order by ts");
        let wanted =
            ["other,two,injected", "later,one,applied", "itself,one,applied", "foreign,one,applied", "nowhere,two,applied"];
        assert_eq!(kept, wanted);
    }
}
