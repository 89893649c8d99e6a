//! The files of policies, and the history of how they changed.

use std::fs::File as Handle;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::inquiry::Inquiry;
use super::policy::compute_policies;
use super::{Aim, CycleOptions};
use learn::policy::{Division, Policies};
use render::policy::{
    PolicyDiff, PolicyDocument, compare_policies, list_changes, make_document, policy_metrics, render_graph, render_overlays,
    render_store,
};
use render::render_metrics;
use setting::{DIFF_FILE, POLICY_FILE, POLICY_METRICS_FILE, Settings};
use store::durable;
use store::publish::{File, Generation, find_current};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;

/// A longer name of a project is cut in names of files.
const MOST_NAME_BYTES: usize = 80;

/// How much of the history's end is looked at for what it holds already.
const TAIL_BYTES: u64 = 8 << 20;

/// The files that a generation publishes about policies: each follows from the log, the settings and the instant alone.
///
/// The original's files know no projects. Where projects have rules of their own, each has such files too; those without a name are of
/// all runs.
pub(super) fn policy_files(policies: &Policies, as_of_micros: i64, settings: &Settings) -> Outcome<Vec<File>> {
    let whole = &policies.whole;
    let graph: Vec<_> = policies.parts().into_iter().flat_map(|(_, policy)| policy.graph.iter().cloned()).collect();
    let mut files = vec![
        File::new(POLICY_FILE, pretty(&make_document(policies, as_of_micros))?),
        File::new("overlays.json", render_overlays(&whole.overlays)?.into_bytes()),
        File::new("learning-store.json", render_store(whole, settings)?.into_bytes()),
        File::new("graph-events.jsonl", render_graph(&graph)?),
        File::new(POLICY_METRICS_FILE, render_metrics(&policy_metrics(policies, as_of_micros, &settings.overlay)).into_bytes()),
    ];
    if let Division::Apart(projects) = &policies.division {
        for (project, policy) in projects {
            let name = file_name(project);
            files.push(File::new(format!("overlays.{name}.json"), render_overlays(&policy.overlays)?.into_bytes()));
            files.push(File::new(format!("learning-store.{name}.json"), render_store(policy, settings)?.into_bytes()));
        }
    }
    Ok(files)
}

/// A project's name as a part of a file's. One that is no plain word is told from others by its hash.
fn file_name(project: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if project.len() <= MOST_NAME_BYTES && !project.is_empty() && project.chars().all(is_plain) {
        return project.to_owned();
    }
    let plain: String = project.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).take(40).collect();
    // No plain name holds a full stop, so none is taken for this one.
    format!("{plain}.{}", &sha256(project.as_bytes())[..12])
}

/// What a cycle that computes nothing but policies published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyCycle {
    /// How many runs ended.
    pub runs: i64,
    /// How many adapters have rules for their next run.
    pub adapters: usize,
    /// For how many of them a person must approve.
    pub approvals: usize,
}

/// Computes policies alone and publishes them beside the generation, whose other files stay as they are. Readers take whichever is of
/// the later instant. Only the run that holds the lock may.
pub fn run_policy_cycle(workspace: &Workspace, options: CycleOptions<'_>) -> Outcome<PolicyCycle> {
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::Policy)?;
    let policies = compute_policies(&inquiry)?;
    let as_of_micros = options.horizon.as_of_micros;
    durable::create_folder(&workspace.published())?;
    let metrics = render_metrics(&policy_metrics(&policies, as_of_micros, &options.settings.overlay));
    durable::replace(&workspace.latest_policy_metrics(), metrics.as_bytes())?;
    let document = PolicyDocument { through: options.horizon.through, ..make_document(&policies, as_of_micros) };
    durable::replace(&workspace.latest_policy(), &pretty(&document)?)?;
    let (adapters, approvals) = policies.count_rules();
    Ok(PolicyCycle { runs: policies.whole.totals.runs(), adapters, approvals })
}

/// How policies differ from those of the generation that readers read.
pub(super) fn diff_policy(workspace: &Workspace, generation: &str, as_of_micros: i64, policies: &Policies) -> Outcome<PolicyDiff> {
    // What holds for a later instant is not what came before.
    let is_earlier = |before: &Generation| before.manifest.as_of_micros <= as_of_micros && before.manifest.generation != generation;
    let before = find_current(workspace)?.filter(is_earlier);
    // Of policies that cannot be read nobody can say how they differ; that must not keep these from being published.
    let known: Option<(PolicyDocument, String)> =
        before.and_then(|before| Some((before.parse_json(POLICY_FILE).ok()?, before.manifest.generation)));
    let (document, since) = known.unzip();
    Ok(compare_policies(since, document.as_ref(), &make_document(policies, as_of_micros)))
}

pub(super) fn diff_file(diff: &PolicyDiff) -> Outcome<File> {
    Ok(File::new(DIFF_FILE, pretty(diff)?))
}

/// Adds what a generation changed to the history of policies, unless it is there: a run that was killed in between is made good
/// by the next one.
pub(super) fn record_changes(workspace: &Workspace, generation: &Generation) -> Outcome<()> {
    let Ok(diff) = generation.parse_json::<PolicyDiff>(DIFF_FILE) else { return Ok(()) };
    let manifest = &generation.manifest;
    let mut lines = Vec::new();
    for change in list_changes(&diff, &manifest.generation, &manifest.as_of) {
        lines
            .push(serde_json::to_string(&change).map_err(|error| Diagnostic::bug(format!("a change cannot be written: {error}")))?);
    }
    if lines.is_empty() {
        return Ok(());
    }
    durable::create_folder(&workspace.history())?;
    append_missing(&workspace.policy_history(), &lines)
}

fn append_missing(path: &Path, lines: &[String]) -> Outcome<()> {
    let failed = |error: io::Error| Diagnostic::io("cannot write the history of policies", path, &error);
    let (mut file, _) = durable::open_for_append(path).map_err(failed)?;
    let tail = read_tail(&file).map_err(failed)?;
    let known: std::collections::BTreeSet<&str> = tail.lines().collect();
    let mut text = String::new();
    if !tail.is_empty() && !tail.ends_with('\n') {
        text.push('\n');
    }
    for line in lines.iter().filter(|line| !known.contains(line.as_str())) {
        text.push_str(line);
        text.push('\n');
    }
    file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)
}

fn read_tail(file: &Handle) -> io::Result<String> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(TAIL_BYTES);
    let mut bytes = vec![0; usize::try_from(length - from).unwrap_or_default()];
    file.read_exact_at(&mut bytes, from)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn pretty(content: &impl serde::Serialize) -> Outcome<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(content)
        .map_err(|error| Diagnostic::bug(format!("a file of policies cannot be written: {error}")))?;
    text.push(b'\n');
    Ok(text)
}
