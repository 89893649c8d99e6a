//! `outerloop generate` and `bench-parse`: made-up events for samples, tests and benchmarks, and the floor of every ingest.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::printer::{Printer, ended};
use crate::sample;
use crate::sample::{Mix, Recipe};
use event::{Kind, Latest, Parser, parse_time};
use store::clock;
use store::inbox::LineReader;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
pub struct GenerateArgs {
    /// How many lines
    #[arg(long, default_value_t = 1000)]
    lines: u64,
    /// The same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The time of the first event, RFC 3339
    #[arg(long, default_value = "2026-03-01T00:00:00Z")]
    start: String,
    /// The time between two events, in milliseconds
    #[arg(long, default_value_t = 600)]
    step_millis: u64,
    /// How many patterns there are
    #[arg(long, default_value_t = 500)]
    patterns: usize,
    /// How many agents there are
    #[arg(long, default_value_t = 40)]
    agents: usize,
    /// How many adapters there are, by number [default: eight with names]
    #[arg(long)]
    adapters: Option<usize>,
    /// Only this kind; `roles` generates events of roles
    #[arg(long)]
    kind: Option<String>,
    /// The share of events that arrive up to two weeks late
    #[arg(long, default_value_t = 0.0)]
    late: f64,
    /// The share of lines that are redeliveries
    #[arg(long, default_value_t = 0.0)]
    duplicate: f64,
    /// The share of invalid lines
    #[arg(long, default_value_t = 0.0)]
    bad: f64,
}

/// Writes made-up events to stdout.
pub(crate) fn run(options: &GenerateArgs, printer: &Printer) -> Outcome<Exit> {
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

#[derive(Debug, ClapArgs)]
pub struct BenchParseArgs {
    /// The file of events
    file: PathBuf,
}

/// Parses a file and prints how many of its lines are events.
pub(crate) fn bench_parse(options: &BenchParseArgs, printer: &Printer) -> Outcome<Exit> {
    let failed = |error: std::io::Error| Diagnostic::io("cannot read the events", &options.file, &error);
    let file = File::open(&options.file).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut parser = Parser::new(Latest::from_clock(clock::now().as_microsecond()));
    let mut reader = LineReader::new(&file, 0, size, u64::MAX);
    let mut events = 0_u64;
    let mut memory = Vec::new();
    while let Some(block) = reader.next_block(memory).map_err(failed)? {
        for line in block.lines() {
            let text = line.text.or_else(|| std::str::from_utf8(line.bytes).ok());
            events += u64::from(text.is_some_and(|text| parser.parse(text).is_ok()));
        }
        memory = block.into_memory();
    }
    printer.line(&events.to_string())?;
    Ok(Exit::Done)
}
