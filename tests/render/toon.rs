//! The pattern file as each of its readers sees it: ours, a strict TOON decoder, Python's csv module, and awk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use render::toon::{Dialect, Document, Row, cell_text, parse_toon, render_closedloop, render_toon};
use serde_json::Value;

const HEADER: &str = "{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:";

const COLUMNS: [&str; 10] =
    ["id", "category", "summary", "confidence", "seen_count", "success_rate", "flags", "applies_to", "context", "repo"];

/// What ClosedLoop's Python tools make of a file: they skip headings, split the stripped line and strip every cell.
const PYTHON_READER: &str = r##"
import csv, json, sys
files = []
for path in sys.argv[1:]:
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if line and not line.startswith("#") and not line.startswith("patterns["):
                rows.append([cell.strip() for cell in next(csv.reader([line]))])
    files.append(rows)
json.dump(files, sys.stdout)
"##;

/// What ClosedLoop's hooks make of a file: headings count only in the first column, a quote toggles anywhere, and a quote
/// that is left at either end of a summary, an agent list or a repository goes. Cells are never trimmed.
const AWK_READER: &str = r#"
function cut(line, cells,    at, letter, inside, count) {
    count = 1
    cells[1] = ""
    for (at = 1; at <= length(line); at++) {
        letter = substr(line, at, 1)
        if (letter != "\"" && (letter != "," || inside)) cells[count] = cells[count] letter
        else if (letter == ",") cells[++count] = ""
        else if (inside && substr(line, at + 1, 1) == "\"") { cells[count] = cells[count] letter; at++ }
        else inside = !inside
    }
    return count
}
FNR == 1 { printf "\036" }
/^#/ || /^[ \t\r\f\v]*$/ || /^patterns\[/ { next }
{
    sub(/^[ \t\r\f\v]+/, "")
    count = cut($0, cells)
    for (column = 1; column <= count; column++) {
        if (column == 3 || column == 8 || column == 10) gsub(/^"|"$/, "", cells[column])
        printf "%s%s", cells[column], column < count ? "\037" : "\035"
    }
}
"#;

/// What text is made of that means something to one of the readers.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\"", "\"\"", "\\", "\\\"", "\\n", "\\u0022", ",", ":", "[", "]", "{", "}", "#", "-", "- ", "patterns[", "patterns[0]:",
    " ", "  ", "\t", "\n", "\r\n", "\r", "\0", "\u{1c}", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}", "\u{200b}", "\u{202e}",
    "\u{a0}", "\u{3000}", "true", "null", "1", "1e3", "0.60", "+", "05", ".5", "'", "|", "*", "é", "漢", "😀", "C:\\new",
    "[REVIEW]", "word",
];

fn row() -> Row {
    Row {
        id: "P-001".into(),
        category: "mistake".into(),
        summary: "Check the token first".into(),
        confidence: "high".into(),
        seen_count: 4,
        success_rate: Some(0.75),
        flags: String::new(),
        applies_to: "*".into(),
        context: "auth|API".into(),
        repo: "frontend".into(),
    }
}

/// The one line of a file with one row.
fn written(row: Row) -> String {
    let text = render_toon(&[row]);
    text.strip_prefix(&format!("patterns[1]{HEADER}\n  ")).expect("the header and an indented row").to_owned()
}

fn written_rate(rate: impl Into<Option<f64>>) -> String {
    let text = written(Row { success_rate: rate.into(), ..row() });
    let (_, after) = text.split_once(",high,4,").expect("the columns before it");
    after.split_once(",\"\",*,").expect("the columns after it").0.to_owned()
}

fn written_repo(repo: &str) -> String {
    let text = written(Row { repo: repo.into(), ..row() });
    text.split_once(",auth|API,").expect("the columns before it").1.to_owned()
}

fn read_rows(text: &str) -> Vec<Row> {
    parse_toon(text).rows.into_iter().map(|located| located.row).collect()
}

fn oddities(document: &Document) -> Vec<(usize, &str)> {
    document.odd.iter().map(|odd| (odd.line, odd.reason.as_str())).collect()
}

/// The summary of one row of ClosedLoop's dialect.
fn closedloop_summary(cell: &str) -> String {
    let document = parse_toon(&format!("# by hand\npatterns[1]{HEADER}\n  P-001,mistake,{cell},high,4,0.60,,*,auth,*\n"));
    assert_eq!((document.dialect, oddities(&document)), (Dialect::ClosedLoop, vec![]));
    document.rows[0].row.summary.clone()
}

