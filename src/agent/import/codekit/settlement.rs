//! What was read, sorted out by run and put into one order.

use std::collections::HashMap;
use std::mem;

use serde_json::{Map, Value};

use super::gathering::{Account, Fated, Gathering, Repeats, Source};
use super::record::is_same;
use crate::import::imported::{Imported, Notes, Odd, Record as Fate};
use text::fit::quoted;

/// The numbers of the systems, in the order in which one gives way to another.
const GOVERNANCE: usize = 0;
const STORE: usize = 1;
const LOG: usize = 2;

/// What became of all files.
#[derive(Debug)]
pub struct Gathered {
    /// The files, in the order in which they were read.
    pub files: Vec<Imported>,
    /// The order in which events land: each entry stands for the next event of that file.
    pub order: Vec<usize>,
}

/// Where the records of one run stand, one for each system.
type Slots = [Option<usize>; 3];

impl Gathering {
    /// Sorts out what was read.
    #[must_use]
    pub fn finish(mut self) -> Gathered {
        let sequences = self.sequences();
        self.settle_repeats(&sequences);
        self.settle_systems();
        let order = self.book(sequences);
        Gathered { files: self.files.into_iter().map(Account::finish).collect(), order }
    }

    /// The entries of each file in its order; governance outcomes are one sequence, by time and name.
    fn sequences(&self) -> Vec<Vec<usize>> {
        let mut governance = Vec::new();
        let mut others: Vec<Vec<usize>> = vec![Vec::new(); self.files.len()];
        for (index, entry) in self.entries.iter().enumerate() {
            if self.system(index) == GOVERNANCE {
                governance.push(index);
            } else {
                others[entry.file].push(index);
            }
        }
        governance.sort_by_key(|&index| (self.entries[index].time, &self.files[self.entries[index].file].name));
        others.retain(|sequence| !sequence.is_empty());
        others.insert(0, governance);
        others
    }

    /// The number of the system that an entry comes from.
    fn system(&self, entry: usize) -> usize {
        match self.files[self.entries[entry].file].source {
            Source::Governance | Source::Named => GOVERNANCE,
            Source::Store => STORE,
            Source::Log => LOG,
        }
    }

    /// Decides which record counts where one system tells twice of a run.
    fn settle_repeats(&mut self, sequences: &[Vec<usize>]) {
        let mut first: HashMap<(usize, Box<str>), usize> = HashMap::with_capacity(self.entries.len());
        for &index in sequences.iter().flatten() {
            let key = (self.system(index), self.entries[index].run_id.clone());
            let Some(earlier) = first.insert(key.clone(), index) else { continue };
            let is_same = is_same_payload(&self.entries[earlier].event, &self.entries[index].event);
            if self.repeats == Repeats::Last && !is_same {
                // Time decides, then the place: as it does for reports that are recorded.
                let replaced = if self.entries[index].time >= self.entries[earlier].time { earlier } else { index };
                self.entries[replaced].fate = Fated::Duplicate;
                if replaced == index {
                    first.insert(key, earlier);
                }
                continue;
            }
            first.insert(key, earlier);
            self.entries[index].fate = if is_same {
                Fated::Duplicate
            } else {
                let earlier = self.describe(earlier);
                Fated::LeftOut(format!("{earlier} is a different record of the same run; --replace uses the last one"))
            };
        }
    }

    /// Joins what several systems say of one run.
    fn settle_systems(&mut self) {
        let mut runs: HashMap<Box<str>, Slots> = HashMap::with_capacity(self.entries.len());
        for index in 0..self.entries.len() {
            if matches!(self.entries[index].fate, Fated::Event) {
                let system = self.system(index);
                runs.entry(self.entries[index].run_id.clone()).or_default()[system] = Some(index);
            }
        }
        for slots in runs.into_values() {
            let mut records = slots.into_iter().flatten();
            let Some(mut joined) = records.next() else { continue };
            for other in records {
                joined = self.settle_pair(joined, other);
            }
        }
    }

    /// Joins two records of a run; returns the one that becomes the event. A store knows the order in which runs ended, a log
    /// too, and single files only their times: so the store's record keeps its place, else the log's.
    fn settle_pair(&mut self, first: usize, second: usize) -> usize {
        let (one, other) = (fields_of(&self.entries[first].event), fields_of(&self.entries[second].event));
        let (fields, decided) = match join(&one, &other) {
            Merged::Joined(fields, decided) => (fields, decided),
            Merged::Contradiction(field) => return self.contradict(first, second, &format!("differ in {}", quoted(&field))),
        };
        let timed = if self.entries[first].is_timed && !self.entries[second].is_timed { first } else { second };
        let (time, is_timed) = (self.entries[timed].time, self.entries[timed].is_timed);
        let run_id = self.entries[second].run_id.clone();
        let event = match self.draft(time, &run_id, fields.clone()) {
            Ok(event) => event,
            Err(reason) => return self.contradict(first, second, &format!("contradict each other: {reason}")),
        };
        let (holder, part) = if self.system(first) == STORE { (first, second) } else { (second, first) };
        let held = if holder == first { one } else { other };
        self.entries[part].fate = if held == fields { Fated::Duplicate } else { Fated::Part };
        let entry = &mut self.entries[holder];
        (entry.event, entry.time, entry.is_timed) = (event, time, is_timed);
        if !decided.is_empty() {
            entry.fate = Fated::Noted(decided.join("; "));
        }
        holder
    }

