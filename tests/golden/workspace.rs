//! Workspaces of landed events: each publishes for fixed instants and runs the commands of readers.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::compare;
use super::event::{FIRST_DAY, Story, day, lines};
use super::place::Place;

/// Lessons, what became of them, and decisions, over 40 days.
fn lessons() -> Vec<Value> {
    let mut story = Story::new("l", 11, 40);
    story.tell_of_lessons(700);
    story.tell_of_decisions(12);
    story.told()
}

/// Asks for patterns of lessons.
fn ask_for_patterns(place: &mut Place) {
    place.ask("patterns", &["patterns", "list", "--all", "--json"]);
    place.ask("pattern", &["patterns", "show", "P-002", "--json"]);
    place.ask("explain-P-001", &["explain", "P-001", "--json"]);
    place.ask("explain-P-003", &["explain", "P-003", "--json"]);
    let at = day(45);
    place.ask("inject-planner", &["inject", "--agent", "planner", "--repo", "shop", "--at", &at, "--format", "json", "--strict"]);
    place.ask(
        "inject-tool",
        &["inject", "--tool", "Bash", "--command", "npm test", "--repo", "bank", "--at", &at, "--format", "json", "--strict"],
    );
}

#[test]
fn an_empty_workspace_is_unchanged() {
    let mut place = Place::new("");
    place.take();
    place.publish("empty", &day(10));
    place.ask("patterns", &["patterns", "list", "--json"]);
    place.ask("roles", &["patterns", "list", "--roles", "--json"]);
    place.ask("gate", &["gate", "github", "--risk", "high", "--json"]);
    place.ask("policy", &["policy", "--json"]);
    place.ask("report", &["report", "--format", "json"]);
    compare("empty", &place);
}

/// The samples that ship with the program: its demo lands them and learns for a day of its own.
#[test]
fn the_sample_is_unchanged() {
    let mut place = Place::new("");
    let folder = place.folder().to_str().expect("a path").to_owned();
    place.done(&["demo", "--keep", &folder]);
    place.keep("sample", &place.folder().join(".outerloop/published/current/"));
    place.ask("patterns", &["patterns", "list", "--json"]);
    place.ask("explain-P-005", &["explain", "P-005", "--json"]);
    place.ask("explain-D-001", &["explain", "D-001", "--json"]);
    place.ask("policy-explain", &["policy", "explain", "github", "--json", "--project", "shop"]);
    place.ask("learn", &["learn", "list", "--all", "--json"]);
    compare("sample", &place);
}

/// Every kind of event at random, with late, repeated and broken lines.
#[test]
fn all_kinds_of_events_are_unchanged() {
    let mut place = Place::new("[compact]\nbatch_kib = 64\n");
    let mixed = ["--lines", "1500", "--seed", "7", "--step-millis", "1200000", "--patterns", "30", "--agents", "6"];
    place.generate("mixed.jsonl", &[&mixed[..], &["--late", "0.05", "--duplicate", "0.05", "--bad", "0.04"]].concat());
    let kinds = [
        "classification",
        "change",
        "timing",
        "artifact",
        "aftermath",
        "gate",
        "summary",
        "embedding",
        "curation",
        "verdict",
        "assignment",
    ];
    for (seed, kind) in (100..).zip(kinds) {
        let seed = format!("{seed}");
        place.generate(&format!("{kind}.jsonl"), &["--kind", kind, "--lines", "60", "--seed", &seed, "--step-millis", "3600000"]);
    }
    place.publish("kinds", &day(30));
    ask_for_patterns(&mut place);
    place.ask("policy-explain", &["policy", "explain", "terminal", "--json"]);
    place.ask("gate", &["gate", "terminal", "--risk", "medium", "--json"]);
    let counts = "select kind, count(*) as events, min(id) as first_id, max(ts) as last_ts from (\
        select 'application' as kind, id, ts from application union all select 'run', id, ts from run union all \
        select 'embedding', id, ts from embedding union all select 'quarantine', code, null from quarantine) as held group by kind order by kind";
    place.ask("query", &["query", counts, "--format", "json"]);
    compare("kinds", &place);
}

