//! The statistics of a goal as Markdown.

use learn::statistics::{GoalPattern, GoalRun, compute_statistics};
use render::render_statistics;
use setting::StatisticsSettings;

fn run(passed: bool, score: f64) -> GoalRun {
    GoalRun { project: "shop".to_owned(), run_id: "r".to_owned(), passed, score: Some(score), unit: None }
}

fn render(goal: &str, runs: &[GoalRun], patterns: &[GoalPattern], text_of: &dyn Fn(u32) -> String) -> String {
    render_statistics(&[compute_statistics(goal, runs, patterns, &StatisticsSettings::default(), 0.4)], text_of)
}

#[test]
fn the_sections_stand_in_their_order() {
    let mut runs = vec![run(true, 0.5); 7];
    runs.extend([run(true, 1.0), run(false, 0.5), run(false, 0.0)]);
    let patterns = [
        GoalPattern { pattern: 1, runs: 8, passed: 6 },
        GoalPattern { pattern: 2, runs: 3, passed: 1 },
        GoalPattern { pattern: 3, runs: 1, passed: 1 },
    ];
    let text = render("reduce-failures", &runs, &patterns, &|number| format!("Lesson {number}"));
    let expected = "\
## Goals

| goal | runs | passed | pass rate | | average score |
|---|---:|---:|---:|---|---:|
| reduce-failures | 10 | 8 | 80% | ████████░░ | 0.50 |

### Contributing patterns

| goal | pattern | success when used | runs | lesson |
|---|---|---:|---:|---|
| reduce-failures | P-001 | 75% | 8 | Lesson 1 |

### Underperforming patterns

| goal | pattern | success when used | runs | lesson |
|---|---|---:|---:|---|
| reduce-failures | P-002 | 33% | 3 | Lesson 2 |

### Trends

| goal | runs | | first third | middle | last third | change |
|---|---:|---|---:|---:|---:|---:|
| reduce-failures | 10 | score | 0.50 | 0.50 | 0.50 | +0% |
| reduce-failures | 10 | pass rate | 100% | 100% | 33% | within noise |

### Recommendations

| goal | |
|---|---|
| reduce-failures | Review P-002: the goal was met in 1 of its 3 runs, less than 40%. |
";
    assert_eq!(text, expected);
}

#[test]
fn too_few_runs_are_said_to_be_too_few() {
    let text = render("g", &vec![run(true, 1.0); 4], &[], &|_| String::new());
    assert!(text.contains("| g | 4 | 4 | insufficient data: 4 of 5 runs | | |\n"), "{text}");
    assert!(text.contains("| g | 4 | insufficient data: 4 of 10 runs | | | | |\n"), "{text}");
    assert!(!text.contains('%'), "{text}");
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let patterns: Vec<_> = (1..=12).map(|pattern| GoalPattern { pattern, runs: 3, passed: 3 }).collect();
    let text = render("g", &vec![run(true, 1.0); 5], &patterns, &|_| "x".repeat(5000));
    assert!(text.contains("| P-010 |") && !text.contains("P-011") && text.contains("| g | 2 more | | | |"), "{text}");
    assert!(text.len() < 4000, "{}", text.len());
}

#[test]
fn texts_of_others_become_neither_headings_nor_links_nor_markup() {
    let evil = "x\n# Heading\n\n- item <script> [a](http://b) `c` | d\u{1b}[31m";
    let patterns = [GoalPattern { pattern: 1, runs: 3, passed: 3 }, GoalPattern { pattern: 2, runs: 3, passed: 0 }];
    let text = render(evil, &vec![run(true, 1.0); 5], &patterns, &|_| evil.to_owned());
    let tame = render("g", &vec![run(true, 1.0); 5], &patterns, &|_| "t".to_owned());
    assert_eq!(text.lines().count(), tame.lines().count(), "{text}");
    let headings = |text: &str| text.lines().filter(|line| line.trim_start().starts_with('#')).count();
    assert_eq!(headings(&text), headings(&tame), "{text}");
    assert!(
        !text.contains("<script>")
            && !text.replace("\\]", "").contains("](")
            && !text.contains('\u{1b}')
            && !text.contains("http://"),
        "{text}"
    );
}

#[test]
fn a_change_beyond_all_measure_stays_short() {
    let mut runs = vec![run(true, 1e-300); 3];
    runs.extend(vec![run(true, 1.0); 7]);
    let text = render("g", &runs, &[], &|_| String::new());
    assert!(text.contains("| over +9999% |"), "{text}");
}