    /// Leaves the second record out and says so at both.
    fn contradict(&mut self, first: usize, second: usize, how: &str) -> usize {
        let reason = |other: String| format!("this and {other} describe the same run and {how}");
        let (of_first, of_second) = (self.describe(first), self.describe(second));
        self.entries[first].fate = Fated::Noted(format!("{}; this one is used", reason(of_second)));
        self.entries[second].fate = Fated::LeftOut(reason(of_first));
        first
    }

    fn describe(&self, entry: usize) -> String {
        let entry = &self.entries[entry];
        format!("{} line {}", quoted(&self.files[entry.file].name), entry.line)
    }

    /// Books every entry with its file. Events come in the order of their times, as far as the sequences let them.
    fn book(&mut self, sequences: Vec<Vec<usize>>) -> Vec<usize> {
        let mut heads: Vec<_> = sequences.into_iter().map(|sequence| sequence.into_iter().peekable()).collect();
        let mut order = Vec::new();
        loop {
            let next = heads.iter_mut().enumerate().filter_map(|(number, head)| Some((self.entries[*head.peek()?].time, number)));
            let Some(index) = next.min().and_then(|(_, number)| heads[number].next()) else { return order };
            let entry = &mut self.entries[index];
            let (event, mut notes) = (mem::take(&mut entry.event), Notes::default());
            let shown = event.clone();
            let fate = match mem::take(&mut entry.fate) {
                Fated::Event => Ok(Fate::Events(vec![event])),
                Fated::Noted(note) => {
                    notes.add(note);
                    Ok(Fate::Events(vec![event]))
                }
                Fated::Part => Ok(Fate::Part),
                Fated::Duplicate => Ok(Fate::Duplicate),
                Fated::LeftOut(reason) => Err(reason),
            };
            if matches!(fate, Ok(Fate::Events(_))) {
                order.push(entry.file);
            }
            self.files[entry.file].imported.book(entry.line, &shown, notes, fate);
        }
    }
}

impl Account {
    fn finish(mut self) -> Imported {
        if self.untimed > 0 {
            let reason = format!("{} records have no time: the time of the file is used", self.untimed);
            self.imported.odd.push(Odd { line: 0, text: String::new(), reason, taken: true });
        }
        self.imported.odd.sort_by_key(|odd| odd.line);
        self.imported
    }
}

/// Whether two events say the same but for their times.
fn is_same_payload(one: &str, other: &str) -> bool {
    is_same("", &Value::Object(fields_of(one)), &Value::Object(fields_of(other)))
}

/// The fields of an event that came from its record.
fn fields_of(event: &str) -> Map<String, Value> {
    let mut fields: Map<String, Value> = serde_json::from_str(event).unwrap_or_default();
    for own in ["kind", "ts", "project", "id", "run_id"] {
        fields.shift_remove(own);
    }
    fields
}

/// What became of two records of one run.
#[derive(Debug, PartialEq)]
enum Merged {
    /// Both together, and what had to be decided.
    Joined(Map<String, Value>, Vec<&'static str>),
    /// They say different things in this field.
    Contradiction(String),
}

/// Joins the fields of two records.
fn join(first: &Map<String, Value>, second: &Map<String, Value>) -> Merged {
    let mut fields = first.clone();
    let mut decided = Vec::new();
    for (name, value) in second {
        match first.get(name) {
            None => {
                fields.insert(name.clone(), value.clone());
            }
            Some(earlier) if is_same(name, earlier, value) => {}
            // One of the systems has no word for a part of a success and says that such a run failed.
            Some(earlier) if name == "result" && is_part_and_failure(earlier, value) => {
                fields.insert("result".to_owned(), "partial".into());
                fields.insert("source_result".to_owned(), "failure".into());
                decided.push("one store says `partial`, the other, which has no such value, `failed`; `partial` is used");
            }
            Some(earlier) if name == "quality" && (is_automatic(first, earlier) || is_automatic(second, value)) => {
                let graded = if is_automatic(first, earlier) { value } else { earlier };
                fields.insert("quality".to_owned(), graded.clone());
                decided.push("one store only has quality 1 for a success and 0 otherwise; the quality of the other store is used");
            }
            Some(_) => return Merged::Contradiction(name.clone()),
        }
    }
    Merged::Joined(fields, decided)
}

/// Whether a quality is the one that the adapter system gives by itself: 1 for a success, 0 for anything else.
fn is_automatic(fields: &Map<String, Value>, quality: &Value) -> bool {
    let by_itself = fields.get("success").and_then(Value::as_bool).map(f64::from);
    by_itself.is_some() && quality.as_f64() == by_itself
}

fn is_part_and_failure(one: &Value, other: &Value) -> bool {
    matches!((one.as_str(), other.as_str()), (Some("partial"), Some("failure")) | (Some("failure"), Some("partial")))
}
