//! How well a text is founded.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::block::without_verdicts;
use super::line::{Line, Part, lines, strip_bullet};
use crate::fit::single_spaced;

/// How many lines may stand between a command and its output, or a place and what is quoted from it.
const REACH: usize = 3;
/// How many lines a quotation may stand beside the line that is named for it.
const DRIFT: usize = 2;
/// The most places that are looked at in one line.
const MOST_PLACES: usize = 100;

/// What fences call output, or commands with their output.
const OUTPUTS: [&str; 6] = ["bash", "console", "output", "sh", "shell", "text"];
/// What fences call source code, sorted. Nobody ran it just because it stands below a command.
const SOURCES: [&str; 50] = [
    "c",
    "clj",
    "cpp",
    "cs",
    "csharp",
    "css",
    "dart",
    "diff",
    "dockerfile",
    "elixir",
    "erlang",
    "fsharp",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "hcl",
    "html",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsonc",
    "jsx",
    "kotlin",
    "lua",
    "makefile",
    "markdown",
    "md",
    "patch",
    "perl",
    "php",
    "proto",
    "py",
    "python",
    "r",
    "rb",
    "rs",
    "ruby",
    "rust",
    "scala",
    "sql",
    "swift",
    "toml",
    "ts",
    "tsx",
    "typescript",
    "xml",
    "yaml",
];

/// What programs print and people do not write: sums of tests, lines of TAP, verdicts on files, exit codes, errors, traces.
const SIGNATURES: [&str; 8] = [
    r"\b[0-9]+ (?:passed|failed)\b",
    r"\btest result:",
    r"^\s*(?:not )?ok [0-9]+\b",
    r"^\s*(?:PASS|FAIL):?\s+\S*[\w)\]][./]\w",
    r"\b(?i-u:exit code)[:=]?\s*-?[0-9]+\b",
    r"\berror\[E[0-9]+\]:",
    r"\bTraceback \(most recent call last\)",
    r"\bAssertionError\b",
];

/// A path with an extension and a line or some lines: in backticks nearly any path, else one of plain signs. An extension starts with
/// a letter, which times, versions and ports do not have.
const PLACE: &str = r"(?x)
    `(?P<quoted>[^\s`]*\.[A-Za-z][A-Za-z0-9_]*):(?P<quoted_first>[0-9]{1,9})(?:-(?P<quoted_last>[0-9]{1,9}))?(?::[0-9]+)?`
  | `(?P<before>[^\s`]*\.[A-Za-z][A-Za-z0-9_]*)`:(?P<before_first>[0-9]{1,9})(?:-(?P<before_last>[0-9]{1,9}))?(?::[0-9]+)?\b
  | (?P<plain>[\p{L}\p{M}\p{N}_/.@+\-]*\.[A-Za-z][A-Za-z0-9_]*):(?P<plain_first>[0-9]{1,9})(?:-(?P<plain_last>[0-9]{1,9}))?(?::[0-9]+)?\b";

/// How well a text is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It shows what a program printed.
    Execution,
    Quotation,
    Reasoning,
}

impl Level {
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Execution => 1,
            Self::Quotation => 2,
            Self::Reasoning => 3,
        }
    }
}

/// Lines of a file, as somebody quoted them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation {
    /// The path without `./`. Data only: it may name anything.
    pub path: String,
    /// The first line that is named.
    pub first_line: usize,
    /// The last line that is named.
    pub last_line: usize,
    /// What is quoted beside it: at least one text that is not blank.
    pub fragments: Vec<String>,
}

impl Quotation {
    /// Whether one of the fragments stands in the file at the lines that are named, or two lines off. White space does not count.
    pub fn stands_in(&self, file: &str) -> bool {
        let start = self.first_line.saturating_sub(DRIFT + 1);
        self.fragments.iter().filter(|fragment| !fragment.trim().is_empty()).any(|fragment| {
            let end = self.last_line.saturating_add(DRIFT + fragment.trim().lines().count() - 1);
            let near: Vec<&str> = file.lines().skip(start).take(end.saturating_sub(start)).collect();
            single_spaced(&near.join(" ")).contains(&single_spaced(fragment))
        })
    }
}

