//! Adding our hooks to a settings file, or our server to a file of servers, by insertions alone: every byte that was there stays,
//! in its order.
//!
//! What is inserted says by its blanks what stood there before, so that a removal leaves the very bytes of before:
//!
//! | before | the first insertion behind the bracket |
//! |---|---|
//! | no member `hooks` or `mcpServers`, no event | `[{...}]` close to the bracket, or a line of its own |
//! | `"hooks": {}`, `"mcpServers": {}`, an event that is `[]` | an empty line, then a line of its own |
//! | an empty container with blanks in it | one blank |
//! | a file that is `{}` | a line of its own, indented by four blanks |
//! | a file without a value | a line of its own; the closing brackets stand together |
//! | no file | a line of its own, indented by two blanks, or by a tab if the folder stood empty |

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;

use super::document::{Container, Document, Fault, Gap, Part, SERVER, called_hook, called_server, entries, member};
use super::hook::{HOOKS, Hook};

/// A mark of some editors at the start of a file, which no parser wants to see.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";
/// How members of a file are indented that is made for our hooks: where its folder is made too, and where that stood empty.
pub(super) const FRESH_INDENTS: [&str; 2] = ["  ", "\t"];
/// How members of a file are indented that is `{}`.
const INDENT_IN_EMPTY_OBJECT: &str = "    ";
/// How members of a file are indented that had no value.
pub(super) const INDENT_IN_EMPTY_FILE: &str = "  ";

/// A file with what is ours.
#[derive(Debug)]
pub(super) struct Addition {
    /// The whole text.
    pub text: String,
    /// What was missing.
    pub added: Vec<&'static str>,
    /// What was there.
    pub kept: Vec<Kept>,
}

/// A hook or a server that was there and is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub name: &'static str,
    /// How it differs from what would be written.
    pub differences: Vec<&'static str>,
}

/// The text of a file that holds nothing but ours.
#[must_use]
pub(super) fn fresh(part: Part, root: Option<&str>, indent: &str) -> String {
    let style = Style { newline: "\n", indent: indent.to_owned(), space: " " };
    let members = style.members(part, &names(part), root);
    format!("{{\n{indent}{}\n}}\n", style.top_member(part, &members, Some(indent)))
}

/// Adds what is missing. It calls a workspace that the program would not find by itself by its path.
pub(super) fn add(text: &str, part: Part, root: Option<&str>) -> Result<Addition, Fault> {
    let (mark, text) = text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |rest| (BYTE_ORDER_MARK, rest));
    let document = Document::parse(text, part)?;
    let kept = match part {
        Part::Hooks => find_hooks(&document, root),
        Part::Server => find_server(&document, root),
    };
    let added: Vec<&'static str> = names(part).into_iter().filter(|name| kept.iter().all(|kept| kept.name != *name)).collect();
    let mut edit = Edit { document: &document, part, style: Style::of(&document), root, insertions: Vec::new() };
    if !added.is_empty() {
        edit.add(&added);
    }
    Ok(Addition { text: format!("{mark}{}", edit.finish()), added, kept })
}

/// What a file gets, by name.
#[must_use]
pub(super) fn names(part: Part) -> Vec<&'static str> {
    match part {
        Part::Hooks => HOOKS.iter().map(|hook| hook.name).collect(),
        Part::Server => vec![SERVER],
    }
}

/// The hooks that are there, under whatever event, each once.
fn find_hooks(document: &Document<'_>, root: Option<&str>) -> Vec<Kept> {
    let mut found: Vec<Kept> = Vec::new();
    for event in document.inner().iter().flat_map(|hooks| &hooks.properties) {
        for group in event.value.as_array().iter().flat_map(|array| &array.elements) {
            for entry in entries(group).iter().flat_map(|array| &array.elements) {
                let Some((hook, command)) = called_hook(entry) else { continue };
                let differences = differences(hook, event.name.as_str(), group, entry, command == hook.command(root));
                if found.iter().all(|kept| kept.name != hook.name) {
                    found.push(Kept { name: hook.name, differences });
                }
            }
        }
    }
    found
}

