//! What roles said and what became of it: the rows of `sql/role/`, packed.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use super::inheritance::{Inheritance, parse_inheritances};
use super::name::{NameId, Names};
use super::registry::{Place, RoleRegistry, TextPlace, role_pattern_place};
use super::row::{DeliberationRow, EndingRow, ExposureRow, VerdictRow};
use crate::recall::plain_path;
use crate::subject::Decision;
use setting::Settings;
use text::review::plain_saying;

/// Numbers that stand beside each other in a list of all.
pub(super) type Span = Range<u32>;

/// What a task is about: the numbers of its labels, its files and its phase.
#[derive(Debug, Clone, Default)]
pub(super) struct Task {
    pub(super) labels: Span,
    pub(super) files: Span,
    pub(super) phase: NameId,
}

/// What a role said.
#[derive(Debug, Clone)]
pub(super) struct Deliberation {
    pub(super) time_micros: i64,
    pub(super) sequence: i64,
    pub(super) group: usize,
    pub(super) run: NameId,
    pub(super) session: NameId,
    pub(super) iteration: Option<i64>,
    pub(super) task: Task,
    /// What tells its context from others.
    pub(super) context: NameId,
    pub(super) level: Option<i64>,
    /// The sightings in it.
    pub(super) sightings: Span,
    /// Whether it lies within the horizon.
    pub(super) is_visible: bool,
}

/// A validator's verdict.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// When it counts: when it was given, or when what it judges was said.
    pub(super) time_micros: i64,
    pub(super) given_micros: i64,
    pub(super) sequence: i64,
    pub(super) group: usize,
    /// What makes it one event, however often it is told.
    pub(super) id: u128,
    /// What makes it one verdict: the validator's text.
    pub(super) key: u128,
    pub(super) run: NameId,
    pub(super) iteration: Option<i64>,
    pub(super) deliberation: Option<u32>,
    pub(super) has_passed: bool,
    pub(super) level: Option<i64>,
    pub(super) validator_level: Option<i64>,
    pub(super) task: Task,
    /// What it rejects, in words.
    pub(super) rejected: Vec<String>,
    /// What it reinforces, where it says so.
    pub(super) reinforced: Vec<Place>,
}

/// A pattern that a role was shown in a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exposure {
    pub(super) place: Place,
    pub(super) role: NameId,
    pub(super) iteration: Option<i64>,
    pub(super) first_micros: i64,
}

/// How the work of a run turned out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending {
    pub(super) time_micros: i64,
    pub(super) sequence: i64,
    pub(super) project: NameId,
    pub(super) run: NameId,
    pub(super) has_passed: bool,
}

/// What roles said and what became of it, in the order of landing.
#[derive(Debug)]
pub struct RoleLog {
    pub(super) registry: RoleRegistry,
    pub(super) names: Names,
    pub(super) deliberations: Vec<Deliberation>,
    /// The pattern of each sighting, and its text.
    pub(super) sightings: Vec<(Place, TextPlace)>,
    pub(super) numbers: Vec<NameId>,
    /// What another store knew of a pattern, by the place of the sighting that tells it.
    pub(super) inheritances: HashMap<u32, Inheritance>,
    pub(super) verdicts: Vec<Verdict>,
    /// By project and run, and by project and session.
    pub(super) exposures: HashMap<(NameId, NameId), Vec<Exposure>>,
    pub(super) session_exposures: HashMap<(NameId, NameId), Vec<Exposure>>,
    pub(super) endings: Vec<Ending>,
    pub(super) decisions: Vec<Decision>,
    pub(super) shown: HashMap<Place, i64>,
    by_id: HashMap<u128, u32>,
    by_turn: HashMap<(usize, NameId), Vec<u32>>,
    process_label: String,
    as_of_micros: i64,
}

impl RoleLog {
    /// An empty log, seen from an instant.
    #[must_use]
    pub fn new(settings: &Settings, as_of_micros: i64) -> Self {
        Self {
            registry: RoleRegistry::new(settings.deliberation.overlap),
            names: Names::default(),
            deliberations: Vec::new(),
            sightings: Vec::new(),
            numbers: Vec::new(),
            inheritances: HashMap::new(),
            verdicts: Vec::new(),
            exposures: HashMap::new(),
            session_exposures: HashMap::new(),
            endings: Vec::new(),
            decisions: Vec::new(),
            shown: HashMap::new(),
            by_id: HashMap::new(),
            by_turn: HashMap::new(),
            process_label: settings.inject.score.process_label.to_lowercase(),
            as_of_micros,
        }
    }