#[test]
fn lessons_are_unchanged() {
    let mut place = Place::new("");
    place.land("lessons.jsonl", &lines(&lessons()));
    place.publish("lessons", &day(41));
    ask_for_patterns(&mut place);
    place.ask("lessons", &["lessons", "--json"]);
    place.ask("report", &["report", "--format", "json"]);
    compare("lessons", &place);
}

/// The same lessons under settings that change every rule.
#[test]
fn lessons_under_other_settings_are_unchanged() {
    let settings = "[merge]\noverlap = 0.5\n[attribution]\noverlap = 0.4\nleast_characters = 4\n[rate]\nmissed_goal = 0.3\n\
        unrated_relevance = 0.7\nfailed_build = 0.5\n[confidence]\nhigh = 0.6\nmedium = 0.3\n[flag]\nreview_below = 0.5\nprune_below = 0.5\n\
        prune_over = 10\nstale_after = 4\n[statistics]\nleast_runs = 2\nleast_applications = 1\ntrend_runs = 2\n[publish]\ncap = 6\n\
        [inject]\nmost = 4\ntokens = 200\norder = \"confidence\"\n";
    let mut place = Place::new(settings);
    place.land("lessons.jsonl", &lines(&lessons()));
    place.publish("settings", &day(41));
    ask_for_patterns(&mut place);
    compare("settings", &place);
}

/// What people decide, one decision after the other, and what each generation says has changed.
#[test]
fn decisions_are_unchanged() {
    let mut place = Place::new("");
    let mut story = Story::new("c", 12, 30);
    story.tell_of_lessons(400);
    place.land("lessons.jsonl", &lines(&story.told()));
    let decisions = [
        ("retire", "P-001"),
        ("reject", "P-002"),
        ("promote", "P-003"),
        ("annotate", "P-004"),
        ("restore", "P-001"),
        ("promote", "P-002"),
        ("retire", "P-005"),
        ("reject", "P-003"),
        ("retire", "P-099"),
        ("restore", "P-003"),
    ];
    for (number, (action, pattern)) in (0..).zip(decisions) {
        let event = json!({"kind": "curation", "id": format!("decision-{number}"), "ts": day(31 + number), "project": "shop",
            "action": action, "pattern_id": pattern, "actor": "bob", "reason": format!("reason {number}")});
        place.land("decisions.jsonl", &format!("{event}\n"));
        if number % 3 == 0 {
            place.publish(&format!("day-{}", 31 + number), &day(31 + number));
        }
    }
    // The same lessons again: those out of use stay out of use.
    let mut again = Story::new("again", 13, 45);
    again.tell_of_lessons(200);
    place.land("again.jsonl", &lines(&again.told()));
    place.publish("again", &day(46));
    ask_for_patterns(&mut place);
    compare("decisions", &place);
}

#[test]
fn an_earlier_instant_is_unchanged() {
    let mut place = Place::new("");
    let mut story = Story::new("a", 14, 50);
    story.tell_of_lessons(400);
    story.tell_of_decisions(10);
    story.tell_of_roles(250);
    story.tell_of_observations(200);
    story.tell_of_runs(300);
    place.land("all.jsonl", &lines(&story.told()));
    for (name, on) in [("middle", 20), ("end", 51), ("before", 0), ("third", 33), ("much-later", 110)] {
        place.publish(name, &day(on));
    }
    place.ask("policy-history", &["policy", "history", "--json"]);
    place.ask("patterns", &["patterns", "list", "--all", "--json"]);
    compare("as-of", &place);
}

