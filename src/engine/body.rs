//! The files of `sql/`: embedded in the program; a workspace may put its own in their place, and beside them.

use std::path::Path;
use std::{fs, io};

use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

use crate::graph::{Graph, Source, parse_graph};
use crate::table::declared_tables;

macro_rules! embed {
    ($($stem:literal)+) => { [$(($stem, include_str!(concat!("../../sql/", $stem, ".sql")))),+] };
}

const PRELUDE: (&str, &str) = ("prelude/duckdb", include_str!("../../sql/prelude/duckdb.sql"));

/// Every body, by its path below `sql/`.
const BODIES: [(&str, &str); 88] = embed! {
    "alike" "decision" "explanation" "finding" "goal_pattern" "goal_run" "holding" "latest_summary" "lesson" "logged_coin" "outcome" "pending"
    "recent_timing" "refusal" "rejection" "subject" "task"
    "audit/application" "audit/count" "audit/flag" "audit/observation" "audit/pattern_id" "audit/rate"
    "compat/iteration" "compat/outcome"
    "merge/evidence" "merge/iteration" "rollup/evidence" "rollup/iteration"
    "observation/artifact" "observation/decision" "observation/explanation" "observation/sighting"
    "past/explanation" "week/adapter" "week/goal" "week/run"
    "policy/adapter" "policy/agent" "policy/agent_step" "policy/correction" "policy/curation" "policy/explanation" "policy/failure"
    "policy/gate" "policy/project" "policy/recent" "policy/recent_decision" "policy/recovery" "policy/refusal" "policy/refused" "policy/run"
    "policy/run_adapter" "policy/since" "policy/skill" "policy/strictest" "policy/suggestion" "policy/threshold_step" "policy/total"
    "policy/unreported"
    "prune/application" "prune/coin" "prune/exposure" "prune/iteration" "prune/reach" "prune/task" "prune/use"
    "role/agreement" "role/decision" "role/deliberation" "role/ending" "role/exposure" "role/moment" "role/similarity"
    "role/standing" "role/verdict"
    "table/outcome" "table/run_adapter"
    "truth/baseline" "truth/cell" "truth/drawn" "truth/explanation" "truth/holding" "truth/later_outcome" "truth/limit" "truth/run_outcome"
    "truth/run_unit" "truth/unit_outcome"
};

/// Files that had another name in earlier versions: one that a workspace still has would silently count for nothing.
const RENAMED: [(&str, &str); 7] = [
    ("past/application", "prune/application"),
    ("past/exposure", "prune/exposure"),
    ("past/iteration", "prune/iteration"),
    ("past/reach", "prune/reach"),
    ("past/use", "prune/use"),
    ("summary", "latest_summary"),
    ("timing", "recent_timing"),
];

/// The graph of the program's own files.
pub fn shipped_graph() -> Outcome<Graph> {
    parse_graph(&declared_tables(), shipped(PRELUDE), BODIES.into_iter().map(shipped).collect(), None)
}

/// The graph with the workspace's own files in the place of the program's. Files that make nothing, because they are an analyst's
/// queries, are left out. Whether the engine can run them is tried by `try_own`.
pub fn load_graph(workspace: &Workspace) -> Outcome<Graph> {
    let mut sources: Vec<Source> = BODIES.into_iter().chain([PRELUDE]).map(shipped).collect();
    let folder = workspace.queries();
    let own = load_own(&folder, &folder)?;
    if own.is_empty() {
        return shipped_graph();
    }
    for own in own {
        if let Some((_, name)) = RENAMED.iter().find(|(old, _)| *old == own.stem) {
            return Err(Diagnostic::edit(
                format!("the query `sql/{}.sql` has another name in this version", own.stem),
                format!(
                    "rename the workspace's own file to `sql/{name}.sql` and compare it with `outerloop sql show {}`",
                    name.replace('/', "_")
                ),
            )
            .at(Path::new(&own.place())));
        }
        match sources.iter_mut().find(|source| source.stem == own.stem) {
            Some(source) => *source = own,
            None if own.text.lines().any(|line| line.starts_with("-- Makes:")) => sources.push(own),
            None => {}
        }
    }
    let place = sources.iter().position(|source| source.stem == PRELUDE.0);
    let prelude = place.map_or_else(|| shipped(PRELUDE), |place| sources.swap_remove(place));
    parse_graph(&declared_tables(), prelude, sources, Some(&shipped_graph()?))
}

fn shipped((stem, text): (&str, &str)) -> Source {
    Source { stem: stem.to_owned(), text: text.to_owned(), own: None }
}

/// The SQL files below a folder, by name.
fn load_own(root: &Path, folder: &Path) -> Outcome<Vec<Source>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Diagnostic::io("cannot list the workspace's own queries", folder, &error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|error| Diagnostic::io("cannot list the workspace's own queries", folder, &error))?.path());
    }
    paths.sort();
    let mut own = Vec::new();
    for path in paths {
        if path.is_dir() {
            own.extend(load_own(root, &path)?);
        } else if path.extension().is_some_and(|ending| ending == "sql") {
            let text = fs::read_to_string(&path).map_err(|error| Diagnostic::io("cannot read the query", &path, &error))?;
            let stem = path.strip_prefix(root).unwrap_or(&path).with_extension("").to_string_lossy().replace('\\', "/");
            // Some editors put a mark before the first line; no reader of SQL wants it.
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
            own.push(Source { stem, text, own: Some(path.display().to_string()) });
        }
    }
    Ok(own)
}
