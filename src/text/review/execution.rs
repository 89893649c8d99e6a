//! Whether a text cites what was executed.

use std::sync::LazyLock;

use regex::Regex;

use super::block::without_verdicts;
use super::evidence::{code_behind, indented_blocks, is_command};
use super::line::{Line, Part, lines};
use crate::fit::single_spaced;

/// How many lines behind a command its end may be told.
const REACH: usize = 3;
/// What is shorter is printed by too many programs to tell one from the other.
const LEAST_OUTPUT: usize = 12;
/// What is shorter is a word like any other.
const LEAST_COMMAND: usize = 4;

/// A command that was seen to run.
#[derive(Debug, Clone, Copy)]
pub struct Ran<'r> {
    pub command: &'r str,
    pub exit_code: Option<i64>,
    /// The hash of what it printed.
    pub output_hash: Option<&'r str>,
}

/// The first of some commands that a text cites: it shows what the command printed, to the letter, or it names the command and how it
/// ended. `hash` is the one that outputs are known by.
pub fn find_cited(text: &str, ran: &[Ran<'_>], hash: &dyn Fn(&str) -> String) -> Option<usize> {
    let told = without_verdicts(text);
    let lines: Vec<Line<'_>> = lines(&told).into_iter().filter(|line| line.part != Part::Shown).collect();
    let shown: Vec<(String, usize)> = outputs(&lines).iter().map(|output| (hash(output), output.trim().len())).collect();
    ran.iter().position(|ran| {
        let places = named_at(&lines, ran.command);
        let is_output = |(hash, length): &(String, usize)| {
            Some(&**hash) == ran.output_hash && *length > 0 && (*length >= LEAST_OUTPUT || !places.is_empty())
        };
        let ends = |place: &usize| ran.exit_code.is_some_and(|code| tells_end(&lines[*place..], code));
        shown.iter().any(is_output) || places.iter().any(ends)
    })
}

/// What the blocks of a text show: each as it is, and without the commands that open it.
fn outputs(lines: &[Line<'_>]) -> Vec<String> {
    let fenced = lines.iter().enumerate().filter(|(_, line)| matches!(line.part, Part::Opening(_)));
    let fenced = fenced.map(|(index, _)| code_behind(lines, index).iter().map(|line| line.text).collect::<Vec<_>>());
    let unindented =
        |line: &Line<'_>| line.text.strip_prefix("    ").or_else(|| line.text.strip_prefix('\t')).unwrap_or(line.text).len();
    let indented = indented_blocks(lines)
        .into_iter()
        .map(|block| lines[block].iter().map(|line| &line.text[line.text.len() - unindented(line)..]).collect::<Vec<_>>());
    let blocks = fenced.chain(indented).flat_map(|block| {
        let commands = block.iter().take_while(|line| is_command(line)).count();
        [block.join("\n"), block[commands..].join("\n")]
    });
    blocks.collect()
}

/// The lines that name a command: behind a prompt, or in code, or between backticks.
fn named_at(lines: &[Line<'_>], command: &str) -> Vec<usize> {
    let command = single_spaced(command);
    if command.len() < LEAST_COMMAND {
        return Vec::new();
    }
    let is_named = |line: &Line<'_>| {
        let text = single_spaced(line.text);
        match line.part {
            Part::Prose => is_command(line.text) && text.contains(&command) || text.contains(&format!("`{command}`")),
            Part::Code => text.trim_start_matches(['$', '>', ' ']) == command,
            _ => false,
        }
    };
    lines.iter().enumerate().filter(|(_, line)| is_named(line)).map(|(place, _)| place).collect()
}

/// Whether the first of some lines, or one soon behind it, tells that code.
fn tells_end(lines: &[Line<'_>], code: i64) -> bool {
    static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b(?i-u:exit(?:ed|s)?)(?:\s+(?i-u:with))?(?:\s+(?i-u:code|status))?\s*[:=]?\s*`?(-?[0-9]{1,4})\b").ok()
    });
    let told = lines.iter().take(REACH + 1).flat_map(|line| END.iter().flat_map(|end| end.captures_iter(line.text)));
    let mut codes = told.filter_map(|found| found.get(1)?.as_str().parse::<i64>().ok());
    // The first that is told is this command's.
    codes.next() == Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cites(text: &str, command: &str, exit_code: Option<i64>, output: Option<&str>) -> bool {
        let hash = |text: &str| text.trim_end().to_owned();
        find_cited(text, &[Ran { command, exit_code, output_hash: output.map(str::trim_end) }], &hash).is_some()
    }

    #[test]
    fn a_command_is_cited_with_its_output_or_with_how_it_ended() {
        let output = Some("test result: ok. 7 passed\n");
        for (text, is_cited) in [
            ("I ran it.\n\n```\ntest result: ok. 7 passed\n```\n", true),
            ("```console\n$ cargo test\ntest result: ok. 7 passed\n```\n", true),
            ("See:\n\n    test result: ok. 7 passed\n", true),
            ("```\ntest result: ok. 9 passed\n```\n", false),
            ("`cargo test` passes (exit code 0).", true),
            ("$ cargo test\nexited with 0\n", true),
            ("`cargo test` fails with exit code 101, see `cargo  test`.", false),
            ("`cargo test` passes.", false),
            ("The test result: ok. 7 passed", false),
            ("exit code 0", false),
            ("`cargo test --all` gives exit 0", false),
        ] {
            assert_eq!(cites(text, "cargo test", Some(0), output), is_cited, "{text}");
        }
    }

    #[test]
    fn what_anything_prints_is_no_evidence_by_itself() {
        assert!(!cites("```\nok\n```\n", "make check", Some(0), Some("ok")));
        assert!(cites("```\n$ make check\nok\n```\n", "make check", None, Some("ok")));
        assert!(!cites("```\n```\n", "true", None, Some("")));
    }
}
