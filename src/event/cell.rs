//! One definition of each row: `row!` and `words!`.
//!
//! `row!` names a row's fields once. From it come the struct, the reader of queries and of published Parquet files, the Arrow
//! schema, and the columns that are written. `words!` does the same for the words of a column: an enum inside of the program, text
//! in files and queries, and nothing but these words is ever read.

use std::sync::Arc;

use arrow::array::{
    Array as _, AsArray as _, BooleanArray, Float64Array, GenericListArray, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};

use super::column::Columns;
use super::field::RunResult;
use super::row::{Part, Rows};
use setting::RiskLevel;
use text::diagnostic::{Diagnostic, Outcome};
use text::review::Kind;

/// A value that a column holds in each row, or several columns, if it is a row itself.
pub trait Cell<'r>: Sized {
    /// The typed column or columns.
    type Column;

    /// Adds the columns to a schema.
    fn describe(name: &str, fields: &mut Vec<Field>);

    /// Adds what each column means: `own` is the comment of the field. A row has comments of its own.
    fn comment(name: &str, own: &str, comments: &mut Vec<(String, String)>) {
        comments.push((name.to_owned(), own.trim().to_owned()));
    }

    /// Finds the column or columns.
    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column>;

    /// Reads a row. What must not be null reads as the type's default where it is: outer joins leave such holes.
    fn read(column: &Self::Column, row: usize) -> Outcome<Self>;

    /// Writes the value to its column or columns. What is only ever read need not say how.
    fn write(&self, columns: &mut Columns) {
        columns.null();
    }
}

/// A row of a query or of a published table.
pub trait Row: for<'r> Cell<'r> {
    /// The columns, in order.
    #[must_use]
    fn schema() -> Schema {
        let mut fields = Vec::new();
        Self::describe("", &mut fields);
        Schema::new(fields)
    }

    /// What each column means, in their order.
    #[must_use]
    fn comments() -> Vec<(String, String)> {
        let mut comments = Vec::new();
        Self::comment("", "", &mut comments);
        comments
    }
}

/// Rows as columns.
pub fn batch_of<'r, T: Cell<'r>, B: std::borrow::Borrow<T>>(rows: impl IntoIterator<Item = B>) -> Outcome<RecordBatch> {
    let mut fields = Vec::new();
    T::describe("", &mut fields);
    let mut columns = Columns::new(Schema::new(fields));
    for row in rows {
        row.borrow().write(&mut columns);
    }
    columns.finish().map_err(|error| Diagnostic::bug(format!("rows do not fit their columns: {error}")))
}

impl Rows {
    pub fn read<T: for<'r> Cell<'r>>(&self) -> Outcome<Vec<T>> {
        let mut read = Vec::with_capacity(self.count());
        self.each(|row| {
            read.push(row);
            Ok(())
        })?;
        Ok(read)
    }

    /// Reads one row after the other. Rows may borrow from the result.
    pub fn each<'r, T: Cell<'r>>(&'r self, mut take: impl FnMut(T) -> Outcome<()>) -> Outcome<()> {
        for part in self.parts() {
            let column = T::find(part, "")?;
            for row in 0..part.len() {
                take(T::read(&column, row)?)?;
            }
        }
        Ok(())
    }
}

/// An instant of a column of timestamps, in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Micros(pub i64);

impl<'r> Cell<'r> for Micros {
    type Column = &'r TimestampMicrosecondArray;

    fn describe(name: &str, fields: &mut Vec<Field>) {
        fields.push(Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())), false));
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
        part.times(name)
    }

    fn read(column: &Self::Column, row: usize) -> Outcome<Self> {
        Ok(if column.is_null(row) { Self::default() } else { Self(column.value(row)) })
    }

    fn write(&self, columns: &mut Columns) {
        columns.time(self.0);
    }
}

