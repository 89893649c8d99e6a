//! Reading the official dialect: one table of a TOON v4 document in strict mode, with the cells as they are spelled.

use super::write::{COLUMNS, Cells, LEGACY_COLUMNS, may_be_bare};

/// A table that a strict decoder accepts.
pub(super) struct Table<'a> {
    /// The rows with the numbers and texts of their lines.
    pub rows: Vec<(usize, &'a str, Cells)>,
    /// Whether something in it cannot come from a conforming encoder.
    pub is_foreign: bool,
}

/// One cell of a row.
pub(super) struct Cell {
    /// The text, or the token of a number, `true`, `false` or `null`: in a column of text these are text.
    pub text: String,
    is_quoted: bool,
}

/// A line that is neither blank nor a comment.
struct Line<'a> {
    number: usize,
    text: &'a str,
    indent: usize,
    content: &'a str,
}

/// What remains of a document when comments and blank lines are set aside.
struct Lines<'a> {
    content: Vec<Line<'a>>,
    blanks: Vec<usize>,
    has_comment: bool,
}

struct Header {
    count: usize,
    /// For each cell of a row, the column it belongs to.
    columns: Vec<usize>,
}

/// The table, if the text holds it and nothing else and a strict decoder would accept it.
pub(super) fn read_table(text: &str) -> Option<Table<'_>> {
    let lines = read_lines(text)?;
    let mut table = Table { rows: Vec::new(), is_foreign: lines.has_comment };
    let Some((first, rest)) = lines.content.split_first() else { return Some(table) };
    let header = if first.indent == 0 { parse_header(first.content)? } else { return None };
    if rest.len() != header.count || has_blank_between(rest, &lines.blanks) {
        return None;
    }
    for line in rest {
        let cells = if line.indent == 2 { split_cells(line.content)? } else { return None };
        if cells.len() != header.columns.len() {
            return None;
        }
        table.is_foreign |= cells.iter().any(|cell| !cell.is_quoted && !may_be_bare(&cell.text));
        table.rows.push((line.number, line.text, place(cells, &header.columns)));
    }
    Some(table)
}

/// The cells of one row, or nothing if a decoder would refuse the line.
pub(super) fn split_cells(content: &str) -> Option<Vec<Cell>> {
    let mut cells = Vec::new();
    let mut start = 0;
    let mut in_quotes = false;
    let mut bytes = content.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if in_quotes => {
                bytes.next();
            }
            b'"' => in_quotes = !in_quotes,
            // A colon before the first comma makes the line a key with a value.
            b':' if !in_quotes && cells.is_empty() => return None,
            b',' if !in_quotes => {
                cells.push(parse_cell(&content[start..at])?);
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(parse_cell(&content[start..])?);
    Some(cells)
}

fn read_lines(text: &str) -> Option<Lines<'_>> {
    let mut lines = Lines { content: Vec::new(), blanks: Vec::new(), has_comment: false };
    for (index, text) in text.split('\n').enumerate() {
        let text = text.strip_suffix('\r').unwrap_or(text);
        let unindented = text.trim_start_matches(' ');
        let indent = text.len() - unindented.len();
        let content = unindented.trim_end_matches(' ');
        if content.is_empty() {
            lines.blanks.push(index + 1);
        } else if content.starts_with('#') {
            lines.has_comment = true;
        } else if content.starts_with('\t') {
            return None;
        } else {
            lines.content.push(Line { number: index + 1, text, indent, content });
        }
    }
    Some(lines)
}

/// Blank lines are allowed around a table, but not between its rows.
fn has_blank_between(rows: &[Line<'_>], blanks: &[usize]) -> bool {
    match rows {
        [first, .., last] => blanks.iter().any(|blank| (first.number..last.number).contains(blank)),
        _ => false,
    }
}

fn parse_header(content: &str) -> Option<Header> {
    let nothing = Header { count: 0, columns: Vec::new() };
    let rest = content.strip_prefix("patterns")?;
    if rest == "[0]:" || rest.strip_prefix(':').is_some_and(|value| value.trim_matches(' ') == "[]") {
        return Some(nothing);
    }
    let (count, rest) = rest.strip_prefix('[')?.split_once(']')?;
    let names = rest.strip_prefix('{')?.strip_suffix("}:")?;
    if !count.bytes().all(|byte| byte.is_ascii_digit()) || (count.starts_with('0') && count != "0") {
        return None;
    }
    Some(Header { count: count.parse().ok()?, columns: parse_columns(names)? })
}

/// The columns by name: the official dialect lets an encoder order them as it likes. Only the repository may be missing.
fn parse_columns(names: &str) -> Option<Vec<usize>> {
    let mut columns = Vec::new();
    for name in names.split(',') {
        let column = COLUMNS.iter().position(|known| *known == name.trim_matches(' '))?;
        if columns.contains(&column) {
            return None;
        }
        columns.push(column);
    }
    (0..LEGACY_COLUMNS).all(|column| columns.contains(&column)).then_some(columns)
}

fn place(cells: Vec<Cell>, columns: &[usize]) -> Cells {
    let mut placed = Cells::default();
    "*".clone_into(&mut placed[LEGACY_COLUMNS]);
    for (cell, &column) in cells.into_iter().zip(columns) {
        placed[column] = cell.text;
    }
    placed
}

fn parse_cell(token: &str) -> Option<Cell> {
    let token = token.trim_matches(' ');
    match token.strip_prefix('"') {
        Some(quoted) => Some(Cell { text: unescape(quoted)?, is_quoted: true }),
        None => Some(Cell { text: token.to_owned(), is_quoted: false }),
    }
}

/// The text up to the closing quote, which must also be the end of the token.
fn unescape(quoted: &str) -> Option<String> {
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return characters.as_str().is_empty().then_some(text),
            '\\' => text.push(match characters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                same @ ('"' | '\\') => same,
                'u' => {
                    let mut code = 0;
                    for _ in 0..4 {
                        code = code * 16 + characters.next()?.to_digit(16)?;
                    }
                    char::from_u32(code)?
                }
                _ => return None,
            }),
            plain => text.push(plain),
        }
    }
}
