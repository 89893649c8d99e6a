//! Files of jobs.

use std::time::Duration;

use store::job::{OnFailure, Schedule, Step, find_job, list_jobs};

use super::put_job;
use crate::support::Scene;

#[test]
fn a_step_is_a_name_or_a_table() {
    let scene = Scene::new();
    put_job(
        &scene,
        "mine",
        "description = \"Mine\"\nschedule = \"daily\"\nsteps = [\"compact\", {step = \"learn\", timeout_minutes = 3, retries = 2, \
         backoff_seconds = 7, on_failure = \"go_on\"}]\n",
    );
    let job = find_job(&scene.workspace, "mine").expect("a job");
    assert_eq!((&*job.name, &*job.description, job.schedule), ("mine", "Mine", Some(Schedule::Daily)));
    let [plain, full] = &job.tasks[..] else { panic!("{:?}", job.tasks) };
    assert_eq!((plain.step, plain.timeout, plain.retries, plain.on_failure), (Step::Compact, None, 0, OnFailure::Stop));
    assert_eq!((full.step, full.timeout, full.retries), (Step::Learn, Some(Duration::from_secs(180)), 2));
    assert_eq!((full.backoff, full.on_failure), (Duration::from_secs(7), OnFailure::GoOn));
}

#[test]
fn a_job_that_cannot_be_read_is_named_with_what_is_wrong_and_what_is_allowed() {
    let scene = Scene::new();
    let wrong = [
        ("steps = [\"comapct\"]", "comapct", "`compact`"),
        ("[[steps]]\nstep = \"comapct\"", "comapct", "`compact`"),
        ("[[steps]]\nstep = \"compact\"\nretires = 1", "retires", "retries"),
        (
            "[[steps]]\nretries = 1",
            "missing field `step`",
            "capture, observe, compact, classify, rewrite, prune, learn, verify, render",
        ),
        ("[[steps]]\nstep = \"compact\"\non_failure = \"carry_on\"", "carry_on", "go_on"),
        ("[[steps]]\nstep = \"compact\"\ntimeout_minutes = -1", "-1", "timeout_minutes"),
        ("steps = [1]", "1", "capture, observe, compact, classify, rewrite, prune, learn, verify, render"),
        ("steps = [\"compact\"]\nscedule = \"daily\"", "scedule", "schedule"),
        ("steps = [\"compact\"]\nschedule = \"monthly\"", "monthly", "weekly"),
        ("stepps = [\"compact\"]", "stepps", "steps"),
    ];
    for (text, what, allowed) in wrong {
        put_job(&scene, "mine", &format!("description = \"x\"\n{text}\n"));
        let fault = find_job(&scene.workspace, "mine").expect_err("it is refused").to_string();
        for wanted in [what, allowed, "jobs/mine.toml", "`mine` is not valid", "remedy: "] {
            assert!(fault.contains(wanted), "{wanted} in {fault}");
        }
        assert!(!fault.contains("RawStep"), "{fault}");
    }
    assert_eq!(scene.run(&["run", "mine"]).code, 2);
    assert_eq!(scene.run(&["jobs"]).code, 2);
}

#[test]
fn a_job_of_the_workspace_takes_the_place_of_the_programs_own_and_new_ones_join_them() {
    let scene = Scene::new();
    put_job(&scene, "hourly", "description = \"Only take\"\nsteps = [\"compact\"]\n");
    put_job(&scene, "zeal", "description = \"Take twice\"\nsteps = [\"compact\", \"compact\"]\n");
    put_job(&scene, "Not A Name", "this is not read");
    let names: Vec<String> = list_jobs(&scene.workspace).expect("jobs").into_iter().map(|job| job.name).collect();
    let known = [
        "capture", "classify", "compact", "daily", "embed", "hourly", "learn", "maintain", "observe", "prune", "render", "rewrite",
        "verify", "weekly",
    ];
    assert_eq!(names, [known.as_slice(), &["zeal"]].concat());
    assert_eq!(scene.done(&["run", "hourly", "--dry-run"]).out, "compact\n");
    assert_eq!(scene.done(&["run", "zeal", "--dry-run"]).out, "compact\ncompact\n");
    scene.done(&["run", "zeal"]);
    let outcome = scene.run(&["run", "zael"]);
    assert!(outcome.code == 2 && outcome.error.contains("zeal"), "{}", outcome.error);
}

#[test]
fn a_dry_run_tells_what_would_be_done_and_does_nothing() {
    let scene = Scene::new();
    let shown = scene.done(&["run", "weekly", "--dry-run"]).out;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[2], "compact, at most 60 minutes, 2 retries on temporary failure");
    assert!(lines[5].starts_with("rewrite, at most 120 minutes") && lines[5].ends_with("the job continues on failure"), "{shown}");
    assert_eq!(scene.done(&["run", "weekly", "--dry-run", "--from", "verify"]).out, lines[6..].join("\n") + "\n");
    let outcome = scene.run(&["run", "weekly", "--from", "dance"]);
    assert!(
        outcome.code == 2
            && outcome.error.contains("capture, observe, compact, classify, compact, rewrite, verify, prune, learn, render, embed"),
        "{}",
        outcome.error
    );
    assert!(!scene.workspace.history().join("runs.jsonl").exists() && !scene.workspace.published().join("current").exists());
}

#[test]
fn jobs_are_listed_for_people_and_programs_with_how_they_went() {
    let scene = Scene::new();
    scene.done(&["run", "maintain", "--from", "rewrite"]);
    let shown = scene.done(&["jobs"]).out;
    assert!(shown.lines().any(|line| line.contains("maintain") && line.contains("done") && line.contains("manually")), "{shown}");
    assert!(shown.lines().any(|line| line.contains("weekly") && line.contains("never")), "{shown}");
    let listed: serde_json::Value = serde_json::from_str(&scene.done(&["jobs", "--json"]).out).expect("JSON");
    let job = |name: &str| {
        let jobs = listed.as_array().expect("a list");
        jobs.iter().find(|job| job["job"] == name).expect("the job").clone()
    };
    let hourly = job("hourly");
    assert_eq!(
        (&hourly["schedule"], &hourly["steps"][5]["step"], &hourly["last"]),
        (&"hourly".into(), &"learn".into(), &().into())
    );
    assert_eq!((&hourly["steps"][5]["timeout_seconds"], &hourly["steps"][5]["retries"]), (&1800.into(), &2.into()));
    assert_eq!(job("daily")["steps"][5]["on_failure"], "go_on");
    let last = &job("maintain")["last"];
    assert_eq!((&last["outcome"], last["steps"].as_array().map(Vec::len), &last["exit"]), (&"done".into(), Some(1), &0.into()));
}
