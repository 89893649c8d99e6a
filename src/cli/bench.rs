//! `outerloop bench-parse`: the floor of every ingest. Reads a file and parses each line, and keeps nothing.

use std::fs::File;

use super::args::BenchParseArgs;
use super::printer::Printer;
use event::{Latest, Parser};
use store::clock;
use store::inbox::LineReader;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Parses a file and prints how many of its lines are events.
pub fn run(options: &BenchParseArgs, printer: &Printer) -> Outcome<Exit> {
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
