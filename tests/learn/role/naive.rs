//! The fold against its definition: events one after the other, every pattern looked at each time, nothing clever.

use std::collections::{BTreeSet, HashSet};

use learn::role::{DeliberationRow, EndingRow, ExposureRow, RoleLog, RoleScore, VerdictRow, fold_roles, score_roles};
use learn::subject::{Action, Decision};
use proptest::prelude::*;
use setting::Settings;

use super::{DAY, day, heard, judged};

const HOUR: i64 = DAY / 24;

/// Sayings of which some are one pattern, some alike and some neither.
const SAYINGS: [&str; 9] = [
    "Validate webhook signature before parsing body",
    "[rule] Always validate webhook signature before parsing the body.",
    "Missing null check on user session in login handler",
    "login handler lacks a null check for the user session",
    "Unbounded retries hide upstream timeouts because errors are swallowed",
    "unbounded retries hide upstream timeouts",
    "Config loader falls back silently on missing keys",
    "Never trust the config loader on missing keys of tenants",
    "[causal] config loader falls back silently on missing keys!",
];
/// What validators reject: what was said, in other words, in a part of them, or in those of several.
const FINDINGS: [&str; 14] = [
    SAYINGS[0],
    SAYINGS[2],
    SAYINGS[3],
    SAYINGS[4],
    SAYINGS[6],
    SAYINGS[7],
    "Missing null check",
    "no null check of user session in the handler",
    "null check for the session of the login handler",
    "config loader misses keys",
    "the config loader on missing keys of tenants",
    "retries hide upstream timeouts in the config loader",
    "webhook signature before the body",
    "nobody says this anywhere",
];
const PROJECTS: [&str; 3] = ["web", "Web", "*"];
const ROLES: [&str; 3] = ["judge", "sentinel", "auditor"];
const RUNS: [&str; 3] = ["r1", "r2", "r3"];
const FILES: [&str; 3] = ["src/a.rs", "src/b.rs", "src/c.rs"];
const ISSUES: [&str; 3] = ["7", "8", "9"];

#[derive(Debug, Clone)]
struct Event {
    hour: i64,
    project: usize,
    role: usize,
    run: Option<usize>,
    iteration: Option<i64>,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Said {
        sayings: Vec<usize>,
        issue: Option<usize>,
        files: Vec<usize>,
        level: Option<i64>,
    },
    Judged {
        deliberation: usize,
        is_named: bool,
        validator: usize,
        has_passed: bool,
        level: Option<i64>,
        rejected: Vec<usize>,
        files: Vec<usize>,
    },
    Shown {
        pattern: u32,
    },
    Ended {
        has_passed: bool,
    },
    Decided {
        pattern: u32,
        action: Action,
        is_forced: bool,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let sayings = || prop::collection::vec(0..SAYINGS.len(), 0..3);
    let findings = || prop::collection::vec(0..FINDINGS.len(), 0..4);
    let files = || prop::collection::vec(0..FILES.len(), 0..2);
    let level = || prop_oneof![Just(None), (1..4i64).prop_map(Some)];
    let action = prop::sample::select(vec![
        Action::Promote,
        Action::Retire,
        Action::Reject,
        Action::Restore,
        Action::Clear,
        Action::Annotate,
    ]);
    let what = prop_oneof![
        5 => (sayings(), prop::option::of(0..ISSUES.len()), files(), level())
            .prop_map(|(sayings, issue, files, level)| What::Said { sayings, issue, files, level }),
        5 => (0..40usize, any::<bool>(), 0..20usize, prop::bool::weighted(0.7), level(), findings(), files()).prop_map(
            |(deliberation, is_named, validator, has_passed, level, rejected, files)| What::Judged {
                deliberation, is_named, validator, has_passed, level, rejected, files
            }
        ),
        3 => (0..12u32).prop_map(|pattern| What::Shown { pattern }),
        1 => any::<bool>().prop_map(|has_passed| What::Ended { has_passed }),
        1 => (0..8u32, action, any::<bool>()).prop_map(|(pattern, action, is_forced)| What::Decided { pattern, action, is_forced }),
    ];
    // Most happens within weeks, some much later.
    let hour = prop_oneof![4 => 0..24 * 20i64, 1 => 0..24 * 120i64];
    let place = (hour, prop_oneof![3 => Just(0usize), 2 => 0..3usize], prop_oneof![3 => Just(0usize), 1 => 0..3usize]);
    (place, prop::option::weighted(0.8, 0..3usize), prop::option::of(1..3i64), what)
        .prop_map(|((hour, project, role), run, iteration, what)| Event { hour, project, role, run, iteration, what })
}

impl Event {
    fn micros(&self) -> i64 {
        day(0) + self.hour * HOUR
    }
}

fn pick<'t>(names: &[&'t str], places: &[usize]) -> Vec<&'t str> {
    places.iter().map(|place| names[*place]).collect()
}

