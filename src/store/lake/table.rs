//! The lake's tables: their schemas, and the builders that gather a partition's rows column by column.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use arrow::array::{
    ArrayBuilder as _, ArrayRef, AsArray as _, BooleanBuilder, Int64Builder, RecordBatch, StringArray, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::column::{Cell, Column};
use event::field::{
    Adapters, AgentDecisions, ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, Count, CurationAction, EvidenceLevel,
    FailureType, Flag, Json, Label, Labels, Lack, Name, Number, ObservationType, Passed, Quality, Rating, RawScore, RepoName,
    Retries, Risk, RunResult, Sayings, TaskName, Text, Texts, Unit, Vector, Verdict,
};
use event::{Body, Event, Kind, with_kinds};
use text::diagnostic::{Diagnostic, Outcome};
use text::key::key;

/// The time zone of every time in the lake.
const UTC: &str = "UTC";

/// Where a row came from, and its place in the order of landing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landing<'a> {
    /// The row's number in the order in which events were taken.
    pub sequence: i64,
    /// The inbox file.
    pub file: &'a str,
    /// The line in that file, from 1.
    pub line: i64,
    /// Where the line starts in that file, in bytes.
    pub offset: i64,
    /// Whether another report of the same run may have landed before; only runs say so.
    pub is_again: Option<bool>,
}

macro_rules! present {
    (need $value:expr) => {
        Some(&$value)
    };
    (may $value:expr) => {
        $value.as_ref()
    };
}

macro_rules! define_tables {
    ($($(#[$doc:meta])* $kind:ident $kind_name:literal {
        $($(#[$about:meta])* $need:ident $field:ident: $type:ty = $name:literal $(| $alias:literal)*,)*
    })*) => {
        /// The columns that are a kind's own.
        enum OwnColumns<'a> { $($kind(Box<($(Column<<$type as Cell>::Builder>,)*)>),)* }

        impl OwnColumns<'static> {
            fn new(kind: Kind) -> Self {
                match kind { $(Kind::$kind => own_columns::$kind(),)* }
            }

            /// Adds a row. The caller has chosen the columns by the body's kind.
            fn append(&mut self, body: &Body<'_>) {
                match (self, body) {
                    $((Self::$kind(columns), Body::$kind(row)) => {
                        let ($($field,)*) = &mut **columns;
                        $($field.append(present!($need row.$field));)*
                    })*
                    (_, other) => debug_assert!(false, "columns of another kind than {:?}", other.kind()),
                }
            }

            fn finish(&mut self) -> Vec<ArrayRef> {
                match self {
                    $(Self::$kind(columns) => {
                        let ($($field,)*) = &mut **columns;
                        vec![$($field.finish(),)*]
                    })*
                }
            }
        }

        mod own_columns {
            use super::*;
            $(pub(super) fn $kind<'a>() -> OwnColumns<'a> {
                OwnColumns::$kind(Box::new(($(Column::new(<$type as Cell>::builder()),)*)))
            })*
        }

        #[expect(clippy::extra_unused_lifetimes, reason = "the types of the table name it")]
        fn own_fields<'a>(kind: Kind) -> Vec<Field> {
            match kind {
                $(Kind::$kind => vec![$(Field::new($name, <$type as Cell>::data_type(), true),)*],)*
            }
        }

        /// The columns of a kind that hold prose.
        #[expect(clippy::extra_unused_lifetimes, reason = "the types of the table name it")]
        pub(super) fn prose_columns<'a>(kind: Kind) -> Vec<&'static str> {
            match kind {
                $(Kind::$kind => [$(($name, <$type as Cell>::IS_PROSE),)*].into_iter().filter(|(_, is_prose)| *is_prose).map(|(name, _)| name).collect(),)*
            }
        }
    };
}

with_kinds!(define_tables);

/// The schema of a kind's table.
#[must_use]
pub fn schema(kind: Kind) -> SchemaRef {
    static SCHEMAS: LazyLock<Vec<SchemaRef>> =
        LazyLock::new(|| Kind::ALL.iter().map(|&kind| Arc::new(make_schema(kind))).collect());
    Arc::clone(&SCHEMAS[kind as usize])
}

fn make_schema(kind: Kind) -> Schema {
    let mut fields = vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("ts", DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())), false),
        Field::new("project", DataType::Utf8, false),
    ];
    fields.extend(own_fields(kind));
    fields.extend(kind.key().map(|(name, _)| Field::new(name, DataType::Utf8, true)));
    if kind == Kind::Run {
        fields.push(Field::new("is_again", DataType::Boolean, true));
    }
    fields.extend([
        Field::new("extra", DataType::Utf8, true),
        Field::new("landing_seq", DataType::Int64, false),
        Field::new("landing_file", DataType::Utf8, false),
        Field::new("landing_line", DataType::Int64, false),
        Field::new("landing_offset", DataType::Int64, false),
        Field::new("landing_digest", DataType::Int64, false),
    ]);
    Schema::new(fields)
}

