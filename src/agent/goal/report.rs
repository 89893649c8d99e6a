//! Goals that a coverage report decides: how many lines there are, and how many of them tests reach.

use std::fs;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Deserialize;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::definition::Goal;
use super::evaluate::{Direction, Situation, Threshold, rounded, rounded_score};
use super::outcome::{GoalOutcome, number};
use super::start::for_each_line;
use store::durable;

/// Where tools put their reports, below the folder of a run.
const USUAL: [&str; 21] = [
    "lcov.info",
    "coverage/lcov.info",
    "coverage.lcov",
    "coverage.xml",
    "coverage/coverage.xml",
    "cobertura.xml",
    "coverage/cobertura.xml",
    "coverage/cobertura-coverage.xml",
    "coverage.json",
    "coverage/coverage.json",
    "llvm-cov.json",
    "target/lcov.info",
    "target/coverage/lcov.info",
    "target/llvm-cov/lcov.info",
    "target/llvm-cov/cobertura.xml",
    "target/llvm-cov/llvm-cov.json",
    "target/llvm-cov.json",
    "target/tarpaulin/lcov.info",
    "target/tarpaulin/cobertura.xml",
    "target/site/cobertura/coverage.xml",
    "build/lcov.info",
];

/// The largest report that is read, in bytes.
const MOST_BYTES: u64 = 512 << 20;

/// Judges a run by the coverage of its tests. A report from before the run says nothing about it, and without a report there is
/// no score.
pub(super) fn judge_coverage(goal: &Goal, threshold: &Threshold, situation: &Situation) -> GoalOutcome {
    let failed = |error: &str, details: &str| GoalOutcome::unmeasured(goal.name(), error, details);
    let Some((path, modified)) = find_report(&situation.workdir, goal.report()) else {
        return failed("coverage_report_not_found", "no coverage report was found");
    };
    let shown = path.strip_prefix(&situation.workdir).unwrap_or(&path).display().to_string();
    if situation.run_started.is_some_and(|started| is_before(modified, started)) {
        return failed("coverage_report_stale", &format!("the coverage report {shown} is older than the run"));
    }
    match load_coverage(&path) {
        Err(reason) => failed("coverage_report_unreadable", &format!("the coverage report {shown} cannot be used: {reason}")),
        Ok(coverage) => judge(goal.name(), threshold, &coverage, &shown),
    }
}

fn judge(goal: &str, threshold: &Threshold, coverage: &Coverage, report: &str) -> GoalOutcome {
    let part = coverage.percent / 100.0;
    let score = rounded_score(match threshold.direction {
        Direction::Above => part,
        Direction::Below => 1.0 - part,
    });
    let mut outcome = GoalOutcome::measured(goal, threshold.is_reached(coverage.percent), Some(score))
        .with("coverage_percent", rounded(coverage.percent));
    for (metric, lines) in [("lines_covered", coverage.lines_covered), ("lines_valid", coverage.lines_valid)] {
        if let Some(lines) = lines {
            outcome = outcome.with(metric, lines);
        }
    }
    outcome
        .with("target", number(threshold.target))
        .saying(&format!("{:.2} percent of the lines are covered; the target is {} ({report})", coverage.percent, threshold.target))
}

/// The report that is named, or else the latest of those in the usual places.
fn find_report(workdir: &Path, named: Option<&Path>) -> Option<(PathBuf, SystemTime)> {
    let dated = |path: PathBuf| {
        let found = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((path, found.modified().ok()?))
    };
    match named {
        Some(named) => dated(workdir.join(named)),
        // Of equally late ones the last counts, so the order is turned round.
        None => USUAL.iter().rev().filter_map(|usual| dated(workdir.join(usual))).max_by_key(|(_, modified)| *modified),
    }
}

fn is_before(modified: SystemTime, started: Timestamp) -> bool {
    modified < SystemTime::from(started)
}

fn load_coverage(path: &Path) -> Result<Coverage, String> {
    let file = durable::open_regular(path).map_err(|error| error.to_string())?;
    let size = file.metadata().as_ref().map_or(0, fs::Metadata::len);
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes, more than {MOST_BYTES}"));
    }
    read_coverage(BufReader::<File>::with_capacity(1 << 16, file))
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Lines of a report are short but for the paths in them.
const MOST_LINE_BYTES: usize = 1 << 20;
/// How many lines of code a report may list.
const MOST_MARKS: usize = 20_000_000;

