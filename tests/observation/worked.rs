//! Worked numbers, with the original's defects mended.

use event::field::{ArtifactAction, ObservationType};
use learn::observation::{Decay, confidence, penalised};
use serde_json::json;
use setting::ObservationSettings;

use super::{Sight, Story, artifact, assert_brief, at};

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn e1_a_third_sighting_makes_full_confidence_and_a_restatement_is_no_contradiction() {
    let mut story = Story::default();
    let sight = |time: &str, given: &str, pattern: &str, evidence: &[&str], details: &str, quality_ok: bool| Sight {
        time: at(time),
        kind: ObservationType::Workflow,
        given: Some(given.to_owned()),
        pattern: pattern.to_owned(),
        evidence: strings(evidence),
        details: details.to_owned(),
        quality_ok,
        ..Sight::default()
    };
    let first = "2026-05-10T12:00:00Z";
    story.see(sight(first, "obs_aa11bb", "Squash-merge, then pull!", &["q1", "q2"], "1. squash\n2. pull", false));
    assert_brief(&story.only(at(first)), 1, "0.33", "observing");
    let second = "2026-05-12T08:30:15.250Z";
    story.see(sight(second, "obs_zzzzzz", "squashmerge then PULL", &["q2", "q3"], "1. squash\n2. pull main", true));
    assert_brief(&story.only(at(second)), 2, "0.66", "observing");
    let third = "2026-05-20T08:30:15.250Z";
    story.see(sight(third, "obs_zzzzzz", "squashmerge then PULL", &["q4"], "1. squash", false));
    let score = story.only(at(third));
    assert_brief(&score, 3, "0.95", "ready");
    assert_eq!((&*score.id, &*score.pattern), ("obs_aa11bb", "Squash-merge, then pull!"));
    assert_eq!((&*score.first_seen, &*score.last_seen), (first, "2026-05-20T08:30:15.25Z"));
    assert_eq!(score.evidence, ["q1", "q2", "q3", "q4"]);
    assert_eq!((&*score.details, score.needs_review, score.quality_ok), ("1. squash\n2. pull main", false, true));
    // Nobody saw it on that day: time alone made it ready.
    assert_eq!(score.ready_at.as_deref(), Some("2026-05-13T12:00:00Z"));
}

#[test]
fn e2_the_first_and_the_latest_quotations_are_kept() {
    let mut story = Story::default();
    let sight = |time: &str, pattern: &str, evidence: &[&str]| Sight {
        time: at(time),
        pattern: pattern.to_owned(),
        evidence: strings(evidence),
        details: "context: a; decision: b; rationale: c".to_owned(),
        ..Sight::default()
    };
    story.see(sight("2026-05-01T00:00:00Z", "Use Result types", &["e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9"]));
    story.see(sight("2026-05-10T12:00:00Z", "use result types", &["e9", "n1", "n2", "n3"]));
    let score = story.only(at("2026-05-10T12:00:00Z"));
    assert_brief(&score, 2, "0.95", "ready");
    assert_eq!(score.evidence, ["e1", "e2", "e3", "e4", "e5", "e8", "e9", "n1", "n2", "n3"]);
    assert_eq!((&*score.pattern, score.needs_review), ("Use Result types", false));
    // What fell out does not come back by being quoted again.
    story.see(sight("2026-05-11T12:00:00Z", "use result types", &["e6", "n4"]));
    assert_eq!(story.only(at("2026-05-11T12:00:00Z")).evidence, ["e1", "e2", "e3", "e4", "e5", "e9", "n1", "n2", "n3", "n4"]);
}

#[test]
fn e3_one_given_id_never_makes_two_entries_one_nor_loses_any() {
    let mut story = Story::default();
    for given in ["obs_c", "obs_cc11cc"] {
        for (kind, pattern) in [
            (ObservationType::Workflow, "alpha"),
            (ObservationType::Procedural, "beta"),
            (ObservationType::Decision, "gamma"),
            (ObservationType::Workflow, "delta"),
        ] {
            let (given, pattern) = (Some(given.to_owned()), format!("{pattern} of {given}"));
            story.see(Sight { given, kind, pattern, ..Sight::default() });
        }
    }
    let scores = story.findings(i64::MAX).scores;
    let told: Vec<_> = scores.iter().map(|score| (&*score.observation_type, &*score.pattern, score.observations)).collect();
    assert_eq!(
        told,
        [
            ("workflow", "alpha of obs_c", 2),
            ("procedural", "beta of obs_c", 1),
            ("decision", "gamma of obs_c", 1),
            ("workflow", "alpha of obs_cc11cc", 2),
            ("procedural", "beta of obs_cc11cc", 1),
            ("decision", "gamma of obs_cc11cc", 1)
        ]
    );
    let ids: std::collections::BTreeSet<&str> = scores.iter().map(|score| &*score.id).collect();
    assert_eq!(ids.len(), 6, "{ids:?}");
    assert!(ids.contains("obs_cc11cc") && !ids.contains("obs_c"), "{ids:?}");
    assert!(ids.iter().all(|id| learn::pattern::is_observation_id(id)), "{ids:?}");
}