/// Days that were pruned are kept as sums: the figures are those of the whole log, apart from what tells of single events.
#[test]
fn pruned_days_are_unchanged() {
    let today = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs() / 86_400;
    // The twentieth day of the story is the first that stays. Nothing happened on its neighbours, should midnight pass meanwhile.
    let settings = format!("[retention]\nlake_days = {}\n", today - (FIRST_DAY + 20));
    let mut place = Place::new(&settings);
    let mut story = Story::new("p", 15, 40);
    story.tell_of_lessons(700);
    story.tell_of_decisions(12);
    story.tell_of_roles(150);
    let near = [day(19), day(20), day(21)].map(|near| near[..10].to_owned());
    let told: Vec<Value> =
        story.told().into_iter().filter(|event| !near.contains(&event["ts"].as_str().expect("a time")[..10].to_owned())).collect();
    place.land("lessons.jsonl", &lines(&told));
    place.publish("whole", &day(41));
    place.done(&["prune"]);
    place.publish("pruned", &day(42));
    ask_for_patterns(&mut place);
    place.ask(
        "applications",
        &["query", "select count(*) as applications, min(ts) as first_ts from application", "--format", "json"],
    );
    compare("pruned", &place);
}

fn talk() -> Vec<Value> {
    let mut story = Story::new("r", 16, 60);
    story.tell_of_roles(600);
    story.told()
}

#[test]
fn roles_are_unchanged() {
    let mut place = Place::new("project = \"shop\"\n");
    place.land("roles.jsonl", &lines(&talk()));
    place.generate(
        "made-up.jsonl",
        &["--kind", "roles", "--lines", "600", "--seed", "3", "--step-millis", "7200000", "--patterns", "40"],
    );
    for (name, on) in [("early", 25), ("late", 61)] {
        place.publish(name, &day(on));
    }
    let at = day(62);
    place.ask("patterns", &["patterns", "list", "--roles", "--all", "--json"]);
    for id in ["D-001", "D-002", "D-005", "D-009"] {
        place.ask(&format!("explain-{id}"), &["explain", id, "--json"]);
    }
    for role in ["judge", "sentinel"] {
        let task = ["--labels", "auth", "--files", "src/auth/login.ts", "--phase", "review", "--at", &at];
        place.ask(&format!("inject-{role}"), &[&["inject", "--role", role, "--format", "json", "--strict"], &task[..]].concat());
        place.ask(&format!("memory-{role}"), &[&["memory", "query", "--role", role, "--json", "--strict"], &task[..]].concat());
    }
    place.ask("decay", &["memory", "decay", "--at", &day(80), "--json", "--strict"]);
    place.ask("review", &["patterns", "review", "--json"]);
    place.ask("status", &["patterns", "status", "--json"]);
    compare("roles", &place);
}

#[test]
fn roles_under_other_settings_are_unchanged() {
    let settings = "project = \"shop\"\n[deliberation]\noverlap = 0.6\necho_confirms = true\ncandidate_seen = 3\nverified_seen = 5\nverified_contexts = 3\n\
        idle_days = 20.0\nmost_skips = 4\ntrusted_from = 2\npenalty = 0.7\nrejection_needs_evidence = true\nweakest_evidence = 3\n\
        reinforced_by_file = 2\nreinforced = 1\nfailed_outcome = 0.8\n[inject.score]\ndecay_days = 7.0\nimmune_from = 2\nrule = 1.5\n";
    let mut place = Place::new(settings);
    place.land("roles.jsonl", &lines(&talk()));
    place.publish("roles", &day(61));
    place.ask("patterns", &["patterns", "list", "--roles", "--all", "--json"]);
    place.ask("explain-D-002", &["explain", "D-002", "--json"]);
    compare("role-settings", &place);
}

#[test]
fn observations_are_unchanged() {
    let mut place = Place::new("project = \"shop\"\n");
    let mut story = Story::new("o", 17, 60);
    story.tell_of_observations(500);
    place.land("observations.jsonl", &lines(&story.told()));
    for (name, on) in [("early", 25), ("late", 61), ("faded", 115)] {
        place.publish(name, &day(on));
    }
    place.ask("learn", &["learn", "list", "--all", "--json"]);
    for id in ["obs_aaaaaa", "obs_bbbbbb"] {
        place.ask(&format!("explain-{id}"), &["explain", id, "--json"]);
    }
    place.ask("review", &["learn", "review", "--json"]);
    compare("observations", &place);
}

