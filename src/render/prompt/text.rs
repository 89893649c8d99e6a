//! Text that agents wrote, made harmless for the context of another agent: it stays one line, and text.

use crate::event::is_unprintable;

/// What a text that was cut ends with.
const CUT: &str = "...";

/// Words by which agents and hooks talk to each other. An agent that repeats a lesson must not say them by accident.
const SIGNALS: [&str; 5] = ["LEARNINGS_ACKNOWLEDGED", "VALIDATION_PASSED", "VALIDATION_FAILED", "no_learnings", "jkz:verdict"];

/// Names of tags by which contexts are structured, beside all that hold a dash, a colon or an underscore.
const TAGS: [&str; 14] = [
    "assistant",
    "context",
    "example",
    "human",
    "important",
    "instructions",
    "invoke",
    "message",
    "prompt",
    "result",
    "system",
    "thinking",
    "tool",
    "user",
];

/// What stands before a lesson in a block, and must not be forged inside of one.
const MARKS: [&str; 7] = ["high", "medium", "low", "untested", "review", "stale", "prune"];

/// A text on one line of at most so many characters that cannot close its block, open another, forge a marker, or hide or reorder
/// what stands around it.
#[must_use]
pub fn prompt_text(text: &str, most_characters: usize) -> String {
    let plain = on_one_line(text);
    let safe = without_marks(&without_signals(&without_tags(&without_rules(&plain))));
    cut(&safe, most_characters)
}

/// A name from outside, as it may stand in a heading or an attribute: a few harmless characters. None if nothing is left.
#[must_use]
pub fn prompt_name(name: &str) -> Option<String> {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':');
    let plain: String = name.chars().filter(is_plain).take(64).collect();
    (!plain.is_empty()).then_some(plain)
}

/// White space of every kind becomes one space; what cannot be seen is left out.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !is_unprintable(letter) {
            line.push(letter);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Runs of signs that rule off blocks or open code: `===`, fences.
fn without_rules(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = rest.chars().take_while(|letter| *letter == first).count();
        let stand_in = match first {
            '=' => '＝',
            '`' => 'ˋ',
            '~' => '∼',
            _ => first,
        };
        safe.extend(std::iter::repeat_n(if run >= 3 { stand_in } else { first }, run));
        rest = &rest[run * first.len_utf8()..];
    }
    safe
}

/// Whatever could be read as a tag or a comment loses its opening sign. `Vec<String>` is none.
fn without_tags(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        safe.push_str(before);
        safe.push(if opens_tag(&tag[1..]) { '‹' } else { '<' });
        rest = &tag[1..];
    }
    safe + rest
}

fn opens_tag(behind: &str) -> bool {
    let behind = behind.trim_start();
    if behind.starts_with(['/', '!', '?', '|', '<']) {
        return true;
    }
    let name: String =
        behind.chars().take_while(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ':' | '.')).collect();
    let is_name = name.starts_with(char::is_alphabetic);
    is_name && (name.contains(['-', '_', ':']) || TAGS.contains(&&*name.to_lowercase()))
}

fn without_signals(text: &str) -> String {
    let mut safe = text.to_owned();
    for signal in SIGNALS {
        let lowered = signal.to_ascii_lowercase();
        // Only bytes of ASCII change their case, so places in both texts are the same.
        while let Some(at) = safe.to_ascii_lowercase().find(&lowered) {
            let harmless = safe[at..at + signal.len()].replace(['_', ':'], "-");
            safe.replace_range(at..at + signal.len(), &harmless);
        }
    }
    safe
}

/// A bin, a flag or a track record in brackets stands in parentheses.
fn without_marks(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, bracket) = rest.split_at(at);
        safe.push_str(before);
        match bracket.find(']') {
            Some(end) if is_mark(&bracket[1..end]) => {
                safe.push('(');
                safe.push_str(&bracket[1..end]);
                safe.push(')');
                rest = &bracket[end + 1..];
            }
            _ => {
                safe.push('[');
                rest = &bracket[1..];
            }
        }
    }
    safe + rest
}

fn is_mark(inside: &str) -> bool {
    let inside = inside.trim().to_lowercase();
    MARKS.contains(&&*inside) || inside.starts_with("score:") || inside.ends_with("x validated") || inside.ends_with("x ignored")
}

fn cut(text: &str, most_characters: usize) -> String {
    if text.chars().count() <= most_characters {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most_characters.saturating_sub(CUT.len())).collect();
    format!("{}{CUT}", kept.trim_end())
}
