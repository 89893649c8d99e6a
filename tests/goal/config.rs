//! Files of goals: what they define, and what is said of those that cannot be read.

use std::fmt::Write as _;
use std::fs;

use agent::goal::{Criterion, Direction, Goal, Goals, Threshold, WELL_KNOWN, load_goals, parse_goals};
use proptest::prelude::*;
use text::diagnostic::{Diagnostic, Exit};

use super::place::{Place, known};

/// What the original's setup writes.
const BOOTSTRAP: &str = r#"# goals of this project
active_goal: reduce-failures
goals:
  reduce-failures:
    description: "Minimise the iterations of a task"
    pattern_priority: [mistake, pattern, convention, insight]
    success_criteria: {type: threshold, metric: iterations, target: 3, direction: below}
    metrics: [iterations_to_complete, error_count]
  swe-bench:
    description: "Pass all tests"
    pattern_priority:
      - mistake
      - pattern
    success_criteria:
      type: binary
      test_command: "pytest tests/ -x"
    metrics: [tests_passed, tests_failed]
  minimize-tokens:
    pattern_priority: [convention, pattern, insight]
    success_criteria: {type: threshold, metric: total_tokens, target: 50000, direction: below}
    metrics: [input_tokens, output_tokens, cache_tokens]
  maximize-coverage:
    pattern_priority: [pattern, convention]
    success_criteria: {type: threshold, metric: coverage_percent, target: 80, direction: above}
    metrics: [coverage_percent, lines_covered]
"#;

#[track_caller]
fn goals(text: &str) -> Goals {
    parse_goals(text).unwrap_or_else(|fault| panic!("{fault:?}"))
}

#[track_caller]
fn goal(text: &str, name: &str) -> Goal {
    goals(text).choose(Some(name)).unwrap_or_else(|fault| panic!("{fault}"))
}

/// What is said of a file that cannot be used. It names the file, and someone can edit it.
#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> Diagnostic {
    let place = Place::new();
    let path = place.write("goal.yaml", text);
    let fault = load_goals(Some(&path)).expect_err("a fault");
    assert_eq!((fault.exit, fault.place.as_ref()), (Exit::Edit, Some(&path)), "{fault}");
    assert!(!fault.remedy.is_empty());
    fault
}

fn threshold(metric: &str, target: f64, direction: Direction) -> Criterion {
    Criterion::Threshold(Threshold { metric: metric.to_owned(), target, direction })
}

#[test]
fn the_file_of_the_original_says_what_goals_are_known_to_be() {
    let goals = goals(BOOTSTRAP);
    assert_eq!(goals.defined().iter().map(Goal::name).collect::<Vec<_>>(), WELL_KNOWN);
    for goal in goals.defined() {
        let known = known(goal.name());
        assert_eq!(goal.pattern_priority(), known.pattern_priority());
        assert_eq!(goal.criterion(), known.criterion());
        assert_eq!(goal.metrics(), known.metrics());
    }
    assert_eq!(goals.choose(None).expect("the active goal").description(), "Minimise the iterations of a task");
}

#[test]
fn without_a_file_or_with_an_empty_one_few_iterations_are_the_goal() {
    let place = Place::new();
    let missing = load_goals(Some(&place.path("goal.yaml"))).expect("no file is no fault");
    let empty = [
        "",
        "\n\n",
        "# nothing\n",
        "---\n",
        "--- \n# nothing\n...\n",
        "~\n",
        "null",
        "\u{feff}",
        "active_goal:\ngoals:\n",
        "goals: {}\n",
    ];
    for goals in [load_goals(None).expect("no file"), missing].into_iter().chain(empty.map(goals)) {
        assert_eq!(goals.choose(None).expect("a goal"), known("reduce-failures"));
        // The original does not listen here.
        for name in WELL_KNOWN {
            assert_eq!(goals.choose(Some(name)).expect("a goal"), known(name));
        }
    }
}

#[test]
fn a_goal_that_is_asked_for_goes_before_the_active_one() {
    let goals = goals("active_goal: swe-bench\ngoals:\n  mine: {evaluator: judge}\n");
    assert_eq!(goals.choose(None).expect("a goal").name(), "swe-bench");
    assert_eq!(goals.choose(Some("mine")).expect("a goal").evaluator(), ["judge"]);
}

