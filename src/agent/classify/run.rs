//! Classifying all lessons that wait for it, by the built-in rules or by a command.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use event::field::ClassificationStatus;
use setting::ClassifySettings;
use store::command::{Asked, Asker, Land, Purpose, Terms, name_of};
use text::diagnostic::Outcome;
use text::fit::quoted;

use super::answer::{Answer, parse_answer, render_request};
use super::builtin::{classify, pass_gates};
use super::lesson::{Classification, PendingLesson};

/// What classifying needs beside the lessons: summaries of patterns that exist, best first.
pub type Task<'a> = store::command::Task<'a, String>;

/// What became of the lessons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classified {
    /// Lessons that stand in their own words.
    pub approved: usize,
    /// Lessons that stand in other words.
    pub reworded: usize,
    /// Lessons that do not become patterns.
    pub rejected: usize,
    /// Lessons that stay pending.
    pub left: usize,
    /// How often the command was asked.
    pub calls: u32,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Classifies lessons, and reports after each part how many of all have been dealt with.
///
/// The answers of each call are landed before the next is made: whoever is killed in between has nothing to ask twice.
/// Failures of the command, of its budget and of the time leave lessons pending, with a warning. They never cost an answer
/// that was given. Where answers cannot be landed, nothing more is asked.
pub fn classify_all(
    task: &Task<'_>,
    lessons: &[PendingLesson],
    land: &mut Land<'_>,
    report: &mut dyn FnMut(usize, usize),
) -> Outcome<Classified> {
    let mut sitting = Sitting { task, lessons, decided: vec![None; lessons.len()], classified: Classified::default() };
    if let Some(mut asker) = Asker::load(task.workspace, terms(&task.settings.classify), task.deadline, task.now)? {
        sitting.ask_about_all(&mut asker, land, report)?;
        sitting.classified.calls = asker.calls();
    } else {
        sitting.judge(report);
        sitting.settle(0..lessons.len(), land)?;
    }
    Ok(sitting.classified)
}

/// What the command is asked for.
pub const PURPOSE: Purpose = Purpose { table: "classify", file: "classifier", things: "lessons", doing: "classifying" };

fn terms(settings: &ClassifySettings) -> Terms<'_> {
    Terms {
        purpose: PURPOSE,
        command: &settings.command,
        timeout_seconds: settings.timeout_seconds,
        retries: settings.retries,
        calls_per_day: settings.calls_per_day,
        most_answer_kib: settings.most_answer_kib,
    }
}

/// The name of the built-in classifier in events, and that of the quality gates.
const BUILT_IN: &str = "built-in";
const GATE: &str = "gate";
/// How many refused entries of one answer are told.
const TOLD_FAULTS: usize = 3;

/// One run: what was decided about each lesson so far, and by whom.
struct Sitting<'a> {
    task: &'a Task<'a>,
    lessons: &'a [PendingLesson],
    decided: Vec<Option<(Classification, String)>>,
    classified: Classified,
}

