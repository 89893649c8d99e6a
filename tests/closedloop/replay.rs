//! ClosedLoop's eleven steps, replayed naively as its specification describes them: what it appends to its log, and the rates that it
//! writes. Nothing here is taken from the program that is tested.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: [&str; 6] =
    ["src/api/client.ts", "src/auth/token.ts", "src/store/index.ts", "tests/api_test.py", "config/app.json", "docs/guide.md"];

const LESSONS: [(&str, &str); 9] = [
    ("Retry API calls with backoff", "api"),
    ("Retry API calls", "api"),
    ("Await every promise in request handlers", "javascript"),
    ("Await every promise in all request handlers", "javascript"),
    ("Check token expiry before requests", "auth|API"),
    ("Close files that were opened", "io"),
    ("Name branches after their issue", "git"),
    ("Quote every shell variable", "shell"),
    ("Test the state store before release", "test|state|store"),
];

const BUILDER: &str = "implementation-subagent";

pub struct Pattern {
    id: String,
    summary: &'static str,
    context: &'static str,
    confidence: &'static str,
    seen: usize,
    rate: String,
    flag: &'static str,
}

/// Where ClosedLoop works: a repository, the run folder inside of it, and the folder of the pattern file.
pub struct Place {
    pub top: PathBuf,
    pub work: PathBuf,
    pub global: PathBuf,
}

/// An iteration whose agents have ended, and whose steps are to run.
pub struct Turn<'t> {
    pub run: &'t str,
    pub iteration: usize,
    /// The commit at which it started.
    pub start: &'t str,
}

/// A repository, a run folder and the pattern file, while ClosedLoop works.
pub struct Loop<'p> {
    random: fastrand::Rng,
    place: &'p Place,
    patterns: Vec<Pattern>,
    outcomes: Vec<String>,
    acknowledgments: Vec<String>,
    runs: Vec<String>,
    minutes: u32,
}

impl<'p> Loop<'p> {
    /// A repository with some files, a run folder, and a pattern file.
    pub fn new(seed: u64, place: &'p Place) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut lessons: Vec<usize> = (0..LESSONS.len()).collect();
        random.shuffle(&mut lessons);
        let count = random.usize(4..=7);
        let patterns = lessons[..count].iter().enumerate().map(|(number, &lesson)| Pattern {
            id: format!("P-{:03}", number + 1),
            summary: LESSONS[lesson].0,
            context: LESSONS[lesson].1,
            confidence: "medium",
            seen: random.usize(0..4),
            rate: String::new(),
            flag: "[UNTESTED]",
        });
        let patterns = patterns.collect();
        let this = Self { random, place, patterns, outcomes: vec![], acknowledgments: vec![], runs: vec![], minutes: 0 };
        for file in FILES {
            let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
            fs::create_dir_all(place.top.join(file).parent().expect("a folder")).expect("folders");
            fs::write(place.top.join(file), text).expect("a file");
        }
        fs::write(place.top.join(".gitignore"), ".closedloop-ai/\n.learnings/\nruns.log\nperf.jsonl\n").expect("a file");
        this.git(&["init", "--quiet", "--initial-branch=main"]);
        this.commit();
        this.leave();
        // The program that rates patterns reads a copy that was made at the start.
        fs::copy(place.global.join("org-patterns.toon"), place.work.join(".learnings/org-patterns.toon")).expect("a copy");
        this
    }

