//! A workspace in which pipelines and people decide by commands, whose events then count.

use serde_json::json;

use super::compare;
use super::event::{Story, day, lines};
use super::place::Place;

const JUDGE: &str = "The handler reads the body first, `src/webhook.rs:42`:\n\n```console\n$ cargo test\ntest result: ok. 12 passed\n```\n\n\
    ## Accumulated Patterns\n\n- [rule] Always check the signature of a webhook before its body\n- Queues that grow without a limit hide slow consumers\n\n\
    <!-- jkz:verdict-json {\"verdict\": \"FAIL\", \"issues\": [{\"id\": \"J1\", \"severity\": \"HIGH\", \"summary\": \"the body is parsed first\", \
    \"location\": \"src/webhook.rs:42\"}], \"must_fix\": [\"J1\"], \"false_positives\": []} -->\n";
const INSPECTOR: &str = "Checked.\n\n<!-- jkz:verdict-json {\"verdict\": \"PASS\", \"must_fix\": [], \
    \"false_positives\": [\"Queues that grow without a limit\"]} -->\n";

/// What is known before anybody decides.
fn known() -> Place {
    let mut place = Place::new("project = \"shop\"\n");
    let mut story = Story::new("k", 41, 28);
    story.tell_of_lessons(300);
    story.tell_of_roles(200);
    story.tell_of_observations(150);
    story.tell_of_runs(200);
    place.land("known.jsonl", &lines(&story.told()));
    place.publish("before", &day(29));
    place
}

#[test]
fn what_commands_land_is_unchanged() {
    let mut place = known();
    place.put("judge.md", JUDGE);
    place.put("inspector.md", INSPECTOR);
    let feedback =
        ["feedback", "--adversarial-role", "judge", "--validator-role", "inspector", "--adversarial", "judge.md", "--validator"];
    let turn = ["inspector.md", "--files", "src/webhook.rs", "--json", "--strict", "--issue", "30", "--run"];
    for run in ["w-1", "w-2", "w-3"] {
        place.ask(&format!("feedback-{run}"), &[&feedback[..], &turn[..], &[run]].concat());
    }
    place.ask("outcome-1", &["outcome", "w-1", "pass", "--json", "--strict"]);
    place.ask("outcome-2", &["outcome", "w-2", "fail", "--reason", "reverted", "--json", "--strict"]);
    place.ask(
        "store",
        &[
            "memory",
            "store",
            "--role",
            "judge",
            "--run",
            "w-4",
            "--text",
            "Time out every call that leaves the process",
            "--json",
            "--strict",
        ],
    );
    place.ask("ignore", &["memory", "ignore", "D-001", "--run", "w-4", "--iteration", "2", "--json", "--strict"]);
    place.ask("reinforce", &["memory", "reinforce", "D-002", "D-003", "--level", "1", "--run", "w-4", "--json", "--strict"]);
    for (action, id) in [("retire", "P-001"), ("promote", "P-002"), ("reject", "P-003"), ("retire", "D-004")] {
        place.done(&["patterns", action, id, "--reason", "so it is"]);
    }
    place.done(&["patterns", "promote", "D-005", "--reason", "our rule", "--force"]);
    place.done(&["learn", "keep", "obs_aaaaaa", "--reason", "still true"]);
    place.done(&["learn", "promote", "obs_bbbbbb", "--reason", "we need it", "--force"]);
    place.done(&["policy", "annotate", "adapter-1", "--retries", "0", "--multiplier", "1.3", "--reason", "rate limits"]);
    place.done(&["policy", "clear", "adapter-2", "--failure", "auth", "--reason", "token renewed"]);
    place.done(&["policy", "accept", "mutation-scope"]);
    place.done(&["capture", "--summary", "Close every file that a test opens before it ends"]);
    place.ask("gate", &["gate", "adapter-3", "--risk", "high", "--record", "w-4", "--json"]);
    let at = day(30);
    place.ask("inject", &["inject", "--role", "judge", "--record", "w-2", "--at", &at, "--format", "json", "--strict"]);
    let told = json!({"kind": "build", "run_id": "run-1", "iteration": 1, "passed": false, "details": "token=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"});
    place.ask_with("record", &["record", "--json"], &format!("{told}\n{{\"kind\": \"party\"}}\n"));
    place.gather("landed.jsonl", Some(30 * 24 * 60));
    place.publish("after", &day(32));
    place.ask("patterns", &["patterns", "list", "--all", "--json"]);
    place.ask("roles", &["patterns", "list", "--roles", "--all", "--json"]);
    place.ask("learn", &["learn", "list", "--all", "--json"]);
    place.ask("policy", &["policy", "--json"]);
    compare("commands", &place);
}