macro_rules! plain_cells {
    ($($type:ty: $array:ty, $find:ident, $kind:expr, |$column:ident, $row:ident| $read:expr, |$value:ident, $columns:ident| $write:expr;)+) => {
        $(impl<'r> Cell<'r> for $type {
            type Column = &'r $array;

            fn describe(name: &str, fields: &mut Vec<Field>) {
                fields.push(Field::new(name, $kind, false));
            }

            fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
                part.$find(name)
            }

            fn read($column: &Self::Column, $row: usize) -> Outcome<Self> {
                Ok(if $column.is_null($row) { Self::default() } else { $read })
            }

            fn write(&self, $columns: &mut Columns) {
                let $value = self;
                $write;
            }
        })+
    };
}

plain_cells! {
    String: StringArray, texts, DataType::Utf8,
        |column, row| column.value(row).to_owned(), |value, columns| columns.text(value);
    &'r str: StringArray, texts, DataType::Utf8,
        |column, row| column.value(row), |value, columns| columns.text(value);
    i64: Int64Array, numbers, DataType::Int64,
        |column, row| column.value(row), |value, columns| columns.number(*value);
    u32: Int64Array, numbers, DataType::Int64,
        |column, row| whole(column.value(row))?, |value, columns| columns.number(i64::from(*value));
    u64: Int64Array, numbers, DataType::Int64,
        |column, row| whole(column.value(row))?, |value, columns| columns.number(i64::try_from(*value).unwrap_or(i64::MAX));
    f64: Float64Array, reals, DataType::Float64,
        |column, row| column.value(row), |value, columns| columns.real(*value);
    bool: BooleanArray, flags, DataType::Boolean,
        |column, row| column.value(row), |value, columns| columns.flag(*value);
    Vec<String>: GenericListArray<i32>, lists, list_type(),
        |column, row| items(column, row).map(str::to_owned).collect(), |value, columns| columns.list(value.iter().map(String::as_str));
    Vec<&'r str>: GenericListArray<i32>, lists, list_type(),
        |column, row| items(column, row).collect(), |value, columns| columns.list(value.iter().copied());
}

fn whole<N: TryFrom<i64>>(number: i64) -> Outcome<N> {
    N::try_from(number).map_err(|_| Diagnostic::edit(format!("a query yields {number}, which is out of range"), REMEDY))
}

/// Reads one of a few words that the door let in. The last resort stands for what an earlier version may have let in.
macro_rules! stored_words {
    ($($type:ty: $name:path, $fallback:expr, |$value:ident| $word:expr;)+) => {
        $(impl<'r> Cell<'r> for $type {
            type Column = &'r StringArray;

            fn describe(name: &str, fields: &mut Vec<Field>) {
                fields.push(Field::new(name, DataType::Utf8, false));
            }

            fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
                part.texts(name)
            }

            fn read(column: &Self::Column, row: usize) -> Outcome<Self> {
                Ok(Option::<&str>::read(column, row)?.and_then($name).unwrap_or($fallback))
            }

            fn write(&self, columns: &mut Columns) {
                let $value = self;
                columns.text($word);
            }
        })+
    };
}

stored_words! {
    RunResult: RunResult::from_name, RunResult::Failure, |result| result.get();
    RiskLevel: RiskLevel::from_name, RiskLevel::High, |risk| risk.name();
}

/// Whether a column has no value in a row.
pub trait Nullable {
    /// Whether it has none.
    fn is_null_at(&self, row: usize) -> bool;
}

impl<A: arrow::array::Array> Nullable for &A {
    fn is_null_at(&self, row: usize) -> bool {
        self.is_null(row)
    }
}

