//! The fields that take more than one look: the adapters of a run, what failed in it, what its agents decided, the patterns that a
//! role gathered, and vectors.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::field::{AgentVerdict, Field, Holds, Name, Texts, Unit, differing, each_item, fill, finite};
use super::member::{Layout, Members, NameTable, Raw, check_kept, identifier, wrong_type};
use super::rejection::{Code, Rejection};
use super::scan::Shape;
use text::key::key;
use text::limit;
use text::review::{MOST_SAYINGS, is_saying};

/// The adapters of a run: as keys, each once, in the order of their first sighting.
///
/// Systems spell one adapter in several ways, and each spelling would learn for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapters<'a>(Vec<Cow<'a, str>>);

impl<'a> Adapters<'a> {
    /// The adapters, each once.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|adapter| &**adapter)
    }

    /// Whether the list was written without any.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, adapter: Cow<'a, str>) {
        if !self.0.contains(&adapter) {
            self.0.push(adapter);
        }
    }
}

impl<'a> Field<'a> for Adapters<'a> {
    const HOLDS: Holds = Holds::Adapters;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        each_item(raw, |_| Ok(()))?;
        let mut adapters = Self(Vec::new());
        for item in raw.items()? {
            adapters.add(as_key(identifier(item, limit::LABEL_BYTES)?));
        }
        Ok(adapters)
    }

    fn says_more(raw: Raw<'a>) -> bool {
        let is_changed = |item| identifier(item, limit::LABEL_BYTES).is_ok_and(|text| key(&text) != *text);
        raw.items().is_ok_and(|mut items| items.any(is_changed))
    }
}

fn as_key(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => key(text),
        Cow::Owned(text) => Cow::Owned(key(&text).into_owned()),
    }
}

/// The type of failure that dominated a run: a name without white space around it, or an object that holds one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureType<'a>(Cow<'a, str>);

impl FailureType<'_> {
    /// The value.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl<'a> Field<'a> for FailureType<'a> {
    const HOLDS: Holds = Holds::Failure;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        let value = match raw.shape() {
            Shape::Object => parse_failure_details(raw)?.0.ok_or_else(|| wrong_type("a failure type", raw))?,
            _ => raw,
        };
        identifier(value, limit::NAME_BYTES).map(|name| Self(trimmed(name)))
    }

    /// Details that name no type are kept as they are, and the run has none. Neither has one whose type is blank, as
    /// systems write that know no absent values.
    fn is_absent(raw: Raw<'a>) -> bool {
        match raw.shape() {
            Shape::Null => true,
            Shape::Object => matches!(parse_failure_details(raw), Ok((None, _))),
            _ => is_blank(raw),
        }
    }

    fn says_more(raw: Raw<'a>) -> bool {
        raw.shape() == Shape::Object && matches!(parse_failure_details(raw), Ok((_, true)))
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// Whether two values name one type of failure.
fn is_same_type(one: Raw<'_>, other: Raw<'_>) -> bool {
    let name = |raw| identifier(raw, limit::NAME_BYTES).map(trimmed).ok();
    one == other || name(one).is_some_and(|one| name(other) == Some(one))
}

fn is_blank(raw: Raw<'_>) -> bool {
    raw.text().is_ok_and(|text| text.trim().is_empty())
}

/// The failure type that details name, and whether they say more than that.
fn parse_failure_details(raw: Raw<'_>) -> Result<(Option<Raw<'_>>, bool), Rejection> {
    static NAMES: LazyLock<NameTable> =
        LazyLock::new(|| NameTable::new([("dominantFailureType", 0), ("dominant_failure_type", 0)]));
    check_kept(raw)?;
    let mut layout = Layout::default();
    let mut members = Members::new(raw.as_written(), &NAMES, &mut layout);
    let (mut found, mut says_more) = (None::<Raw<'_>>, false);
    while let Some(member) = members.next()? {
        match member.field {
            Some(_) if member.value.is_null() || is_blank(member.value) => {}
            Some(_) if found.is_some_and(|earlier| !is_same_type(earlier, member.value)) => {
                return Err(differing(member, "dominantFailureType"));
            }
            Some(_) => found = Some(member.value),
            None => says_more = true,
        }
    }
    Ok((found, says_more))
}

/// What one agent decided in a run, and how sure it was.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentDecision<'a> {
    /// The agent.
    pub agent: Name<'a>,
    pub decision: Option<AgentVerdict>,
    /// How sure it was.
    pub confidence: Unit,
}

/// What the agents of a run decided: of each agent, its last word.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentDecisions<'a>(Vec<AgentDecision<'a>>);

impl<'a> AgentDecisions<'a> {
    /// The decisions in the order given.
    #[must_use]
    pub fn get(&self) -> &[AgentDecision<'a>] {
        &self.0
    }
}

impl<'a> Field<'a> for AgentDecisions<'a> {
    const HOLDS: Holds = Holds::Decisions;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        each_item(raw, |_| Ok(()))?;
        check_kept(raw)?;
        let all = raw.items()?.map(|item| parse_decision(item).map(|(decision, _)| decision)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self(last_of_each(all)))
    }

    fn says_more(raw: Raw<'a>) -> bool {
        let Ok(items) = raw.items() else { return false };
        let mut agents: Vec<Name<'_>> = Vec::new();
        for (decision, says_more) in items.filter_map(|item| parse_decision(item).ok()) {
            if says_more || agents.contains(&decision.agent) {
                return true;
            }
            agents.push(decision.agent);
        }
        false
    }
}