fn decode(text: &str) -> Result<Value, String> {
    toon_format::decode_strict(text).map_err(|error| error.to_string())
}

/// The cells that every reader is to see.
fn cells(row: &Row) -> [String; 10] {
    let rate = row.success_rate.map(|rate| format!("{rate:.2}").replace("-0.00", "0.00"));
    let rate = rate.filter(|text| text == "1.00" || text.starts_with("0."));
    [
        cell_text(&row.id),
        cell_text(&row.category),
        cell_text(&row.summary),
        cell_text(&row.confidence),
        row.seen_count.to_string(),
        rate.map(|text| text.parse::<f64>().expect("a number").to_string()).unwrap_or_default(),
        cell_text(&row.flags),
        cell_text(&row.applies_to),
        cell_text(&row.context),
        cell_text(&row.repo),
    ]
}

fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![9 => select(PIECES).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn hostile_row() -> impl Strategy<Value = Row> {
    let rate = prop::option::of(prop_oneof![4 => 0.0..=1.0, 1 => any::<f64>()]);
    let texts = prop::collection::vec(hostile_text(), 8);
    (texts, any::<u64>(), rate).prop_map(|(texts, seen_count, success_rate)| {
        let [id, category, summary, confidence, flags, applies_to, context, repo] = texts.try_into().expect("eight texts");
        Row { id, category, summary, confidence, seen_count, success_rate, flags, applies_to, context, repo }
    })
}

fn hostile_rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(hostile_row(), 0..4)
}

/// Many files at once, because a process for each of them would take minutes.
fn sample(count: usize) -> Vec<Vec<Row>> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| hostile_rows().new_tree(&mut runner).expect("rows").current()).collect()
}

