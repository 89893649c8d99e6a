//! A workspace whose published generation holds observations, as a cycle would publish them.

use event::field::ObservationType;
use learn::observation::{ObservationScore, Status};
use render::render_table;
use setting::OBSERVATION_FILE;
use store::publish::{File, Manifest, stage, swap};
use text::digest::sha256;

use super::Scene;

/// An observation that was seen three times and became nothing yet.
pub fn observation(id: &str, observation_type: &str, pattern: &str) -> ObservationScore {
    ObservationScore {
        id: id.to_owned(),
        project: "default".to_owned(),
        observation_type: ObservationType::from_name(observation_type).expect("a type"),
        pattern: pattern.to_owned(),
        details: String::new(),
        evidence: Vec::new(),
        status: Status::Observing,
        confidence: 0.66,
        base_confidence: 0.66,
        observations: 3,
        first_seen: "2026-05-01T00:00:00Z".to_owned(),
        last_seen: "2026-05-09T00:00:00Z".to_owned(),
        quality_ok: true,
        lacks: None,
        ready_at: None,
        artifact_path: None,
        anchor: None,
        content_hash: None,
        is_edited: false,
        deprecated_at: None,
        sightings_since_deletion: 0,
        stale_reason: None,
        needs_review: false,
        is_blocked: false,
        is_faded: false,
        cites: 0,
        last_cited: None,
        note: None,
    }
}

/// An observation that became an artifact.
pub fn created(id: &str, observation_type: &str, pattern: &str) -> ObservationScore {
    let (path, anchor) = match observation_type {
        "workflow" => (format!(".claude/commands/self-learning/{}.md", slug(pattern)), None),
        "procedural" => (format!(".claude/skills/self-learning-{}/SKILL.md", slug(pattern)), None),
        "decision" => (".memory/knowledge/decisions.md".to_owned(), Some(format!("ADR-{}", &id[4..]))),
        _ => (".memory/knowledge/pitfalls.md".to_owned(), Some(format!("PF-{}", &id[4..]))),
    };
    ObservationScore {
        status: Status::Created,
        confidence: 0.95,
        artifact_path: Some(path),
        anchor,
        ready_at: Some("2026-05-09T00:00:00Z".to_owned()),
        ..observation(id, observation_type, pattern)
    }
}

fn slug(pattern: &str) -> String {
    pattern.to_lowercase().replace(' ', "-")
}

/// Publishes a generation that holds these observations and nothing else.
pub fn publish(scene: &Scene, scores: &[ObservationScore]) {
    let file = File::new(OBSERVATION_FILE, render_table(scores).expect("a table"));
    let hash = sha256(&file.content);
    let manifest = Manifest {
        generation: format!("20261001T000000Z-{}", &hash[..12]),
        as_of: "2026-10-01T00:00:00Z".to_owned(),
        as_of_micros: 1_790_812_800_000_000,
        through: None,
        settings_hash: String::new(),
        program: batch::program().clone(),
        tables: 1,
        queries: std::collections::BTreeMap::new(),
        files: vec![file.listed(hash)],
    };
    swap(&scene.workspace, stage(&scene.workspace, manifest, &[file]).expect("a stage")).expect("a swap");
}
