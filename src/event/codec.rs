//! How a field of a row stands in its column: as it is, or as another type that readers of files expect.

use arrow::array::{Array as _, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, TimeUnit};

use super::cell::{Cell, Nullable as _};
use super::column::Columns;
use super::row::Part;
use jiff::Timestamp;
use text::diagnostic::Outcome;

/// The way between a field and its column or columns.
pub trait Codec<'r, T> {
    type Column;

    fn describe(name: &str, fields: &mut Vec<Field>);

    /// Adds what each column means: `own` is the comment of the field.
    fn comment(name: &str, own: &str, comments: &mut Vec<(String, String)>) {
        comments.push((name.to_owned(), own.trim().to_owned()));
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column>;

    fn read(column: &Self::Column, row: usize) -> Outcome<T>;

    fn write(value: &T, columns: &mut Columns);
}

/// A field stands in its column as it is.
#[derive(Debug)]
pub struct Plain;

impl<'r, T: Cell<'r>> Codec<'r, T> for Plain {
    type Column = T::Column;

    fn describe(name: &str, fields: &mut Vec<Field>) {
        T::describe(name, fields);
    }

    fn comment(name: &str, own: &str, comments: &mut Vec<(String, String)>) {
        T::comment(name, own, comments);
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
        T::find(part, name)
    }

    fn read(column: &Self::Column, row: usize) -> Outcome<T> {
        T::read(column, row)
    }

    fn write(value: &T, columns: &mut Columns) {
        value.write(columns);
    }
}

/// A time as text, RFC 3339, stands in a column of timestamps. Earlier versions wrote the text; that is read, too.
#[derive(Debug)]
pub struct AsTime;

/// A column of times.
#[derive(Debug)]
pub enum Times<'r> {
    Stamps(&'r TimestampMicrosecondArray),
    Texts(&'r StringArray),
}

impl<'r> Codec<'r, Option<String>> for AsTime {
    type Column = Times<'r>;

    fn describe(name: &str, fields: &mut Vec<Field>) {
        fields.push(Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())), true));
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
        part.texts(name).map(Times::Texts).or_else(|_| part.times(name).map(Times::Stamps))
    }

    fn read(column: &Self::Column, row: usize) -> Outcome<Option<String>> {
        Ok(match column {
            Times::Texts(texts) => (!texts.is_null_at(row)).then(|| texts.value(row).to_owned()),
            Times::Stamps(stamps) if stamps.is_null(row) => None,
            Times::Stamps(stamps) => Timestamp::from_microsecond(stamps.value(row)).ok().map(|time| time.to_string()),
        })
    }

    fn write(value: &Option<String>, columns: &mut Columns) {
        match value.as_deref().and_then(|text| text.parse::<Timestamp>().ok()) {
            Some(time) => columns.time(time.as_microsecond()),
            None => columns.null(),
        }
    }
}

impl<'r> Codec<'r, String> for AsTime {
    type Column = Times<'r>;

    fn describe(name: &str, fields: &mut Vec<Field>) {
        <Self as Codec<'r, Option<String>>>::describe(name, fields);
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
        <Self as Codec<'r, Option<String>>>::find(part, name)
    }

    fn read(column: &Self::Column, row: usize) -> Outcome<String> {
        Ok(<Self as Codec<'r, Option<String>>>::read(column, row)?.unwrap_or_default())
    }

    fn write(value: &String, columns: &mut Columns) {
        match value.parse::<Timestamp>() {
            Ok(time) => columns.time(time.as_microsecond()),
            Err(_) => columns.null(),
        }
    }
}

/// Defines a row: a struct, its reader and its schema. A column is called like its field, unless `= "column"` says otherwise.
/// `=> AsTime` stores a time that the program holds as text as a timestamp. A field that is a row itself stands for all of its
/// columns. A row that borrows is written `struct Name<'r>`. Comments of fields are what the reference says of their columns.
#[macro_export]
macro_rules! row {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$($doc:tt)*])* $see:vis $field:ident: $type:ty $(=> $codec:ident)? $(= $column:literal)?),+ $(,)? }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$($doc)*])* $see $field: $type,)+ }

        $crate::row_cell!([] $name { $([$([$($doc)*])*] $field: $type $(=> $codec)? $(= $column)?,)+ });

        impl $crate::cell::Row for $name {}
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident<'r> { $($(#[$($doc:tt)*])* $see:vis $field:ident: $type:ty $(=> $codec:ident)? $(= $column:literal)?),+ $(,)? }) => {
        $(#[$meta])*
        $vis struct $name<'r> { $($(#[$($doc)*])* $see $field: $type,)+ }

        $crate::row_cell!([<'r>] $name { $([$([$($doc)*])*] $field: $type $(=> $codec)? $(= $column)?,)+ });
    };
}

/// The part of `row!` that both of its forms share.
#[doc(hidden)]
#[macro_export]
macro_rules! row_cell {
    ([$($lifetime:tt)*] $name:ident { $([$([$($doc:tt)*])*] $field:ident: $type:ty $(=> $codec:ident)? $(= $column:literal)?,)+ }) => {
        impl<'r> $crate::cell::Cell<'r> for $name $($lifetime)* {
            type Column = ($(<$crate::codec_of!($($codec)?) as $crate::codec::Codec<'r, $type>>::Column,)+);

            fn describe(_name: &str, fields: &mut Vec<$crate::arrow::datatypes::Field>) {
                $(<$crate::codec_of!($($codec)?) as $crate::codec::Codec<'r, $type>>::describe($crate::column_name!($field $($column)?), fields);)+
            }

            fn comment(_name: &str, _own: &str, comments: &mut Vec<(String, String)>) {
                $(<$crate::codec_of!($($codec)?) as $crate::codec::Codec<'r, $type>>::comment(
                    $crate::column_name!($field $($column)?), concat!($($crate::doc_text!($($doc)*)),*), comments);)+
            }

            fn find(part: $crate::row::Part<'r>, _name: &str) -> text::diagnostic::Outcome<Self::Column> {
                Ok(($(<$crate::codec_of!($($codec)?) as $crate::codec::Codec<'r, $type>>::find(part, $crate::column_name!($field $($column)?))?,)+))
            }

            fn read(column: &Self::Column, row: usize) -> text::diagnostic::Outcome<Self> {
                let ($($field,)+) = column;
                Ok(Self { $($field: <$crate::codec_of!($($codec)?) as $crate::codec::Codec<'r, $type>>::read($field, row)?,)+ })
            }

            fn write(&self, columns: &mut $crate::column::Columns) {
                $(<$crate::codec_of!($($codec)?) as $crate::codec::Codec<'r, $type>>::write(&self.$field, columns);)+
            }
        }
    };
}

/// How a field is stored.
#[doc(hidden)]
#[macro_export]
macro_rules! codec_of {
    () => {
        $crate::codec::Plain
    };
    ($codec:ident) => {
        $crate::codec::$codec
    };
}

/// The text of a comment; other attributes have none.
#[doc(hidden)]
#[macro_export]
macro_rules! doc_text {
    (doc = $text:literal) => {
        $text
    };
    ($($other:tt)*) => {
        ""
    };
}

/// What the column of a field is called.
#[doc(hidden)]
#[macro_export]
macro_rules! column_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $column:literal) => {
        $column
    };
}
