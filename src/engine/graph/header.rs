//! The header of a SQL text: a sentence, then what it needs, takes and makes, and its grain.

use std::fmt;

use super::token::Mention;

/// What becomes of the rows of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A table: computed once in a session, read often.
    Table,
    /// A view: computed wherever it is read.
    View,
    /// Rows that the program reads; no other text can.
    Rows,
}

impl Form {
    /// Its word in headers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::Rows => "rows",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Table, Self::View, Self::Rows].into_iter().find(|form| form.name() == name)
    }
}

/// What a text says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub sentence: String,
    /// The tables that it reads.
    pub needs: Vec<Mention>,
    /// What its caller hands over: `$parameters`, and tables of the caller's own.
    pub takes: Vec<Mention>,
    pub makes: Mention,
    pub form: Form,
    /// What one row stands for.
    pub grain: String,
    pub needs_line: usize,
}

/// What is wrong with a text, in which line, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flaw {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, to be read after the file's name.
    pub what: String,
    pub remedy: String,
}

impl Flaw {
    pub(super) fn new(line: usize, what: impl fmt::Display, remedy: impl fmt::Display) -> Self {
        Self { line, what: what.to_string(), remedy: remedy.to_string() }
    }
}

/// A line of the header that begins with one of the four words, and the lines that continue it.
struct Field {
    word: &'static str,
    line: usize,
    text: String,
}

const WORDS: [&str; 4] = ["Needs", "Takes", "Makes", "Grain"];

/// Reads the comment lines that a text opens with. `first` is the line in its file that the text begins in.
pub(super) fn parse_header(text: &str, first: usize) -> Result<Header, Flaw> {
    if text.trim().is_empty() {
        let remedy = "fill it with `outerloop sql show NAME --builtin > FILE`: without `--builtin`, the file is read after the shell has emptied it";
        return Err(Flaw::new(first, "is empty", remedy));
    }
    let mut sentence = String::new();
    let mut fields: Vec<Field> = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let Some(comment) = line.strip_prefix("--") else { break };
        let comment = comment.trim();
        let named = WORDS.into_iter().find_map(|word| Some((word, comment.strip_prefix(word)?.strip_prefix(':')?.trim())));
        match (named, fields.last_mut()) {
            (Some((word, text)), _) => fields.push(Field { word, line: first + place, text: text.to_owned() }),
            (None, Some(field)) => join(&mut field.text, comment),
            (None, None) => join(&mut sentence, comment),
        }
    }
    if sentence.is_empty() {
        return Err(Flaw::new(first, "does not open with a sentence", "say in a comment what its rows are"));
    }
    let find = |word: &str| fields.iter().find(|field| field.word == word);
    let need = |word: &str, example: &str| {
        let remedy = format!("add the line `-- {word}: {example}` to its header; `outerloop sql show lesson` prints one");
        find(word).ok_or_else(|| Flaw::new(first, format!("has no line `-- {word}:`"), remedy))
    };
    let needs = need("Needs", "application, goal")?;
    let (makes, form) = parse_makes(need("Makes", "name (rows)")?)?;
    let grain = need("Grain", "(what one row stands for)")?;
    Ok(Header {
        sentence,
        needs: parse_names(needs),
        needs_line: needs.line,
        takes: find("Takes").map(parse_names).unwrap_or_default(),
        makes,
        form,
        grain: grain.text.clone(),
    })
}

fn join(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// The names of a list; `nothing` is an empty one.
fn parse_names(field: &Field) -> Vec<Mention> {
    let names = field.text.trim_end_matches('.').split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "nothing");
    names.map(|name| Mention { name: name.to_owned(), line: field.line }).collect()
}

fn parse_makes(field: &Field) -> Result<(Mention, Form), Flaw> {
    let parts = field.text.trim_end_matches('.').strip_suffix(')').and_then(|text| text.split_once('('));
    let made = parts.and_then(|(name, form)| Some((name.trim(), Form::from_name(form.trim())?)));
    let (name, form) = made.ok_or_else(|| {
        let what = format!("makes `{}`, which is not a name and a form", field.text);
        Flaw::new(field.line, what, "write `-- Makes: name (table)`, or (view) or (rows)")
    })?;
    Ok((Mention { name: name.to_owned(), line: field.line }, form))
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use super::{Form, parse_header};

    #[test]
    fn a_header_says_what_is_needed_taken_and_made() {
        let text = "-- One.\n-- Two.\n-- Needs: a, b,\n--   c\n-- Takes: $d, e\n-- Makes: f (table)\n-- Grain: (g).\nselect 1";
        let header = parse_header(text, 10).expect("a header");
        let names = |list: &[super::Mention]| list.iter().map(|mention| mention.name.clone()).collect::<Vec<_>>();
        assert_eq!((&*header.sentence, &*header.grain, header.form), ("One. Two.", "(g).", Form::Table));
        assert_eq!(
            (names(&header.needs), names(&header.takes)),
            (vec!["a".into(), "b".into(), "c".into()], vec!["$d".into(), "e".into()])
        );
        assert_eq!((&*header.makes.name, header.makes.line, header.needs_line), ("f", 15, 12));
    }

    #[test]
    fn a_line_that_is_missing_is_asked_for() {
        let flaw = |text: &str| parse_header(text, 1).expect_err("a flaw").what;
        assert_eq!(flaw(" \n"), "is empty");
        assert_eq!(flaw("select 1"), "does not open with a sentence");
        assert_eq!(flaw("-- One.\nselect 1"), "has no line `-- Needs:`");
        assert_eq!(flaw("-- One.\n-- Needs: nothing\nselect 1"), "has no line `-- Makes:`");
        assert_eq!(flaw("-- One.\n-- Needs: nothing\n-- Makes: a (rows)\nselect 1"), "has no line `-- Grain:`");
        assert_eq!(flaw("-- One.\n-- Needs: nothing\n-- Makes: a\n-- Grain: b"), "makes `a`, which is not a name and a form");
    }
}
