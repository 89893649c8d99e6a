//! The types of an event's fields. Each is parsed once, at the door, and holds its invariant from then on.

use std::borrow::Cow;

pub use super::detail::{Adapters, AgentDecision, AgentDecisions, FailureType, RawScore, RepoName, Sayings, TaskName, Vector};
pub use super::holds::Holds;
use super::member::{Member, Raw, at_most, check_kept, identifier, wrong_type};
use super::rejection::{Code, Rejection};
use super::scan::Shape;
pub use super::vocabulary::{
    AgentVerdict, ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, CurationAction, Lack, ObservationType, Risk,
    RunResult, Verdict,
};
use text::fit::quoted;
use text::limit;
use text::review::Level;

/// A value that one field of an event can hold.
pub trait Field<'a>: Sized + PartialEq {
    /// What the field holds.
    const HOLDS: Holds;

    /// Whether `null` counts as absent. Where it does not, it is refused.
    const TAKES_NULL: bool = true;

    /// Parses the value as written. What is absent never reaches this.
    fn parse(raw: Raw<'a>) -> Result<Self, Rejection>;

    /// Whether the value counts as absent.
    #[must_use]
    fn is_absent(raw: Raw<'a>) -> bool {
        Self::TAKES_NULL && raw.is_null()
    }

    /// Whether the value says more than the field holds. It is then kept as it was written beside the other unknown fields.
    #[must_use]
    fn says_more(_raw: Raw<'a>) -> bool {
        false
    }
}

/// Fills a field's slot. Two spellings of one field may both be present only if they agree.
#[inline]
pub(super) fn fill<'a, T: Field<'a>>(slot: &mut Option<T>, member: Member<'a>, field: &'static str) -> Result<(), Rejection> {
    if T::is_absent(member.value) {
        return Ok(());
    }
    let value = T::parse(member.value).map_err(|fault| in_field(fault, member))?;
    if slot.as_ref().is_some_and(|earlier| *earlier != value) {
        return Err(differing(member, field));
    }
    *slot = Some(value);
    Ok(())
}

#[cold]
fn in_field(fault: Rejection, member: Member<'_>) -> Rejection {
    match member.name() {
        Ok(name) => fault.in_field(&name),
        Err(_) => fault,
    }
}

/// The rejection for two spellings of one field that do not agree.
#[cold]
pub(super) fn differing(member: Member<'_>, field: &str) -> Rejection {
    let name = member.name().unwrap_or_default();
    Rejection::new(
        Code::Contradiction,
        format!("{} and another spelling of `{field}` differ", quoted(&name)),
        format!("send `{field}` only"),
    )
}

/// Free text of a person or an agent. Sanitise it before printing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a>(Cow<'a, str>);

/// A short line of text: an id, a path, a model. Not empty, without control or direction characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label<'a>(Cow<'a, str>);

/// A name that may become part of a file name: a label without path separators that is neither `.` nor `..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name<'a>(Cow<'a, str>);

/// A list of texts. Its items are checked here and decoded where they are used.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a>(Raw<'a>);

/// A list of labels, each once, in the order of their first sighting.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a>(Raw<'a>);

impl PartialEq for Texts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl PartialEq for Labels<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// An object or a list that is kept as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

/// A whole number, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(i64);

/// A finite number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(f64);

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Unit(f64);

/// How good a run was: a number from 0 to 1, and never `null`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Quality(f64);

/// How often a run was tried again: a whole number, small enough that no sum of them overflows, and never `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Retries(i64);

/// A rating from 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Rating(f64);

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag(bool);

/// Whether a build or a check passed: a boolean, or the words `passed` and `failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed(bool);

/// How strong the evidence of a text is: 1 execution output, 2 a quotation with its place, 3 reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceLevel(Level);

macro_rules! read_as {
    ($($type:ty => $out:ty, $self:ident: $expression:expr;)*) => {$(
        impl $type {
            /// The value.
            #[must_use]
            pub fn get(&$self) -> $out { $expression }
        }
    )*};
}

