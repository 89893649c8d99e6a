//! Taking the patterns of other projects from a shared place: lines for the inbox, each lesson once.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use jiff::Timestamp;
use serde_json::json;

use super::content::{MOST_PLAUSIBLE_SEEN, SharedPattern, label};
use super::document::{Entry, Remark, Slot, State};
use super::signature::Proof;
use super::source::Record;
use crate::classify::find_marker;
use event::{Draft, parse_time};
use text::digest::sha256;
use text::fit::{is_unprintable, quoted};
use text::injection::find_injection;
use text::limit;

/// Who takes patterns.
#[derive(Debug, Clone, Copy)]
pub struct Recipient<'a> {
    pub org_id: &'a str,
    pub project: &'a str,
    /// Another name under which the project may have shared its own.
    pub known_as: Option<&'a str>,
    /// The public keys whose signatures are trusted. Without any, every signature that holds is.
    pub trusted_keys: &'a [String],
    /// Whether entries that nobody signed are taken. Where keys are trusted, they never are.
    pub take_unsigned: bool,
    /// The most characters that a lesson and its trigger may have.
    pub most_characters: usize,
    pub now: Timestamp,
}

/// What was taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pulled {
    /// `learning` events for the inbox. The same entries give the same lines.
    pub lines: Vec<String>,
    /// How many entries this project wrote itself.
    pub echoes: usize,
    /// The entries that were not taken.
    pub refused: Vec<Remark>,
    /// The entries that were taken although something about them is odd.
    pub repaired: Vec<Remark>,
    /// The entries that gave way to another one for the same lesson or the same trigger.
    pub set_aside: Vec<Remark>,
}

/// Takes the patterns of other projects.
///
/// Of entries with the same lesson the one that was seen more often is taken. Entries with the same trigger and another lesson
/// contradict each other: the one with the higher rate is taken.
pub fn receive(state: &State, recipient: &Recipient<'_>) -> Pulled {
    let mut pulled = Pulled::default();
    let (refused, repaired) = state.remarks.iter().cloned().partition(|remark| remark.is_refused);
    (pulled.refused, pulled.repaired) = (refused, repaired);
    let misread = pulled.refused.len();
    let mut taken = Vec::new();
    for (slot, entry) in state.document.slots().iter().filter_map(|slot| Some((slot, slot.entry()?))) {
        let (record, proof) = state.sources.record_of(entry);
        let record = record.unwrap_or_default();
        let names = [Some(recipient.project), recipient.known_as].into_iter().flatten().filter_map(label);
        if !record.source_project.is_empty() && names.into_iter().any(|name| name == record.source_project) {
            pulled.echoes += 1;
            continue;
        }
        let accepted = accept(entry, record, proof, recipient);
        match accepted.and_then(|candidate| check_words(slot, entry, recipient.most_characters).map(|()| candidate)) {
            Ok(candidate) => taken.push(candidate),
            Err(reason) => pulled.refused.push(refusal(entry, reason)),
        }
    }
    let lesson = |candidate: &Candidate<'_>| Some(candidate.pattern().identity());
    let taken = contest(taken, lesson, by_sightings, "says the same and was seen more often", &mut pulled.set_aside);
    let question = |candidate: &Candidate<'_>| candidate.pattern().question().map(|(trigger, repo)| (trigger, repo.to_owned()));
    let taken = contest(taken, question, by_rate, "has the same trigger and the higher rate", &mut pulled.set_aside);
    for candidate in taken {
        match candidate.line(recipient.project) {
            Ok(line) => pulled.lines.push(line),
            Err(reason) => pulled.refused.push(refusal(candidate.entry, reason)),
        }
    }
    let refused: HashSet<&str> = pulled.refused[misread..].iter().map(|remark| &*remark.id).collect();
    pulled.repaired.retain(|remark| !refused.contains(&*remark.id));
    pulled
}

/// An entry that may be taken.
struct Candidate<'a> {
    entry: &'a Entry,
    record: Record,
    signed_by: Option<String>,
    time: Timestamp,
}

impl Candidate<'_> {
    fn pattern(&self) -> &SharedPattern {
        &self.entry.pattern
    }

    /// The event. Everything in it comes from the entry and its record, so that the same ones give the same line and id.
    fn line(&self, project: &str) -> Result<String, String> {
        let (pattern, record) = (self.pattern(), &self.record);
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let identity = json!([
            pattern.id,
            self.entry.content_hash(),
            record.source_project,
            record.source_id,
            record.pushed_at,
            record.pushed_by,
            self.signed_by
        ]);
        Draft::new("learning", self.time, project)
            .with("id", format!("shared-{}-{}", pattern.id, &sha256(identity.to_string().as_bytes())[..32]))
            .with("summary", &*pattern.summary)
            .with("category", &*pattern.category)
            .with("confidence", &*pattern.confidence)
            .with_some("trigger", pattern.trigger.clone())
            .with_some("scope", pattern.scope.clone())
            .with("repo", &*pattern.repo)
            .with_items("applies_to", pattern.applies_to.clone())
            .with_items("tags", pattern.context.clone())
            .with("seen_count", pattern.seen_count)
            .with_some("success_rate", pattern.success_rate)
            .with_some("source_project", some(&record.source_project))
            .with_some("source_id", some(&record.source_id))
            .with("shared_id", &*pattern.id)
            .with_some("origin", record.source.clone())
            .with_some("pushed_by", some(&record.pushed_by))
            .with_some("signed_by", self.signed_by.clone())
            .with_some("unsigned", self.signed_by.is_none().then_some(true))
            .finish()
    }
}

