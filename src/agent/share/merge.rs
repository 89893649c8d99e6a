//! Bringing the patterns of a project into a shared place: each lesson once, and nothing of other projects lost.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;

use super::content::{MOST_PLAUSIBLE_SEEN, SharedPattern, id_number, is_pattern_id, label};
use super::document::{Entry, State};
use super::signature::{Proof, Signer};
use super::source::Record;
use event::parse_time;
use text::limit;

/// Numbers that a hostile id may not push the count beyond.
const MOST_COUNTED: u64 = 999_999_999;

/// What a project shares.
#[derive(Debug, Clone)]
pub struct Local<'a> {
    pub org_id: &'a str,
    pub project: &'a str,
    pub pushed_by: &'a str,
    pub now: Timestamp,
    pub patterns: Vec<SharedPattern>,
}

/// How many patterns were not shared, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Withheld {
    pub flagged: usize,
    pub about_the_tool: usize,
    pub blank: usize,
    /// They say the same as another one of the project, or have its id.
    pub duplicate: usize,
}

/// What became of the patterns of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    pub added: usize,
    /// How many entries were changed.
    pub updated: usize,
    /// How many entries say what they should already.
    pub unchanged: usize,
    /// How many entries were changed by others later than this project's clock shows, and stay.
    pub older: usize,
    /// The patterns whose ids were taken, and their shared ids.
    pub renumbered: Vec<(String, String)>,
    pub withheld: Withheld,
    /// How many of the added and changed ones were never tried here: they carry their source.
    pub untried: usize,
    /// Whether the files differ from before.
    pub is_changed: bool,
}

/// Brings the patterns of a project into a shared place. Doing it twice changes nothing more.
///
/// An entry that this workspace wrote for the same local id is changed in place; else the entry of the same lesson is, if this
/// project's knowledge is the newer; else the pattern is added.
pub fn merge(state: &mut State, local: &Local<'_>, signer: &Signer) -> Merged {
    let mut merged = Merged::default();
    let patterns = choose(&local.patterns, &mut merged.withheld);
    merged.is_changed = state.document.org_id().is_none() || state.sources.org_id().is_none();
    if merged.is_changed {
        state.document.set_org_id(local.org_id);
        state.sources.set_org_id(local.org_id);
    }
    let mut merging = Merging { used: used_numbers(state), key: signer.public_key(), state, local, signer, merged };
    let own = merging.own_entries();
    let (known, unknown): (Vec<_>, Vec<_>) = patterns.into_iter().partition(|pattern| own.contains_key(&pattern.id));
    for pattern in known {
        let shared_id = own.get(&pattern.id).cloned();
        merging.bring(pattern, shared_id);
    }
    // Only here: entries that were reworded above are another lesson from then on.
    let lessons = merging.lessons();
    for pattern in unknown {
        let shared_id = lessons.get(&pattern.identity()).cloned();
        merging.bring(pattern, shared_id);
    }
    merging.merged
}

/// The patterns that are shared, tidied, each lesson and each id once: where two say the same, the one that was seen more often.
fn choose(patterns: &[SharedPattern], withheld: &mut Withheld) -> Vec<SharedPattern> {
    let mut chosen: Vec<SharedPattern> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for pattern in patterns.iter().cloned().map(SharedPattern::tidied) {
        let pattern = SharedPattern { seen_count: pattern.seen_count.min(MOST_PLAUSIBLE_SEEN), ..pattern };
        if pattern.summary.is_empty() {
            withheld.blank += 1;
        } else if pattern.is_flagged_for_removal() {
            withheld.flagged += 1;
        } else if pattern.is_about_the_tool() {
            withheld.about_the_tool += 1;
        } else if let Some(place) = places.get(&pattern.identity()) {
            withheld.duplicate += 1;
            if (pattern.seen_count, &chosen[*place].id) > (chosen[*place].seen_count, &pattern.id) {
                chosen[*place] = pattern;
            }
        } else {
            places.insert(pattern.identity(), chosen.len());
            chosen.push(pattern);
        }
    }
    let mut ids = HashSet::new();
    let found = chosen.len();
    chosen.retain(|pattern| ids.insert(pattern.id.clone()));
    withheld.duplicate += found - chosen.len();
    chosen
}

/// The numbers that stand for something already. Records count too: their entries may be about to appear.
fn used_numbers(state: &State) -> BTreeSet<u64> {
    let written = state.document.slots().iter().filter_map(|slot| slot.written_id());
    written.chain(state.sources.ids()).filter_map(id_number).collect()
}

struct Merging<'a, 'l> {
    state: &'a mut State,
    local: &'a Local<'l>,
    signer: &'a Signer,
    key: String,
    used: BTreeSet<u64>,
    merged: Merged,
}

/// What is to be done about an entry.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Keep,
    KeepNewer,
    Replace,
}