/// An agent that changed its mind is judged once, by its last word.
fn last_of_each(mut all: Vec<AgentDecision<'_>>) -> Vec<AgentDecision<'_>> {
    let mut place = 0;
    while place < all.len() {
        if all[place + 1..].iter().any(|later| later.agent == all[place].agent) {
            all.remove(place);
        } else {
            place += 1;
        }
    }
    all
}

/// A decision, and whether it says more than the three things that are kept of it.
fn parse_decision(raw: Raw<'_>) -> Result<(AgentDecision<'_>, bool), Rejection> {
    static NAMES: LazyLock<NameTable> = LazyLock::new(|| NameTable::new([("agent", 0), ("decision", 1), ("confidence", 2)]));
    if raw.shape() != Shape::Object {
        return Err(wrong_type("an object", raw));
    }
    let (mut agent, mut decision, mut confidence, mut says_more) = (None, None, None, false);
    let mut layout = Layout::default();
    let mut members = Members::new(raw.as_written(), &NAMES, &mut layout);
    while let Some(member) = members.next()? {
        match member.field {
            Some(0) => fill(&mut agent, member, "agent")?,
            Some(1) => fill(&mut decision, member, "decision")?,
            Some(_) => fill(&mut confidence, member, "confidence")?,
            None => says_more = true,
        }
    }
    let missing = |field| Rejection::new(Code::MissingField, format!("has an item without `{field}`"), format!("add `{field}`"));
    let decision = AgentDecision {
        agent: agent.ok_or_else(|| missing("agent"))?,
        decision,
        confidence: confidence.ok_or_else(|| missing("confidence"))?,
    };
    Ok((decision, says_more))
}

/// The score that another tool wrote, before it was clamped. What is no number is kept as it was written.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct RawScore(f64);

impl RawScore {
    /// The value.
    #[must_use]
    pub const fn get(&self) -> f64 {
        self.0
    }
}

impl Field<'_> for RawScore {
    const HOLDS: Holds = Holds::Score;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        as_written_number(raw).map(Self).ok_or_else(|| wrong_type("a number", raw))
    }

    fn is_absent(raw: Raw<'_>) -> bool {
        as_written_number(raw).is_none()
    }

    fn says_more(raw: Raw<'_>) -> bool {
        !raw.is_null() && as_written_number(raw).is_none()
    }
}

