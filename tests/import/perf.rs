//! `perf.jsonl` as events: what each line becomes, and that none is lost.

use agent::import::closedloop::{Imported, import_perf};
use event::{Body, Latest, Parser};
use learn::timing::{TimingEvent, parse_perf};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// The events, after checking that our door takes each of them and that every line is accounted for.
fn events(imported: &Imported) -> Vec<(Value, TimingEvent)> {
    let counts = imported.counts;
    assert_eq!(counts.records, counts.taken + counts.blank + counts.left_out, "{imported:?}");
    assert_eq!(counts.left_out, imported.odd.iter().filter(|odd| !odd.taken).count(), "{imported:?}");
    assert_eq!(counts.taken, imported.lines.len());
    let mut parser = Parser::new(Latest::from_clock(i64::MAX / 2));
    let mut read = |line: &String| {
        let event = parser.parse(line).unwrap_or_else(|refusal| panic!("{refusal}: {line}"));
        let Body::Timing(timing) = &event.body else { panic!("another kind: {line}") };
        (serde_json::from_str(line).expect("JSON"), TimingEvent::from(timing))
    };
    imported.lines.iter().map(&mut read).collect()
}

fn import(lines: &[Value]) -> Imported {
    import_perf(text_of(lines).as_bytes(), "shop")
}

