//! The tables that no SQL text makes: scans of files, rows that the program computes, and what comes with a question.

use super::graph::{Declared, Origin};
use event::Kind;
use learn::Attribution;

/// The kinds whose events are folded in the order of landing, by folds that know the instant themselves.
pub(crate) const LANDED: [Kind; 5] = [Kind::Learning, Kind::Classification, Kind::Curation, Kind::Deliberation, Kind::Observation];

/// The sums of pruned days, and the columns that they have where there are none.
pub(crate) const PAST: [(&str, &str, &str); 6] = [
    (
        "past_application",
        "Applications of pruned days that count alike, by the words in which they name a pattern.",
        "project varchar, pattern_id varchar, trigger varchar, status varchar, is_unverified boolean, is_goal_met boolean, \
         is_build_failed boolean, is_rated boolean, applications bigint, relevance_millionths bigint, first_us bigint, last_us bigint",
    ),
    (
        "past_iteration",
        "When iterations of pruned days began.",
        "project varchar, run_id varchar, iteration bigint, started_us bigint",
    ),
    (
        "past_use",
        "Which patterns the runs of pruned days used.",
        "project varchar, run_id varchar, pattern_id varchar, trigger varchar",
    ),
    (
        "past_exposure",
        "What roles were shown on pruned days.",
        "project varchar, run_id varchar, session varchar, iteration bigint, role varchar, pattern_id varchar, first_us bigint, \
         last_us bigint",
    ),
    (
        "past_task",
        "Applications of pruned days that count alike, by task, where tasks are named.",
        "project varchar, pattern_id varchar, trigger varchar, unit varchar, status varchar, is_unverified boolean, \
         is_goal_met boolean, is_build_failed boolean, is_rated boolean, applications bigint, relevance_millionths bigint, \
         first_us bigint, last_us bigint",
    ),
    (
        "past_coin",
        "The first coins of units on pruned days, by the words in which they name a pattern.",
        "project varchar, pattern_id varchar, trigger varchar, run_id varchar, unit varchar, first_us bigint, \
         propensity_millionths bigint, is_shown boolean",
    ),
];

const SCANS: [(&str, &str); 7] = [
    ("lake_quarantine", "Lines that could not be taken."),
    ("lake_history", "The runs of jobs."),
    ("pattern", "The published patterns of lessons."),
    ("role_pattern", "The published patterns of roles."),
    ("observation_pattern", "The published observations."),
    ("truth_verdict", "The published verdicts on patterns, the loop and experiments."),
    ("truth_sum", "The published sums behind the verdicts."),
];

/// What the program computes: name, sentence, columns, and what it asks for.
const COMPUTED: [(&str, &str, &str, &[&str]); 13] = [
    (
        "attribution",
        "Which ways of naming a pattern count for which pattern: matching, by `learn/matching`.",
        Attribution::COLUMNS,
        &["decision", "lesson", "subject"],
    ),
    ("builder", "The agents whose work builds judge: the setting `rate.build_agents`.", "agent varchar not null", &[]),
    ("considered", "How many runs of a goal are looked at: the setting `statistics.most_runs`.", "runs bigint", &[]),
    (
        "correction",
        "Reports of runs that do not count as they stand, by the settings `run.replace` and `reliability`.",
        "seq bigint, is_replaced boolean, success boolean",
        &["policy_correction"],
    ),
    ("recent", "The instant, and from when on applications are told apart by their age.", "as_of_us bigint, after_us bigint", &[]),
    (
        "silence",
        "How relevant a pattern must be for silence to count: the setting `rate.silence_relevance`.",
        "relevance_millionths bigint",
        &[],
    ),
    (
        "cleared",
        "When people cleared an adapter, or one failure of it.",
        "adapter varchar, failure_key varchar, seq bigint, ts_us bigint",
        &["policy_curation"],
    ),
    (
        "settled",
        "When people settled the refused runs of an adapter; all of them, where no adapter is named.",
        "adapter varchar, ts_us bigint",
        &["policy_curation"],
    ),
    (
        "constraint_decision",
        "What people decided about suggestions.",
        "suggestion varchar, run_id varchar, status varchar, seq bigint, ts_us bigint",
        &["policy_curation"],
    ),
    (
        "infrastructure",
        "Types of failures that say nothing about what was shown: the setting `truth.infrastructure`.",
        "failure_key varchar not null",
        &[],
    ),
    (
        "truth_rule",
        "What units are judged by, and until when: the section `truth` of the settings, and the horizon.",
        "metric varchar not null, is_primary boolean not null, settle_us bigint not null, as_of_us bigint not null",
        &[],
    ),
    (
        "truth_period",
        "Periods of `truth.epoch_days` since the first coin, at whose beginnings the usual tokens and time of a run are set.",
        "begin_us bigint not null, end_us bigint not null",
        &["truth_holding"],
    ),
    (
        "truth_restart",
        "From when to when the evidence of a pattern counts together: people began anew, or its text changed.",
        "pattern bigint not null, begin_us bigint not null, end_us bigint not null",
        &["decision", "lesson"],
    ),
];

/// What comes with a question: name, sentence, columns; a file of the workspace where there are none.
const HANDED: [(&str, &str, &str); 4] = [
    ("asked_event", "The events that are asked for, by their place in the order of landing.", "landing_seq bigint"),
    ("asked_vector", "The vector that others are compared with.", "place bigint, value double"),
    ("staged_pattern", "The patterns of a generation that is about to be published.", ""),
    ("staged_observation", "The observations of a generation that is about to be published.", ""),
];

/// The name of the scan over the events of a kind.
pub(crate) fn scan_of(kind: Kind) -> String {
    format!("lake_{}", kind.name())
}

/// The name of the same scan, with what is dated behind the horizon in sight.
pub(crate) fn landed_scan_of(kind: Kind) -> String {
    format!("lake_landed_{}", kind.name())
}

/// All tables that no SQL text makes.
pub fn declared_tables() -> Vec<Declared> {
    let scan = |name: String, sentence, columns, needs| Declared { name, origin: Origin::Scan, sentence, columns, needs };
    let mut tables: Vec<Declared> = Kind::ALL.iter().map(|&kind| scan(scan_of(kind), "Events of this kind.", "", vec![])).collect();
    let holding = "How many events of each kind there are, from the footers of their files.";
    tables.push(scan("lake_holding".to_owned(), holding, "", Kind::ALL.iter().map(|&kind| scan_of(kind)).collect()));
    let landed = "The same events, also those that are dated behind the horizon.";
    tables.extend(LANDED.map(|kind| scan(landed_scan_of(kind), landed, "", vec![])));
    tables.extend(PAST.map(|(name, sentence, columns)| scan(name.to_owned(), sentence, columns, vec![])));
    tables.extend(SCANS.map(|(name, sentence)| scan(name.to_owned(), sentence, "", vec![])));
    tables.extend(COMPUTED.map(|(name, sentence, columns, needs)| Declared {
        name: name.to_owned(),
        origin: Origin::Program,
        sentence,
        columns,
        needs: needs.iter().map(|&need| need.to_owned()).collect(),
    }));
    tables.extend(HANDED.map(|(name, sentence, columns)| Declared {
        name: name.to_owned(),
        origin: Origin::Caller,
        sentence,
        columns,
        needs: vec![],
    }));
    tables
}
