//! An entry of a knowledge file, and whether there is one like it already.

use std::fmt::Write as _;

use super::detail::{DECISION_KEYS, Details, PITFALL_KEYS, normalise};
use super::knowledge::{Document, Section, Topic};
use super::text::{line, title};
use learn::observation::ObservationScore;

/// So much of an area and an issue is compared.
const COMPARED_CHARACTERS: usize = 40;

/// The entry of an observation under an anchor, with the blank line in front of it. What nobody said has no line.
#[must_use]
pub fn render_entry(row: &ObservationScore, topic: Topic, anchor: &str, date: &str) -> String {
    let bullets = match topic {
        Topic::Decisions => decision_bullets(row, date),
        Topic::Pitfalls => pitfall_bullets(row),
    };
    let mut text = format!("\n## {anchor}: {}\n\n", title(&row.pattern, &row.id));
    for (key, value) in bullets.into_iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "- **{key}**: {value}");
    }
    text
}

/// An entry as it would be rendered today, with the date and the status that it has.
#[must_use]
pub fn render_again(row: &ObservationScore, topic: Topic, section: &Section) -> String {
    let date = section.date.as_deref().unwrap_or_default();
    let entry = render_entry(row, topic, &section.anchor, date);
    let status = section.status.as_deref().unwrap_or_else(|| topic.first_status());
    entry.replacen(&format!("- **Status**: {}\n", topic.first_status()), &format!("- **Status**: {status}\n"), 1)
}

fn decision_bullets(row: &ObservationScore, date: &str) -> Vec<(&'static str, String)> {
    let details = Details::parse(&row.details, &DECISION_KEYS);
    let decision = details.get("decision").filter(|decision| !decision.is_empty());
    vec![
        ("Date", date.to_owned()),
        ("Status", Topic::Decisions.first_status().to_owned()),
        ("Context", line(details.get_or_whole("context"))),
        ("Decision", decision.map_or_else(|| title(&row.pattern, &row.id), line)),
        ("Consequences", line(details.get("rationale").unwrap_or_default())),
        ("Source", format!("self-learning:{}", row.id)),
    ]
}

fn pitfall_bullets(row: &ObservationScore) -> Vec<(&'static str, String)> {
    let details = Details::parse(&row.details, &PITFALL_KEYS);
    vec![
        ("Area", line(details.get_or_whole("area"))),
        ("Issue", line(details.get_or_whole("issue"))),
        ("Impact", line(details.get("impact").unwrap_or_default())),
        ("Resolution", line(details.get("resolution").unwrap_or_default())),
        ("Status", Topic::Pitfalls.first_status().to_owned()),
        ("Source", format!("self-learning:{}", row.id)),
    ]
}

/// The entry that says already what an observation says: a decision of the same title, a pitfall of the same area and issue. An
/// entry that people took out of use counts too: they have spoken about it.
#[must_use]
pub fn duplicate_of<'d>(row: &ObservationScore, document: &'d Document) -> Option<&'d Section> {
    let wanted = normalise(&title(&row.pattern, &row.id));
    let has_title = |section: &&Section| !wanted.is_empty() && normalise(&section.title) == wanted;
    match document.topic() {
        Topic::Decisions => document.sections().iter().find(has_title),
        Topic::Pitfalls => {
            let details = Details::parse(&row.details, &PITFALL_KEYS);
            let (area, issue) = (details.get_or_whole("area"), details.get_or_whole("issue"));
            let is_structured = details.get("area").is_some() && details.get("issue").is_some();
            let is_same = |section: &&Section| is_same_pitfall(section, &line(area), &line(issue), is_structured);
            // Prose that begins alike may go on to say something else: then all of it counts, and the title.
            document.sections().iter().find(|section| is_same(section) && (is_structured || has_title(section)))
        }
    }
}

fn is_same_pitfall(section: &Section, area: &str, issue: &str, is_cut: bool) -> bool {
    let most = if is_cut { COMPARED_CHARACTERS } else { usize::MAX };
    let is_same = |known: Option<&String>, wanted: &str| {
        let plain = |text: &str| normalise(text).chars().take(most).collect::<String>();
        let wanted = plain(wanted);
        !wanted.is_empty() && known.is_some_and(|known| plain(known) == wanted)
    };
    is_same(section.area.as_ref(), area) && is_same(section.issue.as_ref(), issue)
}