/// A row of the other store.
fn taken_over(id: &str, kind: ObservationType, pattern: &str, ts: &str, prior: &serde_json::Value) -> Sight {
    Sight {
        given: Some(id.to_owned()),
        kind,
        pattern: pattern.to_owned(),
        time: at(ts),
        prior: Some(prior.to_string()),
        ..Sight::default()
    }
}

#[test]
fn e4_a_deprecated_entry_is_found_again_by_its_words() {
    let mut story = Story::default();
    let prior = json!({"observations": 3, "confidence": 0.29, "status": "deprecated", "first_seen": "2026-01-01T00:00:00Z",
        "last_seen": "2026-05-01T00:00:00Z"});
    story.see(taken_over("obs_dddddd", ObservationType::Workflow, "alpha", "2026-05-01T00:00:00Z", &prior));
    let time = at("2026-05-10T12:00:00Z");
    story.see(Sight { time, kind: ObservationType::Workflow, pattern: "Alpha".to_owned(), ..Sight::default() });
    let score = story.only(time);
    assert_brief(&score, 3, "0.29", "deprecated");
    assert_eq!((&*score.id, score.sightings_since_deletion), ("obs_dddddd", 1));
    assert_eq!((&*score.first_seen, &*score.last_seen), ("2026-01-01T00:00:00Z", "2026-05-10T12:00:00Z"));
}

#[test]
fn e5_texts_are_compared_before_one_replaces_the_other() {
    for (before, after, kept) in [
        ("abcabcabc", "zzzzzzzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzzzzzzz"),
        ("zzzzzzzzzzzzzzzzzzzz", "abc", "zzzzzzzzzzzzzzzzzzzz"),
        ("abcd efgh", "hgfe dcba", "abcd efgh"),
        (
            "context: database choice; decision: use postgres; rationale: acid compliance",
            "context: api design; decision: use grpc; rationale: performance binary protocol efficiency",
            "context: api design; decision: use grpc; rationale: performance binary protocol efficiency",
        ),
    ] {
        let mut story = Story::default();
        story.see(Sight { details: before.to_owned(), ..Sight::default() });
        story.see(Sight { details: after.to_owned(), ..Sight::default() });
        let score = story.only(i64::MAX);
        assert_eq!((&*score.details, score.needs_review), (kept, true), "{before} and {after}");
    }
}

#[test]
fn e6_a_pitfall_is_known_by_its_area_and_issue() {
    let mut story = Story::default();
    let sight = |time: &str, pattern: &str, evidence: &str, details: &str| Sight {
        time: at(time),
        kind: ObservationType::Pitfall,
        pattern: pattern.to_owned(),
        evidence: strings(&[evidence]),
        details: details.to_owned(),
        ..Sight::default()
    };
    let details = "area: git commits; issue: Amending pushed commits; impact: force push; resolution: new commit";
    story.see(sight("2026-05-01T00:00:00Z", "amend pushed commits", "prior: amend", details));
    let other = "Area: GIT commits!; Issue: amending pushed, commits; impact: x";
    story.see(sight("2026-05-10T12:00:00Z", "never amend after push", "user: no", other));
    let score = story.only(at("2026-05-10T12:00:00Z"));
    assert_brief(&score, 2, "0.95", "ready");
    assert_eq!(score.evidence, ["prior: amend", "user: no"]);
    assert_eq!((&*score.details, score.needs_review), (details, false));
    // Twenty-two letters to twenty are not 1.2 times as many.
    assert_eq!(score.pattern, "amend pushed commits");
}

