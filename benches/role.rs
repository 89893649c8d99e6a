//! What roles have learned beside its peer: `outerloop run learn` over a lake of deliberations, verdicts, exposures and outcomes, with
//! the fold in the order of time, likeness, reinforcement, reports and files, and SQL that an analyst would write by hand for the sums
//! alone (`benches/role.sql`), over the same lake in the same engine. Each is a process of its own; contenders take turns, and the
//! median of the rounds counts.
//!
//! `cargo bench --bench role -- --events 10000000 --rounds 1`

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
    let patterns: u64 = option("--patterns").map_or(10_000, |patterns| patterns.parse().expect("a number of patterns"));
    let sizes =
        option("--events").map_or_else(|| vec![100_000, 1_000_000], |events| vec![events.parse().expect("a number of events")]);
    println!("| events | patterns | contender | wall s | CPU s | peak MB | wall, SQL = 1 | CPU, SQL = 1 |");
    println!("|---:|---:|---|---:|---:|---:|---:|---:|");
    for events in sizes {
        measure(events, patterns, rounds);
    }
}

fn measure(events: u64, patterns: u64, rounds: usize) {
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let root = folder.path().join("workspace");
    fill(&root, events, patterns);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        eprintln!("{events} events: round {} of {rounds}", round + 1);
        ours.push(cost(program(&root).args(["run", "learn"])));
        let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/role.sql");
        let rows = folder.path().join("rows.parquet");
        theirs.push(cost(program(&root).arg("query").arg("-f").arg(sql).args(["--format", "parquet", "-o"]).arg(rows)));
    }
    let peer = median(theirs);
    for (name, Cost { wall, cpu, peak }) in [("outerloop run learn", median(ours)), ("hand-written SQL", peer)] {
        let (wall_ratio, cpu_ratio) = (wall / peer.wall, cpu / peer.cpu);
        println!("| {events} | {patterns} | {name} | {wall:.2} | {cpu:.2} | {peak:.0} | {wall_ratio:.2} | {cpu_ratio:.2} |");
    }
}

/// A lake of so many events of four projects and three roles each, over sixty days.
fn fill(root: &Path, events: u64, patterns: u64) {
    assert!(program(root).arg("init").stderr(Stdio::null()).status().expect("the program starts").success());
    let step = (60 * 86_400_000 / events).max(1);
    let mut generate = Command::new(PROGRAM);
    generate.args(["generate", "--kind", "roles", "--seed", "3", "--start", "2026-08-01T00:00:00Z"]);
    generate.args(["--lines", &events.to_string(), "--patterns", &patterns.to_string(), "--step-millis", &step.to_string()]);
    let path = root.join("inbox/roles.jsonl");
    let file = fs::File::create(&path).expect("a file");
    assert!(generate.stdout(file).stderr(Stdio::null()).status().expect("the generator starts").success());
    assert!(program(root).args(["run", "compact"]).stderr(Stdio::null()).status().expect("the program starts").success());
    fs::remove_file(path).expect("the inbox file");
}

fn program(root: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("--root").arg(root);
    command
}