/// The deliberation that a verdict names: one of all that landed.
fn named(events: &[Event], nth: usize) -> Option<usize> {
    let said: Vec<usize> = (0..events.len()).filter(|place| matches!(events[*place].what, What::Said { .. })).collect();
    (!said.is_empty()).then(|| said[nth % said.len()])
}

/// The last word on each run.
fn last_words(events: &[Event], until: i64) -> Vec<usize> {
    let mut last: Vec<usize> = Vec::new();
    let mut ended: Vec<usize> = (0..events.len())
        .filter(|place| matches!(events[*place].what, What::Ended { .. }) && events[*place].hour <= until)
        .collect();
    ended.sort_by_key(|place| (events[*place].hour, *place));
    for place in ended.into_iter().rev() {
        let key = |place: usize| (events[place].project, events[place].run);
        if last.iter().all(|known| key(*known) != key(place)) {
            last.push(place);
        }
    }
    last
}

fn sequence(place: usize) -> i64 {
    i64::try_from(place).expect("a number")
}

/// What the program makes of events, as of an hour.
fn fold(events: &[Event], until: i64) -> Vec<RoleScore> {
    let settings = Settings::default();
    let as_of = day(0) + until * HOUR;
    let mut log = RoleLog::new(&settings, as_of);
    let id = |place: usize| format!("e{place}");
    for (place, event) in events.iter().enumerate() {
        if let What::Said { sayings, issue, files, level } = &event.what {
            log.add_deliberation(&DeliberationRow {
                id: &id(place),
                time_micros: event.micros(),
                sequence: sequence(place),
                project: PROJECTS[event.project],
                role: ROLES[event.role],
                run: event.run.map(|run| RUNS[run]),
                iteration: event.iteration,
                issue: issue.map(|issue| ISSUES[issue]),
                files: pick(&FILES, files),
                level: *level,
                patterns: pick(&SAYINGS, sayings),
                ..heard()
            });
        }
    }
    let last = last_words(events, until);
    for (place, event) in events.iter().enumerate().filter(|(_, event)| event.hour <= until) {
        let (project, role, run) = (PROJECTS[event.project], ROLES[event.role], event.run.map(|run| RUNS[run]));
        match &event.what {
            What::Said { .. } => {}
            What::Judged { deliberation, is_named, validator, has_passed, level, rejected, files } => {
                let deliberation = named(events, *deliberation).filter(|_| *is_named).map(id);
                log.add_verdict(&VerdictRow {
                    id: &id(place),
                    time_micros: event.micros(),
                    sequence: sequence(place),
                    project,
                    adversarial_role: Some(role),
                    run,
                    iteration: event.iteration,
                    deliberation: deliberation.as_deref(),
                    validator: Some(&format!("v{validator}")),
                    has_passed: *has_passed,
                    level: *level,
                    files: pick(&FILES, files),
                    rejected: pick(&FINDINGS, rejected),
                    ..judged()
                });
            }
            What::Shown { pattern } => log.add_exposure(ExposureRow {
                project,
                run,
                iteration: event.iteration,
                role: Some(role),
                pattern_id: &format!("D-{:03}", pattern + 1),
                first_micros: event.micros(),
                last_micros: event.micros(),
                session: None,
            }),
            What::Ended { has_passed } => {
                if let (Some(run), true) = (run, last.contains(&place)) {
                    let (time_micros, sequence) = (event.micros(), sequence(place));
                    log.add_ending(EndingRow { project, run, has_passed: *has_passed, time_micros, sequence });
                }
            }
            What::Decided { pattern, action, is_forced } => log.add_decision(Decision {
                time_micros: event.micros(),
                sequence: sequence(place),
                subject: format!("D-{:03}", pattern + 1),
                action: *action,
                actor: "ann".to_owned(),
                reason: None,
                value: is_forced.then(|| r#"{"force":true}"#.to_owned()),
            }),
        }
    }
    score_roles(&log, fold_roles(&log, &settings, as_of, None), &settings, as_of).scores
}

/// A saying as it is compared: without marks, in small letters.
fn plain(saying: &str) -> String {
    let text = saying.trim_start_matches("[rule] ").trim_start_matches("[causal] ");
    text.to_lowercase().trim_end_matches(['.', '!']).to_owned()
}

fn words(text: &str) -> BTreeSet<String> {
    const STOP: [&str; 23] = [
        "a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "is", "are", "be", "it", "this", "that", "with", "as", "by",
        "at", "from", "not", "no",
    ];
    let lowered = plain(text);
    let words = lowered.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.len() > 1 && !STOP.contains(word)).map(str::to_owned).collect()
}

