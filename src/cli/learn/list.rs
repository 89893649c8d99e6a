//! `outerloop learn list` and `show`.

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;

use super::{STATUSES, TYPES, counted, letter, load, percent};
use crate::args::{OutputArgs, ProjectFilter};
use crate::printer::Printer;
use crate::subject::{self, Subject, find, table};
use agent::artifact::{find_doubts, find_root};
use agent::iteration::name_project;
use learn::observation::{ObservationScore, Status};
use learn::review::concerns;
use render::plain_text;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
[W] is a workflow, [P] a procedure, [D] a decision, [F] a pitfall.

  outerloop learn list --status ready              artifacts of the next run
  outerloop learn list --all --json | jq '.[].id'  include decayed ones")]
pub(super) struct ListArgs {
    /// Only this type
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(TYPES.map(|(kind, _)| kind.name())))]
    observation_type: Option<String>,
    /// Only this status
    #[arg(long, value_parser = PossibleValuesParser::new(STATUSES.map(Status::name)))]
    status: Option<String>,
    /// Include decayed observations
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    project: ProjectFilter,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ShowArgs {
    /// The observation, such as `obs_a1b2c3`, or its entry, such as ADR-003
    id: String,
    #[command(flatten)]
    project: ProjectFilter,
    #[command(flatten)]
    output: OutputArgs,
}

/// How much of a pattern a table shows.
const SHOWN: usize = 70;

/// Lists observations.
pub(super) fn list(workspace: &Workspace, options: &ListArgs, printer: &Printer) -> Outcome<Exit> {
    let mut scores = load(workspace, options.project.name.as_deref())?;
    let all = scores.len();
    let is_wanted = |wanted: Option<&str>, word: &str| wanted.is_none_or(|wanted| wanted == word);
    scores.retain(|score| {
        is_wanted(options.observation_type.as_deref(), score.observation_type.name())
            && is_wanted(options.status.as_deref(), score.status.name())
    });
    let found = scores.len();
    scores.retain(|score| options.all || !score.is_faded);
    sort(&mut scores);
    let listed: Vec<&ObservationScore> = scores.iter().collect();
    if options.output.json {
        return subject::list(&listed, true, "", printer);
    }
    if !listed.is_empty() {
        printer.line(&table(&listed))?;
    }
    let faded = found - scores.len();
    let rest = if faded == 0 { String::new() } else { format!("; {faded} more have decayed (--all shows them)") };
    printer.note(&format!("{}{rest}", counted(scores.len(), "observation")));
    match (found, all) {
        (0, 0) => printer.note("record events of the kind `observation`, then run `outerloop run hourly`"),
        (0, others) => {
            printer
                .note(&format!("{} of another type or status: `outerloop learn list` shows them", counted(others, "observation")));
        }
        _ => {}
    }
    Ok(Exit::Done)
}

/// The surest first, then the one that was seen most.
fn sort(scores: &mut [ObservationScore]) {
    scores.sort_by(|one, other| {
        let by_confidence = other.confidence.total_cmp(&one.confidence);
        by_confidence
            .then(other.observations.cmp(&one.observations))
            .then_with(|| (&one.project, &one.id).cmp(&(&other.project, &other.id)))
    });
}

impl Subject for ObservationScore {
    const NOUN: &'static str = "observation";
    const LIST: &'static str = "outerloop learn list --all";
    const HEADER: &'static [&'static str] = &["type", "pattern", "#sure", "#seen", "status", "remarks", "id", "project"];

    /// By its id, or by the entry of a knowledge file that was made from it.
    fn is_called(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name) || self.anchor.as_deref().is_some_and(|anchor| anchor.eq_ignore_ascii_case(name))
    }

    fn cells(&self) -> Vec<String> {
        vec![
            letter(self.observation_type).to_owned(),
            plain_text(&self.pattern, SHOWN),
            percent(self.confidence),
            format!("{}x", self.observations),
            self.status.to_string(),
            remarks(self),
            plain_text(&self.id, 40),
            plain_text(&self.project, 40),
        ]
    }

    /// The project stands last, and only where there are several.
    fn columns(listed: &[&Self]) -> usize {
        let has_several = listed.windows(2).any(|pair| pair[0].project != pair[1].project);
        Self::HEADER.len() - usize::from(!has_several)
    }
}