/// Decisions about adapters and about what runs suggest.
fn rulings() -> Vec<Value> {
    let told = [
        json!({"action": "clear", "target": "Adapter-1", "value": {"failurePattern": "auth"}}),
        json!({"action": "clear", "target": "adapter-2"}),
        json!({"action": "annotate", "target": "adapter-3", "value": {"forceApproval": true, "maxRetries": 0, "riskMultiplier": 1.25}}),
        json!({"action": "annotate", "target": "adapter-4", "value": {"forceApproval": false, "riskMultiplier": 0.5, "override": true}}),
        json!({"action": "annotate", "target": "adapter-5", "value": {"forceApproval": true, "expiresAt": "2025-03-20T00:00:00Z"}}),
        json!({"action": "annotate", "target": "adapter-3", "value": {"withdrawn": true}}),
        json!({"action": "annotate", "target": "brand-new", "value": {"maxRetries": 1}}),
        json!({"action": "promote", "target": "constraint:mutation-scope"}),
        json!({"action": "reject", "target": "constraint:approval-pauses", "value": {"runId": "q-run-40"}}),
        json!({"action": "annotate", "target": "adapter-6", "value": {"riskMultiplier": -1}}),
    ];
    let ruling = |(number, mut event): (usize, Value)| {
        event["kind"] = "curation".into();
        event["id"] = format!("ruling-{number}").into();
        event["ts"] = day(4 + number as u64).into();
        event["project"] = "shop".into();
        event["actor"] = "ada".into();
        event["reason"] = format!("ruling {number}").into();
        event
    };
    told.into_iter().enumerate().map(ruling).collect()
}

fn runs() -> Vec<Value> {
    let mut story = Story::new("q", 18, 40);
    story.tell_of_runs(700);
    story.told()
}

fn ask_for_policies(place: &mut Place) {
    place.ask("policy", &["policy", "--json"]);
    place.ask("suggestions", &["policy", "suggestions", "--json"]);
    for adapter in ["adapter-1", "adapter-3", "adapter-4"] {
        place.ask(&format!("explain-{adapter}"), &["policy", "explain", adapter, "--json"]);
        place.ask(&format!("show-{adapter}"), &["policy", "show", adapter, "--json"]);
        place.ask(&format!("gate-{adapter}"), &["gate", adapter, "--risk", "high", "--json"]);
    }
    place.ask("check", &["policy", "check", "--as-of", &day(60), "--json"]);
    let votes = json!([{"agent": "planner", "decision": "approve", "confidence": 0.9}, {"agent": "security", "decision": "approve", "confidence": 0.6},
        {"agent": "reviewer", "decision": "needs-review", "confidence": 0.7}]);
    place.ask_with("consensus", &["consensus", "--risk", "medium", "--json"], &votes.to_string());
    let tasks = json!([{"id": "t1", "adapterId": "adapter-1", "retryLimit": 5}, {"id": "t2", "adapterId": "adapter-3"}, {"id": "t3", "adapterId": "x"}]);
    place.ask_with("optimize", &["optimize", "--json"], &tasks.to_string());
}

#[test]
fn policies_are_unchanged() {
    let mut place = Place::new("");
    place.land("runs.jsonl", &lines(&runs()));
    place.publish("runs", &day(9));
    place.land("rulings.jsonl", &lines(&rulings()));
    place.publish("rulings", &day(19));
    place.ask("history", &["policy", "history", "--json"]);
    place.ask("run", &["report", "--run-id", "q-run-699", "--format", "json"]);
    ask_for_policies(&mut place);
    compare("policies", &place);
}

