//! Units in the folder of a user's own systemd.

use std::env;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::printer::Printer;
use store::durable;
use store::job::{Place, Schedule, Unit, is_timer, render_units, unit_marker, unit_stem};
use text::diagnostic::{Diagnostic, Exit, Outcome};

const RELOAD: &str = "systemctl --user daemon-reload";

/// Prints the units and where they belong.
pub(super) fn print(place: &Place, jobs: &[(String, Schedule)], as_json: bool, printer: &Printer) -> Outcome<()> {
    let (folder, units) = (unit_folder()?, render_units(place, jobs)?);
    if as_json {
        let list: Vec<_> = units.iter().map(|unit| json!({"path": folder.join(&unit.name), "text": unit.text})).collect();
        return printer.line(&json!({"method": "systemd", "units": list, "next": next_steps(&units)}).to_string());
    }
    let texts: Vec<String> = units.iter().map(|unit| format!("# {}\n{}", folder.join(&unit.name).display(), unit.text)).collect();
    printer.bytes(texts.join("\n").as_bytes())
}

/// Writes the units, removes those of jobs that are no longer scheduled, and starts the timers if systemd answers.
pub(super) fn install(place: &Place, jobs: &[(String, Schedule)], as_json: bool, printer: &Printer) -> Outcome<()> {
    let (folder, units) = (unit_folder()?, render_units(place, jobs)?);
    refuse_strangers(&folder, &units, place)?;
    durable::create_folder(&folder)?;
    let mut gone = own_files(&folder, place)?;
    gone.retain(|name| units.iter().all(|unit| unit.name != *name));
    for unit in &units {
        durable::replace(&folder.join(&unit.name), unit.text.as_bytes())?;
    }
    // Whether it could be asked shows below; the links of the timers go in any case.
    let _ = disable(&gone);
    delete(&folder, &gone)?;
    let silent = start(&units)?;
    if as_json {
        let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
        let next = if silent.is_some() { next_steps(&units) } else { Vec::new() };
        let result = json!({
            "method": "systemd", "folder": folder, "installed": names, "removed": gone, "started": silent.is_none(), "next": next,
        });
        printer.line(&result.to_string())?;
    }
    printer.note(&format!("wrote {} units to {}", units.len(), folder.display()));
    match silent {
        None => printer.note("the timers run; `systemctl --user list-timers 'outerloop-*'` shows when each job starts next"),
        Some(cause) => {
            printer.note(&format!("systemd did not answer ({cause}). Once it is running, start the timers with:"));
            printer.note(&format!("  {}", next_steps(&units).join("\n  ")));
        }
    }
    printer.note("they run while you are logged in; `loginctl enable-linger` keeps them running after that");
    Ok(())
}

/// Disables the timers of the workspace and deletes its units.
pub(super) fn remove(place: &Place, as_json: bool, printer: &Printer) -> Outcome<()> {
    let folder = unit_folder()?;
    let own = own_files(&folder, place)?;
    let mut asked = disable(&own);
    delete(&folder, &own)?;
    if !own.is_empty() {
        asked = asked.and(systemctl(&["daemon-reload"]));
    }
    let timers: Vec<&str> = own.iter().map(String::as_str).filter(|name| is_timer(name)).collect();
    // A timer that was not stopped goes on without its file.
    let steps = [format!("systemctl --user stop {}", timers.join(" ")), RELOAD.to_owned()];
    let next = if asked.is_err() { &steps[..] } else { &[] };
    if as_json {
        printer.line(&json!({"method": "systemd", "folder": folder, "removed": own, "next": next}).to_string())?;
    }
    if own.is_empty() {
        printer.note(&format!("no units of {} are in {}; --cron looks into the crontab", place.root(), folder.display()));
    } else {
        printer.note(&format!("removed {} units from {}", own.len(), folder.display()));
    }
    if let Err(cause) = asked {
        printer.note(&format!("systemd did not reload ({cause}). If it is running, reload it with:"));
        printer.note(&format!("  {}", next.join("\n  ")));
    }
    Ok(())
}

fn unit_folder() -> Outcome<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let settings = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    let settings = settings.ok_or_else(|| {
        Diagnostic::edit("cannot find the folder of your systemd units", "set HOME to your home folder, or XDG_CONFIG_HOME")
    })?;
    Ok(settings.join("systemd/user"))
}