fn write_files(folder: &Path, texts: impl Iterator<Item = String>) -> Vec<PathBuf> {
    let write = |(index, text): (usize, String)| {
        let path = folder.join(format!("{index}.toon"));
        fs::write(&path, text).expect("a file");
        path
    };
    texts.enumerate().map(write).collect()
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("a program to run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn read_with_python(texts: impl Iterator<Item = String>) -> Vec<Vec<Vec<String>>> {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = write_files(folder.path(), texts);
    let output = run(Command::new("python3").args(["-I", "-X", "utf8", "-c", PYTHON_READER]).args(paths));
    serde_json::from_str(&output).expect("a list of files")
}

fn read_with_awk(texts: impl Iterator<Item = String>) -> Vec<Vec<Vec<String>>> {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = write_files(folder.path(), texts);
    let output = run(Command::new("awk").arg(AWK_READER).args(paths));
    let row = |text: &str| text.split('\u{1f}').map(str::to_owned).collect();
    output.split('\u{1e}').skip(1).map(|file| file.split_terminator('\u{1d}').map(row).collect()).collect()
}

#[test]
fn a_file_has_a_header_with_its_count_indented_rows_and_no_last_line_break() {
    let rows = [row(), Row { id: "P-002".into(), ..row() }];
    let text = format!(
        "patterns[2]{HEADER}\n  P-001,mistake,\"Check the token first\",high,4,0.75,\"\",*,auth|API,frontend\n  \
         P-002,mistake,\"Check the token first\",high,4,0.75,\"\",*,auth|API,frontend"
    );
    assert_eq!(render_toon(&rows), text);
}

#[test]
fn an_empty_file_keeps_the_header_that_closedloop_knows() {
    assert_eq!(render_toon(&[]), "patterns[0]:");
    assert_eq!(decode("patterns[0]:"), Ok(serde_json::json!({"patterns": []})));
}

#[test]
fn a_rate_has_two_decimals_at_most_and_no_zeros_behind_them() {
    let spelled =
        [(0.6, "0.6"), (1.0, "1"), (0.0, "0"), (-0.0, "0"), (0.125, "0.12"), (0.375, "0.38"), (0.015, "0.01"), (0.999, "1")];
    for (rate, text) in spelled {
        assert_eq!(written_rate(rate), text);
    }
}

#[test]
fn an_unknown_rate_is_the_empty_text_and_so_is_an_impossible_one() {
    for rate in [None, Some(f64::NAN), Some(f64::INFINITY), Some(-0.5), Some(1.01)] {
        assert_eq!(written_rate(rate), "\"\"");
    }
}

#[test]
fn a_rate_that_rounds_into_its_range_is_kept() {
    assert_eq!(written_rate(1.000_000_1), "1");
    assert_eq!(written_rate(-0.000_000_1), "0");
}

#[test]
fn text_is_quoted_where_a_decoder_would_take_it_for_something_else() {
    for text in
        ["true", "false", "null", "2048", "-1", "+1", "05", "0.60", "1e3", "1E-3", "-x", "#x", "a,b", "a:b", "[x]", "{x}", ""]
    {
        assert_eq!(written_repo(text), format!("\"{text}\""));
    }
}

#[test]
fn text_that_only_looks_special_stays_bare() {
    for text in ["*", "auth|API", "a-b", "a#b", "True", "1.", ".5", "1e", "1.2.3", "nullable", "it's", "漢 字"] {
        assert_eq!(written_repo(text), text);
    }
}

#[test]
fn flags_are_quoted_for_their_brackets() {
    let text = written(Row { flags: "[REVIEW]".into(), ..row() });
    assert!(text.contains(",0.75,\"[REVIEW]\",*,"), "{text}");
}

#[test]
fn no_escape_ever_appears_in_the_file() {
    let text = written(Row { summary: "Say \"hi\",\r\nthen C:\\new\tand\u{2028}go".into(), ..row() });
    assert!(text.starts_with("P-001,mistake,\"Say 'hi', then C:＼new and go\",high,"), "{text}");
}

#[test]
fn safe_text_is_trimmed_visible_and_on_one_line() {
    assert_eq!(cell_text(" \u{a0}a\u{3000}\u{feff} "), "a");
    assert_eq!(cell_text("a\r\n\tb\0\u{85}c"), "a b c");
    assert_eq!(cell_text("pay\u{202e}lap\u{2066}\u{200b}\u{e0041}"), "paylap");
    assert_eq!(cell_text("\u{200b}\n\u{ad}"), "");
}

#[test]
fn text_that_is_too_long_for_python_is_cut_between_characters() {
    let long = "漢".repeat(131_070) + " 😀 and more";
    let cut = cell_text(&long);
    assert_eq!(cut, "漢".repeat(131_070));
    let files = read_with_python([render_toon(&[Row { summary: "é".repeat(200_000), ..row() }])].into_iter());
    assert_eq!(files[0][0][2].chars().count(), 131_071);
}

#[test]
fn what_closedloop_writes_has_comments_doubled_quotes_and_two_decimals() {
    let rows = [
        Row { success_rate: Some(1.0), flags: "[STALE]".into(), ..row() },
        Row { summary: "C:\\new\nline".into(), success_rate: None, context: "a,b".into(), repo: "say \"hi\"".into(), ..row() },
    ];
    let text = format!(
        "# Organization Patterns (TOON format)\n# Last updated: 2026-11-16T07:00:00Z\n\npatterns[2]{HEADER}\n  \
         P-001,mistake,\"Check the token first\",high,4,1.00,[STALE],*,auth|API,frontend\n  \
         P-001,mistake,\"C:\\new line\",high,4,,,*,\"a,b\",\"say \"\"hi\"\"\"\n"
    );
    assert_eq!(render_closedloop(&rows, "2026-11-16T07:00:00Z"), text);
}

#[test]
fn the_sixth_pattern_of_the_worked_example_has_the_bytes_of_the_original() {
    let sixth = Row {
        id: "P-006".into(),
        category: "convention".into(),
        summary: "Use \"strict\", always".into(),
        confidence: "low".into(),
        seen_count: 3,
        success_rate: None,
        flags: String::new(),
        applies_to: "*".into(),
        context: "typescript".into(),
        repo: "*".into(),
    };
    let text = render_closedloop(std::slice::from_ref(&sixth), "");
    let line = text.lines().last().expect("a row");
    assert_eq!(line, "  P-006,convention,\"Use \"\"strict\"\", always\",low,3,,,*,typescript,*");
    assert_eq!(read_rows(&text), [sixth]);
}

#[test]
fn a_file_of_ours_is_read_as_official_toon() {
    let text = render_toon(&[row()]);
    let document = parse_toon(&text);
    assert_eq!((document.dialect, document.rows[0].line, &document.rows[0].row), (Dialect::Official, 2, &row()));
    assert_eq!(document.odd, []);
}

#[test]
fn every_spelling_of_an_empty_file_has_no_rows() {
    for text in ["", "\n", "patterns[0]:", "patterns: []\n", &format!("patterns[0]{HEADER}\n"), "# nothing yet\n\npatterns[0]:"] {
        let document = parse_toon(text);
        assert_eq!((document.dialect, document.rows.len(), document.odd.len()), (Dialect::Official, 0, 0), "{text}");
    }
}

#[test]
fn official_escapes_are_undone() {
    let text = format!("patterns[1]{HEADER}\n  P-001,mistake,\"a\\\"b\\\\c\\nd\\u00e9\",high,4,0.6,\"\",*,x,\"*\"");
    let document = parse_toon(&text);
    assert_eq!((document.dialect, document.rows[0].row.summary.as_str()), (Dialect::Official, "a\"b\\c\ndé"));
}

#[test]
fn official_columns_are_found_by_name() {
    let text = "patterns[1]{repo,summary,id,category,confidence,seen_count,success_rate,flags,applies_to,context}:\n  \
                frontend,Check the token first,P-001,mistake,high,4,0.75,\"\",*,auth|API\n";
    assert_eq!(read_rows(text), [row()]);
}

#[test]
fn what_a_strict_decoder_refuses_is_read_by_the_rules_of_closedloop() {
    let row = "P-001,mistake,a,high,4,0.6,\"\",*,x,*";
    let refused = [
        format!("patterns[2]{HEADER}\n  {row}\n\n  {row}"),
        format!("patterns[2]{HEADER}\n  {row}"),
        format!("patterns[01]{HEADER}\n  {row}"),
        format!("patterns[1]{HEADER}\n{row}"),
        format!("patterns[1]{HEADER}\n    {row}"),
        format!("patterns[1]{HEADER}\n  \t{row}"),
        format!(" patterns[1]{HEADER}\n  {row}"),
        format!("patterns[1]{HEADER}\n  {row},more"),
        format!("patterns[1]{HEADER}\n  {row}\nno more"),
        format!("patterns[1]{HEADER}\n  P:{row}"),
        format!("patterns[1]{HEADER}\n  {}", row.replace(",x,", ",\"\\x\",")),
        format!("patterns[1]{HEADER}\n  {row}").replace("{id,", "{id,id,"),
        row.to_owned(),
    ];
    for text in refused {
        assert!(decode(&text).is_err() || !text.starts_with("patterns["), "{text}");
        let document = parse_toon(&text);
        assert_eq!(document.dialect, Dialect::ClosedLoop, "{text}");
        assert!(document.rows[0].row.id.ends_with("P-001"), "{text}");
    }
}

#[test]
fn columns_that_we_do_not_know_are_left_to_the_rules_of_closedloop() {
    let header = HEADER.replace("repo}", "repo,owner}");
    let document = parse_toon(&format!("patterns[1]{header}\n  P-001,mistake,a,high,4,0.6,\"\",*,x,*,me"));
    assert_eq!((document.dialect, document.rows.len(), document.odd.len()), (Dialect::ClosedLoop, 1, 1));
}

#[test]
fn bare_numbers_and_keywords_in_a_column_of_text_are_text() {
    let text = format!("patterns[1]{HEADER}\n  1e3,mistake,true,high,4,0.60,\"\",0.60,null,2048");
    let row = &read_rows(&text)[0];
    assert_eq!([&row.id, &row.summary, &row.applies_to, &row.context, &row.repo], ["1e3", "true", "0.60", "null", "2048"]);
    assert_eq!(row.success_rate, Some(0.6));
}

#[test]
fn a_backslash_in_a_file_of_closedloop_is_literal_even_where_it_is_a_valid_escape() {
    assert_eq!(closedloop_summary("\"C:\\new\""), "C:\\new");
    let marks = [("0.6", ""), ("0.6", "[REVIEW]"), ("0.60", "\"\"")];
    for (rate, flags) in marks {
        let text = format!("patterns[1]{HEADER}\n  P-001,mistake,\"C:\\new\",high,4,{rate},{flags},*,x,*\n");
        assert_eq!(read_rows(&text)[0].summary, "C:\\new", "{text}");
    }
}

#[test]
fn the_same_backslash_is_an_escape_where_an_encoder_can_have_written_everything() {
    let text = format!("patterns[1]{HEADER}\n  P-001,mistake,\"C:\\new\",high,4,0.6,\"\",*,x,*\n");
    assert_eq!(read_rows(&text)[0].summary, "C:\new");
}

#[test]
fn doubled_quotes_and_official_escapes_may_stand_in_one_file() {
    assert_eq!(closedloop_summary("\"He said \"\"hi\"\", twice\""), "He said \"hi\", twice");
    assert_eq!(closedloop_summary("\"Use \\\"strict\\\" mode, always\""), "Use \"strict\" mode, always");
    assert_eq!(closedloop_summary("\"Use \\\"strict\\\" mode\""), "Use \"strict\" mode");
    assert_eq!(closedloop_summary("\"match \\d+\""), "match \\d+");
    assert_eq!(closedloop_summary("\"ends in \\\""), "ends in \\");
}

#[test]
fn a_row_that_makes_no_sense_either_way_is_read_as_csv() {
    let text = format!("# x\npatterns[1]{HEADER}\n  P-001,habit,\"a \\\"b\\\" c\",high,4,,,*,x,*\n");
    let document = parse_toon(&text);
    assert_eq!(document.rows[0].row.summary, "a \\b\\\" c\"");
    assert_eq!(oddities(&document), [(3, "category: `habit` is not one of mistake, pattern, convention, insight")]);
}

#[test]
fn a_legacy_row_belongs_to_every_repository() {
    let text = format!("patterns[2]{HEADER}\n  P-001,mistake,\"a\",high,4,,,*,x\n  P-002,mistake,\"b\",high,4,,,*,x,\n");
    let document = parse_toon(&text);
    let repositories: Vec<_> = document.rows.iter().map(|located| located.row.repo.as_str()).collect();
    assert_eq!((repositories, document.odd.len()), (vec!["*", ""], 0));
    let official = "patterns[1]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context}:\n  \
                    P-001,mistake,a,high,4,0.5,\"\",*,x";
    assert_eq!((parse_toon(official).dialect, read_rows(official)[0].repo.as_str()), (Dialect::Official, "*"));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let rows = [row(), Row { id: "P-002".into(), summary: "Say \"hi\" to C:\\new".into(), ..row() }];
    for text in [render_toon(&rows), render_closedloop(&rows, "today")] {
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(parse_toon(&windows), parse_toon(&text));
    }
    let old_mac = render_closedloop(&rows, "today").replace('\n', "\r");
    assert_eq!(read_rows(&old_mac), rows);
}

#[test]
fn blank_lines_comments_and_wrong_counts_do_not_disturb_closedloop_rows() {
    let text = format!(
        "patterns[7]{HEADER}\n\n  P-001,mistake,\"a\",high,4,,,*,x,*\n\n  # between\nP-002 , mistake,b,low, 4 ,0.5,,*,x, repo \n"
    );
    let document = parse_toon(&text);
    let lines: Vec<_> = document.rows.iter().map(|located| located.line).collect();
    assert_eq!((document.dialect, lines, document.odd.len()), (Dialect::ClosedLoop, vec![3, 6], 0));
    let second = &document.rows[1].row;
    assert_eq!((second.id.as_str(), second.seen_count, second.repo.as_str()), ("P-002", 4, "repo"));
}

#[test]
fn a_short_line_is_reported_and_not_dropped() {
    let text = format!("patterns[1]{HEADER}\n  P-001,mistake,\"torn\n  apart\",high,4,,,*,x,*\nversion: 2\n");
    let document = parse_toon(&text);
    assert_eq!(document.rows, []);
    let cells = [(2, 3), (3, 8), (4, 1)];
    let expected: Vec<_> =
        cells.iter().map(|(line, count)| (*line, format!("a row needs at least 9 cells and this line has {count}"))).collect();
    assert_eq!(document.odd.iter().map(|odd| (odd.line, odd.reason.clone())).collect::<Vec<_>>(), expected);
    assert_eq!(document.odd[0].text, "  P-001,mistake,\"torn");
}

#[test]
fn cells_beyond_the_tenth_are_reported() {
    let document = parse_toon(&format!("patterns[1]{HEADER}\n  P-001,mistake,\"a\",high,4,,,*,x,y,*,z\n"));
    assert_eq!(document.rows[0].row.repo, "y");
    assert_eq!(oddities(&document), [(2, "a row has 10 cells and this line has 12: the rest is ignored")]);
}

#[test]
fn a_second_row_with_the_same_id_is_kept_and_reported_in_both_dialects() {
    let rows = [row(), row(), row()];
    for (text, first) in [(render_toon(&rows), 2), (render_closedloop(&rows, ""), 5)] {
        let document = parse_toon(&text);
        let reason = format!("id: `P-001` is already on line {first}");
        assert_eq!(oddities(&document), [(first + 1, reason.as_str()), (first + 2, reason.as_str())]);
        assert_eq!(document.rows.len(), 3);
    }
}

#[test]
fn cells_outside_their_domain_are_reported_by_column_and_the_row_is_kept() {
    let text = format!("patterns[1]{HEADER}\n  P-001,Mistake,a,certain,many,nan,\"\",*,x,*");
    let document = parse_toon(&text);
    let row = &document.rows[0].row;
    assert_eq!((row.category.as_str(), row.confidence.as_str()), ("Mistake", "certain"));
    assert_eq!((row.seen_count, row.success_rate), (0, None));
    let columns: Vec<_> = document.odd.iter().map(|odd| odd.reason.split_once(':').expect("a column").0).collect();
    assert_eq!(columns, ["category", "confidence", "seen_count", "success_rate"]);
}

#[test]
fn a_rate_is_read_only_from_zero_to_one() {
    let read = |rate: &str| {
        let document = parse_toon(&format!("patterns[1]{HEADER}\n  P-001,mistake,a,high,4,{rate},\"\",*,x,*"));
        (document.rows[0].row.success_rate, document.odd.len())
    };
    for (text, rate) in [("0", Some(0.0)), ("1.00", Some(1.0)), ("5e-1", Some(0.5)), ("\"\"", None), ("null", None), ("", None)] {
        assert_eq!(read(text), (rate, 0), "{text}");
    }
    for text in ["1.01", "-0.1", "inf", "NaN", "high", "0,5"] {
        assert_eq!(read(&format!("\"{text}\"")), (None, 1), "{text}");
    }
}

#[test]
fn python_reads_every_cell_as_it_was_meant() {
    let files = sample(1500);
    let read = read_with_python(files.iter().map(|rows| render_toon(rows)));
    for (rows, read) in files.iter().zip(read) {
        assert_eq!(read, rows.iter().map(cells).collect::<Vec<_>>(), "{}", render_toon(rows));
    }
}

#[test]
fn awk_reads_every_cell_as_it_was_meant() {
    let files = sample(1500);
    let read = read_with_awk(files.iter().map(|rows| render_toon(rows)));
    assert_eq!(read.len(), files.len());
    for (rows, read) in files.iter().zip(read) {
        assert_eq!(read, rows.iter().map(cells).collect::<Vec<_>>(), "{}", render_toon(rows));
    }
}

#[test]
fn python_and_we_read_the_same_cells_of_closedloops_dialect() {
    let files: Vec<Vec<Row>> = sample(1500).into_iter().map(|rows| rows.into_iter().map(known).collect()).collect();
    let read = read_with_python(files.iter().map(|rows| render_closedloop(rows, "today")));
    for (rows, read) in files.iter().zip(read) {
        let text = render_closedloop(rows, "today");
        let ours: Vec<_> = read_rows(&text).iter().map(plain_cells).collect();
        assert_eq!(read, ours, "{text}");
        assert_eq!(ours.len(), rows.len(), "{text}");
        for (row, ours) in rows.iter().zip(ours) {
            assert_eq!(python_text(&row.summary), ours[2], "{text}");
        }
    }
}

/// A row whose category and confidence exist, as in every file of ClosedLoop.
fn known(row: Row) -> Row {
    Row { category: "insight".into(), confidence: "low".into(), ..row }
}

fn plain_cells(row: &Row) -> [String; 10] {
    let rate = row.success_rate.map(|rate| format!("{rate:.2}")).unwrap_or_default();
    let Row { id, category, summary, confidence, seen_count, flags, applies_to, context, repo, .. } = row.clone();
    [id, category, summary, confidence, seen_count.to_string(), rate, flags, applies_to, context, repo]
}

/// A text on one line, trimmed as Python trims.
fn python_text(text: &str) -> String {
    let line = text.replace("\r\n", " ").replace(['\n', '\r', '\0'], " ");
    line.trim_matches(|character: char| character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)).to_owned()
}

