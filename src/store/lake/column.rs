//! How each type of field becomes a column.

use std::sync::Arc;

use arrow::array::{
    ArrayBuilder, ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow::datatypes::{DataType, Field, Fields};

use event::field::{
    Adapters, AgentDecisions, ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, Count, CurationAction, EvidenceLevel,
    FailureType, Flag, Json, Label, Labels, Lack, Name, Number, ObservationType, Passed, Quality, Rating, RawScore, RepoName,
    Retries, Risk, RunResult, Sayings, TaskName, Text, Texts, Unit, Vector, Verdict,
};

/// A type of field that has a column type.
pub(super) trait Cell {
    /// What gathers the column's values.
    type Builder: Absent;

    /// Whether the column holds prose. Statistics of prose are useless, because no query filters it by range.
    const IS_PROSE: bool = false;

    /// An empty builder.
    fn builder() -> Self::Builder;

    /// The type of the column in the lake.
    fn data_type() -> DataType;

    /// Adds one value.
    fn append(builder: &mut Self::Builder, value: &Self);
}

/// A builder that can be told of absent values many at a time.
pub(super) trait Absent: ArrayBuilder {
    /// Adds the absence of some values.
    fn append_absent(&mut self, count: usize);
}

macro_rules! absent_is_null {
    ($($builder:ty),+) => {$(
        impl Absent for $builder {
            fn append_absent(&mut self, count: usize) {
                self.append_nulls(count);
            }
        }
    )+};
}

absent_is_null!(StringBuilder, Int64Builder, Float64Builder, BooleanBuilder);

/// An absent list is an empty one: nobody who counts its items has to think of both.
impl<B: ArrayBuilder> Absent for ListBuilder<B> {
    fn append_absent(&mut self, count: usize) {
        for _ in 0..count {
            self.append(true);
        }
    }
}

/// Gathers the values of one column. Most fields of a kind are absent from most of its events, so absence is only counted
/// until a value comes.
pub(super) struct Column<B> {
    builder: B,
    absent: usize,
}

impl<B: Absent> Column<B> {
    /// An empty column.
    #[must_use]
    pub(super) const fn new(builder: B) -> Self {
        Self { builder, absent: 0 }
    }

    /// Adds one value, or the absence of one.
    #[inline]
    pub(super) fn append<T: Cell<Builder = B>>(&mut self, value: Option<&T>) {
        let Some(value) = value else {
            self.absent += 1;
            return;
        };
        self.settle();
        T::append(&mut self.builder, value);
    }

    /// The column. Nothing is left in it.
    pub(super) fn finish(&mut self) -> ArrayRef {
        self.settle();
        ArrayBuilder::finish(&mut self.builder)
    }

    fn settle(&mut self) {
        if self.absent > 0 {
            self.builder.append_absent(self.absent);
            self.absent = 0;
        }
    }
}

macro_rules! plain_cells {
    ($($builder:ty, $data_type:expr, $is_prose:literal => $($type:ty),+;)*) => {$($(
        impl Cell for $type {
            type Builder = $builder;
            const IS_PROSE: bool = $is_prose;
            fn builder() -> Self::Builder { <$builder>::new() }
            fn data_type() -> DataType { $data_type }
            #[inline]
            fn append(builder: &mut Self::Builder, value: &Self) {
                builder.append_value(value.get());
            }
        }
    )+)*};
}

plain_cells! {
    StringBuilder, DataType::Utf8, true => Text<'_>, Json<'_>;
    StringBuilder, DataType::Utf8, false =>
        Label<'_>, Name<'_>, FailureType<'_>, RepoName<'_>, TaskName<'_>, ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, RunResult, Risk, Lack, ObservationType, Verdict, CurationAction;
    Int64Builder, DataType::Int64, false => Count, Retries, EvidenceLevel;
    Float64Builder, DataType::Float64, false => Number, Unit, Quality, Rating, RawScore;
    BooleanBuilder, DataType::Boolean, false => Flag, Passed;
}

impl Cell for String {
    type Builder = StringBuilder;

    fn builder() -> Self::Builder {
        StringBuilder::new()
    }

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn append(builder: &mut Self::Builder, value: &Self) {
        builder.append_value(value);
    }
}

macro_rules! list_cells {
    ($($type:ty),+) => {$(
        impl Cell for $type {
            type Builder = ListBuilder<StringBuilder>;
            const IS_PROSE: bool = true;
            fn builder() -> Self::Builder { ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8)) }
            fn data_type() -> DataType { DataType::List(item(DataType::Utf8)) }
            fn append(builder: &mut Self::Builder, value: &Self) {
                for item in value.iter() {
                    builder.values().append_value(item);
                }
                builder.append(true);
            }
        }
    )+};
}

list_cells!(Texts<'_>, Labels<'_>, Adapters<'_>, Sayings<'_>);

impl Cell for Vector {
    type Builder = ListBuilder<Float64Builder>;

    const IS_PROSE: bool = true;

    fn builder() -> Self::Builder {
        ListBuilder::new(Float64Builder::new()).with_field(item(DataType::Float64))
    }

    fn data_type() -> DataType {
        DataType::List(item(DataType::Float64))
    }

    fn append(builder: &mut Self::Builder, value: &Self) {
        builder.values().append_slice(value.get());
        builder.append(true);
    }
}

fn item(data_type: DataType) -> Arc<Field> {
    // The name that the Parquet format gives to a list's values.
    Arc::new(Field::new("element", data_type, true))
}

impl Cell for AgentDecisions<'_> {
    type Builder = ListBuilder<StructBuilder>;

    fn builder() -> Self::Builder {
        ListBuilder::new(StructBuilder::from_fields(decision_fields(), 0)).with_field(item(DataType::Struct(decision_fields())))
    }

    fn data_type() -> DataType {
        DataType::List(item(DataType::Struct(decision_fields())))
    }

    fn append(builder: &mut Self::Builder, value: &Self) {
        for decision in value.get() {
            let row = builder.values();
            if let Some(agents) = row.field_builder::<StringBuilder>(0) {
                agents.append_value(decision.agent.get());
            }
            if let Some(verdicts) = row.field_builder::<StringBuilder>(1) {
                verdicts.append_option(decision.decision.map(|verdict| verdict.get()));
            }
            if let Some(confidences) = row.field_builder::<Float64Builder>(2) {
                confidences.append_value(decision.confidence.get());
            }
            row.append(true);
        }
        builder.append(true);
    }
}

fn decision_fields() -> Fields {
    Fields::from(vec![
        Field::new("agent", DataType::Utf8, true),
        Field::new("decision", DataType::Utf8, true),
        Field::new("confidence", DataType::Float64, true),
    ])
}
