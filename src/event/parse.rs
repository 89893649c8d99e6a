//! One line to one event: the envelope first, then the fields of its kind.

use std::borrow::Cow;
use std::sync::LazyLock;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64, xxh3_128};

use super::field::{Field as _, Label, Name, differing};
use super::kind::{Body, ENVELOPE, Kind};
use super::member::{Layout, Member, Members, NameTable, Raw, Unknown, wrong_type};
use super::rejection::{Code, Rejection};
use super::rule::{check_run, counts_once, name_run};
use setting::RunSettings;
use text::fit::quoted;
use text::limit;

/// The project of events that name none.
pub(super) const DEFAULT_PROJECT: &str = "default";

/// The latest time an event may carry, in microseconds since 1970: the reader's clock and some tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latest(i64);

impl Latest {
    /// The limit for a reader whose clock shows `now_micros`.
    #[must_use]
    pub const fn from_clock(now_micros: i64) -> Self {
        Self(now_micros.saturating_add(limit::AHEAD_MICROS))
    }
}

/// Something that happened, as an agent or a pipeline reported it.
#[derive(Debug, Clone, PartialEq)]
pub struct Event<'a> {
    /// What the event is called; counts once, however often it is delivered.
    pub id: Cow<'a, str>,
    /// When it happened, in microseconds since 1970, UTC.
    pub time_micros: i64,
    /// The project it belongs to.
    pub project: Cow<'a, str>,
    /// What happened.
    pub body: Body<'a>,
    /// The fields that the kind does not know, as one JSON object.
    pub extra: Option<String>,
    /// The hash of project and run id, of a run that counts once however often it is reported.
    pub run: Option<u64>,
    /// A hash of the line: what tells a redelivery from another event under the same id. That of a run without an id of its own,
    /// of a deliberation and of a verdict leaves out the time: those that carry none are stamped when they are recorded, and the same
    /// report may be sent twice.
    pub digest: u64,
}

/// The hash of a line as it is compared between deliveries, but for those whose time does not count: of its text, without the white
/// space around it.
#[must_use]
pub fn digest_of(line: &str) -> u64 {
    xxh3_64(trimmed(line).as_bytes())
}

/// Parses lines. Remembers what the lines of each kind look like, which makes it faster and changes nothing else.
#[derive(Debug)]
pub struct Parser {
    layouts: Vec<Layout>,
    latest: Latest,
    rules: RunSettings,
}

impl Parser {
    /// A parser that takes events up to a time, and runs by the strict rules.
    #[must_use]
    pub fn new(latest: Latest) -> Self {
        Self::with_rules(latest, RunSettings::default())
    }

    /// A parser that takes events up to a time, and runs by the rules of a workspace.
    #[must_use]
    pub fn with_rules(latest: Latest, rules: RunSettings) -> Self {
        Self { layouts: Kind::ALL.iter().map(|_| Layout::default()).collect(), latest, rules }
    }

    /// Parses one line. Secrets must have been redacted before.
    pub fn parse<'a>(&mut self, line: &'a str) -> Result<Event<'a>, Rejection> {
        let line = trimmed(line);
        let mut envelope = Envelope::default();
        let mut unknown = Unknown::default();
        let kind = find_kind(line)?;
        let body = Body::parse(kind, line, &mut self.layouts[kind as usize], &mut envelope, &mut unknown)?;
        if let Body::Run(run) = &body {
            check_run(run, &unknown, self.rules)?;
        }
        let project = match envelope.project {
            Some(project) => Name::parse(project).map_err(|fault| fault.in_field("project"))?.into_inner(),
            None => Cow::Borrowed(DEFAULT_PROJECT),
        };
        let time_micros = parse_landing_time(envelope.time, self.latest)?;
        let named = |id: Raw<'a>| Label::parse(id).map(Label::into_inner).map_err(|fault| fault.in_field("id"));
        let (id, digest) = match (envelope.id, &body) {
            // What a role said is the same event whenever it is told.
            (Some(id), Body::Deliberation(_) | Body::VerdictGiven(_)) => (named(id)?, timeless_digest(line, envelope.time)),
            (Some(id), _) => (named(id)?, digest_of(line)),
            (None, Body::Run(run)) if counts_once(run, &unknown) => {
                (Cow::Owned(name_run(&project, run.run_id.get())), timeless_digest(line, envelope.time))
            }
            (None, _) => (name_of_line(line), digest_of(line)),
        };
        let run = match &body {
            Body::Run(run) if counts_once(run, &unknown) => Some(hash_run(&project, run.run_id.get())),
            _ => None,
        };
        Ok(Event { id, time_micros, project, body, extra: unknown.into_json(), run, digest })
    }
}