/// The stems of the words of these texts, as a reader would write them down.
fn stems(text: &str) -> BTreeSet<String> {
    const HEDGES: [&str; 3] = ["always", "never", "nobody"];
    let stem = |word: String| -> String {
        let known = [
            ("parsing", "pars"),
            ("handler", "handl"),
            ("missing", "miss"),
            ("misses", "miss"),
            ("lacks", "lack"),
            ("retries", "retr"),
            ("hide", "hid"),
            ("timeouts", "timeout"),
            ("because", "becaus"),
            ("errors", "error"),
            ("swallowed", "swallow"),
            ("loader", "load"),
            ("falls", "fall"),
            ("silently", "silentl"),
            ("keys", "key"),
            ("tenants", "tenant"),
            ("validate", "validat"),
            ("body", "bod"),
            ("before", "befor"),
            ("signature", "signatur"),
            ("unbounded", "unbound"),
            ("anywhere", "anywher"),
        ];
        known.iter().find(|(form, _)| *form == word).map_or(word, |(_, stem)| (*stem).to_owned())
    };
    words(text).into_iter().filter(|word| !HEDGES.contains(&&**word)).map(stem).collect()
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    one.intersection(other).count() as f64 / one.union(other).count() as f64
}

fn category(saying: &str) -> usize {
    match saying {
        _ if saying.starts_with("[rule]") || saying.contains("Always") || saying.contains("Never") => 2,
        _ if saying.starts_with("[causal]") || saying.contains("because") => 1,
        _ => 0,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Observed,
    Candidate,
    Verified,
    Active,
    Deprecated,
}

/// A pattern with its counters, which are counted up and down.
#[derive(Debug, Clone)]
struct Pattern {
    project: usize,
    role: usize,
    /// The words of the one that landed first, and every way in which it was said.
    words: BTreeSet<String>,
    stems: BTreeSet<String>,
    spellings: Vec<String>,
    text: String,
    category: usize,
    stage: Stage,
    before: Option<Stage>,
    seen: i64,
    successes: i64,
    ignored: i64,
    penalty: f64,
    reinforced: i64,
    skipped: i64,
    is_trusted: bool,
    regressed: Option<i64>,
    created: i64,
    uses: Vec<(i64, Option<usize>)>,
    contexts: BTreeSet<String>,
    /// The reports that confirm it.
    confirming: Vec<usize>,
    recent: Vec<usize>,
}

struct Model<'e> {
    events: &'e [Event],
    until: i64,
    now: i64,
    patterns: Vec<Pattern>,
    credited: HashSet<(usize, usize)>,
    rejections: HashSet<(usize, usize, usize)>,
    rewarded: HashSet<(usize, usize, String)>,
    /// In which turns each pattern was said.
    turns: HashSet<(usize, String)>,
}

impl<'e> Model<'e> {
    /// The patterns in the order of landing; nobody has seen them yet.
    fn new(events: &'e [Event], until: i64) -> Self {
        let mut model = Self {
            events,
            until,
            now: 0,
            patterns: Vec::new(),
            credited: HashSet::new(),
            rejections: HashSet::new(),
            rewarded: HashSet::new(),
            turns: HashSet::new(),
        };
        for event in events {
            if let What::Said { sayings, .. } = &event.what {
                for saying in sayings {
                    model.identify(event, SAYINGS[*saying]);
                }
            }
        }
        model
    }

