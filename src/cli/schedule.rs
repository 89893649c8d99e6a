//! `outerloop schedule`: systemd or cron starts the jobs.

mod cron;
mod systemd;

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand};

use super::args::OutputArgs;
use super::printer::Printer;
use super::require;
use store::job::{Place, scheduled_jobs};
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A line of a job's file sets its schedule: schedule = \"hourly\", \"daily\" or \"weekly\".
Each workspace has its own units or crontab lines, so workspaces do not conflict.

  outerloop schedule print --systemd            preview the units
  outerloop schedule install --systemd          write the units and start the timers
  systemctl --user list-timers 'outerloop-*'    when each job starts next
  outerloop schedule install --cron             add a block to the crontab, and leave the rest
  outerloop schedule remove --cron              remove exactly that block")]
pub struct ScheduleArgs {
    /// What to do with the schedule
    #[command(subcommand)]
    action: ScheduleAction,
}

/// What to do with the schedule.
#[derive(Debug, Subcommand)]
enum ScheduleAction {
    /// Schedule the jobs with systemd or cron; repeat after changing a schedule or moving the program
    Install(ScheduleOptions),
    /// Remove what `install` wrote for this workspace, and nothing else
    Remove(ScheduleOptions),
    /// Print what `install` would write, without writing it
    Print(ScheduleOptions),
}

/// Options of every action.
#[derive(Debug, Clone, Copy, ClapArgs)]
struct ScheduleOptions {
    /// Timers of your own systemd, in ~/.config/systemd/user [default where there is a systemctl]
    #[arg(long, conflicts_with = "cron")]
    systemd: bool,
    /// Lines in your crontab [default elsewhere]
    #[arg(long)]
    cron: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Systemd,
    Cron,
}

/// Schedules the jobs of a workspace, or takes that back.
pub(crate) fn run(workspace: &Workspace, options: &ScheduleArgs, printer: &Printer) -> Outcome<Exit> {
    match options.action {
        ScheduleAction::Install(options) => {
            require(workspace)?;
            let (targets, jobs) = (target_folders(workspace)?, scheduled_jobs(workspace)?);
            let place = find_place(workspace, &targets)?;
            match choose(options, printer) {
                Method::Systemd => {
                    systemd::install(&place, &jobs, options.output.json, printer)?;
                    note_missing(&targets, printer);
                }
                Method::Cron => cron::install(&place, &jobs, options.output.json, printer)?,
            }
        }
        ScheduleAction::Print(options) => {
            require(workspace)?;
            let place = find_place(workspace, &target_folders(workspace)?)?;
            let jobs = scheduled_jobs(workspace)?;
            match choose(options, printer) {
                Method::Systemd => systemd::print(&place, &jobs, options.output.json, printer)?,
                Method::Cron => cron::print(&place, &jobs, options.output.json, printer)?,
            }
        }
        // Neither workspace nor settings are needed: what was scheduled can be taken back after they are gone.
        ScheduleAction::Remove(options) => {
            let place = find_place(workspace, &[])?;
            match choose(options, printer) {
                Method::Systemd => systemd::remove(&place, options.output.json, printer)?,
                Method::Cron => cron::remove(&place, options.output.json, printer)?,
            }
        }
    }
    Ok(Exit::Done)
}

fn choose(options: ScheduleOptions, printer: &Printer) -> Method {
    if options.systemd {
        return Method::Systemd;
    }
    if options.cron {
        return Method::Cron;
    }
    let (method, reason) = if is_on_path("systemctl") {
        (Method::Systemd, "using systemd, because systemctl was found; --cron selects cron")
    } else {
        (Method::Cron, "using cron, because systemctl was not found; --systemd selects systemd")
    };
    printer.note(reason);
    method
}

/// Whether a program is found by its name alone.
pub(super) fn is_on_path(program: &str) -> bool {
    let is_program = |path: PathBuf| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| is_program(folder.join(program))))
}

fn find_place(workspace: &Workspace, targets: &[PathBuf]) -> Outcome<Place> {
    let program = env::current_exe().map_err(|error| {
        Diagnostic::edit("cannot find the path of this program", "start it by its absolute path").because(error)
    })?;
    Place::parse(&program, &settled(workspace.root()), targets)
}

/// The folders outside of the workspace that jobs write to: those of copies and of figures for monitoring.
fn target_folders(workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
    let settings = load_settings(workspace)?;
    let root = settled(workspace.root());
    let files = settings.publish.targets.iter().map(|target| &target.to).chain(&settings.metrics.file);
    let folders = files.filter_map(|file| root.join(file).parent().map(settled));
    let mut folders: Vec<PathBuf> = folders.filter(|folder| !folder.starts_with(&root)).collect();
    folders.sort_unstable();
    folders.dedup();
    Ok(folders)
}

fn note_missing(targets: &[PathBuf], printer: &Printer) {
    for folder in targets.iter().filter(|folder| !folder.is_dir()) {
        let why = "the settings write into it, and a job under systemd may not create it";
        printer.note(&format!("create the folder {}: {why}", folder.display()));
    }
}

/// A path without links and detours, so that one workspace has one name, even after it is gone.
fn settled(path: &Path) -> PathBuf {
    let from_parent = || Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(from_parent).unwrap_or_else(|| path.to_path_buf())
}
