//! Workspaces that take over what other systems have gathered.

use serde_json::{Value, json};

use super::compare;
use super::event::{Dice, day, lines, time, turn};
use super::place::Place;

const LESSONS: [&str; 6] = [
    "Check the token before the call",
    "Name branches after their issue",
    "Release the lock before waiting",
    "Check the token before every call",
    "Keep fixtures small, and apart",
    "Read the whole error before a retry",
];

/// Rows of ClosedLoop's log of outcomes: of all lengths, with relevance that is a number, odd or missing.
fn outcomes(count: u64) -> String {
    let mut dice = Dice(31);
    let row = |number: u64| {
        let (run, iteration) = (number / 12, number / 3 % 4 + 1);
        let lesson = dice.pick(&LESSONS);
        let lesson = match dice.below(6) {
            0 => lesson.to_uppercase(),
            1 => lesson.split(' ').take(3).collect::<Vec<_>>().join(" "),
            2 => format!("{lesson}, as ever"),
            _ => lesson.to_owned(),
        };
        let status = dice.pick(&["applied", "applied", "applied", "injected", "applied|unverified"]);
        let head = format!("{}|run-{run}|{iteration}|{}|{lesson}|{status}", time(number * 90), dice.pick(&["builder", "planner"]));
        match dice.below(6) {
            0 => format!("{head}|\n"),
            1 => format!("{head}|a.py:{}|{}|context_tags\n", dice.below(90), dice.pick(&["2024", "nan", "", "high"])),
            _ => {
                let (line, relevance, success, score) = (dice.below(90), dice.part(), dice.below(2), dice.part());
                format!("{head}|a.py:{line}|{relevance}|context_tags|reduce-failures|{success}|{score}\n")
            }
        }
    };
    (0..count).map(row).collect()
}

fn closedloop(place: &Place) {
    let pattern = |(number, lesson): (usize, &&str)| {
        let category = ["mistake", "convention", "pattern"][number % 3];
        format!("  P-{:03},{category},\"{lesson}\",high,{},0.{},\"\",*,api|auth,*\n", 2 * number + 1, number * 7, number + 2)
    };
    let patterns: String = LESSONS.iter().enumerate().map(pattern).collect();
    place.put(
        "shop/.closedloop-ai/work/.learnings/org-patterns.toon",
        &format!(
            "# Organization Patterns (TOON format)\n# Last updated: 2025-03-01T00:00:00Z\n\n\
             patterns[6]{{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}}:\n{patterns}"
        ),
    );
    place.put("shop/.closedloop-ai/work/.learnings/outcomes.log", &outcomes(400));
    let runs = |number: u64| {
        let status = turn(&["in_progress", "completed", "failed"], number);
        format!("run-{number}|{}|reduce-failures|{}|{status}|code|s{number}\n", time(number * 1080), number % 5 + 1)
    };
    place.put("shop/.closedloop-ai/work/runs.log", &(0..33).map(runs).collect::<String>());
    let acknowledged =
        |number: u64| format!("{}|run-{number}|1|builder|true|{}|see a.py:{number}\n", time(number * 1080 + 5), LESSONS[0]);
    place.put("shop/.closedloop-ai/work/.learnings/acknowledgments.log", &(0..20).map(acknowledged).collect::<String>());
    for (number, lesson) in LESSONS.iter().enumerate() {
        let pending = json!({"what_happened": "it broke", "pattern_to_remember": format!("{lesson} and after it"), "confidence": "high",
            "context": {"file": format!("src/{number}.rs")}});
        place.put(&format!("shop/.closedloop-ai/work/.learnings/pending/builder-{number}.json"), &pending.to_string());
    }
    let perf = |number: u64| {
        let event = json!({"event": "pipeline_step", "run_id": format!("run-{}", number / 4), "iteration": 1, "step": number % 4, "step_name": "build",
            "started_at": time(number * 100), "duration_s": number * 3});
        format!("{event}\n")
    };
    place.put("shop/.closedloop-ai/work/perf.jsonl", &(0..60).map(perf).collect::<String>());
}