    /// The pattern that a saying is.
    fn identify(&mut self, event: &Event, saying: &str) -> usize {
        let own = |pattern: &Pattern| pattern.project == event.project && pattern.role == event.role;
        if let Some(place) = self.patterns.iter().position(|known| own(known) && known.spellings.contains(&plain(saying))) {
            return place;
        }
        let words = words(saying);
        let mut best: Option<(f64, usize)> = None;
        for (place, known) in self.patterns.iter().enumerate().filter(|(_, known)| own(known)) {
            let likeness = jaccard(&known.words, &words);
            if likeness >= 0.8 - 1e-9 && best.is_none_or(|(most, _)| likeness > most) {
                best = Some((likeness, place));
            }
        }
        let place = best.map_or_else(|| self.add(event, words, stems(saying)), |(_, place)| place);
        self.patterns[place].spellings.push(plain(saying));
        place
    }

    fn add(&mut self, event: &Event, words: BTreeSet<String>, stems: BTreeSet<String>) -> usize {
        self.patterns.push(Pattern {
            project: event.project,
            role: event.role,
            words,
            stems,
            spellings: Vec::new(),
            text: String::new(),
            category: 0,
            stage: Stage::Observed,
            before: None,
            seen: 0,
            successes: 0,
            ignored: 0,
            penalty: 0.0,
            reinforced: 0,
            skipped: 0,
            is_trusted: false,
            regressed: None,
            created: 0,
            uses: Vec::new(),
            contexts: BTreeSet::new(),
            confirming: Vec::new(),
            recent: Vec::new(),
        });
        self.patterns.len() - 1
    }

    fn run(mut self) -> Vec<Pattern> {
        // When an event counts, whether it had to wait, when it happened, where it landed.
        let mut order: Vec<(i64, bool, i64, usize)> = Vec::new();
        let last = last_words(self.events, self.until);
        for (place, event) in self.events.iter().enumerate().filter(|(_, event)| event.hour <= self.until) {
            let own = (event.hour, place);
            match self.judged(place) {
                Judged::Later => {}
                Judged::Known(said) if own < (self.events[said].hour, said) => {
                    order.push((self.events[said].hour, true, event.hour, place));
                }
                Judged::Known(_) | Judged::Nothing => order.push((event.hour, false, event.hour, place)),
            }
        }
        order.sort_unstable();
        for (hour, .., place) in order {
            self.now = day(0) + hour * HOUR;
            self.sweep();
            match &self.events[place].what {
                What::Said { .. } => self.hear(place),
                What::Judged { .. } => self.judge(place),
                What::Ended { has_passed } if last.contains(&place) => self.end(place, *has_passed),
                What::Decided { pattern, action, is_forced } => self.decide(*pattern as usize, *action, *is_forced),
                What::Ended { .. } | What::Shown { .. } => {}
            }
        }
        self.now = day(0) + self.until * HOUR;
        self.sweep();
        self.patterns
    }

    /// Takes out of use whatever nobody has used for long or others were preferred to.
    fn sweep(&mut self) {
        for pattern in self.patterns.iter_mut().filter(|pattern| pattern.seen > 0) {
            let is_idle = pattern.reinforced < 3 && self.now - pattern.used() > 42 * DAY;
            let is_automatic = !matches!(pattern.stage, Stage::Active | Stage::Deprecated);
            if is_automatic && (is_idle || pattern.skipped >= 10) {
                pattern.stage = Stage::Deprecated;
            }
        }
    }

    fn hear(&mut self, at: usize) {
        let event = &self.events[at];
        let What::Said { sayings, issue, .. } = &event.what else { return };
        let mut met = Vec::new();
        for saying in sayings.iter().map(|saying| SAYINGS[*saying]) {
            let place = self.identify(event, saying);
            if met.contains(&place) {
                continue;
            }
            met.push(place);
            let is_echo = self.is_echo(at, place);
            if !is_echo && self.turns.insert((place, self.turn(at))) {
                self.patterns[place].confirming.push(at);
            } else {
                self.turns.insert((place, self.turn(at)));
            }
            let pattern = &mut self.patterns[place];
            pattern.contexts.insert(issue.map_or_else(String::new, |issue| ISSUES[issue].to_owned()));
            pattern.recent.push(at);
            if pattern.recent.len() > 10 {
                pattern.recent.remove(0);
            }
            pattern.seen += 1;
            if pattern.seen == 1 {
                saying.trim_start_matches("[rule] ").trim_start_matches("[causal] ").clone_into(&mut pattern.text);
                pattern.category = category(saying);
                pattern.successes = 1;
                pattern.created = self.now;
                pattern.uses.push((self.now, Some(at)));
                self.credited.insert((at, place));
                continue;
            }
            pattern.category = pattern.category.max(category(saying));
            if pattern.stage == Stage::Deprecated && pattern.before.is_none() && !is_echo {
                pattern.stage = Stage::Observed;
            } else {
                self.advance(place);
            }
            let pattern = &mut self.patterns[place];
            if !is_echo {
                pattern.successes += 1;
                pattern.skipped = 0;
                pattern.uses.push((self.now, Some(at)));
                self.credited.insert((at, place));
            }
        }
    }