#[test]
fn e7_each_type_is_ready_to_the_second() {
    let mut story = Story::default();
    let days = [
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z",
        "2026-05-03T23:59:59Z",
        "2026-05-04T00:00:00Z",
        "2026-05-05T23:59:59Z",
        "2026-05-06T00:00:00Z",
    ];
    for time in days {
        let mut see = |given: &str, kind: ObservationType, pattern: &str, quality_ok: bool| {
            story.see(Sight {
                time: at(time),
                given: Some(given.to_owned()),
                kind,
                pattern: pattern.to_owned(),
                quality_ok,
                session: Some(format!("session of {time}")),
                ..Sight::default()
            });
        };
        see("obs_w00001", ObservationType::Workflow, "ship it", true);
        see("obs_p00001", ObservationType::Procedural, "debug hooks", true);
        see("obs_d00001", ObservationType::Decision, "use pg", true);
        see("obs_q00001", ObservationType::Pitfall, "no quality", false);
    }
    let wanted = [
        [(1, "0.33", "observing"), (1, "0.33", "observing"), (1, "0.33", "observing"), (1, "0.33", "observing")],
        [(2, "0.66", "observing"), (2, "0.50", "observing"), (2, "0.95", "ready"), (2, "0.95", "observing")],
        [(3, "0.95", "observing"), (3, "0.75", "observing"), (3, "0.95", "ready"), (3, "0.95", "observing")],
        [(4, "0.95", "ready"), (4, "0.95", "observing"), (4, "0.95", "ready"), (4, "0.95", "observing")],
        [(5, "0.95", "ready"), (5, "0.95", "observing"), (5, "0.95", "ready"), (5, "0.95", "observing")],
        [(6, "0.95", "ready"), (6, "0.95", "ready"), (6, "0.95", "ready"), (6, "0.95", "observing")],
    ];
    for (time, wanted) in days.into_iter().zip(wanted) {
        for (id, (sessions, confidence, status)) in ["obs_w00001", "obs_p00001", "obs_d00001", "obs_q00001"].into_iter().zip(wanted)
        {
            assert_brief(&story.entry(id, at(time)), sessions, confidence, status);
        }
    }
}

#[test]
fn e7_time_alone_makes_ready_what_was_seen_often_enough() {
    let mut story = Story::default();
    for (time, session) in [("2026-05-01T00:00:00Z", "s1"), ("2026-05-01T00:00:01Z", "s2")] {
        let session = Some(session.to_owned());
        story.see(Sight { time: at(time), kind: ObservationType::Workflow, session, ..Sight::default() });
    }
    let last = at("2026-05-03T23:59:59.999999Z");
    assert_brief(&story.only(last), 2, "0.66", "observing");
    let score = story.only(last + 1);
    assert_brief(&score, 2, "0.66", "ready");
    assert_eq!(score.ready_at.as_deref(), Some("2026-05-04T00:00:00Z"));
    assert_eq!(story.only(last + 1_000_000_000_000).ready_at.as_deref(), Some("2026-05-04T00:00:00Z"));
}

#[test]
fn e8_two_mentions_in_one_session_are_one() {
    let mut story = Story::default();
    story.see_in(&[("s1", 0), ("s1", 1), ("s1", 2)]);
    assert_brief(&story.only(super::day(2)), 1, "0.33", "observing");
    story.see_in(&[("s2", 3)]);
    assert_brief(&story.only(super::day(3)), 2, "0.95", "ready");
}

#[test]
fn e8_a_deprecated_entry_does_not_come_back_by_one_mention() {
    let mut story = Story::default();
    let prior = json!({"observations": 4, "confidence": 0.28, "status": "deprecated", "first_seen": "2026-04-01T00:00:00Z",
        "last_seen": "2026-05-01T00:00:00Z", "deprecated_at": "2026-05-02T00:00:00.000Z", "artifact_path": "/gone/SKILL.md"});
    story.see(taken_over("obs_p00001", ObservationType::Procedural, "debug hooks", "2026-05-02T00:00:00Z", &prior));
    let mention = |time: &str, session: &str| Sight {
        time: at(time),
        kind: ObservationType::Procedural,
        given: Some("obs_p00001".to_owned()),
        pattern: "debug hooks".to_owned(),
        evidence: strings(&["b"]),
        quality_ok: false,
        session: Some(session.to_owned()),
        ..Sight::default()
    };
    story.see(mention("2026-05-10T12:00:00Z", "s1"));
    let score = story.only(at("2026-05-10T12:00:00Z"));
    assert_brief(&score, 4, "0.28", "deprecated");
    assert_eq!((score.sightings_since_deletion, score.deprecated_at.as_deref()), (1, Some("2026-05-02T00:00:00Z")));
    assert_eq!(score.artifact_path.as_deref(), Some("/gone/SKILL.md"));
    story.see(mention("2026-05-10T13:00:00Z", "s1"));
    story.see(mention("2026-05-11T12:00:00Z", "s2"));
    story.see(mention("2026-05-12T12:00:00Z", "s3"));
    let score = story.only(at("2026-05-12T12:00:00Z"));
    assert_brief(&score, 4, "0.28", "deprecated");
    assert_eq!(score.sightings_since_deletion, 3);
    // The fourth fresh session is as many as the type requires: it begins anew, and must be spread anew.
    story.see(mention("2026-05-13T12:00:00Z", "s4"));
    let score = story.only(at("2026-05-13T12:00:00Z"));
    assert_brief(&score, 4, "0.95", "observing");
    assert_eq!((score.sightings_since_deletion, &score.deprecated_at, &score.artifact_path), (0, &None, &None));
    assert_brief(&story.only(at("2026-05-15T11:59:59Z")), 4, "0.95", "observing");
    assert_brief(&story.only(at("2026-05-15T12:00:00Z")), 4, "0.95", "ready");
}

