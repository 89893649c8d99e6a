//! What a project learns is its own: nothing that another one does reaches it, and nobody else is shown it.

use agent::hook::{Request, inject};
use fastrand::Rng;
use learn::role::RoleScore;
use serde_json::Value;
use setting::Compat;

use super::law::{SAYINGS, World, assert_alike, patterns};
use super::{Team, ids, said, shown, time, with};
use crate::law::lab::{Lab, as_of};

/// Names that could be taken for each other, for an id, or for a piece of a query.
const PROJECTS: [&str; 8] = ["web", "Web", "we b", "D-001", "*", "%", "'; drop table application --", "wéb"];
const ROLES: [&str; 4] = ["judge", "sentinel", "auditor", "curator"];

fn end() -> i64 {
    time(60.0).parse::<jiff::Timestamp>().expect("a time").as_microsecond()
}

/// The events of a project alone, with the ids that its patterns have there. Patterns of others are none.
fn alone(events: &[Value], project: &str, all: &[RoleScore]) -> Vec<Value> {
    let own: Vec<&str> = all.iter().filter(|score| score.project == project).map(|score| &*score.id).collect();
    let rename = |event: &Value| {
        let mut event = event.clone();
        if let Some(id) = event["pattern_id"].as_str() {
            let place = own.iter().position(|known| *known == id);
            event["pattern_id"] = place.map_or_else(|| "D-900".to_owned(), |place| format!("D-{:03}", place + 1)).into();
        }
        event
    };
    events.iter().filter(|event| event["project"] == project).map(rename).collect()
}

#[test]
fn a_project_learns_what_it_would_learn_alone() {
    for seed in 50..54 {
        let mut world = World { random: Rng::with_seed(seed), projects: &PROJECTS, sayings: SAYINGS.len() };
        // People decide by id, whatever the project they work in.
        let events: Vec<Value> = world.events(300).into_iter().filter(|event| event["kind"] != "curation").collect();
        let lab = Lab::of(Compat::None, &events);
        let all = patterns(&lab, as_of(end()));
        for project in PROJECTS {
            let nameless = |scores: &[RoleScore]| {
                let own = scores.iter().filter(|score| score.project == project);
                own.map(|score| RoleScore { id: String::new(), ..score.clone() }).collect::<Vec<_>>()
            };
            let apart = patterns(&Lab::of(Compat::None, &alone(&events, project, &all)), as_of(end()));
            assert_alike(&nameless(&all), &nameless(&apart), seed);
        }
        assert_nobody_is_shown_another_projects(&lab, &all);
    }
}

/// Asks for every project and role, and for projects that nobody knows.
#[track_caller]
fn assert_nobody_is_shown_another_projects(lab: &Lab, all: &[RoleScore]) {
    let mut shown = 0;
    for project in PROJECTS.into_iter().chain(["default", "WEB", "wEb", "we_b", "D-002", "nobody"]) {
        for role in ROLES {
            let request = Request { role: Some(role), project: Some(project), now_micros: end(), ..Request::default() };
            for pattern in inject(&lab.workspace, &lab.settings, &request).expect("the index").shown {
                let known = all.iter().find(|score| score.id == pattern.id).expect("a pattern of a role");
                assert_eq!(known.project, project, "{role} is shown {pattern:?}");
                shown += 1;
            }
        }
    }
    assert!(shown > 20, "only {shown} patterns are shown");
    // Without a project nobody is anybody's.
    for role in ROLES {
        let request = Request { role: Some(role), now_micros: end(), ..Request::default() };
        assert!(inject(&lab.workspace, &lab.settings, &request).expect("the index").shown.is_empty());
    }
}

#[test]
fn the_program_shows_a_project_its_own_and_counts_only_that() {
    let saying = "Validate webhook signature before parsing body";
    let in_project = |event: Value, project: &str| with(event, &serde_json::json!({"project": project}));
    let team = Team::of(&[
        said("w", "judge", 0.0, "1", &[saying]),
        in_project(said("a", "judge", 0.0, "1", &[saying]), "api"),
        // Whoever names another project's pattern was not shown it.
        in_project(shown("x", "judge", 1.0, "r1", "D-001"), "api"),
        in_project(super::ended("y", 3.0, "r1", true), "api"),
        with(in_project(said("b", "judge", 2.0, "1", &[saying]), "api"), &serde_json::json!({"run_id": "r1"})),
        in_project(super::rejected("v", "judge", 4.0, &["D-001", "D-002"]), "api"),
        with(in_project(super::rejected("u", "judge", 4.0, &[saying]), "api"), &serde_json::json!({"deliberation_id": "w"})),
        with(in_project(super::passed("p", "judge", 5.0, "r1"), "api"), &serde_json::json!({"reinforced": ["D-001"]})),
    ]);
    let figures: Vec<_> = team
        .patterns(5.0)
        .into_iter()
        .map(|score| (score.project, score.successes, score.ignored, score.reinforced, score.last_shown))
        .collect();
    assert_eq!(figures, [("web".to_owned(), 1, 0, 0, None), ("api".to_owned(), 3, 2, 1, None)]);
    for (project, id) in [("web", "D-001"), ("api", "D-002")] {
        assert_eq!(ids(&team.shown_in(project, "judge", 5.0, &[])), [id]);
    }
    assert!(ids(&team.shown_in("Web", "judge", 5.0, &[])).is_empty());
}