fn find_server(document: &Document<'_>, root: Option<&str>) -> Vec<Kept> {
    let server = document.inner().and_then(|servers| member(servers, SERVER));
    let kept = server.map(|server| {
        let is_same = called_server(&server.value).is_some_and(|words| words == server_words(root));
        Kept { name: SERVER, differences: if is_same { Vec::new() } else { vec!["command"] } }
    });
    kept.into_iter().collect()
}

/// The program of our server, with its arguments.
fn server_words(root: Option<&str>) -> Vec<String> {
    let root = root.map(|root| ["--root".to_owned(), root.to_owned()]);
    ["outerloop".to_owned()].into_iter().chain(root.into_iter().flatten()).chain(["mcp".to_owned()]).collect()
}

fn differences(hook: &Hook, event: &str, group: &Value<'_>, entry: &Value<'_>, is_our_command: bool) -> Vec<&'static str> {
    let parts = [
        ("event", event == hook.event),
        ("matcher", matcher_of(group).as_deref() == hook.matcher),
        ("command", is_our_command),
        ("timeout", timeout_of(entry).is_some_and(|found| found == hook.timeout_seconds.to_string())),
    ];
    parts.iter().filter(|(_, is_same)| !is_same).map(|(part, _)| *part).collect()
}

/// The tools that a group is called for.
pub(super) fn matcher_of(group: &Value<'_>) -> Option<String> {
    Some(member(group.as_object()?, "matcher")?.value.as_string_lit()?.value.to_string())
}

/// How long the agent waits for an entry, as it is written.
pub(super) fn timeout_of(entry: &Value<'_>) -> Option<String> {
    Some(member(entry.as_object()?, "timeout")?.value.as_number_lit()?.value.to_owned())
}

/// How a file is written.
#[derive(Debug)]
struct Style {
    newline: &'static str,
    /// One step of indentation.
    indent: String,
    /// What follows a colon and, within a line, a comma.
    space: &'static str,
}

impl Style {
    fn of(document: &Document<'_>) -> Self {
        let text = document.text;
        let is_windows = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let first = document.root.as_ref().and_then(|root| root.properties.first());
        let is_tight = first.is_some_and(|first| text[first.name.end()..first.value.start()] == *":");
        let unknown = if document.root.is_some() { INDENT_IN_EMPTY_OBJECT } else { INDENT_IN_EMPTY_FILE };
        Self {
            newline: if is_windows { "\r\n" } else { "\n" },
            indent: first.map_or(Some(unknown), |first| own_indent(text, first.start())).unwrap_or("  ").to_owned(),
            space: if is_tight { "" } else { " " },
        }
    }

