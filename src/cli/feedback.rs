//! `outerloop feedback`: what a validator says of a role's report. Opens no engine, and nothing is counted here.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;

use super::pipeline::{Answer, answer, place_of};
use super::pipeline::{PipelineArgs, RoleTurnArgs};
use super::printer::Printer;
use super::require;
use crate::landing::{land, unfit};
use agent::feedback::{Correction, Evidence, Finding, Pair, Place, correct, load_speech, stands_in_repository};
use render::plain_text;
use setting::DeliberationSettings;
use store::inbox::Recorder;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;
use text::review::{Level, Likeness, Quotation, find_fault};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A role's report lists its patterns below a heading `Accumulated Patterns`; both reports end in a
comment `<!-- jkz:verdict-json {\"verdict\":\"PASS\", ...} -->`. The validator's `false_positives` are
looked up in the role's report, by exact text or shared words, and count against the matching
pattern. A PASS reinforces patterns if the role's report shows program output (level 1) or quotes a
location, `path:line` (level 2); reasoning alone (level 3) reinforces nothing. Best is what the hooks
saw: a report that cites a command of --session has level 1, and the events say that the host says
so. A pipeline that ran the checks itself states the level with --evidence. Three events are
recorded together or not at all; a repeated call counts once, and one that states another level or other
files takes the place of the earlier.

A pattern that names the finding it comes from, as `- (J1) Validate the signature first`, or a
finding with a member `pattern`, settles which pattern a rejection counts against. Otherwise all
findings and patterns are matched together by the words they share.

  outerloop feedback --adversarial-role judge --validator-role inspector --run r-42 --issue 10 \\
      --adversarial review.md --validator inspection.md --files src/auth.rs --repo .
  outerloop feedback ... --json | jq '.rejected[].text'

Only wrong arguments make it fail: any other error is one line on stderr and in
history/hooks.jsonl, and nothing is recorded. With --strict it fails.")]
pub struct FeedbackArgs {
    /// The role that is judged
    #[arg(long, value_name = "ROLE")]
    adversarial_role: String,
    /// The role that judges it
    #[arg(long, value_name = "ROLE")]
    validator_role: String,
    /// The judged role's report: text, or a JSON record with a `response`
    #[arg(long, value_name = "FILE")]
    adversarial: PathBuf,
    /// The validator's report
    #[arg(long, value_name = "FILE")]
    validator: PathBuf,
    #[command(flatten)]
    turn: RoleTurnArgs,
    /// Evidence level of the judged work, as the pipeline knows it: 1 a program ran, 2 a quotation, 3 reasoning [default: as the report shows]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3))]
    evidence: Option<u8>,
    /// Who states the evidence level
    #[arg(long, value_name = "NAME", default_value = "pipeline", requires = "evidence")]
    evidence_by: String,
    /// Count a quotation as evidence only if this work tree contains it at or near its line
    #[arg(long, value_name = "FOLDER")]
    repo: Option<PathBuf>,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

/// How much of a finding people are shown.
const SHOWN: usize = 200;

/// Takes in a validator's verdict.
pub(crate) fn run(workspace: &Workspace, options: &FeedbackArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, "feedback", options.pipeline, printer, || take(workspace, options))
}