#[test]
fn e12_a_deletion_costs_seven_tenths_once() {
    let mut story = Story::default();
    story.see_in(&[("s1", 0), ("s2", 1)]);
    let id = story.id();
    story.find_row(learn::observation::ArtifactRow {
        observation_id: Some(id.clone()),
        path: Some(".memory/knowledge/decisions.md".to_owned()),
        anchor: Some("ADR-001".to_owned()),
        content_hash: Some("ab12".to_owned()),
        ..artifact(ArtifactAction::Rendered, super::day(2))
    });
    assert_brief(&story.only(super::day(2)), 2, "0.95", "created");
    for on in [3, 4] {
        story.find(ArtifactAction::Deleted, &id, super::day(on));
    }
    let score = story.only(super::day(4));
    assert_brief(&score, 2, "0.28", "deprecated");
    assert_eq!(score.deprecated_at.as_deref(), Some("2026-03-04T00:00:00Z"));
    assert_eq!(
        (score.artifact_path.as_deref(), score.anchor.as_deref()),
        (Some(".memory/knowledge/decisions.md"), Some("ADR-001"))
    );
}

#[test]
fn e15_decay_is_a_function_of_time_and_not_of_how_often_somebody_asks() {
    let now = at("2026-05-10T12:00:00Z");
    let rows = [
        ("obs_000d00", 0.95, Some("2026-05-10T12:00:00Z"), "0.95", false),
        ("obs_000d29", 0.95, Some("2026-04-10T12:14:24Z"), "0.95", false),
        ("obs_000d30", 0.95, Some("2026-04-10T12:00:00Z"), "0.86", false),
        ("obs_000d60", 0.66, Some("2026-03-11T12:00:00Z"), "0.53", false),
        ("obs_000d95", 0.5, Some("2026-02-04T12:00:00Z"), "0.37", false),
        ("obs_00d125", 0.33, Some("2026-01-05T12:00:00Z"), "0.22", false),
        ("obs_00d155", 0.28, Some("2025-12-06T12:00:00Z"), "0.17", false),
        ("obs_00d185", 0.95, Some("2025-11-06T12:00:00Z"), "0.50", false),
        ("obs_00d999", 0.95, Some("2023-08-15T12:00:00Z"), "0.50", false),
        ("obs_00low1", 0.11, Some("2026-04-09T12:00:00Z"), "0.10", false),
        ("obs_00low2", 0.1, Some("2026-04-09T12:00:00Z"), "0.09", true),
        ("obs_00low3", 0.15, Some("2025-10-22T12:00:00Z"), "0.08", true),
        ("obs_000fut", 0.5, Some("2026-06-19T12:00:00Z"), "0.50", false),
        ("obs_000bad", 0.05, Some("not-a-date"), "0.05", true),
        ("obs_00none", 0.05, None, "0.05", true),
    ];
    let mut story = Story::default();
    for (id, confidence, last_seen, ..) in rows {
        let mut prior = json!({"observations": 1, "confidence": confidence});
        if let Some(last_seen) = last_seen {
            prior["last_seen"] = last_seen.into();
        }
        let sight = taken_over(id, ObservationType::Decision, id, "2026-05-10T12:00:00Z", &prior);
        story.see(Sight { quality_ok: false, ..sight });
    }
    for _ in 0..2 {
        for (id, base, _, confidence, is_faded) in rows {
            let score = story.entry(id, now);
            assert_eq!((format!("{:.2}", score.confidence), score.is_faded), (confidence.to_owned(), is_faded), "{id}");
            assert!((score.base_confidence - base).abs() < 1e-12, "{id}");
        }
    }
}