/// An entry that may be taken, or why it may not.
fn accept<'a>(entry: &'a Entry, record: Record, proof: Proof, recipient: &Recipient<'_>) -> Result<Candidate<'a>, String> {
    let signed_by = match proof {
        Proof::Broken(reason) => return Err(reason.to_owned()),
        Proof::Unsigned if !recipient.trusted_keys.is_empty() => {
            return Err("it is not signed, and only the keys of `share.trusted_keys` are accepted".to_owned());
        }
        Proof::Unsigned if !recipient.take_unsigned => {
            return Err("it is not signed, and the setting `share.take_unsigned` is off".to_owned());
        }
        Proof::Unsigned => None,
        Proof::Signed(key) => {
            let is_trusted = recipient.trusted_keys.iter().any(|trusted| trusted.trim().eq_ignore_ascii_case(&key));
            if !recipient.trusted_keys.is_empty() && !is_trusted {
                return Err(format!("its key {key} is not trusted"));
            }
            Some(key)
        }
    };
    if entry.pattern.is_flagged_for_removal() {
        return Err("it is flagged for removal".to_owned());
    }
    if entry.pattern.is_about_the_tool() {
        return Err("it is about the tool itself".to_owned());
    }
    let written = [Some(&*record.pushed_at), entry.updated_at.as_deref()].into_iter().flatten().find_map(parse_time);
    // Entries without any time come from writers that knew none. Theirs must be the same at every reading.
    let micros = written.unwrap_or(limit::EARLIEST_MICROS);
    if micros < limit::EARLIEST_MICROS || micros > recipient.now.as_microsecond().saturating_add(limit::AHEAD_MICROS) {
        return Err("its time is before 2000 or more than a day in the future".to_owned());
    }
    let time = Timestamp::from_microsecond(micros).map_err(|_| "its time is invalid".to_owned())?;
    Ok(Candidate { entry, record, signed_by, time })
}

/// Why the words and the figures of an entry may not be taken. They end up in prompts, so what would speak to an agent there,
/// or hide from people, is refused rather than repaired.
fn check_words(slot: &Slot, entry: &Entry, most_characters: usize) -> Result<(), String> {
    let pattern = &entry.pattern;
    let sentences = ["summary", "trigger"].map(|name| (name, slot.written(name).unwrap_or_default()));
    for (name, text) in sentences {
        if text.chars().nth(most_characters).is_some() {
            return Err(format!("its `{name}` has more than {most_characters} characters"));
        }
        if text.chars().any(is_unprintable) {
            return Err(format!("its `{name}` has a line break or another character that cannot be printed"));
        }
    }
    let labels = [("repo", &*pattern.repo), ("scope", pattern.scope.as_deref().unwrap_or_default())].into_iter();
    let lists = [("applies_to", &pattern.applies_to), ("context", &pattern.context)];
    let items = lists.into_iter().flat_map(|(name, items)| items.iter().map(move |item| (name, &**item)));
    for (name, text) in sentences.into_iter().chain(labels).chain(items) {
        if let Some(marker) = find_marker(text) {
            return Err(format!("its `{name}` has the marker {}", quoted(marker)));
        }
        if let Some(words) = find_injection(text) {
            return Err(format!("its `{name}` gives orders to the agent that reads it: {}", quoted(&words)));
        }
    }
    if pattern.seen_count > MOST_PLAUSIBLE_SEEN {
        return Err(format!("its `seen_count` is implausible: more than {MOST_PLAUSIBLE_SEEN}"));
    }
    Ok(())
}

/// Leaves the best of those that share a key, where they stand.
fn contest<'a, K: Eq + Hash>(
    candidates: Vec<Candidate<'a>>,
    key: impl Fn(&Candidate<'a>) -> Option<K>,
    better: fn(&Candidate<'_>) -> Rank,
    why: &str,
    set_aside: &mut Vec<Remark>,
) -> Vec<Candidate<'a>> {
    let mut best: HashMap<K, usize> = HashMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        if let Some(key) = key(candidate) {
            let place = best.entry(key).or_insert(index);
            if better(candidate) > better(&candidates[*place]) {
                *place = index;
            }
        }
    }
    let mut winners = vec![None; candidates.len()];
    for (index, candidate) in candidates.iter().enumerate() {
        winners[index] = key(candidate).and_then(|key| best.get(&key).copied()).filter(|winner| *winner != index);
    }
    for (index, winner) in winners.iter().enumerate() {
        if let Some(winner) = winner {
            let reason = format!("{} {why}", candidates[*winner].pattern().id);
            set_aside.push(Remark { id: candidates[index].pattern().id.clone(), reason, is_refused: false });
        }
    }
    candidates.into_iter().zip(winners).filter(|(_, winner)| winner.is_none()).map(|(candidate, _)| candidate).collect()
}

/// What decides between two entries, the weightiest first. Nothing ties: ids are unique.
type Rank = (i64, i64, Timestamp, Reverse<String>);

fn by_sightings(candidate: &Candidate<'_>) -> Rank {
    let pattern = candidate.pattern();
    (pattern.seen_count, percent(pattern), candidate.time, Reverse(pattern.id.clone()))
}

fn by_rate(candidate: &Candidate<'_>) -> Rank {
    let pattern = candidate.pattern();
    (percent(pattern), pattern.seen_count, candidate.time, Reverse(pattern.id.clone()))
}

/// The rate in hundredths; no rate is less than any.
#[expect(clippy::cast_possible_truncation, reason = "a rate lies between 0 and 1")]
fn percent(pattern: &SharedPattern) -> i64 {
    pattern.success_rate.map_or(-1, |rate| (rate * 100.0).round() as i64)
}

fn refusal(entry: &Entry, reason: String) -> Remark {
    Remark { id: entry.pattern.id.clone(), reason, is_refused: true }
}
