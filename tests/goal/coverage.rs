//! Coverage reports of four formats, and which of them counts.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use agent::goal::{Coverage, read_coverage};
use jiff::Timestamp;
use proptest::prelude::*;

use super::place::{Place, error_of, known, result};

const LCOV: &str = include_str!("report/lcov.info");
const COBERTURA: &str = include_str!("report/cobertura.xml");
const COBERTURA_LINES: &str = include_str!("report/cobertura-lines.xml");
const LLVM_COV: &str = include_str!("report/llvm-cov.json");
const COVERAGE_PY: &str = include_str!("report/coverage-py.json");

#[track_caller]
fn lines(report: &str) -> (u64, u64, f64) {
    let Coverage { lines_covered, lines_valid, percent } =
        read_coverage(report.as_bytes()).unwrap_or_else(|fault| panic!("{fault}"));
    (lines_covered.expect("lines"), lines_valid.expect("lines"), percent)
}

#[track_caller]
fn refused(report: impl AsRef<[u8]>) -> String {
    read_coverage(report.as_ref()).expect_err("a report that cannot be used")
}

#[test]
fn lcov_counts_a_line_once_however_many_tests_name_it() {
    // Six lines in two files: of the first three are reached in one test or the other, of the second one.
    assert_eq!(lines(LCOV), (4, 6, 400.0 / 6.0));
}

#[test]
fn lcov_without_lines_is_counted_by_its_sums() {
    assert_eq!(lines("TN:\nSF:a.rs\nLF:10\nLH:9\nend_of_record\nSF:b.rs\nLF:10\nLH:0\nend_of_record\n"), (9, 20, 45.0));
    assert_eq!(lines("SF:a.rs\r\nDA:1,1\r\nDA:2,0\r\nend_of_record\r\n"), (1, 2, 50.0));
    assert_eq!(lines("SF:a.rs\nLF:4\nLH:1"), (1, 4, 25.0), "also where the end is missing");
}

#[test]
fn cobertura_says_its_sums_at_the_top() {
    assert_eq!(lines(COBERTURA), (13, 16, 81.25));
}

#[test]
fn cobertura_without_sums_is_counted_line_by_line_and_no_line_twice() {
    assert_eq!(lines(COBERTURA_LINES), (3, 5, 60.0));
}

#[test]
fn cobertura_with_a_rate_only_gives_a_percentage_only() {
    let coverage = read_coverage(&b"<coverage line-rate=\"0.25\"><packages/></coverage>"[..]).expect("a report");
    assert_eq!(coverage, Coverage { lines_covered: None, lines_valid: None, percent: 25.0 });
}

