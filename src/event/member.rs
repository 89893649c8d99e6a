//! One line of JSON as its members: names and raw values, nothing decoded that is not needed.

use std::borrow::Cow;

use super::rejection::{Code, Rejection};
use super::scan::{Fault, Scanned, Scanner, Shape, Step};
use text::fit::{is_unprintable, quoted};
use text::limit;

/// A member of an object, its value still as text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    /// The number of the field that is spelled so, if any is.
    pub field: Option<u8>,
    /// The value as written; valid JSON.
    pub value: Raw<'a>,
    /// The text around it, and where in it the separator, the name and the colon stand. Names are seldom asked for.
    text: &'a str,
    name: (usize, usize),
}

impl<'a> Member<'a> {
    /// The name.
    pub(crate) fn name(&self) -> Result<Cow<'a, str>, Rejection> {
        let around = &self.text[self.name.0..self.name.1];
        let quoted =
            around.trim_start_matches(|character: char| character != '"').trim_end_matches(|character: char| character != '"');
        decode(quoted)
    }
}

/// What the members of an object are likely to be: those of the last ones, in their order.
///
/// The lines of one writer look alike. A name that stands where it stood before is recognised by one comparison; only
/// others are scanned and looked up. What is read never depends on it.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Separator and name as written, and the number of the field.
    known: Vec<(Box<str>, u8)>,
}

/// How many names are remembered: more than a kind has fields.
const KNOWN_NAMES: usize = 64;
/// How many of the next likely names are tried: one or two that are often absent do not disturb the others.
const TRIED_NAMES: usize = 3;

/// Goes through the members of one object.
#[derive(Debug)]
pub(crate) struct Members<'a, 'l> {
    text: &'a str,
    scanner: Scanner<'a>,
    names: &'l NameTable,
    layout: &'l mut Layout,
    /// The likely name that comes next.
    next: usize,
    left: usize,
}

impl<'a, 'l> Members<'a, 'l> {
    /// The members of the object that the whole text is.
    #[must_use]
    pub(crate) fn new(text: &'a str, names: &'l NameTable, layout: &'l mut Layout) -> Self {
        Self { text, scanner: Scanner::new(text), names, layout, next: 0, left: limit::FIELDS }
    }

    /// The next member. None behind the last one.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Member<'a>>, Rejection> {
        let start = self.scanner.position();
        let last = self.layout.known.len().min(self.next + TRIED_NAMES);
        for likely in self.next..last {
            let (written, field) = &self.layout.known[likely];
            if self.scanner.eat_name(written) {
                let field = Some(*field);
                self.next = likely + 1;
                return self.with_value(field, start);
            }
        }
        self.next_unlikely(start)
    }

    #[inline]
    fn with_value(&mut self, field: Option<u8>, start: usize) -> Result<Option<Member<'a>>, Rejection> {
        if self.left == 0 {
            return Err(too_many());
        }
        self.left -= 1;
        let name = (start, self.scanner.position());
        match self.scanner.value_behind_name() {
            Some(value) => Ok(Some(Member { field, value: Raw(value), text: self.text, name })),
            None => Err(self.fault()),
        }
    }

    #[inline(never)]
    fn next_unlikely(&mut self, start: usize) -> Result<Option<Member<'a>>, Rejection> {
        let name = match self.scanner.next_name() {
            Some(Step::Element(name)) => Raw(name),
            Some(Step::End) => return Ok(None),
            None => return Err(self.fault()),
        };
        let field = self.names.find(&name.text()?);
        let written = self.scanner.since(start);
        if let Some(field) = field
            && self.layout.known.len() < KNOWN_NAMES
            && is_compact(written, name)
        {
            self.layout.known.insert(self.next.min(self.layout.known.len()), (written.into(), field));
            self.next += 1;
        }
        self.with_value(field, start)
    }

    #[cold]
    fn fault(&self) -> Rejection {
        not_json(self.text, self.scanner.fault())
    }
}

/// Whether a separator and a name are written without white space and escapes, as nearly every writer does.
fn is_compact(written: &str, name: Raw<'_>) -> bool {
    name.shape() == Shape::Ascii && written.len() == name.as_written().len() + 2
}