#[test]
fn what_a_definition_leaves_out_is_as_the_goal_of_that_name_has_it() {
    let text = "goals:\n  maximize-coverage:\n    success_criteria: {target: 90}\n  minimize-tokens:\n  swe-bench:\n    success_criteria: {}\n";
    assert_eq!(goal(text, "maximize-coverage").criterion(), Some(&threshold("coverage_percent", 90.0, Direction::Above)));
    assert_eq!(goal(text, "maximize-coverage").pattern_priority(), ["pattern", "convention"]);
    assert_eq!(goal(text, "minimize-tokens"), known("minimize-tokens"));
    assert_eq!(goal(text, "swe-bench"), known("swe-bench"));
}

#[test]
fn a_goal_of_another_name_has_what_its_definition_says_and_nothing_else() {
    let text = "goals:\n  lint:\n    success_criteria: {type: threshold, metric: warnings, target: 0}\n    evaluator: [python3, judge.py]\n  bare:\n";
    assert_eq!(goal(text, "lint").criterion(), Some(&threshold("warnings", 0.0, Direction::Below)));
    assert_eq!(goal(text, "lint").evaluator(), ["python3", "judge.py"]);
    assert_eq!((goal(text, "bare").criterion(), goal(text, "bare").pattern_priority().len()), (None, 0));
}

#[test]
fn a_test_command_makes_a_goal_binary_and_a_report_is_named_in_either_place() {
    let text = "goals:\n  a:\n    success_criteria: {test_command: make check}\n  b:\n    coverage_file: out/lcov.info\n  c:\n    success_criteria: {metric: coverage_percent, target: 1, direction: above, report: x.xml}\n";
    assert_eq!(goal(text, "a").criterion(), Some(&Criterion::Binary { test_command: "make check".to_owned() }));
    assert_eq!(goal(text, "b").report().map(|path| path.display().to_string()).as_deref(), Some("out/lcov.info"));
    assert_eq!(goal(text, "c").report().map(|path| path.display().to_string()).as_deref(), Some("x.xml"));
}

#[test]
fn members_that_nobody_here_knows_are_for_other_readers() {
    let text = "version: 2\n7: seven\ngoals:\n  mine:\n    colour: blue\n    3: x\n    success_criteria: {test_command: 'true', weight: [1, {a: b}]}\n";
    assert!(goal(text, "mine").criterion().is_some());
}

#[test]
fn a_goal_that_nobody_defined_is_refused_with_those_that_are_known() {
    let place = Place::new();
    let path = place.write("goal.yaml", "active_goal: typo\ngoals:\n  mine: {}\n");
    let goals = load_goals(Some(&path)).expect("goals");
    let fault = goals.choose(None).expect_err("a fault");
    assert_eq!((fault.exit, fault.place.as_ref()), (Exit::Edit, Some(&path)));
    assert_eq!(fault.what, "there is no goal `typo`");
    for name in WELL_KNOWN.into_iter().chain(["mine"]) {
        assert!(fault.remedy.contains(&format!("`{name}`")), "{}", fault.remedy);
    }
    let fault = goals.choose(Some("../x\u{1b}[31m")).expect_err("a fault");
    assert!(!fault.what.contains('\u{1b}'), "{}", fault.what);
}

#[test]
fn a_wrong_value_is_named_with_its_goal_and_its_line() {
    let cases = [
        ("- a\n- b\n", "the goals are a list, not a mapping", "line 1"),
        ("just a text\n", "the goals are a text, not a mapping", "line 1"),
        ("42\n", "the goals are a number, not a mapping", "line 1"),
        ("active_goal: 5\n", "the name of a goal is a number, not a text", "line 1"),
        ("active_goal: [a]\n", "the name of a goal is a list, not a text", "line 1"),
        ("\ngoals:\n  5: {}\n", "the name of a goal is a number, not a text", "line 3"),
        ("\ngoals:\n  true: {}\n", "the name of a goal is yes or no, not a text", "line 3"),
        ("goals:\n  'a|b': {}\n", "`a|b` cannot be the name of a goal", "line 2"),
        ("goals:\n  ' ': {}\n", "` ` cannot be the name of a goal", "line 2"),
        ("goals:\n  \"a\\nb\": {}\n", "`a\u{fffd}b` cannot be the name of a goal", "line 2"),
        ("goals: []\n", "`goals` is a list, not a mapping", "line 1"),
        ("goals:\n  mine: x\n", "the goal `mine` is a text, not a mapping", "line 2"),
        (
            "goals:\n  mine:\n    pattern_priority: mistake\n",
            "`pattern_priority` of the goal `mine` is a text, not a list",
            "line 3",
        ),
        ("goals:\n  mine:\n    metrics: [a, 3]\n", "`metrics` of the goal `mine` is a number, not a text", "line 3"),
        ("goals:\n  mine:\n    evaluator: []\n", "`evaluator` of the goal `mine` is empty", "line 3"),
        (
            "goals:\n  mine:\n    success_criteria: 3\n",
            "`success_criteria` of the goal `mine` is a number, not a mapping",
            "line 3",
        ),
        ("goals:\n  mine:\n    success_criteria:\n      type: fuzzy\n", "`type` of the goal `mine` is `fuzzy`", "line 4"),
        ("goals:\n  mine:\n    success_criteria: {direction: up}\n", "`direction` of the goal `mine` is `up`", "line 3"),
        (
            "goals:\n  mine:\n    success_criteria: {type: threshold, target: 3}\n",
            "the threshold of the goal `mine` is not complete",
            "line 3",
        ),
        (
            "goals:\n  mine:\n    success_criteria: {type: binary}\n",
            "the goal `mine` is binary and has no `test_command`",
            "line 3",
        ),
        (
            "goals:\n  swe-bench:\n    success_criteria: {type: threshold, metric: x, target: 3}\n",
            "the goal `swe-bench` is judged by a test command, not by a threshold",
            "line 3",
        ),
    ];
    for (text, what, cause) in cases {
        let fault = refused(text);
        assert_eq!((&*fault.what, fault.cause.as_deref()), (what, Some(cause)), "{text}");
    }
}