    /// What is added, each as a member of the object that holds it.
    fn members(&self, part: Part, names: &[&'static str], root: Option<&str>) -> Vec<String> {
        match part {
            Part::Hooks => hooks_of(names).map(|hook| self.event_member(hook, root)).collect(),
            Part::Server => vec![self.server_member(root)],
        }
    }

    /// `"hooks": {...}`, over several lines if an indentation says where they start.
    fn top_member(&self, part: Part, members: &[String], indent: Option<&str>) -> String {
        let Self { newline, indent: step, space } = self;
        let name = part.member();
        match indent {
            Some(indent) => {
                let members = members.join(&format!(",{newline}{indent}{step}"));
                format!("\"{name}\":{space}{{{newline}{indent}{step}{members}{newline}{indent}}}")
            }
            None => format!("\"{name}\":{space}{{{}}}", members.join(&format!(",{space}"))),
        }
    }

    fn server_member(&self, root: Option<&str>) -> String {
        let space = self.space;
        let words = server_words(root).into_iter().map(|word| serde_json::Value::from(word).to_string());
        let words: Vec<String> = words.collect();
        let (program, arguments) = (&words[0], words[1..].join(&format!(",{space}")));
        format!("\"{SERVER}\":{space}{{\"command\":{space}{program},{space}\"args\":{space}[{arguments}]}}")
    }

    fn event_member(&self, hook: &Hook, root: Option<&str>) -> String {
        format!("\"{}\":{}[{}]", hook.event, self.space, self.group(hook, root))
    }

    fn group(&self, hook: &Hook, root: Option<&str>) -> String {
        let space = self.space;
        let matcher = hook.matcher.map(|matcher| format!("\"matcher\":{space}\"{matcher}\",{space}")).unwrap_or_default();
        let command = serde_json::Value::from(hook.command(root));
        let kind = format!("\"type\":{space}\"command\",{space}");
        let timeout = format!("\"timeout\":{space}{}", hook.timeout_seconds);
        format!("{{{matcher}\"hooks\":{space}[{{{kind}\"command\":{space}{command},{space}{timeout}}}]}}")
    }
}

/// Where members are added to a container, and what lies around them.
#[derive(Debug, Default)]
struct Slot {
    /// Where they go: behind all comments, before the blanks that lead to the closing bracket.
    at: usize,
    /// Where the member before them needs a comma.
    comma: Option<usize>,
    /// Whether the last member has a comma too, as it was before.
    is_trailing: bool,
    lead: String,
    next_lead: String,
    tail: String,
    /// The indentation of their lines, if they stand on lines of their own.
    indent: Option<String>,
}

/// The insertions that add hooks to a document.
struct Edit<'a> {
    document: &'a Document<'a>,
    part: Part,
    style: Style,
    root: Option<&'a str>,
    insertions: Vec<(usize, String)>,
}

