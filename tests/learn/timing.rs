//! Where the time of runs goes: the reading of measurements, their sums, and the timeline.

use event::{Body, Latest, Parser};
use learn::timing::{PhaseSpan, Stats, TimingEvent, make_timeline, parse_perf, summarize_timing};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

fn event(kind: &str, run_id: &str, iteration: i64) -> TimingEvent {
    TimingEvent { event: kind.to_owned(), run_id: run_id.to_owned(), iteration: Some(iteration), ..TimingEvent::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "the fields that it fills are optional")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn phase(run_id: &str, iteration: i64, name: &str, clock: &str) -> TimingEvent {
    TimingEvent { phase: some(name), started: Some(format!("2026-05-06T{clock}Z")), ..event("phase", run_id, iteration) }
}

fn iteration(run_id: &str, number: i64, seconds: f64, ended: &str) -> TimingEvent {
    TimingEvent {
        seconds: Some(seconds),
        ended: Some(format!("2026-05-06T{ended}Z")),
        status: some("ok"),
        ..event("iteration", run_id, number)
    }
}

fn step(name: &str, seconds: f64) -> TimingEvent {
    TimingEvent { step_name: some(name), seconds: Some(seconds), ..event("pipeline_step", "r", 1) }
}

fn part(name: &str, number: f64, part_name: &str, seconds: f64) -> TimingEvent {
    TimingEvent { sub_step: Some(number), sub_step_name: some(part_name), ..step(name, seconds) }
}

fn agent(name: &str, seconds: f64) -> TimingEvent {
    TimingEvent { agent: some(name), seconds: Some(seconds), ..event("agent", "r", 1) }
}

fn stats(count: u64, [avg_s, min_s, max_s, total_s]: [f64; 4]) -> Stats {
    Stats { count, avg_s, min_s, max_s, total_s }
}

#[test]
fn every_line_is_a_measurement_or_listed_with_its_reason() {
    let text = b"\xef\xbb\xbf{\"event\":\"agent\",\"run_id\":\"r\",\"iteration\":2,\"agent_name\":\"planner\",\"duration_s\":7}\n\
        \n  \r\n[1]\n{\"event\":\n42\n{\"run_id\":\"r\"}\n{\"event\":\" \"}\r\n\
        {\"event\":\"agent\",\"agent_name\":\"a\xff\",\"iteration\":\"3\",\"duration_s\":\"1.5\",\"skipped\":\"no\",\"status\":5}";
    let (events, bad_lines) = parse_perf(text);
    let first = TimingEvent { iteration: Some(2), ..agent("planner", 7.0) };
    let second = TimingEvent { iteration: Some(3), run_id: "unknown".to_owned(), ..agent("a\u{fffd}", 1.5) };
    assert_eq!(events, [first, second]);
    let listed: Vec<_> = bad_lines.iter().map(|bad| (bad.line, bad.reason.split(':').next().unwrap_or_default())).collect();
    let wanted =
        [(4, "is not an object"), (5, "is not JSON"), (6, "is not an object"), (7, "names no event"), (8, "names no event")];
    assert_eq!(listed, wanted);
    assert_eq!(parse_perf(b""), (vec![], vec![]));
    let (_, bad_lines) = parse_perf(&vec![b'x'; (1 << 20) + 1]);
    assert_eq!(bad_lines[0].reason, "has 1048577 bytes, more than the 1048576 of a line");
}

#[test]
fn all_spellings_of_a_measurement_are_read() {
    let line = json!({
        "event": "pipeline_step", "run_id": "r", "iteration": 1, "step": 8.5, "step_name": "merge", "sub_step": 2,
        "sub_step_name": "sort", "agent_name": "a", "phase": "plan", "status": "ok", "started_at": "s", "ended_at": "e",
        "duration_s": 3, "claude_exit_code": 1, "skipped": false, "command": "code", "repo": "unknown members mean nothing",
    });
    let (events, bad_lines) = parse_perf(line.to_string().as_bytes());
    let wanted = TimingEvent {
        run_id: "r".to_owned(),
        iteration: Some(1),
        event: "pipeline_step".to_owned(),
        step: Some(8.5),
        step_name: some("merge"),
        sub_step: Some(2.0),
        sub_step_name: some("sort"),
        agent: some("a"),
        phase: some("plan"),
        status: some("ok"),
        started: some("s"),
        ended: some("e"),
        seconds: Some(3.0),
        exit_code: Some(1.0),
        skipped: Some(false),
        command: some("code"),
    };
    assert_eq!((&*events, &*bad_lines), (std::slice::from_ref(&wanted), &[][..]));
    // What we write ourselves is read as well, by the same reader and by the door.
    let own = serde_json::to_string(&wanted).expect("JSON");
    assert_eq!(parse_perf(own.as_bytes()).0, std::slice::from_ref(&wanted));
    let line = own.replacen('{', r#"{"kind":"timing","ts":"2026-05-06T10:00:00Z","project":"shop","#, 1);
    let mut parser = Parser::new(Latest::from_clock(i64::MAX / 2));
    let Body::Timing(timing) = parser.parse(&line).expect("an event").body else { panic!("another kind") };
    assert_eq!(TimingEvent::from(&timing), wanted);
}

#[test]
fn legacy_parts_name_their_step_as_a_parent() {
    let line =
        r#"{"event":"pipeline_substep","run_id":"r","parent_step_name":"s","sub_step":1,"sub_step_name":"p","duration_s":4}"#;
    let summary = summarize_timing(&parse_perf(line.as_bytes()).0, None);
    let row = &summary.pipeline_substeps[0];
    assert_eq!((&*row.step_name, row.sub_step, &*row.sub_step_name, row.stats.total_s), ("s", Some(1.0), "p", 4.0));
    assert!(summary.pipeline_steps.is_empty());
}

#[test]
fn iterations_stand_one_by_one_by_number_and_together() {
    let events = [iteration("b", 2, 10.0, "10:00:10"), iteration("a", 1, 5.0, "10:00:05"), iteration("a", 2, 0.25, "10:00:06")];
    let table = summarize_timing(&events, None).iterations;
    let rows: Vec<_> = table.rows.iter().map(|row| (row.iteration, &*row.run_id, row.duration_s)).collect();
    assert_eq!(rows, [(Some(1), "a", Some(5.0)), (Some(2), "b", Some(10.0)), (Some(2), "a", Some(0.2))]);
    assert_eq!(table.summary, Some(stats(3, [5.1, 0.2, 10.0, 15.2])));
    let of_run = summarize_timing(&events, Some("a")).iterations;
    assert_eq!((of_run.rows.len(), of_run.summary.map(|stats| stats.count)), (2, Some(2)));
    let unmeasured = summarize_timing(&[event("iteration", "a", 1)], None).iterations;
    assert_eq!((unmeasured.rows[0].duration_s, unmeasured.summary), (None, None));
}

#[test]
fn a_phase_lasts_until_the_next_one_of_its_iteration_and_the_last_until_its_end() {
    let events = [
        phase("r", 1, "build", "10:01:00"),
        phase("r", 1, "plan", "10:00:00"),
        phase("other", 1, "plan", "10:00:30"),
        phase("r", 2, "plan", "10:02:00"),
        iteration("r", 1, 90.0, "10:01:30"),
        iteration("r", 2, 1.0, "10:01:59"),
        TimingEvent { started: some("yesterday"), ..phase("r", 1, "lost", "") },
    ];
    let summary = summarize_timing(&events, None);
    let rows: Vec<_> = summary.phases.iter().map(|row| (&*row.phase, row.stats)).collect();
    // The plans of `other` and of iteration 2 have no end that lies behind their beginning.
    assert_eq!(rows, [("plan", stats(1, [60.0; 4])), ("build", stats(1, [30.0; 4]))]);
    let span = |run_id: &str, iteration, phase: &str, started: &str, ended: &str, duration_s| PhaseSpan {
        run_id: run_id.to_owned(),
        iteration: Some(iteration),
        phase: phase.to_owned(),
        started_at: format!("2026-05-06T{started}Z"),
        ended_at: if ended.is_empty() { String::new() } else { format!("2026-05-06T{ended}Z") },
        duration_s,
    };
    let timeline = make_timeline(&events, None);
    assert_eq!(
        timeline[..4],
        [
            span("r", 1, "plan", "10:00:00", "10:01:00", Some(60.0)),
            span("other", 1, "plan", "10:00:30", "", None),
            span("r", 1, "build", "10:01:00", "10:01:30", Some(30.0)),
            span("r", 2, "plan", "10:02:00", "", None),
        ]
    );
    assert_eq!((&*timeline[4].phase, &*timeline[4].started_at), ("lost", "yesterday"));
    assert_eq!(make_timeline(&events, Some("other")).len(), 1);
    assert_eq!(make_timeline(&events, Some("nobody")), []);
}

#[test]
fn steps_that_were_passed_over_count_with_no_seconds() {
    let skipped = TimingEvent { skipped: Some(true), ..step("merge", 9.0) };
    let unmeasured = TimingEvent { seconds: None, ..step("merge", 0.0) };
    let backwards = step("merge", -1.0);
    let events = [step("prune", 3.0), step("merge", 4.0), skipped, unmeasured, backwards, part("merge", 1.0, "sort", 50.0)];
    let summary = summarize_timing(&events, None);
    let rows: Vec<_> = summary.pipeline_steps.iter().map(|row| (&*row.step_name, row.stats, row.skip_count)).collect();
    assert_eq!(rows, [("merge", stats(2, [2.0, 0.0, 4.0, 4.0]), 1), ("prune", stats(1, [3.0; 4]), 0)]);
}

#[test]
fn parts_are_in_the_order_of_steps_and_numbers_and_the_others_by_total() {
    let events = [
        part("b", 1.0, "x", 1.0),
        part("a", 10.0, "x", 1.0),
        part("a", 2.0, "y", 1.0),
        part("a", 2.0, "x", 1.0),
        part("a", 2.0, "x", 2.0),
        agent("slow", 4.0),
        agent("busy", 3.0),
        agent("busy", 3.0),
        agent("also-slow", 4.0),
    ];
    let summary = summarize_timing(&events, None);
    let parts: Vec<_> = summary
        .pipeline_substeps
        .iter()
        .map(|row| (&*row.step_name, row.sub_step.expect("a number"), &*row.sub_step_name, row.stats.count))
        .collect();
    assert_eq!(parts, [("a", 2.0, "x", 2), ("a", 2.0, "y", 1), ("a", 10.0, "x", 1), ("b", 1.0, "x", 1)]);
    let agents: Vec<_> = summary.agents.iter().map(|row| (&*row.agent_name, row.stats.total_s)).collect();
    assert_eq!(agents, [("busy", 6.0), ("also-slow", 4.0), ("slow", 4.0)]);
}

#[test]
fn a_duration_is_the_measured_one_else_that_between_both_ends() {
    let between =
        TimingEvent { started: some("2026-05-06T10:00:00Z"), ended: some("2026-05-06T10:00:02.5Z"), ..event("agent", "r", 1) };
    assert_eq!(between.duration_seconds(), Some(2.5));
    assert_eq!(TimingEvent { seconds: Some(9.0), ..between.clone() }.duration_seconds(), Some(9.0));
    for seconds in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert_eq!(agent("a", seconds).duration_seconds(), None, "{seconds}");
    }
}

#[test]
fn the_summary_as_json_has_its_keys_in_order() {
    let events = [
        iteration("r", 1, 60.0, "10:01:00"),
        phase("r", 1, "plan", "10:00:00"),
        step("merge", 1.0),
        part("merge", 1.0, "sort", 0.5),
        part("merge", 1.5, "sift", 0.5),
        agent("a", 2.0),
    ];
    let text = serde_json::to_string(&summarize_timing(&events, None)).expect("JSON");
    let expected = concat!(
        r#"{"iterations":{"rows":[{"iteration":1,"duration_s":60.0,"status":"ok","run_id":"r"}],"#,
        r#""summary":{"count":1,"avg_s":60.0,"min_s":60.0,"max_s":60.0,"total_s":60.0}},"#,
        r#""phases":[{"phase":"plan","count":1,"avg_s":60.0,"min_s":60.0,"max_s":60.0,"total_s":60.0}],"#,
        r#""pipeline_steps":[{"step_name":"merge","count":1,"avg_s":1.0,"min_s":1.0,"max_s":1.0,"total_s":1.0,"skip_count":0}],"#,
        r#""pipeline_substeps":[{"step_name":"merge","sub_step":1,"sub_step_name":"sort","count":1,"avg_s":0.5,"min_s":0.5,"max_s":0.5,"total_s":0.5},"#,
        r#"{"step_name":"merge","sub_step":1.5,"sub_step_name":"sift","count":1,"avg_s":0.5,"min_s":0.5,"max_s":0.5,"total_s":0.5}],"#,
        r#""agents":[{"agent_name":"a","count":1,"avg_s":2.0,"min_s":2.0,"max_s":2.0,"total_s":2.0}]}"#,
    );
    assert_eq!(text, expected);
    assert!(summarize_timing(&[event("run", "r", 1)], None).is_empty());
}

proptest! {
    #[test]
    fn sums_hold_every_measurement_and_the_mean_lies_between_the_ends(
        measured in vec((select(vec!["a", "b", "c"]), option::of(0_u32..100_000), any::<bool>()), 0..40),
    ) {
        let events: Vec<_> = measured
            .iter()
            .map(|(name, tenths, skipped)| TimingEvent {
                seconds: tenths.map(|tenths| f64::from(tenths) / 10.0),
                skipped: Some(*skipped),
                ..step(name, 0.0)
            })
            .collect();
        let steps = summarize_timing(&events, None).pipeline_steps;
        let counted: u64 = steps.iter().map(|row| row.stats.count).sum();
        let known = measured.iter().filter(|(_, tenths, skipped)| *skipped || tenths.is_some()).count();
        prop_assert_eq!(counted, known as u64);
        let total: f64 = steps.iter().map(|row| row.stats.total_s).sum();
        let tenths: u32 = measured.iter().filter(|(_, _, skipped)| !skipped).filter_map(|(_, tenths, _)| *tenths).sum();
        prop_assert!((total - f64::from(tenths) / 10.0).abs() < 0.01, "{} {}", total, tenths);
        for row in &steps {
            prop_assert!(row.stats.min_s <= row.stats.avg_s && row.stats.avg_s <= row.stats.max_s && row.skip_count <= row.stats.count);
        }
        prop_assert!(steps.is_sorted_by(|one, other| one.stats.total_s >= other.stats.total_s));
    }

    #[test]
    fn any_bytes_are_read(text in vec(any::<u8>(), 0..200)) {
        let (events, bad_lines) = parse_perf(&text);
        prop_assert!(events.len() + bad_lines.len() <= text.split(|byte| *byte == b'\n').count());
    }
}
