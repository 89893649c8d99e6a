//! `outerloop push` and `outerloop pull`: the patterns of an organisation.

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use super::require;
use crate::args::{OutputArgs, ProjectArgs, current_user};
use agent::iteration::name_folder;
use agent::published::load_scores;
use agent::share;
use agent::share::{Local, Place, Pulled, Pushed, Recipient, Remark, SharedPattern};
use render::plain_text;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::publish::load_current;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Patterns are shared through a folder or a git repository. CLAUDE_ORG_ID names the organisation;
patterns of another one are refused. Every entry is signed with the workspace's key, and says which
project it comes from.

  CLAUDE_ORG_ID=acme outerloop push --at /srv/learnings
  CLAUDE_ORG_ID=acme outerloop pull --at git@example.org:team/learnings.git")]
#[command(mut_arg("project", |project| {
    project.help("The name of this project in the shared place [default: the setting `project`, else the git repository]")
}))]
pub struct ShareArgs {
    /// The folder or git repository [default: the setting `share.at`]
    #[arg(long, value_name = "PLACE")]
    at: Option<String>,
    /// The branch of the repository [default: the setting `share.branch`, else its own]
    #[arg(long)]
    branch: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
    /// The organisation
    #[arg(long, env = "CLAUDE_ORG_ID", value_name = "NAME")]
    org: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// How many remarks are shown to people; `--json` lists all.
const SHOWN: usize = 10;

/// What both directions need.
struct Errand {
    settings: Settings,
    place: Place,
    branch: Option<String>,
    org: String,
    project: String,
}

impl Errand {
    fn new(workspace: &Workspace, options: &ShareArgs) -> Outcome<Self> {
        require(workspace)?;
        let settings = load_settings(workspace)?;
        let org = options.org.clone().filter(|org| !org.trim().is_empty()).ok_or_else(|| {
            Diagnostic::edit("no organisation is named", "set CLAUDE_ORG_ID, or name it with --org: patterns are shared within one")
        })?;
        let place = match (&options.at, &settings.share.at) {
            (Some(at), _) => Place::parse(at)?,
            // Settings mean the same wherever a command is run.
            (None, Some(at)) => Place::parse_from(at, workspace.root())?,
            (None, None) => {
                let remedy = "name a folder or a git repository with --at or the setting `share.at`";
                return Err(Diagnostic::edit("no shared place is configured", remedy));
            }
        };
        Ok(Self {
            place,
            branch: options.branch.clone().or_else(|| settings.share.branch.clone()),
            project: options.project.name.clone().unwrap_or_else(|| own_name(workspace, &settings)),
            org,
            settings,
        })
    }
}

/// The project that the workspace stands in, as everything else names it.
fn own_name(workspace: &Workspace, settings: &Settings) -> String {
    name_folder(workspace, settings, workspace.root().parent().unwrap_or(workspace.root()))
}

/// Shares this project's patterns.
pub(crate) fn push(workspace: &Workspace, options: &ShareArgs, printer: &Printer) -> Outcome<Exit> {
    let errand = Errand::new(workspace, options)?;
    let generation =
        load_current(workspace)?.ok_or_else(|| Diagnostic::edit("nothing is published yet", "run `outerloop run hourly` first"))?;
    let scores = load_scores(&generation)?;
    let patterns = scores.iter().filter(|score| score.is_in_use()).map(SharedPattern::from).collect();
    let by = current_user();
    let local = Local { org_id: &errand.org, project: &errand.project, pushed_by: &by, now: clock::now(), patterns };
    let pushed = share::push(workspace, &errand.place, errand.branch.as_deref(), &local)?;
    tell_push(&pushed, &errand, options.output.json, printer)?;
    Ok(Exit::Done)
}

fn tell_push(pushed: &Pushed, errand: &Errand, as_json: bool, printer: &Printer) -> Outcome<()> {
    let Pushed { added, updated, unchanged, older, renumbered, withheld, untried, odd, attempts } = pushed;
    if as_json {
        let text = json!({"added": added, "updated": updated, "unchanged": unchanged, "older": older, "renumbered": renumbered,
            "withheld": {"flagged": withheld.flagged, "about_the_tool": withheld.about_the_tool, "blank": withheld.blank,
            "duplicate": withheld.duplicate}, "untried": untried, "odd": odd.iter().map(remark_json).collect::<Vec<_>>(), "attempts": attempts});
        printer.line(&text.to_string())?;
    }
    printer.note(&format!(
        "push to {}: {added} added, {updated} updated, {unchanged} unchanged, {older} newer remotely; {} not shared, {untried} passed on untried with their source",
        plain_text(&errand.place.describe(), 200),
        withheld.flagged + withheld.about_the_tool + withheld.blank + withheld.duplicate
    ));
    for (own, shared) in renumbered.iter().take(SHOWN) {
        printer.note(&format!("{own} is {shared} in the shared place: its number was in use"));
    }
    tell_remarks(odd, printer);
    Ok(())
}

/// Takes what other projects share.
pub(crate) fn pull(workspace: &Workspace, options: &ShareArgs, printer: &Printer) -> Outcome<Exit> {
    let errand = Errand::new(workspace, options)?;
    let recipient = Recipient {
        org_id: &errand.org,
        project: &errand.project,
        known_as: None,
        trusted_keys: &errand.settings.share.trusted_keys,
        take_unsigned: errand.settings.share.take_unsigned,
        most_characters: errand.settings.capture.most_characters,
        now: clock::now(),
    };
    let pulled = share::pull(workspace, &errand.place, errand.branch.as_deref(), &recipient)?;
    let mut recorder = Recorder::new(workspace)?;
    let mut refused = 0;
    for line in &pulled.lines {
        if let Err(rejection) = recorder.take_line(line) {
            refused += 1;
            printer.note(&format!("a shared pattern is refused: {rejection}"));
        }
    }
    recorder.land()?;
    tell_pull(&pulled, &errand, options.output.json, printer)?;
    Ok(if pulled.refused.is_empty() && refused == 0 { Exit::Done } else { Exit::Refused })
}

fn tell_pull(pulled: &Pulled, errand: &Errand, as_json: bool, printer: &Printer) -> Outcome<()> {
    let Pulled { lines, echoes, refused, repaired, set_aside } = pulled;
    if as_json {
        let all = |remarks: &[Remark]| remarks.iter().map(remark_json).collect::<Vec<_>>();
        let text = json!({"taken": lines.len(), "echoes": echoes, "refused": all(refused), "repaired": all(repaired),
            "set_aside": all(set_aside)});
        printer.line(&text.to_string())?;
    }
    printer.note(&format!(
        "pull from {}: {} patterns imported, {echoes} of our own, {} refused, {} superseded; they take effect with the next run",
        plain_text(&errand.place.describe(), 200),
        lines.len(),
        refused.len(),
        set_aside.len()
    ));
    tell_remarks(refused, printer);
    Ok(())
}

fn tell_remarks(remarks: &[Remark], printer: &Printer) {
    for remark in remarks.iter().take(SHOWN) {
        printer.note(&format!("{}: {}", plain_text(&remark.id, 40), plain_text(&remark.reason, 300)));
    }
    if remarks.len() > SHOWN {
        printer.note(&format!("{} more; `--json` lists all", remarks.len() - SHOWN));
    }
}

fn remark_json(remark: &Remark) -> serde_json::Value {
    json!({"id": remark.id, "reason": remark.reason, "is_refused": remark.is_refused})
}
