//! Where a hook stands: which run, which iteration, which folders. Told by the environment, by the files of the other system's
//! runs, or else by the session itself.

use std::collections::HashMap;
use std::env;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::payload::Payload;
use crate::goal::load_goals;
use crate::iteration::{Turn, learnings_of, name_project};
use crate::repository::name_around;
use setting::Settings;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::Outcome;
use text::fit;

/// No file that is looked into is longer.
const MOST_BYTES: u64 = 64 << 10;

/// Where a hook stands.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The run and its iteration, at the instant of the hook.
    pub turn: Turn,
    /// The session.
    pub session: String,
    /// The folder that the session works in.
    pub folder: PathBuf,
    /// The folder of the run, where lessons are left.
    pub work: PathBuf,
    /// The task, where one is named.
    pub unit: Option<String>,
    /// Whether learning is switched off for the run.
    pub is_off: bool,
    /// Whether anybody has said which run this is.
    is_known: bool,
    goal: Option<String>,
}

impl Situation {
    /// Finds out where a hook stands.
    #[must_use]
    pub fn find(workspace: &Workspace, settings: &Settings, payload: &Payload, folder: PathBuf, now: Timestamp) -> Self {
        let known = payload.session().and_then(fit::name);
        let session = known.clone().unwrap_or_else(|| "unknown".to_owned());
        let work = find_work(payload, &folder);
        let told = Told::load(&work);
        let run_id = told.get(&["OUTERLOOP_RUN_ID", "CLOSEDLOOP_RUN_ID"]).and_then(|run| fit::name(&run));
        let is_known = run_id.is_some() || known.is_some();
        let run_id = run_id.unwrap_or_else(|| session.clone());
        let unit = told.unit().or_else(|| fit::label(payload.unit()?));
        let iteration = told.get(&["OUTERLOOP_ITERATION", "CLOSEDLOOP_ITERATION"]).and_then(|text| parse_count(&text));
        // Outside of a loop there is one turn, and the original calls it 0.
        let iteration = iteration.or_else(|| current_iteration(&work, &run_id)).unwrap_or(0);
        let project = told.get(&["OUTERLOOP_PROJECT"]).and_then(|project| fit::name(&project));
        let own = || fit::name(&name_project(workspace, settings, &work)).unwrap_or_else(|| "default".to_owned());
        let project = project.unwrap_or_else(own);
        let is_off = told.get(&["OUTERLOOP_LEARNING"]).is_some_and(|word| is_no(&word));
        let goal = told.get(&["OUTERLOOP_GOAL", "CLOSEDLOOP_ACTIVE_GOAL"]);
        let turn = Turn { project, run_id, iteration: Some(iteration), time: now };
        Self { turn, session, folder, work, unit, is_off, is_known, goal }
    }

    /// What coins are tossed for: the task, else the run. None where neither is known.
    #[must_use]
    pub fn unit_of_work(&self) -> Option<&str> {
        self.unit.as_deref().or_else(|| self.is_known.then_some(&*self.turn.run_id))
    }

    /// How the repository is called.
    #[must_use]
    pub fn repository(&self) -> Option<String> {
        name_around(&self.folder)
    }

    /// The categories that help to reach the goal, the most helpful first. None where no goal is set, or none can be read.
    #[must_use]
    pub fn priority(&self, workspace: &Workspace, settings: &Settings) -> Vec<String> {
        priority_of(workspace, settings, &self.work, self.goal.as_deref()).unwrap_or_default()
    }
}

/// The categories that help to reach a goal: the one that is named, or the one that the file of goals calls active.
pub fn priority_of(workspace: &Workspace, settings: &Settings, work: &Path, named: Option<&str>) -> Outcome<Vec<String>> {
    let named = named.filter(|name| !name.trim().is_empty());
    let own = settings.goal.file.as_ref().map(|file| workspace.root().join(file));
    let places = [learnings_of(work).join("goal.yaml"), workspace.root().join("goal.yaml")];
    let file = own.or_else(|| places.into_iter().find(|path| path.is_file()));
    let goals = load_goals(file.as_deref())?;
    if named.is_none() && goals.active().is_none() {
        return Ok(Vec::new());
    }
    Ok(goals.choose(named)?.pattern_priority().to_vec())
}

/// The task of a run in this folder, as hooks are told it: by the environment, or by the run's own file.
#[must_use]
pub fn unit_of_run(work: &Path) -> Option<String> {
    Told::load(work).unit()
}

/// The folder of the run: as the environment says, as the other system's session file says, or where the session works.
fn find_work(payload: &Payload, folder: &Path) -> PathBuf {
    let told = env::var_os("CLOSEDLOOP_WORKDIR").map(PathBuf::from);
    let noted = || {
        // A session's name from outside may be a path; made a name, it leads nowhere else.
        let name = format!("session-{}.workdir", payload.session().and_then(fit::name)?);
        let text = read(&folder.join(".closedloop-ai").join(name))?;
        text.lines().next().map(|line| PathBuf::from(line.trim()))
    };
    let found = told.or_else(noted).filter(|path| path.is_absolute() && path.is_dir());
    found.unwrap_or_else(|| folder.to_path_buf())
}

/// What is told by the environment, or by the run's own file of assignments. That file is read, never run.
struct Told(HashMap<String, String>);

impl Told {
    fn load(work: &Path) -> Self {
        let text = read(&work.join(".closedloop-ai/config.env")).unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.trim().trim_start_matches("export ").split_once('='));
        Self(pairs.map(|(key, value)| (key.trim().to_owned(), unquoted(value).to_owned())).collect())
    }

    fn unit(&self) -> Option<String> {
        self.get(&["OUTERLOOP_UNIT", "OUTERLOOP_TASK"]).and_then(|unit| fit::label(&unit))
    }

    /// The first of some names that has a value.
    fn get(&self, names: &[&str]) -> Option<String> {
        let from_environment = names.iter().find_map(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()));
        from_environment.or_else(|| names.iter().find_map(|name| self.0.get(*name).filter(|value| !value.is_empty()).cloned()))
    }
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inside = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

fn current_iteration(work: &Path, run_id: &str) -> Option<i64> {
    parse_count(&read(&learnings_of(work).join("sessions").join(format!("run-{run_id}")).join("current-iteration"))?)
}

fn parse_count(text: &str) -> Option<i64> {
    text.trim().parse().ok().filter(|count| *count >= 0)
}

fn is_no(word: &str) -> bool {
    matches!(&*word.trim().to_lowercase(), "false" | "0" | "off" | "no")
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    durable::open_regular(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
