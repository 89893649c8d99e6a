//! What changed lately: the evidence of the last days, and the runs of the last weeks.

use super::flag::Flag;

/// How many days back the figures of a pattern are told. Pruning keeps at least so many days, so it cannot change them.
pub const HISTORY_DAYS: i64 = 14;

/// How many weeks back runs and goals are told.
pub const HISTORY_WEEKS: i64 = 12;

/// A pattern's figures on each of the last days, the earliest first and today last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    pub points: Vec<TracePoint>,
}

/// A pattern's figures some days ago, by what is known today. Staleness is known of today only.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TracePoint {
    pub seen: i64,
    pub rate: Option<f64>,
    pub flag: Flag,
}

impl Trace {
    /// The figures some days ago.
    #[must_use]
    pub fn ago(&self, days: usize) -> Option<&TracePoint> {
        self.points.iter().rev().nth(days)
    }

    /// For how many days the flag has been what it is; none where that is longer than is told.
    #[must_use]
    pub fn flag_days(&self) -> Option<usize> {
        let today = self.points.last()?.flag;
        self.points.iter().rev().position(|point| point.flag != today)
    }
}

event::row! {
    /// Runs of one of the last weeks.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WeekRuns {
        pub weeks_ago: i64,
        pub runs: i64,
        pub succeeded: i64,
    }
}

event::row! {
    /// Runs with a goal of one of the last weeks.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WeekGoals {
        pub weeks_ago: i64,
        pub judged: i64,
        pub met: i64,
    }
}

event::row! {
    /// Runs of an adapter in one of the last weeks.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WeekAdapter {
        pub project: String,
        pub adapter: String,
        pub week: WeekRuns,
    }
}

/// Everything that is known of the last days and weeks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// By the pattern's number; only of patterns with evidence of these days.
    pub traces: std::collections::BTreeMap<u32, Trace>,
    pub runs: Vec<WeekRuns>,
    pub goals: Vec<WeekGoals>,
    pub adapters: Vec<WeekAdapter>,
}
