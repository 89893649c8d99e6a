//! `outerloop man`: a manual page for each command, from its arguments.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Command, CommandFactory as _};

use super::args::Args;
use super::printer::Printer;
use super::reflow;
use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
  outerloop man | man -l -                          read the page of the program
  outerloop man --to ~/.local/share/man/man1        write a page for every command")]
pub struct ManArgs {
    /// Write a page for every command into this folder [default: print the page of the program]
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(crate) fn run(options: &ManArgs, printer: &Printer) -> Outcome<Exit> {
    let mut command = reflow(Args::command());
    command.build();
    let Some(folder) = &options.to else {
        printer.bytes(&page(&command)?)?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(folder).map_err(|error| Diagnostic::io("cannot create the folder", folder, &error))?;
    let mut written = 0_usize;
    write_pages(&command, "outerloop", &mut |name, bytes| {
        written += 1;
        durable::replace(&folder.join(format!("{name}.1")), bytes)
    })?;
    printer.note(&format!("{}: {written} pages written", folder.display()));
    Ok(Exit::Done)
}

fn write_pages(command: &Command, name: &str, write: &mut dyn FnMut(&str, &[u8]) -> Outcome<()>) -> Outcome<()> {
    write(name, &page(command)?)?;
    for inside in command.get_subcommands().filter(|inside| !inside.is_hide_set() && inside.get_name() != "help") {
        write_pages(inside, &format!("{name}-{}", inside.get_name()), write)?;
    }
    Ok(())
}

fn page(command: &Command) -> Outcome<Vec<u8>> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render(&mut page).map_err(|error| Diagnostic::bug(format!("cannot render a manual page: {error}")))?;
    Ok(page)
}