/// A JSON value as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(Scanned<'a>);

impl<'a> Raw<'a> {
    /// The text as written.
    #[must_use]
    pub const fn as_written(self) -> &'a str {
        self.0.written
    }

    /// The shape of the value.
    #[must_use]
    pub const fn shape(self) -> Shape {
        self.0.shape
    }

    /// Whether the value is `null`, which counts as absent.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.shape() == Shape::Null
    }

    /// The string this value is, borrowed where it holds no escape.
    #[inline]
    pub fn text(self) -> Result<Cow<'a, str>, Rejection> {
        match self.shape() {
            Shape::Ascii | Shape::Plain => Ok(Cow::Borrowed(&self.as_written()[1..self.as_written().len() - 1])),
            Shape::Escaped => decode(self.as_written()),
            _ => Err(wrong_type("a string", self)),
        }
    }

    /// The items of the list this value is. The list was scanned before: going through it cannot fail.
    pub fn items(self) -> Result<impl Iterator<Item = Raw<'a>> + Clone, Rejection> {
        if self.shape() != Shape::List {
            return Err(wrong_type("a list", self));
        }
        let mut scanner = Scanner::new(self.as_written());
        Ok(std::iter::from_fn(move || match scanner.next_item() {
            Some(Step::Element(item)) => Some(Raw(item)),
            _ => None,
        }))
    }
}

#[cold]
fn decode(written: &str) -> Result<Cow<'_, str>, Rejection> {
    serde_json::from_str::<String>(written).map(Cow::Owned).map_err(|_| broken_escape())
}

/// The rejection for a value of another type than the field wants.
#[cold]
pub(crate) fn wrong_type(wanted: &str, found: Raw<'_>) -> Rejection {
    Rejection::new(Code::WrongType, format!("is {} rather than {wanted}", quoted(found.as_written())), format!("write {wanted}"))
}

#[cold]
fn too_many() -> Rejection {
    let remedy = format!("send at most {}, or nest the rest in one", limit::FIELDS);
    Rejection::new(Code::TooLarge, "the event has too many fields", remedy)
}

fn broken_escape() -> Rejection {
    Rejection::new(Code::NotJson, "holds half a surrogate pair", "write Unicode text or whole surrogate pairs")
}

#[cold]
fn not_json(line: &str, fault: Fault) -> Rejection {
    let mut from = fault.at.min(line.len());
    while !line.is_char_boundary(from) {
        from -= 1;
    }
    let found = if from == line.len() { "the end of the line".to_owned() } else { quoted(&line[from..]) };
    Rejection::new(
        Code::NotJson,
        format!("not one JSON object: expected {} at byte {}, found {found}", fault.expected, fault.at),
        "write one complete JSON object on each line",
    )
}

/// Checks a value that is kept as JSON text: its grammar was checked before, but half a surrogate pair or a number beyond
/// every double would stop those who read it.
pub(crate) fn check_kept(value: Raw<'_>) -> Result<(), Rejection> {
    match value.shape() {
        Shape::Ascii | Shape::Plain | Shape::Flag | Shape::Null => Ok(()),
        Shape::Escaped | Shape::Number | Shape::List | Shape::Object => {
            serde_json::from_str::<serde_json::Value>(value.as_written()).map(drop).map_err(|_| unreadable())
        }
    }
}

#[cold]
fn unreadable() -> Rejection {
    let message = "holds half a surrogate pair or a number that no reader can hold";
    Rejection::new(Code::NotJson, message, "write Unicode text, whole surrogate pairs and finite numbers")
}

/// Fields that no kind knows, gathered into one JSON object so that nothing of a line is lost.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    json: String,
    names: Vec<String>,
}