fn text_of(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn reasons(imported: &Imported) -> Vec<(usize, bool, &str)> {
    imported.odd.iter().map(|odd| (odd.line, odd.taken, &*odd.reason)).collect()
}

#[test]
fn a_line_becomes_a_timing_and_keeps_what_the_kind_does_not_know() {
    let imported = import(&[json!({
        "event": "agent", "run_id": "20260506-100000-abcdef01", "iteration": 2, "agent_id": "a1", "agent_type": "code:planner",
        "agent_name": "planner", "started_at": "2026-05-06T10:00:00Z", "ended_at": "2026-05-06T10:00:07Z", "duration_s": 7,
    })]);
    let wanted = json!({
        "kind": "timing", "ts": "2026-05-06T10:00:00Z", "project": "shop", "event": "agent",
        "run_id": "20260506-100000-abcdef01", "iteration": 2, "agent": "planner", "started": "2026-05-06T10:00:00Z",
        "ended": "2026-05-06T10:00:07Z", "seconds": 7, "agent_id": "a1", "agent_type": "code:planner",
    });
    let found = events(&imported);
    assert_eq!((&found[0].0, imported.odd.len()), (&wanted, 0));
}

#[test]
fn every_shape_of_the_original_comes_back_as_it_was_measured() {
    let lines = [
        json!({"event": "run", "run_id": "r", "command": "code", "started_at": "2026-05-06T10:00:00Z", "repo": "x", "branch": "main"}),
        json!({"event": "iteration", "run_id": "r", "iteration": 1, "started_at": "2026-05-06T10:00:00Z",
               "ended_at": "2026-05-06T10:01:00Z", "duration_s": 60, "claude_exit_code": 0, "status": "ok"}),
        json!({"event": "pipeline_step", "run_id": "r", "iteration": 1, "step": 8.5, "step_name": "merge", "started_at":
               "2026-05-06T10:00:00Z", "ended_at": "2026-05-06T10:00:00Z", "duration_s": 0, "exit_code": 0, "skipped": true}),
        json!({"event": "phase", "run_id": "r", "iteration": 1, "phase": "plan", "status": "started", "start_sha": "abc",
               "started_at": "2026-05-06T10:00:00Z"}),
        json!({"event": "pipeline_substep", "run_id": "r", "parent_step_name": "merge", "sub_step": 1, "sub_step_name": "sort",
               "duration_s": 2, "ended_at": "2026-05-06T10:00:00Z"}),
    ];
    let imported = import(&lines);
    let found: Vec<TimingEvent> = events(&imported).into_iter().map(|(_, timing)| timing).collect();
    assert_eq!(found, parse_perf(text_of(&lines).as_bytes()).0);
    assert_eq!(imported.odd, []);
    assert_eq!(events(&imported)[4].0["ts"], "2026-05-06T10:00:00Z");
}

#[test]
fn lines_without_a_time_an_event_or_an_object_are_left_out_with_a_reason() {
    let text = "[]\n{\n\n{\"run_id\":\"r\",\"started_at\":\"2026-05-06T10:00:00Z\"}\n\
        {\"event\":\"post_loop_review\",\"run_id\":\"r\",\"verdict\":\"ok\",\"cycle\":1,\"duration_s\":3}\n\
        {\"event\":\"phase\",\"started_at\":\"soon\"}\n\
        {\"event\":\"phase\",\"started_at\":\"1999-01-01T00:00:00Z\"}\n";
    let imported = import_perf(text.as_bytes(), "shop");
    assert_eq!(events(&imported), []);
    assert_eq!((imported.counts.records, imported.counts.blank, imported.counts.left_out), (7, 1, 6));
    let reasons: Vec<_> = reasons(&imported).into_iter().map(|(line, _, reason)| (line, reason)).collect();
    assert!(reasons[1].1.starts_with("is not JSON: "), "{reasons:?}");
    assert_eq!(reasons[0], (1, "is not an object"));
    assert_eq!(
        reasons[2..],
        [
            (4, "names no event"),
            (5, "has neither a beginning nor an end"),
            (6, "the time `soon` is not RFC 3339"),
            (7, "the time `1999-01-01T00:00:00Z` is before 2000"),
        ]
    );
}

#[test]
fn what_does_not_fit_is_repaired_and_noted() {
    let imported = import(&[json!({
        "event": "agent", "iteration": -1, "agent_name": "a/b", "started_at": "soon", "ended_at": "2026-05-06T10:00:07Z",
        "duration_s": "7.5", "exit_code": 1, "claude_exit_code": 2, "id": 5, "timestamp": "x", "skipped": null,
    })]);
    let (line, timing) = events(&imported).remove(0);
    assert_eq!((&*timing.run_id, timing.iteration, timing.agent.as_deref()), ("unknown", None, Some("a_b")));
    assert_eq!((timing.seconds, timing.exit_code, timing.skipped), (Some(7.5), Some(1.0), None));
    assert_eq!((&line["source_iteration"], &line["source_claude_exit_code"]), (&json!(-1), &json!(2)));
    assert_eq!(
        (&line["source_id"], &line["source_timestamp"], &line["ts"]),
        (&json!(5), &json!("x"), &json!("2026-05-06T10:00:07Z"))
    );
    let reasons = reasons(&imported);
    assert!(reasons.iter().all(|(line, taken, _)| *line == 1 && *taken), "{reasons:?}");
    assert_eq!(reasons.len(), 7, "{reasons:?}");
    assert!(reasons.contains(&(1, true, "the time `soon` is not RFC 3339; its end time is used")), "{reasons:?}");
}

#[test]
fn very_many_unknown_members_are_put_together() {
    let mut line = json!({"event": "run", "run_id": "r", "started_at": "2026-05-06T10:00:00Z"});
    for number in 0..400 {
        line[format!("member_{number}")] = json!(number);
    }
    let imported = import(&[line]);
    assert_eq!(events(&imported)[0].0["members"].as_object().map(serde_json::Map::len), Some(400));
}

proptest! {
    #[test]
    fn whatever_is_taken_passes_the_door(
        members in vec(
            (
                select(vec![
                    "event", "run_id", "runId", "iteration", "step", "step_name", "parent_step_name", "agent_name", "agent", "phase",
                    "started_at", "started", "ended_at", "duration_s", "seconds", "skipped", "kind", "ts", "id", "project", "other",
                    "source_id", "members", "",
                ]),
                prop_oneof![
                    Just(json!("2026-05-06T10:00:00Z")), Just(json!(null)), Just(json!(true)), Just(json!([{"a": []}])),
                    any::<i64>().prop_map(Value::from), any::<f64>().prop_map(Value::from), any::<String>().prop_map(Value::from),
                    "[0-9._/ ]{0,4}".prop_map(Value::from),
                ],
            ),
            0..12,
        ),
    ) {
        let mut line = json!({"event": "phase", "started_at": "2026-05-06T10:00:00Z"});
        for (name, value) in members {
            line[name] = value;
        }
        let imported = import(&[line]);
        prop_assert_eq!(imported.counts.records, 1);
        events(&imported);
    }
}
