//! `outerloop index`: what a project knows, one entry a line or one in full, and what agents say about it. Opens no engine.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use super::require;
use crate::args::{OutputArgs, ProjectArgs};
use agent::artifact::{Said, Tree, find_root, load_documents};
use agent::intake::{ArtifactOptions, cite_text};
use render::artifact::{Document, Section, Topic, anchor, make_index, render_index};
use render::plain_text;
use setting::Settings;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::{is_unprintable, replaced};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
An agent reads the list, opens entries that concern its task, and writes what it used:
`applies ADR-003`, `avoids PF-004`. --scan finds these words in its text; each counts once per
session.

  outerloop index                                  list active decisions and pitfalls, one per line
  outerloop index ADR-003                          the whole entry
  echo 'applies ADR-003' | outerloop index --scan --session s1

--scan never fails a pipeline: an error is one line on stderr.")]
#[command(mut_arg("project", |project| project.requires("scan")))]
pub struct IndexArgs {
    /// The entry to print in full
    #[arg(value_name = "ID", conflicts_with = "scan")]
    id: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Read an agent's text from stdin, and record what it cites and uses
    #[arg(long)]
    scan: bool,
    /// The session that the text belongs to
    #[arg(long, value_name = "ID", requires = "scan")]
    session: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The longest text that is scanned, in bytes.
const MOST_BYTES: u64 = 4 << 20;
/// How many entries are named to somebody who asks for one that does not exist.
const NAMED: usize = 5;

/// Lists the entries, prints one, or reads what an agent says about them.
pub(crate) fn run(workspace: &Workspace, options: &IndexArgs, printer: &Printer) -> Outcome<Exit> {
    if options.scan {
        // Inside of an agent's turn nothing stands in its way.
        match scan(workspace, options) {
            Ok(said) => tell_said(&said, options.output.json, printer)?,
            Err(fault) => printer.note(&format!("outerloop index --scan: {}", plain_text(&fault.in_a_line(), 1000))),
        }
        return Ok(Exit::Done);
    }
    let root = find_folder(workspace, options)?;
    let documents = load_documents(Tree::at(&root))?;
    match &options.id {
        Some(id) => show(&documents, id, options.output.json, printer),
        None => list(&documents, &root, options.output.json, printer),
    }
}

fn find_folder(workspace: &Workspace, options: &IndexArgs) -> Outcome<PathBuf> {
    let root = match &options.folder {
        Some(folder) => folder.clone(),
        None => find_root(workspace.root(), &load_settings(workspace)?.artifact),
    };
    Ok(std::path::absolute(&root).unwrap_or(root))
}

/// The list of entries for an agent that asks by a tool.
pub(crate) fn list_text(workspace: &Workspace, settings: &Settings, is_withheld: bool) -> Outcome<String> {
    let root = find_root(workspace.root(), &settings.artifact);
    let folder = plain_text(&root.display().to_string(), 400);
    Ok(render_index(&make_index(&documents_for(&root, is_withheld)?), folder.trim_end_matches('/')))
}

/// One entry for an agent that asks by a tool. The id is compared with those in the files, and never becomes part of a path.
pub(crate) fn entry_text(workspace: &Workspace, settings: &Settings, id: &str, is_withheld: bool) -> Outcome<String> {
    let documents = documents_for(&find_root(workspace.root(), &settings.artifact), is_withheld)?;
    let (document, section) = find(&documents, id)?;
    Ok(document.text_of(section).lines().map(shown).collect::<Vec<_>>().join("\n"))
}

/// The entries for an agent; none where its unit of work is shown nothing.
fn documents_for(root: &Path, is_withheld: bool) -> Outcome<Vec<Document>> {
    if is_withheld { Ok(Vec::new()) } else { load_documents(Tree::at(root)) }
}

fn list(documents: &[Document], root: &Path, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let index = make_index(documents);
    if as_json {
        let files: Vec<String> = Topic::ALL.iter().map(|topic| root.join(topic.path()).display().to_string()).collect();
        printer.line(&json!({"decisions": index.decisions, "pitfalls": index.pitfalls, "files": files}).to_string())?;
    } else {
        let folder = plain_text(&root.display().to_string(), 400);
        printer.bytes(render_index(&index, folder.trim_end_matches('/')).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn show(documents: &[Document], id: &str, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let (document, section) = find(documents, id)?;
    let text = document.text_of(section);
    if as_json {
        let value = json!({"id": section.anchor, "title": section.title, "status": section.status, "area": section.area,
            "date": section.date, "source": section.source, "text": text});
        printer.line(&value.to_string())?;
    } else {
        let lines: Vec<String> = text.lines().map(shown).collect();
        printer.line(&lines.join("\n"))?;
    }
    Ok(Exit::Done)
}

fn find<'d>(documents: &'d [Document], id: &str) -> Outcome<(&'d Document, &'d Section)> {
    let found = documents.iter().find_map(|document| {
        let section = document.sections().iter().find(|section| section.anchor == id)?;
        Some((document, section))
    });
    found.ok_or_else(|| unknown(documents, id))
}

/// A line as it is, but for what moves or hides others on a terminal.
fn shown(line: &str) -> String {
    replaced(line, |letter| letter != '\t' && is_unprintable(letter), ' ')
}

/// Says which entries come near to one that does not exist.
fn unknown(documents: &[Document], id: &str) -> Diagnostic {
    let known: Vec<&str> = documents.iter().flat_map(Document::sections).map(|section| &*section.anchor).collect();
    let remedy = match nearest(&known, id) {
        Some(near) => format!("did you mean `{near}`? `outerloop index` lists all entries"),
        None if known.is_empty() => "nothing was rendered here yet: `outerloop render`".to_owned(),
        None => format!(
            "the first are: {}; `outerloop index` lists all",
            known.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ")
        ),
    };
    Diagnostic::edit(format!("there is no entry `{}`", plain_text(id, 80).escape_default()), remedy)
}

/// The entry of the same number, however it is written, or else the one of the nearest number.
fn nearest<'k>(known: &[&'k str], id: &str) -> Option<&'k str> {
    let (prefix, digits) = id.split_at(id.find(|letter: char| letter.is_ascii_digit())?);
    let number: u64 = digits.parse().ok()?;
    let prefix = prefix.trim_end_matches(['-', '_', ' ']).to_ascii_uppercase();
    let topic = Topic::ALL.into_iter().find(|topic| topic.prefix() == prefix)?;
    let wanted = anchor(topic, number);
    let same = known.iter().copied().find(|anchor| *anchor == wanted);
    let of_topic =
        known.iter().copied().filter_map(|known| Some((Topic::of_anchor(known)?, known))).filter(|((other, _), _)| *other == topic);
    same.or_else(|| of_topic.min_by_key(|((_, other), _)| other.abs_diff(number)).map(|(_, known)| known))
}

fn scan(workspace: &Workspace, options: &IndexArgs) -> Outcome<Said> {
    require(workspace)?;
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| Diagnostic::io("cannot read the text", Path::new("stdin"), &error))?;
    let settings = load_settings(workspace)?;
    let found = ArtifactOptions {
        settings: &settings,
        folder: options.folder.as_deref(),
        project: options.project.name.as_deref(),
        is_dry: false,
        now: None,
    };
    cite_text(workspace, found, &String::from_utf8_lossy(&bytes), options.session.as_deref())
}

fn tell_said(said: &Said, as_json: bool, printer: &Printer) -> Outcome<()> {
    if as_json {
        return printer.line(&json!({"cited": said.cited, "used": said.used}).to_string());
    }
    for what in said.cited.iter().chain(&said.used) {
        printer.line(&plain_text(what, 400))?;
    }
    Ok(())
}
