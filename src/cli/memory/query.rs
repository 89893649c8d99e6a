//! Role patterns that fit a task, and those that have decayed.

use clap::Args as ClapArgs;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::pipeline::PipelineArgs;
use super::super::pipeline::{Answer, answer, project_of};
use super::super::printer::Printer;
use super::super::report::find_generation;
use super::super::require;
use super::super::table::tabulate;
use crate::args::{InstantArgs, ProjectArgs, TaskArgs};
use agent::hook::{Request, recall};
use agent::published::load_role_scores;
use learn::recall::{Candidate, Entry};
use learn::role::{RoleScore, Stage};
use render::plain_text;
use render::prompt::{prompt_text, track_record};
use setting::Settings;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
pub(super) struct QueryArgs {
    /// The role
    #[arg(long, value_name = "ROLE")]
    role: String,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    task: TaskArgs,
    /// Maximum number of patterns
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    limit: usize,
    /// Only verified or active patterns
    #[arg(long)]
    governed: bool,
    #[command(flatten)]
    instant: InstantArgs,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

#[derive(Debug, ClapArgs)]
pub(super) struct DecayArgs {
    /// Only this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    #[command(flatten)]
    instant: InstantArgs,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

/// How much of a saying a table shows.
const SHOWN: usize = 80;

/// Lists what fits a task, the best first.
pub(super) fn run(workspace: &Workspace, options: &QueryArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, "memory query", options.pipeline, printer, || find(workspace, options))
}

fn find(workspace: &Workspace, options: &QueryArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let project = project_of(workspace, &settings, options.project.name.as_deref());
    let request = Request {
        role: Some(options.role.trim()),
        project: Some(&project),
        labels: &options.task.labels,
        files: &options.task.files,
        phase: options.task.phase.as_deref(),
        most: Some(options.limit),
        now_micros: options.instant.or_now().as_microsecond(),
        ..Request::default()
    };
    let is_governed = |state: &str| [Stage::Verified, Stage::Active].iter().any(|stage| stage.name() == state);
    let is_wanted = |entry: &Entry<'_>| !entry.role.is_empty() && (!options.governed || is_governed(&entry.state));
    let found = recall(workspace, &settings, &request, &is_wanted)?;
    let text = if found.is_empty() { String::new() } else { table(&found) };
    let most = settings.inject.most_characters;
    let patterns: Vec<Value> = found.iter().map(|candidate| describe(candidate, most)).collect();
    Ok(Answer::new(json!({"role": options.role.trim(), "project": project, "patterns": patterns}), text))
}

fn describe(candidate: &Candidate, most: usize) -> Value {
    let entry = &candidate.entry;
    json!({
        "id": entry.id, "text": prompt_text(&entry.summary, most), "category": entry.category, "state": entry.state,
        "role": entry.role, "via": candidate.via, "score": candidate.score, "track_record": track_record(candidate),
        "success_count": entry.validated, "ignore_count": entry.ignored, "ignore_weight_score": entry.failures,
        "reinforce_count": entry.reinforced, "seen_count": entry.seen,
    })
}

fn table(found: &[Candidate]) -> String {
    let rows = found.iter().map(|candidate| {
        let entry = &candidate.entry;
        [
            entry.id.clone().into_owned(),
            plain_text(&entry.role, 20),
            entry.state.clone().into_owned(),
            format!("{:.2}", candidate.score),
            track_record(candidate),
            plain_text(&entry.summary, SHOWN),
        ]
    });
    tabulate(["pattern", "role", "state", "#score", "record", "text"], rows)
}

/// Lists what time has taken out of use since the last run. How far a pattern has come is worked out from the time, so that nothing has
/// to be written for it.
pub(super) fn decay(workspace: &Workspace, options: &DecayArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, "memory decay", options.pipeline, printer, || sweep(workspace, options))
}

fn sweep(workspace: &Workspace, options: &DecayArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let generation = find_generation(workspace, None)?;
    let mut scores = load_role_scores(&generation)?;
    scores.retain(|score| options.role.as_ref().is_none_or(|role| role.trim().eq_ignore_ascii_case(&score.role)));
    let at = options.instant.or_now();
    let idle: Vec<(&RoleScore, f64)> = scores.iter().filter_map(|score| Some((score, fades_by(score, at, &settings)?))).collect();
    let in_use = scores.iter().filter(|score| score.is_in_use()).count();
    let listed: Vec<Value> = idle
        .iter()
        .map(|(score, days)| json!({"id": score.id, "role": score.role, "state": score.state, "idle_days": days}))
        .collect();
    let value = json!({"at": at.to_string(), "as_of": generation.manifest.as_of, "in_use": in_use, "deprecated": listed});
    let mut lines = vec![format!("{} of {in_use} patterns in use decay by {at}; nothing was written", idle.len())];
    for (score, days) in idle {
        lines.push(format!("  {}  {}, not used for {days:.1} days: {}", score.id, score.state, plain_text(&score.text, SHOWN)));
    }
    Ok(Answer::new(value, lines.join("\n")))
}

/// For how many days a pattern will not have been used, if that takes it out of use by then.
fn fades_by(score: &RoleScore, at: Timestamp, settings: &Settings) -> Option<f64> {
    let rules = &settings.deliberation;
    let used: Timestamp = score.last_used.parse().ok()?;
    let days = at.duration_since(used).as_secs_f64() / 86_400.0;
    let is_automatic = score.is_in_use() && score.state != Stage::Active;
    (is_automatic && score.reinforced < settings.inject.score.immune_from && days > rules.idle_days).then_some(days)
}
