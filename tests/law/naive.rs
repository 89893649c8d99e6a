//! The figures as they are defined, event by event, from the lines alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use learn::matching::{Looseness, Phrase, definition};
use learn::pattern::{Entry, Lesson, Source};
use serde_json::Value;

use crate::pattern::naive::homes;

/// The figures of one pattern.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    pub seen: i64,
    pub applied: i64,
    pub withheld: i64,
    pub offered: i64,
    pub unverified: i64,
    pub withheld_met: i64,
    pub withheld_missed: i64,
    pub weight: f64,
    pub iterations_since: i64,
    pub used_micros: Option<i64>,
    pub files: Vec<String>,
}

/// What is published, by pattern number, and how many applications count for none.
pub fn figures(lines: &[u8], as_of_micros: i64) -> (BTreeMap<u32, Figures>, i64) {
    let log = Log::read(lines, as_of_micros);
    let book = log.book();
    let mut figures: BTreeMap<u32, Figures> = book.numbers.iter().map(|number| (*number, Figures::default())).collect();
    for (number, captures) in &book.files {
        let mut listed = HashSet::new();
        let recent = captures.iter().skip(captures.len().saturating_sub(10)).flatten();
        let files: Vec<String> = recent.filter(|file| listed.insert(*file)).take(20).cloned().collect();
        figures.entry(*number).or_default().files = files;
    }
    let mut last_seen: BTreeMap<u32, (i64, BTreeSet<&str>)> = BTreeMap::new();
    let mut unattributed = 0;
    for shown in log.of("application") {
        let Some(pattern) = book.pattern_of(shown) else {
            unattributed += 1;
            continue;
        };
        let entry = figures.entry(pattern).or_default();
        let goal = log.goal(shown);
        let status = text(shown, "status");
        if status == "withheld" {
            entry.withheld += 1;
            entry.withheld_met += i64::from(goal == Some(true));
            entry.withheld_missed += i64::from(goal == Some(false));
            continue;
        }
        if log.is_offered(shown, pattern, &book) {
            entry.offered += 1;
            continue;
        }
        let seen = last_seen.entry(pattern).or_insert((i64::MIN, BTreeSet::new()));
        seen.0 = seen.0.max(time(shown));
        seen.1.insert(text(shown, "project"));
        entry.seen += 1;
        if status == "injected" {
            continue;
        }
        entry.applied += 1;
        entry.used_micros = entry.used_micros.max(Some(time(shown)));
        if log.is_unverified(shown, pattern, &book) {
            entry.unverified += 1;
            continue;
        }
        entry.weight += match goal {
            None | Some(true) => 1.0,
            Some(false) => 0.5 * log.relevance(shown, pattern, &book).unwrap_or(0.5),
        };
    }
    for (pattern, (last, projects)) in last_seen {
        let since = log.iterations().into_iter().filter(|(project, start)| projects.contains(project) && *start > last).count();
        figures.entry(pattern).or_default().iterations_since = since.try_into().expect("few");
    }
    (figures, unattributed)
}

/// The events by an instant, each once, in the order of landing.
struct Log {
    events: Vec<Value>,
    as_of_micros: i64,
}

/// What the lessons come to.
struct Book {
    numbers: BTreeSet<u32>,
    phrases: Vec<Phrase>,
    /// The files of every capture.
    files: BTreeMap<u32, Vec<Vec<String>>>,
}

impl Log {
    fn read(lines: &[u8], as_of_micros: i64) -> Self {
        let mut ids = HashSet::new();
        let events = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let events = events.map(|line| serde_json::from_slice::<Value>(line).expect("JSON"));
        Self { events: events.filter(|event| ids.insert(text(event, "id").to_owned())).collect(), as_of_micros }
    }

    fn of(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(move |event| event["kind"] == kind && time(event) <= self.as_of_micros)
    }

