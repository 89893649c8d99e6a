//! `outerloop query`: SQL over the lake, in the format that is wanted; a shell where a person sits at a terminal.

mod render;
mod screen;
mod shell;
mod statement;

use std::fs::{self, Permissions};
use std::io::{self, IsTerminal as _, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use cli::args::{QueryArgs, RowFormat};
use cli::printer::Printer;
use cli::require;
use engine::Session;
use event::row::Rows;
use store::durable;
use store::lock::join_readers;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

use render::render;
use screen::render_screen;
use statement::{is_blank, split};

/// What others may do with a file that somebody asked for: read it, as far as the folder lets them.
const READABLE: u32 = 0o644;

pub(crate) fn run(workspace: &Workspace, options: &QueryArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let is_asked = options.sql.is_some() || options.file.is_some();
    if !is_asked && options.output.is_none() && io::stdin().is_terminal() && printer.shows_output() {
        return shell::run(workspace, printer);
    }
    let format = choose_format(options)?;
    let sql = load_sql(options)?;
    let statements = statements_of(&sql)?;
    if format == RowFormat::Parquet && options.output.is_none() && printer.shows_output() {
        return Err(Diagnostic::edit(
            "Parquet cannot be printed to a terminal",
            "name a file with --output, or send stdout to one",
        ));
    }
    if statements.len() > 1 && (format != RowFormat::Table || options.output.is_some()) {
        return Err(Diagnostic::edit(
            format!("{} statements make as many tables, and this output holds one", statements.len()),
            "run them one by one, or print them as tables, without --output and --format",
        ));
    }
    let _reading = join_readers(workspace)?;
    let session = Session::for_analysts(workspace)?;
    for (place, statement) in statements.iter().enumerate() {
        if place > 0 {
            printer.line("")?;
        }
        let rows = session.query(statement)?;
        write(&rows, format, options.output.as_deref(), printer)?;
    }
    Ok(Exit::Done)
}

fn write(rows: &Rows, format: RowFormat, output: Option<&Path>, printer: &Printer) -> Outcome<()> {
    let Some(path) = output else {
        if format == RowFormat::Table && printer.shows_output() {
            return printer.bytes(render_screen(rows, printer.width())?.as_bytes());
        }
        return printer.bytes(&render(rows, format)?);
    };
    let path = std::path::absolute(path).map_err(|error| Diagnostic::io("cannot write the file", path, &error))?;
    let permissions = fs::metadata(&path).map_or_else(|_| Permissions::from_mode(READABLE), |known| known.permissions());
    durable::replace_as(&path, &render(rows, format)?, Some(permissions))
}

/// The format that is named, else that of the file's ending, else a table.
fn choose_format(options: &QueryArgs) -> Outcome<RowFormat> {
    let ending = options.output.as_deref().map(|path| path.extension().unwrap_or_default().to_string_lossy().to_lowercase());
    match (options.format, ending.as_deref()) {
        (Some(format), _) => Ok(format),
        (None, None | Some("txt")) => Ok(RowFormat::Table),
        (None, Some("csv")) => Ok(RowFormat::Csv),
        (None, Some("json")) => Ok(RowFormat::Json),
        (None, Some("jsonl" | "ndjson")) => Ok(RowFormat::Jsonl),
        (None, Some("parquet")) => Ok(RowFormat::Parquet),
        (None, Some(_)) => Err(Diagnostic::edit(
            "the ending of the output file names no format",
            "end it in .csv, .json, .jsonl, .parquet or .txt, or name the format with --format",
        )),
    }
}

fn statements_of(sql: &str) -> Outcome<Vec<&str>> {
    let (mut statements, rest) = split(sql);
    statements.extend((!is_blank(rest)).then_some(rest));
    if statements.is_empty() {
        return Err(Diagnostic::edit("there is no query", "give one as an argument, with --file, or on stdin"));
    }
    Ok(statements)
}

fn load_sql(options: &QueryArgs) -> Outcome<String> {
    if let Some(sql) = &options.sql {
        return Ok(sql.clone());
    }
    if let Some(path) = &options.file {
        return fs::read_to_string(path).map_err(|error| Diagnostic::io("cannot read the query", path, &error));
    }
    let mut sql = String::new();
    io::stdin().read_to_string(&mut sql).map_err(|error| {
        Diagnostic::edit("cannot read the query from stdin", "give it as an argument or with --file").because(error)
    })?;
    Ok(sql)
}
