//! Tables that sort, filter and page. The first rows are HTML, which needs no script to read; the rest is data for the script.

use serde_json::{Value, json};

use super::chart::{row_range, spark, tone_class};
use super::markup::Markup;
use crate::overview::{Tone, grouped, percent, points};

/// How many rows a page of a table has.
const PAGE: usize = 25;

/// How many rows a page holds at most: whoever needs more asks the command that the table names.
pub(super) const MOST: usize = 5_000;

/// A column: its title, how its cells look, and the explanation that its figures open.
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) look: Look,
    pub(super) why: Option<&'static str>,
}

/// How the cells of a column look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Text,
    /// A text in full width.
    Lesson,
    /// The name by which the row's explanations are asked for.
    Id,
    Count,
    Percent,
    /// Percentage points with their sign.
    Points,
    /// A number with two decimals.
    Decimal,
    /// A word with a colour.
    Chip,
    /// A range of shares from 0 to 1.
    Range,
    /// A range of lifts around 0.
    Lift,
    Spark,
}

impl Look {
    const fn code(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Lesson => "lesson",
            Self::Id => "id",
            Self::Count => "count",
            Self::Percent => "percent",
            Self::Points => "points",
            Self::Decimal => "decimal",
            Self::Chip => "chip",
            Self::Range => "range",
            Self::Lift => "lift",
            Self::Spark => "spark",
        }
    }

    /// The class of its cells.
    const fn class(self) -> &'static str {
        match self {
            Self::Count | Self::Percent | Self::Points | Self::Decimal => "num",
            Self::Text => "words",
            Self::Lesson => "lesson",
            Self::Id => "id",
            Self::Chip | Self::Range | Self::Lift | Self::Spark => "drawn",
        }
    }
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Empty,
    Text(String),
    Number(f64),
    Chip(Tone, String),
    /// The lower end, the value, the upper end.
    Range([f64; 3], Tone),
    Spark(Vec<Option<f64>>),
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, Self::Number)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Number(learn::real(value))
    }
}

/// A column without an explanation of its own.
pub(super) const fn column(title: &'static str, look: Look) -> Column {
    Column { title, look, why: None }
}

/// A column whose figures open an explanation.
pub(super) const fn figures(title: &'static str, look: Look, why: &'static str) -> Column {
    Column { title, look, why: Some(why) }
}

/// A table in a page.
pub(super) struct Table<'t> {
    pub(super) id: &'static str,
    pub(super) caption: &'static str,
    pub(super) columns: &'t [Column],
    pub(super) rows: Vec<Vec<Cell>>,
    /// How many rows there are in all.
    pub(super) all: usize,
    /// The command that lists all.
    pub(super) command: &'static str,
}

impl Table<'_> {
    pub(super) fn write(&self, page: &mut Markup) {
        let is_long = self.rows.len() > 8;
        if is_long {
            page.tag("div", &[("class", "bar"), ("data-for", self.id)], |page| {
                let said = format!("Filter: {}", self.caption);
                page.open("input", &[("type", "search"), ("placeholder", "Filter by words"), ("aria-label", &said)]);
                page.tag("span", &[("class", "count"), ("role", "status")], |page| page.text(&self.count()));
            });
        }
        page.tag("div", &[("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", self.caption)], |page| {
            page.tag("table", &[("id", self.id), ("class", "rows")], |page| self.write_table(page));
        });
        if self.rows.len() > PAGE {
            page.tag("div", &[("class", "pages"), ("data-for", self.id), ("hidden", "")], |page| {
                page.leaf("button", &[("type", "button"), ("data-step", "-1")], "Previous");
                page.leaf("span", &[], "");
                page.leaf("button", &[("type", "button"), ("data-step", "1")], "Next");
            });
            let rest: Vec<Value> = self.rows[PAGE..].iter().map(|row| row.iter().map(compact).collect()).collect();
            page.tag("script", &[("type", "application/json"), ("data-rows", self.id)], |page| {
                page.data(&Value::from(rest).to_string());
            });
        }
        if self.all > self.rows.len() {
            page.tag("p", &[("class", "cut")], |page| {
                let (shown, all) = (grouped(count(self.rows.len())), grouped(count(self.all)));
                page.text(&format!("The page holds {shown} of {all}. All of them: "));
                page.leaf("code", &[], self.command);
            });
        }
    }

    fn count(&self) -> String {
        let shown = self.rows.len().min(PAGE);
        format!("{} of {}", grouped(count(shown)), grouped(count(self.rows.len())))
    }

    fn write_table(&self, page: &mut Markup) {
        page.leaf("caption", &[], self.caption);
        page.tag("thead", &[], |page| {
            page.tag("tr", &[], |page| {
                for column in self.columns {
                    let mut attributes = vec![("scope", "col"), ("class", column.look.class()), ("data-look", column.look.code())];
                    attributes.extend(column.why.map(|why| ("data-why", why)));
                    page.tag("th", &attributes, |page| page.text(column.title));
                }
            });
        });
        page.tag("tbody", &[], |page| {
            for row in self.rows.iter().take(PAGE) {
                self.write_row(page, row);
            }
        });
    }

    fn write_row(&self, page: &mut Markup, row: &[Cell]) {
        let is_id = |(_, column): &(&Cell, &Column)| column.look == Look::Id;
        let id = row.iter().zip(self.columns).find(is_id).and_then(|(cell, _)| match cell {
            Cell::Text(id) => Some(&**id),
            _ => None,
        });
        page.tag("tr", &[], |page| {
            for (cell, column) in row.iter().zip(self.columns) {
                let value = sortable(cell);
                page.tag("td", &[("class", column.look.class()), ("data-l", column.title), ("data-v", &value)], |page| {
                    write_cell(page, cell, column, id.unwrap_or_default());
                });
            }
        });
    }
}

