//! `outerloop import codekit`: the files of a project, each of which is read, derived or none of the other system's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, mem};

use super::super::args::ImportCodekitArgs;
use super::super::printer::Printer;
use super::{Import, Mode, Part, choose_project, leads_out, load, plain_path};
use agent::import::codekit::{Gathered, Gathering, Repeats, Source};
use event::Latest;
use store::clock;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The folder of single outcomes, inside of the folder of what was learned.
const OUTCOMES: &str = "outcomes";
/// The log of the memory graph, inside of the folder of what was learned.
const GRAPH: &str = "memory/graph-events.jsonl";
/// The folders of what is derived, inside of the folder of what was learned.
const DERIVED: [&str; 5] = ["agents", "skills", "policies", "reports", "memory"];

/// Imports a project, or a part of one.
pub(super) fn run(workspace: &Workspace, options: &ImportCodekitArgs, printer: &Printer) -> Outcome<Exit> {
    let path = fs::canonicalize(&options.path).map_err(|error| Diagnostic::io("cannot import this", &options.path, &error))?;
    let root = root_of(&path);
    let project = choose_project(workspace, options.project.as_deref(), &root)?;
    let mut layout = Layout::find(&path)?;
    layout.leave_out_links(&root);
    if layout.sources.is_empty() && layout.outside.is_empty() {
        return Err(Diagnostic::edit(
            "no Code Kit Ultra outcomes found here",
            "name a project's folder that holds .ck/learning/outcomes/, .codekit/learning/learning-store.json or outcomes.jsonl",
        )
        .at(&options.path));
    }
    let repeats = if options.replace || load_settings(workspace)?.run.replace { Repeats::Last } else { Repeats::First };
    let import = load_all(layout, &root, &project, repeats)?;
    let mode = Mode { is_dry: options.dry_run, as_json: options.json };
    import.finish(workspace, &root, &project, mode, printer)
}

/// The project's folder: the one that holds the other system's folders.
fn root_of(path: &Path) -> PathBuf {
    let holder = path.ancestors().find(|folder| is_own(Some(folder))).and_then(Path::parent);
    let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    holder.unwrap_or(folder).to_path_buf()
}

/// Whether a folder is called as those of the other system are.
fn is_own(folder: Option<&Path>) -> bool {
    folder.and_then(Path::file_name).is_some_and(|name| name == ".ck" || name == ".codekit")
}

fn load_all(layout: Layout, root: &Path, project: &str, repeats: Repeats) -> Outcome<Import> {
    let mut gathering = Gathering::new(project, Latest::from_clock(clock::now().as_microsecond()), repeats);
    // A run's time must not depend on which of the folders was named.
    let beside = layout.learning.iter().cloned().chain([root.join(".ck/learning")]).collect::<BTreeSet<_>>();
    for folder in beside {
        let graph = folder.join(GRAPH);
        if is_plain_file(&graph)
            && !leads_out(&graph, root)
            && let Some((bytes, _)) = load(&graph)?
        {
            gathering.read_graph(&bytes);
        }
    }
    let mut read = Vec::new();
    for (source, path) in layout.sources {
        let Some((bytes, modified)) = load(&path)? else { continue };
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        gathering.read(source, &name, &bytes, modified);
        read.push((source, path));
    }
    let Gathered { files, order } = gathering.finish();
    let parts = read.into_iter().zip(files).map(|((source, path), imported)| {
        let folder = path.parent().filter(|_| source == Source::Governance).map(|folder| plain_path(&folder.join("*.json")));
        let part = Part::new(path, imported);
        Part { shown: folder.unwrap_or_else(|| part.shown.clone()), ..part }
    });
    Ok(Import {
        parts: parts.collect(),
        order,
        derived: layout.derived,
        unknown: layout.unknown,
        outside: layout.outside,
        runs_of: Some(project.to_owned()),
        ..Import::default()
    })
}

/// What every file is.
#[derive(Default)]
struct Layout {
    /// The files to read.
    sources: Vec<(Source, PathBuf)>,
    derived: Vec<PathBuf>,
    unknown: Vec<PathBuf>,
    /// Links to files outside of the project.
    outside: Vec<PathBuf>,
    learning: Vec<PathBuf>,
}