impl<'r, T: Cell<'r>> Cell<'r> for Option<T>
where
    T::Column: Nullable,
{
    type Column = T::Column;

    fn describe(name: &str, fields: &mut Vec<Field>) {
        let from = fields.len();
        T::describe(name, fields);
        for field in &mut fields[from..] {
            *field = field.clone().with_nullable(true);
        }
    }

    fn comment(name: &str, own: &str, comments: &mut Vec<(String, String)>) {
        T::comment(name, own, comments);
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
        T::find(part, name)
    }

    fn read(column: &Self::Column, row: usize) -> Outcome<Self> {
        if column.is_null_at(row) { Ok(None) } else { T::read(column, row).map(Some) }
    }

    fn write(&self, columns: &mut Columns) {
        match self {
            Some(value) => value.write(columns),
            None => columns.null(),
        }
    }
}

fn list_type() -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)))
}

/// The texts of a list, without those that are null.
fn items(column: &GenericListArray<i32>, row: usize) -> impl Iterator<Item = &str> {
    let offsets = column.value_offsets();
    let range = usize::try_from(offsets[row]).unwrap_or_default()..usize::try_from(offsets[row + 1]).unwrap_or_default();
    let texts = column.values().as_string_opt::<i32>();
    texts.into_iter().flat_map(move |texts| range.clone().filter(|place| texts.is_valid(*place)).map(|place| texts.value(place)))
}

/// A word that a column may hold: an enum inside of the program.
pub trait Word: Copy + Eq + 'static {
    const ALL: &'static [Self];

    /// How it is written.
    fn word(self) -> &'static str;

    /// The one that is written so.
    #[must_use]
    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.word() == text)
    }
}

/// What to do about a query that does not fit its reader. The program's own queries do; those of a workspace may not.
const REMEDY: &str = "compare the workspace's own files in sql/ with the program's, or remove them";

/// Reads a word of a column.
pub fn read_word<W: Word>(text: &str) -> Outcome<W> {
    W::from_word(text).ok_or_else(|| {
        let known: Vec<String> = W::ALL.iter().map(|known| format!("`{}`", known.word())).collect();
        Diagnostic::edit(format!("the word `{}` is unknown; known are {}", text.escape_default(), known.join(", ")), REMEDY)
    })
}

/// Defines an enum whose variants are words of a column: `None = "", Review = "REVIEW"`. The first is the default.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them, in order.
            $vis const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// How it is written.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        $crate::word_traits!($name { $($variant)+ });
    };
}

/// What an enum of words is to others: text in files and queries, once it has a `name`.
#[doc(hidden)]
#[macro_export]
macro_rules! word_traits {
    ($name:ident { $($variant:ident)+ }) => {
        impl $crate::cell::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn word(self) -> &'static str {
                self.name()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'_, str> as serde::Deserialize>::deserialize(deserializer)?;
                <Self as $crate::cell::Word>::from_word(&text)
                    .ok_or_else(|| serde::de::Error::unknown_variant(&text, const { &[$(Self::$variant.name(),)+] }))
            }
        }

        $crate::word_cell!($name);
    };
}

/// How a column of words is read and written. A row without any reads as the first of them.
#[doc(hidden)]
#[macro_export]
macro_rules! word_cell {
    ($name:ty) => {
        impl<'r> $crate::cell::Cell<'r> for $name {
            type Column = <&'r str as $crate::cell::Cell<'r>>::Column;

            fn describe(name: &str, fields: &mut Vec<$crate::arrow::datatypes::Field>) {
                <&'r str as $crate::cell::Cell<'r>>::describe(name, fields);
            }

            fn find(part: $crate::row::Part<'r>, name: &str) -> text::diagnostic::Outcome<Self::Column> {
                part.texts(name)
            }

            fn read(column: &Self::Column, row: usize) -> text::diagnostic::Outcome<Self> {
                match <Option<&'r str> as $crate::cell::Cell<'r>>::read(column, row)? {
                    Some(word) => $crate::cell::read_word(word),
                    None => Ok(<Self as $crate::cell::Word>::ALL[0]),
                }
            }

            fn write(&self, columns: &mut $crate::column::Columns) {
                columns.text($crate::cell::Word::word(*self));
            }
        }
    };
}

impl Word for Kind {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

word_cell!(Kind);
