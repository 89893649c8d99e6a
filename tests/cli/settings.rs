//! `outerloop settings`: what each means, where it comes from, and how it is changed.

use serde_json::Value;
use std::fs;

use crate::support::Scene;

#[test]
fn a_setting_tells_its_meaning_default_and_origin() {
    let scene = Scene::new();
    let shown = scene.done(&["settings", "inject.fit"]).out;
    assert!(shown.starts_with("inject.fit = 0.2\n"), "{shown}");
    assert!(shown.contains("Least share of a pattern's words") && shown.contains("from 0 to 1"), "{shown}");
    assert!(shown.contains("default  0.2") && shown.contains("from     "), "{shown}");
    scene.done(&["settings", "inject.fit=0.3", "publish.keep=7"]);
    let shown = scene.done(&["settings", "inject.fit"]).out;
    assert!(shown.starts_with("inject.fit = 0.3\n") && shown.contains("from     outerloop.toml"), "{shown}");
    let overview = scene.done(&["settings"]).out;
    assert!(overview.contains("inject.fit") && overview.contains("publish.keep"), "{overview}");
}

#[test]
fn every_setting_is_listed_for_programs_with_its_meaning() {
    let scene = Scene::new();
    let all: Value = serde_json::from_str(&scene.done(&["settings", "--json"]).out).expect("JSON");
    let all = all["settings"].as_array().expect("a list");
    assert!(all.len() > 100, "{}", all.len());
    for setting in all {
        assert!(setting["about"].as_str().is_some_and(|about| !about.is_empty()), "{setting}");
        assert!(setting["may_be"].as_str().is_some_and(|form| !form.is_empty()), "{setting}");
    }
}

#[test]
fn a_value_that_does_not_fit_changes_nothing_and_says_what_would() {
    let scene = Scene::new();
    let path = scene.workspace.settings();
    let before = fs::read_to_string(&path).unwrap_or_default();
    let outcome = scene.run(&["settings", "inject.fit=2"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("from 0 to 1"), "{}", outcome.error);
    assert!(scene.run(&["settings", "inject.fitt"]).error.contains("did you mean `inject.fit`?"));
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), before);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let scene = Scene::new();
    let folder = scene.root().join("man");
    scene.done(&["man", "--to", folder.to_str().expect("a path")]);
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("outerloop.1").contains(".TH outerloop 1"), "{}", page("outerloop.1"));
    assert!(page("outerloop-policy-clear.1").contains("outerloop\\-policy\\-clear"), "{}", page("outerloop-policy-clear.1"));
    assert!(!folder.join("outerloop-generate.1").exists());
    assert_eq!(scene.done(&["man"]).out, page("outerloop.1"));
}

#[test]
fn a_section_names_a_default_only_where_the_value_differs() {
    let scene = Scene::new();
    let section = scene.done(&["settings", "flag"]).out;
    let line = section.lines().find(|line| line.contains("flag.prune_over")).expect("the setting").to_owned();
    assert_eq!(line.matches("20").count(), 1, "{section}");
    scene.done(&["settings", "flag.prune_over=30"]);
    let section = scene.done(&["settings", "flag"]).out;
    let line = section.lines().find(|line| line.contains("flag.prune_over")).expect("the setting");
    assert!(line.contains("30") && line.contains("20"), "{section}");
}
