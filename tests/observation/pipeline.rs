//! From what lands to what is published, with the real program.

use std::fs;

use agent::published::load_observations;
use learn::observation::ObservationScore;
use serde_json::{Value, json};
use setting::Compat;
use store::publish::load_current;

use super::{DAY, START, day, text};
use crate::law::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};
use crate::support::Scene;
use crate::support::published::{put_query, read};

fn sighting(id: &str, kind: &str, pattern: &str, session: &str, time: i64) -> Value {
    json!({"kind": "observation", "id": id, "ts": text(time), "project": "web", "type": kind, "pattern": pattern,
        "evidence": [format!("quoted in {session}")], "details": "context: orders; decision: postgres; rationale: acid",
        "quality_ok": true, "session": session})
}

fn record(scene: &Scene, events: &[Value]) {
    let outcome = scene.run_with(&["record"], &lines(events));
    assert_eq!(outcome.code, 0, "{}", outcome.error);
}

fn published(scene: &Scene) -> Vec<ObservationScore> {
    load_observations(&load_current(&scene.workspace).expect("the link").expect("a generation")).expect("observations")
}

fn told() -> Vec<Value> {
    vec![
        sighting("o1", "decision", "Use Postgres", "s1", day(0)),
        sighting("o2", "decision", "use postgres!", "s2", day(1)),
        sighting("o3", "workflow", "Ship | it", "s1", day(1)),
    ]
}

#[test]
fn what_is_recorded_is_folded_published_reported_and_explained() {
    let scene = Scene::new();
    record(&scene, &told());
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("observations: 2, 1 ready to become artifacts"), "{}", outcome.error);
    let scores = published(&scene);
    let id = &scores[0].id;
    assert_eq!((scores.len(), scores[0].status.name(), scores[0].observations), (2, "ready", 2));
    assert_eq!(scores[0].evidence, ["quoted in s1", "quoted in s2"]);
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    let section = &report["observations"];
    assert_eq!((&section["observations"], &section["ready_count"]), (&2.into(), &1.into()));
    assert_eq!(section["ready"][0]["id"], **id);
    assert_eq!(
        section["by_type"][2],
        json!({"observation_type": "decision", "observing": 0, "ready": 1, "created": 0, "deprecated": 0})
    );
    let page = read(&scene, "report.md");
    assert!(page.contains("## Observations") && page.contains("### Ready to become artifacts"), "{page}");
    let rows = scene.done(&["query", "select id, status from observation_pattern order by status", "--format", "csv"]).out;
    assert!(rows.contains(&format!("{id},ready")), "{rows}");
    assert_eq!(scene.count("select count(*) from role_pattern"), 0);

    let path = "decisions.md";
    record(
        &scene,
        &[
            json!({"kind": "artifact", "id": "a1", "ts": text(day(2)), "project": "web", "action": "rendered", "observation_id": id,
            "type": "decision", "path": path, "anchor": "ADR-001", "content_hash": "ab12"}),
            json!({"kind": "artifact", "id": "a2", "ts": text(day(3)), "project": "web", "action": "deleted", "anchor": "ADR-001"}),
            json!({"kind": "curation", "id": "c1", "ts": text(day(4)), "project": "web", "action": "annotate", "pattern_id": id,
            "actor": "ann", "reason": "nobody wants it"}),
            json!({"kind": "curation", "id": "c2", "ts": text(day(4)), "project": "web", "action": "retire", "pattern_id": "obs_nobody1",
            "actor": "ann"}),
        ],
    );
    scene.done(&["run", "hourly"]);
    let score = published(&scene).remove(0);
    assert_eq!((score.status.name(), score.base_confidence.to_bits()), ("deprecated", f64::to_bits(0.28)));
    assert_eq!(score.note.as_deref(), Some("ann: nobody wants it"));
    let page = read(&scene, "report.md");
    assert!(page.contains("### Deprecated observations") && page.contains("had no effect: the observation is unknown"), "{page}");
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    assert_eq!(report["void_decisions"], json!([]), "decisions about observations are none about patterns");

    let shown = scene.done(&["explain", id]).out;
    for wanted in ["first seen", "seen in another session", "ready: enough sessions", "artifact rendered at decisions.md#ADR-001"] {
        assert!(shown.contains(wanted), "{wanted} in {shown}");
    }
    let told: Value = serde_json::from_str(&scene.done(&["explain", id, "--json"]).out).expect("JSON");
    assert_eq!(told["observation"], serde_json::to_value(&score).expect("JSON"));
    let events: Vec<(&str, bool, f64)> = told["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| {
            (event["event"].as_str().unwrap_or("-"), event["place"].is_string(), event["confidence"].as_f64().expect("a number"))
        })
        .collect();
    let wanted =
        [("o1", true, 0.33), ("o2", true, 0.95), ("-", false, 0.95), ("a1", true, 0.95), ("a2", true, 0.28), ("c1", true, 0.28)];
    assert_eq!(events, wanted);
    assert_eq!(told["changed_since"], json!([]));
    let unknown = scene.run(&["explain", "obs_nobody1"]);
    assert!(unknown.code == 2 && unknown.error.contains("there is no observation"), "{}", unknown.error);
    scene.done(&["run", "verify"]);
}

