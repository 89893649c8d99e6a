//! Artifacts that are files of their own: slash commands and skills. The marker in the front matter tells whose they are.

use std::fmt::Write as _;

use super::detail::normalise;
use super::slug::slug;
use super::text::{block, inert, item, title};
use super::yaml::quoted;
use event::field::ObservationType;
use learn::observation::ObservationScore;

/// Where slash commands are written.
pub const COMMANDS: &str = ".claude/commands/self-learning";
/// Where skills are written, each in a folder of its own.
pub const SKILLS: &str = ".claude/skills";
/// The start of the name of a skill and of its folder.
const SKILL_PREFIX: &str = "self-learning-";
/// The start of the comment that names the observation.
const MARKER: &str = "# self-learning: ";
/// How many lines of front matter are looked at.
const MOST_LINES: usize = 40;

/// The slash command of a workflow.
#[must_use]
pub fn render_command(row: &ObservationScore, date: &str) -> String {
    let title = title(&row.pattern, &row.id);
    let mut text = format!("---\ndescription: {}\n{}\n---\n\n# {}\n", quoted(&title), marker(row, date), inert(&title));
    let details = inert(&block(&row.details));
    if !details.is_empty() {
        let _ = writeln!(text, "\n{details}");
    }
    push_evidence(&mut text, row);
    text
}

/// What people said, below what was made of it.
fn push_evidence(text: &mut String, row: &ObservationScore) {
    let evidence: Vec<String> = row.evidence.iter().map(|quote| inert(&item(quote))).filter(|quote| !quote.is_empty()).collect();
    if !evidence.is_empty() {
        text.push_str("\n## Evidence\n\n");
        for quote in evidence {
            let _ = writeln!(text, "- {quote}");
        }
    }
}

/// The skill of a procedure. `name` is that of its folder.
#[must_use]
pub fn render_skill(row: &ObservationScore, name: &str, date: &str) -> String {
    let title = title(&row.pattern, &row.id);
    let description = quoted(&format!("Use this skill for work that concerns: {title}"));
    let title = inert(&title);
    let mut text = format!(
        "---\nname: {name}\ndescription: {description}\nuser-invocable: false\nallowed-tools: Read, Grep, Glob\n{}\n---\n\n\
         # {title}\n",
        marker(row, date),
    );
    // A title that says all of it is said once.
    let details = inert(&block(&row.details));
    if !details.is_empty() && normalise(&details) != normalise(&title) {
        let _ = writeln!(text, "\n## Procedure\n\n{details}");
    }
    push_evidence(&mut text, row);
    text
}

/// The folder or the file name that a slug gives, with the path of the artifact.
#[must_use]
pub fn path_of(observation_type: ObservationType, slug: &str) -> String {
    match observation_type {
        ObservationType::Procedural => format!("{SKILLS}/{SKILL_PREFIX}{slug}/SKILL.md"),
        _ => format!("{COMMANDS}/{slug}.md"),
    }
}

/// The name of the skill of a slug.
#[must_use]
pub fn skill_name(slug: &str) -> String {
    format!("{SKILL_PREFIX}{slug}")
}

/// The slug of an observation's artifact, before anybody else is asked.
#[must_use]
pub fn slug_of(row: &ObservationScore) -> String {
    slug(&title(&row.pattern, &row.id), &row.id)
}

/// The word by which people and agents call an artifact: the name of its file, or of a skill's folder without our prefix.
#[must_use]
pub fn slug_of_path(path: &str) -> Option<&str> {
    if let Some(folder) = path.strip_suffix("/SKILL.md") {
        let name = folder.rsplit('/').next()?;
        return Some(name.strip_prefix(SKILL_PREFIX).unwrap_or(name));
    }
    path.rsplit('/').next()?.strip_suffix(".md")
}

/// The line of front matter that names the observation, and what was known of it when the file was written.
fn marker(row: &ObservationScore, date: &str) -> String {
    let confidence = (row.confidence * 100.0).round() / 100.0;
    format!("{MARKER}{} (rendered {date}, confidence {confidence}, seen {} times)", row.id, row.observations)
}

/// The observation that a file was rendered from, as its front matter says. What stands below the front matter says nothing.
#[must_use]
pub fn find_marker(text: &str) -> Option<&str> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).take(MOST_LINES);
    if lines.next() != Some("---") {
        return None;
    }
    let marked = lines.take_while(|line| *line != "---").find_map(|line| line.strip_prefix(MARKER))?;
    marked.split_whitespace().next()
}
