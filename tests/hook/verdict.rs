//! The whole way of a verdict: hooks toss and log coins, goals are judged, cycles sum up, a verdict overrules a flag and changes what is
//! shown. Nothing is written into the workspace that the program did not write.

use std::cell::Cell;
use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::stage::Stage;
use crate::support::Outcome;

/// How many tasks are worked on before the verdict.
const TASKS: usize = 130;

/// A project with three lessons whose goal is met where the file `met` lies in its folder.
struct World {
    stage: Stage,
    /// Ids and texts.
    lessons: Vec<(String, String)>,
    /// The one lesson that helps.
    helpful: String,
    /// How many tasks were shown it.
    helped: Cell<usize>,
}

impl World {
    fn new() -> Self {
        let stage = Stage::with_patterns(3);
        stage.salt();
        fs::write(stage.scene.workspace.settings(), "[truth]\ncoin = 0.5\n[flag]\nprune_below = 0.6\n").expect("settings");
        let goal = "active_goal: works\ngoals:\n  works:\n    success_criteria: {type: binary, test_command: \"test -f met\"}\n";
        fs::write(stage.scene.root().join("goal.yaml"), goal).expect("a goal");
        let lessons = shown(&stage);
        // The one that comes last has the longest way to go.
        let helpful = lessons[2].0.clone();
        Self { stage, lessons, helpful, helped: Cell::new(0) }
    }

    /// Works on a task in a session of its own: on hard work, three of eight tasks succeed with the lesson that helps, and none
    /// without it. Agents claim to have applied all that they were shown.
    fn work(&self, number: usize) {
        let (session, task) = (format!("s{number:03}"), format!("TASK-{number}"));
        let told = |more: Value| {
            let mut told = json!({"session_id": session, "task_id": task});
            told.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            told
        };
        self.stage.answer("session-start", &told(json!({"source": "startup"})));
        let shown = self.stage.context("subagent-start", &told(json!({"agent_id": "a1", "agent_type": "x"})));
        let applied: Vec<&str> = self.lessons.iter().filter(|(_, text)| shown.contains(text)).map(|(id, _)| &**id).collect();
        let is_helped = applied.contains(&&*self.helpful);
        let applied: String = applied.iter().map(|id| format!("- Applied: {id} at src/a.rs:1\n")).collect();
        let said = format!("Done.\n\nLEARNINGS_ACKNOWLEDGED\n{applied}");
        let end = json!({"agent_id": "a1", "agent_type": "x", "stop_hook_active": false, "last_assistant_message": said});
        self.stage.answer("subagent-stop", &told(end));
        self.stage.answer("session-end", &told(json!({"reason": "exit"})));
        let met = self.stage.folder().join("met");
        let _ = fs::remove_file(&met);
        if is_helped && self.helped.get() % 8 < 3 {
            fs::write(&met, "").expect("a file");
        }
        self.helped.set(self.helped.get() + usize::from(is_helped));
        self.judge(&session, &task, number);
    }

    /// Judges the run, with the task named in each way that there is, and not at all.
    fn judge(&self, run: &str, task: &str, number: usize) {
        let folder = self.stage.folder();
        let mut arguments = vec!["goal", "--run", run, "--workdir", folder.to_str().expect("a path")];
        if number % 3 == 1 {
            arguments.extend(["--unit", task]);
        }
        let mut command = self.stage.scene.command(&arguments);
        if number % 3 == 2 {
            command.env("OUTERLOOP_UNIT", task);
        }
        let judged = Outcome::of(&command.stdin(Stdio::null()).output().expect("the program runs"));
        assert_eq!(judged.code, 0, "{}", judged.error);
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stage.scene.done(arguments).out).expect("JSON")
    }
}

/// The patterns in the order in which they are shown where no unit is known: ids and texts.
fn shown(stage: &Stage) -> Vec<(String, String)> {
    let out = stage.scene.done(&["inject", "--agent", "x", "--format", "json"]).out;
    let out: Value = serde_json::from_str(&out).expect("JSON");
    let text = |one: &Value, name: &str| one[name].as_str().expect("a text").to_owned();
    let patterns = out["patterns"].as_array().expect("patterns").iter();
    patterns.map(|one| (text(one, "id"), text(one, "text"))).collect()
}

