//! Figures for monitoring, in the text format of Prometheus.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;

use super::put_job;
use crate::support::published::{put_query, set};
use crate::support::{Material, Scene};

/// Reads the exposition format as strictly as its specification does. Gives every sample with its labels.
fn parse(text: &str) -> BTreeMap<String, f64> {
    let (mut helped, mut typed, mut samples) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    let mut group = String::new();
    assert!(text.ends_with('\n'), "{text}");
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').expect("a name and words");
            assert!(helped.insert(name.to_owned()) && !words.is_empty(), "{line}");
            name.clone_into(&mut group);
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let wanted = if group.ends_with("_total") { "counter" } else { "gauge" };
            assert_eq!(kind.split_once(' '), Some((&*group, wanted)), "{line}");
            assert!(typed.insert(group.clone()), "{line}");
        } else {
            let (sample, value) = line.rsplit_once(' ').expect("a sample and its value");
            let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
            assert_eq!(name, group, "{line}");
            assert!(name.starts_with("outerloop_") && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
            let labels = labels.strip_suffix('}').expect("an end of the labels");
            if !labels.is_empty() {
                check_labels(labels);
            }
            let value = value.parse::<f64>().expect("a number");
            assert!(value.is_finite() && samples.insert(sample.to_owned(), value).is_none(), "{line}");
        }
    }
    assert_eq!(helped, typed);
    samples
}

/// `name="value"`, separated by commas; inside of a value a quote, a backslash and a line break are escaped.
fn check_labels(mut labels: &str) {
    loop {
        let (name, rest) = labels.split_once("=\"").expect("a name and a value");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()) && !name.is_empty(), "{labels}");
        let mut letters = rest.char_indices();
        let end = loop {
            match letters.next().expect("an end of the value") {
                (_, '\\') => assert!(matches!(letters.next(), Some((_, '\\' | '"' | 'n'))), "{labels}"),
                (at, '"') => break at,
                _ => {}
            }
        };
        match rest[end + 1..].strip_prefix(',') {
            Some(more) => labels = more,
            None => return assert_eq!(&rest[end + 1..], ""),
        }
    }
}

fn metrics(scene: &Scene) -> BTreeMap<String, f64> {
    parse(&fs::read_to_string(scene.workspace.metrics()).expect("metrics"))
}

#[test]
fn metrics_tell_of_the_last_run_of_every_job_also_of_those_that_failed() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(45, 50).bytes);
    scene.done(&["run", "maintain"]);
    put_query(&scene, "lesson", "selec");
    assert_eq!(scene.run(&["run", "learn"]).code, 2);
    let samples = metrics(&scene);
    let value = |sample: &str| samples.get(sample).copied().unwrap_or_else(|| panic!("{sample} in {samples:#?}"));
    assert_eq!(value("outerloop_job_last_exit_code{job=\"maintain\"}").to_bits(), 0.0_f64.to_bits());
    assert_eq!(value("outerloop_job_last_exit_code{job=\"learn\"}").to_bits(), 2.0_f64.to_bits());
    assert_eq!(value("outerloop_step_last_count{job=\"maintain\",step=\"compact\",what=\"lines\"}").to_bits(), 50.0_f64.to_bits());
    assert!(value("outerloop_job_last_end_timestamp_seconds{job=\"learn\"}") > 1.79e9);
    assert!(value("outerloop_step_last_duration_seconds{job=\"learn\",step=\"learn\"}") > 0.0);
    fs::remove_dir_all(scene.workspace.queries()).expect("the query");
    scene.done(&["run", "learn"]);
    assert_eq!(metrics(&scene)["outerloop_job_last_exit_code{job=\"learn\"}"].to_bits(), 0.0_f64.to_bits());
}

#[test]
fn whatever_stands_in_the_history_the_format_holds() {
    let scene = Scene::new();
    scene.done(&["run", "compact"]);
    let path = scene.workspace.history().join("runs.jsonl");
    let line = fs::read_to_string(&path).expect("a history").replace("\"job\":\"compact\"", "\"job\":\"a\\\"b\\\\c\\nd} 1\"");
    fs::OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes())).expect("a line");
    scene.done(&["run", "compact"]);
    assert!(metrics(&scene).contains_key("outerloop_job_last_exit_code{job=\"a\\\"b\\\\c\\nd} 1\"}"));
}

#[test]
fn metrics_go_where_the_settings_say() {
    let scene = Scene::new();
    let elsewhere = scene.root().join("node-exporter.prom");
    set(&scene, &format!("[metrics]\nfile = \"{}\"\n", elsewhere.display()));
    put_job(&scene, "mine", "description = \"x\"\nsteps = [\"compact\"]\n");
    scene.done(&["run", "mine"]);
    assert!(parse(&fs::read_to_string(&elsewhere).expect("metrics")).contains_key("outerloop_job_last_exit_code{job=\"mine\"}"));
    assert!(!scene.workspace.metrics().exists());
    set(&scene, "[metrics]\nfile = \"no/such/folder.prom\"\n");
    let outcome = scene.run(&["run", "mine"]);
    assert!(outcome.code == 2 && outcome.error.contains("no/such/folder.prom"), "{}", outcome.error);
}

#[test]
fn a_step_that_a_job_has_twice_is_one_series() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(44, 50).bytes);
    scene.done(&["run", "hourly"]);
    let text = fs::read_to_string(scene.workspace.metrics()).expect("metrics");
    let mut series: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(' ')).map(|line| line.0).collect();
    let all = series.len();
    series.sort_unstable();
    series.dedup();
    assert_eq!(series.len(), all, "{text}");
    let taken = r#"outerloop_step_last_count{job="hourly",step="compact",what="lines"} 50"#;
    assert!(text.contains(taken), "{text}");
}