#[test]
fn llvm_cov_gives_the_lines_of_all_its_exports() {
    assert_eq!(lines(LLVM_COV), (37, 40, 92.5));
    let one = r#"{"totals":{"lines":{"count":10,"covered":4,"percent":40}}}"#;
    assert_eq!(lines(&format!(r#"{{"type":"llvm.coverage.json.export","data":[{one},{one}]}}"#)), (8, 20, 40.0));
}

#[test]
fn coverage_py_is_read_by_its_lines_and_not_by_a_percentage_that_mixes_in_branches() {
    assert_eq!(lines(COVERAGE_PY), (3, 8, 37.5));
}

#[test]
fn a_byte_order_mark_and_blank_lines_in_front_do_no_harm() {
    for report in [LCOV, COBERTURA.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), LLVM_COV] {
        assert_eq!(lines(&format!("\u{feff}\n\n{report}")), lines(report));
    }
}

#[test]
fn what_is_no_report_is_refused_with_the_reason() {
    assert_eq!(refused(""), "it is empty");
    assert_eq!(refused("hello\n"), "it is not a coverage report of a known format");
    assert_eq!(refused("{}"), "it is not a coverage report of a known format");
    assert_eq!(refused("<html></html>"), "it is not a coverage report of a known format");
    assert_eq!(refused("SF:a\nend_of_record\n"), "it lists no lines");
    assert_eq!(refused("<coverage/>"), "it lists no lines");
    assert_eq!(refused(r#"{"totals":{"covered_lines":0,"num_statements":0}}"#), "it lists no lines");
    assert_eq!(refused(r#"{"totals":{"covered_lines":9,"num_statements":3}}"#), "9 of 3 lines are covered in it");
    assert_eq!(refused("SF:a\nDA:1\n"), "one of its lines cannot be read");
    assert_eq!(refused("<coverage lines-valid=\"9\" lines-covered=\"1\"><packages>"), "it ends too early");
    assert!(refused("<coverage></packages>").starts_with("it is not valid XML"));
    assert!(refused(r#"{"totals":{"covered_lines":-9,"num_statements":3}}"#).starts_with("its JSON cannot be read"));
    assert!(refused(&LLVM_COV[..LLVM_COV.len() / 2]).starts_with("its JSON cannot be read"));
    assert!(refused("{\"x\":".to_owned() + &"[".repeat(100_000)).starts_with("its JSON cannot be read"));
    assert!(refused(b"<coverage \xff\xfe=\"1\"/>").starts_with("it "));
}

#[test]
fn entities_of_a_document_are_never_expanded() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE c [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]><coverage line-rate=\"0.5\"><x>&b;&b;</x></coverage>";
    assert_eq!(read_coverage(bomb.as_bytes()).map(|coverage| coverage.percent), Ok(50.0));
}

#[test]
fn reaching_the_target_succeeds_and_the_score_is_the_part_that_is_covered() {
    let place = Place::new();
    place.write("coverage.xml", COBERTURA);
    let outcome = place.judge(&known("maximize-coverage"));
    assert_eq!(result(&outcome), (true, Some(0.81)));
    let metrics = serde_json::to_string(&outcome.metrics).expect("JSON");
    assert_eq!(metrics, r#"{"coverage_percent":81.25,"lines_covered":13,"lines_valid":16,"target":80}"#);
    assert_eq!(outcome.details, "81.25 percent of the lines are covered; the target is 80 (coverage.xml)");
    let stricter = place.goal("goals:\n  maximize-coverage:\n    success_criteria: {target: 81.26}\n", Some("maximize-coverage"));
    assert_eq!(result(&place.judge(&stricter)), (false, Some(0.81)));
}

#[test]
fn a_percentage_just_below_the_target_is_not_rounded_up_to_it() {
    let place = Place::new();
    place.write("lcov.info", "SF:a\nLF:100000\nLH:79999\nend_of_record\n");
    assert_eq!(result(&place.judge(&known("maximize-coverage"))), (false, Some(0.8)));
}

#[test]
fn reports_are_found_where_tools_put_them() {
    for name in [
        "lcov.info",
        "coverage/lcov.info",
        "coverage.xml",
        "cobertura.xml",
        "coverage.json",
        "llvm-cov.json",
        "target/llvm-cov/cobertura.xml",
    ] {
        let place = Place::new();
        // The name says nothing about the format.
        place.write(name, LLVM_COV);
        assert_eq!(result(&place.judge(&known("maximize-coverage"))), (true, Some(0.93)), "{name}");
    }
}

#[test]
fn of_several_reports_the_latest_counts_and_one_that_is_named_goes_before_all() {
    let place = Place::new();
    let old = SystemTime::now() - Duration::from_secs(3600);
    for (name, report) in [("lcov.info", LCOV), ("out/report.json", COVERAGE_PY)] {
        File::options().write(true).open(place.write(name, report)).and_then(|file| file.set_modified(old)).expect("a time");
    }
    place.write("coverage.xml", COBERTURA);
    assert_eq!(place.judge(&known("maximize-coverage")).score, Some(0.81));
    let named = "goals:\n  maximize-coverage:\n    coverage_file: out/report.json\n";
    assert_eq!(place.judge(&place.goal(named, Some("maximize-coverage"))).score, Some(0.38));
    let gone = "goals:\n  maximize-coverage:\n    success_criteria: {report: out/gone.json}\n";
    assert_eq!(error_of(&place.judge(&place.goal(gone, Some("maximize-coverage")))), Some("coverage_report_not_found"));
}

#[test]
fn a_report_from_before_the_run_says_nothing_about_it() {
    let mut place = Place::new();
    let path = place.write("lcov.info", LCOV);
    let modified = Timestamp::try_from(fs::metadata(path).and_then(|file| file.modified()).expect("a time")).expect("a time");
    place.situation.run_started = Some(modified + Duration::from_secs(1));
    let outcome = place.judge(&known("maximize-coverage"));
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("coverage_report_stale")));
    place.situation.run_started = Some(modified);
    assert_eq!(place.judge(&known("maximize-coverage")).score, Some(0.67));
}

#[test]
fn a_report_that_cannot_be_used_gives_no_score() {
    let place = Place::new();
    place.write("coverage.xml", "<report name=\"another\"/>");
    let outcome = place.judge(&known("maximize-coverage"));
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("coverage_report_unreadable")));
    assert!(outcome.details.ends_with("cannot be used: it is not a coverage report of a known format"), "{}", outcome.details);
}

#[test]
fn links_and_folders_in_place_of_reports_are_passed_over() {
    let place = Place::new();
    symlink(place.write("elsewhere", LCOV), place.path("lcov.info")).expect("a link");
    fs::create_dir(place.path("coverage.xml")).expect("a folder");
    assert_eq!(error_of(&place.judge(&known("maximize-coverage"))), Some("coverage_report_not_found"));
}

#[test]
fn few_covered_lines_can_be_a_goal_too() {
    let place = Place::new();
    place.write("coverage.json", COVERAGE_PY);
    let goal = place
        .goal("goals:\n  maximize-coverage:\n    success_criteria: {direction: below, target: 40}\n", Some("maximize-coverage"));
    assert_eq!(result(&place.judge(&goal)), (true, Some(0.62)), "0.625 goes to the even digit");
}

proptest! {
    #[test]
    fn no_bytes_make_it_stop(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[<>/{}\"=:,a-cSFDA0-9\\n ]{0,100}") {
        let _ = read_coverage(&*bytes);
        for start in ["<coverage ", "{\"data\":[", "SF:", "SF:a\nDA:"] {
            if let Ok(coverage) = read_coverage(format!("{start}{text}").as_bytes()) {
                prop_assert!((0.0..=100.0).contains(&coverage.percent));
            }
        }
    }

    #[test]
    fn lcov_counts_what_a_set_of_lines_counts(records in prop::collection::vec((0..3_u8, prop::collection::vec((1..20_u64, 0..3_u64), 1..20)), 1..6)) {
        let mut report = String::new();
        let mut reached = std::collections::BTreeMap::new();
        for (file, marks) in &records {
            writeln!(report, "SF:file-{file}").expect("memory");
            for (line, hits) in marks {
                writeln!(report, "DA:{line},{hits}").expect("memory");
                *reached.entry((file, line)).or_insert(false) |= *hits > 0;
            }
            report += "end_of_record\n";
        }
        let covered = reached.values().filter(|is_reached| **is_reached).count() as u64;
        let coverage = read_coverage(report.as_bytes()).expect("a report");
        prop_assert_eq!((coverage.lines_covered, coverage.lines_valid), (Some(covered), Some(reached.len() as u64)));
    }
}
