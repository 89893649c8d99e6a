//! What makes texts no graph: unknown needs, undeclared needs, circles, reads past the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::build::Draft;
use super::header::{Flaw, Form, Header};
use super::node::{Graph, Node, Origin, Source};
use super::token::parse_mentions;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::near::nearest;

/// Everything that is wrong.
#[derive(Debug, Default)]
pub(super) struct Faults {
    own: Vec<Diagnostic>,
    /// Faults of the program's texts: where a workspace has its own, those may be the cause.
    shipped: Vec<Diagnostic>,
    /// What flawed texts would make. Whoever needs it has no flaw of its own.
    missing: BTreeSet<String>,
}

impl Faults {
    pub(super) fn add(&mut self, source: &Source, flaw: Flaw) {
        let place = format!("{}:{}", source.place(), flaw.line);
        let what = format!("the query `sql/{}.sql` {}", source.stem, flaw.what);
        if source.own.is_some() {
            let remedy = format!("correct the workspace's own file, or remove it: {}", flaw.remedy);
            self.own.push(Diagnostic::edit(what, remedy).at(Path::new(&place)));
        } else {
            self.shipped.push(Diagnostic::new(Exit::Bug, what, flaw.remedy).at(Path::new(&place)));
        }
    }

    /// Adds a flaw that keeps a text from making anything.
    pub(super) fn add_missing(&mut self, name: String, source: &Source, flaw: Flaw) {
        self.missing.insert(name);
        self.add(source, flaw);
    }

    /// The first fault, with the others as its cause.
    pub(super) fn finish(&self) -> Outcome<()> {
        let all = if self.own.is_empty() { &self.shipped } else { &self.own };
        let Some((first, others)) = all.split_first() else { return Ok(()) };
        let others: Vec<String> = others.iter().map(|other| format!("also: {}", other.in_a_line())).collect();
        let fault = first.clone();
        Err(if others.is_empty() { fault } else { fault.because(others.join("\n")) })
    }
}

/// What a workspace's own texts make is there for all that read the program's, in a form in which they can read it.
pub(super) fn check_replaced(known: &BTreeMap<String, Draft>, prelude: &Source, replaced: &Graph, faults: &mut Faults) {
    for model in replaced.nodes().filter(|_| prelude.own.is_some()).filter(|node| node.origin == Origin::Prelude) {
        if !known.contains_key(&model.name) && faults.missing.insert(model.name.clone()) {
            let what = format!("does not create the view `{}`, which the program's own creates", model.name);
            let remedy = format!("add it: `outerloop sql show {} --builtin` prints it", model.name);
            faults.add(prelude, Flaw::new(1, what, remedy));
        }
    }
    for draft in known.values().filter(|draft| draft.node.is_own) {
        let (Some(model), Some(header)) = (replaced.node(&draft.node.name), &draft.header) else { continue };
        if header.form == Form::Rows && model.form != Form::Rows {
            let what = format!("makes rows, but other queries read `{}` as a {}", model.name, model.form.name());
            let remedy = format!("write `-- Makes: {} ({})`", model.name, model.form.name());
            faults.missing.insert(model.name.clone());
            faults.add(&draft.source, Flaw::new(header.makes.line, what, remedy));
        }
        for taken in header.takes.iter().filter(|taken| !model.takes.contains(&taken.name)) {
            let what = format!("takes `{}`, which the program does not hand over", taken.name);
            let remedy = format!("take only what `outerloop sql show {} --builtin` takes", model.name);
            faults.add(&draft.source, Flaw::new(taken.line, what, remedy));
        }
    }
}

/// Every need exists, as something that can be read.
pub(super) fn check_needs(draft: &Draft, known: &BTreeMap<String, Draft>, faults: &mut Faults) {
    let Some(header) = &draft.header else { return check_declared(draft, known, faults) };
    for need in &header.needs {
        let flaw = match known.get(&need.name).map(|maker| &maker.node) {
            _ if faults.missing.contains(&need.name) => continue,
            None => unknown(&need.name, known),
            Some(Node { origin: Origin::Caller, .. }) => {
                ("needs `{}`, which comes with a question".to_owned(), "list it under `-- Takes:` instead".to_owned())
            }
            Some(Node { form: Form::Rows, .. }) => (
                "needs `{}`, whose rows only the program reads".to_owned(),
                "have its header make a (table) or a (view)".to_owned(),
            ),
            Some(_) => continue,
        };
        faults.add(&draft.source, Flaw::new(need.line, flaw.0.replace("{}", &need.name), flaw.1));
    }
    for taken in header.takes.iter().filter(|taken| !taken.name.starts_with('$')) {
        if known.get(&taken.name).is_none_or(|maker| maker.node.origin != Origin::Caller) {
            let what = format!("takes `{}`, which no question comes with", taken.name);
            faults.add(&draft.source, Flaw::new(taken.line, what, "list a table under `-- Needs:`, a parameter with its `$`"));
        }
    }
    if header.form != Form::Rows && !header.takes.is_empty() {
        let what = format!("makes a {}, yet takes something from each question", header.form.name());
        faults.add(&draft.source, Flaw::new(header.makes.line, what, "make (rows), or read what it takes from a table"));
    }
}