fn take(workspace: &Workspace, options: &FeedbackArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    if options.adversarial_role.trim().eq_ignore_ascii_case(options.validator_role.trim()) {
        return Err(Diagnostic::edit("a role cannot judge itself", "name two roles with --adversarial-role and --validator-role"));
    }
    if let Some(top) = options.repo.as_ref().filter(|top| !top.is_dir()) {
        return Err(Diagnostic::edit("the work tree does not exist", "name a folder with --repo, or omit it").at(top));
    }
    let evidence = options.evidence.and_then(|number| Level::from_number(i64::from(number)));
    let by = fit::label(&options.evidence_by).unwrap_or_else(|| "pipeline".to_owned());
    let place = Place { evidence: evidence.map(|level| Evidence { level, by }), ..place_of(workspace, &settings, &options.turn) };
    let (speech, judgement) = (load_speech(&options.adversarial)?, load_speech(&options.validator)?);
    let pair = Pair {
        role: options.adversarial_role.trim(),
        speech: &speech,
        validator: options.validator_role.trim(),
        judgement: &judgement,
    };
    let rules = &settings.deliberation;
    let likeness = Likeness { overlap: rules.rejected_overlap, shared: rules.rejected_words };
    let holds = |quotation: &Quotation| options.repo.as_ref().is_none_or(|top| stands_in_repository(quotation, top));
    let Some(correction) = correct(pair, &place, likeness, &holds).map_err(unfit)? else {
        let fault = Diagnostic::edit(
            "the validator's report has no readable verdict, so nothing is recorded",
            "end the report with a comment `<!-- jkz:verdict-json {\"verdict\":\"PASS\"} -->` with one JSON object",
        )
        .at(&options.validator);
        return Err(match find_fault(&judgement.text) {
            Some(cause) => fault.because(cause),
            None => fault,
        });
    };
    land(Recorder::with_rules(workspace, settings.run), &correction.events)?;
    Ok(describe(pair, &place, &correction, rules))
}

/// What a correction comes to, for programs and for people.
fn describe(pair: Pair<'_>, place: &Place, correction: &Correction, rules: &DeliberationSettings) -> Answer {
    let verdict = if correction.has_passed { "PASS" } else { "FAIL" };
    let reinforces = correction.has_passed && correction.evidence.level.number() <= rules.weakest_evidence;
    let needs = rules.rejection_needs_evidence;
    let counts = !needs || correction.validator_level.number() <= rules.weakest_evidence;
    let rejected: Vec<_> = correction
        .rejected
        .iter()
        .map(|Finding { entry, text, line, found }| json!({"entry": entry, "text": text, "line": line, "found": found}))
        .collect();
    let value = json!({
        "verdict": verdict, "level": correction.evidence.level.number(), "evidence_by": correction.evidence.by,
        "validator_level": correction.validator_level.number(),
        "cited": correction.cited.as_ref().map(|ran| json!({"command": ran.command, "exit_code": ran.exit_code, "agent": ran.agent})),
        "reinforces": reinforces, "rejected": rejected, "rejections_count": counts, "patterns": correction.patterns,
        "project": place.project, "events": correction.events.len(), "remarks": correction.remarks,
    });
    let (role, validator) = (plain_text(pair.role, 80), plain_text(pair.validator, 80));
    let level = match &*correction.evidence.by {
        "report" => correction.evidence.level.number().to_string(),
        by => format!("{} (says {})", correction.evidence.level.number(), plain_text(by, 80)),
    };
    let mut lines = vec![match (correction.has_passed, reinforces) {
        (true, true) => {
            format!("{verdict}: {validator} passes {role}'s work with evidence level {level}: patterns are reinforced")
        }
        (true, false) => {
            format!("{verdict}: {validator} passes {role}'s work with evidence level {level}: too weak to reinforce patterns")
        }
        (false, _) => format!("{verdict}: {validator} fails {role}'s work; no pattern is reinforced"),
    }];
    lines.push(format!("patterns of {role}: {}; rejected findings: {}", correction.patterns, rejected.len()));
    lines.extend(correction.rejected.iter().map(tell_finding));
    if !counts && !rejected.is_empty() {
        lines.push("the rejections are ignored: the settings require evidence, and the validator gives none".to_owned());
    }
    lines.push("recorded; takes effect with the next run (`outerloop run hourly`)".to_owned());
    Answer { remarks: correction.remarks.clone(), ..Answer::new(value, lines.join("\n")) }
}

fn tell_finding(finding: &Finding) -> String {
    let (entry, text) = (plain_text(&finding.entry, 80), plain_text(&finding.text, SHOWN));
    match finding.found {
        "exact" => format!("  {entry}: {text}"),
        "fuzzy" => format!("  {entry}: {text} (by shared words)"),
        _ => format!("  {entry}: not found in the report"),
    }
}
