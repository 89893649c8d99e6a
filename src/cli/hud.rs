//! `outerloop hud`: what was learned, in a line for an agent's status line. Whatever goes wrong, it shows nothing of it.

use std::env;
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::{Printer, Tone};
use crate::args::{OutputArgs, PlaceArgs};
use agent::artifact::{Present, find_root};
use agent::iteration::name_project;
use render::{Notice, Notices, Severity, Tally, capacity_line, read_briefs};
use setting::OBSERVATION_FILE;
use store::durable;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::Exit;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
For the status line of an agent's host. It takes milliseconds and loads no engine; on any error it
prints nothing and exits with 0.

  outerloop hud                                    Learning: 2 workflows, 1 skill  ⚠ 1 needs review
  outerloop hud --color always                     for a status line that shows colors")]
#[command(mut_arg("project", |project| project.env("OUTERLOOP_PROJECT")))]
pub struct HudArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// No file of notices is larger.
const MOST_BYTES: u64 = 1 << 20;

/// Prints the line, and one more if a knowledge file fills up.
pub(crate) fn run(root: Option<PathBuf>, options: &HudArgs, printer: &Printer) -> Exit {
    if let Some((tally, notice)) = look(root, options) {
        // A status line that is closed needs no text.
        let _ = lines(&tally, notice.as_ref(), options.output.json, printer).iter().try_for_each(|line| printer.line(line));
    }
    Exit::Done
}

fn look(root: Option<PathBuf>, options: &HudArgs) -> Option<(Tally, Option<Notice>)> {
    let here = || {
        env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|folder| folder.is_dir()).or_else(|| env::current_dir().ok())
    };
    let told = options.place.folder.clone().or_else(here);
    let workspace = match root {
        Some(root) => Workspace::at(std::path::absolute(root).ok()?),
        None => Workspace::nearest(told.as_deref()?),
    };
    let settings = load_settings(&workspace).ok()?;
    let folder = options.place.folder.clone().unwrap_or_else(|| find_root(workspace.root(), &settings.artifact));
    let project = options.place.project.name.clone().unwrap_or_else(|| name_project(&workspace, &settings, &folder));
    let tally = || {
        let table = durable::open_regular(&workspace.current().join(OBSERVATION_FILE)).ok()?;
        let mut briefs = read_briefs(table, &project).ok()?;
        let present = Present::load(&folder);
        for brief in &mut briefs {
            let now = present.status_of(&brief.id, brief.status, brief.ready_at.as_deref());
            brief.status = now.map_or(brief.status, |(status, _)| status);
        }
        Some(Tally::of(&briefs))
    };
    let notice = || {
        let mut bytes = Vec::new();
        durable::open_regular(&folder.join(".memory/.notifications.json")).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        Notices::parse(&bytes).ok()?.open().into_iter().next()
    };
    Some((tally().unwrap_or_default(), notice()))
}

fn lines(tally: &Tally, notice: Option<&Notice>, as_json: bool, printer: &Printer) -> Vec<String> {
    if as_json {
        let capacity = notice.map(|notice| {
            let severity = notice.severity.name();
            json!({"file": notice.file, "count": notice.count, "ceiling": notice.ceiling, "severity": severity})
        });
        let Tally { workflows, skills, decisions, pitfalls, review } = tally;
        let counts = json!({"workflows": workflows, "skills": skills, "decisions": decisions, "pitfalls": pitfalls});
        return vec![json!({"created": counts, "need_review": review, "capacity": capacity}).to_string()];
    }
    let created = tally.created().map(|created| printer.toned(Tone::Dim, &format!("Learning: {created}")));
    let waiting = tally.waiting().map(|waiting| printer.toned(Tone::Warning, &waiting));
    let learning = match (created, waiting) {
        (Some(created), Some(waiting)) => Some(format!("{created}  {waiting}")),
        (None, Some(waiting)) => Some(format!("{} {waiting}", printer.toned(Tone::Dim, "Learning:"))),
        (created, None) => created,
    };
    let capacity = notice.map(|notice| {
        let tone = match notice.severity {
            Severity::Dim => Tone::Dim,
            Severity::Warning => Tone::Warning,
            Severity::Error => Tone::Bad,
        };
        printer.toned(tone, &capacity_line(notice))
    });
    learning.into_iter().chain(capacity).collect()
}
