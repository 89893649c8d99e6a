//! How well a text is founded.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::block::without_verdicts;
use super::line::{Line, Part, lines, strip_bullet};
use super::output::{is_printed, is_supposed, may_be_printed};
use crate::fit::single_spaced;

/// How many lines may stand between a command and its output, or a place and what is quoted from it.
const REACH: usize = 3;
/// How many lines a quotation may stand beside the line that is named for it.
const DRIFT: usize = 2;
/// The most places that are looked at in one line.
const MOST_PLACES: usize = 100;

/// What fences call output, or commands with their output.
const OUTPUTS: [&str; 11] =
    ["bash", "console", "output", "plaintext", "powershell", "sh", "shell", "stdout", "terminal", "text", "txt"];
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
    /// The level of that number.
    #[must_use]
    pub const fn from_number(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::Execution),
            2 => Some(Self::Quotation),
            3 => Some(Self::Reasoning),
            _ => None,
        }
    }

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

/// Whether a fence or an indented block shows what a program printed.
fn shows_output(lines: &[Line<'_>]) -> bool {
    let fenced = lines.iter().enumerate().filter_map(|(index, line)| match line.part {
        Part::Opening(info) => Some((index, info, code_behind(lines, index))),
        _ => None,
    });
    let indented = indented_blocks(lines).into_iter().map(|block| (block.start, "", &lines[block]));
    fenced.chain(indented).any(|(start, info, code)| {
        let above = &lines[start.saturating_sub(REACH)..start];
        let introduction = lines[..start].iter().rev().find(|line| !line.text.trim().is_empty());
        if is_source(info) || introduction.is_some_and(|line| line.part == Part::Prose && is_supposed(line.text)) {
            return false;
        }
        let is_printed = |line: &Line<'_>| !is_command(line.text) && is_printed(line.text);
        code.iter().any(is_printed) || (is_of_output(info, above.iter().chain(code)) && has_hint(code))
    })
}

/// The blocks that are code by their indentation: lines behind a blank one that begin with four blanks or a tab.
pub(super) fn indented_blocks(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let is_indented = |line: &Line<'_>| {
        line.part == Part::Prose && !line.text.trim().is_empty() && (line.text.starts_with("    ") || line.text.starts_with('\t'))
    };
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let is_apart = at == 0 || lines[at - 1].text.trim().is_empty();
        let length = if is_apart { lines[at..].iter().take_while(|line| is_indented(line)).count() } else { 0 };
        if length > 0 {
            blocks.push(at..at + length);
        }
        at += length.max(1);
    }
    blocks
}

/// The lines of code behind the opening of a fence.
pub(super) fn code_behind<'l, 'a>(lines: &'l [Line<'a>], opening: usize) -> &'l [Line<'a>] {
    let behind = &lines[opening + 1..];
    let length = behind.iter().position(|line| line.part != Part::Code).unwrap_or(behind.len());
    &behind[..length]
}

fn is_of_output<'l, 'a: 'l>(info: &str, mut nearby: impl Iterator<Item = &'l Line<'a>>) -> bool {
    OUTPUTS.contains(&&*language_of(info)) || nearby.any(|line| is_command(line.text))
}

fn is_source(info: &str) -> bool {
    SOURCES.binary_search(&&*language_of(info)).is_ok()
}

fn language_of(info: &str) -> String {
    info.split(|sign: char| !sign.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default().to_lowercase()
}

pub(super) fn is_command(line: &str) -> bool {
    let line = strip_bullet(line).unwrap_or(line).trim_start_matches([' ', '\t', '`']);
    line.strip_prefix(['$', '>']).is_some_and(|command| command.starts_with([' ', '\t']) && !command.trim().is_empty())
}

/// Whether some lines of code hold what programs may print. Commands and remarks are not output.
fn has_hint(code: &[Line<'_>]) -> bool {
    static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(?i-u:error):\s").ok());
    let is_output = |line: &Line<'_>| !is_command(line.text) && !line.text.trim_start().starts_with('#');
    code.iter().enumerate().filter(|(_, line)| is_output(line)).any(|(index, line)| {
        let is_error = || ERROR.as_ref().is_some_and(|error| error.is_match(line.text));
        // Compilers name the place in front of an error or below it.
        let has_place = || code[index..].iter().take(REACH + 1).any(|line| !places(line.text).is_empty());
        may_be_printed(line.text) || (is_error() && has_place())
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
