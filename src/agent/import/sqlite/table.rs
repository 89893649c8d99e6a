//! The rows of a table.

use serde_json::{Map, Value};

use super::page::{Fault, Pages, number};
use super::record::{read_record, varint};
use super::schema::{Column, parse_columns};

/// How deep a tree of pages may be. A real one is never as deep.
const MOST_LEVELS: usize = 32;
/// The longest row, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// A database, as its file and the log of changes beside it hold it.
#[derive(Debug)]
pub struct Database {
    pages: Pages,
}

/// A row: its key and its bytes.
type Row = (i64, Vec<u8>);

impl Database {
    /// Reads a database from the bytes of its file and of its log, which may be empty.
    pub fn new(file: Vec<u8>, log: Vec<u8>) -> Result<Self, String> {
        Ok(Self { pages: Pages::new(file, log)? })
    }

    /// The rows of a table, each as an object of its columns. None if there is no such table.
    pub fn rows(&self, table: &str) -> Result<Option<Vec<Value>>, String> {
        let Some((root, columns)) = self.find(table)? else { return Ok(None) };
        let mut rows = Vec::new();
        self.walk(root, &mut |key, bytes| {
            rows.push(name_values(&columns, key, read_record(&bytes)?));
            Ok(())
        })?;
        Ok(Some(rows))
    }

    /// The root page of a table, and its columns.
    fn find(&self, table: &str) -> Result<Option<(u32, Vec<Column>)>, Fault> {
        let mut found = None;
        self.walk(1, &mut |_, bytes| {
            let values = read_record(&bytes)?;
            let text = |place: usize| values.get(place).and_then(Value::as_str).unwrap_or_default();
            if text(0) == "table" && text(1).eq_ignore_ascii_case(table) {
                let root = values.get(3).and_then(Value::as_u64).and_then(|root| u32::try_from(root).ok()).unwrap_or(0);
                let columns = parse_columns(text(4)).ok_or_else(|| format!("its table `{table}` has no rows with keys"))?;
                found = Some((root, columns));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Goes through the rows of a tree of pages, in the order of their keys.
    fn walk(&self, root: u32, take: &mut dyn FnMut(i64, Vec<u8>) -> Result<(), Fault>) -> Result<(), Fault> {
        // What is still to be looked at, the next one last, and how deep it lies.
        let mut waiting = vec![(root, 0)];
        let mut seen = 0;
        while let Some((place, level)) = waiting.pop() {
            seen += 1;
            if level > MOST_LEVELS || seen > self.pages.count() {
                return Err("its pages form a circle".to_owned());
            }
            let page = self.pages.page(place)?;
            let header = if place == 1 { 100 } else { 0 };
            let cells = usize::try_from(number(page, header + 3, 2)).unwrap_or(0);
            match page[header] {
                0x0d => {
                    for cell in 0..cells {
                        let (key, bytes) = self.read_row(page, cell_start(page, header + 8, cell))?;
                        take(key, bytes)?;
                    }
                }
                0x05 => {
                    let child = |start| u32::try_from(number(page, start, 4)).unwrap_or(0);
                    waiting.push((child(header + 8), level + 1));
                    waiting.extend((0..cells).rev().map(|cell| (child(cell_start(page, header + 12, cell)), level + 1)));
                }
                kind => return Err(format!("its page {place} is of the unknown kind {kind}")),
            }
        }
        Ok(())
    }

    /// The row of a cell. What does not fit into the page goes on in others.
    fn read_row(&self, page: &[u8], start: usize) -> Result<Row, Fault> {
        let cut = || "a row is shorter than it says".to_owned();
        let (length, at) = varint(page, start).ok_or_else(cut)?;
        let (key, at) = varint(page, at).ok_or_else(cut)?;
        let length = usize::try_from(length).ok().filter(|length| *length <= MOST_BYTES).ok_or("a row is too long")?;
        let own = local_length(length, self.pages.usable);
        let mut bytes = page.get(at..at + own).ok_or_else(cut)?.to_vec();
        let mut next = if own < length { u32::try_from(number(page, at + own, 4)).unwrap_or(0) } else { 0 };
        while bytes.len() < length && next > 0 {
            let page = self.pages.page(next)?;
            let part = (length - bytes.len()).min(self.pages.usable - 4);
            bytes.extend_from_slice(page.get(4..4 + part).ok_or_else(cut)?);
            next = u32::try_from(number(page, 0, 4)).unwrap_or(0);
        }
        if bytes.len() < length {
            return Err(cut());
        }
        Ok((i64::from_be_bytes(key.to_be_bytes()), bytes))
    }
}

fn cell_start(page: &[u8], pointers: usize, cell: usize) -> usize {
    usize::try_from(number(page, pointers + 2 * cell, 2)).unwrap_or(usize::MAX / 2)
}

/// How many bytes of a row stand in its own page.
fn local_length(length: usize, usable: usize) -> usize {
    let (most, least) = (usable - 35, (usable - 12) * 32 / 255 - 23);
    if length <= most {
        return length;
    }
    let fitting = least + (length - least) % (usable - 4);
    if fitting <= most { fitting } else { least }
}

fn name_values(columns: &[Column], key: i64, values: Vec<Value>) -> Value {
    let mut values = values.into_iter();
    // Columns that were added later are missing in earlier rows.
    let named = columns.iter().map(|column| {
        let value = values.next().unwrap_or(Value::Null);
        (column.name.clone(), if column.is_key && value.is_null() { key.into() } else { value })
    });
    Value::Object(named.collect::<Map<_, _>>())
}