impl Edit<'_> {
    fn add(&mut self, names: &[&'static str]) {
        let document = self.document;
        match (&document.root, document.inner()) {
            (None, _) => self.add_value(names),
            (Some(root), None) => {
                let slot = self.slot(&Container::from(root), true);
                let members = self.style.members(self.part, names, self.root);
                let member = self.style.top_member(self.part, &members, slot.indent.as_deref());
                self.insert(&slot, &[member]);
            }
            (Some(_), Some(events)) if self.part == Part::Hooks => self.add_events(events, names),
            (Some(_), Some(servers)) => {
                let slot = self.slot(&Container::from(servers), false);
                let members = self.style.members(self.part, names, self.root);
                self.insert(&slot, &members);
            }
        }
    }

    /// Makes the value of a file that has none.
    fn add_value(&mut self, names: &[&'static str]) {
        let text = self.document.text;
        let gap = Gap::of(text, 0..text.len());
        let Style { newline, .. } = self.style;
        let lead = if gap.has_comment { newline } else { "" };
        let indent = INDENT_IN_EMPTY_FILE;
        let members = self.style.members(self.part, names, self.root);
        let member = self.style.top_member(self.part, &members, Some(indent));
        self.insertions.push((gap.solid_end, format!("{lead}{{{newline}{indent}{member}}}")));
    }

    fn add_events(&mut self, events: &Object<'_>, names: &[&'static str]) {
        let (with_event, without): (Vec<&Hook>, Vec<&Hook>) =
            hooks_of(names).partition(|hook| member(events, hook.event).is_some());
        for hook in with_event {
            if let Some(groups) = member(events, hook.event).and_then(|event| event.value.as_array()) {
                let slot = self.slot(&Container::from(groups), false);
                let group = self.style.group(hook, self.root);
                self.insert(&slot, &[group]);
            }
        }
        if !without.is_empty() {
            let slot = self.slot(&Container::from(events), false);
            let members: Vec<String> = without.iter().map(|hook| self.style.event_member(hook, self.root)).collect();
            self.insert(&slot, &members);
        }
    }

    fn slot(&self, container: &Container, is_root: bool) -> Slot {
        match container.members.last() {
            Some(last) => self.slot_behind(container, last.start, last.end),
            None => self.slot_within(container, is_root),
        }
    }

    /// A place behind the last member, laid out as that one is.
    fn slot_behind(&self, container: &Container, last_start: usize, last_end: usize) -> Slot {
        let text = self.document.text;
        let gap = Gap::of(text, last_end..container.close);
        let own = own_indent(text, last_start).map(str::to_owned);
        // What stands behind such a comment on its line would belong to it.
        let indent = own.or_else(|| gap.ends_in_line_comment.then(|| self.inner_indent(container)));
        let lead = indent.as_ref().map_or_else(|| self.style.space.to_owned(), |indent| format!("{}{indent}", self.style.newline));
        Slot {
            at: gap.solid_end,
            comma: gap.comma.is_none().then_some(last_end),
            is_trailing: gap.comma.is_some(),
            next_lead: lead.clone(),
            lead,
            tail: String::new(),
            indent,
        }
    }

    /// A place in a container without members. Its blanks tell a removal what was there.
    fn slot_within(&self, container: &Container, is_root: bool) -> Slot {
        let text = self.document.text;
        let blanks = &text[container.open..container.close];
        let gap = Gap::of(text, container.open..container.close);
        let newline = self.style.newline;
        let has_lines = text.contains('\n');
        let is_on_lines = match (gap.has_comment, is_root) {
            (true, _) => gap.ends_in_line_comment || blanks.contains('\n'),
            (false, true) => blanks.is_empty(),
            (false, false) => blanks.is_empty() && has_lines,
        };
        if !is_on_lines {
            let next_lead = self.style.space.to_owned();
            return Slot { at: gap.solid_end, lead: " ".to_owned(), next_lead, ..Slot::default() };
        }
        let outer = line_indent(text, container.open);
        let indent =
            if is_root && !gap.has_comment { format!("{outer}{INDENT_IN_EMPTY_OBJECT}") } else { self.inner_indent(container) };
        let next_lead = format!("{newline}{indent}");
        let was_tight = !gap.has_comment;
        Slot {
            at: gap.solid_end,
            lead: if was_tight && !is_root { format!("{newline}{next_lead}") } else { next_lead.clone() },
            next_lead,
            tail: if was_tight { format!("{newline}{outer}") } else { String::new() },
            indent: Some(indent),
            ..Slot::default()
        }
    }

    fn inner_indent(&self, container: &Container) -> String {
        format!("{}{}", line_indent(self.document.text, container.open), self.style.indent)
    }

    fn insert(&mut self, slot: &Slot, members: &[String]) {
        if let Some(at) = slot.comma {
            self.insertions.push((at, ",".to_owned()));
        }
        let members = members.join(&format!(",{}", slot.next_lead));
        let comma = if slot.is_trailing { "," } else { "" };
        self.insertions.push((slot.at, format!("{}{members}{comma}{}", slot.lead, slot.tail)));
    }

    fn finish(mut self) -> String {
        // The order of insertions at one place is kept: a comma goes before what it separates.
        self.insertions.sort_by_key(|(at, _)| *at);
        let text = self.document.text;
        let mut result = String::with_capacity(text.len() + 1024);
        let mut done = 0;
        for (at, insertion) in self.insertions {
            result.push_str(&text[done..at]);
            result.push_str(&insertion);
            done = at;
        }
        result.push_str(&text[done..]);
        result
    }
}

/// The hooks of some names.
fn hooks_of(names: &[&'static str]) -> impl Iterator<Item = &'static Hook> {
    HOOKS.iter().filter(|hook| names.contains(&hook.name))
}

/// The indentation of what starts at a place, if nothing but blanks stands before it on its line.
fn own_indent(text: &str, at: usize) -> Option<&str> {
    let line = &text[text[..at].rfind('\n')? + 1..at];
    line.chars().all(|letter| matches!(letter, ' ' | '\t')).then_some(line)
}

/// The indentation of the line that a place is on.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