/// The hash of what tells a run from all others.
#[must_use]
pub fn hash_run(project: &str, run_id: &str) -> u64 {
    xxh3_64(name_run(project, run_id).as_bytes())
}

fn name_of_line(line: &str) -> Cow<'static, str> {
    Cow::Owned(format!("{:032x}", xxh3_128(line.as_bytes())))
}

/// The hash of a line without the value of its time.
fn timeless_digest(line: &str, time: Option<Raw<'_>>) -> u64 {
    let Some(written) = time.map(Raw::as_written) else { return digest_of(line) };
    let start = written.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    let mut hash = Xxh3Default::new();
    hash.update(line.get(..start).unwrap_or(line).as_bytes());
    hash.update(line.get(start + written.len()..).unwrap_or_default().as_bytes());
    hash.digest()
}

/// What every event carries, as written; the table of kinds has the spellings.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    kind: Option<Raw<'a>>,
    time: Option<Raw<'a>>,
    project: Option<Raw<'a>>,
    id: Option<Raw<'a>>,
}

impl<'a> Envelope<'a> {
    /// How many fields every event carries.
    pub(super) const FIELDS: u8 = 4;

    /// Reads what a line carries beside the fields of its kind, which is not known yet.
    fn read(line: &'a str) -> Result<Self, Rejection> {
        static NAMES: LazyLock<NameTable> = LazyLock::new(|| NameTable::of(ENVELOPE.iter().map(|field| field.spellings)));
        let mut envelope = Self::default();
        let mut layout = Layout::default();
        let mut members = Members::new(line, &NAMES, &mut layout);
        while let Some(member) = members.next()? {
            if let Some(number) = member.field.filter(|_| !member.value.is_null()) {
                *envelope.slot(number) = Some(member.value);
            }
        }
        Ok(envelope)
    }

    fn slot(&mut self, number: u8) -> &mut Option<Raw<'a>> {
        match number {
            0 => &mut self.kind,
            1 => &mut self.time,
            2 => &mut self.project,
            _ => &mut self.id,
        }
    }

    /// Fills the field of that number. Two spellings of it may both be present only if they agree.
    pub(super) fn fill(&mut self, number: u8, member: Member<'a>) -> Result<(), Rejection> {
        if member.value.is_null() {
            return Ok(());
        }
        let slot = self.slot(number);
        if slot.is_some_and(|earlier| !means_the_same(number, earlier, member.value)) {
            return Err(differing(member, ENVELOPE[usize::from(number)].name));
        }
        *slot = Some(member.value);
        Ok(())
    }
}

/// What a recorder adds to lines that lack it.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'s> {
    /// The time.
    pub time: jiff::Timestamp,
    /// The kind.
    pub kind: Option<Kind>,
    /// The project.
    pub project: Option<&'s str>,
}

impl Stamp<'_> {
    /// The line with what it lacks in front. One that is no object is left as it is, for the parser to refuse.
    #[must_use]
    pub fn complete<'l>(&self, line: &'l str) -> Cow<'l, str> {
        let (Some(inside), Ok(envelope)) = (line.strip_prefix('{'), Envelope::read(line)) else { return Cow::Borrowed(line) };
        let mut added = Vec::new();
        if let (None, Some(kind)) = (envelope.kind, self.kind) {
            added.push(format!("\"kind\":\"{}\"", kind.name()));
        }
        if envelope.time.is_none() {
            added.push(format!("\"ts\":\"{}\"", self.time));
        }
        if let (None, Some(project)) = (envelope.project, self.project) {
            added.push(format!("\"project\":{}", serde_json::Value::from(project)));
        }
        if added.is_empty() {
            return Cow::Borrowed(line);
        }
        let comma = if trimmed(inside).starts_with('}') { "" } else { "," };
        Cow::Owned(format!("{{{}{comma}{inside}", added.join(",")))
    }
}