    fn book(&self) -> Book {
        let lessons = self.events.iter().filter(|event| event["kind"] == "learning" && event["no_learnings"] != true);
        let entries: Vec<Entry> = lessons.map(|event| Entry::Lesson(lesson(event))).collect();
        let homes = homes(&entries, 0.8);
        let mut book = Book { numbers: BTreeSet::new(), phrases: Vec::new(), files: BTreeMap::new() };
        for entry in &entries {
            let Entry::Lesson(lesson) = entry else { continue };
            let Some(&pattern) = homes.get(&lesson.source.event).filter(|_| lesson.source.time_micros <= self.as_of_micros) else {
                continue;
            };
            book.phrases.push(Phrase { text: lesson.summary.clone(), pattern });
            book.files.entry(pattern).or_default().push(lesson.files.clone());
            // The first capture names the trigger.
            if book.numbers.insert(pattern) {
                book.phrases.extend(lesson.trigger.clone().map(|text| Phrase { text, pattern }));
            }
        }
        book
    }

    /// When each iteration of each project showed its first pattern.
    fn iterations(&self) -> Vec<(&str, i64)> {
        let mut starts: BTreeMap<(&str, &str, i64), i64> = BTreeMap::new();
        for shown in self.of("application").filter(|shown| shown["status"] != "withheld" && !is_out_of_turn(shown)) {
            let Some(iteration) = shown["iteration"].as_i64() else { continue };
            let start = starts.entry((text(shown, "project"), text(shown, "run_id"), iteration)).or_insert(i64::MAX);
            *start = (*start).min(time(shown));
        }
        // An iteration whose goal was judged took place, whether or not it showed a pattern.
        for judged in self.of("goal") {
            let Some(iteration) = judged["iteration"].as_i64() else { continue };
            let start = starts.entry((text(judged, "project"), text(judged, "run_id"), iteration)).or_insert(i64::MAX);
            *start = (*start).min(time(judged));
        }
        starts.into_iter().map(|((project, ..), start)| (project, start)).collect()
    }

    /// The enrichment of the nearest level that has any: the application's own, its iteration's, its run's.
    fn nearest<'l>(&'l self, kind: &'static str, shown: &Value, counts: impl Fn(&Value) -> bool) -> Vec<&'l Value> {
        let same = |event: &Value, field: &str| event.get(field) == shown.get(field);
        // Another project may use the same id.
        let is_own = |event: &&Value| {
            event.get("application_id") == shown.get("id") && same(event, "project") && event.get("measured") != Some(&false.into())
        };
        let own: Vec<&Value> = self.of(kind).filter(is_own).collect();
        let of_run = |event: &&Value| {
            let is_of_run = event.get("application_id").is_none() && same(event, "project") && same(event, "run_id");
            is_of_run && event.get("measured") != Some(&false.into()) && counts(event)
        };
        let of_iteration = |event: &&Value| event.get("iteration").is_some() && same(event, "iteration");
        let turn: Vec<&Value> = self.of(kind).filter(of_run).filter(of_iteration).collect();
        let run = || self.of(kind).filter(of_run).filter(|event| event.get("iteration").is_none()).collect();
        if !own.is_empty() {
            own
        } else if !turn.is_empty() {
            own_words(turn)
        } else {
            own_words(run())
        }
    }

    /// The latest result; of two at the same instant, the better.
    fn goal(&self, shown: &Value) -> Option<bool> {
        let results = self.nearest("goal", shown, |_| true).into_iter();
        results.map(|event| (time(event), event["success"] == true)).max().map(|(_, success)| success)
    }

    /// The latest relevance of the pattern, in millionths; of two at the same instant, the higher. What the agent was seen to touch says
    /// more than what its iteration changed.
    fn relevance(&self, shown: &Value, pattern: u32, book: &Book) -> Option<f64> {
        let found = self.nearest("relevance", shown, |event| book.pattern_of(event) == Some(pattern));
        let is_own = found.iter().any(|event| event.get("application_id").is_some());
        if let Some(touched) = shown["touched_relevance"].as_f64().filter(|_| !is_own) {
            return Some(f64::from(millionths(touched)) / 1e6);
        }
        let latest = found.into_iter().map(|event| (time(event), millionths(event["score"].as_f64().expect("a number"))));
        latest.max().map(|(_, millionths)| f64::from(millionths) / 1e6)
    }

