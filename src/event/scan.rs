//! A strict scanner of one line of JSON: where the members of the object stand, in one pass and without allocation.
//!
//! The ingest path spends most of its time here. A general parser builds values that a typed event throws away again;
//! this one notes the place and the shape of each value, and its fields decode what they need. `tests/` compares what it
//! accepts with `serde_json` on arbitrary input.

use text::limit;

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string of printable ASCII without escapes.
    Ascii,
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    Number,
    /// `true` or `false`.
    Flag,
    Null,
    List,
    Object,
}

/// A value as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scanned<'a> {
    /// The text; a string with its quotes.
    pub written: &'a str,
    pub shape: Shape,
}

/// Why a line is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub expected: &'static str,
    /// The byte at which it was not found, from 0.
    pub at: usize,
}

/// Goes through the members of an object, or through the items of a list.
///
/// A step gives `None` where the text is not JSON; `fault` then says why. Results of one or two words stay in registers,
/// which a result that carries its own error would not.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    is_first: bool,
    expected: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<T> {
    Element(T),
    /// The end of the object or list, and of the text.
    End,
}

impl<'a> Scanner<'a> {
    /// A scanner of the object or list that the whole text is.
    #[must_use]
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, is_first: true, expected: "" }
    }

    /// Why the last step gave nothing.
    #[must_use]
    pub(crate) const fn fault(&self) -> Fault {
        Fault { expected: self.expected, at: self.at }
    }

    /// The name of the object's next member, in quotes. Its value follows.
    pub(crate) fn next_name(&mut self) -> Option<Step<Scanned<'a>>> {
        if !self.goes_on(b'{', b'}', "one JSON object")? {
            return Some(Step::End);
        }
        let name = self.scanned(Self::name)?;
        self.colon()?;
        Some(Step::Element(name))
    }

    /// Passes over the separator and the name of a member if they are written exactly so, as in `,"name":`.
    #[inline]
    pub(crate) fn eat_name(&mut self, written: &str) -> bool {
        // A brace opens the object, and only there; everywhere else a comma must stand.
        let is_in_place = written.starts_with('{') == self.is_first;
        let is_there = is_in_place && self.text.as_bytes()[self.at..].starts_with(written.as_bytes());
        if is_there {
            self.at += written.len();
            self.is_first = false;
        }
        is_there
    }

    /// The value behind a name that was passed over.
    #[inline]
    pub(crate) fn value_behind_name(&mut self) -> Option<Scanned<'a>> {
        self.skip_space();
        self.scanned(Self::value)
    }

    /// What was passed over since a place in the text.
    #[inline]
    #[must_use]
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// The place in the text.
    #[inline]
    #[must_use]
    pub(crate) const fn position(&self) -> usize {
        self.at
    }

    /// The next item of the list.
    #[inline]
    pub(crate) fn next_item(&mut self) -> Option<Step<Scanned<'a>>> {
        if !self.goes_on(b'[', b']', "a list")? {
            return Some(Step::End);
        }
        self.scanned(Self::value).map(Step::Element)
    }

    /// Moves to the next element, or passes over the end.
    #[inline]
    fn goes_on(&mut self, opener: u8, closer: u8, what: &'static str) -> Option<bool> {
        self.skip_space();
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first {
            self.expect(opener, what)?;
            self.skip_space();
        }
        if self.eat(closer) {
            self.skip_space();
            return if self.at == self.text.len() { Some(false) } else { self.fail("end of input") };
        }
        if !is_first {
            self.expect(b',', "`,` or the end of the list or object")?;
            self.skip_space();
        }
        Some(true)
    }

    #[inline]
    fn scanned(&mut self, pass: impl FnOnce(&mut Self) -> Option<Shape>) -> Option<Scanned<'a>> {
        let start = self.at;
        let shape = pass(self)?;
        Some(Scanned { written: &self.text[start..self.at], shape })
    }

    #[inline]
    fn name(&mut self) -> Option<Shape> {
        self.expect(b'"', "a name in quotes")?;
        self.string()
    }

    #[inline]
    fn colon(&mut self) -> Option<()> {
        self.skip_space();
        self.expect(b':', "`:`")?;
        self.skip_space();
        Some(())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    #[inline]
    fn expect(&mut self, byte: u8, expected: &'static str) -> Option<()> {
        if self.eat(byte) { Some(()) } else { self.fail(expected) }
    }

    #[cold]
    fn fail<T>(&mut self, expected: &'static str) -> Option<T> {
        self.expected = expected;
        None
    }

    #[inline]
    fn value(&mut self) -> Option<Shape> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string()
            }
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| Shape::Number),
            _ => self.other_value(),
        }
    }

    fn other_value(&mut self) -> Option<Shape> {
        match self.peek() {
            Some(b'{') => self.nested().map(|()| Shape::Object),
            Some(b'[') => self.nested().map(|()| Shape::List),
            Some(b't') => self.word("true", Shape::Flag),
            Some(b'f') => self.word("false", Shape::Flag),
            Some(b'n') => self.word("null", Shape::Null),
            _ => self.fail("a value"),
        }
    }

    fn word(&mut self, word: &str, shape: Shape) -> Option<Shape> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.fail("a value");
        }
        self.at += word.len();
        Some(shape)
    }

    fn number(&mut self) -> Option<()> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    #[inline]
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { self.fail("a digit") } else { Some(()) }
    }

    /// Passes over a string whose opening quote was passed, closing quote included.
    #[inline]
    fn string(&mut self) -> Option<Shape> {
        let is_ascii = self.skip_plain();
        if self.eat(b'"') {
            return Some(if is_ascii { Shape::Ascii } else { Shape::Plain });
        }
        self.string_with_escapes()
    }

    #[cold]
    fn string_with_escapes(&mut self) -> Option<Shape> {
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Some(Shape::Escaped);
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail("an escape instead of a bare control character"),
                None => return self.fail("a closing quote"),
            }
            self.skip_plain();
        }
    }

    /// Moves to the next quote, backslash or control character. Says whether everything before it was printable ASCII.
    #[inline]
    fn skip_plain(&mut self) -> bool {
        let mut is_ascii = true;
        let bytes = self.text.as_bytes();
        while let Some(chunk) = bytes.get(self.at..).and_then(|rest| rest.first_chunk::<LANES>()) {
            let Marks { stops, beyond_ascii } = mark(chunk);
            if stops != 0 {
                // The bits below the first stop.
                let before = stops & stops.wrapping_neg();
                self.at += before.trailing_zeros() as usize;
                return is_ascii && (beyond_ascii & (before - 1) == 0);
            }
            is_ascii &= beyond_ascii == 0;
            self.at += LANES;
        }
        while let Some(&byte) = bytes.get(self.at) {
            if is_stop(byte) {
                break;
            }
            is_ascii &= byte < 0x7f;
            self.at += 1;
        }
        is_ascii
    }

    fn escape(&mut self) -> Option<()> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Some(())
            }
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fail("four hexadecimal digits");
                    }
                    self.at += 1;
                }
                Some(())
            }
            _ => self.fail("an escape that JSON knows"),
        }
    }

    /// Passes over a list or an object and all that is in it. No recursion: the depth is input.
    fn nested(&mut self) -> Option<()> {
        // One bit a level: whether it is an object.
        let (mut objects, mut depth) = (0_u64, 0);
        loop {
            if let Some(opener @ (b'[' | b'{')) = self.peek() {
                if depth == limit::DEPTH {
                    return self.fail("a shallower value");
                }
                depth += 1;
                objects = objects << 1 | u64::from(opener == b'{');
                self.at += 1;
                self.skip_space();
                if !self.eat(closer(objects)) {
                    self.element_name(objects)?;
                    continue;
                }
                depth -= 1;
                objects >>= 1;
            } else {
                self.value()?;
            }
            // Behind a value: close what ends here, until a comma leads to the next one.
            loop {
                if depth == 0 {
                    return Some(());
                }
                self.skip_space();
                if self.eat(b',') {
                    self.skip_space();
                    self.element_name(objects)?;
                    break;
                }
                self.expect(closer(objects), "`,` or the end of the list or object")?;
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    /// In an object, each value has a name in front.
    fn element_name(&mut self, objects: u64) -> Option<()> {
        if objects & 1 == 1 {
            self.name()?;
            self.colon()?;
        }
        Some(())
    }
}

const fn closer(objects: u64) -> u8 {
    if objects & 1 == 1 { b'}' } else { b']' }
}

/// How many bytes of a string are looked at together.
const LANES: usize = 16;

/// One bit for each byte of a chunk.
struct Marks {
    /// Quotes, backslashes and control characters.
    stops: u32,
    /// Bytes that are not ASCII, and the one control character behind the printable ones.
    beyond_ascii: u32,
}

const fn is_stop(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn mark(chunk: &[u8; LANES]) -> Marks {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    #[expect(clippy::cast_ptr_alignment, reason = "the load is made for any alignment")]
    // SAFETY: SSE2 is part of every x86-64, and the load reads the sixteen bytes of `chunk`, at any alignment.
    unsafe {
        let bytes = _mm_loadu_si128(chunk.as_ptr().cast::<__m128i>());
        let equals = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte.cast_signed()));
        let control = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x1f)), _mm_set1_epi8(0x1f));
        let stops = _mm_or_si128(_mm_or_si128(equals(b'"'), equals(b'\\')), control);
        // As signed numbers, the bytes beyond ASCII lie below zero.
        let beyond = _mm_or_si128(_mm_cmpgt_epi8(_mm_set1_epi8(0), bytes), equals(0x7f));
        Marks { stops: _mm_movemask_epi8(stops).cast_unsigned(), beyond_ascii: _mm_movemask_epi8(beyond).cast_unsigned() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn mark(chunk: &[u8; LANES]) -> Marks {
    let bits = |test: fn(u8) -> bool| chunk.iter().rev().fold(0, |bits, &byte| bits << 1 | u32::from(test(byte)));
    Marks { stops: bits(is_stop), beyond_ascii: bits(|byte| byte >= 0x7f) }
}