    /// Some runs of some iterations. Before the steps of each, somebody else may look at the folder.
    pub fn work(&mut self, mut beside: impl FnMut(&Turn<'_>)) {
        for run in 0..self.random.usize(2..=3) {
            let name = format!("20260506-10000{run}-abcdef0{run}");
            for iteration in 1..=self.random.usize(2..=13) {
                self.iterate(&name, iteration, &mut beside);
            }
        }
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.place.top, arguments)
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "work"]);
    }

    fn time(&mut self) -> String {
        self.minutes += 1;
        format!("2026-05-{:02}T{:02}:{:02}:00Z", 6 + self.minutes / 1440, self.minutes / 60 % 24, self.minutes % 60)
    }

    /// What agents do to the files. Now and then nobody commits it.
    fn edit(&mut self) {
        for file in FILES {
            if self.random.f64() >= 0.4 {
                continue;
            }
            let path = self.place.top.join(file);
            let mut lines: Vec<String> = fs::read_to_string(&path).expect("a file").lines().map(str::to_owned).collect();
            for _ in 0..self.random.usize(1..4) {
                let line = self.random.usize(..lines.len());
                match self.random.usize(..4) {
                    0 if lines.len() > 40 => drop(lines.remove(line)),
                    1 => lines.insert(line, format!("new {}", self.random.u32(..))),
                    _ => lines[line] = format!("changed {}", self.random.u32(..)),
                }
            }
            fs::write(path, lines.join("\n") + "\n").expect("a file");
        }
        if self.random.f64() < 0.8 {
            self.commit();
        }
    }

    fn iterate(&mut self, run: &str, iteration: usize, beside: &mut impl FnMut(&Turn<'_>)) {
        let start = self.git(&["rev-parse", "HEAD"]);
        self.edit();
        for agent in [BUILDER, "plan-writer"] {
            if self.random.f64() < 0.8 {
                self.agent_ends(run, iteration, agent);
            }
        }
        let build = (self.random.f64() < 0.5).then(|| if self.random.bool() { "passed" } else { "failed" });
        let build_file = self.place.work.join(".learnings/build-result.json");
        if let Some(status) = build {
            let text = format!(
                "{{\"status\": \"{status}\", \"timestamp\": \"\", \"iteration\": \"{iteration}\", \"run_id\": \"{run}\"}}\n"
            );
            fs::write(&build_file, text).expect("a result");
        }
        self.leave();
        beside(&Turn { run, iteration, start: &start });
        // Step 1: what changed, committed or not.
        let ranges: [&[&str]; 3] = [&[&start, "HEAD"], &["HEAD"], &["--cached"]];
        let names = ranges.map(|range| self.git(&[&["diff", "--name-only"], range].concat()));
        let changed: BTreeSet<&str> = names.iter().flat_map(|names| names.lines()).collect();
        // Steps 2 and 3.
        if !changed.is_empty() {
            let scores = self.relevance(&changed.into_iter().collect::<Vec<_>>());
            self.merge_relevance(&scores);
        }
        // Steps 4 and 5: reduce-failures with its target of 3.
        let score = (1.0 - real(iteration) / 6.0).clamp(0.0, 1.0);
        let triple = format!("|reduce-failures|{}|{}", u8::from(iteration <= 3), python(rounded(score)));
        for row in &mut self.outcomes {
            let fields: Vec<&str> = row.split('|').collect();
            if fields.get(1) == Some(&run) && !fields.iter().any(|field| field.contains("goal_")) {
                row.push_str(&triple);
            }
        }
        self.verify(&start);
        // Step 7.
        if let Some(status) = build {
            for row in &mut self.outcomes {
                let fields: Vec<&str> = row.split('|').collect();
                let is_meant = fields.len() >= 6 && fields[3] == BUILDER && fields[2] == iteration.to_string();
                if is_meant && !row.contains("|build_passed") && !row.contains("|build_failed") {
                    row.push_str("|build_");
                    row.push_str(status);
                }
            }
            fs::remove_file(build_file).expect("the result is still there");
        }
        // Steps 8, 8.5 and 10 have no input: nothing is pending.
        self.compute();
        let time = self.time();
        self.runs.push(format!("{run}|{time}|reduce-failures|{iteration}|in_progress|code|s1"));
        self.leave();
    }

    /// What the hook at the end of an agent logs.
    fn agent_ends(&mut self, run: &str, iteration: usize, agent: &str) {
        let time = self.time();
        let shown: Vec<&'static str> =
            (0..self.random.usize(1..4)).map(|_| self.patterns[self.random.usize(..self.patterns.len())].summary).collect();
        let applied: Vec<String> = shown.iter().filter(|_| self.random.f64() < 0.6).map(|text| (*text).to_owned()).collect();
        let applied: Vec<String> = applied.into_iter().map(|text| self.quoted(&text)).collect();
        let mut evidence = "LEARNINGS_ACKNOWLEDGED".to_owned();
        for text in &applied {
            let _ = write!(evidence, " Applied: \"{text}\"");
            for _ in 0..self.random.usize(0..3) {
                let _ = write!(evidence, " {}:{}", FILES[self.random.usize(..6)], self.random.u32(1..60));
            }
        }
        let places: Vec<String> = citations(&evidence).into_iter().map(|(path, line)| format!("{path}:{line}")).collect();
        for text in &applied {
            self.outcomes.push(format!("{time}|{run}|{iteration}|{agent}|{text}|applied|{}", places.join(",")));
        }
        for text in shown.iter().filter(|text| !applied.iter().any(|applied| applied == *text)) {
            self.outcomes.push(format!("{time}|{run}|{iteration}|{agent}|{text}|injected|"));
        }
        if !applied.is_empty() {
            evidence.truncate(200);
            self.acknowledgments.push(format!("{time}|{run}|{iteration}|{agent}|true|{}|{evidence}", applied.join(",")));
        }
    }

    /// How an agent quotes a lesson.
    fn quoted(&mut self, text: &str) -> String {
        match self.random.usize(..10) {
            0 => text.to_lowercase(),
            1 => text.split(' ').take(3).collect::<Vec<_>>().join(" "),
            _ => text.to_owned(),
        }
    }

    /// Step 2.
    fn relevance(&self, files: &[&str]) -> Vec<(String, f64)> {
        let tags: BTreeSet<&str> = files.iter().flat_map(|file| tags_of(file)).collect();
        let score = |pattern: &Pattern| {
            let words = keywords(&format!("{} {}", pattern.summary, pattern.context));
            let shared = words.iter().filter(|word| tags.contains(word.as_str())).count();
            let base = if words.is_empty() { 0.0 } else { real(shared) / real(words.len()) };
            let own = letters(&pattern.summary.to_lowercase().replace(['_', '-'], " "));
            let is_named = files.iter().any(|file| !letters(&file.to_lowercase()).is_disjoint(&own));
            rounded(if is_named { (base + 0.2).min(1.0) } else { base })
        };
        self.patterns.iter().map(|pattern| (pattern.id.clone(), score(pattern))).collect()
    }

    /// Step 3.
    fn merge_relevance(&mut self, scores: &[(String, f64)]) {
        for row in &mut self.outcomes {
            let fields: Vec<&str> = row.split('|').collect();
            let is_number = |field: &&str| {
                !field.is_empty() && {
                    let digits = field.replace('.', "");
                    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
                }
            };
            if fields.len() < 5 || fields.iter().skip(7).any(|field| is_number(field) || field.starts_with("relevance_")) {
                continue;
            }
            let hit = scores.iter().find(|(id, _)| id.contains(fields[4]) || fields[4].contains(id.as_str()));
            row.push_str(&hit.map_or("|0.5|default".to_owned(), |(_, score)| format!("|{}|context_tags", python(*score))));
        }
    }

    /// Step 6, with the whole history of acknowledgments each time. Only what is committed counts; names are those of the repository,
    /// and files are looked for in the run folder.
    fn verify(&mut self, start: &str) {
        let names = git(&self.place.work, &["diff", "--name-only", start, "HEAD"]);
        let changed: BTreeMap<&str, Vec<i64>> =
            names.lines().map(|name| (name, new_lines(&self.git(&["diff", "--unified=0", start, "HEAD", "--", name])))).collect();
        if changed.is_empty() {
            return;
        }
        let mut bad: BTreeSet<(String, String, String)> = BTreeSet::new();
        for row in &self.acknowledgments {
            let fields: Vec<&str> = row.split('|').collect();
            for (path, line) in citations(fields[6]) {
                let is_near = |lines: &Vec<i64>| lines.iter().any(|changed| (changed - line).abs() <= 5);
                if !(self.place.work.join(&path).exists() && changed.get(&*path).is_some_and(is_near)) {
                    bad.insert((fields[1].to_owned(), fields[2].to_owned(), fields[5].to_owned()));
                }
            }
        }
        for row in &mut self.outcomes {
            let fields: Vec<&str> = row.split('|').collect();
            let key = (fields[1].to_owned(), fields[2].to_owned(), fields[4].to_owned());
            if bad.contains(&key) && !row.ends_with("|unverified") {
                row.push_str("|unverified");
            }
        }
    }

    /// Step 9.
    fn compute(&mut self) {
        let rows: Vec<Outcome> = self.outcomes.iter().map(|row| Outcome::read(row)).collect();
        if rows.is_empty() {
            return;
        }
        let highest = rows.iter().map(|row| row.iteration).max().unwrap_or(0);
        for pattern in &mut self.patterns {
            let own: Vec<&Outcome> = rows.iter().filter(|row| is_match(&row.trigger, pattern.summary)).collect();
            if own.is_empty() {
                pattern.flag = "[UNTESTED]";
                continue;
            }
            let is_weighted = own.iter().any(|row| row.goal.is_some());
            let weight = |row: &&Outcome| match row.goal {
                _ if row.is_unverified => 0.0,
                Some(false) if is_weighted => 0.5 * row.relevance.unwrap_or(0.5),
                _ => 1.0,
            };
            let mut sum = 0.0;
            for row in &own {
                sum += weight(row);
            }
            let rate = (sum / real(own.len())).clamp(0.0, 1.0);
            let last = own.iter().map(|row| row.iteration).max().unwrap_or(0);
            let is_stale = highest > 0 && highest - last >= 10;
            pattern.seen = own.len();
            pattern.rate = format!("{rate:.2}");
            pattern.confidence = if rate >= 0.70 {
                "high"
            } else if rate >= 0.40 {
                "medium"
            } else {
                "low"
            };
            pattern.flag = match () {
                () if own.len() > 20 && rate < 0.40 => "[PRUNE]",
                () if is_stale => "[STALE]",
                () if rate < 0.40 => "[REVIEW]",
                () => "",
            };
        }
    }

    /// Writes the run folder and the pattern file as they are now.
    fn leave(&self) {
        let Place { work, global, .. } = self.place;
        fs::create_dir_all(work.join(".learnings")).expect("folders");
        fs::create_dir_all(global).expect("folders");
        let text = |rows: &[String]| rows.iter().map(|row| format!("{row}\n")).collect::<String>();
        fs::write(work.join(".learnings/outcomes.log"), text(&self.outcomes)).expect("a log");
        fs::write(work.join(".learnings/acknowledgments.log"), text(&self.acknowledgments)).expect("a log");
        fs::write(work.join("runs.log"), text(&self.runs)).expect("a log");
        fs::write(work.join("perf.jsonl"), "").expect("a log");
        let row = |pattern: &Pattern| {
            let Pattern { id, summary, context, confidence, seen, rate, flag } = pattern;
            format!("  {id},pattern,\"{summary}\",{confidence},{seen},{rate},{flag},*,{context},*\n")
        };
        let header = "{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:";
        let rows: String = self.patterns.iter().map(row).collect();
        let file = format!("# Organization Patterns (TOON format)\n\npatterns[{}]{header}\n{rows}", self.patterns.len());
        fs::write(global.join("org-patterns.toon"), file).expect("patterns");
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = ["-c", "user.name=Ann", "-c", "user.email=ann@localhost", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(settings).args(arguments).current_dir(folder).output().expect("git starts");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// The lines that a diff adds or changes, by the headers of its hunks.
fn new_lines(diff: &str) -> Vec<i64> {
    let headers = diff.lines().filter(|line| line.starts_with("@@ "));
    let ranges = headers.filter_map(|line| line.split(' ').find_map(|word| word.strip_prefix('+')));
    let range = |range: &str| {
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        let (first, count): (i64, i64) = (first.parse().expect("a line"), count.parse().expect("a count"));
        first..first + count
    };
    ranges.flat_map(range).collect()
}

/// Every `path:line` of a text.
fn citations(text: &str) -> Vec<(String, i64)> {
    let is_of_path = |letter: char| letter.is_ascii_alphanumeric() || "_/.\\-".contains(letter);
    let mut found = Vec::new();
    for (at, _) in text.match_indices(':') {
        let path: String =
            text[..at].chars().rev().take_while(|letter| is_of_path(*letter)).collect::<Vec<_>>().into_iter().rev().collect();
        let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        if let (false, Ok(line)) = (path.is_empty(), digits.parse()) {
            found.push((path, line));
        }
    }
    found
}

/// A row as ClosedLoop's rate tool reads it.
struct Outcome {
    iteration: i64,
    trigger: String,
    is_unverified: bool,
    goal: Option<bool>,
    relevance: Option<f64>,
}

impl Outcome {
    fn read(row: &str) -> Self {
        let fields: Vec<&str> = row.split('|').collect();
        let tail = fields.get(7..).unwrap_or_default();
        let goal = tail.windows(3).find(|three| matches!(three[1], "0" | "1") && three[2].parse::<f64>().is_ok());
        Self {
            iteration: fields[2].parse().expect("an iteration"),
            trigger: fields[4].to_owned(),
            is_unverified: fields[5] == "injected" || tail.contains(&"unverified"),
            goal: goal.map(|three| three[1] == "1"),
            relevance: tail.iter().find_map(|field| field.parse().ok()),
        }
    }
}

/// Whether ClosedLoop counts a row for a pattern.
pub fn is_match(trigger: &str, summary: &str) -> bool {
    let (one, other) = (trigger.to_lowercase(), summary.to_lowercase());
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (words(&one), words(&other));
    let likeness = if a.is_empty() || b.is_empty() { 0.0 } else { real(a.intersection(&b).count()) / real(a.union(&b).count()) };
    other.contains(&one) || one.contains(&other) || likeness > 0.6
}

#[expect(clippy::cast_precision_loss, reason = "the counts of a test are small")]
fn real(count: usize) -> f64 {
    count as f64
}

fn rounded(score: f64) -> f64 {
    format!("{score:.2}").parse().expect("a number")
}

/// A number as Python prints it.
fn python(number: f64) -> String {
    format!("{number:?}")
}

fn letters(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_ascii_lowercase()).filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

fn tags_of(path: &str) -> Vec<&'static str> {
    let base = path.rsplit('/').next().unwrap_or(path);
    let ending = base.rsplit_once('.').map_or("", |(_, ending)| ending);
    let has = |part: &str| path.contains(part);
    let rules = [
        ("component", has("component")),
        ("hooks", has("hook") || base.contains("use")),
        ("routes", has("route") || has("page")),
        ("auth", has("auth")),
        ("api", has("api")),
        ("test", has("test") || has("spec")),
        ("utils", has("util") || has("helper")),
        ("config", has("config") || has("setting") || matches!(ending, "json" | "yaml" | "yml")),
        ("models", has("model") || has("schema")),
        ("services", has("service")),
        ("state", has("store") || has("state")),
        ("styles", has("style") || has("css")),
        ("javascript", matches!(ending, "ts" | "tsx" | "js" | "jsx")),
        ("python", ending == "py"),
        ("docs", ending == "md"),
    ];
    rules.into_iter().filter(|(_, holds)| *holds).map(|(tag, _)| tag).collect()
}

fn keywords(text: &str) -> BTreeSet<String> {
    const STOPWORDS: &str = " above after all always an and are as at be been before being below between both but by check could did do does \
        during each every few for from had has have how if in into is just make may might more most must never no nor not of on only or \
        other own same shall should so some such than the then through to too under use using very was were when where why will with would a ";
    let words = text.to_lowercase();
    let words = words.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).map(str::to_owned);
    words.filter(|word| word.len() >= 3 && !STOPWORDS.contains(&format!(" {word} "))).collect()
}