    /// Adds what a role said. Rows come in the order of landing; those behind the horizon take their numbers too, and are otherwise
    /// not known yet. What was told on two days counts on the first.
    pub fn add_deliberation(&mut self, row: &DeliberationRow<'_>) {
        let place = position(&self.deliberations);
        let is_visible = self.is_first_telling(row, place);
        let group = self.registry.group(row.project, row.role);
        let sightings = self.sight(group, row);
        let task = self.task(&row.labels, &row.files, row.phase);
        let context = self.context(row, &task);
        let run = self.names.number(row.run.unwrap_or_default());
        let session = self.names.number(row.session.unwrap_or_default());
        if run > 0 {
            self.by_turn.entry((group, run)).or_default().push(place);
        }
        self.deliberations.push(Deliberation {
            time_micros: row.time_micros,
            sequence: row.sequence,
            group,
            run,
            session,
            iteration: row.iteration,
            task,
            context,
            level: row.level,
            sightings,
            is_visible,
        });
    }

    /// Whether an event lies within the horizon, and no telling of it does that is older.
    fn is_first_telling(&mut self, row: &DeliberationRow<'_>, place: u32) -> bool {
        let is_visible = row.time_micros <= self.as_of_micros;
        let known = self.by_id.entry(key(&[row.project, row.id])).or_insert(place);
        let Some(other) = self.deliberations.get_mut(*known as usize) else { return is_visible };
        let is_first = is_visible && (!other.is_visible || row.time_micros < other.time_micros);
        if is_first {
            other.is_visible = false;
            *known = place;
        }
        is_first
    }

    /// The patterns that are sighted in what a role said, each once.
    fn sight(&mut self, group: usize, row: &DeliberationRow<'_>) -> Span {
        let first = position(&self.sightings);
        let inheritances = row.prior.map(parse_inheritances).unwrap_or_default();
        for (nth, saying) in row.patterns.iter().enumerate() {
            if plain_saying(saying).is_empty() {
                continue;
            }
            let sighting = self.registry.say(group, saying);
            if !self.sightings[first as usize..].iter().any(|(known, _)| *known == sighting.0) {
                let inheritance = inheritances.get(nth).map(|inheritance| (position(&self.sightings), *inheritance));
                self.inheritances.extend(inheritance);
                self.sightings.push(sighting);
            }
        }
        first..position(&self.sightings)
    }

    /// Adds a verdict, after all that it may judge.
    pub fn add_verdict(&mut self, row: &VerdictRow<'_>) {
        let run = self.names.number(row.run.unwrap_or_default());
        let named = row.deliberation.and_then(|id| self.by_id.get(&key(&[row.project, id])).copied());
        let role = row.adversarial_role;
        let Some(group) = role
            .map(|role| self.registry.group(row.project, role))
            .or_else(|| named.map(|place| self.deliberations[place as usize].group))
        else {
            return;
        };
        let named = named.filter(|place| self.deliberations[*place as usize].group == group);
        if named.is_some_and(|place| !self.deliberations[place as usize].is_visible) {
            // A verdict counts once what it judges is there.
            return;
        }
        let deliberation = named.or_else(|| self.said_in_turn(group, run, row));
        let judged = deliberation.map(|place| &self.deliberations[place as usize]);
        let rejected = if row.rejected.is_empty() {
            row.false_positives.iter().map(|entry| in_words(entry, row.issues)).collect()
        } else {
            row.rejected.iter().map(|text| (*text).to_owned()).collect()
        };
        // Whoever judges in parallel may be done before what is judged was written down.
        let time_micros = judged.map_or(row.time_micros, |judged| judged.time_micros.max(row.time_micros));
        let (level, judged_task) = (row.level.or(judged.and_then(|judged| judged.level)), judged.map(|judged| judged.task.clone()));
        let own = self.task(&row.labels, &row.files, row.phase);
        let task = judged_task.map_or_else(|| own.clone(), |judged| own.clone().or(judged));
        let reinforced = row.reinforced.iter().filter_map(|id| role_pattern_place(id));
        let reinforced = reinforced.filter(|place| self.registry.group_of(*place) == Some(group)).collect();
        self.verdicts.push(Verdict {
            time_micros,
            given_micros: row.time_micros,
            sequence: row.sequence,
            group,
            id: key(&[row.project, row.id]),
            key: key(&[row.project, row.validator.unwrap_or(row.id)]),
            run,
            iteration: row.iteration,
            deliberation,
            has_passed: row.has_passed,
            level,
            validator_level: row.validator_level,
            task,
            rejected,
            reinforced,
        });
    }

    /// What a role said in the turn of a verdict: the last before it, else the first behind it.
    fn said_in_turn(&self, group: usize, run: NameId, row: &VerdictRow<'_>) -> Option<u32> {
        let said = self.by_turn.get(&(group, run))?.iter().map(|place| (*place, &self.deliberations[*place as usize]));
        let is_turn = |said: &Deliberation| said.iteration == row.iteration || said.iteration.is_none() || row.iteration.is_none();
        let said = said.filter(|(_, said)| said.is_visible && is_turn(said));
        let said = said.map(|(place, said)| (said.time_micros, said.sequence, place));
        let before = said.clone().filter(|(time, ..)| *time <= row.time_micros).max();
        before.or_else(|| said.min()).map(|(.., place)| place)
    }

