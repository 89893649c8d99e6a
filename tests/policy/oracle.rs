//! Random logs against a naive count: refused runs, reports over midnight, odd letters, several projects, results known later.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use learn::round_half_away;
use serde_json::{Value, json};

use super::generation::published;
use crate::support::Scene;

/// Spellings of one name, and its key.
type Spellings = (&'static str, &'static [&'static str]);

const ADAPTERS: [Spellings; 5] = [
    ("github", &["github", "GitHub", " GITHUB\u{a0}"]),
    ("οδοσ", &["ΟΔΟΣ", "οδος"]),
    ("strasse", &["Straße", "STRASSE"]),
    // A quote and a separator of failure ids.
    ("o'neil::x", &["O'Neil::X", "o'neil::x\u{2003}"]),
    ("店🛠\u{fe0f}", &["店🛠\u{fe0f}"]),
];
const FAILURES: [Spellings; 4] = [
    ("auth", &["auth", "AUTH "]),
    ("i\u{307}o", &["İO", "i\u{307}O"]),
    ("τελοσ", &["ΤΕΛΟΣ", "τελος"]),
    ("ファイル", &["ファイル", "\u{3000}ファイル"]),
];
/// Names that a query, a file and a label must survive.
const PROJECTS: [&str; 3] = ["shop", "bänk's \"1\" %s", "店-🛠"];

/// A report of a run, as its writer means it.
#[derive(Clone)]
struct Told {
    run: (usize, u32),
    micros: i64,
    is_success: bool,
    adapters: Vec<usize>,
    failure: usize,
    retries: i64,
    thousandths: i64,
    /// 0 is taken; the others are refused for different reasons.
    fault: u32,
}

fn random_report(number: i64, random: &mut Rng) -> Told {
    let mut adapters = vec![random.usize(..ADAPTERS.len())];
    let second = random.usize(..ADAPTERS.len());
    if random.bool() && second != adapters[0] {
        adapters.push(second);
    }
    Told {
        run: (random.usize(..PROJECTS.len()), random.u32(..25)),
        // Four days; no two at once.
        micros: 1_790_000_000_000_000 + random.i64(0..345_600) * 1_000_000 + number,
        is_success: random.u32(..4) > 0,
        adapters,
        failure: random.usize(..FAILURES.len()),
        retries: random.i64(0..5),
        thousandths: random.i64(0..=1000),
        fault: if random.u32(..6) == 0 { random.u32(1..4) } else { 0 },
    }
}

fn spelled(name: Spellings, random: &mut Rng) -> &'static str {
    name.1[random.usize(..name.1.len())]
}

fn line(told: &Told, number: i64, random: &mut Rng) -> String {
    let mut event = json!({"kind": "run", "ts": jiff::Timestamp::from_microsecond(told.micros).expect("a time").to_string(),
        "project": PROJECTS[told.run.0], "run_id": format!("r{}", told.run.1), "retries": told.retries, "notes": number.to_string(),
        "result": if told.is_success { "success" } else { "failure" },
        "quality": f64::from(i32::try_from(told.thousandths).expect("small")) / 1000.0});
    event["adapters"] = told.adapters.iter().map(|&adapter| spelled(ADAPTERS[adapter], random)).collect();
    if !told.is_success {
        event["failure_type"] = spelled(FAILURES[told.failure], random).into();
    }
    match told.fault {
        1 => event["quality"] = json!(7),
        2 => event["adapters"] = json!([]),
        3 => {
            event["result"] = json!("failure");
            event.as_object_mut().expect("an object").remove("failure_type");
        }
        _ => {}
    }
    format!("{event}\n")
}

/// Who is missing: adapters of a refused report, as far as it names them.
fn named(told: &Told) -> &[usize] {
    if told.fault == 2 { &[] } else { &told.adapters }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn score(runs: i64, successes: i64, retries: i64, thousandths: i64) -> f64 {
    let (runs, successes, retries) = (runs as f64, successes as f64, retries as f64);
    let raw = successes / runs * 0.6 + (1.0 - (retries / runs).min(3.0) / 3.0) * 0.2 + thousandths as f64 / 1000.0 / runs * 0.2;
    round_half_away(raw.clamp(0.0, 1.0), 3)
}

/// Counts report by report: those of one project, or all.
fn naive(
    log: &[Told],
    late: &BTreeMap<(usize, u32), bool>,
    project: Option<usize>,
) -> (BTreeMap<String, Value>, BTreeMap<String, i64>) {
    let log: Vec<&Told> = log.iter().filter(|told| project.is_none_or(|project| told.run.0 == project)).collect();
    let mut runs: BTreeMap<(usize, u32), &Told> = BTreeMap::new();
    for &told in log.iter().filter(|told| told.fault == 0) {
        let known = runs.entry(told.run).or_insert(told);
        if told.micros > known.micros {
            *known = told;
        }
    }
    // A refused report counts unless a later one was taken.
    let is_open = |told: &&Told| told.fault > 0 && runs.get(&told.run).is_none_or(|known| known.micros < told.micros);
    let refused: Vec<&Told> = log.iter().copied().filter(is_open).collect();
    let concerns = |told: &Told, adapter: usize| {
        let known = runs.get(&told.run).filter(|_| named(told).is_empty());
        named(told).contains(&adapter) || known.is_some_and(|known| known.adapters.contains(&adapter))
    };
    let nameless = refused.iter().filter(|told| named(told).is_empty() && !runs.contains_key(&told.run));
    let unknown: BTreeSet<(usize, u32)> = nameless.map(|told| told.run).collect();
    let mut patterns: BTreeMap<(usize, usize), i64> = BTreeMap::new();
    for (run, told) in &runs {
        if !told.is_success && late.get(run) != Some(&true) {
            *patterns.entry((told.adapters[0], told.failure)).or_default() += 1;
        }
    }
    let mut rules = BTreeMap::new();
    for (adapter, (key, _)) in ADAPTERS.iter().enumerate() {
        let own: Vec<(&(usize, u32), &&Told)> = runs.iter().filter(|(_, told)| told.adapters.contains(&adapter)).collect();
        let open: BTreeSet<(usize, u32)> = refused.iter().filter(|told| concerns(told, adapter)).map(|told| told.run).collect();
        let missing = i64::try_from(open.len() + unknown.len()).expect("few");
        if own.is_empty() {
            continue;
        }
        let count = i64::try_from(own.len()).expect("few");
        let good = own.iter().filter(|(run, told)| late.get(run).copied().unwrap_or(told.is_success)).count();
        let good = i64::try_from(good).expect("few");
        let (retries, quality) = own.iter().fold((0, 0), |sum, (_, told)| (sum.0 + told.retries, sum.1 + told.thousandths));
        let point = score(count, good, retries, quality);
        let mut worst = (count + missing, good, retries + 3 * missing, quality);
        for (run, told) in own.iter().filter(|(run, _)| open.contains(run)) {
            let is_good = late.get(run).copied().unwrap_or(told.is_success);
            worst = (worst.0 - 1, worst.1 - i64::from(is_good), worst.2 - told.retries, worst.3 - told.thousandths);
        }
        let lowest = score(worst.0, worst.1, worst.2, worst.3);
        let repeats = patterns.iter().any(|((of, _), seen)| *of == adapter && *seen >= 3);
        let multiplier = if lowest < 0.7 {
            1.4
        } else if lowest > 0.9 && count >= 5 {
            0.9
        } else {
            1.0
        };
        let expected = json!([count, point, missing, lowest, multiplier, lowest < 0.75 || repeats]);
        rules.insert((*key).to_owned(), expected);
    }
    let id = |(adapter, failure): (usize, usize)| format!("{}::{}", ADAPTERS[adapter].0, FAILURES[failure].0);
    (rules, patterns.into_iter().map(|(pair, seen)| (id(pair), seen)).collect())
}

#[test]
fn random_logs_give_what_a_naive_count_gives() {
    for seed in 0..6 {
        let mut random = Rng::with_seed(seed);
        let scene = Scene::new();
        let log: Vec<Told> = (0..random.i64(20..120)).map(|number| random_report(number, &mut random)).collect();
        let mut late = BTreeMap::new();
        let mut text = String::new();
        for (number, told) in (0..).zip(&log) {
            let event = line(told, number, &mut random);
            match random.u32(..3) {
                0 => drop(scene.run_with(&["record"], event.as_bytes())),
                1 => scene.land(&format!("{number}.jsonl"), event.as_bytes()),
                _ => text.push_str(&event),
            }
            if random.u32(..30) == 0 {
                scene.done(&["run", "compact"]);
            }
        }
        scene.land("rest.jsonl", text.as_bytes());
        for number in 0..4 {
            let (run, passed) = ((random.usize(..PROJECTS.len()), random.u32(..25)), random.bool());
            late.insert(run, passed);
            let event = json!({"kind": "aftermath", "ts": format!("2026-10-0{}T00:00:00Z", number + 1), "project": PROJECTS[run.0],
                "run_id": format!("r{}", run.1), "passed": passed});
            scene.land("late.jsonl", format!("{event}\n").as_bytes());
        }
        scene.done(&["run", "compact"]);
        scene.done(&["run", "learn"]);
        let document = published(&scene, "policy.json");
        check(&document, &published(&scene, "learning-store.json"), naive(&log, &late, None), &format!("seed {seed}"));
        let known: BTreeSet<usize> = log.iter().map(|told| told.run.0).collect();
        assert_eq!(document["projects"].as_object().expect("projects").len(), known.len(), "seed {seed}");
        for (project, store) in known.into_iter().zip(stores(&scene, &log)) {
            let when = format!("seed {seed}, {}", PROJECTS[project]);
            check(&document["projects"][PROJECTS[project]], &store, naive(&log, &late, Some(project)), &when);
        }
    }
}

/// The original's store of each project, in the order of projects: whoever reads one sees no other's runs.
fn stores(scene: &Scene, log: &[Told]) -> Vec<Value> {
    let mut stores: BTreeMap<usize, Value> = BTreeMap::new();
    for entry in std::fs::read_dir(scene.workspace.current()).expect("files") {
        let name = entry.expect("a file").file_name().into_string().expect("text");
        if !name.starts_with("learning-store.") || name == "learning-store.json" {
            continue;
        }
        let store = published(scene, &name);
        let outcomes = store["outcomes"].as_array().expect("a list");
        let told: BTreeSet<&str> = outcomes.iter().map(|run| run["notes"].as_str().expect("a note")).collect();
        let mut projects = told.iter().map(|note| log[note.parse::<usize>().expect("a number")].run.0);
        let project = projects.next().expect("a run");
        assert!(projects.all(|other| other == project), "{name} holds another project's runs");
        stores.insert(project, store);
    }
    stores.into_values().collect()
}

/// Compares published rules and failures with counted ones.
#[track_caller]
fn check(rules: &Value, store: &Value, counted: (BTreeMap<String, Value>, BTreeMap<String, i64>), when: &str) {
    let mut found = BTreeMap::new();
    for overlay in rules["overlays"].as_array().expect("a list") {
        let basis = &overlay["basis"];
        if basis["runs"] != json!(0) {
            let figures = json!([
                basis["runs"],
                basis["score"],
                basis["refusedRuns"],
                basis["lowestScore"],
                overlay["riskMultiplier"].as_f64(),
                overlay["requireApproval"]
            ]);
            found.insert(overlay["adapterId"].as_str().expect("a name").to_owned(), figures);
        }
    }
    assert_eq!(found, counted.0, "{when}");
    let seen = store["patterns"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pattern| (pattern["id"].as_str().expect("an id").to_owned(), pattern["occurrences"].as_i64().expect("a number")));
    assert_eq!(seen.collect::<BTreeMap<_, _>>(), counted.1, "{when}");
}
