//! Whether what a step names exists in the repository: files, scripts, and the targets of `make`, `just`, `mise`, and package managers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::stale::Files;
use learn::observation::ObservationScore;
use render::artifact::{Doubt, Topic, find_references};

/// No file of targets that is looked into is longer.
const MOST_BYTES: u64 = 1 << 20;
/// Files of targets in more folders than these tell nothing about one of them.
const MOST_FILES: usize = 50;

/// Who runs targets that the repository defines: the program, the words behind which a target stands, and the files that define it.
static RUNNERS: [Runner; 8] = [
    Runner { program: "make", verbs: &[""], files: &["Makefile", "makefile", "GNUmakefile"], targets: make_targets },
    Runner { program: "just", verbs: &[""], files: &["justfile", "Justfile", ".justfile"], targets: just_targets },
    Runner { program: "mise", verbs: &["run", "r"], files: &["mise.toml", ".mise.toml"], targets: mise_targets },
    Runner { program: "task", verbs: &[""], files: &["Taskfile.yml", "Taskfile.yaml"], targets: task_targets },
    Runner { program: "npm", verbs: &["run", "run-script"], files: &["package.json"], targets: package_targets },
    Runner { program: "pnpm", verbs: &["run"], files: &["package.json"], targets: package_targets },
    Runner { program: "yarn", verbs: &["run"], files: &["package.json"], targets: package_targets },
    Runner { program: "bun", verbs: &["run"], files: &["package.json"], targets: package_targets },
];

struct Runner {
    program: &'static str,
    verbs: &'static [&'static str],
    files: &'static [&'static str],
    /// The targets of a file; none if it takes in others, so that nobody can say.
    targets: fn(&str) -> Option<BTreeSet<String>>,
}

/// What a project's files say about steps.
pub(super) struct Steps<'f> {
    files: Files<'f>,
    root: &'f Path,
}

/// The lines of an observation's details that name something that the folder around does not have.
#[must_use]
pub fn find_doubts(root: &Path, row: &ObservationScore) -> Vec<Doubt> {
    Steps::of(root).check(row)
}

impl<'f> Steps<'f> {
    pub(super) fn of(root: &'f Path) -> Self {
        Self { files: Files::of(root), root }
    }

    /// The lines that name something missing. Entries of knowledge files hold no steps, and a folder without files of its own is no
    /// repository that could tell.
    pub(super) fn check(&mut self, row: &ObservationScore) -> Vec<Doubt> {
        if Topic::of_type(row.observation_type).is_some() || !self.files.is_telling() {
            return Vec::new();
        }
        let lines = row.details.lines().enumerate();
        lines.flat_map(|(line, text)| self.doubts_of(text).into_iter().map(move |reason| Doubt { line, reason })).collect()
    }

    fn doubts_of(&mut self, line: &str) -> Vec<String> {
        let mut found: Vec<String> = commands_of(line).iter().filter_map(|command| self.missing_target(command)).collect();
        let references = find_references(line, &self.root.to_string_lossy());
        let missing = references.into_iter().filter(|reference| !self.files.has(reference));
        found.extend(missing.map(|reference| format!("there is no file `{}`", reference.path)));
        let mut told = BTreeSet::new();
        found.retain(|reason| told.insert(reason.clone()));
        found
    }