/// What a coverage report says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// How many lines tests reach. None where the report gives a rate only.
    pub lines_covered: Option<u64>,
    /// How many lines there are. None where the report gives a rate only.
    pub lines_valid: Option<u64>,
    /// The part that tests reach, from 0 to 100.
    pub percent: f64,
}

/// Reads a report, whose format shows in its content: lcov, Cobertura's XML, the JSON that `llvm-cov export` writes, or that of
/// coverage.py. Otherwise says why not.
pub fn read_coverage(mut report: impl BufRead) -> Result<Coverage, String> {
    let beginning = report.fill_buf().map_err(|error| error.to_string())?;
    if beginning.starts_with(BYTE_ORDER_MARK) {
        report.consume(BYTE_ORDER_MARK.len());
    }
    let beginning = report.fill_buf().map_err(|error| error.to_string())?;
    match beginning.trim_ascii_start().first() {
        Some(b'<') => read_cobertura(report),
        Some(b'{') => read_json(report),
        Some(_) if beginning.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"SF:")) => read_lcov(report),
        Some(_) => Err("it is not a coverage report of a known format".to_owned()),
        None => Err("it is empty".to_owned()),
    }
}

impl Coverage {
    fn of_lines(covered: u64, valid: u64) -> Result<Self, String> {
        if valid == 0 {
            return Err("it lists no lines".to_owned());
        }
        if covered > valid {
            return Err(format!("{covered} of {valid} lines are covered in it"));
        }
        #[expect(clippy::cast_precision_loss, reason = "no program has that many lines")]
        let percent = covered as f64 * 100.0 / valid as f64;
        Ok(Self { lines_covered: Some(covered), lines_valid: Some(valid), percent })
    }
}

/// Lines of files, each with whether it was reached. A line may be named several times: it is one line, and was reached if any
/// of them says so. Each is eight bytes, of which the last bit says whether it was reached and the others which line it is.
#[derive(Debug, Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn add(&mut self, file: u64, line: u64, is_reached: bool) -> Result<(), String> {
        if self.0.len() == MOST_MARKS {
            return Err(format!("it lists more than {MOST_MARKS} lines"));
        }
        self.0.push(xxh3_64_with_seed(&line.to_le_bytes(), file) & !1 | u64::from(is_reached));
        Ok(())
    }

    /// How many lines were reached, and how many there are.
    fn count(mut self) -> (u64, u64) {
        self.0.sort_unstable();
        let lines = self.0.chunk_by(|one, other| one >> 1 == other >> 1);
        lines.fold((0, 0), |(covered, valid), line| (covered + line.last().map_or(0, |mark| mark & 1), valid + 1))
    }
}

fn read_lcov(report: impl BufRead) -> Result<Coverage, String> {
    let mut records = Records::default();
    let mut fault = None;
    for_each_line(report, MOST_LINE_BYTES, |line| {
        if let Some(line) = line.filter(|_| fault.is_none()) {
            fault = records.take(&String::from_utf8_lossy(line)).err();
        }
    })
    .map_err(|error| error.to_string())?;
    if let Some(fault) = fault {
        return Err(fault);
    }
    records.end();
    let (covered, valid) = records.marks.count();
    Coverage::of_lines(covered.saturating_add(records.covered), valid.saturating_add(records.valid))
}

/// The records of an lcov report, one for each file and test.
#[derive(Debug, Default)]
struct Records {
    marks: Marks,
    file: u64,
    lists_lines: bool,
    found: u64,
    hit: u64,
    /// The lines of records that give their number only.
    valid: u64,
    covered: u64,
}

impl Records {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        match key {
            "SF" => {
                self.end();
                self.file = xxh3_64(value.as_bytes());
            }
            "DA" => {
                let mut fields = value.split(',');
                let (line, hits) = (fields.next().and_then(|line| line.parse().ok()), fields.next().and_then(parse_hits));
                let (Some(line), Some(hits)) = (line, hits) else { return Err("one of its lines cannot be read".to_owned()) };
                self.lists_lines = true;
                self.marks.add(self.file, line, hits > 0.0)?;
            }
            "LF" => self.found = value.parse().unwrap_or(0),
            "LH" => self.hit = value.parse().unwrap_or(0),
            "end_of_record" => self.end(),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) {
        if !self.lists_lines {
            self.valid = self.valid.saturating_add(self.found);
            self.covered = self.covered.saturating_add(self.hit);
        }
        (self.lists_lines, self.found, self.hit) = (false, 0, 0);
    }
}