/// A number, also where it is written as a text.
fn as_written_number(raw: Raw<'_>) -> Option<f64> {
    let written = if raw.shape() == Shape::Number { Cow::Borrowed(raw.as_written()) } else { raw.text().ok()? };
    written.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Defines names that other systems write in fields of which nobody checks the content: what is no name is kept as it was written.
macro_rules! lenient_names {
    ($($(#[$doc:meta])* $type:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $type<'a>(Cow<'a, str>);

        impl $type<'_> {
            /// The value.
            #[must_use]
            pub fn get(&self) -> &str {
                &self.0
            }
        }

        impl<'a> Field<'a> for $type<'a> {
            const HOLDS: Holds = Holds::Written;

            fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
                identifier(raw, limit::LABEL_BYTES).map(Self)
            }

            fn is_absent(raw: Raw<'a>) -> bool {
                identifier(raw, limit::LABEL_BYTES).is_err()
            }

            fn says_more(raw: Raw<'a>) -> bool {
                !raw.is_null() && Self::is_absent(raw)
            }
        }
    )*};
}

lenient_names! {
    /// The name of a repository.
    RepoName
    /// The task or issue that an event belongs to, as a name: a description of it is none.
    TaskName
}

/// The patterns that a role reports: few, each of a length that says something and fits a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sayings<'a>(Vec<Cow<'a, str>>);

impl Sayings<'_> {
    /// The patterns.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|saying| &**saying)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that were found in a role's text.
    pub(super) fn found(sayings: Vec<String>) -> Self {
        Self(sayings.into_iter().map(Cow::Owned).collect())
    }
}

impl<'a> Field<'a> for Sayings<'a> {
    const HOLDS: Holds = Holds::Sayings;

    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        Ok(Self(Texts::parse(raw)?.iter().filter(|saying| is_saying(saying)).take(MOST_SAYINGS).collect()))
    }

    /// What is too short, too long or too much is kept as it was written.
    fn says_more(raw: Raw<'a>) -> bool {
        Texts::parse(raw)
            .is_ok_and(|texts| texts.iter().enumerate().any(|(place, text)| place >= MOST_SAYINGS || !is_saying(&text)))
    }
}

/// The most numbers of a vector: four times what common models give.
const MOST_NUMBERS: usize = 16_384;
/// The largest number of a vector, so that no sum of products overflows.
const LARGEST: f64 = 1000.0;

/// A text as a vector: at least one number, none of them large.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f64>);

impl Vector {
    pub fn new(numbers: Vec<f64>) -> Result<Self, Rejection> {
        if numbers.is_empty() || numbers.len() > MOST_NUMBERS {
            let what = format!("holds {} numbers", if numbers.is_empty() { "no" } else { "too many" });
            return Err(Rejection::new(Code::TooLarge, what, format!("send 1 to {MOST_NUMBERS} numbers")));
        }
        if let Some(large) = numbers.iter().find(|number| number.is_nan() || number.abs() > LARGEST) {
            let remedy = format!("scale the vector so that no number is beyond {LARGEST}; only its direction counts");
            return Err(Rejection::new(Code::OutOfRange, format!("holds {large}"), remedy));
        }
        Ok(Self(numbers))
    }

    /// Whether it points nowhere: it is like nothing, and nothing is like it.
    #[must_use]
    pub fn is_null(&self) -> bool {
        // The square of a number may be too small to be told from none.
        self.0.iter().map(|number| number * number).sum::<f64>() <= 0.0
    }

    /// The numbers.
    #[must_use]
    pub fn get(&self) -> &[f64] {
        &self.0
    }
}

impl Field<'_> for Vector {
    const HOLDS: Holds = Holds::Vector;

    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        let numbers = raw.items()?.map(finite).take(MOST_NUMBERS + 1).collect::<Result<Vec<f64>, Rejection>>()?;
        Self::new(numbers)
    }
}
