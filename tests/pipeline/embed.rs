//! Commands that turn texts into vectors, good and bad ones: from what roles say to what they are shown by its meaning.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use text::digest::sha256;
use text::review::normalise;

use super::{record, rows};
use crate::support::published::set;
use crate::support::{Outcome, Scene};

const LOGIN: &str = "Tokens of a login expire while the page is open";
const CACHE: &str = "The cache keeps answers of the version before";
const RETRY: &str = "Always bound the retries of a worker";

/// Answers every text of a request by the words in it.
const GOOD: &str = r#"sed 's/.*"texts":\[//; s/\]}$//; s/","/"\
"/g' request > lines
printf '{"vectors":['; separator=''
while read -r text || test -n "$text"; do
  case $text in *login*) vector='[1,0.2,0]';; *cache*) vector='[0.2,1,0]';; *) vector='[0,0,1]';; esac
  printf '%s%s' "$separator" "$vector"; separator=,
done < lines
printf ']}'"#;

/// A workspace in which a judge has gathered three patterns, with a command, and the folder of that command.
struct Court {
    scene: Scene,
    folder: TempDir,
}

impl Court {
    fn new() -> Self {
        let court = Self { scene: Scene::new(), folder: TempDir::new().expect("a temporary folder") };
        court.hear("shop", "judge", &[LOGIN, CACHE, RETRY]);
        court
    }

