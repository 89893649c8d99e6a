//! Lines in the user's crontab, by way of the program `crontab`.

use std::io::{self, Write as _};
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::printer::Printer;
use store::job::{Place, Schedule, render_block, with_block, without_block};
use text::diagnostic::{Diagnostic, Outcome};

pub(super) fn print(place: &Place, jobs: &[(String, Schedule)], as_json: bool, printer: &Printer) -> Outcome<()> {
    let block = render_block(place, jobs)?;
    if as_json {
        return printer.line(&json!({"method": "cron", "crontab": block}).to_string());
    }
    printer.bytes(block.as_bytes())
}

/// Puts the block into the crontab, in the place of an older one.
pub(super) fn install(place: &Place, jobs: &[(String, Schedule)], as_json: bool, printer: &Printer) -> Outcome<()> {
    let block = render_block(place, jobs)?;
    let crontab = read_crontab()?;
    let wanted = with_block(&crontab, place, &block)?;
    let is_changed = wanted != crontab;
    if is_changed {
        write_crontab(&wanted)?;
    }
    if as_json {
        printer.line(&json!({"method": "cron", "changed": is_changed, "crontab": block}).to_string())?;
    }
    let what = if is_changed { "the crontab starts the jobs of" } else { "the crontab already starts the jobs of" };
    printer.note(&format!("{what} {}; `crontab -l` shows it", place.root()));
    Ok(())
}

/// Takes the block out of the crontab.
pub(super) fn remove(place: &Place, as_json: bool, printer: &Printer) -> Outcome<()> {
    let without = without_block(&read_crontab()?, place)?;
    if let Some(rest) = &without {
        write_crontab(rest)?;
    }
    if as_json {
        printer.line(&json!({"method": "cron", "changed": without.is_some()}).to_string())?;
    }
    printer.note(&match without {
        Some(_) => format!("the crontab no longer starts the jobs of {}", place.root()),
        None => format!("the crontab has no block for {}; --systemd looks for units", place.root()),
    });
    Ok(())
}

/// The user's crontab; empty if there is none.
fn read_crontab() -> Outcome<Vec<u8>> {
    let output = crontab("-l").stdin(Stdio::null()).output().map_err(|error| missing(&error))?;
    // Having none is said in words only. These are the ones of cron, cronie and BusyBox.
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    let has_none = said.contains("no crontab") || said.contains("no such file");
    match output.status.success() {
        true => Ok(output.stdout),
        false if has_none => Ok(Vec::new()),
        false => Err(refused("the crontab cannot be read", &output)),
    }
}

fn write_crontab(bytes: &[u8]) -> Outcome<()> {
    let child = crontab("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| missing(&error))?;
    // A program that refuses may end before it has read everything: how it ends decides.
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(bytes));
    let output = child.wait_with_output().map_err(|error| missing(&error))?;
    if output.status.success() && written.is_ok() { Ok(()) } else { Err(refused("the crontab was not changed", &output)) }
}

fn crontab(argument: &str) -> Command {
    let mut command = Command::new("crontab");
    command.arg(argument).env("LC_ALL", "C");
    command
}

fn missing(error: &io::Error) -> Diagnostic {
    let remedy = "install cron, or use --systemd; `outerloop schedule print --cron` shows the lines for any other scheduler";
    Diagnostic::edit("the program `crontab` cannot be started", remedy).because(error)
}

fn refused(what: &str, output: &Output) -> Diagnostic {
    let remedy = "run `crontab -l`, and check that you may use cron; `outerloop schedule print --cron` shows the lines";
    let said = String::from_utf8_lossy(&output.stderr);
    let cause = if said.trim().is_empty() { output.status.to_string() } else { said.trim().to_owned() };
    Diagnostic::edit(what, remedy).because(cause)
}
