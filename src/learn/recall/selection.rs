//! The best of the patterns that fit, chosen while they are read: of thousands only the few that are shown are ever held.

use std::collections::BinaryHeap;

use super::entry::Entry;
use super::filter::is_for;
use super::holdout::{Tossed, is_doubtful};
use super::order::{Rank, Worth};
use super::question::{Prune, Purpose, Question};
use super::score::score_entry;
use setting::InjectSettings;

/// A pattern that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The pattern.
    pub entry: Entry<'static>,
    /// What it is worth.
    pub score: f64,
    /// How relevant it is to the files that are given.
    pub relevance: f64,
    /// How much it is like what is sought, if that is known.
    pub similarity: Option<f64>,
    /// The role that learned it, if that is another one.
    pub via: Option<String>,
    /// How its coin fell, where it was tossed while patterns were chosen.
    pub tossed: Option<Tossed>,
    /// Whether a place was kept for it, though it is mostly withheld.
    pub has_turn: bool,
}

/// Of so many places one is kept for a pattern that is mostly withheld. Where there are fewer, an empty one would cost too much.
const KEPT_FROM: usize = 8;

/// The best of the patterns that fit.
#[derive(Debug)]
pub struct Selection<'s> {
    question: &'s Question<'s>,
    settings: &'s InjectSettings,
    /// Those that are the asking role's, or everybody's.
    own: Best,
    /// Those of other roles of its kind.
    others: Best,
    /// Those that are mostly withheld, and whose turn it is among them.
    doubtful: Best,
    turn: Option<(u64, Held)>,
    offered: usize,
    fitting: usize,
    /// Whether the asking role has patterns of its own, worth showing or not.
    has_learned: bool,
}

impl<'s> Selection<'s> {
    /// A selection of so many patterns.
    #[must_use]
    pub fn new(question: &'s Question<'s>, settings: &'s InjectSettings, most: usize) -> Self {
        let [own, others, doubtful] = [most, most / 3, most].map(Best::new);
        Self { question, settings, own, others, doubtful, turn: None, offered: 0, fitting: 0, has_learned: false }
    }

    /// Takes a pattern if it fits and is among the best. Patterns come in the order of the pattern file.
    pub fn offer(&mut self, entry: Entry<'_>) {
        let place = self.offered;
        self.offered += 1;
        let question = self.question;
        if !is_for(&entry, question) || !question.tool.is_none_or(|tool| tool.is_beside(&entry)) {
            return;
        }
        self.has_learned |= !entry.role.is_empty() && question.role.is_some_and(|asking| asking.eq_ignore_ascii_case(&entry.role));
        let Some((worth, is_own)) = self.weigh(&entry) else { return };
        if question.only_fitting && worth.relevance < self.settings.fit {
            return;
        }
        // Most coins are tossed once it is known what is shown: of thousands of patterns that is a handful.
        let is_doubtful = is_doubtful(&entry) && question.prune == Prune::Hidden;
        let tossed = question.tosser.filter(|_| is_doubtful).and_then(|tosser| tosser.toss(&entry));
        if is_doubtful && tossed.is_none() {
            return;
        }
        let rank = Rank::of(&entry, worth, place, question, self.settings);
        let make = || Candidate {
            score: worth.score,
            relevance: worth.relevance,
            similarity: worth.similarity,
            via: (!is_own).then(|| entry.role.clone().into_owned()),
            tossed,
            has_turn: false,
            entry: entry.into_owned(),
        };
        if let Some(tossed) = tossed.filter(|_| is_doubtful) {
            return self.offer_doubtful(tossed.turn, rank, make);
        }
        self.fitting += 1;
        let best = if is_own { &mut self.own } else { &mut self.others };
        best.offer(rank, make);
    }

    fn offer_doubtful(&mut self, turn: u64, rank: Rank, make: impl FnOnce() -> Candidate) {
        if self.turn.as_ref().is_some_and(|(first, _)| *first <= turn) {
            return self.doubtful.offer(rank, make);
        }
        if let Some((_, Held { rank, candidate })) = self.turn.replace((turn, Held { rank, candidate: make() })) {
            self.doubtful.offer(rank, || candidate);
        }
    }

