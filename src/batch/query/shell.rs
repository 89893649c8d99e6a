//! The shell on a terminal: statements over several lines, their history, and commands that begin with a dot.

use std::fmt::Write as _;
use std::fs;

use super::screen::render_screen;
use super::statement::{is_blank, split};
use cli::printer::Printer;
use engine::{Session, TableColumns};
use store::durable;
use store::lock::join_readers;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::near::nearest;

const COMMANDS: [(&str, &str); 6] = [
    (".tables", "all tables"),
    (".schema TABLE", "the columns of a table and their types"),
    (".examples", "queries to begin with"),
    (".help", "these commands"),
    (".history", "what was asked before"),
    (".quit", "leave; Ctrl-D does the same"),
];

/// Queries that show what there is to ask.
pub(super) const EXAMPLES: [(&str, &str); 5] = [
    (
        "every published rate, from the applications behind it",
        "select pattern, sum(weight) / sum(applications) as rate from outcome where weight is not null group by pattern order by pattern;",
    ),
    (
        "what helps, and how sure that is",
        "select id, verdict, lift, lift_lower, lift_upper, rate, seen, summary from pattern order by lift desc nulls last;",
    ),
    (
        "why applications do not count",
        "select reason, sum(applications) as applications from outcome where weight is null group by reason order by applications desc;",
    ),
    (
        "the score of each adapter, day by day",
        "select adapter, ts, day_runs, runs, success_rate, score from adapter_day order by adapter, ts;",
    ),
    (
        "lines that were refused, and why",
        "select code, count(*) as lines, any_value(remedy) as remedy from quarantine group by code order by lines desc;",
    ),
];

/// Reads statements and commands until the end.
pub(super) fn run(workspace: &Workspace, printer: &Printer) -> Outcome<Exit> {
    let tables = {
        let _reading = join_readers(workspace)?;
        Session::for_analysts(workspace)?.tables()?
    };
    printer.note("SQL, ended by `;`. `.tables` lists tables, `.examples` shows queries, `.help` all commands; Ctrl-D leaves.");
    let mut asked = String::new();
    while let Some(line) = printer.ask(if asked.is_empty() { "outerloop>" } else { "      ...>" }) {
        asked.push_str(&line);
        if !is_whole(&asked) {
            asked.push('\n');
            continue;
        }
        let whole = std::mem::take(&mut asked);
        if is_blank(&whole) {
            continue;
        }
        remember(workspace, &whole);
        match answer(workspace, &tables, &whole, printer) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => printer.error(&fault),
        }
    }
    Ok(Exit::Done)
}

/// Adds to the history. Whoever may only read the workspace has none in it.
fn remember(workspace: &Workspace, asked: &str) {
    let path = workspace.history().join("queries.txt");
    let known = fs::read_to_string(&path).unwrap_or_default();
    let _ = durable::replace(&path, format!("{known}{asked}\n").as_bytes());
}

/// Whether a command, or statements that have all ended.
fn is_whole(asked: &str) -> bool {
    asked.trim_start().starts_with('.') || is_blank(split(asked).1)
}

/// Answers a line. Says whether to go on.
fn answer(workspace: &Workspace, tables: &[TableColumns], line: &str, printer: &Printer) -> Outcome<bool> {
    if line.trim_start().starts_with('.') {
        return command(workspace, tables, line.trim(), printer);
    }
    let (statements, rest) = split(line);
    for statement in statements.into_iter().chain((!is_blank(rest)).then_some(rest)) {
        let _reading = join_readers(workspace)?;
        let rows = Session::for_analysts(workspace)?.query(statement)?;
        printer.bytes(render_screen(&rows, printer.width())?.as_bytes())?;
    }
    Ok(true)
}

fn command(workspace: &Workspace, tables: &[TableColumns], line: &str, printer: &Printer) -> Outcome<bool> {
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match name {
        ".quit" | ".exit" => return Ok(false),
        ".tables" => printer.line(&tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>().join("\n"))?,
        ".schema" => printer.line(&schema(tables, argument.trim().trim_end_matches(';'))?)?,
        ".examples" => {
            for (what, sql) in EXAMPLES {
                printer.line(&format!("-- {what}\n{sql}\n"))?;
            }
        }
        ".history" => {
            let asked = fs::read_to_string(workspace.history().join("queries.txt")).unwrap_or_default();
            printer.line(asked.trim_end())?;
        }
        ".help" => {
            for (name, what) in COMMANDS {
                printer.line(&format!("{name:<16}{what}"))?;
            }
        }
        _ => {
            let known = COMMANDS.map(|(name, _)| name.split(' ').next().unwrap_or(name));
            let near = nearest(known, name).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            return Err(Diagnostic::edit(
                format!("there is no command `{}`", name.escape_default()),
                format!("{near}the commands are {}", known.join(", ")),
            ));
        }
    }
    Ok(true)
}

fn schema(tables: &[TableColumns], name: &str) -> Outcome<String> {
    let Some(table) = tables.iter().find(|table| table.name == name) else {
        let names = tables.iter().map(|table| table.name.as_str());
        let near = nearest(names.clone(), name).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        return Err(Diagnostic::edit(
            format!("there is no table `{}`", name.escape_default()),
            format!("{near}the tables are {}", names.collect::<Vec<_>>().join(", ")),
        ));
    };
    let widest = table.columns.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, kind) in &table.columns {
        let _ = writeln!(text, "{name:<widest$}  {kind}");
    }
    Ok(text.trim_end().to_owned())
}