/// How well a text is founded, as far as the text itself can tell: the best of what it shows.
///
/// Files are those that were changed. If some are given, places in others are no evidence. A picture is none either: nobody can tell
/// here whether it exists.
pub fn evidence_level(text: &str, files: &[impl AsRef<str>]) -> Level {
    evidence_level_where(text, files, &|_| true)
}

/// As [`evidence_level`], with a quotation counting only where it holds.
pub fn evidence_level_where(text: &str, files: &[impl AsRef<str>], holds: &dyn Fn(&Quotation) -> bool) -> Level {
    let told = without_verdicts(text);
    let lines: Vec<Line<'_>> = lines(&told).into_iter().filter(|line| line.part != Part::Shown).collect();
    let files: HashSet<&str> = files.iter().map(|file| relative(file.as_ref())).collect();
    if shows_output(&lines) || lines.iter().any(|line| is_check(line.text, &files)) {
        Level::Execution
    } else if (0..lines.len()).any(|index| quotes(&lines, index, &files, holds)) {
        Level::Quotation
    } else {
        Level::Reasoning
    }
}

/// Whether a fence shows what a program printed.
fn shows_output(lines: &[Line<'_>]) -> bool {
    let openings = lines.iter().enumerate().filter_map(|(index, line)| match line.part {
        Part::Opening(info) => Some((index, info)),
        _ => None,
    });
    openings.into_iter().any(|(index, info)| {
        let code = code_behind(lines, index);
        let above = &lines[index.saturating_sub(REACH)..index];
        is_of_output(info, above.iter().chain(code)) && has_signature(code)
    })
}

/// The lines of code behind the opening of a fence.
fn code_behind<'l, 'a>(lines: &'l [Line<'a>], opening: usize) -> &'l [Line<'a>] {
    let behind = &lines[opening + 1..];
    let length = behind.iter().position(|line| line.part != Part::Code).unwrap_or(behind.len());
    &behind[..length]
}

fn is_of_output<'l, 'a: 'l>(info: &str, mut nearby: impl Iterator<Item = &'l Line<'a>>) -> bool {
    let language =
        info.split(|sign: char| !sign.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default().to_lowercase();
    OUTPUTS.contains(&&*language) || (SOURCES.binary_search(&&*language).is_err() && nearby.any(|line| is_command(line.text)))
}

fn is_command(line: &str) -> bool {
    let line = strip_bullet(line).unwrap_or(line).trim_start_matches([' ', '\t', '`']);
    line.strip_prefix(['$', '>']).is_some_and(|command| command.starts_with([' ', '\t']) && !command.trim().is_empty())
}

/// Whether some lines of code hold what programs print. Commands and remarks are not output.
fn has_signature(code: &[Line<'_>]) -> bool {
    static PRINTED: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(SIGNATURES).ok());
    static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(?i-u:error):\s").ok());
    let is_output = |line: &Line<'_>| !is_command(line.text) && !line.text.trim_start().starts_with('#');
    code.iter().enumerate().filter(|(_, line)| is_output(line)).any(|(index, line)| {
        let is_error = || ERROR.as_ref().is_some_and(|error| error.is_match(line.text));
        // Compilers name the place in front of an error or below it.
        let has_place = || code[index..].iter().take(REACH + 1).any(|line| !places(line.text).is_empty());
        PRINTED.as_ref().is_some_and(|printed| printed.is_match(line.text)) || (is_error() && has_place())
    })
}

