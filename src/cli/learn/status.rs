//! `outerloop learn status`: what there is by type and status, and what is set up.

use std::path::Path;

use serde_json::{Value, json};

use super::place::Place;
use super::{counted, quarantine};
use crate::cli::args::LearnStatusArgs;
use crate::cli::init::hooks_in;
use crate::cli::printer::{Printer, Tone};
use crate::cli::table::Columns;
use crate::cycle::load_observations;
use crate::diagnostic::{Exit, Outcome};
use crate::learn::observation::ObservationScore;
use crate::learn::review::concerns;
use crate::learn::shelf::{CEILING, KNOWLEDGE, SHELVES};
use crate::publish::load_current;
use crate::setting::{SettingKey, TEMPLATE};
use crate::workspace::Workspace;

/// The types, in the order of lists, and what each becomes.
const TYPES: [(&str, &str); 4] =
    [("workflow", "commands"), ("procedural", "skills"), ("decision", "decisions"), ("pitfall", "pitfalls")];
const STATUSES: [&str; 4] = ["observing", "ready", "created", "deprecated"];
/// Where a project's hooks may stand.
const HOOK_FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// What is known of observing in a project.
struct Status {
    scores: Vec<ObservationScore>,
    is_published: bool,
    /// Active entries of each knowledge file; none of a file that is not there.
    shelves: Vec<Option<usize>>,
    hooks: Vec<&'static str>,
    extraction: Extraction,
    refused: Vec<quarantine::Refused>,
}

/// How observations are found in transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extraction {
    /// By a program that the settings name.
    Command,
    /// By rules of our own.
    BuiltIn,
    /// Not at all.
    Off,
}

impl Extraction {
    /// What the settings say, or else their defaults.
    fn of(settings: &Path) -> Self {
        let text = std::fs::read_to_string(settings).unwrap_or_default();
        let tables = [&*text, TEMPLATE].map(|text| toml::from_str::<toml::Table>(text).unwrap_or_default());
        let find = |name: &str| {
            let key = SettingKey::parse(name)?;
            tables.iter().find_map(|table| key.find(table)).cloned()
        };
        let is_named = match find("observe.command") {
            Some(toml::Value::Array(words)) => !words.is_empty(),
            Some(toml::Value::String(words)) => !words.trim().is_empty(),
            _ => false,
        };
        match find("observe.sessions") {
            Some(toml::Value::Boolean(true)) if is_named => Self::Command,
            Some(toml::Value::Boolean(true)) => Self::BuiltIn,
            _ => Self::Off,
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

/// Prints the status.
pub fn run(workspace: &Workspace, options: &LearnStatusArgs, printer: &Printer) -> Outcome<Exit> {
    let status = load(workspace, options)?;
    if options.json {
        printer.line(&as_json(&status).to_string())?;
        return Ok(Exit::Done);
    }
    let heading = |text: &str| printer.line(&printer.toned(Tone::Heading, text));
    heading("Observations")?;
    printer.line(&counts_table(&status.scores))?;
    let (review, faded) = (review_count(&status.scores), faded_count(&status.scores));
    if review > 0 {
        printer.line(&printer.toned(Tone::Warning, &format!("⚠ {}: outerloop learn review", needing(review))))?;
    }
    if faded > 0 {
        printer.line(&format!("{faded} of them have faded: outerloop learn purge"))?;
    }
    heading("\nKnowledge files")?;
    for (shelf, active) in SHELVES.iter().zip(&status.shelves) {
        let state = active.map_or_else(|| "not there yet".to_owned(), |active| format!("{active} of {CEILING} entries"));
        printer.line(&format!("{}: {state}", shelf.name))?;
    }
    heading("\nSet up")?;
    printer.line(&hook_line(&status.hooks))?;
    printer.line(status.extraction.explained())?;
    let refused = quarantine::count(&status.refused);
    if refused > 0 {
        printer.line(&format!("\n{refused} lines of observations lie in quarantine: outerloop learn purge --dry-run says why"))?;
    }
    if !status.is_published {
        printer.note("nothing is published yet; `outerloop run hourly` learns from what landed");
    }
    Ok(Exit::Done)
}

fn load(workspace: &Workspace, options: &LearnStatusArgs) -> Outcome<Status> {
    let place = Place::find(workspace, &options.place)?;
    let generation = load_current(workspace)?;
    let mut scores = generation.as_ref().map(load_observations).transpose()?.unwrap_or_default();
    scores.retain(|score| options.place.project.as_ref().is_none_or(|project| score.project == *project));
    let mut shelves = Vec::new();
    for shelf in SHELVES {
        let file = place.read(&format!("{KNOWLEDGE}/{}.md", shelf.name))?;
        shelves.push(file.map(|(bytes, _)| shelf.active(&String::from_utf8_lossy(&bytes)).len()));
    }
    let mut hooks: Vec<&'static str> = HOOK_FILES.iter().flat_map(|file| hooks_in(&place.folder.join(file))).collect();
    hooks.sort_unstable();
    hooks.dedup();
    Ok(Status {
        scores,
        is_published: generation.is_some(),
        shelves,
        hooks,
        extraction: Extraction::of(&workspace.settings()),
        refused: quarantine::load(workspace)?,
    })
}

fn count(scores: &[ObservationScore], observation_type: &str, status: &str) -> usize {
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
    scores.iter().filter(|score| score.is_faded && score.status != "deprecated").count()
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

fn as_json(status: &Status) -> Value {
    let types: serde_json::Map<String, Value> = TYPES
        .into_iter()
        .map(|(name, _)| {
            let counts: serde_json::Map<String, Value> =
                STATUSES.into_iter().map(|word| (word.to_owned(), count(&status.scores, name, word).into())).collect();
            (name.to_owned(), counts.into())
        })
        .collect();
    let shelves: serde_json::Map<String, Value> = SHELVES
        .iter()
        .zip(&status.shelves)
        .map(|(shelf, active)| (shelf.name.to_owned(), json!({"active": active, "ceiling": CEILING})))
        .collect();
    json!({
        "is_published": status.is_published,
        "observations": status.scores.len(),
        "types": types,
        "need_review": review_count(&status.scores),
        "faded": faded_count(&status.scores),
        "knowledge": shelves,
        "hooks": status.hooks,
        "extraction": status.extraction.name(),
        "quarantined": quarantine::count(&status.refused),
        "quarantine": status.refused,
    })
}
