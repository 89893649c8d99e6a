//! Gates, tasks, consensus and decisions: what a person or a pipeline types, sees and gets back.

mod consensus;
mod decision;
mod explain;
mod gate;
mod hostile;
mod late;
mod optimize;
mod overlay;
mod project;
mod refused;
mod run;
mod service;
mod unreported;

use std::fs;
use std::os::unix::fs::symlink;

use learn::policy::{FailurePattern, Grounds, Overlay, Reliability, Tally, build_overlay, failure_id, iso};
use render::policy::{AgentEntry, PolicyDocument, Rules, ThresholdEntry};
use serde_json::Value;
use setting::{AgentSettings, OverlaySettings};
use store::publish::{Manifest, ManifestFile};
use text::digest::sha256;

use crate::support::Scene;

/// When the adapters of these tests were last used: 2026-10-01T00:00:00Z.
const USED_MICROS: i64 = 1_790_812_800_000_000;

/// An adapter's rules, as they follow from its score and from how often each of its failures was seen.
fn overlay(adapter: &str, score: f64, failures: &[(&str, i64)]) -> Overlay {
    let reliability = scored(adapter, score, USED_MICROS);
    let failures: Vec<FailurePattern> = failures
        .iter()
        .map(|&(kind, occurrences)| FailurePattern {
            id: failure_id(adapter, kind),
            adapter: adapter.to_owned(),
            failure_type: kind.to_owned(),
            occurrences,
            since_clear: occurrences,
            successes_since: 0,
            last_micros: USED_MICROS,
        })
        .collect();
    let failures: Vec<&FailurePattern> = failures.iter().collect();
    let grounds = Grounds {
        adapter,
        reliability: Some(&reliability),
        missing: learn::policy::Missing::default(),
        failures: &failures,
        lowest: None,
        annotations: &[],
    };
    build_overlay(grounds, &OverlaySettings::default())
}

/// Policies with these overlays, and with agents and thresholds as they start.
fn document(overlays: Vec<Overlay>) -> PolicyDocument {
    let agents = AgentSettings::default().profiles.into_iter().map(|profile| AgentEntry {
        agent: profile.agent,
        base_weight: profile.weight,
        reliability: profile.reliability,
        can_veto: !profile.vetoes.is_empty(),
        total_runs: 0,
        successes: 0,
        failures: 0,
        last_updated_at: iso(0),
        vetoes: profile.vetoes,
    });
    let whole = Rules { thresholds: thresholds([0.55, 0.65, 0.75]), agents: agents.collect(), overlays };
    PolicyDocument { as_of_micros: USED_MICROS, through: None, project: None, whole, projects: std::collections::BTreeMap::new() }
}

/// A generation of that name with these files, for readers to read. All else that a generation holds is of no matter here.
fn publish(scene: &Scene, name: &str, files: &[(&str, &str)]) {
    let folder = scene.workspace.published().join(name);
    fs::create_dir_all(&folder).expect("a folder");
    let listed = files.iter().map(|(name, content)| {
        fs::write(folder.join(name), content).expect("a file");
        ManifestFile { name: (*name).to_owned(), bytes: content.len() as u64, sha256: sha256(content.as_bytes()) }
    });
    let manifest = Manifest {
        generation: name.to_owned(),
        as_of: iso(USED_MICROS),
        as_of_micros: USED_MICROS,
        through: None,
        settings_hash: String::new(),
        program: batch::program().clone(),
        tables: 1,
        queries: std::collections::BTreeMap::new(),
        files: listed.collect(),
    };
    fs::write(folder.join("manifest.json"), serde_json::to_string(&manifest).expect("JSON")).expect("a manifest");
    let _ = fs::remove_file(scene.workspace.current());
    symlink(name, scene.workspace.current()).expect("a link");
}

/// A workspace that publishes these overlays.
fn governed(overlays: Vec<Overlay>) -> Scene {
    let scene = Scene::new();
    publish_document(&scene, &document(overlays));
    scene
}

fn publish_document(scene: &Scene, document: &PolicyDocument) {
    publish(scene, "one", &[("policy.json", &serde_json::to_string_pretty(document).expect("JSON"))]);
}

/// The thresholds of low, medium and high risk.
fn thresholds([low, medium, high]: [f64; 3]) -> ThresholdEntry {
    ThresholdEntry { low, medium, high, last_updated_at: iso(USED_MICROS) }
}

/// The events that landed, in the order of landing.
fn landed(scene: &Scene) -> Vec<Value> {
    let mut files: Vec<_> =
        fs::read_dir(scene.workspace.inbox()).expect("the inbox").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let text: String = files.iter().map(|path| fs::read_to_string(path).expect("text")).collect();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Whoever asks inside of an agent's turn must not wait for the engine: without it, everything but an explanation is there.
#[test]
fn only_explanations_need_the_engine() {
    let scene = governed(vec![overlay("github", 0.95, &[])]);
    let program = scene.root().join("outerloop");
    // Another process copies it: one that is open for writing here could not be started while other tests start theirs.
    let copied = std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_outerloop")).arg(&program).status();
    assert!(copied.expect("cp starts").success(), "a copy without its companion");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.arg("--root").arg(scene.root()).args(arguments).env_remove("OUTERLOOP_ROOT").stdin(std::process::Stdio::null());
        let output = command.output().expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for arguments in [
        &["gate", "github", "--record", "r1"][..],
        &["policy"],
        &["policy", "show", "github"],
        &["policy", "history"],
        &["policy", "check", "--as-of", "2026-10-02"],
        &["policy", "clear", "github", "--reason", "r"],
    ] {
        let (code, error) = run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {error}");
    }
    let (code, error) = run(&["policy", "explain", "github"]);
    assert!(code == Some(2) && error.contains("outerloop-engine"), "{error}");
}

/// An adapter of that score, after enough runs to be trusted.
fn scored(adapter: &str, score: f64, last_micros: i64) -> Reliability {
    let tally = Tally { runs: 100, ..Tally::default() };
    Reliability {
        adapter: adapter.to_owned(),
        tally,
        score,
        last_micros,
        missing: learn::policy::Missing::default(),
        lowest: score,
        highest: score,
    }
}