/// Gathers the rows of one table and day.
pub(super) struct TableBuilder {
    kind: Kind,
    id: StringBuilder,
    time: TimestampMicrosecondBuilder,
    project: StringBuilder,
    own: OwnColumns<'static>,
    key: Column<StringBuilder>,
    again: BooleanBuilder,
    extra: Column<StringBuilder>,
    sequence: Int64Builder,
    file: StringBuilder,
    line: Int64Builder,
    offset: Int64Builder,
    digest: Int64Builder,
}

impl TableBuilder {
    /// An empty table of that kind.
    #[must_use]
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            id: StringBuilder::new(),
            time: TimestampMicrosecondBuilder::new().with_timezone(UTC),
            project: StringBuilder::new(),
            own: OwnColumns::new(kind),
            key: Column::new(StringBuilder::new()),
            again: BooleanBuilder::new(),
            extra: Column::new(StringBuilder::new()),
            sequence: Int64Builder::new(),
            file: StringBuilder::new(),
            line: Int64Builder::new(),
            offset: Int64Builder::new(),
            digest: Int64Builder::new(),
        }
    }

    /// An empty table with room for what another one holds.
    #[must_use]
    pub(super) fn with_capacity_of(other: &Self) -> Self {
        let rows = other.len();
        let same = |builder: &StringBuilder| StringBuilder::with_capacity(rows, builder.values_slice().len());
        Self {
            id: same(&other.id),
            time: TimestampMicrosecondBuilder::with_capacity(rows).with_timezone(UTC),
            project: same(&other.project),
            sequence: Int64Builder::with_capacity(rows),
            file: same(&other.file),
            line: Int64Builder::with_capacity(rows),
            offset: Int64Builder::with_capacity(rows),
            digest: Int64Builder::with_capacity(rows),
            ..Self::new(other.kind)
        }
    }

    /// How many rows were added.
    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.sequence.len()
    }

    /// Adds an event of this table's kind.
    pub(super) fn append(&mut self, event: &Event<'_>, landing: Landing<'_>) {
        self.id.append_value(&event.id);
        self.time.append_value(event.time_micros);
        self.project.append_value(&event.project);
        self.own.append(&event.body);
        self.key.append(event.body.key().map(Cow::into_owned).as_ref());
        self.again.append_option(landing.is_again);
        self.extra.append(event.extra.as_ref());
        self.sequence.append_value(landing.sequence);
        self.file.append_value(landing.file);
        self.line.append_value(landing.line);
        self.offset.append_value(landing.offset);
        self.digest.append_value(event.digest.cast_signed());
    }

    /// The rows, in the order in which they were added.
    pub(super) fn finish(mut self) -> Outcome<RecordBatch> {
        let mut columns: Vec<ArrayRef> =
            vec![Arc::new(self.id.finish()), Arc::new(self.time.finish()), Arc::new(self.project.finish())];
        columns.extend(self.own.finish());
        columns.extend(self.kind.key().map(|_| self.key.finish()));
        if self.kind == Kind::Run {
            columns.push(Arc::new(self.again.finish()));
        }
        columns.push(self.extra.finish());
        columns.push(Arc::new(self.sequence.finish()));
        columns.push(Arc::new(self.file.finish()));
        columns.extend([&mut self.line, &mut self.offset, &mut self.digest].map(|numbers| Arc::new(numbers.finish()) as ArrayRef));
        RecordBatch::try_new(schema(self.kind), columns)
            .map_err(|error| Diagnostic::bug(format!("the columns of `{}` do not fit its schema: {error}", self.kind.name())))
    }
}

/// Rows of an earlier schema with the columns of this one: keys are computed, and all else that they lack is null.
pub(super) fn conform(rows: &RecordBatch, kind: Kind) -> Outcome<RecordBatch> {
    let schema = schema(kind);
    let columns = schema.fields().iter().map(|field| match (rows.column_by_name(field.name()), kind.key()) {
        (Some(column), _) => Arc::clone(column),
        (None, Some((name, of))) if field.name() == name => keys_of(rows, of),
        (None, _) => arrow::array::new_null_array(field.data_type(), rows.num_rows()),
    });
    RecordBatch::try_new(Arc::clone(&schema), columns.collect())
        .map_err(|error| Diagnostic::bug(format!("rows of the lake do not fit the table's schema: {error}")))
}

/// The keys of a column of names.
fn keys_of(rows: &RecordBatch, names: &str) -> ArrayRef {
    let names = rows.column_by_name(names).and_then(|column| column.as_string_opt::<i32>());
    let Some(names) = names else { return arrow::array::new_null_array(&DataType::Utf8, rows.num_rows()) };
    Arc::new(names.iter().map(|name| name.map(key)).collect::<StringArray>())
}
