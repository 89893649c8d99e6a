//! The learning cycle beside its peer: `outerloop run learn`, which folds, matches, counts, scores, audits and publishes, and
//! SQL that an analyst would write by hand for the same aggregates (`benches/cycle.sql`), over the same lake, in the same
//! engine. Each is a process of its own; contenders take turns, and the median of the rounds counts.
//!
//! `cargo bench --bench cycle -- --applications 10000000 --patterns 5000 --rounds 1`

#![expect(clippy::expect_used, clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is a program for people")]

mod measure;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use measure::{Cost, cost, median};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outerloop");

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let option = |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned();
    let rounds: usize = option("--rounds").map_or(5, |rounds| rounds.parse().expect("a number of rounds"));
    let list =
        |name: &str, default: &[u64]| option(name).map_or_else(|| default.to_vec(), |one| vec![one.parse().expect("a number")]);
    println!("| applications | patterns | contender | wall s | CPU s | peak MB | wall, SQL = 1 | CPU, SQL = 1 |");
    println!("|---:|---:|---|---:|---:|---:|---:|---:|");
    for applications in list("--applications", &[100_000, 1_000_000]) {
        for patterns in list("--patterns", &[50, 5000]) {
            measure(applications, patterns, rounds);
        }
    }
}

fn measure(applications: u64, patterns: u64, rounds: usize) {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let root = folder.path().join("workspace");
    fill(&root, applications, patterns);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        eprintln!("{applications} applications, {patterns} patterns: round {} of {rounds}", round + 1);
        ours.push(cost(program(&root).args(["run", "learn"])));
        let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/cycle.sql");
        let rows = folder.path().join("rows.parquet");
        theirs.push(cost(program(&root).arg("query").arg("-f").arg(sql).args(["--format", "parquet", "-o"]).arg(rows)));
    }
    let peer = median(theirs);
    for (name, Cost { wall, cpu, peak }) in [("outerloop run learn", median(ours)), ("hand-written SQL", peer)] {
        let (wall_ratio, cpu_ratio) = (wall / peer.wall, cpu / peer.cpu);
        println!("| {applications} | {patterns} | {name} | {wall:.2} | {cpu:.2} | {peak:.0} | {wall_ratio:.2} | {cpu_ratio:.2} |");
    }
}

/// A lake with about so many applications: three fifths of a busy team's events are.
fn fill(root: &Path, applications: u64, patterns: u64) {
    let status = program(root).arg("init").stderr(Stdio::null()).status();
    assert!(status.expect("the program starts").success());
    let lines = applications * 5 / 3;
    // Sixty days, however many events.
    let step = (60 * 86_400_000 / lines).max(1);
    let mut generate = Command::new(PROGRAM);
    generate.args(["generate", "--late", "0.02", "--seed", "3"]);
    generate.args(["--lines", &lines.to_string(), "--patterns", &patterns.to_string(), "--step-millis", &step.to_string()]);
    let file = fs::File::create(root.join("inbox/events.jsonl")).expect("a file");
    assert!(generate.stdout(file).stderr(Stdio::null()).status().expect("the generator starts").success());
    assert!(program(root).args(["run", "compact"]).stderr(Stdio::null()).status().expect("the program starts").success());
    fs::remove_file(root.join("inbox/events.jsonl")).expect("the inbox file");
}

fn program(root: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("--root").arg(root);
    command
}