impl Merging<'_, '_> {
    /// The shared ids of what this workspace wrote, by local id. Another workspace of the same project has its own numbers.
    fn own_entries(&self) -> HashMap<String, String> {
        let mut own = HashMap::new();
        for id in self.state.sources.ids().filter(|id| is_pattern_id(id)) {
            let Some(record) = self.state.sources.record(id) else { continue };
            let is_own = Some(&*record.source_project) == label(self.local.project).as_deref();
            if is_own && record.key.is_none_or(|key| key == self.key) {
                own.entry(record.source_id).or_insert_with(|| id.to_owned());
            }
        }
        own
    }

    /// The shared ids of all lessons.
    fn lessons(&self) -> HashMap<String, String> {
        let entries = self.state.document.slots().iter().rev().filter_map(|slot| slot.entry());
        entries.map(|entry| (entry.pattern.identity(), entry.pattern.id.clone())).collect()
    }

    /// Brings one pattern in, in the place of an entry if there is one.
    fn bring(&mut self, pattern: SharedPattern, shared_id: Option<String>) {
        let Some(id) = shared_id else {
            let id = self.free_id(&pattern.id);
            if id != pattern.id {
                self.merged.renumbered.push((pattern.id.clone(), id.clone()));
            }
            self.merged.added += 1;
            return self.write(pattern, &id);
        };
        let Some(entry) = self.state.document.entry(&id).cloned() else {
            // The record was written and the entry was not: the writer was stopped in between.
            self.merged.added += 1;
            return self.write(pattern, &id);
        };
        match self.judge(&pattern, &entry) {
            Verdict::Keep => self.merged.unchanged += 1,
            Verdict::KeepNewer => self.merged.older += 1,
            Verdict::Replace => {
                self.merged.updated += 1;
                self.write(pattern, &id);
            }
        }
    }

    fn judge(&self, pattern: &SharedPattern, entry: &Entry) -> Verdict {
        let (record, proof) = self.state.sources.record_of(entry);
        // An entry without a record also has an owner, who is unknown.
        let project = label(self.local.project);
        let is_foreign = record.as_ref().is_none_or(|record| Some(&record.source_project) != project.as_ref());
        // What was never tried here says nothing that its own project does not say better, and is not ours to vouch for.
        if is_foreign && pattern.is_untried {
            return Verdict::Keep;
        }
        if matches!(proof, Proof::Broken(_)) {
            return Verdict::Replace;
        }
        let digest = pattern.digest();
        if entry.pattern.digest() == digest {
            return if matches!(proof, Proof::Signed(_)) { Verdict::Keep } else { Verdict::Replace };
        }
        // Two projects that know the same lesson would else take turns without having learned anything.
        if proof != Proof::Signed(self.key.clone()) && self.state.sources.offer(&entry.pattern.id, &self.key) == Some(&*digest) {
            return Verdict::Keep;
        }
        let time = entry.updated_at.as_deref().or(record.as_ref().map(|record| &*record.pushed_at)).and_then(parse_time);
        let now = self.local.now.as_microsecond();
        // A time far ahead is a broken clock, and would keep the entry from ever changing again.
        let is_newer = time.is_some_and(|time| time > now && time <= now.saturating_add(limit::AHEAD_MICROS));
        if is_newer { Verdict::KeepNewer } else { Verdict::Replace }
    }

    fn write(&mut self, pattern: SharedPattern, id: &str) {
        let now = self.local.now.to_string();
        let source = pattern.source.clone().filter(|_| pattern.is_untried);
        self.merged.untried += usize::from(source.is_some());
        let record = Record {
            source_project: label(self.local.project).unwrap_or_default(),
            source,
            source_id: pattern.id.clone(),
            pushed_at: now.clone(),
            pushed_by: label(self.local.pushed_by).unwrap_or_default(),
            ..Record::default()
        };
        let (mut previous, mut offer) = (None, None);
        if let Some(before) = self.state.document.entry(id) {
            let (record, proof) = self.state.sources.record_of(before);
            if !matches!(proof, Proof::Broken(_)) {
                previous = Some(record.unwrap_or_default().remembered(before));
            }
            if let Proof::Signed(key) = proof {
                offer = Some((key, before.pattern.digest()));
            }
        }
        let entry = Entry { pattern: SharedPattern { id: id.to_owned(), ..pattern }, updated_at: Some(now) };
        let record = self.signer.sign(record, &entry);
        self.state.sources.put(id, &record, previous.as_ref(), offer);
        self.state.document.put(entry);
        self.merged.is_changed = true;
    }

    /// The pattern's own id if nobody has it, else the next one that is free.
    fn free_id(&mut self, wanted: &str) -> String {
        if let Some(number) = id_number(wanted)
            && self.used.insert(number)
        {
            return wanted.to_owned();
        }
        let last = self.used.range(..=MOST_COUNTED).next_back().copied().unwrap_or(0);
        let mut number = last + 1;
        while !self.used.insert(number) {
            number += 1;
        }
        format!("P-{number:03}")
    }
}