impl Layout {
    fn find(path: &Path) -> Outcome<Self> {
        let mut layout = Self::default();
        if path.is_file() {
            layout.add_named(path);
            return Ok(layout);
        }
        let folders = [path.join(".ck/learning"), path.join(".codekit/learning")];
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            layout.walk(folder, folder)?;
        }
        for (source, name) in [(Source::Store, "learning-store.json"), (Source::Log, "outcomes.jsonl")] {
            let file = path.join(name);
            if is_plain_file(&file) {
                layout.sources.push((source, file));
            }
        }
        if layout.learning.is_empty() {
            layout.find_inside(path)?;
        }
        layout.sources.sort_by(|(one, one_path), (other, other_path)| (rank(*one), one_path).cmp(&(rank(*other), other_path)));
        layout.sources.dedup();
        Ok(layout)
    }

    fn leave_out_links(&mut self, root: &Path) {
        let (outside, sources) = mem::take(&mut self.sources).into_iter().partition(|(_, path)| leads_out(path, root));
        self.sources = sources;
        self.outside.extend(Vec::into_iter(outside).map(|(_, path)| path));
        self.outside.extend(self.learning.iter().map(|folder| folder.join(GRAPH)).filter(|graph| leads_out(graph, root)));
    }

    /// The files of a folder that is itself one of the other system's.
    fn find_inside(&mut self, path: &Path) -> Outcome<()> {
        match path.file_name().and_then(|name| name.to_str()) {
            _ if is_own(Some(path)) && path.join("learning").is_dir() => self.walk(&path.join("learning"), &path.join("learning")),
            // A project may be called so as well, and hold a million other files.
            Some("learning") if path.join(OUTCOMES).is_dir() || is_own(path.parent()) => self.walk(path, path),
            Some(OUTCOMES) => self.walk(path.parent().unwrap_or(path), path),
            _ => Ok(()),
        }
    }

    /// Sorts out all files below a folder, which is a folder of what was learned or inside of one. Links to folders are not
    /// followed: they could lead anywhere, and round in circles.
    fn walk(&mut self, learning: &Path, start: &Path) -> Outcome<()> {
        self.learning.push(learning.to_path_buf());
        let mut folders = vec![start.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let failed = |error| Diagnostic::io("cannot list a folder to import", &folder, &error);
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else {
                    self.add(learning, path);
                }
            }
        }
        self.derived.sort_unstable();
        self.unknown.sort_unstable();
        Ok(())
    }

    fn add(&mut self, learning: &Path, path: PathBuf) {
        let inside = path.strip_prefix(learning).unwrap_or(&path);
        let folder = inside.parent().and_then(|folder| folder.iter().next()).and_then(|folder| folder.to_str());
        let name = path.file_name().and_then(|name| name.to_str());
        let source = match (folder, name) {
            _ if !is_plain_file(&path) => None,
            (Some(OUTCOMES), _) if path.extension().is_some_and(|ending| ending == "json") => Some(Source::Governance),
            (None, Some("learning-store.json")) => Some(Source::Store),
            (None, Some("outcomes.jsonl")) => Some(Source::Log),
            (Some(folder), _) if DERIVED.contains(&folder) => return self.derived.push(path),
            _ => None,
        };
        match source {
            Some(source) => self.sources.push((source, path)),
            None => self.unknown.push(path),
        }
    }

    /// A file that was named itself is what its place says, else what it holds.
    fn add_named(&mut self, path: &Path) {
        let folder = path.ancestors().skip(1).find(|folder| folder.file_name().is_some_and(|name| name == OUTCOMES));
        let source = match (path.file_name().and_then(|name| name.to_str()), path.extension()) {
            (_, Some(ending)) if ending == "jsonl" => Source::Log,
            (_, _) if folder.is_some() => Source::Governance,
            (Some("learning-store.json"), _) => Source::Store,
            _ => Source::Named,
        };
        self.learning.extend(folder.and_then(Path::parent).map(Path::to_path_buf));
        self.sources.push((source, path.to_path_buf()));
    }
}

/// Files of one kind are shown together.
const fn rank(source: Source) -> u8 {
    match source {
        Source::Governance => 0,
        Source::Store => 1,
        Source::Log => 2,
        Source::Named => 3,
    }
}

/// Whether there are bytes to read: a pipe would never end.
fn is_plain_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}
