//! Ingest beside its peer: the same file through `outerloop run compact`, through DuckDB's own `read_json` with explicit
//! columns into zstd Parquet, and through the parser alone. Each is a process of its own; wall time, processor time and
//! peak memory are those that the kernel counted for it. Contenders take turns, and the median of the rounds counts.
//!
//! `cargo bench --bench ingest -- --lines 10000000 --rounds 1 --kind application`

#![expect(clippy::expect_used, clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is a program for people")]

mod measure;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use measure::{Cost, cost, median};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outerloop");

/// What DuckDB is told of the file: the envelope and the fields of every kind in it, so that it has nothing to guess.
const APPLICATION_COLUMNS: &str =
    "kind: 'varchar', ts: 'timestamp', project: 'varchar', id: 'varchar', run_id: 'varchar', iteration: 'bigint',
    agent: 'varchar', trigger: 'varchar', status: 'varchar', citations: 'varchar[]', pattern_id: 'varchar'";
const OTHER_COLUMNS: &str = ", score: 'double', method: 'varchar', matched_concepts: 'varchar[]', goal: 'varchar', success: 'boolean',
    metrics: 'json', passed: 'boolean', path: 'varchar', verified: 'boolean', reason: 'varchar', result: 'varchar', quality: 'double',
    retries: 'bigint', rollback: 'boolean', human_override: 'boolean', risk: 'varchar', adapters: 'varchar[]', tokens: 'bigint',
    duration_ms: 'bigint', failure_type: 'varchar', model: 'varchar', summary: 'varchar', category: 'varchar', applies_to: 'varchar[]',
    what: 'varchar', why: 'varchar', type: 'varchar', pattern: 'varchar', evidence: 'varchar[]', details: 'varchar', quality_ok: 'boolean',
    session: 'varchar', role: 'varchar', phase: 'varchar', issue: 'bigint', labels: 'varchar[]', files: 'varchar[]', evidence_level: 'bigint',
    text: 'varchar', adversarial_role: 'varchar', verdict: 'varchar', false_positives: 'varchar[]', must_fix: 'varchar[]', action: 'varchar',
    actor: 'varchar'";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flag, file, target, columns] = &arguments[..]
        && flag == "--duckdb"
    {
        return run_duckdb(Path::new(file), Path::new(target), columns);
    }
    let option = |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned();
    let lines = option("--lines").unwrap_or_else(|| "1000000".to_owned());
    let rounds: usize = option("--rounds").map_or(5, |rounds| rounds.parse().expect("a number of rounds"));
    let kinds: Vec<Option<String>> =
        option("--kind").map_or_else(|| vec![Some("application".to_owned()), None], |kind| vec![Some(kind)]);
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    println!(
        "| {lines} lines | wall s | CPU s | peak MB | lines/s | wall, DuckDB = 1 | CPU, DuckDB = 1 |\n|---|---|---|---|---|---|---|"
    );
    for kind in kinds {
        measure(folder.path(), &lines, kind.as_deref(), rounds);
    }
}

/// A name, and a way to run it once.
type Contender<'c> = (&'static str, Box<dyn Fn() -> Cost + 'c>);

fn measure(folder: &Path, lines: &str, kind: Option<&str>, rounds: usize) {
    let file = folder.join("events.jsonl");
    generate(&file, lines, kind);
    let columns = kind.map_or_else(|| format!("{APPLICATION_COLUMNS}{OTHER_COLUMNS}"), |_| APPLICATION_COLUMNS.to_owned());
    let contenders: [Contender<'_>; 3] = [
        ("outerloop run compact", Box::new(|| compact(folder, &file))),
        ("DuckDB read_json to Parquet", Box::new(|| duckdb(folder, &file, &columns))),
        ("parse only", Box::new(|| parse_only(&file))),
    ];
    let mut costs: Vec<Vec<Cost>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        eprintln!("{}: round {} of {rounds}", kind.unwrap_or("all kinds"), round + 1);
        for ((_, run), costs) in contenders.iter().zip(&mut costs) {
            costs.push(run());
        }
    }
    let medians: Vec<Cost> = costs.into_iter().map(median).collect();
    let lines: f64 = lines.parse().expect("a number of lines");
    for ((name, _), cost) in contenders.iter().zip(&medians) {
        let Cost { wall, cpu, peak } = *cost;
        let (wall_ratio, cpu_ratio) = (medians[1].wall / wall, medians[1].cpu / cpu);
        let label = format!("{name}, {}", kind.unwrap_or("all kinds"));
        println!("| {label} | {wall:.2} | {cpu:.2} | {peak:.0} | {:.0} | {wall_ratio:.2} | {cpu_ratio:.2} |", lines / wall);
    }
}

fn generate(file: &Path, lines: &str, kind: Option<&str>) {
    let mut command = Command::new(PROGRAM);
    command.args(["generate", "--late", "0.02", "--duplicate", "0.01", "--bad", "0.001", "--lines", lines]);
    command.args(kind.map(|kind| ["--kind", kind]).iter().flatten());
    let status = command.stdout(fs::File::create(file).expect("a file")).status().expect("the generator starts");
    assert!(status.success());
}

fn compact(folder: &Path, file: &Path) -> Cost {
    // A workspace of its own each time: where files were just removed, the file system hesitates to use their places again.
    let root = tempfile::TempDir::new_in(folder).expect("a folder").keep();
    let status = Command::new(PROGRAM).arg("--root").arg(&root).arg("init").stderr(Stdio::null()).status();
    assert!(status.expect("the program starts").success());
    fs::hard_link(file, root.join("inbox/events.jsonl")).expect("a link");
    cost(Command::new(PROGRAM).arg("--root").arg(&root).args(["run", "compact"]))
}

fn duckdb(folder: &Path, file: &Path, columns: &str) -> Cost {
    let own = env::current_exe().expect("this program");
    cost(Command::new(own).arg("--duckdb").arg(file).arg(folder.join("duckdb.parquet")).arg(columns))
}

fn parse_only(file: &Path) -> Cost {
    cost(Command::new(PROGRAM).arg("bench-parse").arg(file))
}

/// What the peer does: lines that it cannot read are left out, because with an error it would stop.
fn run_duckdb(file: &Path, target: &Path, columns: &str) {
    let connection = duckdb::Connection::open_in_memory().expect("the engine opens");
    let sql = format!(
        "copy (select * from read_json('{}', format = 'newline_delimited', ignore_errors = true, columns = {{{columns}}}))
         to '{}' (format parquet, compression zstd)",
        file.display(),
        target.display()
    );
    connection.execute_batch(&sql).expect("the copy runs");
}