#[test]
fn a_generation_with_an_impossible_observation_is_refused() {
    let scene = Scene::new();
    record(&scene, &told());
    put_query(
        &scene,
        "audit/observation",
        "-- A stricter one.\n-- Grain: (id); returns no rows.\nselect id from staged_observation where base_confidence > 0.9e0",
    );
    let outcome = scene.run(&["run", "hourly"]);
    assert_eq!(outcome.code, 1, "{}", outcome.error);
    assert!(outcome.error.contains("sql/audit/observation.sql"), "{}", outcome.error);
}

#[test]
fn settings_of_observations_are_part_of_the_figures_and_checked() {
    let scene = Scene::new();
    record(&scene, &told());
    let hash = || -> String {
        let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
        report["settings_hash"].as_str().expect("a hash").to_owned()
    };
    scene.done(&["run", "hourly"]);
    let before = hash();
    fs::write(
        scene.workspace.settings(),
        "[observation.decision]\nrequired = 5\nspread_days = 0.0\nconfidence = 0.65\nfresh = 2\n",
    )
    .expect("settings");
    scene.done(&["run", "hourly"]);
    assert_ne!(hash(), before);
    let score = published(&scene).remove(0);
    assert_eq!((score.status.name(), score.base_confidence.to_bits()), ("observing", f64::to_bits(0.4)));
    for (wrong, name) in [
        ("[observation]\ndeleted = 1.5\n", "observation.deleted"),
        ("[observation]\ndecay = []\n", "observation.decay"),
        ("[observation]\ndecay = [0.5, 0.9]\n", "observation.decay"),
        ("[observation]\ndecay_days = 0\n", "observation.decay_days"),
        ("[observation]\nmost_evidence = 1\n", "observation.most_evidence"),
        ("[observation]\nlonger_pattern = 0.5\n", "observation.longer_pattern"),
        ("[observation]\nfirst_confidence = 0.99\n", "observation.first_confidence"),
        ("[observation.pitfall]\nrequired = 0\nspread_days = 0.0\nconfidence = 0.65\nfresh = 2\n", "observation.pitfall.required"),
        (
            "[observation.pitfall]\nrequired = 2\nspread_days = -1.0\nconfidence = 0.65\nfresh = 2\n",
            "observation.pitfall.spread_days",
        ),
        ("[observation.pitfall]\nrequired = 2\n", "`spread_days` is missing in `observation.pitfall`"),
    ] {
        fs::write(scene.workspace.settings(), wrong).expect("settings");
        let outcome = scene.run(&["run", "hourly"]);
        assert!(outcome.code == 2 && outcome.error.contains(name), "{wrong}: {}", outcome.error);
    }
}

/// Events in which sightings, artifacts and decisions meet.
fn made_up(seed: u64, count: usize) -> Vec<Value> {
    let mut random = fastrand::Rng::with_seed(seed);
    let patterns = ["Use Postgres", "use postgres.", "Ship it", "Never amend", "日本語", "Русский"];
    let kinds = ["workflow", "procedural", "decision", "pitfall"];
    let ids = ["obs_aaaaaa", "obs_bbbbbb", "obs_cccccc"];
    let actions = ["rendered", "adopted", "edited", "deleted", "stale", "fresh", "blocked", "cited", "used"];
    let decisions = ["promote", "retire", "reject", "restore", "clear", "annotate"];
    let mut made = Vec::with_capacity(count);
    for number in 0..count {
        let time = START + random.i64(0..60 * 24) * (DAY / 24);
        let pick = |random: &mut fastrand::Rng, from: &[&str]| from[random.usize(..from.len())].to_owned();
        let mut event = match random.u32(..10) {
            0..6 => {
                let session = format!("s{}", random.u32(..5));
                let (kind, pattern) = (pick(&mut random, &kinds), pick(&mut random, &patterns));
                let mut event = sighting("", &kind, &pattern, &session, time);
                event["quality_ok"] = random.bool().into();
                if random.u32(..3) == 0 {
                    event["observation_id"] = pick(&mut random, &ids).into();
                }
                event
            }
            6..9 => json!({"kind": "artifact", "action": pick(&mut random, &actions), "observation_id": pick(&mut random, &ids)}),
            _ if random.u32(..8) == 0 => json!({"kind": "curation", "action": "clear", "pattern_id": "obs:all", "actor": "ann"}),
            _ => {
                json!({"kind": "curation", "action": pick(&mut random, &decisions), "pattern_id": pick(&mut random, &ids), "actor": "ann"})
            }
        };
        event["id"] = format!("e{number}").into();
        event["ts"] = text(time).into();
        event["project"] = ["web", "api"][random.usize(..2)].into();
        made.push(event);
    }
    made
}

#[test]
fn however_often_the_cycle_runs_and_whatever_lands_twice_the_bytes_are_the_same() {
    for seed in [1, 2] {
        let events = made_up(seed, 120);
        let once = Lab::of(Compat::None, &events);
        let often = Lab::new(Compat::None);
        for (number, piece) in events.chunks(30).enumerate() {
            often.land(INBOX, &lines(piece));
            often.compact(LARGE);
            often.cycle(as_of(day(20 * i64::try_from(number).expect("few"))));
        }
        often.land("again.jsonl", &lines(&events));
        often.compact(2048);
        often.rewrite();
        for on in [60, 25] {
            let wanted = once.publish(as_of(day(on)));
            assert!(wanted.contains_key("observations.parquet"));
            assert_same(&wanted, &often.publish(as_of(day(on))), &format!("seed {seed}, day {on}"));
        }
    }
}
