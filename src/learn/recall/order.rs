//! Which patterns fit a question, the best first.

use std::cmp::Ordering;

use super::entry::Entry;
use super::filter::is_for;
use super::score::{Context, score_entry};
use super::tool::ToolMatcher;
use crate::learn::relevance::Rater;
use crate::pattern::Category;
use crate::setting::{InjectSettings, Order};

/// The order of categories where no goal says otherwise.
const CATEGORIES: [&str; 4] = ["mistake", "convention", "pattern", "insight"];

/// What patterns are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An agent's turn: by category, then by what each is worth.
    Turn,
    /// The use of a tool.
    Tool,
    /// A role's judgement: by what each is worth.
    Role,
}

/// Who asks for patterns, and what for.
#[derive(Debug)]
pub struct Question<'q> {
    /// What they are wanted for.
    pub purpose: Purpose,
    /// The agent, by its full name.
    pub agent: Option<&'q str>,
    /// The role.
    pub role: Option<&'q str>,
    /// The repository.
    pub repo: Option<&'q str>,
    /// The project.
    pub project: Option<&'q str>,
    /// The task.
    pub context: Context,
    /// Rates patterns by the files that are given.
    pub rater: Option<&'q Rater>,
    /// Tells what belongs beside a tool's use.
    pub tool: Option<&'q ToolMatcher>,
    /// The categories that help to reach the goal, the most helpful first.
    pub priority: &'q [String],
    /// Patterns that are not wanted.
    pub without: &'q [String],
    /// Whether patterns that are to be pruned are shown all the same.
    pub keeps_prune: bool,
    /// The instant that is asked for, in microseconds since 1970.
    pub now_micros: i64,
}

/// A pattern that fits.
#[derive(Debug, Clone)]
pub struct Candidate<'e> {
    /// The pattern.
    pub entry: Entry<'e>,
    /// What it is worth.
    pub score: f64,
    /// How relevant it is to the files that are given.
    pub relevance: f64,
    /// The role that learned it, if that is another one.
    pub via: Option<String>,
}

/// The patterns that fit, the best first. Entries come in the order of the pattern file.
#[must_use]
pub fn recall<'e>(
    entries: impl Iterator<Item = Entry<'e>>,
    question: &Question<'_>,
    settings: &InjectSettings,
) -> Vec<Candidate<'e>> {
    let mut candidates: Vec<Candidate<'e>> = entries
        .filter(|entry| is_for(entry, question) && question.tool.is_none_or(|tool| tool.is_beside(entry)))
        .filter_map(|entry| weigh(entry, question, settings))
        .collect();
    match question.purpose {
        Purpose::Role => {
            candidates.retain(|candidate| candidate.score >= settings.score.least);
            candidates.sort_by(compare_by_worth);
            limit_other_roles(candidates, settings.most_historical)
        }
        Purpose::Turn | Purpose::Tool => {
            candidates.sort_by_cached_key(|candidate| Rank::of(candidate, question, settings));
            candidates
        }
    }
}

/// A pattern with what it is worth to whoever asks. One that was learned by a role is for that role, and for its kin at a discount.
fn weigh<'e>(entry: Entry<'e>, question: &Question<'_>, settings: &InjectSettings) -> Option<Candidate<'e>> {
    let mut score = score_entry(&entry, &question.context, question.now_micros, &settings.score);
    let is_own = entry.role.is_empty() || question.role.is_some_and(|asking| asking.eq_ignore_ascii_case(&entry.role));
    let via = (!is_own).then(|| entry.role.clone().into_owned());
    if let Some(role) = &via {
        let kin = question.role.and_then(|asking| settings.roles.kindred(asking))?;
        kin.iter().find(|known| known.eq_ignore_ascii_case(role))?;
        score *= settings.score.other_role;
    }
    let relevance =
        question.rater.map_or(0.0, |rater| rater.rate(&entry.summary, &entry.tags.replace(char::is_control, "|")).score);
    Some(Candidate { entry, score, relevance, via })
}

/// Own patterns first, those of other roles behind them and at most a third of all lines.
fn limit_other_roles(candidates: Vec<Candidate<'_>>, most: usize) -> Vec<Candidate<'_>> {
    let (mut own, mut others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.via.is_none());
    let shown = own.len().min(most);
    // Of n lines a third may be others': with k own ones that is half of k.
    others.truncate((shown / 2).min(most / 3));
    own.truncate(most - others.len());
    own.extend(others);
    own
}

fn compare_by_worth(one: &Candidate<'_>, other: &Candidate<'_>) -> Ordering {
    other
        .score
        .total_cmp(&one.score)
        .then_with(|| other.entry.successes.total_cmp(&one.entry.successes))
        .then_with(|| other.entry.used_micros.cmp(&one.entry.used_micros))
        .then_with(|| number(&one.entry.id).cmp(&number(&other.entry.id)))
        .then_with(|| one.entry.id.cmp(&other.entry.id))
}

/// The place of a pattern among others; the lowest comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    category: usize,
    confidence: usize,
    relevance: Descending,
    score: Descending,
    number: Option<u32>,
}

/// A number of which the highest comes first.
#[derive(Debug, PartialEq, Clone, Copy)]
struct Descending(f64);

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl Rank {
    fn of(candidate: &Candidate<'_>, question: &Question<'_>, settings: &InjectSettings) -> Self {
        let is_by_score = settings.order == Order::Score;
        Self {
            category: category_rank(&candidate.entry.category, question.priority),
            confidence: if is_by_score { 0 } else { confidence_rank(&candidate.entry.confidence) },
            relevance: Descending(if is_by_score { candidate.relevance } else { 0.0 }),
            score: Descending(if is_by_score { candidate.score } else { 0.0 }),
            // The sort is stable: without a number the order of the pattern file stays.
            number: if is_by_score { number(&candidate.entry.id) } else { None },
        }
    }
}

/// The place of a category in the goal's list, else in the program's. A category that neither names comes last.
fn category_rank(category: &str, priority: &[String]) -> usize {
    let family = Category::from_name(category).map_or(category, |category| category.family().name());
    let place = if priority.is_empty() {
        CATEGORIES.iter().position(|known| *known == family)
    } else {
        priority.iter().position(|known| known.eq_ignore_ascii_case(category) || known.eq_ignore_ascii_case(family))
    };
    place.unwrap_or(usize::MAX)
}

fn confidence_rank(confidence: &str) -> usize {
    match confidence {
        "high" => 0,
        "medium" => 1,
        _ => 2,
    }
}

fn number(id: &str) -> Option<u32> {
    crate::pattern::pattern_number(id)
}
