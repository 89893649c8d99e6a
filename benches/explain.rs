//! `outerloop explain` beside `outerloop run learn`, over the same lake: an explanation asks only for what it explains. Each is a
//! process of its own; contenders take turns, and the median of the rounds counts.
//!
//! `cargo bench --bench explain -- --events 200000 --patterns 1000 --rounds 5`

#![expect(clippy::expect_used, clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is a program for people")]

mod measure;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use measure::{Cost, cost, median};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outerloop");

/// What is asked, and the query that finds whom to ask about: whoever has the most events behind it.
const QUESTIONS: [(&str, &[&str], &str); 4] = [
    ("explain, a lesson's pattern", &["explain"], "select id from pattern order by seen desc, id limit 1"),
    ("explain, a role's pattern", &["explain"], "select id from role_pattern order by successes desc, id limit 1"),
    ("explain, an observation", &["explain"], "select id from observation_pattern order by observations desc, id limit 1"),
    (
        "policy explain, an adapter",
        &["policy", "explain"],
        "select adapter as id from run_adapter group by adapter order by count(*) desc, adapter limit 1",
    ),
];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let option = |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned();
    let number = |name: &str, default: u64| option(name).map_or(default, |one| one.parse().expect("a number"));
    let (events, patterns, rounds) = (number("--events", 200_000), number("--patterns", 1000), number("--rounds", 5));
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let root = folder.path().join("workspace");
    fill(&root, events, patterns);
    let learn = ["run", "learn"].map(str::to_owned).to_vec();
    let mut contenders = vec![("run learn", learn)];
    for (name, command, query) in QUESTIONS {
        let found = output(program(&root).args(["query", query, "--format", "csv"]));
        let Some(id) = found.lines().nth(1) else { continue };
        let command = command.iter().map(|&word| word.to_owned()).chain([id.trim_matches('"').to_owned(), "--json".to_owned()]);
        contenders.push((name, command.collect()));
    }
    let mut costs: Vec<Vec<Cost>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        eprintln!("{events} events, {patterns} patterns: round {} of {rounds}", round + 1);
        for ((_, command), costs) in contenders.iter().zip(&mut costs) {
            costs.push(cost(program(&root).args(command)));
        }
    }
    println!("| events | patterns | contender | wall s | CPU s | peak MB | CPU, run learn = 1 |");
    println!("|---:|---:|---|---:|---:|---:|---:|");
    let medians: Vec<Cost> = costs.into_iter().map(median).collect();
    for ((name, _), Cost { wall, cpu, peak }) in contenders.iter().zip(&medians) {
        let ratio = cpu / medians[0].cpu;
        println!("| {events} | {patterns} | {name} | {wall:.2} | {cpu:.2} | {peak:.0} | {ratio:.2} |");
    }
}

/// A published lake with so many events of a busy team, over sixty days.
fn fill(root: &Path, events: u64, patterns: u64) {
    let status = program(root).arg("init").stderr(Stdio::null()).status();
    assert!(status.expect("the program starts").success());
    let step = (60 * 86_400_000 / events).max(1);
    let mut generate = Command::new(PROGRAM);
    generate.args(["generate", "--late", "0.02", "--seed", "3"]);
    generate.args(["--lines", &events.to_string(), "--patterns", &patterns.to_string(), "--step-millis", &step.to_string()]);
    let file = fs::File::create(root.join("inbox/events.jsonl")).expect("a file");
    assert!(generate.stdout(file).stderr(Stdio::null()).status().expect("the generator starts").success());
    for job in ["compact", "learn"] {
        assert!(program(root).args(["run", job]).stderr(Stdio::null()).status().expect("the program starts").success());
    }
}

fn output(command: &mut Command) -> String {
    let output = command.stderr(Stdio::null()).output().expect("the program starts");
    String::from_utf8(output.stdout).expect("text")
}

fn program(root: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("--root").arg(root);
    command
}
