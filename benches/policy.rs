//! Reliability and policies beside their peer: `outerloop run learn` over a lake of runs, with folds, overlays, reports and
//! files, and SQL that an analyst would write by hand for the sums alone (`benches/policy.sql`), over the same lake in the same
//! engine. Each is a process of its own; contenders take turns, and the median of the rounds counts.
//!
//! `cargo bench --bench policy -- --runs 10000000 --rounds 3`

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
    let sizes = option("--runs").map_or_else(|| vec![100_000, 1_000_000], |runs| vec![runs.parse().expect("a number of runs")]);
    println!("| runs | adapters | contender | wall s | CPU s | peak MB | wall, SQL = 1 | CPU, SQL = 1 |");
    println!("|---:|---:|---|---:|---:|---:|---:|---:|");
    for runs in sizes {
        measure(runs, rounds);
    }
}

fn measure(runs: u64, rounds: usize) {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let root = folder.path().join("workspace");
    fill(&root, runs);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        eprintln!("{runs} runs: round {} of {rounds}", round + 1);
        ours.push(cost(program(&root).args(["run", "learn"])));
        let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/policy.sql");
        let rows = folder.path().join("rows.parquet");
        theirs.push(cost(program(&root).arg("query").arg("-f").arg(sql).args(["--format", "parquet", "-o"]).arg(rows)));
    }
    let peer = median(theirs);
    for (name, Cost { wall, cpu, peak }) in [("outerloop run learn", median(ours)), ("hand-written SQL", peer)] {
        let (wall_ratio, cpu_ratio) = (wall / peer.wall, cpu / peer.cpu);
        println!("| {runs} | 40 | {name} | {wall:.2} | {cpu:.2} | {peak:.0} | {wall_ratio:.2} | {cpu_ratio:.2} |");
    }
}

/// How many runs land at a time: as lines they take up three times what they do as Parquet.
const PART: u64 = 1_000_000;

/// A lake of so many runs of forty adapters, over sixty days.
fn fill(root: &Path, runs: u64) {
    assert!(program(root).arg("init").stderr(Stdio::null()).status().expect("the program starts").success());
    let step = (60 * 86_400_000 / runs).max(1);
    for (part, first) in (0..runs).step_by(usize::try_from(PART).expect("a size")).enumerate() {
        let lines = PART.min(runs - first);
        let mut generate = Command::new(PROGRAM);
        generate.args(["generate", "--kind", "run", "--adapters", "40", "--step-millis", &step.to_string()]);
        generate.args(["--seed", &(part + 3).to_string(), "--lines", &lines.to_string()]);
        generate.args(["--start", &start(first * step)]);
        let path = root.join(format!("inbox/runs-{part}.jsonl"));
        let file = fs::File::create(&path).expect("a file");
        assert!(generate.stdout(file).stderr(Stdio::null()).status().expect("the generator starts").success());
        assert!(program(root).args(["run", "compact"]).stderr(Stdio::null()).status().expect("the program starts").success());
        fs::remove_file(path).expect("the inbox file");
    }
}

/// The time at which a part begins.
fn start(millis: u64) -> String {
    let begin = "2026-08-01T00:00:00Z".parse::<jiff::Timestamp>().expect("a time");
    let offset = jiff::SignedDuration::from_millis(i64::try_from(millis).expect("some days"));
    begin.checked_add(offset).expect("a time").to_string()
}

fn program(root: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("--root").arg(root);
    command
}
