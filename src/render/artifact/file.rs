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
/// What stands above quotations.
const EVIDENCE: &str = "\n## Evidence\n\n";
/// How many quotations a file shows: `learn show` has them all.
const MOST_QUOTES: usize = 3;
/// How many lines of front matter are looked at.
const MOST_LINES: usize = 40;

/// A line of an observation's details that names something that the repository does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The line, from 0.
    pub line: usize,
    /// What is not there.
    pub reason: String,
}

/// The slash command of a workflow.
#[must_use]
pub fn render_command(row: &ObservationScore, doubts: &[Doubt], date: &str) -> String {
    let title = title(&row.pattern, &row.id);
    let mut text = format!("---\ndescription: {}\n{}\n---\n\n# {}\n", quoted(&title), marker(row, date), inert(&title));
    let details = inert(&block(&with_doubts(&row.details, doubts)));
    if !details.is_empty() {
        let _ = writeln!(text, "\n{details}");
    }
    push_evidence(&mut text, row);
    text
}

/// Details in which a line that names something missing says so: whoever follows it knows before running it.
fn with_doubts(details: &str, doubts: &[Doubt]) -> String {
    let lines = details.lines().enumerate().map(|(place, line)| {
        let reasons: Vec<&str> = doubts.iter().filter(|doubt| doubt.line == place).map(|doubt| &*doubt.reason).collect();
        if reasons.is_empty() { line.to_owned() } else { format!("{} (check first: {})", line.trim_end(), reasons.join("; ")) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What people said, below what was made of it: the first quotation and the latest ones.
fn push_evidence(text: &mut String, row: &ObservationScore) {
    let quotes: Vec<String> = row.evidence.iter().map(|quote| inert(&item(quote))).filter(|quote| !quote.is_empty()).collect();
    let latest = quotes.len().saturating_sub(MOST_QUOTES - 1).max(1);
    let shown: Vec<&String> = quotes.iter().take(1).chain(quotes.iter().skip(latest)).collect();
    if !shown.is_empty() {
        text.push_str(EVIDENCE);
        for quote in shown {
            let _ = writeln!(text, "- {quote}");
        }
    }
}

/// What a file tells its reader to do: without the line that names its observation, and without quotations. Two files that agree in this
/// differ only in how often and by whom it was said.
#[must_use]
pub fn essence(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace('\r', "");
    let text = text.split_once(EVIDENCE).map_or(&*text, |(before, _)| before);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.starts_with(MARKER));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The skill of a procedure. `name` is that of its folder.
#[must_use]
pub fn render_skill(row: &ObservationScore, name: &str, doubts: &[Doubt], date: &str) -> String {
    let title = title(&row.pattern, &row.id);
    let description = quoted(&format!("{}. Use this skill whenever the work concerns that.", title.trim_end_matches('.')));
    let title = inert(&title);
    let mut text = format!(
        "---\nname: {name}\ndescription: {description}\nuser-invocable: false\nallowed-tools: Read, Grep, Glob\n{}\n---\n\n\
         # {title}\n",
        marker(row, date),
    );
    // A title that says all of it is said once.
    let details = inert(&block(&with_doubts(&row.details, doubts)));
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