    /// What is said twice in one turn of a run is said once. Without a run every report stands by itself.
    fn turn(&self, at: usize) -> String {
        let event = &self.events[at];
        event.run.map_or_else(|| format!("report {at}"), |run| format!("{run} {:?}", event.iteration))
    }

    /// In how many contexts the confirming reports of a pattern were written.
    fn confirmed_contexts(&self, place: usize) -> usize {
        let issue = |at: &usize| match self.events[*at].what {
            What::Said { issue, .. } => issue,
            _ => None,
        };
        self.patterns[place].confirming.iter().map(issue).collect::<BTreeSet<_>>().len()
    }

    /// How far the confirming reports take a pattern: 0 observed, 1 candidate, 2 verified.
    fn earned(&self, place: usize) -> usize {
        match self.patterns[place].confirming.len() {
            0 | 1 => 0,
            count if count >= 3 && self.confirmed_contexts(place) >= 2 => 2,
            _ => 1,
        }
    }

    /// One step, if it has earned it.
    fn advance(&mut self, place: usize) {
        let earned = self.earned(place);
        let pattern = &mut self.patterns[place];
        pattern.stage = match pattern.stage {
            Stage::Observed if earned >= 1 => Stage::Candidate,
            Stage::Candidate if earned >= 2 => Stage::Verified,
            stage => stage,
        };
    }

    /// Back to what it has earned. Says whether that is less than it was.
    fn fall_back(&mut self, place: usize) -> bool {
        let earned = [Stage::Observed, Stage::Candidate, Stage::Verified][self.earned(place)];
        let pattern = &mut self.patterns[place];
        let falls = match pattern.stage {
            Stage::Verified => earned != Stage::Verified,
            Stage::Candidate => earned == Stage::Observed,
            _ => false,
        };
        if falls {
            pattern.stage = earned;
        }
        falls
    }

    /// The exposures of a run of a project.
    fn exposures(&self, project: usize, run: usize) -> impl Iterator<Item = (&'e Event, usize)> {
        let shown =
            self.events.iter().filter(move |event| event.hour <= self.until && event.project == project && event.run == Some(run));
        shown.filter_map(move |event| match event.what {
            // A pattern of another project was never shown.
            What::Shown { pattern } if self.patterns.get(pattern as usize).is_some_and(|known| known.project == project) => {
                Some((event, pattern as usize))
            }
            _ => None,
        })
    }

    fn is_echo(&self, at: usize, place: usize) -> bool {
        let event = &self.events[at];
        let Some(run) = event.run else { return false };
        self.exposures(event.project, run).any(|(shown, pattern)| {
            let is_turn = shown.iteration.is_none() || event.iteration.is_none() || shown.iteration == event.iteration;
            let known = &self.patterns[pattern];
            let is_kin = known.role != event.role && jaccard(&known.words, &self.patterns[place].words) >= 0.8 - 1e-9;
            is_turn && shown.role == event.role && shown.hour <= event.hour && (pattern == place || is_kin)
        })
    }

    /// What a verdict judges.
    fn judged(&self, at: usize) -> Judged {
        let event = &self.events[at];
        let What::Judged { deliberation, is_named, .. } = event.what else { return Judged::Nothing };
        let is_own = |place: &usize| self.events[*place].project == event.project && self.events[*place].role == event.role;
        if let Some(place) = named(self.events, deliberation).filter(|_| is_named).filter(is_own) {
            return if self.events[place].hour <= self.until { Judged::Known(place) } else { Judged::Later };
        }
        if event.run.is_none() {
            return Judged::Nothing;
        }
        let said = (0..self.events.len()).filter(is_own).filter(|place| {
            let said = &self.events[*place];
            let is_turn = said.iteration.is_none() || event.iteration.is_none() || said.iteration == event.iteration;
            matches!(said.what, What::Said { .. }) && said.hour <= self.until && said.run == event.run && is_turn
        });
        let said: Vec<usize> = said.collect();
        let time = |place: &usize| (self.events[*place].hour, *place);
        let before = said.iter().copied().filter(|place| self.events[*place].hour <= event.hour).max_by_key(time);
        before.or_else(|| said.iter().copied().min_by_key(time)).map_or(Judged::Nothing, Judged::Known)
    }