/// Hits may be more than any whole number holds, and are below zero where a counter ran over.
fn parse_hits(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|hits: &f64| hits.is_finite())
}

fn read_cobertura(report: impl BufRead) -> Result<Coverage, String> {
    let mut reader = Reader::from_reader(report);
    let mut buffer = Vec::new();
    let mut classes = Classes::default();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|error| format!("it is not valid XML: {error}"))? {
            Event::Start(element) => {
                classes.take(&element)?;
                classes.depth += 1;
            }
            Event::Empty(element) => classes.take(&element)?,
            Event::End(_) => classes.depth = classes.depth.saturating_sub(1),
            Event::Eof if classes.depth > 0 => return Err("it ends too early".to_owned()),
            Event::Eof => return classes.finish(),
            _ => {}
        }
    }
}

/// What an XML report says, element by element.
#[derive(Debug, Default)]
struct Classes {
    depth: usize,
    has_root: bool,
    rate: Option<f64>,
    totals: Option<(u64, u64)>,
    file: u64,
    marks: Marks,
}

impl Classes {
    fn take(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        match element.name().0 {
            "coverage" if self.depth == 0 => {
                self.has_root = true;
                self.rate = attribute(element, "line-rate");
                self.totals = attribute(element, "lines-covered").zip(attribute(element, "lines-valid"));
                Ok(())
            }
            _ if !self.has_root => Err("it is not a coverage report of a known format".to_owned()),
            "class" => {
                let file = element.try_get_attribute("filename").ok().flatten();
                self.file = file.map_or(0, |file| xxh3_64(file.value.as_bytes()));
                Ok(())
            }
            // The lines of methods stand once more among those of their class.
            "line" => match (attribute::<u64>(element, "number"), attribute::<f64>(element, "hits")) {
                (Some(number), Some(hits)) => self.marks.add(self.file, number, hits > 0.0),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Coverage, String> {
        if let Some((covered, valid)) = self.totals.filter(|(_, valid)| *valid > 0) {
            return Coverage::of_lines(covered, valid);
        }
        match (self.marks.count(), self.rate) {
            ((_, 0), Some(rate)) if (0.0..=1.0).contains(&rate) && self.totals.is_none() => {
                Ok(Coverage { lines_covered: None, lines_valid: None, percent: rate * 100.0 })
            }
            ((covered, valid), _) => Coverage::of_lines(covered, valid),
        }
    }
}

fn attribute<T: std::str::FromStr>(element: &BytesStart<'_>, name: &str) -> Option<T> {
    element.try_get_attribute(name).ok()??.value.trim().parse().ok()
}

/// Both JSON formats at once: their members have different names.
#[derive(Deserialize)]
struct RawJson {
    data: Option<Vec<RawExport>>,
    totals: Option<RawStatements>,
}

#[derive(Deserialize)]
struct RawExport {
    totals: RawTotals,
}

#[derive(Deserialize)]
struct RawTotals {
    lines: RawLines,
}

#[derive(Deserialize)]
struct RawLines {
    count: u64,
    covered: u64,
}

#[derive(Deserialize)]
struct RawStatements {
    covered_lines: u64,
    num_statements: u64,
}

fn read_json(report: impl BufRead) -> Result<Coverage, String> {
    let report: RawJson = serde_json::from_reader(report).map_err(|error| format!("its JSON cannot be read: {error}"))?;
    match report {
        RawJson { data: Some(exports), .. } => {
            let sum =
                |part: fn(&RawLines) -> u64| exports.iter().map(|export| part(&export.totals.lines)).fold(0, u64::saturating_add);
            Coverage::of_lines(sum(|lines| lines.covered), sum(|lines| lines.count))
        }
        RawJson { totals: Some(totals), .. } => Coverage::of_lines(totals.covered_lines, totals.num_statements),
        RawJson { .. } => Err("it is not a coverage report of a known format".to_owned()),
    }
}