fn next_steps(units: &[Unit]) -> Vec<String> {
    vec![RELOAD.to_owned(), format!("systemctl --user enable --now {}", timers(units).join(" "))]
}

fn timers(units: &[Unit]) -> Vec<&str> {
    units.iter().map(|unit| unit.name.as_str()).filter(|name| is_timer(name)).collect()
}

/// Before anything is written: a file that we did not write is never written over.
fn refuse_strangers(folder: &Path, units: &[Unit], place: &Place) -> Outcome<()> {
    for path in units.iter().map(|unit| folder.join(&unit.name)) {
        if path.symlink_metadata().is_ok() && !is_own(&path, place)? {
            let remedy =
                "move it away if it is not needed, then install again; `outerloop schedule print` shows what would be written";
            let what = "a unit of that name exists that was not written for this workspace";
            return Err(Diagnostic::edit(what, remedy).at(&path));
        }
    }
    Ok(())
}

/// The names of the files that were written for this workspace.
fn own_files(folder: &Path, place: &Place) -> Outcome<Vec<String>> {
    let failed = |error: &io::Error| Diagnostic::io("cannot read the folder of your systemd units", folder, error);
    let prefix = format!("{}@", unit_stem(place));
    let mut own = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(own),
        read => read.map_err(|error| failed(&error))?,
    };
    for entry in entries {
        let Ok(name) = entry.map_err(|error| failed(&error))?.file_name().into_string() else { continue };
        let is_unit = name.ends_with(".service") || is_timer(&name);
        if is_unit && name.starts_with(&prefix) && is_own(&folder.join(&name), place)? {
            own.push(name);
        }
    }
    own.sort_unstable();
    Ok(own)
}

/// Whether the first line says that we wrote the file for this workspace. A link, such as that of a masked unit, never does.
fn is_own(path: &Path, place: &Place) -> Outcome<bool> {
    let failed = |error: &io::Error| Diagnostic::io("cannot read the unit", path, error);
    let is_regular = path.symlink_metadata().map_err(|error| failed(&error))?.is_file();
    if !is_regular {
        return Ok(false);
    }
    let file = durable::open_regular(path).map_err(|error| failed(&error))?;
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line).map_err(|error| failed(&error))?;
    Ok(line.strip_suffix(b"\n") == Some(unit_marker(place).as_bytes()))
}

/// Starts the timers, and has them start with the session. Gives the reason if systemd does not answer at all.
fn start(units: &[Unit]) -> Outcome<Option<String>> {
    if let Err(cause) = systemctl(&["daemon-reload"]) {
        return Ok(Some(cause));
    }
    let arguments: Vec<&str> = ["enable", "--now"].into_iter().chain(timers(units)).collect();
    systemctl(&arguments).map(|()| None).map_err(|cause| {
        let remedy =
            format!("the units are in place; fix the error of systemd, then run `systemctl --user {}`", arguments.join(" "));
        Diagnostic::new(Exit::Machine, "systemd does not start the timers", remedy).because(cause)
    })
}

fn disable(names: &[String]) -> Result<(), String> {
    let timers = names.iter().filter(|name| is_timer(name)).map(String::as_str);
    let arguments: Vec<&str> = ["disable", "--now"].into_iter().chain(timers).collect();
    if arguments.len() == 2 { Ok(()) } else { systemctl(&arguments) }
}

/// Deletes units, and the links that enabled them where systemd could not be asked to.
fn delete(folder: &Path, names: &[String]) -> Outcome<()> {
    for name in names {
        let link = folder.join("timers.target.wants").join(name);
        if link.is_symlink() {
            remove_file(&link)?;
        }
        remove_file(&folder.join(name))?;
    }
    if names.is_empty() { Ok(()) } else { durable::sync_folder(folder) }
}

fn remove_file(path: &Path) -> Outcome<()> {
    fs::remove_file(path).map_err(|error| Diagnostic::io("cannot delete the unit", path, &error))
}

fn systemctl(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("systemctl").arg("--user").args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("systemctl: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    Err(if said.is_empty() { format!("systemctl: {}", output.status) } else { said.replace('\n', "; ") })
}