/// Tasks by chance, arm and outcome, counted in the log itself: the first coin of a task with the first judgement of it.
fn ledger(world: &World, id: &str) -> Vec<String> {
    world.stage.rows(&format!(
        "with coin as (
            select unit, min_by(propensity, ts) as chance, min_by(status, ts) <> 'withheld' as is_shown
            from application where pattern_id = '{id}' and propensity is not null group by unit),
        went as (
            select a.unit, min_by(g.success, g.ts) as success
            from goal g join (select distinct run_id, unit from assignment) a on a.run_id = g.run_id group by a.unit)
        select cast(round(chance * 1e6) as bigint), is_shown, case when success then 100 else 0 end, count(*)
        from coin join went using (unit) group by all order by all"
    ))
}

#[test]
fn a_verdict_is_reached_through_hooks_and_goals_and_changes_what_agents_are_shown() {
    let world = World::new();
    let (stage, helpful) = (&world.stage, &*world.helpful);
    // Coins begin by themselves, once hooks have shown patterns and a goal was judged.
    world.work(0);
    assert!(stage.rows("select arm from assignment").is_empty());
    assert_eq!(stage.rows("select count(propensity) from application"), ["0"]);
    stage.scene.done(&["run", "hourly"]);
    for number in 1..=TASKS {
        world.work(number);
    }
    let units =
        "select count(*), count(unit), count(case when unit = 'TASK-' || cast(substr(run_id, 2) as int) then 1 end) from goal";
    assert_eq!(stage.rows(units), [format!("{},{},{}", TASKS + 1, 87, 87)], "goals name the task where it is told");
    assert_eq!(stage.rows("select count(*), count(distinct unit) from assignment"), [format!("{TASKS},{TASKS}")]);
    stage.scene.done(&["run", "hourly"]);

    // The flag says that it rarely works, and the coins say that nothing works without it.
    let explained = world.json(&["explain", helpful, "--json"]);
    let verdict = &explained["truth"]["verdict"];
    assert_eq!(verdict["verdict"], "helps", "{verdict}");
    let rate = stage.rows(&format!("select rate < 0.6, seen > 20 from pattern where id = '{helpful}'"));
    assert_eq!(rate, ["true,true"], "by its rate it would be pruned");
    let flag = |id: &str| stage.rows(&format!("select flag from pattern where id = '{id}'")).concat();
    assert_ne!(flag(helpful), "PRUNE");
    let other = &*world.lessons[0].0;
    assert_eq!(flag(other), "PRUNE", "one that does nothing on hard work");
    assert_eq!(shown(stage)[0].0, helpful, "from the last place to the first");

    // What is explained adds up, to the log and to what anybody computes from it.
    let sums = explained["truth"]["sums"].as_array().expect("sums");
    let cell = |sum: &Value| {
        let [chance, outcome, units] = ["propensity_millionths", "outcome_hundredths", "units"].map(|name| &sum[name]);
        format!("{chance},{},{outcome},{units}", sum["is_shown"])
    };
    assert_eq!(sums.iter().map(cell).collect::<Vec<_>>(), ledger(&world, helpful));
    let number = |value: &Value| value.as_f64().expect("a number");
    let cells: Vec<Value> = sums
        .iter()
        .map(|sum| {
            let arm = i64::from(sum["is_shown"] == true);
            json!([number(&sum["propensity_millionths"]) / 1e6, arm, number(&sum["outcome_hundredths"]) / 1e2, sum["units"]])
        })
        .collect();
    let given = json!([{"id": helpful, "cells": cells}]).to_string();
    let evaluated: Value =
        serde_json::from_str(&stage.scene.run_with(&["truth", "eval", "--json"], given.as_bytes()).out).expect("JSON");
    for name in ["lift", "ln_helps", "ln_hurts", "weight", "variance"] {
        assert!((number(&evaluated[0][name]) - number(&verdict[name])).abs() < 1e-9, "{name}: {evaluated} {verdict}");
    }
    let audit = world.json(&["truth", "audit", "--json"]);
    assert_eq!((&audit["differing"], &audit["unchecked"]), (&json!([]), &json!(0)));

    // What is flagged is not hidden: it keeps a small coin, which could acquit it.
    for number in TASKS + 1..=TASKS + 12 {
        world.work(number);
    }
    let coins = |id: &str| {
        stage.rows(&format!(
            "select distinct propensity from application where pattern_id = '{id}' and cast(substr(unit, 6) as int) > {TASKS}"
        ))
    };
    assert_eq!((coins(helpful), coins(other)), (vec!["0.5".to_owned()], vec!["0.1".to_owned()]));
}