    /// Adds an exposure. Patterns of other projects are never shown, so such an event is ignored.
    pub fn add_exposure(&mut self, row: ExposureRow<'_>) {
        let Some(place) = role_pattern_place(row.pattern_id) else { return };
        let Some(group) = self.registry.group_of(place) else { return };
        if self.registry.groups()[group].project != row.project {
            return;
        }
        let shown = self.shown.entry(place).or_insert(row.last_micros);
        *shown = (*shown).max(row.last_micros);
        let project = self.names.number(row.project);
        let role = self.names.number(&row.role.map(short_role).unwrap_or_default());
        let exposure = Exposure { place, role, iteration: row.iteration, first_micros: row.first_micros };
        for (name, exposures) in [(row.run, &mut self.exposures), (row.session, &mut self.session_exposures)] {
            let number = self.names.number(name.unwrap_or_default());
            if number > 0 {
                exposures.entry((project, number)).or_default().push(exposure);
            }
        }
    }

    /// Adds how the work of a run turned out: the last word on it.
    pub fn add_ending(&mut self, row: EndingRow<'_>) {
        let EndingRow { time_micros, sequence, has_passed, .. } = row;
        let (project, run) = (self.names.number(row.project), self.names.number(row.run));
        self.endings.push(Ending { time_micros, sequence, project, run, has_passed });
    }

    /// Adds what a person decided.
    pub fn add_decision(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }

    /// The registry.
    #[must_use]
    pub const fn registry(&self) -> &RoleRegistry {
        &self.registry
    }

    pub(super) fn span(&self, span: &Span) -> &[NameId] {
        &self.numbers[span.start as usize..span.end as usize]
    }

    fn task(&mut self, labels: &[&str], files: &[&str], phase: Option<&str>) -> Task {
        let first = position(&self.numbers);
        for label in labels {
            let label = label.trim().to_lowercase();
            // Labels about the process say nothing: nearly every task carries them.
            if !label.is_empty() && (self.process_label.is_empty() || !label.starts_with(&self.process_label)) {
                let number = self.names.number(&label);
                self.numbers.push(number);
            }
        }
        let middle = position(&self.numbers);
        for file in files {
            let number = self.names.number(plain_path(file));
            self.numbers.push(number);
        }
        let phase = self.names.number(&phase.unwrap_or_default().trim().to_lowercase());
        Task { labels: first..middle, files: middle..position(&self.numbers), phase }
    }

    /// What tells a context from others: the issue, else the pull request, else the sort of task. All iterations of an issue are one.
    fn context(&mut self, row: &DeliberationRow<'_>, task: &Task) -> NameId {
        let name = match (row.issue, row.pull_request) {
            (Some(issue), _) => format!("issue\0{issue}"),
            (None, Some(request)) => format!("pull request\0{request}"),
            (None, None) => {
                let mut labels: Vec<&str> = self.span(&task.labels).iter().map(|label| self.names.name(*label)).collect();
                labels.sort_unstable();
                labels.dedup();
                format!("task\0{}\0{}", self.names.name(task.phase), labels.join("\0"))
            }
        };
        self.names.number(&name)
    }
}

impl Task {
    /// The same, with what it does not say taken from another.
    fn or(self, other: Self) -> Self {
        Self {
            labels: if self.labels.is_empty() { other.labels } else { self.labels },
            files: if self.files.is_empty() { other.files } else { self.files },
            phase: if self.phase == 0 { other.phase } else { self.phase },
        }
    }
}

/// The role of a name that may come with the plugin it is from.
pub(super) fn short_role(name: &str) -> String {
    text::key::key(crate::recall::short_name(name)).into_owned()
}

/// What a validator rejects, in words: of the id of an issue, what the issue says.
fn in_words(entry: &str, issues: Option<&str>) -> String {
    let issues: Vec<serde_json::Value> = issues.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let is_meant = |issue: &&serde_json::Value| match issue.get("id") {
        Some(serde_json::Value::String(id)) => id == entry,
        Some(id) => {
            let id = id.to_string();
            id == entry
        }
        None => false,
    };
    let summary = issues.iter().find(is_meant).and_then(|issue| issue.get("summary")?.as_str());
    summary.unwrap_or(entry).to_owned()
}

fn position<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// What tells an event from all others. Neither part holds the separator.
pub(super) fn key(parts: &[&str]) -> u128 {
    xxh3_128(parts.join("\0").as_bytes())
}
