//! Taking our hooks out of a settings file, or our server out of a file of servers, by cuts alone. `addition` says by which blanks it is known what was there before.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged as _;

use super::addition::{BYTE_ORDER_MARK, FRESH_INDENTS, INDENT_IN_EMPTY_FILE, matcher_of, timeout_of};
use super::document::{Container, Document, Fault, Gap, Part, SERVER, called_hook, called_server, entries};
use super::hook::Hook;

/// What a settings file is without our hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rest {
    Text(String),
    /// Nothing: the file was made for our hooks.
    Nothing {
        /// Whether its folder was made for it too.
        folder_too: bool,
    },
}

/// A file that ours was taken out of.
#[derive(Debug)]
pub(super) struct Removal {
    /// What is left.
    pub rest: Rest,
    /// What was there, by name.
    pub removed: Vec<&'static str>,
    /// What is left because its command does more than ours, with that command.
    pub kept: Vec<(&'static str, String)>,
}

/// Which of our hooks are taken out.
#[derive(Debug, Clone, Copy)]
enum Choice<'c> {
    /// All that do nothing else.
    All,
    /// Those that an earlier version wrote, for a workspace that is named or not.
    Former(Option<&'c str>),
}

/// Takes ours out. Says what was there.
pub(super) fn remove(text: &str, part: Part) -> Result<Removal, Fault> {
    take_out(text, part, Choice::All)
}

/// Takes out the hooks that an earlier version wrote and nobody altered, so that they can be written anew.
pub(super) fn remove_former(text: &str, root: Option<&str>) -> Result<Removal, Fault> {
    take_out(text, Part::Hooks, Choice::Former(root))
}

fn take_out(text: &str, part: Part, choice: Choice<'_>) -> Result<Removal, Fault> {
    let (mark, text) = text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |rest| (BYTE_ORDER_MARK, rest));
    let document = Document::parse(text, part)?;
    let mut scissors =
        Scissors { text, choice, cuts: vec![false; text.len()], leads: Vec::new(), removed: Vec::new(), kept: Vec::new() };
    let (Some(root), Some(inner)) = (&document.root, document.inner()) else {
        return Ok(scissors.report(Rest::Text(format!("{mark}{text}"))));
    };
    let is_emptied = match part {
        Part::Hooks => scissors.cut_events(inner),
        Part::Server => scissors.cut_server(inner),
    };
    if is_emptied {
        let gone: Vec<bool> = root.properties.iter().map(|member| member.name.as_str() == part.member()).collect();
        if let [true] = gone[..] {
            if let Some(folder_too) = scissors.fresh_folder(root).filter(|_| mark.is_empty()) {
                return Ok(scissors.report(Rest::Nothing { folder_too }));
            }
            scissors.empty_root(root);
        } else {
            scissors.cut_members(&Container::from(root), &gone);
        }
    }
    let rest = Rest::Text(format!("{mark}{}", scissors.finish()));
    Ok(scissors.report(rest))
}

/// What becomes of a container whose last member is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emptied {
    /// It was made for our hooks.
    Vanishes,
    /// It had nothing in it.
    Closes,
    /// It had blanks or comments in it.
    Stays,
}

/// A member that is cut, and the blanks before it.
#[derive(Debug)]
struct Lead {
    blanks: Range<usize>,
    member_end: usize,
    follows_line_comment: bool,
}

struct Scissors<'a> {
    text: &'a str,
    choice: Choice<'a>,
    /// For each byte, whether it goes.
    cuts: Vec<bool>,
    leads: Vec<Lead>,
    removed: Vec<&'static str>,
    kept: Vec<(&'static str, String)>,
}

