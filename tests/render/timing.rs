//! The text tables of where the time goes.

use learn::timing::{TimingEvent, make_timeline, parse_perf, summarize_timing};
use render::{render_timeline, render_timing};
use text::time::duration_text;

const PERF: &str = r#"{"event":"iteration","run_id":"20260506-100000-abcdef01","iteration":2,"ended_at":"2026-05-06T11:02:00Z","duration_s":3599,"status":"spurious_complete"}
{"event":"iteration","run_id":"20260506-100000-abcdef01","iteration":1,"ended_at":"2026-05-06T10:01:30Z","duration_s":90,"status":"ok"}
{"event":"phase","run_id":"20260506-100000-abcdef01","iteration":1,"phase":"plan","started_at":"2026-05-06T10:00:00Z"}
{"event":"phase","run_id":"20260506-100000-abcdef01","iteration":1,"phase":"build","started_at":"2026-05-06T10:01:00Z"}
{"event":"phase","run_id":"20260506-100000-abcdef01","iteration":3,"phase":"build","started_at":"2026-05-06T12:00:00Z"}
{"event":"pipeline_step","run_id":"20260506-100000-abcdef01","iteration":1,"step":1,"step_name":"merge","duration_s":4}
{"event":"pipeline_step","run_id":"20260506-100000-abcdef01","iteration":2,"step":1,"step_name":"merge","duration_s":0,"skipped":true}
{"event":"pipeline_step","run_id":"20260506-100000-abcdef01","iteration":1,"step":8.5,"step_name":"merge","sub_step":1,"sub_step_name":"sort","duration_s":2}
{"event":"agent","run_id":"20260506-100000-abcdef01","iteration":1,"agent_name":"planner","duration_s":7200}
"#;

fn events() -> Vec<TimingEvent> {
    let (events, bad_lines) = parse_perf(PERF.as_bytes());
    assert!(bad_lines.is_empty());
    events
}

#[test]
fn durations_choose_their_unit_before_they_are_rounded() {
    for (seconds, text) in [
        (0.0, "0s"),
        (0.5, "0s"),
        (1.5, "2s"),
        (2.5, "2s"),
        (59.4, "59s"),
        (59.5, "60s"),
        (60.0, "1.0m"),
        (90.0, "1.5m"),
        (3599.0, "60.0m"),
        (3600.0, "1.0h"),
        (5400.0, "1.5h"),
        (360_000.0, "100.0h"),
    ] {
        assert_eq!(duration_text(seconds), text, "{seconds}");
    }
}

#[test]
fn each_table_has_its_columns_and_its_rule() {
    let text = render_timing(&summarize_timing(&events(), None));
    let expected = "\
Iterations
turn        time  status           run
------------------------------------------------------------
1           1.5m  ok               20260506-100000-abcdef01
2          60.0m  spurious_complete  20260506-100000-abcdef01
all         1.0h  2 measured       mean 30.7m, 1.5m to 60.0m

Phases
phase                                      count    mean   least    most   total
--------------------------------------------------------------------------------
plan                                           1    1.0m    1.0m    1.0m    1.0m
build                                          1     30s     30s     30s     30s

Pipeline steps
step                           count    mean   least    most   total skips
--------------------------------------------------------------------------
merge                              2      2s      0s      4s      4s     1

Substeps
step                no.     part                       count    mean   least    most   total
--------------------------------------------------------------------------------------------
merge               1       sort                           1      2s      2s      2s      2s

Agents
agent                          count    mean   least    most   total
--------------------------------------------------------------------
planner                            1    2.0h    2.0h    2.0h    2.0h

";
    assert_eq!(text, expected);
}

#[test]
fn a_phase_without_an_end_has_a_question_mark() {
    let text = render_timeline(&make_timeline(&events(), None));
    let rule = "-".repeat(132);
    let expected = format!(
        "\
Timeline
run                     turn    phase                                     began                   ended                         time
{rule}
20260506-100000-abcdef01  1       plan                                      2026-05-06T10:00:00Z    2026-05-06T10:01:00Z          1.0m
20260506-100000-abcdef01  1       build                                     2026-05-06T10:01:00Z    2026-05-06T10:01:30Z           30s
20260506-100000-abcdef01  3       build                                     2026-05-06T12:00:00Z                                     ?

"
    );
    assert_eq!(text, expected);
}

#[test]
fn nothing_measured_gives_no_table() {
    assert_eq!(render_timing(&summarize_timing(&[], None)), "");
    assert_eq!(render_timing(&summarize_timing(&events(), Some("another run"))), "");
    assert_eq!(render_timeline(&[]), "");
}

#[test]
fn names_are_shown_as_one_harmless_line() {
    let agent = Some(format!("bad\u{1b}[31m\nname\u{202e}{}", "x".repeat(500)));
    let event = TimingEvent { event: "agent".to_owned(), agent, seconds: Some(1.0), ..TimingEvent::default() };
    let text = render_timing(&summarize_timing(&[event], None));
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.lines().all(|line| line.chars().count() < 130), "{text}");
}
