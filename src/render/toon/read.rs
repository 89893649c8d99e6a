//! Reading the file in whichever dialect it is written.

use std::collections::HashMap;

use super::write::{CATEGORIES, COLUMNS, CONFIDENCES, Cells, LEGACY_COLUMNS, Row};
use super::{closedloop, official};

/// The rules that a text was read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// TOON as its specification has it.
    Official,
    /// ClosedLoop's mixture of TOON and CSV.
    ClosedLoop,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The rules it was read by.
    pub dialect: Dialect,
    /// Its rows in the order of the file.
    pub rows: Vec<Located>,
    /// What is wrong with its lines, in the order of the file; a row can be above and here too.
    pub odd: Vec<OddLine>,
}

/// A row and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The number of the line, from 1.
    pub line: usize,
    pub row: Row,
}

/// A line that holds no row, or a row that is not quite right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line without its end.
    pub text: String,
    pub reason: String,
}

/// Every row of the text, and every line that could not be taken as it stands.
///
/// What a strict TOON decoder accepts is read as official TOON, everything else by ClosedLoop's rules. One case is open: a file
/// that ClosedLoop wrote can be valid TOON by accident, and `"C:\new"` would then lose its backslash to a line break. So a valid
/// text with a backslash is official only if an encoder can have written all of it. ClosedLoop always leaves a mark that none
/// does: its flags are an empty cell or a bare `[..]`. The price is that official escapes below a comment added by hand
/// are read as ClosedLoop would, row by row.
pub fn parse_toon(text: &str) -> Document {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match official::read_table(text) {
        Some(table) if !table.is_foreign || !text.contains('\\') => {
            let mut reading = Reading::new(Dialect::Official);
            for (line, text, cells) in table.rows {
                reading.take(line, text, cells);
            }
            reading.document
        }
        _ => parse_closedloop(text),
    }
}

fn parse_closedloop(text: &str) -> Document {
    let mut reading = Reading::new(Dialect::ClosedLoop);
    for (index, text) in closedloop::lines(text).enumerate() {
        if closedloop::is_heading(text) {
            continue;
        }
        let line = index + 1;
        let found = closedloop::split_row(text);
        let (count, most) = (found.len(), COLUMNS.len());
        if count < LEGACY_COLUMNS {
            reading.note(line, text, format!("a row needs at least {LEGACY_COLUMNS} cells and this line has {count}"));
            continue;
        }
        if count > most {
            reading.note(line, text, format!("a row has {most} cells and this line has {count}: the rest is ignored"));
        }
        let mut cells = Cells::default();
        "*".clone_into(&mut cells[LEGACY_COLUMNS]);
        for (cell, text) in cells.iter_mut().zip(found) {
            *cell = text;
        }
        reading.take(line, text, cells);
    }
    reading.document
}

/// A document while it is being read.
struct Reading {
    document: Document,
    /// The line on which each id was first seen.
    first_lines: HashMap<String, usize>,
}

impl Reading {
    fn new(dialect: Dialect) -> Self {
        Self { document: Document { dialect, rows: Vec::new(), odd: Vec::new() }, first_lines: HashMap::new() }
    }

    fn note(&mut self, line: usize, text: &str, reason: String) {
        self.document.odd.push(OddLine { line, text: text.to_owned(), reason });
    }

    /// Keeps the row whatever its cells hold: a wrong cell is noted, the rest of the row is still worth having.
    fn take(&mut self, line: usize, text: &str, cells: Cells) {
        let [id, category, summary, confidence, seen_count, success_rate, flags, applies_to, context, repo] = cells;
        if let Some(first) = self.first_lines.get(&id) {
            self.note(line, text, format!("id: `{id}` is already on line {first}"));
        } else {
            self.first_lines.insert(id.clone(), line);
        }
        if !CATEGORIES.contains(&category.as_str()) {
            self.note(line, text, format!("category: `{category}` is not one of {}", CATEGORIES.join(", ")));
        }
        if !CONFIDENCES.contains(&confidence.as_str()) {
            self.note(line, text, format!("confidence: `{confidence}` is not one of {}", CONFIDENCES.join(", ")));
        }
        let seen_count = seen_count.trim().parse().unwrap_or_else(|_| {
            self.note(line, text, format!("seen_count: `{seen_count}` is not an integer, so it is read as 0"));
            0
        });
        let success_rate = parse_rate(&success_rate).unwrap_or_else(|()| {
            self.note(line, text, format!("success_rate: `{success_rate}` is not between 0 and 1, so it is read as unknown"));
            None
        });
        let row = Row { id, category, summary, confidence, seen_count, success_rate, flags, applies_to, context, repo };
        self.document.rows.push(Located { line, row });
    }
}

/// An unknown rate is an empty cell, or `null` as TOON encoders spell it.
fn parse_rate(text: &str) -> Result<Option<f64>, ()> {
    match text.trim() {
        "" | "null" => Ok(None),
        // Adding zero turns a negative zero into the ordinary one.
        number => match number.parse::<f64>() {
            Ok(rate) if (0.0..=1.0).contains(&rate) => Ok(Some(rate + 0.0)),
            _ => Err(()),
        },
    }
}
