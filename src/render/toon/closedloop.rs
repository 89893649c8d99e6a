//! ClosedLoop's own dialect: comments, doubled quotes, literal backslashes, and a count that nobody checks.

use super::official;
use super::write::{CATEGORIES, COLUMNS, CONFIDENCES, LEGACY_COLUMNS, Row, header, rate_text};
use text::fit::{closedloop_cell, strip};

/// The same rows as ClosedLoop writes them, for side-by-side checks; `updated` is the text of its "Last updated" comment.
///
/// ClosedLoop quotes only summaries and flags, and loses a row whose other columns hold a comma. Its readers accept quotes in
/// every column, so here they stand wherever they are needed.
pub fn render_closedloop(rows: &[Row], updated: &str) -> String {
    let mut text = format!("# Organization Patterns (TOON format)\n# Last updated: {}\n\n", closedloop_cell(updated));
    text.push_str(&header(rows.len()));
    text.push('\n');
    for row in rows {
        text.push_str("  ");
        text.push_str(&render_cells(row).join(","));
        text.push('\n');
    }
    text
}

/// The lines of a text as Python counts them: LF, CR LF and a lone CR each end one.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Whether the line holds no row: it is blank, a comment or the header of the table.
pub(super) fn is_heading(line: &str) -> bool {
    let line = strip(line);
    line.is_empty() || line.starts_with('#') || line.starts_with("patterns[")
}

/// The cells of one row, each trimmed.
///
/// Agents that follow the format's own documentation write official escapes between rows that ClosedLoop wrote, so the line is
/// split as CSV first and as official TOON only if CSV cannot be what was meant: the number of cells is wrong, the category
/// or the confidence is none that exists, or a quote stands where no CSV writer puts one. The second reading counts only if it
/// mends all of that. A row that makes sense both ways (`"C:\new"`) is CSV, because its backslash is literal in every file that
/// ClosedLoop wrote.
pub(super) fn split_row(line: &str) -> Vec<String> {
    let line = strip(line);
    let (cells, is_regular) = split_csv(line);
    let cells = trim_all(cells);
    if is_regular && is_plausible(&cells) {
        return cells;
    }
    let escaped = official::split_cells(line).map(|cells| trim_all(cells.into_iter().map(|cell| cell.text).collect()));
    escaped.filter(|cells| is_plausible(cells)).unwrap_or(cells)
}

/// A line split as Python's csv module does, and whether a CSV writer can have written it.
fn split_csv(line: &str) -> (Vec<String>, bool) {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut state = State::Start;
    let mut is_regular = true;
    for character in line.chars() {
        state = match (state, character) {
            (State::Start, '"') => State::Quoted,
            (State::Quoted, '"') => State::Quote,
            (State::Start | State::Bare | State::Quote, ',') => {
                cells.push(std::mem::take(&mut cell));
                State::Start
            }
            (State::Quoted, _) | (State::Quote, '"') => {
                cell.push(character);
                State::Quoted
            }
            // Python keeps what follows a closing quote, and from there on quotes are ordinary characters.
            (State::Start | State::Bare | State::Quote, _) => {
                is_regular &= state != State::Quote;
                cell.push(character);
                State::Bare
            }
        };
    }
    cells.push(cell);
    (cells, is_regular && state != State::Quoted)
}

/// Where in a cell the csv reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before its first character.
    Start,
    /// In a cell without quotes, or behind them.
    Bare,
    Quoted,
    /// Behind a quote that closes the cell unless another one follows.
    Quote,
}

fn is_plausible(cells: &[String]) -> bool {
    (LEGACY_COLUMNS..=COLUMNS.len()).contains(&cells.len())
        && CATEGORIES.contains(&cells[1].as_str())
        && CONFIDENCES.contains(&cells[3].as_str())
}

fn trim_all(mut cells: Vec<String>) -> Vec<String> {
    for cell in &mut cells {
        *cell = strip(cell).to_owned();
    }
    cells
}

fn render_cells(row: &Row) -> [String; 10] {
    [
        render_id(&row.id),
        quote_if_needed(&row.category),
        quote(&closedloop_cell(&row.summary)),
        quote_if_needed(&row.confidence),
        row.seen_count.to_string(),
        rate_text(row.success_rate).unwrap_or_default(),
        quote_if_needed(&row.flags),
        quote_if_needed(&row.applies_to),
        quote_if_needed(&row.context),
        quote_if_needed(&row.repo),
    ]
}

/// The first cell decides whether the line is taken for a comment or a header.
fn render_id(id: &str) -> String {
    let text = closedloop_cell(id);
    if text.starts_with('#') || text.starts_with("patterns[") { quote(&text) } else { quote_if_needed(id) }
}

fn quote_if_needed(text: &str) -> String {
    let text = closedloop_cell(text);
    if text.contains([',', '"']) { quote(&text) } else { text }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