#[test]
fn policies_under_other_settings_are_unchanged() {
    let settings = "[run]\nlenient = true\n[overlay]\nratchet = true\nrelease_after_successes = 3\nrepeats = 2\nrisky_below = 0.8\n\
        [agent]\ndecision_aware = true\nmost_change = 0.03\n[threshold]\nauto_relax = false\nmost_shift = 0.02\n[recent]\nruns = 40\nfolded_runs = 90\n\
        [reliability]\nsuccess_weight = 0.5\nretry_weight = 0.3\nconfidence_half_life_days = 10.0\n[reliability.fixes]\n\"adapter-1::auth\" = \"Renew the token.\"\n";
    let mut place = Place::new(settings);
    place.land("runs.jsonl", &lines(&runs()));
    place.land("rulings.jsonl", &lines(&rulings()));
    place.publish("rulings", &day(25));
    ask_for_policies(&mut place);
    compare("policy-settings", &place);
}

/// Runs that land again in other words take the place of the earlier ones, or do not.
#[test]
fn replaced_runs_are_unchanged() {
    let mut again = Story::new("q", 19, 40);
    again.tell_of_runs(300);
    // Without an id of its own, a run is known by its project and name.
    let unnamed = |mut event: Value| {
        event.as_object_mut().expect("an object").remove("id");
        event
    };
    let first: Vec<Value> = runs().into_iter().map(unnamed).collect();
    let again: Vec<Value> = again.told().into_iter().map(unnamed).collect();
    for (name, settings) in [("replace", "[run]\nreplace = true\n"), ("keep-first", "")] {
        let mut place = Place::new(settings);
        place.land("first.jsonl", &lines(&first));
        place.land("again.jsonl", &lines(&again));
        place.publish("runs", &day(30));
        place.ask("explain", &["policy", "explain", "adapter-2", "--json"]);
        compare(name, &place);
    }
}

/// Texts that programs like to get wrong: letters of many scripts, marks that combine, directions, signs beyond sixteen bits.
#[test]
fn odd_letters_are_unchanged() {
    let texts = [
        "Prüfe Größen vor dem Überlauf, ﬁle für ﬁle",
        "日本語のテキストを正しく分割する",
        "Не доверяй часовым поясам никогда",
        "e\u{301}crire le re\u{301}sume\u{301} avant la revue",
        "écrire le résumé avant la revue",
        "ＦＵＬＬ width letters are letters too",
        "İstanbul'da I ile ı ayrıdır",
        "emoji 👩‍👩‍👧‍👦 count as one sign 🏳️‍🌈",
        "right \u{202e}to left\u{202c} overrides hide text",
        "zero\u{200b}width\u{200b}blanks and\u{a0}hard ones",
        "tab\tand \"quotes\", commas, | pipes, `ticks` and <tags>",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 beyond the sixteen bits",
    ];
    let mut place = Place::new("");
    let mut story = Story::new("ü", 20, 40).about(&texts);
    story.tell_of_lessons(500);
    story.tell_of_decisions(8);
    for (number, text) in texts.iter().enumerate() {
        for session in 0..3 {
            let kind = ["workflow", "procedural", "decision", "pitfall"][number % 4];
            story.tell(json!({"kind": "observation", "type": kind, "pattern": text, "session": format!("s-{number}-{session}"), "evidence": [text],
                "details": format!("context: {text}; decision: {text}"), "quality_ok": true}));
        }
        story.tell(json!({"kind": "deliberation", "role": "judge", "issue": number, "text": format!("x\n\n## Accumulated Patterns\n- {text}\n")}));
        story.tell(
            json!({"kind": "run", "run_id": format!("run-{number}"), "result": "failure", "failure_type": format!("Ärger {number}"),
            "adapters": [format!("Adäpter {}", number % 3), "ТЕРМИНАЛ"], "skills": [text], "issues": [text]}),
        );
    }
    place.land("odd.jsonl", &lines(&story.told()));
    place.publish("odd", &day(41));
    ask_for_patterns(&mut place);
    place.ask("roles", &["patterns", "list", "--roles", "--all", "--json"]);
    place.ask("learn", &["learn", "list", "--all", "--json"]);
    place.ask("gate", &["gate", "терминал", "--json", "--project", "shop"]);
    compare("unicode", &place);
}
