//! Whether the published generation still stands: what it was made from is unchanged, so a cycle would find the same.
//!
//! Beside the generations lies a note of what the last one was made from. It is only a hint: where it is missing, damaged or of
//! another generation, the cycle runs. What the passing of time alone changes (decay, windows of days) is brought up to date once
//! a day; what a gate depends on is not left waiting for that.

use std::fs;

use serde::{Deserialize, Serialize};

use super::CycleOptions;
use super::inquiry::Inquiry;
use super::policy_file::record_changes;
use super::write::hash_settings;
use crate::{Arguments, load_graph};
use setting::Settings;
use store::durable;
use store::lake;
use store::publish::{Generation, check_current, clear_leftovers, copy_to_targets, load_current};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::time::DAY_MICROS;

/// A generation that a cycle left as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    pub generation: Generation,
    pub copies: usize,
    /// Copies that could not be written.
    pub problems: Vec<Diagnostic>,
}

/// What the current generation was made from.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    generation: String,
    /// The SHA-256 of what a cycle reads: names and sizes of files, settings, queries, program.
    inputs: String,
    /// Until when nothing but decay within a day can change it.
    until_micros: i64,
}

/// The generation, if the next cycle would find what it says. Copies of it that somebody removed or changed are written again.
pub fn find_standing(workspace: &Workspace, options: CycleOptions<'_>) -> Outcome<Option<Standing>> {
    let Some(note) = fs::read(workspace.standing()).ok().and_then(|bytes| serde_json::from_slice::<Note>(&bytes).ok()) else {
        return Ok(None);
    };
    let now = options.horizon.as_of_micros;
    let Ok(Some(generation)) = load_current(workspace) else { return Ok(None) };
    let is_its_time = generation.manifest.as_of_micros <= now && now < note.until_micros;
    if note.generation != generation.manifest.generation || !is_its_time || note.inputs != hash_inputs(workspace, options)? {
        return Ok(None);
    }
    // A file that is damaged is published anew.
    if check_current(workspace).is_err() {
        return Ok(None);
    }
    // What a killed run left half done is made good here as by a cycle.
    clear_leftovers(workspace)?;
    record_changes(workspace, &generation)?;
    let (copies, problems) = copy_to_targets(workspace, &generation, &options.settings.publish.targets);
    Ok(Some(Standing { generation, copies, problems }))
}

/// Notes what a generation was made from. `inputs` were hashed before it was computed.
pub(super) fn note_standing(workspace: &Workspace, generation: &Generation, inputs: String, until_micros: i64) -> Outcome<()> {
    let note = Note { generation: generation.manifest.generation.clone(), inputs, until_micros };
    let text =
        serde_json::to_vec(&note).map_err(|error| Diagnostic::bug(format!("the note cannot be written as JSON: {error}")))?;
    durable::replace(&workspace.standing(), &text)
}

/// The SHA-256 of everything that a cycle reads, by names and sizes where files are never changed in place.
pub(super) fn hash_inputs(workspace: &Workspace, options: CycleOptions<'_>) -> Outcome<String> {
    let mut parts = vec![
        format!("{:?}", options.horizon.through),
        options.program.to_string(),
        format!("{:?}", load_graph(workspace)?.hashes()),
        hash_settings(options.settings)?,
    ];
    let past = workspace.past().join("past.json");
    parts.extend([workspace.settings(), past].map(|small| sha256(&fs::read(small).unwrap_or_default())));
    let partitions = lake::list_partitions(workspace)?;
    let files = partitions.into_iter().flat_map(|found| found.files).chain(lake::list_quarantine(workspace)?);
    parts.extend(files.map(|file| {
        let bytes = fs::symlink_metadata(&file).map_or(0, |metadata| metadata.len());
        format!("{} {bytes}", file.display())
    }));
    Ok(sha256(parts.join("\n").as_bytes()))
}

/// Until when a generation stands if nothing new lands.
pub(super) fn stands_until(inquiry: &Inquiry<'_>) -> Outcome<i64> {
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
    let now = horizon.as_of_micros;
    // Events that are dated ahead come into sight at any moment, and so do runs that a gate waits for.
    if inquiry.reaches_beyond(now)? || waits_for_runs(inquiry, settings, now)? {
        return Ok(now);
    }
    let midnight = (now.div_euclid(DAY_MICROS) + 1).saturating_mul(DAY_MICROS);
    let expiries = inquiry.curations()?.expiries().filter(|expiry| *expiry > now).min();
    Ok(expiries.map_or(midnight, |expiry| expiry.min(midnight)))
}

/// Whether a gate let a run through that still has time to report.
fn waits_for_runs(inquiry: &Inquiry<'_>, settings: &Settings, now: i64) -> Outcome<bool> {
    let unreported = |until: i64| inquiry.run("policy_unreported", &Arguments::values([("settled_us", until.into())]));
    Ok(unreported(now)?.batches != unreported(super::policy::settled_micros(settings, now))?.batches)
}