    fn hear(&self, project: &str, role: &str, sayings: &[&str]) {
        record(
            &self.scene,
            &[json!({"kind": "deliberation", "ts": super::now(), "project": project, "role": role, "text": "All looked at.",
                "patterns": sayings})],
        );
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Has a shell script turn texts into vectors from here on. Each call is counted.
    fn employ(&self, script: &str, settings: &str) {
        let path = self.path("embed.sh");
        let body = format!("cd '{}'\necho call >> calls\ncat > request\n{script}\n", self.folder.path().display());
        fs::write(&path, body).expect("a script");
        set(&self.scene, &format!("[embed]\ncommand = [\"/bin/sh\", \"{}\"]\nretries = 0\n{settings}\n", path.display()));
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }

    fn inject(&self, more: &[&str]) -> Outcome {
        let first = ["inject", "--role", "judge", "--project", "shop", "--format", "json"];
        self.scene.run(&[first.as_slice(), more].concat())
    }

    /// What the judge is shown, in order.
    #[track_caller]
    fn shown(&self, more: &[&str]) -> Vec<String> {
        texts(&self.inject(more))
    }
}

#[track_caller]
fn texts(outcome: &Outcome) -> Vec<String> {
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let told: Value = serde_json::from_str(&outcome.out).expect("JSON");
    let patterns = told["patterns"].as_array().expect("a list").iter();
    patterns.map(|pattern| pattern["text"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn what_roles_gathered_is_found_by_what_it_means() {
    let court = Court::new();
    let scene = &court.scene;
    court.employ(GOOD, "texts_per_call = 2");
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("embed: 3 new vectors, 0 texts pending; 2 calls"), "{}", outcome.error);
    let held = rows(scene, "select project, text_hash, model, len(vector) from embedding order by text_hash");
    let mut wanted: Vec<String> =
        [LOGIN, CACHE, RETRY].map(|text| format!("shop,{},default,3", sha256(normalise(text).as_bytes()))).into();
    wanted.sort();
    assert_eq!(held, wanted);
    assert_eq!(rows(scene, "select text_hash from embedding order by 1").len(), 3);

    // A rule is worth more than what was only noticed, unless something else is meant.
    assert_eq!(court.shown(&[]), [RETRY, LOGIN, CACHE]);
    assert_eq!(court.calls(), 2, "whoever does not ask for likeness asks nobody");
    assert_eq!(court.shown(&["--like", "people are thrown out of their login"]), [LOGIN, CACHE, RETRY]);
    assert_eq!(court.shown(&["--like", "a stale cache"]), [CACHE, LOGIN, RETRY]);
    assert_eq!(court.calls(), 4);
    let told: Value = serde_json::from_str(&court.inject(&["--like", "a stale cache"]).out).expect("JSON");
    let figures: Vec<(f64, f64)> = told["patterns"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pattern| (pattern["similarity"].as_f64().expect("a similarity"), pattern["score"].as_f64().expect("a score")))
        .collect();
    // 0.4 / 1.04 between the two of two words; each is worth a little less than 1 after some moments.
    for ((similarity, score), (wanted, blended)) in figures.into_iter().zip([(1.0, 1.0), (0.384_615, 0.630_769), (0.0, 0.4)]) {
        assert!((similarity - wanted).abs() < 1e-6 && (score - blended).abs() < 1e-3, "{similarity} {score}");
    }

    // The same by a vector, without anybody being asked.
    fs::write(court.path("vector.json"), "[0.2, 1, 0]").expect("a file");
    let vector = court.path("vector.json").to_string_lossy().into_owned();
    assert_eq!(court.shown(&["--vector", &vector]), [CACHE, LOGIN, RETRY]);
    assert_eq!(court.calls(), 5);

    // What has a vector is not asked about again, and what is new is.
    scene.done(&["run", "hourly"]);
    assert_eq!(court.calls(), 5);
    court.hear("shop", "judge", &["Nobody reads the second page of a login form"]);
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("embed: 1 new vectors"), "{}", outcome.error);
    assert_eq!(court.calls(), 6);
    // Working everything out anew asks nobody.
    scene.done(&["run", "verify"]);
    assert_eq!(court.calls(), 6);
}

#[test]
fn without_a_command_nothing_is_asked_and_likeness_costs_a_line() {
    let court = Court::new();
    let outcome = court.scene.done(&["run", "hourly"]);
    assert!(!outcome.error.contains("embed"), "{}", outcome.error);
    let history: Vec<String> = super::names(&court.scene.workspace.history());
    assert!(!history.iter().any(|name| name.starts_with("embed")), "{history:?}");
    let outcome = court.inject(&["--like", "a stale cache"]);
    assert!(outcome.error.contains("similarity is ignored: no embedding command is configured"), "{}", outcome.error);
    assert_eq!(texts(&outcome), [RETRY, LOGIN, CACHE]);
    let strict = court.inject(&["--like", "a stale cache", "--strict"]);
    assert_eq!((strict.code, &*strict.out), (2, ""), "{}", strict.error);
    // Nothing has a vector, which is nobody's fault.
    fs::write(court.path("vector.json"), "[1, 0]").expect("a file");
    let vector = court.path("vector.json").to_string_lossy().into_owned();
    let outcome = court.inject(&["--vector", &vector, "--strict"]);
    assert!(outcome.error.contains("no pattern of `shop` has a vector"), "{}", outcome.error);
    assert_eq!(texts(&outcome), [RETRY, LOGIN, CACHE]);
}

/// A command that gives no vectors costs a warning and the likeness, and nothing else; a good one in its place is heard.
#[track_caller]
fn assert_costs_nothing(script: &str, settings: &str, warning: &str) {
    let court = Court::new();
    let scene = &court.scene;
    court.employ(script, settings);
    let outcome = scene.run(&["run", "hourly"]);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let told = outcome.error.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default().to_owned();
    assert!(told.contains(warning) && told.len() < 700, "{}", outcome.error);
    assert!(outcome.error.contains("embed: 0 new vectors, 3 texts pending; 1 calls"), "{}", outcome.error);
    assert_eq!(scene.count("select count(*) from embedding"), 0);
    let outcome = court.inject(&["--like", "a stale cache"]);
    assert!(outcome.error.contains("similarity is ignored") && outcome.error.contains(warning), "{}", outcome.error);
    assert_eq!(texts(&outcome), [RETRY, LOGIN, CACHE]);
    let strict = court.inject(&["--like", "a stale cache", "--strict"]);
    assert_eq!((strict.code, &*strict.out), (75, ""), "{}", strict.error);

    court.employ(GOOD, "");
    scene.done(&["run", "embed"]);
    assert_eq!(court.shown(&["--like", "a stale cache"]), [CACHE, LOGIN, RETRY]);
}

#[test]
fn a_command_that_hangs_costs_a_warning_only() {
    assert_costs_nothing("sleep 1000", "timeout_seconds = 1", "took longer than 1 seconds");
}

#[test]
fn a_command_that_prints_rubbish_costs_a_warning_only() {
    assert_costs_nothing("echo 'Here they are: [[1]]'", "", "not a JSON object with a list `vectors`");
}

#[test]
fn a_command_that_prints_too_much_costs_a_warning_only() {
    assert_costs_nothing("head -c 100000 /dev/zero | tr '\\0' x", "most_answer_kib = 10", "more than 10240 bytes");
}

#[test]
fn a_command_that_fails_costs_a_warning_only() {
    assert_costs_nothing("echo no credit >&2; exit 3", "", "no credit");
}

#[test]
fn vectors_that_are_no_numbers_cost_a_warning_only() {
    let nan = "sed 's/[^,]*\"texts\":\\[.*//' request > /dev/null; printf '{\"vectors\":[[NaN,1],[1,1],[1,1]]}'";
    assert_costs_nothing(nan, "", "not a JSON object with a list `vectors`");
}

#[test]
fn vectors_of_several_lengths_cost_a_warning_only() {
    // One text gets a vector of no length, several get some of different ones.
    let script = "if grep -q '\",\"' request; then printf '{\"vectors\":[[1,2],[1],[1]]}'; else printf '{\"vectors\":[[]]}'; fi";
    assert_costs_nothing(script, "", "numbers");
}

#[test]
fn a_query_of_another_length_leaves_the_scores_as_they_are() {
    let court = Court::new();
    court.employ(GOOD, "");
    court.scene.done(&["run", "hourly"]);
    for (text, why) in [
        ("[1, 2]", "no pattern of `shop` has a vector"),
        ("[0, 0, 0]", "all numbers are 0"),
        ("[1, x]", "does not contain a vector"),
    ] {
        fs::write(court.path("vector.json"), text).expect("a file");
        let vector = court.path("vector.json").to_string_lossy().into_owned();
        let outcome = court.inject(&["--vector", &vector]);
        assert!(outcome.error.contains(why), "{}", outcome.error);
        assert_eq!(texts(&outcome), [RETRY, LOGIN, CACHE]);
    }
    let missing = court.inject(&["--vector", nowhere!("/vector.json")]);
    assert!(missing.error.contains("cannot read the vector"), "{}", missing.error);
    assert_eq!(texts(&missing), [RETRY, LOGIN, CACHE]);
}

#[test]
fn vectors_may_come_from_a_pipeline_and_the_latest_of_a_model_counts() {
    let court = Court::new();
    let scene = &court.scene;
    set(scene, "[embed]\nmodel = \"m2\"\n");
    let vector = |text: &str, model: Option<&str>, ts: &str, vector: &[f64]| {
        let mut event = json!({"kind": "embedding", "ts": ts, "project": "shop", "text_hash": sha256(normalise(text).as_bytes()),
            "vector": vector});
        if let Some(model) = model {
            event["model"] = model.into();
        }
        event
    };
    record(
        scene,
        &[
            vector(LOGIN, Some("m2"), "2026-05-02T00:00:00Z", &[1.0, 0.0]),
            vector(LOGIN, Some("m2"), "2026-05-01T00:00:00Z", &[0.0, 1.0]),
            vector(LOGIN, Some("m1"), "2026-05-03T00:00:00Z", &[0.0, 1.0]),
            vector(CACHE, None, "2026-05-01T00:00:00Z", &[0.0, 1.0]),
        ],
    );
    scene.done(&["run", "hourly"]);
    let shown = |vector: &str| {
        fs::write(court.path("vector.json"), vector).expect("a file");
        court.shown(&["--vector", &court.path("vector.json").to_string_lossy()])
    };
    // What has no vector keeps its score of 1.3.
    assert_eq!(shown("[1, 0.1]"), [RETRY, LOGIN, CACHE]);
    assert_eq!(shown("[0.1, 1]"), [RETRY, CACHE, LOGIN]);
    // Those that have a vector of this model or of none need no other.
    court.employ(GOOD, "model = \"m2\"");
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("embed: 1 new vectors"), "{}", outcome.error);
}

#[test]
fn vectors_of_other_projects_never_matter() {
    let court = Court::new();
    let scene = &court.scene;
    court.hear("other", "judge", &[LOGIN, CACHE, RETRY, "The cache of another project is none of theirs"]);
    court.employ(GOOD, "");
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from embedding"), 7);
    let before = court.inject(&["--like", "a stale cache"]).out;
    // Later, and pointing the other way.
    let lie = |text: &str| {
        json!({"kind": "embedding", "ts": super::now(), "project": "other", "model": "default",
            "text_hash": sha256(normalise(text).as_bytes()), "vector": [0.0, -1.0, 0.0]})
    };
    record(scene, &[lie(CACHE), lie(LOGIN), lie(RETRY)]);
    scene.done(&["run", "compact"]);
    let similarities = |out: &str| {
        let told: Value = serde_json::from_str(out).expect("JSON");
        let patterns = told["patterns"].as_array().expect("a list").clone();
        patterns.iter().map(|pattern| (pattern["text"].clone(), pattern["similarity"].clone())).collect::<Vec<_>>()
    };
    let after = court.inject(&["--like", "a stale cache"]).out;
    assert_eq!(similarities(&before), similarities(&after));
    assert_eq!(similarities(&after).len(), 3);
}

#[test]
fn the_calls_of_a_day_are_bounded_and_what_was_paid_for_is_used() {
    let court = Court::new();
    let scene = &court.scene;
    court.employ(GOOD, "calls_per_day = 1\ntexts_per_call = 1");
    let outcome = scene.run(&["run", "hourly"]);
    assert!(outcome.code == 0 && outcome.error.contains("`calls_per_day` of `[embed]`"), "{}", outcome.error);
    assert_eq!((court.calls(), scene.count("select count(*) from embedding")), (1, 1));
    scene.done(&["run", "hourly"]);
    let outcome = court.inject(&["--like", "a stale cache"]);
    assert!(outcome.error.contains("used up"), "{}", outcome.error);
    assert_eq!((court.calls(), texts(&outcome).len()), (1, 3));
    court.employ(GOOD, "calls_per_day = 9\ntexts_per_call = 1");
    scene.done(&["run", "hourly"]);
    assert_eq!((court.calls(), scene.count("select count(*) from embedding")), (3, 3));
}

#[test]
fn a_run_that_is_killed_between_two_calls_asks_nobody_twice() {
    let court = Court::new();
    let scene = &court.scene;
    // The second call ends the program that makes it.
    court.employ(&format!("if [ \"$(wc -l < calls)\" -eq 2 ]; then kill -9 $PPID; fi\n{GOOD}"), "texts_per_call = 1");
    assert_ne!(scene.run(&["run", "hourly"]).code, 0);
    assert_eq!(court.calls(), 2);
    scene.done(&["run", "hourly"]);
    assert_eq!(court.calls(), 4);
    assert_eq!(scene.count("select count(*) from embedding"), 3);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn what_is_out_of_use_is_neither_turned_into_a_vector_nor_shown() {
    let court = Court::new();
    let scene = &court.scene;
    scene.done(&["run", "hourly"]);
    let retire = json!({"kind": "curation", "ts": super::now(), "project": "shop", "pattern_id": "D-002", "action": "retire",
        "actor": "ann", "reason": "the cache is gone"});
    record(scene, &[retire]);
    court.employ(GOOD, "");
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("embed: 2 new vectors"), "{}", outcome.error);
    assert_eq!(court.shown(&["--like", "a stale cache"]), [LOGIN, RETRY]);
    assert_eq!(court.shown(&["--governed"]), [""; 0], "nothing was verified");
}

#[test]
fn without_the_program_of_the_engine_patterns_are_shown_all_the_same() {
    let court = Court::new();
    court.employ(GOOD, "");
    court.scene.done(&["run", "hourly"]);
    let alone = court.path("outerloop");
    if fs::hard_link(env!("CARGO_BIN_EXE_outerloop"), &alone).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_outerloop"), &alone).expect("a copy of the program");
    }
    let run = |more: &[&str]| {
        let mut command = Command::new(&alone);
        command.arg("--root").arg(court.scene.root()).args(["inject", "--role", "judge", "--project", "shop", "--format", "json"]);
        Outcome::of(&command.args(more).stdin(Stdio::null()).output().expect("the program starts"))
    };
    let plain = run(&[]);
    assert!(!plain.error.contains("engine"), "{}", plain.error);
    assert_eq!(texts(&plain), [RETRY, LOGIN, CACHE]);
    let alike = run(&["--like", "a stale cache"]);
    assert!(
        alike.error.contains("similarity is ignored") && alike.error.contains("cannot start outerloop-engine"),
        "{}",
        alike.error
    );
    assert_eq!(texts(&alike), [RETRY, LOGIN, CACHE]);
    assert_eq!(run(&["--like", "a stale cache", "--strict"]).code, 2);
}
