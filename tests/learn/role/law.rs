//! Laws: projects do not reach each other, files and delivery do not show, what is told twice counts once.

use learn::role::{DeliberationRow, ExposureRow, RoleFindings, RoleLog, RoleScore, VerdictRow, fold_roles, score_roles};
use proptest::prelude::*;
use setting::Settings;

use super::{day, heard, judged};

/// One event of a made-up pipeline.
#[derive(Debug, Clone)]
enum Told {
    Said { project: usize, role: usize, run: usize, on: i64, sayings: Vec<usize> },
    Judged { project: usize, role: usize, run: usize, on: i64, has_passed: bool, level: i64, rejected: Vec<usize> },
    Shown { project: usize, role: usize, run: usize, on: i64, pattern: usize },
    Ended { project: usize, run: usize, on: i64, has_passed: bool },
}

const SAYINGS: [&str; 6] = [
    "Validate webhook signature before parsing body",
    "Always validate webhook signature before parsing the body",
    "Missing null check on user session in login handler",
    "login handler lacks a null check for the user session",
    "Unbounded retries hide upstream timeouts because errors are swallowed",
    "Config loader falls back silently on missing keys",
];
const PROJECTS: [&str; 4] = ["web", "api", "ops", "lab"];
const ROLES: [&str; 3] = ["judge", "auditor", "sentinel"];

fn told() -> impl Strategy<Value = Told> {
    let sayings = || prop::collection::vec(0..SAYINGS.len(), 0..4);
    prop_oneof![
        4 => (0..4usize, 0..3usize, 0..5usize, 0..90i64, sayings())
            .prop_map(|(project, role, run, on, sayings)| Told::Said { project, role, run, on, sayings }),
        3 => (0..4usize, 0..3usize, 0..5usize, 0..90i64, any::<bool>(), 1..4i64, sayings()).prop_map(
            |(project, role, run, on, has_passed, level, rejected)| Told::Judged { project, role, run, on, has_passed, level, rejected }
        ),
        2 => (0..4usize, 0..3usize, 0..5usize, 0..90i64, 0..12usize)
            .prop_map(|(project, role, run, on, pattern)| Told::Shown { project, role, run, on, pattern }),
        1 => (0..4usize, 0..5usize, 0..90i64, any::<bool>())
            .prop_map(|(project, run, on, has_passed)| Told::Ended { project, run, on, has_passed }),
    ]
}

impl Told {
    const fn project(&self) -> usize {
        match self {
            Self::Said { project, .. }
            | Self::Judged { project, .. }
            | Self::Shown { project, .. }
            | Self::Ended { project, .. } => *project,
        }
    }
}

/// Folds events that landed in an order. An event's number is its id; those of a pattern are taken from `ids`.
fn fold(events: &[(usize, Told)], ids: &dyn Fn(usize) -> String) -> RoleFindings {
    let settings = Settings::default();
    let mut log = RoleLog::new(&settings, i64::MAX);
    let runs = ["r0", "r1", "r2", "r3", "r4"];
    for (number, event) in events {
        if let Told::Said { project, role, run, on, sayings } = event {
            let id = format!("e{number}");
            log.add_deliberation(&DeliberationRow {
                id: &id,
                project: PROJECTS[*project],
                role: ROLES[*role],
                run: Some(runs[*run]),
                issue: Some(runs[*run]),
                time_micros: day(*on),
                sequence: i64::try_from(*number).expect("a number"),
                patterns: sayings.iter().map(|saying| SAYINGS[*saying]).collect(),
                ..heard()
            });
        }
    }
    for (number, event) in events {
        let (id, sequence) = (format!("e{number}"), i64::try_from(*number).expect("a number"));
        match event {
            Told::Said { .. } => {}
            Told::Judged { project, role, run, on, has_passed, level, rejected } => log.add_verdict(&VerdictRow {
                id: &id,
                sequence,
                project: PROJECTS[*project],
                adversarial_role: Some(ROLES[*role]),
                run: Some(runs[*run]),
                time_micros: day(*on),
                has_passed: *has_passed,
                level: Some(*level),
                rejected: rejected.iter().map(|saying| SAYINGS[*saying]).collect(),
                ..judged()
            }),
            Told::Shown { project, role, run, on, pattern } => log.add_exposure(ExposureRow {
                project: PROJECTS[*project],
                run: Some(runs[*run]),
                role: Some(ROLES[*role]),
                pattern_id: &ids(*pattern),
                first_micros: day(*on),
                last_micros: day(*on),
                ..ExposureRow::default()
            }),
            Told::Ended { project, run, on, has_passed } => {
                log.add_ending(PROJECTS[*project], runs[*run], *has_passed, day(*on), sequence);
            }
        }
    }
    let lives = fold_roles(&log, &settings, day(100), None);
    score_roles(&log, lives, &settings, day(100))
}

/// All but the id, which counts the patterns of all projects.
fn nameless(scores: &[RoleScore]) -> Vec<RoleScore> {
    scores.iter().map(|score| RoleScore { id: String::new(), ..score.clone() }).collect()
}

fn numbered(events: Vec<Told>) -> Vec<(usize, Told)> {
    // A run ends once here: which of two ends counts is the query's to say.
    let mut ended = std::collections::HashSet::new();
    let once = events.into_iter().filter(|event| match event {
        Told::Ended { project, run, .. } => ended.insert((*project, *run)),
        _ => true,
    });
    once.enumerate().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_other_projects_do_changes_nothing(events in prop::collection::vec(told(), 0..80)) {
        let events = numbered(events);
        let all = fold(&events, &|pattern| format!("D-{:03}", pattern + 1));
        for (place, project) in PROJECTS.into_iter().enumerate() {
            let own: Vec<_> = events.iter().filter(|(_, event)| event.project() == place).cloned().collect();
            // By itself a project has the same patterns under other ids: the n-th of all is the n-th of its own.
            let of_project: Vec<&RoleScore> = all.scores.iter().filter(|score| score.project == project).collect();
            let rename = |pattern: usize| {
                let id = format!("D-{:03}", pattern + 1);
                of_project.iter().position(|score| score.id == id).map_or_else(|| "D-999".to_owned(), |at| format!("D-{:03}", at + 1))
            };
            let alone = fold(&own, &rename);
            let of_project: Vec<RoleScore> = of_project.into_iter().cloned().collect();
            prop_assert_eq!(nameless(&of_project), nameless(&alone.scores));
        }
    }

    #[test]
    fn what_is_delivered_again_counts_once(events in prop::collection::vec(told(), 0..60), again in prop::collection::vec(0..60usize, 0..20)) {
        let events = numbered(events);
        let ids = |pattern: usize| format!("D-{:03}", pattern + 1);
        let once = fold(&events, &ids);
        let mut twice = events.clone();
        twice.extend(again.iter().filter_map(|place| events.get(*place)).filter(|(_, event)| !matches!(event, Told::Ended { .. })).cloned());
        prop_assert_eq!(once, fold(&twice, &ids));
    }

    #[test]
    fn no_figure_leaves_its_bounds(events in prop::collection::vec(told(), 0..80)) {
        for score in fold(&numbered(events), &|pattern| format!("D-{:03}", pattern + 1)).scores {
            prop_assert!(score.successes >= 1 && score.seen >= 1 && score.penalty >= 0.0);
            prop_assert!((0.0..=1.0).contains(&score.rate) && (0.0..=1.0).contains(&score.decay) && score.score <= 1.625);
            prop_assert!(score.created <= score.last_used);
        }
    }
}