    fn judge(&mut self, at: usize) {
        let event = &self.events[at];
        let What::Judged { validator, has_passed, level, rejected, files, .. } = &event.what else { return };
        let said = match self.judged(at) {
            Judged::Known(said) => Some(said),
            _ => None,
        };
        let findings: Vec<Vec<(usize, i64)>> =
            rejected.iter().map(|finding| self.suspects(event, said, FINDINGS[*finding])).collect();
        let blamed = blamed(&findings);
        let mut penalised: Vec<usize> = blamed.iter().copied().collect();
        for place in &blamed {
            self.penalise(event, said, *place, *validator);
        }
        // Whatever a finding without a culprit may have meant is not rewarded.
        for suspects in findings.iter().filter(|suspects| !suspects.iter().any(|(place, _)| blamed.contains(place))) {
            penalised.extend(suspects.iter().map(|(place, _)| *place));
        }
        let (own_level, own_files) = match said.map(|said| &self.events[said].what) {
            Some(What::Said { level, files, .. }) => (*level, files.clone()),
            _ => (None, Vec::new()),
        };
        let is_founded = level.or(own_level).is_some_and(|level| level <= 2);
        let turn = event.run.map_or_else(|| format!("verdict {validator}"), |run| format!("{run} {:?}", event.iteration));
        if *has_passed && is_founded && self.rewarded.insert((event.project, event.role, turn)) {
            let files = if files.is_empty() { own_files } else { files.clone() };
            self.reward(event, &files, &penalised);
        }
    }

    /// The patterns that a finding may mean, each with what speaks for it: the same words settle it; else the part of all words that
    /// both share, and two fifths more where the judged report says the pattern.
    fn suspects(&self, event: &Event, said: Option<usize>, finding: &str) -> Vec<(usize, i64)> {
        let own: Vec<usize> = (0..self.patterns.len())
            .filter(|place| {
                let pattern = &self.patterns[*place];
                pattern.project == event.project && pattern.role == event.role && pattern.seen > 0
            })
            .collect();
        if let Some(place) = own.iter().find(|place| self.patterns[**place].spellings.contains(&plain(finding))) {
            return vec![(*place, 10_000_000)];
        }
        let spelt: Vec<String> = match said.map(|said| &self.events[said].what) {
            Some(What::Said { sayings, .. }) => sayings.iter().map(|saying| plain(SAYINGS[*saying])).collect(),
            _ => Vec::new(),
        };
        let words = stems(finding);
        let mut suspects = Vec::new();
        for place in own {
            let pattern = &self.patterns[place];
            let known = &pattern.stems;
            let (shared, all) = (known.intersection(&words).count(), known.union(&words).count());
            let shorter = known.len().min(words.len());
            let is_sighted = spelt.iter().any(|said| pattern.spellings.contains(said));
            let is_alike = if is_sighted {
                shared >= 2 && shared * 10 >= shorter * 5
            } else {
                shared >= 3 && shared * 10 >= shorter * 6 && shared * 10 >= all * 3
            };
            if is_alike {
                let worth = shared * 1_000_000 / all + if is_sighted { 400_000 } else { 0 };
                suspects.push((place, i64::try_from(worth).expect("small")));
            }
        }
        suspects
    }

    fn penalise(&mut self, event: &Event, said: Option<usize>, place: usize, validator: usize) {
        if !self.rejections.insert((event.project, validator, place)) {
            return;
        }
        let is_credited = said.is_some_and(|said| self.credited.remove(&(said, place)));
        let now = self.now;
        let pattern = &mut self.patterns[place];
        pattern.ignored += 1;
        pattern.penalty += if ROLES[event.role] == "sentinel" { 1.5 } else { 1.0 };
        if pattern.is_trusted {
            pattern.regressed = Some(now);
        }
        if is_credited {
            pattern.successes = (pattern.successes - 1).max(1);
            pattern.uses.retain(|(_, by)| *by != said);
        }
        self.withdraw(place, said);
        self.sweep();
        if !self.fall_back(place) {
            self.advance(place);
        }
    }