impl Sitting<'_> {
    fn judge(&mut self, report: &mut dyn FnMut(usize, usize)) {
        for (place, lesson) in self.lessons.iter().enumerate() {
            if self.task.deadline.is_over() {
                return self.warn(format!("the time limit for {} is reached", PURPOSE.doing));
            }
            self.decided[place] = Some((classify(lesson, &self.task.settings.capture), BUILT_IN.to_owned()));
            report(place + 1, self.lessons.len());
        }
    }

    fn ask_about_all(&mut self, asker: &mut Asker<'_>, land: &mut Land<'_>, report: &mut dyn FnMut(usize, usize)) -> Outcome<()> {
        self.pass_gates();
        let mut settled = 0;
        for part in self.parts() {
            let end = part.end;
            if self.ask_about(asker, part).is_break() {
                break;
            }
            self.settle(settled..end, land)?;
            settled = end;
            report(settled, self.lessons.len());
        }
        // However far the command came, what it need not be asked about is decided.
        self.settle(settled..self.lessons.len(), land)
    }

    /// Rejects what no command has to be asked about.
    fn pass_gates(&mut self) {
        for (lesson, decided) in self.lessons.iter().zip(&mut self.decided) {
            if let Err(reasons) = pass_gates(lesson, &self.task.settings.capture) {
                *decided = Some((Classification::rejected(&reasons), GATE.to_owned()));
            }
        }
    }

    /// Cuts the lessons into parts, in order, each with as many open ones as fit into a batch. The ids of those differ, so that
    /// an answer can name them.
    fn parts(&self) -> Vec<Range<usize>> {
        let most = self.task.settings.classify.lessons_per_call.max(1);
        let (mut parts, mut start, mut ids) = (Vec::new(), 0, HashSet::new());
        for place in self.open(0..self.lessons.len()) {
            let id = self.lessons[place].id.as_str();
            if ids.len() == most || ids.contains(id) {
                parts.push(start..place);
                start = place;
                ids.clear();
            }
            ids.insert(id);
        }
        parts.push(start..self.lessons.len());
        parts
    }

    /// The places of lessons about which nothing is decided.
    fn open(&self, part: Range<usize>) -> Vec<usize> {
        part.filter(|place| self.decided[*place].is_none()).collect()
    }

    /// Asks about the open lessons of a part. Breaks off where no other part should be asked about.
    fn ask_about(&mut self, asker: &mut Asker<'_>, part: Range<usize>) -> ControlFlow<()> {
        let batch = self.open(part);
        if batch.is_empty() {
            return ControlFlow::Continue(());
        }
        let lessons: Vec<&PendingLesson> = batch.iter().map(|place| &self.lessons[*place]).collect();
        let capture = &self.task.settings.capture;
        let request = render_request(&lessons, self.task.known, capture);
        match asker.ask(&request, lessons.len(), |text| usable(parse_answer(text, &lessons, capture)?)) {
            Asked::Answered(answer) => self.keep(&batch, answer),
            Asked::Failed(cause) if self.task.settings.classify.fall_back => {
                self.warn(format!("the built-in classifier decided about {} lessons: {cause}", batch.len()));
                for place in batch {
                    self.decided[place] = Some((classify(&self.lessons[place], capture), BUILT_IN.to_owned()));
                }
            }
            Asked::Failed(cause) => self.warn(format!("{} lessons stay pending: {cause}", batch.len())),
            Asked::Over(cause) => {
                self.warn(cause);
                return ControlFlow::Break(());
            }
        }
        match asker.despair() {
            Some(cause) => {
                self.warn(cause);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }

    fn keep(&mut self, batch: &[usize], answer: Answer) {
        let name = name_of(&self.task.settings.classify.command);
        let missing = answer.classifications.iter().filter(|classification| classification.is_none()).count();
        if !answer.faults.is_empty() || missing > 0 {
            let shown = answer.faults.iter().take(TOLD_FAULTS).cloned().collect::<Vec<_>>().join("; ");
            let more = answer.faults.len().saturating_sub(TOLD_FAULTS);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let refused = if shown.is_empty() { String::new() } else { format!("; refused: {shown}{more}") };
            self.warn(format!("{} gave no usable answer for {missing} of {} lessons{refused}", quoted(&name), batch.len()));
        }
        for (place, classification) in batch.iter().zip(answer.classifications) {
            self.decided[*place] = classification.map(|classification| (classification, name.clone()));
        }
    }

    /// Counts what became of the lessons of a part, and lands what was decided.
    fn settle(&mut self, part: Range<usize>, land: &mut Land<'_>) -> Outcome<()> {
        let mut lines = Vec::new();
        for place in part {
            let lesson = &self.lessons[place];
            let Some((decided, by)) = self.decided[place].take() else {
                self.classified.left += 1;
                continue;
            };
            match decided.line(lesson, &by, self.task.now) {
                Ok(line) => {
                    lines.push(line);
                    self.count(decided.status);
                }
                Err(cause) => {
                    self.classified.left += 1;
                    self.warn(format!("the lesson {} stays pending: {cause}", quoted(&lesson.id)));
                }
            }
        }
        if lines.is_empty() { Ok(()) } else { land(lines) }
    }

    const fn count(&mut self, status: ClassificationStatus) {
        match status {
            ClassificationStatus::Approved => self.classified.approved += 1,
            ClassificationStatus::Reworded => self.classified.reworded += 1,
            ClassificationStatus::Rejected => self.classified.rejected += 1,
        }
    }

    fn warn(&mut self, warning: String) {
        self.classified.warnings.push(warning);
    }
}

/// An answer of which nothing can be used is no answer.
fn usable(answer: Answer) -> Result<Answer, String> {
    if answer.classifications.iter().any(Option::is_some) {
        return Ok(answer);
    }
    let first = answer.faults.first().map_or(String::new(), |fault| format!(": {fault}"));
    Err(format!("the answer is not usable for any lesson{first}"))
}
