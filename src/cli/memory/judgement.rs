//! What a pipeline says for or against patterns of roles, as verdicts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::pipeline::{Answer, answer};
use super::super::pipeline::{PipelineArgs, RunTurnArgs};
use super::super::printer::Printer;
use super::super::report::find_generation;
use super::super::require;
use super::super::subject::find;
use crate::landing::{land, unfit};
use agent::feedback::load_speech;
use agent::published::load_role_scores;
use event::{Draft, name_event};
use learn::role::RoleScore;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::review::{Level, evidence_level};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --run, a repeated rejection counts once; without it, every call counts.

  outerloop memory ignore D-007 --run r-42 --iteration 2 --validator-role inspector")]
pub(super) struct IgnoreArgs {
    /// The pattern, such as D-007
    id: String,
    /// The role that rejects it
    #[arg(long, value_name = "ROLE", default_value = "pipeline")]
    validator_role: String,
    /// Evidence level of the rejection, if the settings require evidence
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3))]
    level: Option<u8>,
    #[command(flatten)]
    turn: RunTurnArgs,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Reasoning alone (level 3) reinforces nothing. All other patterns of the same role age by one step.
It counts once per run, iteration and role.

  outerloop memory reinforce D-007 D-009 --level 1 --run r-42
  outerloop memory reinforce D-007 --evidence review.md --files src/auth.rs")]
pub(super) struct ReinforceArgs {
    /// The patterns, such as D-007
    #[arg(required = true)]
    ids: Vec<String>,
    /// Evidence level: 1 program output, 2 a quotation with its location, 3 reasoning
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3), required_unless_present = "evidence")]
    level: Option<u8>,
    /// Derive the evidence level from this report
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    evidence: Option<PathBuf>,
    /// Changed files, separated by commas; locations in other files are no evidence
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    files: Vec<String>,
    /// The role that reinforces them
    #[arg(long, value_name = "ROLE", default_value = "pipeline")]
    validator_role: String,
    #[command(flatten)]
    turn: RunTurnArgs,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

/// Rejects a pattern.
pub(super) fn ignore(workspace: &Workspace, options: &IgnoreArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, "memory ignore", options.pipeline, printer, || take_rejection(workspace, options))
}

/// Reinforces patterns.
pub(super) fn reinforce(workspace: &Workspace, options: &ReinforceArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, "memory reinforce", options.pipeline, printer, || take_reinforcement(workspace, options))
}

fn take_rejection(workspace: &Workspace, options: &IgnoreArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let scores = load_role_scores(&find_generation(workspace, None)?)?;
    let score = find(&scores, &options.id)?;
    let voice = Voice { validator: options.validator_role.trim(), turn: &options.turn, time: clock::now() };
    // Work that passes on reasoning alone reinforces nothing: the rejection is all that the verdict says.
    let event = voice
        .verdict("ignore", score, &json!([score.id]))
        .with("evidence_level", Level::Reasoning.number())
        .with_some("validator_level", options.level)
        .with_items("rejected", vec![score.id.clone()]);
    land(Recorder::with_rules(workspace, settings.run), &[event.finish().map_err(unfit)?])?;
    let rules = &settings.deliberation;
    let penalty = rules.penalty_of(&score.role);
    let is_idle = rules.rejection_needs_evidence && options.level.is_none_or(|level| i64::from(level) > rules.weakest_evidence);
    let remark = is_idle.then(|| "the settings require evidence, so it has no effect; give its --level".to_owned());
    let text = format!(
        "rejected {} with a penalty of {penalty}: recorded; takes effect with the next run (`outerloop run hourly`)",
        score.id
    );
    let value = json!({"pattern": score.id, "role": score.role, "project": score.project, "penalty": penalty});
    Ok(Answer { remarks: remark.into_iter().collect(), ..Answer::new(value, text) })
}

fn take_reinforcement(workspace: &Workspace, options: &ReinforceArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let level = level_of(options)?;
    let weakest = settings.deliberation.weakest_evidence;
    if level > weakest {
        return Err(Diagnostic::edit(
            format!("evidence level {level} is too weak to reinforce"),
            format!("show program output, or quote a location as `path:line`: level {weakest} or better is needed"),
        ));
    }
    let scores = load_role_scores(&find_generation(workspace, None)?)?;
    let mut groups: BTreeMap<(&str, &str), Vec<&RoleScore>> = BTreeMap::new();
    for id in &options.ids {
        let score = find(&scores, id)?;
        let group = groups.entry((&*score.project, &*score.role)).or_default();
        if !group.iter().any(|known| known.id == score.id) {
            group.push(score);
        }
    }
    let voice = Voice { validator: options.validator_role.trim(), turn: &options.turn, time: clock::now() };
    let mut events = Vec::new();
    for group in groups.values() {
        let ids: Vec<String> = group.iter().map(|score| score.id.clone()).collect();
        let event = voice.verdict("reinforce", group[0], &json!(ids)).with("evidence_level", level).with_items("reinforced", ids);
        events.push(event.finish().map_err(unfit)?);
    }
    land(Recorder::with_rules(workspace, settings.run), &events)?;
    let meant: Vec<&RoleScore> = groups.into_values().flatten().collect();
    let ids: Vec<&str> = meant.iter().map(|score| &*score.id).collect();
    let unused = meant.iter().filter(|score| !score.is_in_use());
    let remarks = unused.map(|score| format!("{} is not in use; only a sighting or a person can restore it", score.id)).collect();
    let text = format!("reinforced {}: recorded; takes effect with the next run (`outerloop run hourly`)", ids.join(", "));
    Ok(Answer { remarks, ..Answer::new(json!({"patterns": ids, "level": level}), text) })
}

/// How well the work is founded: as the caller says, or as its report shows.
fn level_of(options: &ReinforceArgs) -> Outcome<i64> {
    match (&options.evidence, options.level) {
        (Some(path), _) => Ok(evidence_level(&load_speech(path)?.text, &options.files).number()),
        (None, Some(level)) => Ok(i64::from(level)),
        (None, None) => Err(Diagnostic::edit("the evidence level is missing", "name --level or --evidence")),
    }
}

/// Who speaks, where and when.
struct Voice<'v> {
    validator: &'v str,
    turn: &'v RunTurnArgs,
    time: Timestamp,
}

impl Voice<'_> {
    /// A verdict on patterns of one role. Where a run is named, the same word on them is the same event; otherwise each is one.
    fn verdict(&self, verb: &str, score: &RoleScore, about: &Value) -> Draft {
        let run = self.turn.run.as_ref().filter(|run| !run.trim().is_empty());
        let told = run.is_none().then(|| self.time.to_string());
        let RoleScore { project, role, .. } = score;
        let id = name_event(&json!([verb, project, role, self.validator, run, self.turn.iteration, told, about]));
        Draft::new("verdict", self.time, project)
            .with("id", id)
            .with("role", self.validator)
            .with("adversarial_role", &**role)
            .with("verdict", "PASS")
            .with_some("run_id", run.cloned())
            .with_some("iteration", self.turn.iteration)
    }
}