    /// The report that is judged confirms nothing, nor does another of its turn. If it does not hold the pattern, its last
    /// confirmation goes.
    fn withdraw(&mut self, place: usize, said: Option<usize>) {
        let holds = |said: &usize| match &self.events[*said].what {
            What::Said { sayings, .. } => {
                sayings.iter().any(|saying| self.patterns[place].spellings.contains(&plain(SAYINGS[*saying])))
            }
            _ => false,
        };
        let judged = said.filter(holds);
        let confirming = &self.patterns[place].confirming;
        let goes = confirming.iter().rposition(|at| judged.is_none_or(|judged| self.turn(*at) == self.turn(judged)));
        if let Some(goes) = goes {
            self.patterns[place].confirming.remove(goes);
        }
    }

    fn reward(&mut self, event: &Event, files: &[usize], penalised: &[usize]) {
        let is_own = |pattern: &Pattern| pattern.project == event.project && pattern.role == event.role;
        let is_usable = |place: &usize| {
            self.patterns[*place].seen > 0 && self.patterns[*place].stage != Stage::Deprecated && !penalised.contains(place)
        };
        let shown: BTreeSet<usize> = event.run.map_or_else(BTreeSet::new, |run| {
            let shown = self.exposures(event.project, run);
            let now = self.now;
            shown.filter(|(shown, _)| shown.role == event.role && shown.micros() <= now).map(|(_, pattern)| pattern).collect()
        });
        let all: Vec<usize> = (0..self.patterns.len()).filter(|place| is_own(&self.patterns[*place])).collect();
        let pool: Vec<usize> = if shown.is_empty() { all } else { shown.into_iter().collect() };
        let pool: Vec<usize> = pool.into_iter().filter(is_usable).collect();
        let near: Vec<usize> = pool.iter().copied().filter(|place| self.shares_file(*place, files)).collect();
        let (mut ranked, most) = if near.is_empty() { (pool, 3) } else { (near, 5) };
        ranked.sort_by(|one, other| {
            let [one_score, other_score] = [one, other].map(|place| self.score(*place, files));
            let [one, other] = [one, other].map(|place| (&self.patterns[*place], *place));
            let by_worth = other_score.total_cmp(&one_score).then(other.0.successes.cmp(&one.0.successes));
            by_worth.then(other.0.used().cmp(&one.0.used())).then(one.1.cmp(&other.1))
        });
        ranked.truncate(most);
        let now = self.now;
        for place in &ranked {
            let pattern = &mut self.patterns[*place];
            pattern.successes += 1;
            pattern.reinforced += 1;
            pattern.uses.push((now, None));
            pattern.skipped = 0;
            pattern.regressed = None;
            pattern.is_trusted |= pattern.reinforced >= 3;
            self.advance(*place);
        }
        for (place, pattern) in self.patterns.iter_mut().enumerate().filter(|(_, pattern)| is_own(pattern) && pattern.seen > 0) {
            if !ranked.contains(&place) && !matches!(pattern.stage, Stage::Active | Stage::Deprecated) {
                pattern.skipped += 1;
            }
        }
        self.sweep();
    }

