//! `outerloop diff`.

use serde_json::Value;

use crate::browser::made::{AS_OF, shop};
use crate::support::published::current;

#[test]
fn instants_and_generations_differ_alike() {
    let scene = shop(20);
    let late = current(&scene);
    scene.done(&["run", "learn", "--as-of", "2026-11-01T00:00:00Z"]);
    let early = store::publish::list_generations(&scene.workspace).expect("a list")[0].clone();
    assert!(early.starts_with("20261101T000000Z"), "{early}");
    let parse = |arguments: &[&str]| -> Value { serde_json::from_str(&scene.done(arguments).out).expect("JSON") };
    let by_name = parse(&["diff", &early, &late, "--json"]);
    let by_beginning = parse(&["diff", "20261101", "--json"]);
    let by_instant = parse(&["diff", "2026-11-01T00:00:00Z", AS_OF, "--json"]);
    assert_eq!(by_name, by_beginning);
    assert_eq!((&by_name["patterns"], &by_name["policies"]), (&by_instant["patterns"], &by_instant["policies"]));
    let what: Vec<&str> =
        by_name["patterns"].as_array().expect("a list").iter().filter_map(|change| change["what"].as_str()).collect();
    assert!(what.contains(&"pattern") && what.contains(&"rate") && what.contains(&"flag"), "{what:?}");
    let back = parse(&["diff", AS_OF, "2026-11-01T00:00:00Z", "--json"]);
    assert_eq!(back["patterns"].as_array().map(Vec::len), Some(what.len()));
    let text = scene.done(&["diff", "20261101"]).out;
    assert!(
        text.contains("P-009") && text.contains("new") && text.lines().next().is_some_and(|line| line.contains(" to ")),
        "{text}"
    );
    assert!(scene.done(&["diff", "current", &late]).out.contains("Nothing differs."));
}

#[test]
fn a_name_that_is_nothing_says_what_to_write() {
    let scene = shop(12);
    let outcome = scene.run(&["diff", "yesterday"]);
    assert!(outcome.code == 2 && outcome.error.contains("neither a generation nor an instant"), "{}", outcome.error);
    assert!(outcome.error.contains(&current(&scene)), "{}", outcome.error);
}