/// Whether two spellings of what every event carries agree, however they are written.
fn means_the_same(number: u8, one: Raw<'_>, other: Raw<'_>) -> bool {
    let text = |raw: Raw<'_>| Label::parse(raw).map(|label| label.get().to_owned()).ok();
    let time = |raw: Raw<'_>| raw.text().ok().and_then(|text| parse_time(&text));
    one == other
        || if number == 1 {
            time(one).is_some() && time(one) == time(other)
        } else {
            text(one).is_some() && text(one) == text(other)
        }
}

/// A line without the white space around it, as JSON knows it.
#[must_use]
pub(crate) fn trimmed(line: &str) -> &str {
    line.trim_matches([' ', '\t', '\r', '\n'])
}

/// The kind decides how the rest is read. Nearly every writer puts it first.
fn find_kind(line: &str) -> Result<Kind, Rejection> {
    if let Some(rest) = line.strip_prefix("{\"kind\":\"")
        && let Some(end) = rest.bytes().position(|byte| byte == b'"')
        && let Some(kind) = Kind::from_name(&rest[..end])
    {
        return Ok(kind);
    }
    parse_kind(Envelope::read(line)?.kind)
}

fn parse_kind(kind: Option<Raw<'_>>) -> Result<Kind, Rejection> {
    let known = || Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let Some(raw) = kind else {
        return Err(Rejection::new(Code::MissingField, "`kind` is missing", format!("add `kind`, one of: {}", known())));
    };
    let name = raw.text().map_err(|fault| fault.in_field("kind"))?;
    Kind::from_name(&name).ok_or_else(|| {
        Rejection::new(Code::UnknownKind, format!("`kind` is {}", quoted(&name)), format!("use one of: {}", known()))
    })
}

fn parse_landing_time(time: Option<Raw<'_>>, latest: Latest) -> Result<i64, Rejection> {
    const REMEDY: &str = "write the time of the event as RFC 3339, such as 2026-03-14T09:26:53Z";
    let Some(raw) = time else {
        return Err(Rejection::new(Code::MissingField, "`ts` is missing", REMEDY));
    };
    let text = raw.text().map_err(|_| wrong_type("a time as text", raw).in_field("ts"))?;
    let Some(micros) = parse_time(&text) else {
        return Err(Rejection::new(Code::OutOfRange, format!("`ts` is {}", quoted(&text)), REMEDY));
    };
    if micros < limit::EARLIEST_MICROS {
        return Err(Rejection::new(Code::OutOfRange, format!("`ts` {} is before 2000", quoted(&text)), "check the writer's clock"));
    }
    if micros > latest.0 {
        let message = format!("`ts` {} is more than a day in the future", quoted(&text));
        return Err(Rejection::new(Code::OutOfRange, message, "check both clocks, then send the event again"));
    }
    Ok(micros)
}

/// The microseconds since 1970 of an RFC 3339 time.
#[must_use]
pub fn parse_time(text: &str) -> Option<i64> {
    parse_plain_utc(text.as_bytes()).or_else(|| text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_microsecond))
}

/// `YYYY-MM-DDThh:mm:ss[.fraction]Z`, which nearly every line carries: a tenth of the general parser's time.
fn parse_plain_utc(text: &[u8]) -> Option<i64> {
    let (seconds_text, fraction) = text.strip_suffix(b"Z")?.split_at_checked(19)?;
    let number = |from: usize, to: usize| {
        seconds_text[from..to].iter().try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !marks.iter().all(|&(at, mark)| seconds_text[at] == mark) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // The calendar's odd days, and the times before it was counted from, are left to the general parser.
    if year < 1970 || !(1..=12).contains(&month) || !(1..=28).contains(&day) {
        return None;
    }
    // A leap second is left to the general parser.
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_since_1970(year, month, day);
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + parse_fraction(fraction)?)
}

fn parse_fraction(fraction: &[u8]) -> Option<i64> {
    let Some(digits) = fraction.strip_prefix(b".") else {
        return fraction.is_empty().then_some(0);
    };
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((0..6).fold(0, |sum, place| sum * 10 + digits.get(place).map_or(0, |digit| i64::from(digit - b'0'))))
}

/// Howard Hinnant's civil calendar arithmetic: a year that starts in March ends with its leap day.
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}
