//! Which patterns a verdict's rejected findings blame: the best match of all findings with all patterns together. Looked at one by
//! one, a short generic pattern would take the blame of a longer one that says more.

use std::collections::VecDeque;

use super::registry::Place;
use text::review::Likeness;
use text::word::{Tokens, reaches};

/// What a finding gains by the pattern that it names by id or in the same words.
const CERTAIN: i64 = 10_000_000;
/// What all shared words are worth.
const ALL_WORDS: i64 = 1_000_000;
/// What a pattern gains that was said in what is judged, and how much less of the words it must share.
const SIGHTED: i64 = 400_000;
const SIGHTED_OVERLAP: f64 = 0.1;
/// The least part of all words that any other pattern must share: a short one shares all of its own with many findings.
const LEAST_LIKENESS: f64 = 0.3;
/// What a finding loses that blames a pattern which another one blames already: two findings may mean one pattern, but two that
/// are alike are told apart first.
const SHARED: i64 = 200_000;
/// What no match can outweigh.
const IMPOSSIBLE: i64 = 1 << 40;
/// The most findings of one verdict that are matched.
const MOST_FINDINGS: usize = 100;
/// The most patterns that are tried for one finding.
const MOST_SUSPECTS: usize = 16;

/// A pattern that a finding may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Suspect {
    pub(super) place: Place,
    worth: i64,
}

impl Suspect {
    /// The pattern that is named by its id or in its own words.
    pub(super) const fn certain(place: Place) -> Self {
        Self { place, worth: CERTAIN }
    }

    /// A pattern that speaks of the same, worth the part of all words that both share; none if they share too few. Of a pattern that
    /// was said in what is judged, fewer will do.
    pub(super) fn alike(place: Place, own: &Tokens, finding: &Tokens, is_sighted: bool, rule: Likeness) -> Option<Self> {
        let is_alike = if is_sighted {
            let rule = Likeness { overlap: rule.overlap - SIGHTED_OVERLAP, shared: rule.shared.saturating_sub(1).max(1) };
            rule.is_alike(own, finding)
        } else {
            rule.is_alike(own, finding) && reaches(own.likeness(finding), LEAST_LIKENESS)
        };
        let shared = own.shared(finding);
        let all = own.len() + finding.len() - shared;
        let part = i64::try_from(shared).unwrap_or(0) * ALL_WORDS / i64::try_from(all.max(1)).unwrap_or(i64::MAX);
        is_alike.then_some(Self { place, worth: part + if is_sighted { SIGHTED } else { 0 } })
    }
}

/// The patterns that are blamed, sorted: those of the match that is worth the most. Where several matches are worth the same, only
/// those that all of them blame.
pub(super) fn blame(findings: &[Vec<Suspect>]) -> Vec<Place> {
    let findings: Vec<Vec<Suspect>> = findings.iter().take(MOST_FINDINGS).map(|suspects| likeliest(suspects)).collect();
    let mut places: Vec<Place> = findings.iter().flatten().map(|suspect| suspect.place).collect();
    places.sort_unstable();
    places.dedup();
    if places.is_empty() {
        return places;
    }
    let matching = Matching::find(&findings, &places);
    (0..places.len()).filter(|column| matching.is_certain(*column)).map(|column| places[column]).collect()
}

fn likeliest(suspects: &[Suspect]) -> Vec<Suspect> {
    let mut suspects = suspects.to_vec();
    suspects.sort_unstable_by_key(|suspect| (-suspect.worth, suspect.place));
    suspects.truncate(MOST_SUSPECTS);
    suspects
}

/// The cheapest way to give each finding a column of its own (the Hungarian method). A column is a pattern, or stands for a finding
/// that blames none, or one that is blamed already.
struct Matching {
    /// The cost of each finding in each column.
    costs: Vec<Vec<i64>>,
    /// The finding in each column.
    holders: Vec<Option<usize>>,
    /// What findings and columns add to the costs, such that no pair is cheaper than their sum and matched pairs cost just that.
    row_prices: Vec<i64>,
    column_prices: Vec<i64>,
}

impl Matching {
    fn find(findings: &[Vec<Suspect>], places: &[Place]) -> Self {
        let columns = places.len() + findings.len();
        let costs = findings.iter().enumerate().map(|(row, suspects)| {
            let mut costs = vec![IMPOSSIBLE; columns];
            for suspect in suspects {
                if let Ok(column) = places.binary_search(&suspect.place) {
                    costs[column] = costs[column].min(-suspect.worth);
                }
            }
            let best = suspects.iter().map(|suspect| suspect.worth).max().unwrap_or(0);
            costs[places.len() + row] = -(best - SHARED).max(0);
            costs
        });
        let mut matching = Self {
            costs: costs.collect(),
            holders: vec![None; columns],
            row_prices: vec![0; findings.len()],
            column_prices: vec![0; columns],
        };
        for row in 0..findings.len() {
            matching.place(row);
        }
        matching
    }