#[test]
fn e15_an_artifact_decays_and_never_fades() {
    let mut story = Story::default();
    let prior = json!({"observations": 1, "confidence": 0.15, "status": "created", "artifact_path": "a.md#ADR-001"});
    story.see(taken_over("obs_art001", ObservationType::Decision, "one", "2026-01-01T00:00:00Z", &prior));
    let score = story.only(at("2027-01-01T00:00:00Z"));
    assert_brief(&score, 1, "0.08", "created");
    assert!(!score.is_faded);
    assert_eq!((score.artifact_path.as_deref(), score.anchor.as_deref()), (Some("a.md"), Some("ADR-001")));
}

#[test]
fn e25_number_vectors() {
    let settings = ObservationSettings::default();
    for (kind, wanted) in [
        (ObservationType::Workflow, [0.33, 0.66, 0.95, 0.95, 0.95]),
        (ObservationType::Procedural, [0.33, 0.5, 0.75, 0.95, 0.95]),
        (ObservationType::Decision, [0.33, 0.95, 0.95, 0.95, 0.95]),
        (ObservationType::Pitfall, [0.33, 0.95, 0.95, 0.95, 0.95]),
    ] {
        for (sessions, wanted) in (1..).zip(wanted) {
            assert_eq!(confidence(sessions, kind, &settings).to_bits(), f64::to_bits(wanted), "{sessions} of {kind:?}");
        }
    }
    for (base, wanted) in [(0.95, 0.28), (0.9, 0.27), (0.75, 0.22), (0.66, 0.2), (0.5, 0.15), (0.33, 0.1)] {
        assert_eq!(penalised(base, &settings).to_bits(), f64::to_bits(wanted), "{base}");
    }
    for (steps, wanted) in (0..).zip([0.95, 0.86, 0.77, 0.69, 0.63, 0.56, 0.5, 0.5]) {
        let left = |days: i64| Decay::since(0, days * super::DAY, &settings).of(0.95);
        assert_eq!(left(steps * 30).to_bits(), f64::to_bits(wanted), "{steps}");
        assert_eq!(left(steps * 30 + 29).to_bits(), f64::to_bits(wanted), "{steps}");
    }
    let normal = [
        ("Squash-merge, then pull!", "squashmerge then pull"),
        ("  A\tB\nC  ", "a b c"),
        ("foo_bar", "foobar"),
        ("Déjà vu", "déjà vu"),
        ("De\u{301}ja\u{300} vu", "déjà vu"),
        ("a  b", "a b"),
        ("日本語", "日本語"),
        ("की", "की"),
        ("?!", ""),
    ];
    for (text, wanted) in normal {
        assert_eq!(learn::pattern::normalise_pattern(text), wanted);
    }
}

#[test]
fn e29_patterns_of_any_script_stay_apart() {
    let mut story = Story::default();
    let patterns = ["日本語で書く", "Русский текст!!", "другой текст", "हिन्दी की", "हिन्दी का", "!!!", "???", "🙂", "🙁"];
    for pattern in patterns.into_iter().chain(["РУССКИЙ текст", "!!!"]) {
        story.see(Sight { pattern: pattern.to_owned(), ..Sight::default() });
    }
    let scores = story.findings(i64::MAX).scores;
    let told: Vec<(&str, i64)> = scores.iter().map(|score| (&*score.pattern, score.observations)).collect();
    let wanted: Vec<(&str, i64)> =
        patterns.into_iter().map(|pattern| (pattern, if ["Русский текст!!", "!!!"].contains(&pattern) { 2 } else { 1 })).collect();
    assert_eq!(told, wanted);
}

#[test]
fn e29_a_pattern_stays_on_its_line_and_one_that_says_nothing_is_none() {
    let mut story = Story::default();
    story.see(Sight { pattern: "t\n## ADR-777:\u{1b} injected".to_owned(), ..Sight::default() });
    story.see(Sight { pattern: " \n ".to_owned(), ..Sight::default() });
    let findings = story.findings(i64::MAX);
    assert_eq!((findings.scores.len(), findings.blank), (1, 1));
    assert_eq!(findings.scores[0].pattern, "t ## ADR-777: injected");
}