    /// The target or the script that a command names and nobody defines.
    fn missing_target(&mut self, command: &str) -> Option<String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let program = *words.first()?;
        if let Some(script) = program.strip_prefix("./") {
            let is_there = fs::symlink_metadata(self.root.join(script)).is_ok() || self.files.ends_with(script);
            return (!is_there).then(|| format!("there is no script `{program}`"));
        }
        let (runner, target) = target_of(&words)?;
        let paths: Vec<String> = runner.files.iter().flat_map(|file| self.files.named(file)).collect();
        if paths.is_empty() {
            return Some(format!("`{program}` has no {} here", runner.files[0]));
        }
        let place = if paths.len() == 1 { paths[0].clone() } else { format!("none of {} files {}", paths.len(), runner.files[0]) };
        (self.has_target(runner, target, &paths) == Some(false)).then(|| format!("{place} defines no `{target}`"))
    }

    /// Whether the repository has what a piece of code names: a file, a script, or a target.
    pub(super) fn defines(&mut self, code: &str) -> bool {
        let words: Vec<&str> = code.split_whitespace().collect();
        if let [word] = words[..] {
            let path = word.trim_start_matches("./").trim_end_matches('/');
            return !path.is_empty() && (fs::symlink_metadata(self.root.join(path)).is_ok() || self.files.ends_with(path));
        }
        target_of(&words).is_some_and(|(runner, target)| {
            let paths: Vec<String> = runner.files.iter().flat_map(|file| self.files.named(file)).collect();
            !paths.is_empty() && self.has_target(runner, target, &paths) == Some(true)
        })
    }

    /// Whether some file defines a target; none where nobody can say.
    fn has_target(&mut self, runner: &Runner, target: &str, paths: &[String]) -> Option<bool> {
        if runner.program == "mise" && self.files.has_below("tasks", target) {
            return Some(true);
        }
        if paths.len() > MOST_FILES {
            return None;
        }
        for path in paths {
            let path = self.files.top().join(path);
            let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= MOST_BYTES);
            // What cannot be read, or takes in other files, may define it.
            let targets = fs::read_to_string(&path).ok().filter(|_| is_small).and_then(|text| (runner.targets)(&text))?;
            if targets.contains(target) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Who runs a command's target, and which. What is run elsewhere, or with options in front, is not looked for.
fn target_of<'w>(words: &[&'w str]) -> Option<(&'static Runner, &'w str)> {
    let program = *words.first()?;
    let runner = RUNNERS.iter().find(|runner| runner.program == program)?;
    let target = match (runner.verbs, words.get(1..)?) {
        ([""], [target, ..]) => *target,
        (verbs, [verb, target, ..]) if verbs.contains(verb) => *target,
        (_, [target @ ("test" | "start"), ..]) if program == "npm" => *target,
        _ => return None,
    };
    let is_name = |letter: char| letter.is_alphanumeric() || "-_:./".contains(letter);
    (target.starts_with(|first: char| first.is_alphanumeric()) && target.chars().all(is_name)).then_some((runner, target))
}

/// The commands that a line names: in code, or in all of it.
fn commands_of(line: &str) -> Vec<String> {
    let spans: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    let bare = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ')' | '-' | '*' | ' '));
    // `make it pass` and `just push` are English as long as nothing marks them as code.
    let is_english = ["make ", "just ", "task "].iter().any(|word| bare.starts_with(word));
    let named = if spans.is_empty() && !is_english { vec![bare] } else { spans };
    let parts = named.iter().flat_map(|code| code.split([';', '|', '&', '\n']));
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn make_targets(text: &str) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("include ") || line.starts_with("-include ") || line.contains("$(eval") {
            return None;
        }
        let Some((names, behind)) = line.split_once(':').filter(|_| !line.starts_with(['\t', '#', ' '])) else { continue };
        // A pattern or a variable may stand for any name.
        if names.contains(['%', '$']) {
            return None;
        }
        if !behind.starts_with('=') && !names.contains('=') {
            found.extend(names.split_whitespace().map(str::to_owned));
        }
    }
    Some(found)
}

fn just_targets(text: &str) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("import ") || line.starts_with("mod ") {
            return None;
        }
        if let Some(alias) = line.strip_prefix("alias ") {
            found.extend(alias.split(":=").next().map(|name| name.trim().to_owned()));
        }
        let Some((head, behind)) = line.split_once(':').filter(|_| !line.starts_with([' ', '\t', '#', '['])) else { continue };
        if !behind.starts_with('=') {
            found.extend(head.split_whitespace().next().map(|name| name.trim_start_matches('@').to_owned()));
        }
    }
    Some(found)
}

fn mise_targets(text: &str) -> Option<BTreeSet<String>> {
    let table: toml::Table = toml::from_str(text).ok()?;
    if table.contains_key("task_config") {
        return None;
    }
    let Some(tasks) = table.get("tasks").and_then(toml::Value::as_table) else { return Some(BTreeSet::new()) };
    let alias = |task: &toml::Value| task.get("alias").and_then(toml::Value::as_str).map(str::to_owned);
    Some(tasks.iter().flat_map(|(name, task)| [Some(name.clone()), alias(task)]).flatten().collect())
}

fn task_targets(text: &str) -> Option<BTreeSet<String>> {
    if text.lines().any(|line| line.starts_with("includes:")) {
        return None;
    }
    let tasks = text.lines().skip_while(|line| line.trim_end() != "tasks:").skip(1);
    let tasks = tasks.take_while(|line| line.is_empty() || line.starts_with([' ', '#']));
    let names = tasks.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    Some(names.filter_map(|line| Some(line.trim().strip_suffix(':')?.trim_matches(['"', '\'']).to_owned())).collect())
}

fn package_targets(text: &str) -> Option<BTreeSet<String>> {
    let package: Value = serde_json::from_str(text).ok()?;
    let scripts = package.get("scripts").and_then(Value::as_object);
    Some(scripts.map(|scripts| scripts.keys().cloned().collect()).unwrap_or_default())
}
