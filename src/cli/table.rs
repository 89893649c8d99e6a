//! Tables that fit the terminal.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use jiff::Timestamp;

/// A table with a header, as text.
pub struct Columns {
    table: Table,
}

impl Columns {
    /// A table with these columns. Those that start with `#` hold numbers, which line up on the right.
    pub fn new(header: &[&str]) -> Self {
        let mut table = Table::new();
        // One rule under the header: everything else is space.
        let style = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
        table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(header.iter().map(|name| name.trim_start_matches('#')));
        for (index, name) in header.iter().enumerate() {
            if name.starts_with('#')
                && let Some(column) = table.column_mut(index)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Self { table }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.table.add_row(cells);
    }

    /// The table as text, without spaces at the ends of its lines.
    pub fn render(&self) -> String {
        let lines: Vec<String> = self.table.lines().map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n")
    }
}

/// A table as text. Every row has as many cells as the header.
pub fn tabulate<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = Columns::new(&header);
    rows.into_iter().for_each(|row| table.row(row));
    table.render()
}

/// A number for people: six decimals at most, and no zeros at the end.
pub fn trimmed(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An instant for people.
pub fn instant(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map(|time| time.to_string()).unwrap_or_default()
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in bytes for people.
pub fn sized(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut size = bytes as f64;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{size:.1} {}", UNITS[unit]) }
}
