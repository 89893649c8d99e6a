//! `outerloop learn status`: what there is by type and status, and what is set up.

use serde_json::{Value, json};

use super::decision::{Refused, count_refused, load_refused};
use super::place::Place;
use super::{STATUSES, StatusArgs, TYPES, counted};
use crate::init::hooks_in;
use crate::printer::{Printer, Tone};
use crate::table::Columns;
use agent::published::load_observations;
use event::field::ObservationType;
use learn::observation::{ObservationScore, Status};
use learn::review::concerns;
use render::artifact::{Document, Topic};
use setting::ObserveSettings;
use store::publish::load_current;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

/// Where a project's hooks may stand.
const HOOK_FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// What is known of observing in a project.
struct Overview {
    scores: Vec<ObservationScore>,
    is_published: bool,
    /// Active entries of each knowledge file; none of a file that is not there.
    active: Vec<Option<usize>>,
    ceiling: usize,
    hooks: Vec<&'static str>,
    extraction: Extraction,
    refused: Vec<Refused>,
}

/// How observations are found in transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extraction {
    /// By a program that the settings name.
    Command,
    /// By rules of our own.
    BuiltIn,
    Off,
}

impl Extraction {
    const fn of(settings: &ObserveSettings) -> Self {
        match (settings.sessions, settings.command.is_empty()) {
            (false, _) => Self::Off,
            (true, true) => Self::BuiltIn,
            (true, false) => Self::Command,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::BuiltIn => "built-in",
            Self::Off => "off",
        }
    }

    const fn explained(self) -> &'static str {
        match self {
            Self::Command => "extraction: by the program that `observe.command` names",
            Self::BuiltIn => "extraction: by built-in rules; `observe.command` may name a program that finds more",
            Self::Off => "extraction: off; outerloop learn configure observe.sessions=true",
        }
    }
}

pub(super) fn run(workspace: &Workspace, options: &StatusArgs, printer: &Printer) -> Outcome<Exit> {
    let status = load(workspace, options)?;
    if options.output.json {
        printer.line(&as_json(&status).to_string())?;
        return Ok(Exit::Done);
    }
    printer.heading("Observations")?;
    printer.line(&counts_table(&status.scores))?;
    let (review, faded) = (review_count(&status.scores), faded_count(&status.scores));
    if review > 0 {
        printer.line(&printer.toned(Tone::Warning, &format!("⚠ {}: outerloop learn review", needing(review))))?;
    }
    if faded > 0 {
        printer.line(&format!("{faded} of them have decayed: outerloop learn purge"))?;
    }
    printer.heading("\nKnowledge files")?;
    for (topic, active) in Topic::ALL.iter().zip(&status.active) {
        let state =
            active.map_or_else(|| "does not exist yet".to_owned(), |active| format!("{active} of {} entries", status.ceiling));
        printer.line(&format!("{}: {state}", topic.noun()))?;
    }
    printer.heading("\nSetup")?;
    printer.line(&hook_line(&status.hooks))?;
    printer.line(status.extraction.explained())?;
    let refused = count_refused(&status.refused);
    if refused > 0 {
        printer.line(&format!("\n{refused} observations are in quarantine: outerloop learn purge --dry-run lists the reasons"))?;
    }
    if !status.is_published {
        printer.note("nothing is published yet; run `outerloop run hourly`");
    }
    Ok(Exit::Done)
}

fn load(workspace: &Workspace, options: &StatusArgs) -> Outcome<Overview> {
    let settings = load_settings(workspace)?;
    let place = Place::find(workspace, &settings, &options.place)?;
    let generation = load_current(workspace)?;
    let mut scores = generation.as_ref().map(load_observations).transpose()?.unwrap_or_default();
    scores.retain(|score| options.place.project.name.as_ref().is_none_or(|project| score.project == *project));
    let mut active = Vec::new();
    for topic in Topic::ALL {
        let file = place.read(topic.path())?;
        active.push(file.map(|(bytes, _)| Document::parse(topic, String::from_utf8_lossy(&bytes)).active()));
    }
    let mut hooks: Vec<&'static str> = HOOK_FILES.iter().flat_map(|file| hooks_in(&place.folder.join(file))).collect();
    hooks.sort_unstable();
    hooks.dedup();
    Ok(Overview {
        scores,
        is_published: generation.is_some(),
        active,
        ceiling: settings.artifact.ceiling,
        hooks,
        extraction: Extraction::of(&settings.observe),
        refused: load_refused(workspace)?,
    })
}

fn count(scores: &[ObservationScore], observation_type: ObservationType, status: Status) -> usize {
    scores.iter().filter(|score| score.observation_type == observation_type && score.status == status).count()
}

fn counts_table(scores: &[ObservationScore]) -> String {
    if scores.is_empty() {
        return "none".to_owned();
    }
    let mut table = Columns::new(&["type", "#observing", "#ready", "#created", "#deprecated", "#total"]);
    let mut sums = [0; STATUSES.len()];
    for (name, artifacts) in TYPES {
        let counts = STATUSES.map(|status| count(scores, name, status));
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        let total: usize = counts.iter().sum();
        table.row(
            [format!("{name} ({artifacts})")].into_iter().chain(counts.into_iter().chain([total]).map(|count| count.to_string())),
        );
    }
    table.row(["total".to_owned()].into_iter().chain(sums.into_iter().chain([scores.len()]).map(|count| count.to_string())));
    table.render()
}

fn review_count(scores: &[ObservationScore]) -> usize {
    scores.iter().filter(|score| !concerns(score).is_empty()).count()
}

fn faded_count(scores: &[ObservationScore]) -> usize {
    scores.iter().filter(|score| score.is_faded && score.status != Status::Deprecated).count()
}

fn needing(review: usize) -> String {
    format!("{} {} a review", counted(review, "observation"), if review == 1 { "needs" } else { "need" })
}

fn hook_line(hooks: &[&str]) -> String {
    if hooks.is_empty() {
        "hooks: none; `outerloop init --claude` adds them".to_owned()
    } else {
        format!("hooks: {}", hooks.join(", "))
    }
}

fn as_json(status: &Overview) -> Value {
    let types: serde_json::Map<String, Value> = TYPES
        .into_iter()
        .map(|(name, _)| {
            let counts: serde_json::Map<String, Value> =
                STATUSES.into_iter().map(|word| (word.to_string(), count(&status.scores, name, word).into())).collect();
            (name.to_string(), counts.into())
        })
        .collect();
    let knowledge: serde_json::Map<String, Value> = Topic::ALL
        .iter()
        .zip(&status.active)
        .map(|(topic, active)| (topic.noun().to_owned(), json!({"active": active, "ceiling": status.ceiling})))
        .collect();
    json!({
        "is_published": status.is_published,
        "observations": status.scores.len(),
        "types": types,
        "need_review": review_count(&status.scores),
        "faded": faded_count(&status.scores),
        "knowledge": knowledge,
        "hooks": status.hooks,
        "extraction": status.extraction.name(),
        "quarantined": count_refused(&status.refused),
        "quarantine": status.refused,
    })
}
