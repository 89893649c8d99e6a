//! From texts to a graph.

use std::collections::BTreeMap;

use super::check::{Faults, check_cycles, check_needs, check_replaced, check_text};
use super::header::{Flaw, Form, Header, parse_header};
use super::node::{Declared, Graph, Node, Origin, Source};
use super::token::split_statements;
use text::diagnostic::Outcome;
use text::digest::sha256;

/// Reads the headers of all texts and checks that they fit together. All flaws are told at once. A workspace's own texts must also
/// stand in for those that they replace, in the graph of the program's.
pub fn parse_graph(declared: &[Declared], prelude: Source, bodies: Vec<Source>, replaced: Option<&Graph>) -> Outcome<Graph> {
    let mut faults = Faults::default();
    let mut drafts: Vec<Draft> = declared.iter().map(declare).collect();
    drafts.extend(parse_prelude(&prelude, &mut faults));
    for source in bodies {
        match parse_header(&source.text, 1).and_then(|header| check_name(&source, header)) {
            Ok(header) => drafts.push(make_body(source, header)),
            Err(flaw) => faults.add_missing(source.stem.replace('/', "_"), &source, flaw),
        }
    }
    let mut known: BTreeMap<String, Draft> = BTreeMap::new();
    for draft in drafts {
        if let Some(other) = known.get(&draft.node.name) {
            let line = draft.header.as_ref().map_or(1, |header| header.makes.line);
            let what = format!("makes `{}`, which {} makes already", draft.node.name, other.place());
            faults.add(&draft.source, Flaw::new(line, what, "give its file another name"));
            continue;
        }
        known.insert(draft.node.name.clone(), draft);
    }
    if let Some(replaced) = replaced {
        check_replaced(&known, &prelude, replaced, &mut faults);
    }
    for draft in known.values() {
        check_needs(draft, &known, &mut faults);
        check_text(draft, &mut faults);
    }
    faults.finish()?;
    check_cycles(&known, &mut faults);
    faults.finish()?;
    Ok(Graph::new(known.into_iter().map(|(name, draft)| (name, draft.node)).collect(), prelude))
}

/// A node that is not checked yet.
pub(super) struct Draft {
    pub(super) node: Node,
    /// None where the program declares it.
    pub(super) header: Option<Header>,
    /// The text behind its header.
    pub(super) source: Source,
    /// The line in which the text begins.
    pub(super) first: usize,
}

impl Draft {
    fn place(&self) -> String {
        if self.header.is_some() { self.source.place() } else { format!("the {}", self.node.origin.name()) }
    }
}

fn declare(declared: &Declared) -> Draft {
    let node = Node {
        name: declared.name.clone(),
        origin: declared.origin,
        form: Form::Table,
        sentence: declared.sentence.to_owned(),
        grain: None,
        needs: declared.needs.clone(),
        takes: Vec::new(),
        stem: None,
        is_own: false,
        place: (String::new(), 1),
        columns: declared.columns,
        text: String::new(),
        hash: None,
    };
    Draft { node, header: None, source: Source { stem: String::new(), text: String::new(), own: None }, first: 1 }
}

/// The views of the prelude: statements, each with a header of its own. Comments that a blank line parts from a statement are about
/// the file.
fn parse_prelude(prelude: &Source, faults: &mut Faults) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (line, statement) in split_statements(&prelude.text) {
        let begin = statement.rfind("\n\n").map_or(0, |blank| blank + 2);
        let (first, text) = (line + statement[..begin].matches('\n').count(), &statement[begin..]);
        let created = text.lines().find_map(|line| line.trim_end().strip_prefix("create ")?.strip_suffix(" as")?.split_once(' '));
        let header = parse_header(text, first).and_then(|header| {
            let (form, name) = (header.form.name(), &*header.makes.name);
            if created == Some((form, name)) {
                return Ok(header);
            }
            let remedy = format!("write `create {form} {name} as` in a line of its own");
            Err(Flaw::new(header.makes.line, format!("says that it makes `{}`, but creates another", header.makes.name), remedy))
        });
        match header {
            Ok(header) => {
                let place = (prelude.place(), first);
                let is_own = prelude.own.is_some();
                let node = Node { is_own, place, ..make_node(Origin::Prelude, &header, text.to_owned()) };
                let source = Source { text: text.to_owned(), ..prelude.clone() };
                drafts.push(Draft { node, header: Some(header), source, first });
            }
            Err(flaw) => faults.add_missing(created.map_or("", |(_, name)| name).to_owned(), prelude, flaw),
        }
    }
    drafts
}