read_as! {
    Text<'_> => &str, self: &self.0;
    Label<'_> => &str, self: &self.0;
    Name<'_> => &str, self: &self.0;
    Json<'_> => &str, self: self.0;
    Count => i64, self: self.0;
    Retries => i64, self: self.0;
    EvidenceLevel => i64, self: self.0.number();
    Number => f64, self: self.0;
    Unit => f64, self: self.0;
    Quality => f64, self: self.0;
    Rating => f64, self: self.0;
    Flag => bool, self: self.0;
    Passed => bool, self: self.0;
}

impl<'a> Label<'a> {
    /// The text, borrowed from the line where it could be.
    #[must_use]
    pub fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}

impl<'a> Name<'a> {
    /// The text, borrowed from the line where it could be.
    #[must_use]
    pub fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}

impl EvidenceLevel {
    /// The level that a text shows.
    #[must_use]
    pub const fn shown(level: Level) -> Self {
        Self(level)
    }
}

impl From<bool> for Flag {
    fn from(value: bool) -> Self {
        Self(value)
    }
}

impl<'a> Field<'a> for Text<'a> {
    const HOLDS: Holds = Holds::Text;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        at_most(raw.text()?, limit::TEXT_BYTES).map(Self)
    }
}

impl<'a> Field<'a> for Label<'a> {
    const HOLDS: Holds = Holds::Label;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        identifier(raw, limit::LABEL_BYTES).map(Self)
    }
}

impl<'a> Field<'a> for Name<'a> {
    const HOLDS: Holds = Holds::Name;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        parse_name(raw).map(Self)
    }
}

impl<'a> Field<'a> for Texts<'a> {
    const HOLDS: Holds = Holds::Texts;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        each_item(raw, |item| at_most(item.text()?, limit::ITEM_BYTES).map(drop))?;
        Ok(Self(raw))
    }
}

impl<'a> Field<'a> for Labels<'a> {
    const HOLDS: Holds = Holds::Labels;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        each_item(raw, |item| identifier(item, limit::LABEL_BYTES).map(drop))?;
        Ok(Self(raw))
    }
}

impl<'a> Texts<'a> {
    /// The texts.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.0.items().into_iter().flatten().filter_map(|item| item.text().ok())
    }
}

impl<'a> Labels<'a> {
    /// The labels, each once.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let all = || self.0.items().into_iter().flatten().filter_map(|item| identifier(item, limit::LABEL_BYTES).ok());
        all().enumerate().filter(move |(index, label)| !all().take(*index).any(|earlier| earlier == *label)).map(|(_, label)| label)
    }
}

pub(super) fn each_item<'a>(raw: Raw<'a>, check: impl Fn(Raw<'a>) -> Result<(), Rejection>) -> Result<(), Rejection> {
    for (index, item) in raw.items()?.enumerate() {
        if index == limit::LIST_ITEMS {
            return Err(Rejection::new(
                Code::TooLarge,
                format!("has more than {} items", limit::LIST_ITEMS),
                "send the most important ones",
            ));
        }
        check(item)?;
    }
    Ok(())
}

impl<'a> Field<'a> for Json<'a> {
    const HOLDS: Holds = Holds::Json;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        if !matches!(raw.shape(), Shape::Object | Shape::List) {
            return Err(wrong_type("an object or a list", raw));
        }
        check_kept(raw)?;
        Ok(Self(raw.as_written()))
    }
}

impl Field<'_> for Count {
    const HOLDS: Holds = Holds::Count;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        // One of the systems that write here puts its iteration numbers in quotes.
        let digits = unquoted(raw)?;
        let value = digits.parse::<i64>().ok().or_else(|| whole(&digits));
        match value.filter(|_| !digits.starts_with('+')) {
            Some(value) if value >= 0 => Ok(Self(value)),
            Some(_) => Err(out_of_range(raw, "a whole number, zero or more")),
            None => Err(wrong_type("a whole number", raw)),
        }
    }
}

impl Field<'_> for EvidenceLevel {
    const HOLDS: Holds = Holds::Level;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        let level = unquoted(raw)?;
        match level.strip_prefix(['L', 'l']).unwrap_or(&level) {
            "1" => Ok(Self(Level::Execution)),
            "2" => Ok(Self(Level::Quotation)),
            "3" => Ok(Self(Level::Reasoning)),
            _ => Err(out_of_range(raw, "1, 2 or 3")),
        }
    }
}