#[test]
fn a_target_that_nothing_can_be_measured_against_is_a_fault_of_the_file_and_no_score() {
    for goal in ["reduce-failures", "minimize-tokens"] {
        for (target, what) in [
            ("0", "is 0"),
            ("-1", "is -1"),
            ("three", "is a text, not a number"),
            ("'3'", "is a text, not a number"),
            ("[3]", "is a list, not a number"),
        ] {
            let fault = refused(format!("goals:\n  {goal}:\n    success_criteria:\n      target: {target}\n"));
            assert_eq!((fault.what, fault.cause.as_deref()), (format!("`target` of the goal `{goal}` {what}"), Some("line 4")));
        }
    }
    for target in ["101", "-1"] {
        let fault = refused(format!("goals:\n  maximize-coverage:\n    success_criteria: {{target: {target}}}\n"));
        assert_eq!(fault.remedy, "write a percentage from 0 to 100");
    }
    for target in [".nan", ".inf", "-.inf", "1e999"] {
        refused(format!("goals:\n  reduce-failures:\n    success_criteria: {{target: {target}}}\n"));
    }
}

#[test]
fn broken_yaml_is_named_with_its_line() {
    for text in [
        "goals: [\n",
        "goals:\n\tmine: {}\n",
        "a: b: c\n",
        "goals: {a: {}, a: {}}\n",
        "a: *nowhere\n",
        "x: \"open\n",
        "goals: {}\n---\ngoals: {}\n",
    ] {
        let fault = refused(text);
        assert_eq!(fault.what, "the goals are not valid YAML", "{text}");
        assert!(fault.cause.as_ref().is_some_and(|cause| cause.contains("line")), "{text}: {:?}", fault.cause);
    }
}

#[test]
fn files_that_blow_up_or_nest_without_end_are_refused() {
    let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..10 {
        let before = format!("*a{}", level - 1);
        writeln!(laughs, "a{level}: &a{level} [{}]", [&*before; 9].join(", ")).expect("memory");
    }
    refused(laughs + "goals: *a9\n");
    refused(format!("goals: {}{}\n", "[".repeat(5000), "]".repeat(5000)));
    refused(format!("goals: {}x{}\n", "{a: ".repeat(5000), "}".repeat(5000)));
    refused(format!("list: [{}]\n", "x, ".repeat(100_000)));
    refused(format!("# {}\n", "x".repeat(1 << 20)));
    refused(b"goals: \xff\xfe\n");
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let place = Place::new();
    fs::create_dir(place.path("goal.yaml")).expect("a folder");
    let fault = load_goals(Some(&place.path("goal.yaml"))).expect_err("a fault");
    assert_eq!((fault.exit, fault.place), (Exit::Edit, Some(place.path("goal.yaml"))));
}

#[test]
fn anchors_and_merged_mappings_are_read() {
    let text = "base: &base {metric: warnings, direction: below}\ngoals:\n  lint:\n    success_criteria: {<<: *base, target: 4}\n";
    assert_eq!(goal(text, "lint").criterion(), Some(&threshold("warnings", 4.0, Direction::Below)));
}

proptest! {
    #[test]
    fn no_text_at_all_makes_it_stop(text in "[ \\n:{}\\[\\],*&!'\"|>a-c0-2#-]{0,80}") {
        let _ = parse_goals(&text);
        let _ = parse_goals(&format!("goals:\n  mine:\n    success_criteria: {text}\n"));
    }
}
