//! `outerloop adopt closedloop`: takes over what ClosedLoop knows, follows its logs from then on, and can be undone.

mod found;
mod journal;
mod store;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand};

use crate::args::OutputArgs;
use crate::import::{Followed, follow_folder};
use crate::init::make;
use crate::learn::counted;
use crate::printer::Printer;
use ::store::durable;
use ::store::workspace::{Workspace, load_settings};
use found::{Found, find};
use journal::Before;
use render::plain_text;
use setting::{PATTERN_FILE, PatternDialect, SettingKey, SettingValue, Settings, Target, parse_settings, set_setting};
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
pub struct AdoptArgs {
    /// The tool to take over from
    #[command(subcommand)]
    system: AdoptSystem,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdoptSystem {
    /// ClosedLoop: its pattern file, its run folders, and its logs from now on
    Closedloop(AdoptClosedloopArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Finds ClosedLoop's pattern file, the run folders below each project, the organisation's store and the
version of its plugin. Imports them, has the hourly job follow the logs, and publishes patterns where
ClosedLoop's hooks read them. Says first what it does, and at the end what to switch off. Of ClosedLoop's
files it changes two things: the pattern file, whose bytes --undo restores, and pending lessons, which it
takes in and moves to pending/archived/. With --beside it changes nothing.

  outerloop adopt closedloop --dry-run             say what would be done
  outerloop adopt closedloop                       the project in this folder
  outerloop adopt closedloop ~/shop ~/bank         two projects
  outerloop adopt closedloop --beside              learn beside it, publish nothing into its folder
  outerloop adopt closedloop --undo                restore settings and pattern file")]
pub(crate) struct AdoptClosedloopArgs {
    /// The projects [default: this folder]
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Restore the settings and the pattern file as they were before
    #[arg(long, conflicts_with_all = ["dry_run", "folders", "beside"])]
    undo: bool,
    /// Leave ClosedLoop's pattern file to ClosedLoop
    #[arg(long)]
    beside: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Takes over.
pub(crate) fn run(workspace: &Workspace, options: &AdoptArgs, printer: &Printer) -> Outcome<Exit> {
    let AdoptSystem::Closedloop(options) = &options.system;
    if options.undo {
        return journal::undo(workspace, options.output.json, printer);
    }
    let found = find(options)?;
    if options.output.json {
        printer.line(&found.as_json(options.dry_run).to_string())?;
    } else {
        found.explain(workspace.root(), options, printer);
    }
    if options.dry_run {
        return Ok(Exit::Done);
    }
    take_over(workspace, &found, options, printer)
}

fn take_over(workspace: &Workspace, found: &Found, options: &AdoptClosedloopArgs, printer: &Printer) -> Outcome<Exit> {
    let is_new = !workspace.root().exists();
    make(workspace)?;
    let before = journal::read_text(&workspace.settings())?;
    let target = found.global.as_ref().filter(|_| !options.beside);
    let after = new_settings(workspace, before.as_deref().unwrap_or_default(), found, target, options.beside)?;
    journal::keep(workspace, Before { settings: before, is_new }, &after, target)?;
    // Published files of another's must be kept before the settings name them.
    durable::replace(&workspace.settings(), after.as_bytes())?;
    let settings = load_settings(workspace)?;
    let mut exit = Exit::Done;
    printer.note("");
    for work in &found.workdirs {
        let followed = follow_folder(workspace, &settings, work)?;
        printer.note(&format!("{}: {}", shown(work), describe(&followed)));
        if followed.left_out > 0 {
            exit = Exit::Refused;
            printer.note(&format!("`outerloop import closedloop {}` lists what was skipped, with file and line", shown(work)));
        }
    }
    // Those of the pattern file come first, and so keep their numbers.
    for (store, project) in &found.stores {
        let pulled = store::import_store(workspace, &settings, store, project)?;
        let (taken, refused) = (counted(pulled.lines.len(), "pattern"), pulled.refused.len());
        printer.note(&format!("{}: {taken} imported, {} of this project's own, {refused} refused", shown(store), pulled.echoes));
        for remark in &pulled.refused {
            printer.note(&format!("  {}: {}", plain_text(&remark.id, 40), plain_text(&remark.reason, 200)));
        }
    }
    tell_next(found, options, printer);
    Ok(exit)
}

/// What became of a run folder's files, in a line.
fn describe(followed: &Followed) -> String {
    let records: Vec<String> =
        followed.records.iter().filter(|(_, count)| *count > 0).map(|(noun, count)| counted(*count, noun)).collect();
    let mut text = if records.is_empty() { "nothing to import".to_owned() } else { records.join(", ") };
    let _ = write!(text, "; {}, {} records skipped", counted(followed.landed, "new event"), followed.left_out);
    if followed.waiting > 0 {
        let _ = write!(text, "; {} for the hourly job", waits(followed.waiting));
    }
    text
}

fn waits(lessons: usize) -> String {
    format!("{} {}", counted(lessons, "pending lesson"), if lessons == 1 { "waits" } else { "wait" })
}

/// What to type next, and what to switch off.
fn tell_next(found: &Found, options: &AdoptClosedloopArgs, printer: &Printer) {
    let lines = |lines: &[&str]| lines.iter().for_each(|line| printer.note(line));
    lines(&[
        "",
        "Next:",
        "  outerloop run hourly          counts what was imported; `outerloop schedule install` does it every hour",
        "  outerloop report              says what is known",
    ]);
    if options.beside {
        if let Some(work) = found.workdirs.first() {
            printer.note(&format!("  outerloop closedloop shadow --workdir {}", shown(work)));
            printer.note(
                "                                compares both tools' figures, and says why they differ; the hourly job does",
            );
            printer.note("                                it too, and `outerloop closedloop shadow --history` shows what it found");
        }
    } else {
        lines(&["", "ClosedLoop's own learning writes the same pattern file, so one of the two must rest. Choose:"]);
        lines(&[
            "  Outerloop instead: `outerloop init --claude` adds Outerloop's hooks; switch ClosedLoop's learning off with",
            "    CLOSEDLOOP_SELF_LEARNING=false in these files:",
        ]);
        found.workdirs.iter().for_each(|work| printer.note(&format!("      {}/.closedloop-ai/config.env", shown(work))));
        lines(&[
            "  ClosedLoop's hooks with Outerloop's figures: leave CLOSEDLOOP_SELF_LEARNING=true, and put",
            "    `outerloop closedloop STEP` in the place of the programs that its pipeline runs",
            "  Outerloop's hooks have a switch of their own: OUTERLOOP_LEARNING=off",
        ]);
    }
    lines(&["", "`outerloop adopt closedloop --undo` undoes this"]);
}

/// The settings with the run folders and the target, checked.
fn new_settings(workspace: &Workspace, before: &str, found: &Found, target: Option<&PathBuf>, is_beside: bool) -> Outcome<String> {
    let settings = parse_settings(before).map_err(|fault| fault.at(&workspace.settings()))?;
    let mut wanted = settings.clone();
    let known: Vec<PathBuf> = settings.capture.workdirs.iter().map(|path| workspace.root().join(path)).collect();
    wanted.capture.workdirs.extend(found.workdirs.iter().filter(|work| !known.contains(work)).cloned());
    wanted.capture.follow = true;
    (wanted.capture.beside, wanted.capture.shadow) = (is_beside, is_beside);
    if let Some(global) = target {
        let to = global.join(PATTERN_FILE);
        if !settings.publish.targets.iter().any(|target| workspace.root().join(&target.to) == to) {
            wanted.publish.targets.push(Target { file: PATTERN_FILE.to_owned(), to });
        }
        wanted.publish.dialect = PatternDialect::ClosedLoop;
    }
    let changes =
        adopted_keys(&wanted).into_iter().zip(adopted_keys(&settings)).filter(|(new, old)| new != old).map(|(new, _)| new);
    let mut text = before.to_owned();
    for (name, value) in changes {
        let edited =
            SettingKey::parse(name).zip(SettingValue::parse(&value)).and_then(|(key, value)| set_setting(&text, &key, &value));
        text = edited.ok_or_else(|| {
            let what = format!("`{name}` cannot be set here without touching other settings");
            Diagnostic::edit(what, format!("set `{name} = {value}` by hand, then adopt again")).at(&workspace.settings())
        })?;
    }
    parse_settings(&text).map_err(|fault| fault.at(&workspace.settings()))?;
    Ok(text)
}

/// The keys that adopting sets, as a person would write them.
fn adopted_keys(settings: &Settings) -> Vec<(&'static str, String)> {
    let path = |path: &Path| toml_text(&path.to_string_lossy());
    let workdirs: Vec<String> = settings.capture.workdirs.iter().map(|work| path(work)).collect();
    let target = |target: &Target| format!("{{ file = {}, to = {} }}", toml_text(&target.file), path(&target.to));
    let targets: Vec<String> = settings.publish.targets.iter().map(target).collect();
    let dialect = if settings.publish.dialect == PatternDialect::ClosedLoop { "closedloop" } else { "toon" };
    vec![
        ("capture.workdirs", format!("[{}]", workdirs.join(", "))),
        ("capture.follow", settings.capture.follow.to_string()),
        ("capture.beside", settings.capture.beside.to_string()),
        ("capture.shadow", settings.capture.shadow.to_string()),
        ("publish.targets", format!("[{}]", targets.join(", "))),
        ("publish.dialect", toml_text(dialect)),
    ]
}

fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn shown(path: &Path) -> String {
    plain_text(&path.display().to_string(), 200)
}