/// One stem names a result: its file, its table, its cases.
fn check_name(source: &Source, header: Header) -> Result<Header, Flaw> {
    let expected = source.stem.replace('/', "_");
    if header.makes.name == expected {
        return Ok(header);
    }
    let remedy = format!("write `-- Makes: {expected} ({})`, or rename the file", header.form.name());
    Err(Flaw::new(header.makes.line, format!("makes `{}`, which is not its own name", header.makes.name), remedy))
}

fn make_body(source: Source, header: Header) -> Draft {
    let node = Node {
        hash: Some(sha256(source.text.as_bytes())),
        stem: Some(source.stem.clone()),
        is_own: source.own.is_some(),
        place: (source.place(), 1),
        ..make_node(Origin::Body, &header, source.text.clone())
    };
    Draft { node, header: Some(header), source, first: 1 }
}

fn make_node(origin: Origin, header: &Header, text: String) -> Node {
    Node {
        name: header.makes.name.clone(),
        origin,
        form: header.form,
        sentence: header.sentence.clone(),
        grain: Some(header.grain.clone()),
        needs: header.needs.iter().map(|need| need.name.clone()).collect(),
        takes: header.takes.iter().map(|taken| taken.name.clone()).collect(),
        stem: None,
        is_own: false,
        place: (String::new(), 1),
        columns: "",
        text,
        hash: None,
    }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use super::{Declared, Graph, Origin, Source, parse_graph};
    use text::diagnostic::Outcome;

    const PRELUDE: &str = "-- About the file.\n\n-- Runs.\n-- Needs: lake_run\n-- Makes: run (view)\n-- Grain: (run).\n\
                           create view run as\nselect 1 from lake_run;\n";

    /// A graph of a scan, a view, a table that comes with a question, and some files of a workspace.
    fn graph(files: &[(&str, &str)]) -> Outcome<Graph> {
        let declared =
            [("lake_run", Origin::Scan), ("asked", Origin::Caller), ("computed", Origin::Program)].map(|(name, origin)| {
                let needs = if origin == Origin::Program { vec!["first".to_owned()] } else { Vec::new() };
                Declared { name: name.to_owned(), origin, sentence: "A table.", columns: "", needs }
            });
        let first = ("first", "run", "rows", "select 1 from run");
        let mut bodies = vec![body(first.0, first.1, first.2, first.3)];
        bodies.retain(|body| !files.iter().any(|(stem, _)| *stem == body.stem));
        bodies.extend(files.iter().map(|(stem, text)| Source {
            stem: (*stem).to_owned(),
            text: (*text).to_owned(),
            own: Some(format!("/w/sql/{stem}.sql")),
        }));
        parse_graph(&declared, Source { stem: "prelude/duckdb".to_owned(), text: PRELUDE.to_owned(), own: None }, bodies, None)
    }

    fn text(stem: &str, needs: &str, form: &str, query: &str) -> String {
        let name = stem.replace('/', "_");
        format!("-- A sentence.\n-- Needs: {needs}\n-- Makes: {name} ({form})\n-- Grain: (row).\n{query}\n")
    }

    fn body(stem: &str, needs: &str, form: &str, query: &str) -> Source {
        Source { stem: stem.to_owned(), text: text(stem, needs, form, query), own: None }
    }

    /// What is said of a body of the workspace: what is wrong, where, and what to do.
    fn refused(stem: &str, needs: &str, form: &str, query: &str) -> String {
        let text = text(stem, needs, form, query);
        graph(&[(stem, &text)]).expect_err("no graph").to_string()
    }

    #[test]
    fn a_plan_makes_what_is_needed_and_no_more() {
        let [a, b] =
            [text("a", "run", "table", "select 1 from run"), text("b", "a, computed", "rows", "select 1 from a, computed")];
        let graph =
            graph(&[("a", &a), ("b", &b), ("other", &text("other", "run", "table", "select 1 from run"))]).expect("a graph");
        let plan = |name: &str| graph.plan(&[name]).iter().map(|node| node.name.clone()).collect::<Vec<_>>();
        assert_eq!(plan("b"), ["lake_run", "run", "a", "first", "computed", "b"]);
        assert_eq!(plan("first"), ["lake_run", "run", "first"]);
    }

    #[test]
    fn a_table_that_is_read_and_not_declared_is_named_with_its_line() {
        let error = refused("a/b", "nothing", "rows", "select 1\nfrom run");
        assert_eq!(
            error,
            "error: the query `sql/a/b.sql` reads `run`, which its header does not list\n --> /w/sql/a/b.sql:6\n\
             remedy: correct the workspace's own file, or remove it: add it to the line `-- Needs:` (line 2 of the file)"
        );
    }

    #[test]
    fn a_need_must_exist_and_be_used() {
        assert!(refused("a", "runn", "rows", "select 1 from runn").contains("needs `runn`, which does not exist"));
        assert!(refused("a", "runn", "rows", "select 1 from runn").contains("did you mean `run`?"));
        assert!(
            refused("a", "run, lake_run", "rows", "select 1 from run").contains("lists `lake_run` in its header and never uses it")
        );
        assert!(refused("a", "first", "rows", "select 1 from first").contains("whose rows only the program reads"));
        assert!(refused("a", "asked", "rows", "select 1 from asked").contains("list it under `-- Takes:` instead"));
    }

    #[test]
    fn a_circle_is_told_from_end_to_end() {
        let [a, b] = [text("a", "b", "table", "select 1 from b"), text("b", "a", "table", "select 1 from a")];
        let error = graph(&[("a", &a), ("b", &b)]).expect_err("a circle").to_string();
        assert!(error.contains("the query `sql/a.sql` needs itself: a needs b needs a"), "{error}");
        // Also one that goes through the program.
        let error = refused("first", "computed", "rows", "select 1 from computed");
        assert!(error.contains("needs itself: computed needs first needs computed"), "{error}");
    }

    #[test]
    fn nothing_is_made_twice_or_under_another_name() {
        let error = refused("run", "lake_run", "view", "select 1 from lake_run");
        assert!(error.contains("`sql/run.sql` makes `run`, which sql/prelude/duckdb.sql makes already"), "{error}");
        let renamed = text("a", "run", "rows", "select 1 from run");
        let error = graph(&[("b", &renamed)]).expect_err("another name").to_string();
        assert!(error.contains("`sql/b.sql` makes `a`, which is not its own name"), "{error}");
        assert!(error.contains("write `-- Makes: b (rows)`, or rename the file"), "{error}");
    }

    #[test]
    fn parameters_are_declared_and_only_rows_take_any() {
        assert!(
            refused("a", "run", "rows", "select 1 from run where x = $y").contains("uses `$y`, which its header does not list")
        );
        let taking = |form: &str| text("a", "run\n-- Takes: $y, asked", form, "select $y from run, asked");
        assert!(graph(&[("a", &taking("rows"))]).is_ok());
        let error = graph(&[("a", &taking("table"))]).expect_err("a table").to_string();
        assert!(error.contains("makes a table, yet takes something from each question"), "{error}");
    }

    #[test]
    fn all_flaws_are_told_at_once() {
        let error = refused("a", "x, y", "rows", "select 1 from x, y");
        assert!(error.contains("needs `x`") && error.contains("also: the query `sql/a.sql` needs `y`"), "{error}");
    }

    #[test]
    fn a_flaw_of_one_header_is_told_alone() {
        let (broken, other) = ("-- A sentence.\nselect 1", text("b", "first, a", "rows", "select 1 from first, a"));
        let error = graph(&[("first", broken), ("a", &text("a", "run", "view", "select 1 from run")), ("b", &other)]);
        let error = error.expect_err("a flaw").to_string();
        assert!(error.contains("`sql/first.sql` has no line `-- Needs:`") && !error.contains("also:"), "{error}");
    }

    #[test]
    fn files_are_read_by_the_program_alone() {
        let error = refused("a", "run", "rows", "select 1 from run\nunion all select 1 from read_parquet('lake/run/*/*.parquet')");
        assert!(error.contains("`sql/a.sql` reads files with `read_parquet`") && error.contains("/w/sql/a.sql:6"), "{error}");
        let error = refused("a", "run", "rows", "select 1 from run join 'x.csv' on true");
        assert!(error.contains("reads files with `'x.csv'`"), "{error}");
    }
}