    /// The best, in order, and how many fit in all. Of other roles' patterns there is at most a third, unless the role has none itself.
    /// Patterns that are mostly withheld get what is left, and one of them a place before all others: each has its turn, so that a full
    /// block cannot keep it from ever being acquitted. Coins have no say in this.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Candidate>, usize) {
        let most = self.own.most;
        let mut found = Vec::new();
        match self.turn.take().map(|(_, held)| held) {
            Some(Held { candidate, .. }) if most >= KEPT_FROM => found.push(Candidate { has_turn: true, ..candidate }),
            Some(Held { rank, candidate }) => self.doubtful.offer(rank, || candidate),
            None => {}
        }
        let kept = found.len();
        let mut own = self.own.sorted();
        own.truncate(most - kept);
        let mut others = self.others.sorted();
        // Of n lines a third may be others': with k own ones that is half of k. A role that has learned nothing itself gets its kin's.
        if self.has_learned {
            others.truncate(own.len() / 2);
        }
        own.truncate(most - kept - others.len());
        let usual = own.len() + others.len();
        found.extend(own.into_iter().chain(others).chain(self.doubtful.sorted()));
        found.truncate(most);
        let doubtful = found.len() - usual;
        (found, self.fitting + doubtful)
    }

    /// What a pattern is worth to whoever asks, and whether it is theirs. One that was learned by a role is for that role, and for
    /// its kin at a discount.
    fn weigh(&self, entry: &Entry<'_>) -> Option<(Worth, bool)> {
        let (question, settings) = (self.question, self.settings);
        let is_own = entry.role.is_empty() || question.role.is_some_and(|asking| asking.eq_ignore_ascii_case(&entry.role));
        if !is_own {
            let kin = question.role.and_then(|asking| settings.roles.kindred(asking))?;
            kin.iter().find(|known| known.eq_ignore_ascii_case(&entry.role))?;
        }
        let score = score_entry(entry, &question.context, question.now_micros, &settings.score);
        let likeness = question.similarities.and_then(|known| Some((known, known.of(&entry.summary)?)));
        let score = likeness.map_or(score, |(known, similarity)| known.blend(similarity, score));
        let score = if is_own { score } else { score * settings.score.other_role };
        if question.purpose == Purpose::Role && score < settings.score.least {
            return None;
        }
        let worth = Worth { score, relevance: self.relevance(entry), similarity: likeness.map(|(_, similarity)| similarity) };
        Some((worth, is_own))
    }

    /// How relevant a pattern is to the files that are given, or how well it fits the task that is given in words. One that was learned
    /// at a file of such a task fits in whole.
    fn relevance(&self, entry: &Entry<'_>) -> f64 {
        let question = self.question;
        let rate = |rater: &crate::relevance::Rater| rater.score(&entry.summary, &entry.tags.replace(char::is_control, "|"));
        match question.task {
            Some(_) if question.context.shares_file(entry) => 1.0,
            Some(words) => words.share(&entry.words),
            None => question.rater.map_or(0.0, rate),
        }
    }
}

/// The patterns of the lowest ranks. The one of the highest is on top, and goes first when a better one comes.
#[derive(Debug)]
struct Best {
    most: usize,
    held: BinaryHeap<Held>,
}

#[derive(Debug)]
struct Held {
    rank: Rank,
    candidate: Candidate,
}

impl Best {
    const fn new(most: usize) -> Self {
        Self { most, held: BinaryHeap::new() }
    }

    fn offer(&mut self, rank: Rank, make: impl FnOnce() -> Candidate) {
        let is_full = self.held.len() >= self.most;
        if is_full && self.held.peek().is_none_or(|worst| worst.rank <= rank) {
            return;
        }
        if is_full {
            self.held.pop();
        }
        self.held.push(Held { rank, candidate: make() });
    }

    fn sorted(self) -> Vec<Candidate> {
        self.held.into_sorted_vec().into_iter().map(|held| held.candidate).collect()
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}