impl Scissors<'_> {
    /// Cuts our entries out of all events. Says whether nothing is left of `hooks` itself.
    fn cut_events(&mut self, hooks: &Object<'_>) -> bool {
        let mut gone = Vec::with_capacity(hooks.properties.len());
        for event in &hooks.properties {
            gone.push(event.value.as_array().is_some_and(|groups| self.cut_groups(groups)));
        }
        self.cut_from(&Container::from(hooks), &gone)
    }

    /// Cuts our server out of the others. Says whether nothing is left of them.
    fn cut_server(&mut self, servers: &Object<'_>) -> bool {
        let mut gone = Vec::with_capacity(servers.properties.len());
        for server in &servers.properties {
            let words = called_server(&server.value).filter(|_| server.name.as_str() == SERVER);
            let is_ours = words.as_ref().is_some_and(|words| {
                words[0].rsplit('/').next() == Some("outerloop") && words.last().is_some_and(|last| last == "mcp")
            });
            gone.push(is_ours);
            if is_ours {
                self.removed.push(SERVER);
            } else if server.name.as_str() == SERVER {
                self.kept.push((SERVER, words.unwrap_or_default().join(" ")));
            }
        }
        self.cut_from(&Container::from(servers), &gone)
    }

    fn cut_groups(&mut self, groups: &Array<'_>) -> bool {
        let mut gone = Vec::with_capacity(groups.elements.len());
        for group in &groups.elements {
            gone.push(entries(group).is_some_and(|entries| self.cut_entries(group, entries)));
        }
        self.cut_from(&Container::from(groups), &gone)
    }

    /// Cuts our entries out of a group. Says whether there are no others: such a group would call nothing.
    fn cut_entries(&mut self, group: &Value<'_>, entries: &Array<'_>) -> bool {
        let mut gone = Vec::with_capacity(entries.elements.len());
        for entry in &entries.elements {
            let called = called_hook(entry);
            let is_cut = called.is_some_and(|(hook, command)| match self.choice {
                Choice::All => Hook::is_all_of(command),
                Choice::Former(root) => hook.is_former(command, matcher_of(group).as_deref(), timeout_of(entry).as_deref(), root),
            });
            gone.push(is_cut);
            match called {
                Some((hook, _)) if is_cut => self.removed.push(hook.name),
                Some((hook, command)) => self.kept.push((hook.name, command.to_owned())),
                None => {}
            }
        }
        self.cut_members(&Container::from(entries), &gone);
        gone.contains(&true) && !gone.contains(&false)
    }

    /// Cuts members out of a container. Says whether the container goes with them.
    fn cut_from(&mut self, container: &Container, gone: &[bool]) -> bool {
        let is_emptied = gone.contains(&true) && !gone.contains(&false);
        match is_emptied.then(|| self.judge(container)) {
            Some(Emptied::Vanishes) => return true,
            Some(Emptied::Closes) => self.cut(container.open..container.close),
            Some(Emptied::Stays) | None => self.cut_members(container, gone),
        }
        false
    }

    fn judge(&self, container: &Container) -> Emptied {
        if self.has_comment(container) {
            return Emptied::Stays;
        }
        let lead = &self.text[container.before(0)];
        match (lead.is_empty(), lead.matches('\n').count()) {
            (true, _) | (false, 1) => Emptied::Vanishes,
            (false, 0) => Emptied::Stays,
            (false, _) => Emptied::Closes,
        }
    }

    /// Whether the file of which only our hooks are left was made for them, and its folder too.
    fn fresh_folder(&self, root: &Object<'_>) -> Option<bool> {
        let container = Container::from(root);
        let is_whole =
            self.text[..root.start()].is_empty() && self.text[container.behind(0)] == *"\n" && self.text[root.end()..] == *"\n";
        let lead = self.text[container.before(0)].strip_prefix('\n')?;
        (is_whole && FRESH_INDENTS.contains(&lead)).then_some(lead == FRESH_INDENTS[0])
    }

    /// Cuts the only member of the whole value.
    fn empty_root(&mut self, root: &Object<'_>) {
        let container = Container::from(root);
        let lead = &self.text[container.before(0)];
        if !lead.contains('\n') || self.has_comment(&container) {
            self.cut_members(&container, &[true]);
        } else if lead.trim_start_matches(['\r', '\n']) == INDENT_IN_EMPTY_FILE && container.behind(0).is_empty() {
            self.cut_value(root);
        } else {
            self.cut(container.open..container.close);
        }
    }

    /// Cuts the value of a file that had none, with the line break that keeps it off a comment.
    fn cut_value(&mut self, root: &Object<'_>) {
        let gap = Gap::of(self.text, 0..root.start());
        self.cut(root.start()..root.end());
        if gap.has_comment {
            let blanks = gap.solid_end..root.start();
            self.leads.push(Lead { blanks, member_end: root.end(), follows_line_comment: gap.ends_in_line_comment });
        }
    }

    fn has_comment(&self, container: &Container) -> bool {
        (0..container.members.len()).any(|index| {
            Gap::of(self.text, container.before(index)).has_comment || Gap::of(self.text, container.behind(index)).has_comment
        })
    }

    /// Cuts members with the blanks before them and one comma each: the one behind, where a member or a comma at the end
    /// needs the one before.
    fn cut_members(&mut self, container: &Container, gone: &[bool]) {
        let last_kept = gone.iter().rposition(|is_gone| !is_gone);
        let last = container.members.len().saturating_sub(1);
        let is_trailing = !container.members.is_empty() && Gap::of(self.text, container.behind(last)).comma.is_some();
        for index in (0..gone.len()).filter(|index| gone[*index]) {
            let before = Gap::of(self.text, container.before(index));
            let takes_next = is_trailing || last_kept.is_some_and(|kept| kept > index);
            let comma = if takes_next { Gap::of(self.text, container.behind(index)).comma } else { before.comma };
            if let Some(at) = comma {
                self.cut(at..at + 1);
            }
            let member = container.members[index].clone();
            self.leads.push(Lead {
                blanks: before.solid_end..member.start,
                member_end: member.end,
                follows_line_comment: before.ends_in_line_comment,
            });
            self.cut(member);
        }
    }

    fn cut(&mut self, range: Range<usize>) {
        self.cuts[range].fill(true);
    }

    fn report(self, rest: Rest) -> Removal {
        Removal { rest, removed: self.removed, kept: self.kept }
    }

    fn finish(&mut self) -> String {
        let mut leads = std::mem::take(&mut self.leads);
        // From the end on, because what is left of a line depends on what is cut behind.
        leads.sort_unstable_by_key(|lead| std::cmp::Reverse(lead.blanks.start));
        for lead in leads {
            // What comes up behind such a comment on its line would belong to it.
            if !lead.follows_line_comment || self.is_line_end(lead.member_end) {
                self.cut(lead.blanks);
            }
        }
        self.text.char_indices().filter(|(at, _)| !self.cuts[*at]).map(|(_, letter)| letter).collect()
    }

    /// Whether nothing but blanks is left of a line from a place on.
    fn is_line_end(&self, at: usize) -> bool {
        let left = self.text.as_bytes()[at..].iter().zip(&self.cuts[at..]).filter(|(_, is_cut)| !**is_cut).map(|(byte, _)| *byte);
        left.into_iter().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    }
}
