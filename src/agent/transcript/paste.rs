//! What of a person's turn is the person's own: without logs, code, diffs, quotations and reviews that were only pasted.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// A shorter line may be the agent's and the person's by chance.
const LEAST_QUOTED: usize = 24;
/// A shorter paragraph behind a pasted one is a person's word on it.
const LEAST_CONTINUED: usize = 40;
/// A shorter paragraph is hardly a review.
const LEAST_REVIEW: usize = 140;

/// Lines as programs write them.
static OUTPUT: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        // Places in files, and results of test runners and compilers.
        r"^\s*[\w./\\-]+\.\w{1,5}:\d+(:\d+)?[:\s]",
        r"^\s*(--- |=== |FAIL\b|PASS\b|ok\s+\S+\s+[\d.(]|error\[E\d+\]|\s*-->\s)",
        r"^\s*(?i:fatal|error|warning|remote|hint|panic|caused by|npm err!|traceback[^:]*)!?:",
        // Times, logs, stack frames.
        r"^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d",
        r"^\s*\[[\w.-]+\]\s",
        r#"^\s+(at\s+\S+\s*\(|File ")"#,
        r"^\s*(at\s+\S+\(.*\)|goroutine \d+)",
        // Diffs and git.
        r"^(\+\s{2,}|-\s{2,}|@@ |diff --git |\+\+\+ |--- |index [0-9a-f]{7})",
        r"^\s*(commit [0-9a-f]{7,40}\b|[0-9a-f]{12,64}\s*$|Author: |Date: +\w)",
        // Prompts of shells, frames of terminals.
        r"^\s*([❯$%›»] \S|\S+@\S+ .*[%$#] )",
        r"^\s*[⎿│┃├└┌╭╰─]",
        // Data.
        r#"^\s*([{}\[\]()]+[,;]?\s*$|"[\w.-]+"\s*:)"#,
    ])
    .ok()
});

/// A line that reviews of bots carry.
static SEVERITY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)^\W*(low|medium|high|critical) severity\W*$").ok());

/// Openings and names by which a review describes code, and words by which a person speaks.
static DESCRIBES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\W*(The|This|These|In|Both|Consider|An?|After|Calling|Missing|Unused) ").ok());
static IDENTIFIER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"`[^`]+`|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+_\w+|\w\(\)|\w+\.(go|rs|ts|js|py|md|json|yml|toml)\b")
        .ok()
});
static PERSONAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(i|i'm|i'd|i've|i'll|we|we're|we'd|we've|you|your|you're|let's|lets|please|my|our|us|me|always|never use|don't|do not|must use)\b|\?\s*$").ok()
});
/// Words with which a person says that what follows is somebody else's.
static INTRODUCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(feedback|comments?|review|errors?|output|logs?|message|warning|trace|report|getting|seeing|said)\b[^.?!]{0,60}:\s*$").ok()
});

/// Where output begins inside of a line.
static INLINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s(❯ \S|--- (FAIL|PASS)|\S+@\S+ \S+ [%$] |Running \[/)").ok());

/// The person's own words in a text, given what the agent said lately. Whole lines go; what stays keeps its line ends.
pub(super) fn own_words<'h>(text: &str, heard: impl Iterator<Item = &'h str>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let heard: Vec<String> = heard.map(spaced).collect();
    let mut pasted = find_pasted(&lines, &heard);
    let paragraphs = paragraphs(&lines);
    let severity = lines.iter().position(|line| matches(&SEVERITY, line));
    let mut is_foreign = false;
    for (index, &(start, end)) in paragraphs.iter().enumerate() {
        let whole = lines[start..end].join(" ");
        // The title of a review stands in the paragraph before its severity.
        let is_reviewed = severity.is_some_and(|line| end > line || paragraphs.get(index + 1).is_some_and(|next| next.0 == line));
        let goes_on = is_foreign && !matches(&PERSONAL, &whole) && whole.chars().count() >= LEAST_CONTINUED;
        if is_reviewed || goes_on || is_review(&whole) {
            pasted[start..end].fill(true);
        }
        // Below a line that is somebody else's, or that announces it, a line to nobody in particular is too.
        for place in start + 1..end {
            let follows = pasted[place - 1] || matches(&INTRODUCES, lines[place - 1]) || find_inline(lines[place - 1]).is_some();
            pasted[place] |= follows && !matches(&PERSONAL, lines[place]);
        }
        is_foreign = pasted[end - 1] || matches(&INTRODUCES, lines[end - 1]);
    }
    let own = lines.iter().zip(pasted).filter(|(_, pasted)| !pasted);
    let own: Vec<&str> = own.map(|(line, _)| find_inline(line).map_or(*line, |place| &line[..place])).collect();
    own.join("\n").trim().to_owned()
}

/// Which lines are somebody else's by themselves: code, output, quotations.
fn find_pasted(lines: &[&str], heard: &[String]) -> Vec<bool> {
    let mut is_code = false;
    let mut judge = |line: &&str| {
        let start = line.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("\"\"\"");
        let pasted = is_code || is_fence || is_foreign_line(line, heard);
        is_code ^= is_fence;
        pasted
    };
    lines.iter().map(|line| judge(line)).collect()
}

fn find_inline(line: &str) -> Option<usize> {
    INLINE.as_ref()?.find(line).map(|found| found.start())
}

/// Whether a line was written by a program or by the agent, or is marked as a quotation.
fn is_foreign_line(line: &str, heard: &[String]) -> bool {
    if line.trim_start().starts_with('>') || OUTPUT.as_ref().is_some_and(|output| output.is_match(line)) {
        return true;
    }
    let line = spaced(line);
    line.chars().count() >= LEAST_QUOTED && heard.iter().any(|heard| heard.contains(&line))
}

/// Whether a paragraph describes code as a reviewer does: long, about names in the code, to nobody in particular.
fn is_review(paragraph: &str) -> bool {
    paragraph.chars().count() >= LEAST_REVIEW
        && matches(&DESCRIBES, paragraph)
        && matches(&IDENTIFIER, paragraph)
        && !matches(&PERSONAL, paragraph)
}

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The runs of lines that are not blank, by their places.
fn paragraphs(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match found.last_mut() {
            Some((_, end)) if *end == place => *end += 1,
            _ => found.push((place, place + 1)),
        }
    }
    found
}

/// A text with single spaces, and without the signs by which lists and headings are marked.
fn spaced(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_start_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}
