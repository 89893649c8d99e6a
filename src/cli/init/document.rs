//! A settings file as text with places: where its containers and members stand, and what lies between them.
//!
//! The parser says where every value starts and ends. Edits are cuts and insertions at such places, so that all other bytes
//! stay as they are.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::hook::{HOOKS, Hook};

/// What is wrong with a settings file, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// What is wrong.
    pub what: String,
    /// The line and the column, counted from 1.
    pub place: (usize, usize),
    /// What the parser said.
    pub cause: Option<String>,
    pub remedy: &'static str,
}

/// What a file holds of ours, by the member that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The hooks, in a settings file.
    Hooks,
    /// The MCP server, in a file of servers.
    Server,
}

/// What the server is called: its tools are named after it.
pub(super) const SERVER: &str = "outerloop";

impl Part {
    /// The member of the whole value that holds it.
    pub(super) const fn member(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::Server => "mcpServers",
        }
    }
}

/// A settings file that can be edited.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// The text.
    pub text: &'a str,
    part: Part,
    /// The value of the whole file. None if the file holds no value at all.
    pub root: Option<Object<'a>>,
}

impl<'a> Document<'a> {
    /// Reads a settings file. Comments and trailing commas are fine; what else is no JSON is not.
    pub(super) fn parse(text: &'a str, part: Part) -> Result<Self, Fault> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| Fault {
            what: "the settings are not valid JSON".to_owned(),
            place: (error.line_display(), error.column_display()),
            cause: Some(error.kind().to_string()),
            remedy: "correct the file at that place, then run the command again",
        })?;
        let root = match parsed.value {
            None => None,
            Some(Value::Object(object)) => Some(object),
            Some(other) => {
                let remedy = "put the settings between { and }, then run the command again";
                return Err(fault(text, other.start(), "the settings are not a JSON object".to_owned(), remedy));
            }
        };
        let document = Self { text, part, root };
        document.check()?;
        Ok(document)
    }

    /// The value of the member that holds what is ours.
    pub(super) fn inner(&self) -> Option<&Object<'a>> {
        member(self.root.as_ref()?, self.part.member())?.value.as_object()
    }

    /// Refuses what ours could not be written into.
    fn check(&self) -> Result<(), Fault> {
        let Some(root) = &self.root else { return Ok(()) };
        let name = self.part.member();
        self.check_once(root, name, name)?;
        let Some(member) = member(root, name) else { return Ok(()) };
        let Some(inner) = member.value.as_object() else {
            let remedy = match self.part {
                Part::Hooks => "make it an object of events, or remove it, then run the command again",
                Part::Server => "make it an object of servers, or remove it, then run the command again",
            };
            return Err(fault(self.text, member.value.start(), format!("`{name}` is not an object"), remedy));
        };
        match self.part {
            Part::Hooks => HOOKS.iter().try_for_each(|hook| self.check_event(inner, hook.event)),
            Part::Server => self.check_once(inner, SERVER, &format!("{name}.{SERVER}")),
        }
    }

    fn check_event(&self, hooks: &Object<'a>, event: &str) -> Result<(), Fault> {
        let path = format!("hooks.{event}");
        self.check_once(hooks, event, &path)?;
        match member(hooks, event) {
            Some(found) if found.value.as_array().is_none() => {
                let remedy = "make it an array of objects with `hooks`, or remove it, then run the command again";
                Err(fault(self.text, found.value.start(), format!("`{path}` is not an array"), remedy))
            }
            _ => Ok(()),
        }
    }

    /// Of two members of one name a reader sees only one, and which is not ours to say.
    fn check_once(&self, object: &Object<'a>, name: &str, path: &str) -> Result<(), Fault> {
        match object.properties.iter().filter(|member| member.name.as_str() == name).nth(1) {
            Some(second) => {
                let remedy = "merge both, then run the command again";
                Err(fault(self.text, second.start(), format!("`{path}` appears twice"), remedy))
            }
            None => Ok(()),
        }
    }
}

pub(super) fn member<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().find(|member| member.name.as_str() == name)
}

/// The entries of a group: what is called where the group's matcher fits.
pub(super) fn entries<'a, 'b>(group: &'b Value<'a>) -> Option<&'b Array<'a>> {
    member(group.as_object()?, "hooks")?.value.as_array()
}

/// Our hook that an entry calls, and the command line by which it does.
pub(super) fn called_hook<'b>(entry: &'b Value<'_>) -> Option<(&'static Hook, &'b str)> {
    let command = &*member(entry.as_object()?, "command")?.value.as_string_lit()?.value;
    Some((Hook::called_by(command)?, command))
}

/// The program that a server is, with its arguments. None if it is none that is started here.
pub(super) fn called_server(server: &Value<'_>) -> Option<Vec<String>> {
    let server = server.as_object()?;
    let text = |value: &Value<'_>| Some(value.as_string_lit()?.value.to_string());
    let arguments = member(server, "args").and_then(|arguments| arguments.value.as_array());
    let arguments = arguments.iter().flat_map(|array| &array.elements).map(text);
    std::iter::once(text(&member(server, "command")?.value)).chain(arguments).collect()
}

fn fault(text: &str, offset: usize, what: String, remedy: &'static str) -> Fault {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let place = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
    Fault { what, place, cause: None, remedy }
}

/// An object or an array: where it opens and closes, and where its members are.
#[derive(Debug, Clone)]
pub(super) struct Container {
    /// Behind the bracket that opens it.
    pub open: usize,
    /// Before the bracket that closes it.
    pub close: usize,
    /// From the first letter of each member to behind its last one.
    pub members: Vec<Range<usize>>,
}

impl Container {
    /// What lies before a member: behind the one before it, or behind the bracket.
    pub(super) fn before(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(self.open, |previous| self.members[previous].end);
        start..self.members[index].start
    }

    /// What lies behind a member: up to the next one, or up to the bracket.
    pub(super) fn behind(&self, index: usize) -> Range<usize> {
        self.members[index].end..self.members.get(index + 1).map_or(self.close, |next| next.start)
    }
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        let members = object.properties.iter().map(|member| member.start()..member.end()).collect();
        Self { open: object.start() + 1, close: object.end() - 1, members }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        let members = array.elements.iter().map(|element| element.start()..element.end()).collect();
        Self { open: array.start() + 1, close: array.end() - 1, members }
    }
}

/// What lies between two members, or between a member and a bracket: blanks, comments, and at most one comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    /// Behind the last comment or comma; the start of the gap if there is none. Only blanks follow.
    pub solid_end: usize,
    /// Whether a comment is in it.
    pub has_comment: bool,
    /// Whether its last comment or comma is a comment that only the end of a line ends.
    pub ends_in_line_comment: bool,
    pub comma: Option<usize>,
}

impl Gap {
    /// Looks at a gap of a text.
    pub(super) fn of(text: &str, range: Range<usize>) -> Self {
        let mut gap = Self { solid_end: range.start, has_comment: false, ends_in_line_comment: false, comma: None };
        let mut at = range.start;
        while at < range.end {
            let rest = &text[at..range.end];
            let length = if rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or(rest.len(), |end| end + 4)
            } else {
                let letter = rest.chars().next().map_or(1, char::len_utf8);
                if !rest.starts_with(',') {
                    at += letter;
                    continue;
                }
                gap.comma = Some(at);
                letter
            };
            at += length;
            gap.solid_end = at;
            gap.has_comment |= rest.starts_with('/');
            gap.ends_in_line_comment = rest.starts_with("//");
        }
        gap
    }
}