/// What else is worth knowing of an observation, in a few words.
fn remarks(score: &ObservationScore) -> String {
    let review = (!concerns(score).is_empty()).then(|| "⚠ review".to_owned());
    let faded = score.is_faded.then(|| "faded".to_owned());
    review.into_iter().chain(faded).chain(score.anchor.as_ref().map(|anchor| plain_text(anchor, 20))).collect::<Vec<_>>().join(", ")
}

/// Shows one observation.
pub(super) fn show(workspace: &Workspace, options: &ShowArgs, printer: &Printer) -> Outcome<Exit> {
    let scores = load(workspace, options.project.name.as_deref())?;
    let settings = load_settings(workspace)?;
    let root = find_root(workspace.root(), &settings.artifact);
    let is_own = |score: &ObservationScore| score.project == name_project(workspace, &settings, &root);
    let with_doubts = |score: &ObservationScore| {
        let doubts = if is_own(score) { find_doubts(&root, score) } else { Vec::new() };
        let lines = doubts.iter().map(|doubt| {
            let step = score.details.lines().nth(doubt.line).unwrap_or_default();
            format!("\n  ⚠ {}: {}; its step is marked until that exists", plain_text(&doubt.reason, 200), plain_text(step, 120))
        });
        lines.fold(card(score), |card, line| card + &line)
    };
    subject::show(find(&scores, &options.id)?, options.output.json, with_doubts, printer)
}

/// An observation on a card: what it says, how sure it is, what became of it.
pub fn card(score: &ObservationScore) -> String {
    let mut lines = vec![
        format!("{}  {} {}", plain_text(&score.id, 60), letter(score.observation_type), plain_text(&score.pattern, 400)),
        format!("  {} {} of {}", score.status, score.observation_type, plain_text(&score.project, 80)),
        format!(
            "  confidence {} ({} when last seen), seen {}x from {} to {}",
            percent(score.confidence),
            percent(score.base_confidence),
            score.observations,
            score.first_seen,
            score.last_seen
        ),
        match score.shortcoming() {
            None => "  quality confirmed".to_owned(),
            Some((lack, remedy)) => format!("  quality not confirmed, so it does not become an artifact: {lack}; {remedy}"),
        },
    ];
    lines.extend(score.ready_at.as_ref().map(|time| format!("  ready since {time}")));
    if let Some(path) = &score.artifact_path {
        let anchor = score.anchor.as_ref().map(|anchor| format!(", entry {}", plain_text(anchor, 40))).unwrap_or_default();
        let edited = if score.is_edited { "; a person edited it" } else { "" };
        lines.push(format!("  artifact: {}{anchor}{edited}", plain_text(path, 200)));
    }
    lines.extend(score.content_hash.as_ref().map(|hash| format!("  hash: {}", plain_text(hash, 80))));
    if score.cites > 0 || score.last_cited.is_some() {
        let last = score.last_cited.as_ref().map(|time| format!(", last {time}")).unwrap_or_default();
        lines.push(format!("  cited {}x{last}", score.cites));
    }
    if let Some(time) = &score.deprecated_at {
        lines.push(format!("  deprecated since {time}, seen {}x since", score.sightings_since_deletion));
    }
    if score.is_faded {
        lines.push("  decayed: not seen for long; `outerloop learn purge` deprecates it".to_owned());
    }
    for concern in concerns(score) {
        lines.push(format!("  ⚠ {}: {}", plain_text(&concern.reason(), 300), concern.remedy()));
    }
    if !score.details.trim().is_empty() {
        lines.push("  details:".to_owned());
        lines.extend(
            score.details.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("    {}", plain_text(line, 400))),
        );
    }
    if !score.evidence.is_empty() {
        lines.push("  evidence:".to_owned());
        lines.extend(score.evidence.iter().map(|item| format!("    - {}", plain_text(item, 400))));
    }
    lines.extend(score.note.as_ref().map(|note| format!("  decided by {}", plain_text(note, 200))));
    lines.join("\n")
}
