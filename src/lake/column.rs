//! How each type of field becomes a column.

use std::sync::Arc;

use arrow::array::{
    ArrayBuilder, ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow::datatypes::{DataType, Field, Fields};

use crate::event::field::{
    AgentDecisions, ApplicationStatus, Count, CurationAction, EvidenceLevel, FailureType, Flag, Json, Label, Labels, Name, Number,
    ObservationType, Passed, Rating, Risk, RunResult, Text, Texts, Unit, Verdict,
};

/// A type of field that has a column type.
pub trait Cell {
    /// What gathers the column's values.
    type Builder: ArrayBuilder;

    /// An empty builder.
    fn builder() -> Self::Builder;

    /// The type of the column in the lake.
    fn data_type() -> DataType;

    /// Adds one value, or the absence of one.
    fn append(builder: &mut Self::Builder, value: Option<&Self>);
}

/// Finishes a column.
pub fn finish(builder: &mut dyn ArrayBuilder) -> ArrayRef {
    builder.finish()
}

macro_rules! plain_cells {
    ($($builder:ty, $data_type:expr => $($type:ty),+;)*) => {$($(
        impl Cell for $type {
            type Builder = $builder;
            fn builder() -> Self::Builder { <$builder>::new() }
            fn data_type() -> DataType { $data_type }
            fn append(builder: &mut Self::Builder, value: Option<&Self>) {
                builder.append_option(value.map(|value| value.get()));
            }
        }
    )+)*};
}

plain_cells! {
    StringBuilder, DataType::Utf8 =>
        Text<'_>, Label<'_>, Name<'_>, FailureType<'_>, Json<'_>,
        ApplicationStatus, RunResult, Risk, ObservationType, Verdict, CurationAction;
    Int64Builder, DataType::Int64 => Count, EvidenceLevel;
    Float64Builder, DataType::Float64 => Number, Unit, Rating;
    BooleanBuilder, DataType::Boolean => Flag, Passed;
}

macro_rules! list_cells {
    ($($type:ty),+) => {$(
        impl Cell for $type {
            type Builder = ListBuilder<StringBuilder>;
            fn builder() -> Self::Builder { ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8)) }
            fn data_type() -> DataType { DataType::List(item(DataType::Utf8)) }
            fn append(builder: &mut Self::Builder, value: Option<&Self>) {
                // An absent list is an empty one: nobody who counts its items has to think of both.
                if let Some(list) = value {
                    for item in list.iter() {
                        builder.values().append_value(item);
                    }
                }
                builder.append(true);
            }
        }
    )+};
}

list_cells!(Texts<'_>, Labels<'_>);

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

    fn append(builder: &mut Self::Builder, value: Option<&Self>) {
        for decision in value.map_or(&[][..], |list| list.get()) {
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
