//! Artifacts: what observations become, what people do to it, and what is noticed.

mod author;
mod capacity;
mod cite;
mod command;
mod crash;
mod document;
mod duplicate;
mod golden;
mod heal;
mod hostile;
mod index;
mod keep;
mod refresh;
mod rendered;
mod retire;
mod stale;
mod step;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use agent::artifact;
use agent::artifact::{Report, Said, Task};
use event::field::ObservationType;
use event::redact::redact;
use event::{Latest, Parser};
use jiff::Timestamp;
use learn::observation::{ObservationScore, Status};
use serde_json::Value;
use setting::ArtifactSettings;
use tempfile::TempDir;

/// The instant that most tests happen at.
pub const NOON: &str = "2026-05-10T12:00:00Z";

/// A project's folder that goes away with the test, and what landed about it.
pub struct Lab {
    folder: TempDir,
    pub settings: ArtifactSettings,
    pub landed: Vec<Value>,
}

impl Lab {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("project")).expect("a folder");
        Self { folder, settings: ArtifactSettings::default(), landed: Vec::new() }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    pub fn render(&mut self, rows: &[ObservationScore], now: &str) -> Report {
        self.act(now, false, |task, land| artifact::render(task, rows, land)).expect("it renders")
    }

    pub fn reconcile(&mut self, rows: &[ObservationScore], now: &str) -> Report {
        self.act(now, false, |task, land| artifact::reconcile(task, rows, land)).expect("it reconciles")
    }

    pub fn cite(&mut self, text: &str, session: Option<&str>, now: &str) -> Said {
        self.act(now, false, |task, land| artifact::cite(task, text, session, land)).expect("it reads the text")
    }

    /// Does something in the folder. Whatever lands must be what the door takes.
    pub fn act<T>(
        &mut self,
        now: &str,
        is_dry: bool,
        act: impl FnOnce(Task<'_>, artifact::Land<'_>) -> Result<T, ::text::diagnostic::Diagnostic>,
    ) -> Result<T, ::text::diagnostic::Diagnostic> {
        let (root, memory) = (self.root(), self.folder.path().join("memory"));
        let now: Timestamp = now.parse().expect("a time");
        let task = Task { root: &root, memory: &memory, project: "shop", now, settings: &self.settings, is_dry };
        let mut parser = Parser::new(Latest::from_clock(now.as_microsecond()));
        let landed = &mut self.landed;
        act(task, &mut |lines| {
            for line in lines {
                let redaction = redact(line);
                assert_eq!(redaction.count, 0, "{line}");
                parser.parse(&redaction.text).unwrap_or_else(|fault| panic!("{fault}: {line}"));
                landed.push(serde_json::from_str(line).expect("JSON"));
            }
            Ok(())
        })
    }

    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
    }

    pub fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub fn remove(&self, relative: &str) {
        fs::remove_file(self.path(relative)).expect("the file goes");
    }

    /// What landed since the last time this was asked: `action observation place`.
    pub fn news(&mut self) -> Vec<String> {
        let text = |event: &Value, name: &str| event[name].as_str().unwrap_or("-").to_owned();
        let news = self.landed.drain(..).map(|event| {
            let place = event["anchor"].as_str().or_else(|| event["path"].as_str()).unwrap_or("-").to_owned();
            format!("{} {} {place}", text(&event, "action"), text(&event, "observation_id"))
        });
        news.collect()
    }

    /// All files of the project, by name.
    pub fn files(&self) -> Vec<String> {
        list(&self.root(), &self.root())
    }

    pub fn manifest(&self) -> Value {
        serde_json::from_str(&self.read(".memory/.learning-manifest.json")).expect("a manifest")
    }
}

pub fn list(folder: &Path, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(list(&path, root));
        } else {
            found.push(path.strip_prefix(root).expect("below").to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}

/// An observation that is ready.
pub fn row(id: &str, observation_type: &str, pattern: &str, details: &str) -> ObservationScore {
    ObservationScore {
        id: id.to_owned(),
        project: "shop".to_owned(),
        observation_type: ObservationType::from_name(observation_type).expect("a type"),
        pattern: pattern.to_owned(),
        details: details.to_owned(),
        evidence: Vec::new(),
        status: Status::Ready,
        confidence: 0.95,
        base_confidence: 0.95,
        observations: 2,
        first_seen: "2026-05-01T00:00:00Z".to_owned(),
        last_seen: "2026-05-10T00:00:00Z".to_owned(),
        quality_ok: true,
        lacks: None,
        ready_at: Some("2026-05-10T00:00:00Z".to_owned()),
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

/// The same observations in another project.
pub fn in_project(mut rows: Vec<ObservationScore>, project: &str) -> Vec<ObservationScore> {
    for row in &mut rows {
        project.clone_into(&mut row.project);
    }
    rows
}

/// The observations of the worked example: one of each type, one of low quality, one that is only being observed.
pub fn example() -> Vec<ObservationScore> {
    let quote = |text: &str| text.to_owned();
    let workflow = ObservationScore {
        observations: 3,
        evidence: vec![quote("lint then test then push"), quote("same again: lint, test, push")],
        ..row("obs_wf0001", "workflow", "Run \"lint\", then tests & push", "1. npm run lint\n2. npm test\n3. git push")
    };
    let procedural = ObservationScore {
        observations: 4,
        evidence: vec![quote("when debugging hooks check the lock")],
        ..row("obs_pr0001", "procedural", "debugging hook failures", "Check the lock dir first, then tail the log.")
    };
    let decision = row(
        "obs_de0001",
        "decision",
        "Result types over exceptions",
        "context: fallible ops everywhere ; decision: return Result; rationale: throw breaks composition; extra tail",
    );
    let pitfall = row(
        "obs_pf0001",
        "pitfall",
        "Do not amend pushed commits",
        "area: git commits; issue: amending pushed commits; impact: force push; resolution: make a new commit",
    );
    let low = ObservationScore { quality_ok: false, ..row("obs_qq0001", "decision", "low quality", "") };
    let observing = ObservationScore { status: Status::Observing, ..row("obs_ob0001", "workflow", "not ready", "") };
    vec![workflow, procedural, decision, pitfall, low, observing]
}

/// What the cycle makes of rows once events about them landed.
pub fn folded(rows: &[ObservationScore], events: &[Value]) -> Vec<ObservationScore> {
    let mut rows = rows.to_vec();
    for event in events {
        let text = |name: &str| event[name].as_str().map(str::to_owned);
        let Some(row) = rows.iter_mut().find(|row| Some(&row.id) == text("observation_id").as_ref()) else { continue };
        match event["action"].as_str() {
            Some("rendered" | "adopted") => {
                row.status = Status::Created;
                (row.artifact_path, row.anchor, row.content_hash) = (text("path"), text("anchor"), text("content_hash"));
            }
            Some("edited") => (row.is_edited, row.content_hash) = (true, text("content_hash")),
            Some("deleted") => {
                row.status = Status::Deprecated;
                row.deprecated_at = text("ts");
            }
            Some("stale") => row.stale_reason = text("reason"),
            Some("fresh") => row.stale_reason = None,
            Some("blocked") => row.is_blocked = true,
            _ => {}
        }
    }
    rows
}
