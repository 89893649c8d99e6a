//! From a million coins to verdicts: the sums of the lake, the wagers, the intervals and the pooled lifts. Opening the engine and
//! matching patterns are part of it.
//!
//! `cargo bench --bench truth -- --units 100000 --rounds 3`

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark is a program for people")]

use std::env;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::time::Instant;

use engine::Horizon;
use engine::cycle::{Aim, CycleOptions, Inquiry};
use event::row::Rows;
use learn::truth::{BaselineRow, CellRow, Rule, Salt, Setup, judge};
use setting::Settings;
use store::deadline::Deadline;
use store::lake::{Limits, compact};
use store::workspace::Workspace;

/// Patterns in all, and those that fit a unit.
const PATTERNS: usize = 200;
const FITTING: usize = 10;

/// 2026-04-01, in microseconds since 1970.
const START: i64 = 1_775_001_600_000_000;
const DAY: i64 = 86_400_000_000;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let option = |name: &str, default: i64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).map_or(default, |text| text.parse().expect("a number"))
    };
    let (units, rounds) = (option("--units", 100_000), option("--rounds", 3));
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let workspace = Workspace::at(folder.path().join(".outerloop"));
    fs::create_dir_all(workspace.inbox()).expect("the inbox");
    fill(&workspace, units);
    println!("| coins | units | patterns | cells | verdicts | wall s | CPU s |\n|---:|---:|---:|---:|---:|---:|---:|");
    for _ in 0..rounds {
        measure(&workspace, units);
    }
}

fn measure(workspace: &Workspace, units: i64) {
    let settings = Settings::default();
    let program = batch::program();
    let horizon = Horizon { as_of_micros: START + 61 * DAY, through: None };
    let options = CycleOptions { settings: &settings, horizon, deadline: Deadline::NEVER, program };
    let (start, before) = (Instant::now(), cpu());
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::Every).expect("the engine opens");
    let cells: Vec<CellRow> = inquiry.load("truth_cell", Rows::read).expect("sums");
    let baseline: Vec<BaselineRow> = inquiry.load("truth_baseline", Rows::read).expect("means");
    let rule = Rule {
        setup: Setup { smallest: 0.1, rate: 0.05 },
        epoch_days: 90,
        metric: "goal",
        guard_limit: 0.05,
        today: horizon.as_of_micros / DAY,
    };
    let judgement = judge(&cells, &baseline, &rule);
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu() - before);
    let coins: u64 = cells.iter().filter(|row| row.pattern != Some(0)).map(|row| row.units).sum();
    let verdicts = judgement.findings.len();
    println!("| {coins} | {units} | {PATTERNS} | {} | {verdicts} | {wall:.2} | {cpu:.2} |", cells.len());
}

/// Units over sixty days, each with the loop's coin, ten patterns' coins, and a goal.
fn fill(workspace: &Workspace, units: i64) {
    let mut random = fastrand::Rng::with_seed(1);
    let salt = Salt::new("bench".to_owned());
    let file = fs::File::create(workspace.inbox().join("coins.jsonl")).expect("the inbox file");
    let mut out = BufWriter::new(file);
    let time = |micros: i64| jiff::Timestamp::from_microsecond(micros).expect("a time");
    for number in 1..=PATTERNS {
        writeln!(
            out,
            r#"{{"kind":"learning","id":"l{number}","ts":"{}","summary":"alpha{number} beta{number} gamma{number}"}}"#,
            time(START)
        )
        .expect("a line");
    }
    for unit in 0..units {
        let at = START + unit * 60 * DAY / units;
        let name = format!("run-{unit}");
        let arm = if salt.toss(&name, Salt::LOOP, 0.9).is_shown { "on" } else { "off" };
        writeln!(
            out,
            r#"{{"kind":"assignment","id":"a{unit}","ts":"{}","run_id":"{name}","arm":"{arm}","propensity":0.9}}"#,
            time(at)
        )
        .expect("a line");
        let first = random.usize(..PATTERNS);
        for place in 0..FITTING {
            let pattern = format!("P-{:03}", (first + place * 7) % PATTERNS + 1);
            let status = if salt.toss(&name, &pattern, 0.8).is_shown { "injected" } else { "withheld" };
            writeln!(
                out,
                r#"{{"kind":"application","id":"c{unit}-{place}","ts":"{}","run_id":"{name}","pattern_id":"{pattern}","status":"{status}","propensity":0.8}}"#,
                time(at)
            )
            .expect("a line");
        }
        let success = random.bool();
        let ended = time(at + DAY / 24);
        writeln!(out, r#"{{"kind":"goal","id":"g{unit}","ts":"{ended}","run_id":"{name}","goal":"tests","success":{success}}}"#)
            .expect("a line");
    }
    drop(out);
    let limits = Limits { batch_bytes: 1 << 30, held_ids: 10_000_000, rules: setting::RunSettings::default() };
    compact(workspace, limits, |_| Ok(())).expect("the inbox is taken");
}

/// The processor time of this process so far, in seconds.
fn cpu() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to memory of ours that outlives the call.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0, "the kernel counts");
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| learn::real(time.tv_sec) + learn::real(time.tv_usec) / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
