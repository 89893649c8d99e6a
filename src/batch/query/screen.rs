//! A table that fits the screen: columns and rows in the middle are left out, and the last line says so.

use arrow::util::display::{ArrayFormatter, FormatOptions};

use cli::table::grouped;
use event::row::Rows;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::{is_unprintable, replaced};

/// How many rows are shown; of more, the first and the last half.
const MOST_ROWS: usize = 40;

/// How wide a column may be, unless it is the only one.
const WIDEST: usize = 48;

const GAP: &str = "  ";

/// A column: its name, whether numbers stand on its right, and the cells that are shown.
struct Column {
    name: String,
    is_number: bool,
    cells: Vec<String>,
    width: usize,
}

/// Rows as a table of this width.
pub(super) fn render_screen(rows: &Rows, width: usize) -> Outcome<String> {
    let count = rows.count();
    let columns =
        load_columns(rows, count, width).map_err(|error| Diagnostic::bug(format!("the rows cannot be printed: {error}")))?;
    let shown = choose_columns(&columns, width);
    let is_cut = shown.len() < columns.len();
    let left = shown.len().div_ceil(2);
    let line = |cell: &dyn Fn(&Column) -> String| {
        let mut cells: Vec<String> = shown.iter().map(|column| padded(&cell(column), column)).collect();
        if is_cut {
            cells.insert(left, "…".to_owned());
        }
        cells.join(GAP).trim_end().to_owned()
    };
    let mut lines = vec![line(&|column| column.name.clone()), line(&|column| "─".repeat(column.width))];
    let held = count.min(MOST_ROWS);
    for row in 0..held {
        if count > MOST_ROWS && row == MOST_ROWS / 2 {
            lines.push(line(&|_| "⋮".to_owned()));
        }
        lines.push(line(&|column| column.cells[row].clone()));
    }
    lines.push(summary(count, held, columns.len(), shown.len()));
    Ok(lines.join("\n") + "\n")
}

fn summary(rows: usize, held: usize, columns: usize, shown: usize) -> String {
    let many = |number: usize, one: &str| format!("{} {one}{}", grouped(number as u64), if number == 1 { "" } else { "s" });
    let rows = if held < rows { format!("{} ({held} shown)", many(rows, "row")) } else { many(rows, "row") };
    let columns = if shown < columns { format!(", {} ({shown} shown)", many(columns, "column")) } else { String::new() };
    format!("({rows}{columns})")
}

fn load_columns(rows: &Rows, count: usize, width: usize) -> Result<Vec<Column>, arrow::error::ArrowError> {
    let fields = rows.schema.fields();
    let widest = if fields.len() == 1 { width } else { WIDEST.min(width) };
    let mut columns: Vec<Column> = fields
        .iter()
        .map(|field| Column {
            name: cut(field.name(), widest),
            is_number: field.data_type().is_numeric(),
            cells: Vec::new(),
            width: 0,
        })
        .collect();
    let options = FormatOptions::default().with_null("").with_display_error(true);
    let is_shown = |row: usize| count <= MOST_ROWS || row < MOST_ROWS / 2 || row >= count - MOST_ROWS / 2;
    let mut first = 0;
    for batch in &rows.batches {
        let places: Vec<usize> = (0..batch.num_rows()).filter(|row| is_shown(first + row)).collect();
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            let formatter = ArrayFormatter::try_new(array, &options)?;
            let texts = places.iter().map(|row| replaced(&formatter.value(*row).to_string(), is_unprintable, ' '));
            column.cells.extend(texts.map(|text| cut(&text, widest)));
        }
        first += batch.num_rows();
    }
    for column in &mut columns {
        let widths = column.cells.iter().chain([&column.name]).map(|text| text.chars().count());
        column.width = widths.max().unwrap_or_default();
    }
    Ok(columns)
}

/// The columns that fit, from both ends towards the middle.
fn choose_columns(columns: &[Column], width: usize) -> Vec<&Column> {
    let needed = |columns: &[&Column]| columns.iter().map(|column| column.width + GAP.len()).sum::<usize>() - GAP.len();
    let all: Vec<&Column> = columns.iter().collect();
    if all.is_empty() || needed(&all) <= width {
        return all;
    }
    let room = width.saturating_sub(GAP.len() + 1);
    let (mut first, mut last): (Vec<&Column>, Vec<&Column>) = (vec![&columns[0]], Vec::new());
    let (mut low, mut high) = (1, columns.len());
    while low < high {
        let is_left = first.len() <= last.len();
        let next = if is_left { &columns[low] } else { &columns[high - 1] };
        let together: Vec<&Column> = first.iter().chain(&last).copied().chain([next]).collect();
        if needed(&together) > room {
            break;
        }
        if is_left {
            first.push(next);
            low += 1;
        } else {
            last.insert(0, next);
            high -= 1;
        }
    }
    first.into_iter().chain(last).collect()
}

fn padded(text: &str, column: &Column) -> String {
    let space = " ".repeat(column.width.saturating_sub(text.chars().count()));
    if column.is_number && text != "⋮" { space + text } else { text.to_owned() + &space }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).collect::<String>() + "…"
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use event::row::Rows;

    use super::render_screen;

    fn wide(rows: i64, columns: usize) -> Rows {
        let column = |place: usize| -> (String, ArrayRef) {
            let name = format!("column_{place}");
            if place == 0 {
                (name, Arc::new(Int64Array::from_iter_values(0..rows)))
            } else {
                (name, Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("text {row}")))))
            }
        };
        let batch = RecordBatch::try_from_iter((0..columns).map(column)).expect("a batch");
        Rows { schema: batch.schema(), batches: vec![batch.slice(0, 7), batch.slice(7, batch.num_rows() - 7)] }
    }

    #[test]
    fn columns_and_rows_in_the_middle_give_way() {
        let text = render_screen(&wide(1000, 30), 60).expect("a table");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("column_0  column_1") && first.contains('…') && first.ends_with("column_29"), "{text}");
        assert!(
            text.contains("\n      19  text 19") && text.contains("\n     980  text 980") && !text.contains("text 500"),
            "{text}"
        );
        assert!(text.ends_with("(1,000 rows (40 shown), 30 columns (5 shown))\n"), "{text}");
    }

    #[test]
    fn what_fits_is_shown_whole() {
        let text = render_screen(&wide(8, 3), 60).expect("a table");
        assert!(!text.contains('…') && !text.contains('⋮') && text.ends_with("(8 rows)\n"), "{text}");
    }
}