    /// Whether a pattern that was not used could not have been: nobody asked, the agent did nothing, or nothing relevant was touched.
    fn is_offered(&self, shown: &Value, pattern: u32, book: &Book) -> bool {
        let is_irrelevant = || self.relevance(shown, pattern, book).is_some_and(|relevance| relevance < 0.1);
        is_out_of_turn(shown) || (shown["status"] == "injected" && is_irrelevant())
    }

    /// Whether the latest check of any citation failed; of two at the same instant, the better counts.
    fn is_unverified(&self, shown: &Value, pattern: u32, book: &Book) -> bool {
        let mut checks: BTreeMap<String, (i64, bool)> = BTreeMap::new();
        for event in self.nearest("citation", shown, |event| {
            let is_of_agent = event.get("agent").is_none_or(|agent| Some(agent) == shown.get("agent"));
            is_of_agent && book.pattern_of(event) == Some(pattern)
        }) {
            let cited = format!("{:?} {:?}", event.get("path"), event.get("cited_line"));
            let check = checks.entry(cited).or_insert((i64::MIN, false));
            *check = (*check).max((time(event), event["verified"] == true));
        }
        checks.values().any(|(_, is_verified)| !is_verified)
    }
}

/// What the agent itself said, else what nobody in particular said.
fn own_words(events: Vec<&Value>) -> Vec<&Value> {
    let (own, others): (Vec<&Value>, Vec<&Value>) = events.into_iter().partition(|event| event.get("agent").is_some());
    if own.is_empty() { others } else { own }
}

impl Book {
    /// The pattern that an event names, if only as its text, else the one that it quotes best.
    fn pattern_of(&self, event: &Value) -> Option<u32> {
        let id = event["pattern_id"].as_str().or_else(|| event["trigger"].as_str()).unwrap_or_default();
        let named = self.numbers.iter().find(|number| format!("P-{number:03}") == id).copied();
        let quoted = || definition::best(&self.phrases, Looseness::default(), event["trigger"].as_str().unwrap_or_default());
        named.or_else(|| quoted().map(|found| found.pattern))
    }
}

fn lesson(event: &Value) -> Lesson {
    let field = |name: &str| event[name].as_str().map(str::to_owned);
    let source =
        Source { event: text(event, "id").to_owned(), time_micros: time(event), sequence: 0, file: String::new(), line: 0 };
    Lesson {
        source,
        project: String::new(),
        pattern_id: field("pattern_id"),
        captured_micros: 0,
        detail: None,
        source_project: None,
        origin: None,
        flags: None,
        files: files(event),
        summary: field("summary").or_else(|| field("what")).unwrap_or_default(),
        trigger: field("trigger"),
        category: None,
        scope: None,
        repo: field("repo"),
        confidence: None,
        applies_to: Vec::new(),
        tags: Vec::new(),
        seen_count: None,
        success_rate: None,
    }
}

/// The files of a lesson: that of its context, and the paths of what it cites.
fn files(event: &Value) -> Vec<String> {
    let cited = event["citations"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let cited = cited.map(|cited| cited.split_once(':').expect("a line").0);
    event["context"]["file"].as_str().into_iter().chain(cited).map(str::to_owned).collect()
}

/// Whether a pattern was put beside a tool's use, where nobody is asked to acknowledge it, or shown to an agent that did nothing.
fn is_out_of_turn(shown: &Value) -> bool {
    shown["status"] == "injected" && (shown.get("tool").is_some() || shown["acted"] == false)
}

#[expect(clippy::cast_possible_truncation, reason = "a score lies from 0 to 1")]
fn millionths(score: f64) -> i32 {
    (score * 1e6).round() as i32
}

fn text<'e>(event: &'e Value, field: &str) -> &'e str {
    event[field].as_str().unwrap_or_default()
}

fn time(event: &Value) -> i64 {
    text(event, "ts").parse::<jiff::Timestamp>().expect("a time").as_microsecond()
}
