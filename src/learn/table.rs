//! The tables that are published for analysts: their rows, and the list of all of them with their files.

use arrow::datatypes::Schema;

use crate::observation::ObservationScore;
use crate::role::RoleScore;
use crate::score::Score;
use crate::truth::{Sum, Verdict};
use event::cell::{Micros, Row};
use setting::{
    ADAPTER_DAY_FILE, OBSERVATION_FILE, OUTCOME_FILE, PATTERN_DAY_FILE, ROLE_FILE, RUN_ADAPTER_FILE, SUM_FILE, TABLE_FILE,
    VERDICT_FILE,
};

/// The version of the published tables. A column that goes, or changes its type or meaning, raises it.
pub const SCHEMA_VERSION: u32 = 1;

event::row! {
    /// An application with its pattern, what was found out about it, and what it counts for.
    #[derive(Debug, Clone, PartialEq)]
    pub struct OutcomeRow {
        /// The id of the event; null where a row stands for several applications.
        pub application: Option<String>,
        /// When it happened; of several, the latest.
        pub ts: Option<Micros>,
        /// The same; of several, the first.
        pub first_ts: Option<Micros>,
        /// The project.
        pub project: String,
        /// The run.
        pub run_id: Option<String>,
        /// The iteration of the run.
        pub iteration: Option<i64>,
        /// The agent that was shown the pattern.
        pub agent: Option<String>,
        /// The task, where it is named.
        pub unit: Option<String>,
        /// The pattern that it counts for, as in `pattern.id`; null where it matches none.
        pub pattern: Option<String>,
        /// How the pattern was found: by `id`, `exact` text, text but for `case`, `substring`, or enough words (`jaccard`).
        pub tier: Option<String>,
        /// The id that the event names.
        pub named_id: Option<String>,
        /// The text that the event quotes.
        pub named_text: Option<String>,
        /// What became of the pattern: `applied`, `injected` (shown, no use reported), `offered` or `withheld`.
        pub status: String,
        /// Whether a citation of it does not hold.
        pub is_unverified: bool,
        /// Whether the goal was met; null where none was judged.
        pub is_goal_met: Option<bool>,
        /// How relevant the pattern was, from 0 to 1; of several, summed; null where nobody rated it.
        pub relevance: Option<f64>,
        /// Whether the build failed; null where none judges the work.
        pub is_build_failed: Option<bool>,
        /// How many applications the row stands for.
        pub applications: i64,
        /// What they count for together, in successes; null where they are no sightings.
        pub weight: Option<f64>,
        /// Why they count for that.
        pub reason: String,
        /// The inbox file that it stands in.
        pub file: Option<String>,
        /// The line of that file.
        pub line: Option<i64>,
    }
}

event::row! {
    /// The figures of a pattern some days ago: all evidence known at the instant of the generation, less that of the days since.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct PatternDay {
        /// The pattern, as in `pattern.id`.
        pub pattern: String,
        /// The end of the day: the instant of the generation, or the same time of an earlier day.
        pub ts: Micros,
        /// Whole days before the instant of the generation.
        pub days_ago: i64,
        /// Sightings until then.
        pub seen: i64,
        /// Successes for each sighting, from 0 to 1.
        pub rate: Option<f64>,
        /// The flag that follows from them; staleness is known of the last day only.
        pub flag: String,
        /// How much more often tasks succeed that were shown it, by the coins of whole days until then: 0.1 is ten points.
        pub lift: Option<f64>,
        /// The lower end of the lift's interval.
        pub lift_lower: Option<f64>,
        /// The upper end of the lift's interval.
        pub lift_upper: Option<f64>,
    }
}

event::row! {
    /// An adapter of a run, and what it contributes to the adapter's score.
    #[derive(Debug, Clone, PartialEq)]
    pub struct RunAdapter {
        /// The adapter.
        pub adapter: String,
        /// When the run was reported; of several, the latest.
        pub ts: Option<Micros>,
        /// The project.
        pub project: Option<String>,
        /// The run; null where a row stands for several.
        pub run_id: Option<String>,
        /// Whether it succeeded, as far as is known.
        pub success: bool,
        /// Whether its approval was denied: then it says nothing about the adapter.
        pub is_denied: bool,
        /// How many runs the row stands for.
        pub runs: i64,
        /// Retries; of several runs, summed.
        pub retries: i64,
        /// Quality, from 0 to 1; of several runs, summed. A run without one has 1 if it succeeded, else 0.
        pub quality: f64,
    }
}

event::row! {
    /// The figures of an adapter at the end of a day on which it ran: all runs until then.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AdapterDay {
        /// The adapter.
        pub adapter: String,
        /// The project; null for the runs of all projects together.
        pub project: Option<String>,
        /// The end of the day, UTC.
        pub ts: Micros,
        /// Runs of that day.
        pub day_runs: i64,
        /// Those of them that succeeded.
        pub day_successes: i64,
        /// Runs until then.
        pub runs: i64,
        /// The share of them that succeeded, from 0 to 1.
        pub success_rate: f64,
        /// Retries of a run, on average.
        pub average_retries: f64,
        /// The score, from 0 to 1, with three decimals; refused and unreported runs are not in it.
        pub score: f64,
    }
}

/// A published table.
#[derive(Debug, Clone)]
pub struct PublishedTable {
    /// What `outerloop query` calls it.
    pub name: &'static str,
    /// Its file in `published/current/`.
    pub file: &'static str,
    /// What a row is.
    pub sentence: &'static str,
    pub schema: Schema,
    /// What each column means.
    pub comments: Vec<(String, String)>,
}

fn table<T: Row>(name: &'static str, file: &'static str, sentence: &'static str) -> PublishedTable {
    PublishedTable { name, file, sentence, schema: T::schema(), comments: T::comments() }
}

/// All tables of a generation.
#[must_use]
pub fn published_tables() -> Vec<PublishedTable> {
    vec![
        table::<Score>("pattern", TABLE_FILE, "One row for each pattern, with every figure."),
        table::<OutcomeRow>(
            "outcome",
            OUTCOME_FILE,
            "One row for each application of the last `publish.row_days` days: its pattern, what was found out about it, and what it \
             counts for. Older applications, and those of pruned days, are summed by pattern and effect.",
        ),
        table::<PatternDay>(
            "pattern_day",
            PATTERN_DAY_FILE,
            "One row for each of the last fifteen days of each pattern that was seen or had a coin in them.",
        ),
        table::<RunAdapter>(
            "run_adapter",
            RUN_ADAPTER_FILE,
            "One row for each adapter of each run of the last `publish.row_days` days that counts. Older ones are summed by adapter, project and day.",
        ),
        table::<AdapterDay>(
            "adapter_day",
            ADAPTER_DAY_FILE,
            "One row for each adapter and each day on which it ran: for each project, and for all together.",
        ),
        table::<Verdict>("truth_verdict", VERDICT_FILE, "One row for the loop, each pattern and each experiment that had a coin."),
        table::<Sum>("truth_sum", SUM_FILE, "The whole numbers behind the verdicts: units by coin, arm and outcome."),
        table::<RoleScore>("role_pattern", ROLE_FILE, "One row for each pattern of a role."),
        table::<ObservationScore>("observation_pattern", OBSERVATION_FILE, "One row for each observation from transcripts."),
    ]
}
