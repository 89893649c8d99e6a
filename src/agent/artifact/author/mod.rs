//! The words of artifacts from a command of the workspace: it gets what was observed and the template's words, and answers with better
//! ones. Each answer is checked, and each is an event, so that nothing is asked twice; without a usable one the template stands.

mod answer;
mod book;
mod check;

use super::difference::difference;
use super::step::Steps;
use super::work::{Land, Task};
use answer::{parse_answer, render_request};
use book::{Book, Word, key_of};
use check::check;
use learn::observation::{ObservationScore, Status};
use render::plain_text;
use store::command::{Asked, Asker, Purpose, Terms};
use store::deadline::Deadline;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// What the command is asked for.
pub const PURPOSE: Purpose = Purpose { table: "artifact", file: "author", things: "observations", doing: "authoring" };
/// The version of what is spoken with the command.
const PROTOCOL: u32 = 1;
/// So many observations are asked about in one run: rendering must not wait for more.
const MOST_ASKED: usize = 5;

/// Better words for an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Authored {
    title: String,
    details: String,
}

/// Observations in the words that artifacts get.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Worded {
    pub rows: Vec<ObservationScore>,
    /// Which keep the template's words, and why.
    pub remarks: Vec<String>,
    /// How an answer differs from the template: the observation and the lines.
    pub differences: Vec<(String, String)>,
}

/// Gives observations the words that were written about them so far, and asks about those without any if somebody may be asked. Of a dry
/// run the answers land too: what is shown is what will be written.
pub fn word_rows(
    workspace: &Workspace,
    task: Task<'_>,
    rows: &[ObservationScore],
    is_asking: bool,
    land: Land<'_>,
) -> Outcome<Worded> {
    let mut worded = Worded { rows: rows.to_vec(), ..Worded::default() };
    if !rows.iter().any(|row| is_meant(row, task.project)) {
        return Ok(worded);
    }
    let mut book = Book::load(workspace, task.project)?;
    if is_asking {
        ask_about(workspace, task, rows, &mut book, &mut worded.remarks, land)?;
    }
    for row in worded.rows.iter_mut().filter(|row| is_meant(row, task.project)) {
        match book.find(row) {
            Some(Word::Kept(words)) => {
                let (before, after) = (sheet(&row.pattern, &row.details), sheet(&words.title, &words.details));
                worded
                    .differences
                    .push((format!("{}: the template and the words of the command", row.id), difference(&before, &after)));
                words.title.clone_into(&mut row.pattern);
                words.details.clone_into(&mut row.details);
            }
            Some(Word::Refused(reason)) => {
                worded.remarks.push(format!("{} keeps the template: the answer was refused, {reason}", row.id));
            }
            None => {}
        }
    }
    Ok(worded)
}

fn sheet(title: &str, details: &str) -> String {
    format!("{title}\n\n{}\n", details.replace("; ", ";\n"))
}

/// Whether an observation has, or is about to have, an artifact that nobody edited.
fn is_meant(row: &ObservationScore, project: &str) -> bool {
    row.project == project && row.quality_ok && !row.is_edited && matches!(row.status, Status::Ready | Status::Created)
}

fn ask_about(
    workspace: &Workspace,
    task: Task<'_>,
    rows: &[ObservationScore],
    book: &mut Book,
    remarks: &mut Vec<String>,
    land: Land<'_>,
) -> Outcome<()> {
    let settings = task.settings;
    let terms = Terms {
        purpose: PURPOSE,
        command: &settings.command,
        timeout_seconds: settings.timeout_seconds,
        retries: settings.retries,
        calls_per_day: settings.calls_per_day,
        most_answer_kib: settings.most_answer_kib,
    };
    let Some(mut asker) = Asker::load(workspace, terms, Deadline::NEVER, task.now)? else { return Ok(()) };
    let waiting: Vec<&ObservationScore> =
        rows.iter().filter(|row| is_meant(row, task.project) && book.find(row).is_none()).take(MOST_ASKED).collect();
    for row in waiting {
        let mut steps = Steps::of(task.root);
        // What cannot be read is asked for again; what can be read and does harm is refused for good.
        let parse =
            |text: &str| parse_answer(text, row.observation_type).map(|words| check(row, &words, &mut steps).map(|()| words));
        match asker.ask(&render_request(row), 1, parse) {
            Asked::Answered(Ok(words)) => book.put(row, task, Word::Kept(words), land)?,
            Asked::Answered(Err(reason)) => book.put(row, task, Word::Refused(plain_text(&reason, 300)), land)?,
            Asked::Failed(cause) => remarks.push(format!("{} keeps the template: {}", row.id, plain_text(&cause, 300))),
            Asked::Over(cause) => {
                remarks.push(cause);
                break;
            }
        }
        if let Some(cause) = asker.despair() {
            remarks.push(cause);
            break;
        }
    }
    Ok(())
}

/// What an observation says, by which its words are found again.
fn key(row: &ObservationScore) -> String {
    key_of(row.observation_type.get(), &row.pattern, &row.details)
}