/// Whether the decoder's value is the cell, whatever type it gave to it.
fn is_same(value: &Value, cell: &str) -> bool {
    match value {
        Value::String(text) => text == cell,
        Value::Number(number) => number.to_string() == cell,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn a_strict_decoder_reads_every_cell_as_it_was_meant(rows in hostile_rows()) {
        let text = render_toon(&rows);
        let value = decode(&text);
        let decoded = value.as_ref().ok().and_then(|value| value["patterns"].as_array()).expect("a table");
        prop_assert_eq!(decoded.len(), rows.len());
        for (decoded, row) in decoded.iter().zip(&rows) {
            for (column, cell) in COLUMNS.iter().zip(cells(row)) {
                prop_assert!(is_same(&decoded[column], &cell), "{column}: {} is not {cell} in\n{text}", decoded[column]);
            }
        }
    }

    #[test]
    fn an_encoder_writes_the_same_bytes_where_a_summary_needs_its_quotes(rows in prop::collection::vec(hostile_row(), 1..4)) {
        let rows: Vec<Row> = rows.into_iter().map(|row| Row { summary: format!("a, {}", row.summary), ..row }).collect();
        let text = render_toon(&rows);
        let value = decode(&text).expect("a table");
        prop_assert_eq!(toon_format::encode_default(&value).expect("a text"), text);
    }

    #[test]
    fn we_read_back_what_we_wrote(rows in hostile_rows()) {
        let document = parse_toon(&render_toon(&rows));
        prop_assert_eq!(document.dialect, Dialect::Official);
        prop_assert_eq!(document.rows.len(), rows.len());
        for (index, (located, row)) in document.rows.iter().zip(&rows).enumerate() {
            prop_assert_eq!(located.line, index + 2);
            prop_assert_eq!(cells(&located.row), cells(row));
        }
    }

    #[test]
    fn making_text_safe_twice_changes_nothing(text in hostile_text()) {
        let safe = cell_text(&text);
        prop_assert_eq!(cell_text(&safe), safe);
    }

    #[test]
    fn a_row_of_ours_survives_both_dialects_in_turn(rows in hostile_rows()) {
        let clean = read_rows(&render_toon(&rows.into_iter().map(known).collect::<Vec<_>>()));
        prop_assert_eq!(&read_rows(&render_closedloop(&clean, "today")), &clean);
        prop_assert_eq!(&read_rows(&render_toon(&clean)), &clean);
    }

    #[test]
    fn damaged_text_is_official_only_if_a_strict_decoder_agrees(
        rows in hostile_rows(),
        is_ours in any::<bool>(),
        edits in prop::collection::vec((any::<Index>(), 0_usize..3, hostile_text()), 1..3),
    ) {
        let mut text = if is_ours { render_toon(&rows) } else { render_closedloop(&rows, "today") };
        let body = text.find(":\n").map_or(text.len(), |colon| colon + 2);
        for (place, length, inserted) in edits {
            let places: Vec<usize> = (body..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let start = place.get(&places).to_owned();
            let end = places.iter().copied().filter(|at| *at >= start).nth(length).unwrap_or(text.len());
            text.replace_range(start..end, &inserted);
        }
        let document = parse_toon(&text);
        let decoded = decode(&text).ok().filter(|value| value.as_object().is_some_and(|object| object.len() == 1));
        if document.dialect == Dialect::ClosedLoop {
            prop_assert!(decoded.is_none() || text.contains('\\'), "{text}");
            return Ok(());
        }
        let table = decoded.as_ref().and_then(|value| value["patterns"].as_array()).expect("a strict decoder accepts it too");
        prop_assert_eq!(table.len(), document.rows.len());
        for (decoded, located) in table.iter().zip(&document.rows) {
            for (column, cell) in COLUMNS.iter().zip(plain_cells(&located.row)) {
                // Numbers and keywords stay tokens with us.
                if let (Value::String(text), false) = (&decoded[column], *column == "seen_count" || *column == "success_rate") {
                    prop_assert_eq!(text, &cell);
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_and_every_line_accounted_for(pieces in prop::collection::vec(hostile_text(), 0..12)) {
        let text = pieces.concat();
        let document = parse_toon(&text);
        if document.dialect == Dialect::ClosedLoop {
            let lines = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
            for (index, line) in lines.split('\n').enumerate() {
                let line = python_text(line);
                let is_heading = line.is_empty() || line.starts_with('#') || line.starts_with("patterns[");
                let is_row = document.rows.iter().any(|located| located.line == index + 1);
                prop_assert!(is_heading || is_row || document.odd.iter().any(|odd| odd.line == index + 1), "{line}");
            }
        }
    }
}