fn write_cell(page: &mut Markup, cell: &Cell, column: &Column, id: &str) {
    match (column.why, cell) {
        (_, Cell::Empty) => page.text("\u{2013}"),
        (Some(why), _) => figure(page, why, id, |page| write_plain(page, cell, column.look)),
        (None, _) => write_plain(page, cell, column.look),
    }
}

/// A figure that opens its explanation.
pub(super) fn figure(page: &mut Markup, why: &str, of: &str, inside: impl FnOnce(&mut Markup)) {
    page.tag("a", &[("class", "fig"), ("href", &format!("#why-{why}")), ("data-of", of)], inside);
}

fn write_plain(page: &mut Markup, cell: &Cell, look: Look) {
    match cell {
        Cell::Empty => {}
        Cell::Text(text) => page.text(text),
        Cell::Number(value) => page.text(&shown(*value, look)),
        Cell::Chip(tone, word) => page.leaf("span", &[("class", &format!("chip {}", tone_class(*tone)))], word),
        Cell::Range(range @ [lower, _, upper], tone) => {
            let lift = look == Look::Lift;
            let said = if lift {
                format!("{} to {}", points(*lower), points(*upper))
            } else {
                format!("{} to {}", percent(*lower), percent(*upper))
            };
            row_range(page, *tone, if lift { (-0.3, 0.3) } else { (0.0, 1.0) }, *range, &said);
        }
        Cell::Spark(values) => spark(page, values),
    }
}

fn shown(value: f64, look: Look) -> String {
    match look {
        Look::Percent => percent(value),
        Look::Points => points(value),
        Look::Decimal => format!("{value:.2}"),
        #[expect(clippy::cast_possible_truncation, reason = "a count of events")]
        _ => grouped(value as i64),
    }
}

/// By what a cell is sorted.
fn sortable(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) | Cell::Chip(_, text) => text.clone(),
        Cell::Number(value) | Cell::Range([_, value, _], _) => format!("{}", thousandths(*value)),
        Cell::Spark(values) => values.iter().flatten().last().map(|last| format!("{}", thousandths(*last))).unwrap_or_default(),
    }
}

/// A cell as the script reads it. Three decimals are what people see.
fn compact(cell: &Cell) -> Value {
    match cell {
        Cell::Empty => Value::Null,
        Cell::Text(text) => text.as_str().into(),
        Cell::Number(value) => decimal(*value),
        Cell::Chip(tone, word) => json!([tone_class(*tone), word]),
        Cell::Range(range, tone) => json!([range.map(decimal), tone_class(*tone)]),
        Cell::Spark(values) => values.iter().map(|value| value.map_or(Value::Null, decimal)).collect(),
    }
}

/// A number without the decimals that it does not need.
fn decimal(value: f64) -> Value {
    let value = thousandths(value);
    #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
    if value.fract() == 0.0 { Value::from(value as i64) } else { value.into() }
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