impl Field<'_> for Number {
    const HOLDS: Holds = Holds::Number;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        finite(raw).map(Self)
    }
}

impl Field<'_> for Unit {
    const HOLDS: Holds = Holds::Unit;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        between(raw, 0.0, 1.0).map(Self)
    }
}

impl Field<'_> for Quality {
    const HOLDS: Holds = Holds::Quality;
    const TAKES_NULL: bool = false;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        check_known(raw, "a number from 0 to 1")?;
        between(raw, 0.0, 1.0).map(Self)
    }
}

impl Field<'_> for Retries {
    const HOLDS: Holds = Holds::Retries;
    const TAKES_NULL: bool = false;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        const WANTED: &str = "a whole number from 0 to 4294967295";
        check_known(raw, WANTED)?;
        match Count::parse(raw)? {
            Count(value) if value <= limit::RETRIES => Ok(Self(value)),
            _ => Err(out_of_range(raw, WANTED)),
        }
    }
}

/// A number that is none is written as `null` by JavaScript. Taken as absent, it would count as if nothing had gone wrong.
fn check_known(raw: Raw<'_>, wanted: &str) -> Result<(), Rejection> {
    if raw.is_null() {
        return Err(Rejection::new(Code::WrongType, format!("is `null` rather than {wanted}"), "write the number, or omit it"));
    }
    Ok(())
}

impl Field<'_> for Rating {
    const HOLDS: Holds = Holds::Rating;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        between(raw, 1.0, 5.0).map(Self)
    }
}

impl Field<'_> for Flag {
    const HOLDS: Holds = Holds::Flag;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        match raw.as_written() {
            "true" => Ok(Self(true)),
            "false" => Ok(Self(false)),
            _ => Err(wrong_type("true or false", raw)),
        }
    }
}

impl Field<'_> for Passed {
    const HOLDS: Holds = Holds::Passed;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        match (raw.shape(), &*unquoted(raw)?) {
            (Shape::Flag, "true") | (Shape::Ascii | Shape::Escaped, "passed") => Ok(Self(true)),
            (Shape::Flag, "false") | (Shape::Ascii | Shape::Escaped, "failed") => Ok(Self(false)),
            _ => Err(out_of_range(raw, "true, false, \"passed\" or \"failed\"")),
        }
    }
}

/// The text of a string, and of everything else as it is written.
fn unquoted(raw: Raw<'_>) -> Result<Cow<'_, str>, Rejection> {
    match raw.shape() {
        Shape::Ascii | Shape::Plain | Shape::Escaped => raw.text(),
        _ => Ok(Cow::Borrowed(raw.as_written())),
    }
}

fn parse_name(raw: Raw<'_>) -> Result<Cow<'_, str>, Rejection> {
    let text = identifier(raw, limit::NAME_BYTES)?;
    let has_separator = text.bytes().any(|byte| byte == b'/' || byte == b'\\');
    if has_separator || matches!(&*text, "." | "..") {
        return Err(Rejection::new(
            Code::BadName,
            format!("holds a path separator or is a path: {}", quoted(&text)),
            "use letters, digits, `-`, `_`, `.` and `:`",
        ));
    }
    Ok(text)
}

/// A whole number that was written as a float, as some serializers do.
fn whole(digits: &str) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = digits.parse::<f64>().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range of a double")]
    (value.fract() == 0.0 && value.abs() < EXACT).then_some(value as i64)
}

pub(super) fn finite(raw: Raw<'_>) -> Result<f64, Rejection> {
    match raw.as_written().parse::<f64>() {
        Ok(value) if value.is_finite() && raw.shape() == Shape::Number => Ok(value),
        Ok(_) if raw.shape() == Shape::Number => Err(out_of_range(raw, "a finite number")),
        _ => Err(wrong_type("a number", raw)),
    }
}

fn between(raw: Raw<'_>, least: f64, most: f64) -> Result<f64, Rejection> {
    let value = finite(raw)?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(out_of_range(raw, &format!("a number from {least} to {most}")))
}

fn out_of_range(raw: Raw<'_>, wanted: &str) -> Rejection {
    Rejection::new(Code::OutOfRange, format!("is {}", quoted(raw.as_written())), format!("write {wanted}"))
}
