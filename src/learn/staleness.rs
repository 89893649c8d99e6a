//! For how many iterations a pattern was not seen. Iterations count in the order of time, whatever their run and number.

use std::collections::BTreeMap;

use event::row::Rows;
use text::diagnostic::Outcome;

/// When the iterations of each project began, in the order of time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Iterations(BTreeMap<String, Vec<i64>>);

impl Iterations {
    /// Iterations from the instants in which they began, in any order.
    #[must_use]
    pub fn new(mut starts: BTreeMap<String, Vec<i64>>) -> Self {
        for starts in starts.values_mut() {
            starts.sort_unstable();
        }
        Self(starts)
    }

    /// How many iterations of some projects began after an instant.
    pub fn since<'p>(&self, projects: impl IntoIterator<Item = &'p String>, micros: i64) -> u64 {
        let later = projects.into_iter().filter_map(|project| self.0.get(project)).map(|starts| {
            let begun = starts.partition_point(|&start| start <= micros);
            starts.len() - begun
        });
        later.sum::<usize>() as u64
    }
}

event::row! {
    /// The beginning of an iteration, as `sql/merge/iteration.sql` yields it.
    struct Start<'r> {
        project: &'r str,
        started_us: i64,
    }
}

/// Reads the rows of `sql/merge/iteration.sql`.
pub fn parse_iterations(rows: &Rows) -> Outcome<Iterations> {
    let mut starts: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    rows.each(|Start { project, started_us }| {
        // There are few projects: almost every row finds its list without a new key.
        match starts.get_mut(project) {
            Some(list) => list.push(started_us),
            None => drop(starts.insert(project.to_owned(), vec![started_us])),
        }
        Ok(())
    })?;
    Ok(Iterations::new(starts))
}