/// What is imported counts in our way, and to the digit in the way of the system it comes from.
#[test]
fn a_work_directory_of_closedloop_is_unchanged() {
    for (name, settings) in [("compat", "compat = \"closedloop\"\n"), ("closedloop", "")] {
        let mut place = Place::new(settings);
        closedloop(&place);
        place.ask("import", &["import", "closedloop", "shop/.closedloop-ai/work", "--project", "shop", "--json"]);
        place.gather("closedloop.jsonl", None);
        for (name, on) in [("early", 12), ("late", 31)] {
            place.publish(name, &day(on));
        }
        place.ask("patterns", &["patterns", "list", "--all", "--json"]);
        place.ask("explain-P-001", &["explain", "P-001", "--json"]);
        place.ask("timing", &["timing", "--workdir", "shop/.closedloop-ai/work", "--json"]);
        compare(name, &place);
    }
}

/// Runs of Code Kit Ultra, observations of Devflow, deliberations and counts of jkz.
#[test]
fn other_systems_are_unchanged() {
    let mut place = Place::new("[run]\nlenient = true\n");
    let mut dice = Dice(32);
    let mut graph = Vec::new();
    let outcome = |number: u64, dice: &mut Dice| {
        json!({"runId": format!("r{number}"), "status": dice.pick(&["success", "failed"]), "retryCount": dice.below(4), "timeTakenMs": dice.below(9000),
            "qualityScore": dice.part(), "adaptersUsed": [dice.pick(&["GitHub", "terminal", "fs"])], "dominantFailureType": dice.pick(&["auth", "io"]),
            "userRating": dice.below(5) + 1, "createdAt": time(number * 200)})
    };
    let outcomes: Vec<Value> = (0..120).map(|number| outcome(number, &mut dice)).collect();
    place
        .put("kit/.codekit/learning/learning-store.json", &json!({"version": 1, "outcomes": outcomes, "patterns": []}).to_string());
    for number in 100..140 {
        let decided = json!({"runId": format!("r{number}"), "result": dice.pick(&["success", "partial", "failure"]), "issues": ["the SHELL was refused"],
            "humanOverride": dice.chance(20), "rollbackOccurred": dice.chance(20), "postExecutionScore": dice.part(), "riskLevel": dice.pick(&["low", "high"]),
            "selectedSkills": ["deploy", "lint"], "agentDecisions": [{"agent": "builder", "decision": "approve", "confidence": dice.part()}]});
        place.put(&format!("kit/.ck/learning/outcomes/r{number}.json"), &decided.to_string());
        let told =
            json!({"timestamp": time(number * 200 + 7), "runId": format!("r{number}"), "type": "outcome_recorded", "data": {}});
        graph.push(told);
    }
    place.put("kit/.ck/learning/graph-events.jsonl", &lines(&graph));
    let row = |number: u64| {
        let kind = turn(&["workflow", "procedural", "decision", "pitfall"], number);
        let row = json!({"id": format!("obs_{number:06}"), "type": kind, "pattern": format!("Habit number {number} of the shop"), "confidence": 0.95,
            "observations": number % 5 + 1, "first_seen": time(number * 60), "last_seen": time(number * 300 + 60), "evidence": ["a", "b"],
            "status": turn(&["observing", "ready", "created", "deprecated"], number / 4),
            "details": "context: errors", "quality_ok": !number.is_multiple_of(7)});
        format!("{row}\n")
    };
    place.put("flow/.memory/learning-log.jsonl", &(0..60).map(row).collect::<String>());
    for number in 0..40_u64 {
        let role = turn(&["judge", "sentinel", "lens"], number);
        let response = format!("Words.\n\n## Accumulated Patterns\n- Saying number {} of the reviewing roles\n", number % 9);
        let record = json!({"timestamp": time(number * 700), "status": "success", "response": response});
        place.put(&format!("talk/state/deliberations/{number}-{role}-1.json"), &record.to_string());
    }
    let counted = |number: u64| {
        json!({"text": format!("Habit of old, number {number}, that was counted elsewhere"), "role": "judge", "success_count": number, "ignore_count": number % 3,
            "ignore_weight_score": 1.5, "last_used": time(number * 900), "lifecycle_state": "verified", "was_validated": 1})
    };
    place.put("talk/state/patterns.json", &Value::from((1..20).map(counted).collect::<Vec<_>>()).to_string());
    for (system, folder) in [("codekit", "kit"), ("devflow", "flow"), ("jkz", "talk")] {
        place.ask(&format!("import-{system}"), &["import", system, folder, "--project", "shop", "--json"]);
    }
    place.gather("imported.jsonl", None);
    place.publish("imported", &day(40));
    place.ask("roles", &["patterns", "list", "--roles", "--all", "--json"]);
    place.ask("learn", &["learn", "list", "--all", "--json"]);
    place.ask("explain-github", &["policy", "explain", "github", "--json"]);
    compare("imports", &place);
}