impl Unknown {
    pub(super) fn keep(&mut self, member: Member<'_>) -> Result<(), Rejection> {
        let (name, value) = (&*member.name()?, member.value);
        check_kept(value).map_err(|fault| fault.in_field(name))?;
        // Readers of JSON disagree on which of two equal names counts.
        if self.names.iter().any(|earlier| earlier == name) {
            return Err(Rejection::new(Code::Contradiction, format!("{} appears twice", quoted(name)), "name each field once"));
        }
        self.json.push(if self.json.is_empty() { '{' } else { ',' });
        self.json.push_str(&serde_json::Value::from(name).to_string());
        self.json.push(':');
        self.json.push_str(value.as_written());
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Whether a field of that name is kept.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.names.iter().any(|kept| kept == name)
    }

    /// The object as JSON text, if there was anything to keep.
    pub(super) fn into_json(mut self) -> Option<String> {
        if self.json.is_empty() {
            return None;
        }
        self.json.push('}');
        Some(self.json)
    }
}

/// The text of a label: not empty, bounded, nothing that moves or hides what stands around it.
///
/// Issue numbers and the like come as JSON numbers: their digits are their text.
pub(super) fn identifier(raw: Raw<'_>, most_bytes: usize) -> Result<Cow<'_, str>, Rejection> {
    const REMEDY: &str = "write a short text of printable characters";
    let is_number = raw.shape() == Shape::Number && raw.as_written().bytes().all(|byte| byte.is_ascii_digit());
    let text = if is_number { Cow::Borrowed(raw.as_written()) } else { raw.text()? };
    let text = at_most(text, most_bytes)?;
    let is_blank = if raw.shape() == Shape::Ascii { text.trim_ascii_start().is_empty() } else { text.trim().is_empty() };
    if is_blank {
        return Err(Rejection::new(Code::BadName, "is empty", REMEDY));
    }
    // Most labels are printable ASCII, which the scanner has seen already.
    if !is_number && raw.shape() != Shape::Ascii && text.chars().any(is_unprintable) {
        return Err(Rejection::new(Code::BadName, format!("holds a control character: {}", quoted(&text)), REMEDY));
    }
    Ok(text)
}

pub(super) fn at_most(text: Cow<'_, str>, most_bytes: usize) -> Result<Cow<'_, str>, Rejection> {
    if text.len() <= most_bytes {
        return Ok(text);
    }
    Err(Rejection::new(
        Code::TooLarge,
        format!("has {} bytes", text.len()),
        format!("send at most {most_bytes}; put the rest into a file and cite it"),
    ))
}

/// How many places a table has. Several times as many as a kind has spellings, so that most are found at once.
const PLACES: usize = 256;

/// The fields of one kind by the spellings of their names: one look instead of a comparison with every spelling of every field.
#[derive(Debug)]
pub(crate) struct NameTable {
    places: Vec<Option<(&'static str, u8)>>,
}

impl NameTable {
    /// A table of spellings and the numbers of their fields.
    pub(crate) fn new(names: impl IntoIterator<Item = (&'static str, u8)>) -> Self {
        let mut places = vec![None; PLACES];
        for (name, field) in names {
            let mut at = place_of(name);
            while places[at].is_some() {
                at = (at + 1) % PLACES;
            }
            places[at] = Some((name, field));
        }
        Self { places }
    }

    /// A table of fields that are numbered as they come, each with its spellings.
    pub(crate) fn of(fields: impl Iterator<Item = &'static [&'static str]>) -> Self {
        Self::new((0..).zip(fields).flat_map(|(number, spellings)| spellings.iter().map(move |spelling| (*spelling, number))))
    }

    /// The number of the field that is spelled so.
    #[must_use]
    pub(crate) fn find(&self, name: &str) -> Option<u8> {
        let mut at = place_of(name);
        while let Some((known, field)) = self.places[at] {
            if known == name {
                return Some(field);
            }
            at = (at + 1) % PLACES;
        }
        None
    }
}

/// Where a name is looked for first: its length and its outer bytes tell nearly all names apart.
fn place_of(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (head, tail) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(head), Some(tail)) => (u64::from(u32::from_le_bytes(*head)), u64::from(u32::from_le_bytes(*tail))),
            _ => (bytes.first().copied().unwrap_or(0).into(), bytes.last().copied().unwrap_or(0).into()),
        },
    };
    let mixed = (head ^ tail.rotate_left(29) ^ (bytes.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize
}