fn check_declared(draft: &Draft, known: &BTreeMap<String, Draft>, faults: &mut Faults) {
    for need in draft.node.needs.iter().filter(|need| !known.contains_key(*need)) {
        if faults.missing.contains(need) {
            continue;
        }
        let what = format!("is needed for `{}` and does not exist", draft.node.name);
        let source = Source { stem: need.clone(), ..draft.source.clone() };
        faults.add(&source, Flaw::new(1, what, "correct the list of tables that the program makes"));
    }
}

fn unknown(need: &str, known: &BTreeMap<String, Draft>) -> (String, String) {
    let near = nearest(known.keys().map(String::as_str), need);
    let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    ("needs `{}`, which does not exist".to_owned(), format!("{hint}`outerloop sql graph` lists all tables"))
}

/// What a header lists is what the text reads.
pub(super) fn check_text(draft: &Draft, faults: &mut Faults) {
    let Some(header) = &draft.header else { return };
    let found = parse_mentions(&draft.source.text);
    let listed = |name: &str| header.needs.iter().chain(&header.takes).any(|known| known.name == name);
    for table in found.tables.iter().filter(|table| !listed(&table.name)) {
        let what = format!("reads `{}`, which its header does not list", table.name);
        let remedy = format!("add it to the line `-- Needs:` ({} of the file)", line_of(header));
        faults.add(&draft.source, Flaw::new(draft.first + table.line - 1, what, remedy));
    }
    for read in &found.reads {
        let what = format!("reads files with `{}`", read.name);
        let remedy = "read the tables that `outerloop sql graph` lists: a file is seen by no horizon and in no header";
        faults.add(&draft.source, Flaw::new(draft.first + read.line - 1, what, remedy));
    }
    for parameter in found.parameters.iter().filter(|parameter| !listed(&format!("${}", parameter.name))) {
        let what = format!("uses `${}`, which its header does not list", parameter.name);
        faults.add(&draft.source, Flaw::new(draft.first + parameter.line - 1, what, "add it to the line `-- Takes:`"));
    }
    for named in header.needs.iter().chain(&header.takes) {
        let is_used = match named.name.strip_prefix('$') {
            Some(parameter) => found.parameters.iter().any(|found| found.name == parameter),
            None => found.tables.iter().any(|found| found.name == named.name),
        };
        if !is_used {
            let what = format!("lists `{}` in its header and never uses it", named.name);
            faults.add(&draft.source, Flaw::new(named.line, what, "remove it from the header"));
        }
    }
}

fn line_of(header: &Header) -> String {
    format!("line {}", header.needs_line)
}

/// Nothing needs itself, not even through others.
pub(super) fn check_cycles(known: &BTreeMap<String, Draft>, faults: &mut Faults) {
    let mut done = BTreeSet::new();
    for name in known.keys() {
        let mut path = Vec::new();
        if let Some(circle) = find_circle(name, known, &mut path, &mut done) {
            let Some(draft) = circle.iter().filter_map(|name| known.get(*name)).find(|draft| draft.header.is_some()) else {
                continue;
            };
            let line = draft.header.as_ref().map_or(1, |header| header.needs_line);
            let what = format!("needs itself: {}", circle.join(" needs "));
            faults.add(&draft.source, Flaw::new(line, what, "take one of these needs away"));
            return;
        }
    }
}

fn find_circle<'k>(
    name: &'k str,
    known: &'k BTreeMap<String, Draft>,
    path: &mut Vec<&'k str>,
    done: &mut BTreeSet<&'k str>,
) -> Option<Vec<&'k str>> {
    if let Some(begin) = path.iter().position(|on_path| *on_path == name) {
        return Some(path[begin..].iter().copied().chain([name]).collect());
    }
    if !done.insert(name) {
        return None;
    }
    path.push(name);
    let needs = known.get(name).map(|draft| &draft.node.needs);
    let circle = needs.into_iter().flatten().find_map(|need| find_circle(need, known, path, done));
    path.pop();
    circle
}