    /// Finds a column for one more finding, along the cheapest chain of findings that move on to another column.
    fn place(&mut self, row: usize) {
        let columns = self.holders.len();
        let mut slack = vec![i64::MAX; columns];
        let mut reached_from: Vec<Option<usize>> = vec![None; columns];
        let mut is_used = vec![false; columns];
        let (mut at, mut mover) = (None, row);
        let free = loop {
            if let Some(column) = at {
                is_used[column] = true;
            }
            for column in (0..columns).filter(|column| !is_used[*column]) {
                let cost = self.surplus(mover, column);
                if cost < slack[column] {
                    (slack[column], reached_from[column]) = (cost, at);
                }
            }
            let cheapest = (0..columns).filter(|column| !is_used[*column]).min_by_key(|column| slack[*column]);
            // There are more columns than findings, so one is always free.
            let Some(next) = cheapest else { return };
            self.reprice(row, slack[next], &is_used, &mut slack);
            at = Some(next);
            match self.holders[next] {
                Some(holder) => mover = holder,
                None => break next,
            }
        };
        let mut column = free;
        while let Some(before) = reached_from[column] {
            self.holders[column] = self.holders[before];
            column = before;
        }
        self.holders[column] = Some(row);
    }

    fn reprice(&mut self, row: usize, delta: i64, is_used: &[bool], slack: &mut [i64]) {
        self.row_prices[row] += delta;
        for (column, is_used) in is_used.iter().enumerate() {
            if *is_used {
                self.column_prices[column] -= delta;
                if let Some(holder) = self.holders[column] {
                    self.row_prices[holder] += delta;
                }
            } else {
                slack[column] -= delta;
            }
        }
    }

    fn surplus(&self, row: usize, column: usize) -> i64 {
        self.costs[row][column] - self.row_prices[row] - self.column_prices[column]
    }

    /// Whether a column is held in every match that is worth as much: its finding can move on to no free column at the same cost,
    /// directly or by moving others on.
    fn is_certain(&self, column: usize) -> bool {
        let Some(holder) = self.holders[column] else { return false };
        // Another finding wants the column as well.
        if self.column_prices[column] != 0 {
            return true;
        }
        let mut is_seen = vec![false; self.costs.len()];
        is_seen[holder] = true;
        let mut waiting = VecDeque::from([holder]);
        while let Some(row) = waiting.pop_front() {
            for other in (0..self.holders.len()).filter(|other| *other != column && self.surplus(row, *other) == 0) {
                match self.holders[other] {
                    None => return false,
                    Some(next) if !is_seen[next] => {
                        is_seen[next] = true;
                        waiting.push_back(next);
                    }
                    Some(_) => {}
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Suspect, blame};

    fn findings(table: &[&[(u32, i64)]]) -> Vec<Vec<Suspect>> {
        table.iter().map(|row| row.iter().map(|(place, worth)| Suspect { place: *place, worth: *worth }).collect()).collect()
    }

    #[test]
    fn the_best_match_of_all_together_wins() {
        // Each alone would blame pattern 1; together the second finding has a pattern of its own.
        assert_eq!(blame(&findings(&[&[(1, 900_000)], &[(1, 950_000), (2, 800_000)]])), [1, 2]);
        // Both mean pattern 1: the other one is too far off.
        assert_eq!(blame(&findings(&[&[(1, 900_000)], &[(1, 950_000), (2, 400_000)]])), [1]);
    }

    #[test]
    fn a_tie_blames_nobody_unless_another_finding_breaks_it() {
        assert_eq!(blame(&findings(&[&[(1, 500_000), (2, 500_000)]])), [0; 0]);
        assert_eq!(blame(&findings(&[&[(1, 500_000), (2, 500_000)], &[(2, 900_000)]])), [1, 2]);
        assert_eq!(blame(&findings(&[&[(1, 500_000), (2, 500_000)], &[(1, 500_000), (2, 500_000)]])), [1, 2]);
        assert_eq!(blame(&findings(&[&[(1, 500_000), (2, 500_001)]])), [2]);
        assert_eq!(blame(&findings(&[&[], &[]])), [0; 0]);
        // Two findings of the same words mean one pattern.
        assert_eq!(blame(&findings(&[&[(1, 10_000_000)], &[(1, 10_000_000)]])), [1]);
    }
}