    fn shares_file(&self, place: usize, files: &[usize]) -> bool {
        self.patterns[place].recent.iter().any(|said| match &self.events[*said].what {
            What::Said { files: own, .. } => own.iter().any(|file| files.contains(file)),
            _ => false,
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn score(&self, place: usize, files: &[usize]) -> f64 {
        let pattern = &self.patterns[place];
        let rate = pattern.successes as f64 / (pattern.successes as f64 + pattern.penalty);
        let idle = (self.now - pattern.used()) as f64 / DAY as f64;
        let decay = if pattern.reinforced >= 3 { 1.0 } else { (-idle / 14.0).exp() };
        rate * decay * [1.0, 1.1, 1.3][pattern.category] * if self.shares_file(place, files) { 1.1 } else { 1.0 }
    }

    fn end(&mut self, at: usize, has_passed: bool) {
        let event = &self.events[at];
        let Some(run) = event.run else { return };
        let shown: BTreeSet<usize> = self.exposures(event.project, run).map(|(_, pattern)| pattern).collect();
        for place in shown {
            let pattern = &mut self.patterns[place];
            if pattern.seen == 0 {
                continue;
            }
            if has_passed {
                pattern.successes += 1;
            } else {
                pattern.penalty += 0.5;
            }
            self.advance(place);
        }
    }

    fn decide(&mut self, place: usize, action: Action, is_forced: bool) {
        let now = self.now;
        let Some(pattern) = self.patterns.get_mut(place).filter(|pattern| pattern.seen > 0) else { return };
        match action {
            Action::Promote if pattern.stage == Stage::Verified || is_forced => {
                pattern.stage = Stage::Active;
                pattern.before = None;
            }
            Action::Retire | Action::Reject => {
                pattern.before = pattern.before.or(Some(pattern.stage));
                pattern.stage = Stage::Deprecated;
            }
            Action::Restore if pattern.stage == Stage::Deprecated => {
                pattern.stage = pattern.before.take().filter(|stage| *stage != Stage::Deprecated).unwrap_or(Stage::Observed);
                pattern.skipped = 0;
                pattern.uses.push((now, None));
            }
            Action::Clear => pattern.regressed = None,
            _ => {}
        }
        self.fall_back(place);
    }
}

/// Tries every way to give each finding one of its suspects or none. Two findings that blame one pattern are worth a fifth less. What
/// all of the best ways blame is blamed.
fn blamed(findings: &[Vec<(usize, i64)>]) -> BTreeSet<usize> {
    let mut ways: Vec<(i64, Vec<usize>)> = vec![(0, Vec::new())];
    for suspects in findings {
        let mut longer = ways.clone();
        for (worth, blamed) in &ways {
            for (place, own) in suspects {
                let loss = if blamed.contains(place) { 200_000 } else { 0 };
                let mut blamed = blamed.clone();
                blamed.push(*place);
                longer.push((worth + own - loss, blamed));
            }
        }
        ways = longer;
    }
    let most = ways.iter().map(|(worth, _)| *worth).max().unwrap_or(0);
    let best: Vec<BTreeSet<usize>> =
        ways.into_iter().filter(|(worth, _)| *worth == most).map(|(_, blamed)| blamed.into_iter().collect()).collect();
    let mut common = best[0].clone();
    for way in &best {
        common.retain(|place| way.contains(place));
    }
    common
}

enum Judged {
    Known(usize),
    /// It lies behind the horizon.
    Later,
    Nothing,
}

impl Pattern {
    fn used(&self) -> i64 {
        self.uses.iter().map(|(time, _)| *time).max().unwrap_or(self.created)
    }

    fn figures(&self, place: usize) -> String {
        format!(
            "D-{:03} {} {} {:?} {} {:?} seen {} in {} ({} confirm), {} to {} ({}), reinforced {} trusted {} regressed {:?} skipped {} created {} used {}",
            place + 1,
            PROJECTS[self.project],
            ROLES[self.role],
            self.text,
            ["observation", "causal", "rule"][self.category],
            format!("{:?}", self.stage).to_lowercase(),
            self.seen,
            self.contexts.len(),
            self.confirming.len(),
            self.successes,
            self.ignored,
            self.penalty,
            self.reinforced,
            self.is_trusted,
            self.regressed.map(time),
            self.skipped,
            time(self.created),
            time(self.used()),
        )
    }
}

fn time(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).expect("a time").to_string()
}

fn figures(score: &RoleScore) -> String {
    format!(
        "{} {} {} {:?} {} {:?} seen {} in {} ({} confirm), {} to {} ({}), reinforced {} trusted {} regressed {:?} skipped {} created {} used {}",
        score.id,
        score.project,
        score.role,
        score.text,
        score.category,
        score.state.name(),
        score.seen,
        score.contexts,
        score.confirmed,
        score.successes,
        score.ignored,
        score.penalty,
        score.reinforced,
        score.is_trusted,
        score.regressed,
        score.skipped,
        score.created,
        score.last_used,
    )
}

/// Compares the fold with its definition, as of an hour.
fn compare(events: &[Event], until: i64) -> Result<(), TestCaseError> {
    let patterns = Model::new(events, until).run();
    let seen = patterns.iter().enumerate().filter(|(_, pattern)| pattern.seen > 0);
    let wanted: Vec<String> = seen.map(|(place, pattern)| pattern.figures(place)).collect();
    let found: Vec<String> = fold(events, until).iter().map(figures).collect();
    prop_assert_eq!(found, wanted);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn figures_are_what_counting_event_by_event_gives(events in prop::collection::vec(event(), 0..90)) {
        compare(&events, 24 * 200)?;
    }

    #[test]
    fn figures_of_a_past_hour_are_what_counting_up_to_it_gives(events in prop::collection::vec(event(), 0..60), until in 0..24 * 30i64) {
        compare(&events, until)?;
    }
}
