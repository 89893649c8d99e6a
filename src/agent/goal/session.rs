//! The transcript of a session: where it lies, and what the session spent.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::criterion::Threshold;
use super::outcome::{GoalOutcome, number};
use super::situation::Situation;
use super::token::{TokenCounts, count_tokens};
use store::durable;
use text::fit::is_unprintable;

/// How many projects are looked into for a transcript.
const MOST_PROJECTS: usize = 10_000;
const MOST_NAME_BYTES: usize = 200;

/// Judges a run by what its session spent.
///
/// Without a transcript there is no score. A middling one would be a measurement that nobody made, and runs without transcripts
/// would look better than runs that were measured and spent too much.
pub(super) fn judge_tokens(goal: &str, threshold: &Threshold, situation: &Situation) -> GoalOutcome {
    let failed = |error: &str, details: &str| GoalOutcome::failed(goal, None, error, details);
    let path = match find_transcript(situation) {
        Found::File(path) => path,
        Found::Nothing => return failed("session_file_not_found", "the transcript of the session was not found"),
        Found::Refused => return failed("session_id_refused", "the session's id is not a plain file name"),
    };
    let counted = durable::open_regular(&path).and_then(|file| count_tokens(BufReader::with_capacity(1 << 16, file)));
    match counted {
        Err(error) => failed("session_file_unreadable", &format!("the transcript of the session cannot be read: {error}")),
        Ok(counts) if counts.messages == 0 => {
            failed("usage_not_found", "the transcript of the session has no token counts").with("unread_lines", counts.unread_lines)
        }
        Ok(counts) => judge(goal, threshold, &counts),
    }
}

fn judge(goal: &str, threshold: &Threshold, counts: &TokenCounts) -> GoalOutcome {
    #[expect(clippy::cast_precision_loss, reason = "no session spends that much")]
    let total = counts.total() as f64;
    let outcome = GoalOutcome::measured(goal, threshold.is_reached(total), Some(threshold.score(total)))
        .with("input_tokens", counts.input)
        .with("output_tokens", counts.output)
        .with("cache_tokens", counts.cache)
        .with("total_tokens", counts.total())
        .with("target", number(threshold.target))
        .saying(&format!("{} tokens; the target is {}", counts.total(), threshold.target));
    match counts.unread_lines {
        0 => outcome,
        unread => outcome.noting(&format!("unreadable lines of the transcript that were skipped: {unread}")),
    }
}

enum Found {
    File(PathBuf),
    Nothing,
    /// What is said to be a session could lead anywhere.
    Refused,
}

fn find_transcript(situation: &Situation) -> Found {
    if let Some(file) = &situation.session_file {
        return if file.exists() { Found::File(file.clone()) } else { Found::Nothing };
    }
    let Some(id) = situation.session_id.as_deref().filter(|id| !id.is_empty()) else { return Found::Nothing };
    if !is_file_name(id) {
        return Found::Refused;
    }
    let name = format!("{id}.jsonl");
    let claude = situation.home.as_ref().map(|home| home.join(".claude"));
    let sessions = situation.sessions.clone().or_else(|| claude.as_ref().map(|claude| claude.join("sessions")));
    let near = sessions.map(|sessions| sessions.join(&name)).filter(|path| is_file(path));
    near.or_else(|| find_below(&claude?.join("projects"), &name)).map_or(Found::Nothing, Found::File)
}

/// A file of that name in a folder of a folder: the first one, in the order of the names.
fn find_below(projects: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(projects).ok()?.take(MOST_PROJECTS).filter_map(Result::ok);
    entries.map(|entry| entry.path().join(name)).filter(|path| is_file(path)).min()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn is_file_name(id: &str) -> bool {
    id.len() <= MOST_NAME_BYTES
        && !matches!(id, "." | "..")
        && !id.contains(|letter| matches!(letter, '/' | '\\') || is_unprintable(letter))
}
