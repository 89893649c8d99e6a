//! `outerloop generate`: made-up events for samples, tests and benchmarks.

use std::io::{self, BufWriter, Write as _};

use super::args::GenerateArgs;
use super::printer::{Printer, ended};
use crate::sample;
use crate::sample::{Mix, Recipe};
use event::{Kind, parse_time};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Writes made-up events to stdout.
pub fn run(options: &GenerateArgs, printer: &Printer) -> Outcome<Exit> {
    let recipe = recipe(options)?;
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    match sample::write(&recipe, &mut out).and_then(|made| out.flush().map(|()| made)) {
        Ok(made) => printer.note(&format!("{} events, {} duplicates, {} bad lines", made.events, made.duplicates, made.bad)),
        Err(error) => ended(Err(error))?,
    }
    Ok(Exit::Done)
}

fn recipe(options: &GenerateArgs) -> Outcome<Recipe> {
    let wrong = |what: &str, remedy: &str| Diagnostic::edit(what, remedy);
    let start =
        parse_time(&options.start).ok_or_else(|| wrong("--start is not a time", "write RFC 3339, such as 2026-03-01T00:00:00Z"))?;
    let mix = match &options.kind {
        None => Mix::All,
        Some(name) if name == "roles" => Mix::Roles,
        Some(name) => {
            Mix::Only(Kind::from_name(name).ok_or_else(|| wrong("--kind is not a kind", "use one of the tables' names"))?)
        }
    };
    Ok(Recipe {
        seed: options.seed,
        lines: options.lines,
        start_seconds: u64::try_from(start / 1_000_000).map_err(|_| wrong("--start is before 1970", "choose a later time"))?,
        step_millis: options.step_millis,
        patterns: options.patterns,
        agents: options.agents,
        adapters: options.adapters,
        mix,
        late: options.late,
        duplicate: options.duplicate,
        bad: options.bad,
    })
}
