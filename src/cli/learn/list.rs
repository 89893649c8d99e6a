//! `outerloop learn list` and `show`.

use super::{counted, find, letter, load, percent, to_json};
use crate::args::{LearnListArgs, LearnShowArgs};
use crate::printer::Printer;
use crate::table::Columns;
use learn::observation::ObservationScore;
use learn::review::concerns;
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// How much of a pattern a table shows.
const SHOWN: usize = 70;

/// Lists observations.
pub fn list(workspace: &Workspace, options: &LearnListArgs, printer: &Printer) -> Outcome<Exit> {
    let mut scores = load(workspace, options.project.project.as_deref())?;
    let is_wanted = |wanted: Option<&str>, word: &str| wanted.is_none_or(|wanted| wanted == word);
    scores.retain(|score| {
        is_wanted(options.observation_type.as_deref(), &score.observation_type)
            && is_wanted(options.status.as_deref(), &score.status)
    });
    let found = scores.len();
    scores.retain(|score| options.all || !score.is_faded);
    sort(&mut scores);
    if options.json {
        printer.line(&to_json(&scores)?)?;
        return Ok(Exit::Done);
    }
    if !scores.is_empty() {
        printer.line(&render(&scores))?;
    }
    let faded = found - scores.len();
    let rest = if faded == 0 { String::new() } else { format!("; {faded} more have decayed (--all shows them)") };
    printer.note(&format!("{}{rest}", counted(scores.len(), "observation")));
    if found == 0 {
        printer.note("record events of the kind `observation`, then run `outerloop run hourly`");
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

fn render(scores: &[ObservationScore]) -> String {
    let has_several = scores.windows(2).any(|pair| pair[0].project != pair[1].project);
    let header = ["type", "pattern", "#sure", "#seen", "status", "remarks", "id", "project"];
    let mut table = Columns::new(&header[..if has_several { 8 } else { 7 }]);
    for score in scores {
        let cells = [
            letter(&score.observation_type).to_owned(),
            plain_text(&score.pattern, SHOWN),
            percent(score.confidence),
            format!("{}x", score.observations),
            score.status.clone(),
            remarks(score),
            plain_text(&score.id, 40),
        ];
        table.row(cells.into_iter().chain(has_several.then(|| plain_text(&score.project, 40))));
    }
    table.render()
}

/// What else is worth knowing of an observation, in a few words.
fn remarks(score: &ObservationScore) -> String {
    let review = (!concerns(score).is_empty()).then(|| "⚠ review".to_owned());
    let faded = score.is_faded.then(|| "faded".to_owned());
    review.into_iter().chain(faded).chain(score.anchor.as_ref().map(|anchor| plain_text(anchor, 20))).collect::<Vec<_>>().join(", ")
}

/// Shows one observation.
pub fn show(workspace: &Workspace, options: &LearnShowArgs, printer: &Printer) -> Outcome<Exit> {
    let scores = load(workspace, options.project.project.as_deref())?;
    let score = find(&scores, &options.id)?;
    printer.line(&if options.json { to_json(score)? } else { card(score) })?;
    Ok(Exit::Done)
}

/// An observation on a card: what it says, how sure it is, what became of it.
pub fn card(score: &ObservationScore) -> String {
    let mut lines = vec![
        format!("{}  {} {}", plain_text(&score.id, 60), letter(&score.observation_type), plain_text(&score.pattern, 400)),
        format!("  {} {} of {}", score.status, score.observation_type, plain_text(&score.project, 80)),
        format!(
            "  confidence {} ({} when last seen), seen {}x from {} to {}",
            percent(score.confidence),
            percent(score.base_confidence),
            score.observations,
            score.first_seen,
            score.last_seen
        ),
        if score.quality_ok { "  quality confirmed" } else { "  quality not confirmed: does not become an artifact" }.to_owned(),
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
