//! A lesson in tidy words: one sentence, no code blocks, no paths of one machine.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use setting::CaptureSettings;
use text::fit::plain_text;

use super::gate::without_markers;
use super::keyword::is_listed;
use super::lesson::PendingLesson;

/// The summary of a lesson in tidy words. Tidying it once more changes nothing.
pub fn reworded(lesson: &PendingLesson, settings: &CaptureSettings) -> String {
    // What one step uncovers, another may have to take away. A few rounds are enough for text that people write.
    const ROUNDS: usize = 16;
    let mut text = Cow::Borrowed(lesson.summary.as_str());
    for _ in 0..ROUNDS {
        let tidied = tidied(&text, lesson, settings);
        if tidied == *text {
            break;
        }
        text = Cow::Owned(tidied);
    }
    text.into_owned()
}

fn tidied(text: &str, lesson: &PendingLesson, settings: &CaptureSettings) -> String {
    let text = without_fences(text);
    let text = plain_text(&without_markers(&text), usize::MAX).replace("``", "`");
    let text = without_opening(&text);
    let text = with_relative_paths(&text, lesson);
    let text = text.trim_end_matches(['.', '…', ' ']);
    shortened(text, settings).trim_end_matches(['.', '…', ' ']).to_owned()
}

/// The text outside of fenced code. A fence that is never closed reaches to the end.
fn without_fences(text: &str) -> String {
    text.split("```").step_by(2).collect::<Vec<_>>().join(" ")
}

/// The text without a list's mark, a heading's, a label, or a remark that it is about this project.
fn without_opening(text: &str) -> String {
    static OPENING: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:#+\s|[-*>•–]\s|\d{1,2}[.)]\s|(?:lesson(?: learned)?|learning|pattern|insight|convention|mistake|note|til):\s",
            r"|(?:in|for|within) (?:this|our|the current) (?:project|repo|repository|codebase|code base|workspace|monorepo|app|application)",
            r",?\s)\s*",
        ))
        .ok()
    });
    let lowered = text.to_ascii_lowercase();
    let Some(found) = OPENING.as_ref().and_then(|opening| opening.find(&lowered)) else { return text.to_owned() };
    capitalized(&text[found.end()..])
}

/// The text with a capital letter in front, where its first word is a common one. Names of tools keep their spelling.
fn capitalized(text: &str) -> String {
    const COMMON: [&str; 20] = [
        "a", "all", "always", "avoid", "call", "do", "every", "keep", "never", "prefer", "put", "run", "set", "tests", "the",
        "there", "use", "we", "when", "write",
    ];
    match text.split_once(' ') {
        Some((first, _)) if COMMON.contains(&first) => text[..1].to_ascii_uppercase() + &text[1..],
        _ => text.to_owned(),
    }
}

fn with_relative_paths<'text>(text: &'text str, lesson: &PendingLesson) -> Cow<'text, str> {
    static ABSOLUTE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(^|[\s(\[`"'=])(/[\w.@+~-]+(?:/[\w.@+~-]+)+/?)"#).ok());
    let Some(absolute) = &*ABSOLUTE else { return Cow::Borrowed(text) };
    absolute.replace_all(text, |found: &Captures<'_>| format!("{}{}", &found[1], relative(&found[2], lesson)))
}

/// Folders that every machine has.
const SYSTEM: &str = "\
    bin boot dev etc lib lib64 mnt proc run sbin sys tmp usr var opt";

/// Whether an absolute path is one that every machine may have.
pub(super) fn is_system_path(path: &str) -> bool {
    let first = path.strip_prefix('/').and_then(|path| path.split('/').next());
    first.is_some_and(|first| is_listed(SYSTEM, first))
}

fn relative(path: &str, lesson: &PendingLesson) -> String {
    let top = lesson.repo_top.as_deref().map(|top| top.trim_end_matches('/')).filter(|top| !top.is_empty());
    let below = |top: &str| path.strip_prefix(top)?.strip_prefix('/').filter(|rest| !rest.is_empty());
    if let Some(rest) = top.and_then(below) {
        return rest.to_owned();
    }
    if is_system_path(path) {
        return path.to_owned();
    }
    let named = lesson.repo_name.as_deref().filter(|name| !name.is_empty()).and_then(|name| path.split_once(&format!("/{name}/")));
    if let Some((_, rest)) = named.filter(|(_, rest)| !rest.is_empty()) {
        return rest.to_owned();
    }
    // The name of a machine's user means nothing to anybody else.
    let mut parts = path.splitn(4, '/').skip(1);
    match (parts.next(), parts.next(), parts.next()) {
        (Some("home" | "Users"), Some(_), Some(rest)) if !rest.is_empty() => format!("~/{rest}"),
        _ => path.to_owned(),
    }
}

/// The first sentence of a text that is too long, with as many more as it takes to say enough.
fn shortened<'text>(text: &'text str, settings: &CaptureSettings) -> &'text str {
    if text.chars().nth(settings.most_characters).is_none() {
        return text;
    }
    let enough = |part: &&str| part.chars().nth(settings.least_characters.saturating_sub(1)).is_some();
    sentences(text).find(enough).unwrap_or(text)
}

/// The first sentence of a text, its first two, and so on, without the last.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    static END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"[.!?]["')\]`]?\s+[\p{Lu}\p{N}`"'(]"#).ok());
    let ends = END.iter().flat_map(|end| end.find_iter(text)).map(|found| found.start());
    ends.filter(|start| !is_abbreviated(&text[..*start])).map(|start| &text[..=start])
}

fn is_abbreviated(text: &str) -> bool {
    const ABBREVIATIONS: [&str; 8] = ["approx", "cf", "e.g", "etc", "i.e", "incl", "resp", "vs"];
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    ABBREVIATIONS.iter().any(|short| short.eq_ignore_ascii_case(word))
}
