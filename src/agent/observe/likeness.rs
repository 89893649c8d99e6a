//! The same in other words by vectors, where a command makes them: a sighting that is very like an earlier one takes over its meaning, so
//! that the fold sees one observation. What was found out is part of the event, and recomputing asks nobody.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::queue::read;
use super::run::Seen;
use super::sighting::normal_form;
use crate::embed::{self, Text, embed_all};
use event::field::ObservationType;
use learn::observation::may_mean_the_same;
use setting::Settings;
use store::command::Task;
use store::durable;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;

/// The file that remembers what was compared, in the folder of observing. Should it be lost, later rewordings of it stand by themselves.
const FILE: &str = "vectors.jsonl";

/// What was first said of something: later words for the same are compared with it, and not with each other, so that nothing drifts.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct First {
    project: String,
    #[serde(rename = "type")]
    kind: String,
    model: String,
    text_hash: String,
    meaning: Vec<String>,
    vector: Vec<f64>,
}

/// Gives sightings the meaning of earlier ones that they are very like. Failures of the command leave them as they are, with a warning.
pub(super) fn align<K>(task: &Task<'_, K>, seen: &mut [Seen]) -> Outcome<Vec<String>> {
    let settings = task.settings;
    let Settings { embed, observe, .. } = settings;
    if embed.command.is_empty() || seen.iter().all(|seen| seen.sighting.meaning.is_empty()) {
        return Ok(Vec::new());
    }
    let mut known = Known::load(task.workspace)?;
    let (vectors, warnings) = known.vectors_of(task, seen)?;
    for Seen { project, sighting, .. } in seen.iter_mut().filter(|seen| !seen.sighting.meaning.is_empty()) {
        let hash = hash_of(&sighting.pattern);
        let Some(vector) = vectors.get(&(project.clone(), hash.clone())) else { continue };
        let first = First {
            project: project.clone(),
            kind: sighting.kind.get().to_owned(),
            model: embed.model.clone(),
            text_hash: hash,
            meaning: sighting.meaning.clone(),
            vector: vector.clone(),
        };
        match known.find(&first, sighting.kind, f64::from(observe.alike_percent) / 100.0) {
            Some(meaning) => sighting.meaning = meaning,
            None => known.add(first),
        }
    }
    known.save(task.workspace)?;
    Ok(warnings)
}

/// Vectors by project and text.
type Vectors = HashMap<(String, String), Vec<f64>>;

struct Known {
    firsts: Vec<First>,
    /// How many of them stand in the file.
    saved: usize,
}

impl Known {
    fn load(workspace: &Workspace) -> Outcome<Self> {
        let path = path_in(workspace);
        let text = read(&path).map_err(|error| Diagnostic::io("cannot read the vectors of observations", &path, &error))?;
        let firsts: Vec<First> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { saved: firsts.len(), firsts })
    }

    /// The vectors of what was seen. Those that nobody knows are asked for, and land as events before what was seen does.
    fn vectors_of<K>(&self, task: &Task<'_, K>, seen: &[Seen]) -> Outcome<(Vectors, Vec<String>)> {
        let embed = &task.settings.embed;
        let known = self.firsts.iter().filter(|first| first.model == embed.model);
        let mut vectors: Vectors =
            known.map(|first| ((first.project.clone(), first.text_hash.clone()), first.vector.clone())).collect();
        let mut texts: Vec<Text> = Vec::new();
        for Seen { project, sighting, .. } in seen.iter().filter(|seen| !seen.sighting.meaning.is_empty()) {
            let text = Text { project: project.clone(), text_hash: hash_of(&sighting.pattern), text: sighting.pattern.clone() };
            if !vectors.contains_key(&(text.project.clone(), text.text_hash.clone())) && !texts.contains(&text) {
                texts.push(text);
            }
        }
        if texts.is_empty() {
            return Ok((vectors, Vec::new()));
        }
        let asked = embed::Task { workspace: task.workspace, settings: embed, deadline: task.deadline, now: task.now };
        let mut answers = Vec::new();
        let mut land = |lines: Vec<String>| {
            let mut recorder = Recorder::with_rules(task.workspace, task.settings.run);
            for line in &lines {
                // A vector that the door refuses is compared all the same: the event would only spare asking again.
                let _ = recorder.take_line(line);
            }
            answers.extend(lines);
            recorder.land()
        };
        let embedded = embed_all(&asked, &texts, &mut land, &mut |_, _| {})?;
        for answer in answers.iter().filter_map(|line| serde_json::from_str::<Answer>(line).ok()) {
            vectors.insert((answer.project, answer.text_hash), answer.vector);
        }
        Ok((vectors, embedded.warnings))
    }

    /// The meaning of the first words that are very like some; never of words that forbid what these ask for, or that name other things.
    fn find(&self, of: &First, kind: ObservationType, least: f64) -> Option<Vec<String>> {
        let is_candidate = |first: &&First| {
            first.project == of.project
                && first.kind == of.kind
                && first.model == of.model
                && may_mean_the_same(kind, &first.meaning, &of.meaning)
        };
        let alike = self.firsts.iter().filter(is_candidate).filter_map(|first| Some((cosine(&first.vector, &of.vector)?, first)));
        let best = alike.filter(|(like, _)| *like >= least).max_by(|(one, _), (other, _)| one.total_cmp(other));
        best.map(|(_, first)| first.meaning.clone())
    }

    fn add(&mut self, first: First) {
        self.firsts.push(first);
    }

    fn save(&self, workspace: &Workspace) -> Outcome<()> {
        if self.saved == self.firsts.len() {
            return Ok(());
        }
        durable::create_folder(&workspace.observing())?;
        let path = path_in(workspace);
        let failed = |error: io::Error| Diagnostic::io("cannot write the vectors of observations", &path, &error);
        let lines = self.firsts[self.saved..].iter().filter_map(|first| serde_json::to_string(first).ok());
        let text: String = lines.map(|line| line + "\n").collect();
        let (mut file, _) = durable::open_for_append(&path).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        durable::sync_file(&file, &path)
    }
}

/// What is read of an event of a vector.
#[derive(Deserialize)]
struct Answer {
    project: String,
    text_hash: String,
    vector: Vec<f64>,
}

fn path_in(workspace: &Workspace) -> PathBuf {
    workspace.observing().join(FILE)
}

fn hash_of(pattern: &str) -> String {
    sha256(normal_form(pattern).as_bytes())
}

/// How much two vectors point the same way, from -1 to 1; none of vectors of different lengths.
fn cosine(one: &[f64], other: &[f64]) -> Option<f64> {
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    let size = (product(one, one) * product(other, other)).sqrt();
    (one.len() == other.len() && size > 0.0).then(|| product(one, other) / size)
}
