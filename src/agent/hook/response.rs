//! What the use of a tool came to, as the host tells it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::touch::Hunk;
use crate::transcript::json;
use crate::transcript::json::Members;
use text::digest::sha256;

/// The most changes of one edit that are kept.
const MOST_HUNKS: usize = 50;
/// What opens the message about a command that failed.
const EXIT_CODE: &str = "Exit code ";

/// What the use of a tool came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Response {
    /// What changed in the file.
    pub(super) hunks: Vec<Hunk>,
    /// How a command ended, if the host says so.
    pub(super) exit_code: Option<i64>,
    /// The hash of what it printed.
    pub(super) output_hash: Option<String>,
}

/// A change of a file, with the lines around it that stayed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawHunk {
    #[serde(default)]
    old_start: u32,
    #[serde(default)]
    new_start: u32,
    #[serde(default)]
    lines: Vec<String>,
}

impl Response {
    /// Reads what a tool answered. An answer of another shape says nothing.
    pub(super) fn read(raw: &RawValue) -> Self {
        let Some(members) = json::members(raw.get()) else {
            return Self { output_hash: json::text(raw).map(|text| hash_output(&text)), ..Self::default() };
        };
        let said = |name: &str| members.get(name).and_then(|value| json::text(value));
        let printed = said("stdout").filter(|text| !text.trim().is_empty()).or_else(|| said("stderr"));
        Self {
            hunks: hunks_of(&members),
            // The host tells of a failure otherwise, and says so where a code other than 0 is none.
            exit_code: (members.contains_key("stdout") && said("returnCodeInterpretation").is_none()).then_some(0),
            output_hash: printed.map(|text| hash_output(&text)),
        }
    }

    /// Reads what a tool that failed said.
    pub(super) fn of_failure(error: &str) -> Self {
        let first = error.lines().next().unwrap_or_default();
        let code = first.split_once(EXIT_CODE).map(|(_, rest)| rest.trim_end_matches(|letter: char| !letter.is_ascii_digit()));
        Self {
            exit_code: code.and_then(|digits| digits.parse().ok()),
            output_hash: Some(hash_output(error.split_once('\n').map_or(error, |(_, output)| output))),
            ..Self::default()
        }
    }
}

/// The hash by which an output is recognised: blanks at its end are lost on many ways.
#[must_use]
pub fn hash_output(output: &str) -> String {
    sha256(output.trim_end().as_bytes())
}

fn hunks_of(members: &Members<'_>) -> Vec<Hunk> {
    let raw = members.get("structuredPatch").and_then(|raw| serde_json::from_str::<Vec<RawHunk>>(raw.get()).ok());
    let hunks: Vec<Hunk> = raw.unwrap_or_default().iter().take(MOST_HUNKS).map(trimmed).collect();
    if !hunks.is_empty() {
        return hunks;
    }
    // A file that was made has no patch.
    let is_made = members.get("type").and_then(|raw| json::text(raw)).as_deref() == Some("create");
    let content = members.get("content").filter(|_| is_made).and_then(|raw| json::text(raw));
    content.map(|content| Hunk { new: [1, count(content.lines().count())], ..Hunk::default() }).into_iter().collect()
}

/// A change without the lines around it that stayed.
fn trimmed(hunk: &RawHunk) -> Hunk {
    let is_kept = |line: &&String| !line.starts_with(['+', '-']);
    let before = hunk.lines.iter().take_while(is_kept).count();
    let inner = &hunk.lines[before..];
    let inner = &inner[..inner.len() - inner.iter().rev().take_while(is_kept).count()];
    let of = |sign: char| count(inner.iter().filter(|line| !line.starts_with(['+', '-', '\\']) || line.starts_with(sign)).count());
    let first = |start: u32| start.saturating_add(count(before));
    Hunk { old: [first(hunk.old_start), of('-')], new: [first(hunk.new_start), of('+')] }
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn read(text: &str) -> Response {
        Response::read(serde_json::from_str(text).expect("JSON"))
    }

    #[test]
    fn a_change_is_told_without_the_lines_around_it() {
        let edit = r#"{"filePath":"/w/a.rs","structuredPatch":[{"oldStart":10,"oldLines":5,"newStart":12,"newLines":6,
            "lines":[" a"," b","-c","+d","+e"," f"," g"]}]}"#;
        assert_eq!(read(edit).hunks, [Hunk { old: [12, 1], new: [14, 2] }]);
    }

    #[test]
    fn a_file_that_was_made_changed_in_all_its_lines() {
        let made = r#"{"type":"create","filePath":"/w/a.rs","content":"x\ny\nz\n","structuredPatch":[]}"#;
        assert_eq!(read(made).hunks, [Hunk { old: [0, 0], new: [1, 3] }]);
        assert_eq!(read(r#"{"type":"update","content":"x","structuredPatch":[]}"#).hunks, []);
    }

    #[test]
    fn the_end_of_a_command_is_read() {
        let passed = read(r#"{"stdout":"ok\n","stderr":"warning","interrupted":false}"#);
        assert_eq!((passed.exit_code, passed.output_hash), (Some(0), Some(hash_output("ok"))));
        let failed = Response::of_failure("Exit code 101\nerror: no\n");
        assert_eq!((failed.exit_code, failed.output_hash), (Some(101), Some(hash_output("error: no"))));
        assert_eq!(Response::of_failure("String to replace not found").exit_code, None);
        let lenient = read(r#"{"stdout":"","stderr":"","returnCodeInterpretation":"No matches found"}"#);
        assert_eq!(lenient.exit_code, None);
    }

    #[test]
    fn an_answer_of_another_shape_says_nothing() {
        for text in ["null", "[]", "1", "{}", r#"{"structuredPatch":[{"lines":7}]}"#, r#"{"structuredPatch":"x"}"#] {
            assert_eq!(read(text), Response::default(), "{text}");
        }
        assert_eq!(read(r#""done""#).output_hash, Some(hash_output("done")));
    }
}