/// Whether a line repeats a check that was made before the role was asked: it says so, and names a rule and a place.
fn is_check(line: &str, files: &HashSet<&str>) -> bool {
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(?i-u:pre[- ]?validated)\b").ok());
    static RULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b(?i-u:rule)(?:\s*[:=]|\s)\s*[`\[(]?[A-Za-z@]\w*[/.\-0-9]|[`\[(][A-Za-z@][\w/.\-]*[A-Za-z0-9][`\])]").ok()
    });
    if !SAID.as_ref().is_some_and(|said| said.is_match(line)) {
        return false;
    }
    let named = places(line);
    let is_place = |found: Range<usize>| named.iter().any(|place| place.range.start < found.end && found.start < place.range.end);
    let is_rule = |found: regex::Match<'_>| !is_place(found.range()) && !found.as_str().to_lowercase().contains("validated");
    RULE.iter().flat_map(|rule| rule.find_iter(line)).any(is_rule) && named.iter().any(|place| place.is_among(files))
}

/// Whether a line names a place and something is quoted from it on that line or soon behind it.
fn quotes(lines: &[Line<'_>], index: usize, files: &HashSet<&str>, holds: &dyn Fn(&Quotation) -> bool) -> bool {
    let line = &lines[index];
    let mut named = places(line.text);
    // In code a place says what it is the place of only if it comes first, as above a quotation or in what a search prints.
    let is_first = |place: &Place<'_>| !line.text[..place.range.start].contains(char::is_alphanumeric);
    named.retain(|place| place.is_among(files) && (line.part != Part::Code || is_first(place)));
    if named.is_empty() {
        return false;
    }
    let mut fragments = fragments(lines, index);
    // The name of a file is not what stands in it.
    fragments.retain(|fragment| !named.iter().any(|place| place.is_called(relative(fragment))));
    if fragments.is_empty() {
        return false;
    }
    let mut quotation = Quotation { path: String::new(), first_line: 0, last_line: 0, fragments };
    named.into_iter().any(|place| {
        place.path.clone_into(&mut quotation.path);
        (quotation.first_line, quotation.last_line) = (place.first_line, place.last_line);
        holds(&quotation)
    })
}

/// What is quoted on a line and on those behind it.
fn fragments(lines: &[Line<'_>], index: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (offset, line) in lines[index..].iter().take(REACH + 1).enumerate() {
        match line.part {
            Part::Prose => found.extend(spans(line.text).into_iter().map(without_places)),
            Part::Opening(_) => {
                let code: Vec<&str> = code_behind(lines, index + offset).iter().map(|line| line.text).collect();
                found.push(code.join("\n"));
            }
            Part::Code => found.push(without_places(line.text)),
            Part::Closing | Part::Shown => {}
        }
    }
    found.retain(|fragment| fragment.contains(char::is_alphanumeric));
    found
}

/// The texts between backticks: as many close a text as open it. What nobody closes opens none.
fn spans(line: &str) -> Vec<&str> {
    static TICKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("`+").ok());
    let runs: Vec<Range<usize>> = TICKS.iter().flat_map(|ticks| ticks.find_iter(line)).map(|run| run.range()).collect();
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(opening) = runs.get(at) {
        at += 1;
        if let Some(between) = runs[at..].iter().position(|run| run.len() == opening.len()) {
            spans.push(&line[opening.end..runs[at + between].start]);
            at += between + 1;
        }
    }
    spans
}

/// What a text quotes, without the places that it names.
fn without_places(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut end = 0;
    for place in places(text) {
        rest.push_str(&text[end..place.range.start]);
        end = place.range.end;
    }
    rest.push_str(&text[end..]);
    rest.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, ':' | '|')).to_owned()
}

/// A place that a line names.
struct Place<'a> {
    path: &'a str,
    first_line: usize,
    last_line: usize,
    range: Range<usize>,
}

impl Place<'_> {
    /// Whether it lies in one of the files, if any are known.
    fn is_among(&self, files: &HashSet<&str>) -> bool {
        files.is_empty() || files.contains(self.path)
    }

    /// Whether a text is its path, or the end of it.
    fn is_called(&self, name: &str) -> bool {
        self.path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    }
}

fn places(line: &str) -> Vec<Place<'_>> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PLACE).ok());
    let found = FORM.iter().flat_map(|form| form.captures_iter(line)).take(MOST_PLACES);
    let read = found.filter_map(|captures| {
        let form = ["quoted", "before", "plain"].into_iter().find(|form| captures.name(form).is_some())?;
        let part = |ending: &str| captures.name(&format!("{form}{ending}")).map(|part| part.as_str());
        let path = part("").filter(|path| !path.starts_with("//") && !path.contains("://"))?;
        let first_line: usize = part("_first")?.parse().ok()?;
        let last_line = part("_last").map_or(Ok(first_line), str::parse).ok()?;
        let place = Place { path: relative(path), first_line, last_line, range: captures.get(0)?.range() };
        (first_line > 0 && last_line >= first_line).then_some(place)
    });
    read.collect()
}

fn relative(path: &str) -> &str {
    path.trim().trim_start_matches("./")
}

#[cfg(test)]
mod tests {
    use super::SOURCES;

    #[test]
    fn names_of_languages_are_sorted_for_the_search() {
        assert!(SOURCES.is_sorted());
    }
}
