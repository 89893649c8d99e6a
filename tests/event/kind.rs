//! The kinds: what a full line of each becomes, what it must carry, and what becomes of fields that it does not know.

use event::{Code, Kind};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

use crate::event::door::{TIME, line, micros, refused, refused_code, run, taken};
use crate::event::plain::assert_body;
use crate::event::table::{TABLES, fields};

#[test]
fn an_application_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"application","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":2,"agent":"builder","role":"coder","pattern_id":"P-017","trigger":"flaky test","status":"injected","citations":["src/a.rs:3"],"session":"s-1","tool":"Bash","application_id":"a-0","acted":true,"touched_relevance":0.25,"propensity":0.1,"task":"ISSUE-17","salt_id":"0a1b"}"#,
        Application {
            run_id: "r-1",
            iteration: 2,
            agent: "builder",
            role: "coder",
            pattern_id: "P-017",
            trigger: "flaky test",
            status: "injected",
            citations: ["src/a.rs:3"],
            session: "s-1",
            tool: "Bash",
            application_id: "a-0",
            acted: true,
            touched_relevance: 0.25,
            propensity: 0.1,
            unit: "ISSUE-17",
            salt_id: "0a1b",
        }
    );
}

#[test]
fn an_assignment_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"assignment","ts":"2026-03-14T09:26:53Z","run_id":"r-1","taskId":"ISSUE-17","arm":"off","propensity":0.9,"saltId":"0a1b","experiment":"short","session":"s-1","agent":"builder"}"#,
        Assignment {
            run_id: "r-1",
            unit: "ISSUE-17",
            arm: "off",
            propensity: 0.9,
            salt_id: "0a1b",
            experiment: "short",
            session: "s-1",
            agent: "builder",
        }
    );
}

#[test]
fn a_touch_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"touch","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":2,"agent":"builder","session":"s-1","tool":"Bash","path":"src/a.rs","lines":["3-9"],"command":"make\ncheck","failed":true,"exit_code":2,"output_hash":"0a"}"#,
        Touch {
            run_id: "r-1",
            iteration: 2,
            agent: "builder",
            session: "s-1",
            tool: "Bash",
            path: "src/a.rs",
            lines: ["3-9"],
            command: "make\ncheck",
            failed: true,
            exit_code: 2,
            output_hash: "0a",
        }
    );
}

#[test]
fn a_relevance_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"relevance","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":0,"application_id":"a/1","pattern_id":"P-017","trigger":"flaky test","score":0.75,"method":"context_tags","matched_concepts":["test","io"],"raw_score":1.5}"#,
        Relevance {
            run_id: "r-1",
            iteration: 0,
            application_id: "a/1",
            pattern_id: "P-017",
            trigger: "flaky test",
            score: 0.75,
            method: "context_tags",
            matched_concepts: ["test", "io"],
            raw_score: 1.5,
        }
    );
}

#[test]
fn a_goal_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"goal","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":9,"application_id":"a-1","goal":"swe-bench","success":false,"measured":true,"score":7.125,"metrics":{"tests_passed":3},"details":"one test failed","unit":"ISSUE-17"}"#,
        Goal {
            run_id: "r-1",
            iteration: 9,
            application_id: "a-1",
            goal: "swe-bench",
            success: false,
            measured: true,
            score: 7.125,
            metrics: { "tests_passed": 3 },
            details: "one test failed",
            unit: "ISSUE-17",
        }
    );
}

#[test]
fn a_build_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"build","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":3,"agent":"build-validator","passed":true,"application_id":"a-1","details":"clean"}"#,
        Build { run_id: "r-1", iteration: 3, agent: "build-validator", passed: true, application_id: "a-1", details: "clean" }
    );
}

#[test]
fn a_citation_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"citation","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":3,"application_id":"a-1","pattern_id":"P-017","trigger":"flaky test","agent":"builder","path":"src/a.rs","cited_line":24,"verified":false,"reason":"line not changed"}"#,
        Citation {
            run_id: "r-1",
            iteration: 3,
            application_id: "a-1",
            pattern_id: "P-017",
            trigger: "flaky test",
            agent: "builder",
            path: "src/a.rs",
            cited_line: 24,
            verified: false,
            reason: "line not changed",
        }
    );
}

#[test]
fn a_run_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"run","ts":"2026-03-14T09:26:53Z","run_id":"r-1","result":"failure","success":false,"quality":0.25,"retries":3,"rollback":true,"human_override":false,"risk":"medium","adapters":["terminal","github"],"failure_type":"timeout","skills":["sql"],"agent_decisions":[{"agent":"planner","decision":"needs-review","confidence":0.5},{"agent":"builder","confidence":1}],"issues":["rm -rf was refused"],"tokens":75000,"duration_ms":1200,"iterations":4,"command":"make test","session":"s-1","rating":2.5,"feedback":"slow","notes":"see log","task_id":"team/ISSUE 17"}"#,
        Run {
            run_id: "r-1",
            result: "failure",
            success: false,
            quality: 0.25,
            retries: 3,
            rollback: true,
            human_override: false,
            risk: "medium",
            adapters: ["terminal", "github"],
            failure_type: "timeout",
            skills: ["sql"],
            agent_decisions: [
                {"agent": "planner", "decision": "needs-review", "confidence": 0.5},
                {"agent": "builder", "decision": null, "confidence": 1.0},
            ],
            issues: ["rm -rf was refused"],
            tokens: 75000,
            duration_ms: 1200,
            iterations: 4,
            command: "make test",
            session: "s-1",
            rating: 2.5,
            feedback: "slow",
            notes: "see log",
            unit: "team/ISSUE 17",
        }
    );
}

#[test]
fn a_learning_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"learning","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":1,"agent":"builder","session":"s-1","what":"the port was taken","why":"a leftover process","fix":"bind to port 0","summary":"let the kernel choose ports","detail":"longer","trigger":"address in use","category":"mistake","scope":"organization","repo":"*","confidence":"high","applies_to":["*"],"tags":["net"],"citations":["src/a.rs:3"],"context":{"file":"src/a.rs","line":3},"no_learnings":false,"reason":"none","pattern_id":"P-007","seen_count":7,"success_rate":0.77,"pending":true,"source_project":"web","source_id":"P-003","shared_id":"P-012","repo_name":"till","origin":"org-patterns.toon","flags":"[STALE]"}"#,
        Learning {
            run_id: "r-1",
            iteration: 1,
            agent: "builder",
            session: "s-1",
            what: "the port was taken",
            why: "a leftover process",
            fix: "bind to port 0",
            summary: "let the kernel choose ports",
            detail: "longer",
            trigger: "address in use",
            category: "mistake",
            scope: "organization",
            repo: "*",
            confidence: "high",
            applies_to: ["*"],
            tags: ["net"],
            citations: ["src/a.rs:3"],
            context: {"file": "src/a.rs", "line": 3},
            no_learnings: false,
            reason: "none",
            pattern_id: "P-007",
            seen_count: 7,
            success_rate: 0.77,
            pending: true,
            source_project: "web",
            source_id: "P-003",
            shared_id: "P-012",
            repo_name: "till",
            origin: "org-patterns.toon",
            flags: "[STALE]",
        }
    );
}

#[test]
fn a_classification_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"classification","ts":"2026-03-14T09:26:53Z","learning_id":"l-1","status":"reworded","classifier":"built-in","scope":"organization","category":"mistake","repo":"*","summary":"let the kernel choose ports","original_summary":"ports","trigger":"address in use","applies_to":["*"],"tags":["net"],"reason":"clearer"}"#,
        Classification {
            learning_id: "l-1",
            status: "reworded",
            classifier: "built-in",
            scope: "organization",
            category: "mistake",
            repo: "*",
            summary: "let the kernel choose ports",
            original_summary: "ports",
            trigger: "address in use",
            applies_to: ["*"],
            tags: ["net"],
            reason: "clearer",
        }
    );
}

#[test]
fn a_change_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"change","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":2,"base":"abc","head":"def","repo":"web","files":["src/a.rs"],"added_lines":3,"removed_lines":0,"details":[{"path":"src/a.rs"}]}"#,
        Change {
            run_id: "r-1",
            iteration: 2,
            base: "abc",
            head: "def",
            repo: "web",
            files: ["src/a.rs"],
            added_lines: 3,
            removed_lines: 0,
            details: [{ "path": "src/a.rs" }],
        }
    );
}

#[test]
fn a_timing_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"timing","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":2,"event":"pipeline_step","step":8.5,"step_name":"write_merged_patterns","sub_step":1,"sub_step_name":"sort","agent":"builder","phase":"implementation","status":"ok","started":"2026-03-14T09:26:53Z","ended":"2026-03-14T09:26:55Z","seconds":2,"exit_code":0,"skipped":false,"command":"code"}"#,
        Timing {
            run_id: "r-1",
            iteration: 2,
            event: "pipeline_step",
            step: 8.5,
            step_name: "write_merged_patterns",
            sub_step: 1.0,
            sub_step_name: "sort",
            agent: "builder",
            phase: "implementation",
            status: "ok",
            started: "2026-03-14T09:26:53Z",
            ended: "2026-03-14T09:26:55Z",
            seconds: 2.0,
            exit_code: 0.0,
            skipped: false,
            command: "code",
        }
    );
}

#[test]
fn an_observation_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"observation","ts":"2026-03-14T09:26:53Z","observation_id":"obs_1","type":"pitfall","pattern":"edits generated files","evidence":["and again","and again"],"details":"","quality_ok":true,"session":"s-1","prior":{"observations":3},"meaning":["edit","!"],"lacks":"session"}"#,
        Observation {
            observation_id: "obs_1",
            observation_type: "pitfall",
            pattern: "edits generated files",
            evidence: ["and again", "and again"],
            details: "",
            quality_ok: true,
            session: "s-1",
            prior: { "observations": 3 },
            meaning: ["edit", "!"],
            lacks: "session",
        }
    );
}

#[test]
fn an_artifact_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"artifact","ts":"2026-03-14T09:26:53Z","action":"rendered","observation_id":"obs_1","type":"decision","path":".memory/knowledge/decisions.md","anchor":"ADR-001","content_hash":"9f86d0","session":"s-1","reason":"ready","title":"Keep it","details":"1. Keep it"}"#,
        Artifact {
            action: "rendered",
            observation_id: "obs_1",
            observation_type: "decision",
            path: ".memory/knowledge/decisions.md",
            anchor: "ADR-001",
            content_hash: "9f86d0",
            session: "s-1",
            reason: "ready",
            title: "Keep it",
            details: "1. Keep it",
        }
    );
}

#[test]
fn a_deliberation_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"deliberation","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":1,"role":"critic","phase":"review","issue":42,"pull_request":"7","labels":["bug"],"files":["src/a.rs"],"evidence_level":2,"status":"open","verdict":"FAIL","text":"line one\nline two","model":"m-1","command":"review","tokens":10,"duration_ms":20,"session":"s-1","patterns":["[rule] Look twice, then leap"],"prior":{"seen":3},"evidence_by":"ci"}"#,
        Deliberation {
            run_id: "r-1",
            iteration: 1,
            role: "critic",
            phase: "review",
            issue: "42",
            pull_request: "7",
            labels: ["bug"],
            files: ["src/a.rs"],
            evidence_level: 2,
            status: "open",
            verdict: "FAIL",
            text: "line one\nline two",
            model: "m-1",
            command: "review",
            tokens: 10,
            duration_ms: 20,
            session: "s-1",
            patterns: ["[rule] Look twice, then leap"],
            prior: { "seen": 3 },
            evidence_by: "ci",
        }
    );
}

#[test]
fn a_verdict_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"verdict","ts":"2026-03-14T09:26:53Z","run_id":"r-1","iteration":1,"role":"validator","adversarial_role":"critic","deliberation_id":"d-1","verdict":"pass","false_positives":["style"],"must_fix":[],"issues":[{"id":1}],"phase":"review","issue":"42","labels":["bug"],"files":["src/a.rs"],"evidence_level":"L1","session":"s-1","validator_id":"d-2","validator_level":"L3","rejected":["look twice"],"reinforced":["P-017"],"evidenceBy":"report"}"#,
        VerdictGiven {
            run_id: "r-1",
            iteration: 1,
            role: "validator",
            adversarial_role: "critic",
            deliberation_id: "d-1",
            verdict: "PASS",
            false_positives: ["style"],
            must_fix: [],
            issues: [{"id": 1}],
            phase: "review",
            issue: "42",
            labels: ["bug"],
            files: ["src/a.rs"],
            evidence_level: 1,
            session: "s-1",
            validator_id: "d-2",
            validator_level: 3,
            rejected: ["look twice"],
            reinforced: ["P-017"],
            evidence_by: "report",
        }
    );
}

#[test]
fn a_summary_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"summary","ts":"2026-03-14T09:26:53Z","set":"9f86d0","summary":"Mind the lock.","agent":"builder","role":"judge","model":"a model"}"#,
        Summary { set_hash: "9f86d0", text: "Mind the lock.", agent: "builder", role: "judge", author: "a model" }
    );
}

#[test]
fn an_aftermath_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"aftermath","ts":"2026-03-14T09:26:53Z","run_id":"r-1","passed":false,"reason":"reverted"}"#,
        Aftermath { run_id: "r-1", passed: false, reason: "reverted" }
    );
}

#[test]
fn an_embedding_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"embedding","ts":"2026-03-14T09:26:53Z","text_hash":"9f86d0","model":"m-1","vector":[0.5,-1,0]}"#,
        Embedding { text_hash: "9f86d0", model: "m-1", vector: [0.5, -1.0, 0.0] }
    );
}

#[test]
fn a_gate_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"gate","ts":"2026-03-14T09:26:53Z","adapter":"github","run_id":"r-1","risk":"high","approval":true,"multiplier":1.4,"retries":1,"reason":"it failed three times"}"#,
        Gate {
            adapter: "github",
            run_id: "r-1",
            risk: "high",
            approval: true,
            multiplier: 1.4,
            retries: 1,
            reason: "it failed three times",
        }
    );
}

#[test]
fn a_curation_is_read_field_by_field() {
    assert_body!(
        r#"{"kind":"curation","ts":"2026-03-14T09:26:53Z","action":"annotate","pattern_id":"P-017","target":"github","actor":"Ada L.","reason":"seen twice","value":{"weight":2}}"#,
        Curation {
            action: "annotate",
            pattern_id: "P-017",
            target: "github",
            actor: "Ada L.",
            reason: "seen twice",
            value: { "weight": 2 },
        }
    );
}

#[test]
fn an_event_carries_its_time_its_project_and_its_kind() {
    let event = run(r#""project":"shop""#);
    let event = taken(&event);
    assert_eq!((event.time_micros, &*event.project, event.body.kind()), (micros(TIME), "shop", Kind::Run));
}

#[test]
fn an_event_without_a_project_belongs_to_the_default_one() {
    assert_eq!(taken(&run(r#""project":null"#)).project, "default");
}

#[test]
fn the_kind_may_stand_anywhere_in_the_line() {
    let line = format!(r#"{{ "ts":"{TIME}","run_id":"r-1","passed":true, "kind" : "build" }}"#);
    assert_eq!(taken(&line).body.kind(), Kind::Build);
}

#[test]
fn kinds_are_found_by_their_names() {
    for kind in Kind::ALL {
        assert_eq!(Kind::from_name(kind.name()), Some(*kind));
    }
    assert_eq!(Kind::from_name("Run"), None);
}

#[test]
fn an_unknown_kind_is_refused_with_the_known_ones_as_remedy() {
    let line = format!(r#"{{"kind":"runs","ts":"{TIME}"}}"#);
    assert_eq!(refused(&line), (Code::UnknownKind, "`kind` is `runs`".to_owned()));
    let remedy = crate::event::door::fresh().parse(&line).expect_err("refused").remedy;
    for kind in Kind::ALL {
        assert!(remedy.contains(kind.name()), "{remedy}");
    }
}

#[test]
fn an_event_without_a_kind_or_a_time_is_refused_by_name() {
    assert_eq!(refused(&format!(r#"{{"ts":"{TIME}"}}"#)), (Code::MissingField, "`kind` is missing".to_owned()));
    assert_eq!(refused("{}").0, Code::MissingField);
    let without_time = r#"{"kind":"build","run_id":"r-1","passed":true}"#;
    assert_eq!(refused(without_time), (Code::MissingField, "`ts` is missing".to_owned()));
    let null_time = r#"{"kind":"build","ts":null,"run_id":"r-1","passed":true}"#;
    assert_eq!(refused(null_time), (Code::MissingField, "`ts` is missing".to_owned()));
}

#[test]
fn a_kind_or_a_time_that_is_not_text_is_refused() {
    assert_eq!(refused_code(&format!(r#"{{"kind":5,"ts":"{TIME}"}}"#)), Code::WrongType);
    assert_eq!(refused_code(r#"{"kind":"build","ts":1773480413,"run_id":"r-1","passed":true}"#), Code::WrongType);
}

#[test]
fn two_kinds_in_one_line_contradict_each_other() {
    for line in [
        format!(r#"{{"kind":"build","kind":"goal","ts":"{TIME}","run_id":"r-1","passed":true}}"#),
        format!(r#"{{"ts":"{TIME}","kind":"goal","run_id":"r-1","passed":true,"kind":"build"}}"#),
    ] {
        assert_eq!(refused_code(&line), Code::Contradiction, "{line}");
    }
}

#[test]
fn a_line_needs_no_more_than_its_kind_asks_for() {
    for table in TABLES {
        let first = table.fields.iter().find(|field| table.least.contains(&field.name)).expect("a line needs something");
        let event = table.line_with(first, &[(first.name, first.values[0])]);
        assert_eq!(taken(&event).body.kind().name(), table.kind);
    }
}

#[test]
fn a_needed_field_that_is_missing_or_null_is_refused_by_its_name() {
    for (table, field) in fields().filter(|(_, field)| field.is_needed) {
        let expected = (Code::MissingField, format!("`{}` is missing", field.name));
        assert_eq!(refused(&table.line_with(field, &[])), expected, "{}", table.kind);
        assert_eq!(refused(&table.line_with(field, &[(field.name, "null")])), expected, "{}", table.kind);
    }
}

/// Whether `null` says that nothing is known. A number that is none is written so too, and must not count as if nothing had gone wrong.
fn may_be_null(kind: &str, field: &str) -> bool {
    !matches!((kind, field), ("run", "quality" | "retries"))
}

#[test]
fn a_field_that_is_null_counts_as_absent() {
    let nullable = fields().filter(|(table, field)| may_be_null(table.kind, field.name));
    for (table, field) in nullable.filter(|(table, field)| !field.is_needed && !table.least.contains(&field.name)) {
        let (absent, null) = (table.line_with(field, &[]), table.line_with(field, &[(field.name, "null")]));
        assert_eq!(taken(&null).body, taken(&absent).body, "{null}");
        assert_eq!(taken(&null).extra, None, "{null}");
    }
}

#[test]
fn null_and_a_value_of_one_field_do_not_contradict_each_other() {
    for (table, field) in fields().filter(|(table, field)| may_be_null(table.kind, field.name)) {
        let given = table.line_with(field, &[(field.name, field.values[0])]);
        let with_null = table.line_with(field, &[(field.name, field.values[0]), (field.name, "null")]);
        assert_eq!(taken(&with_null).body, taken(&given).body, "{with_null}");
    }
}

#[test]
fn an_event_that_needs_one_of_two_fields_is_refused_naming_both() {
    for (line, both) in [
        (line("application", r#""run_id":"r-1","status":"applied","trigger":null"#), ["pattern_id", "trigger"]),
        (line("relevance", r#""score":1"#), ["application_id", "run_id"]),
        (line("citation", r#""verified":true"#), ["application_id", "run_id"]),
        (line("curation", r#""action":"retire","actor":"ada""#), ["pattern_id", "target"]),
        (line("learning", r#""why":"because""#), ["summary", "what"]),
        (line("learning", r#""no_learnings":false"#), ["summary", "what"]),
    ] {
        let expected = format!("`{}` and `{}` are both missing", both[0], both[1]);
        assert_eq!(refused(&line), (Code::MissingField, expected), "{line}");
    }
}

#[test]
fn either_of_two_fields_is_enough() {
    for line in [
        line("application", r#""run_id":"r-1","status":"applied","pattern_id":"P-017""#),
        line("application", r#""run_id":"r-1","status":"applied","trigger":"flaky test""#),
        line("relevance", r#""score":1,"application_id":"a-1""#),
        line("relevance", r#""score":1,"run_id":"r-1""#),
        line("citation", r#""verified":true,"application_id":"a-1""#),
        line("citation", r#""verified":true,"run_id":"r-1""#),
        line("curation", r#""action":"retire","actor":"ada","pattern_id":"P-017""#),
        line("curation", r#""action":"retire","actor":"ada","target":"github""#),
        line("learning", r#""summary":"look twice""#),
        line("learning", r#""what":"it broke""#),
        line("learning", r#""no_learnings":true,"reason":"nothing happened""#),
    ] {
        taken(&line);
    }
}

#[test]
fn a_value_of_another_type_is_refused_by_the_name_it_was_sent_under() {
    for (table, field) in fields() {
        for name in [&[field.name], field.aliases].concat() {
            let line = table.line_with(field, &[(name, "-0.5e-7")]);
            // A score may be any number, and so may a multiplier and what a timing says. What another tool calls a score, a repository
            // or a task is kept, whatever it is.
            if matches!(
                (table.kind, field.name),
                ("relevance", "raw_score")
                    | ("learning", "repo_name" | "origin" | "flags")
                    | (_, "unit")
                    | ("goal", "score")
                    | ("gate", "multiplier")
                    | ("timing", "step" | "sub_step" | "seconds" | "exit_code")
            ) {
                continue;
            }
            let (code, message) = refused(&line);
            assert!(matches!(code, Code::WrongType | Code::OutOfRange), "{line}: {code:?}");
            assert!(message.starts_with(&format!("`{name}` is `-0.5e-7`")), "{line}: {message}");
        }
    }
}

#[test]
fn words_outside_of_a_vocabulary_are_refused() {
    for (line, message) in [
        (line("application", r#""run_id":"r-1","trigger":"t","status":"Applied""#), "`status` is `Applied`"),
        (line("run", r#""run_id":"r-1","result":"ok""#), "`result` is `ok`"),
        (run(r#""risk":"LOW""#), "`risk` is `LOW`"),
        (line("observation", r#""type":"habit","pattern":"p""#), "`type` is `habit`"),
        (line("verdict", r#""role":"v","verdict":"Pass""#), "`verdict` is `Pass`"),
        (line("curation", r#""action":"delete","actor":"ada","target":"t""#), "`action` is `delete`"),
        (run(r#""agent_decisions":[{"agent":"a","decision":"maybe","confidence":1}]"#), "`agent_decisions` `decision` is `maybe`"),
    ] {
        assert_eq!(refused(&line), (Code::OutOfRange, message.to_owned()));
    }
}

#[test]
fn evidence_levels_are_one_to_three_with_or_without_their_letter() {
    let deliberation = |level: &str| line("deliberation", &format!(r#""role":"critic","text":"t","evidence_level":{level}"#));
    for (written, level) in [("1", 1), ("2", 2), ("3", 3), (r#""1""#, 1), (r#""L2""#, 2), (r#""l3""#, 3)] {
        let event = deliberation(written);
        let event::Body::Deliberation(body) = taken(&event).body else { panic!("another kind") };
        assert_eq!(body.evidence_level.expect("a level").get(), level);
    }
    for written in ["0", "4", "1.0", r#""L""#, r#""high""#, "true"] {
        assert_eq!(refused_code(&deliberation(written)), Code::OutOfRange, "{written}");
    }
}

#[test]
fn unknown_fields_are_kept_as_they_were_written() {
    let event = run(r#" "x" : 1.50 ,"y":{"b":[ 1,2 ],"a":null,"a":"\u00e9"}, "naïve \"key\"\n":"A\/B" ,"z":null"#);
    let extra = taken(&event).extra.expect("something to keep");
    let kept: BTreeMap<String, &RawValue> = serde_json::from_str(&extra).expect("an object");
    let kept: Vec<_> = kept.iter().map(|(name, value)| (name.as_str(), value.get())).collect();
    let written = [("naïve \"key\"\n", r#""A\/B""#), ("x", "1.50"), ("y", r#"{"b":[ 1,2 ],"a":null,"a":"\u00e9"}"#), ("z", "null")];
    assert_eq!(kept, written);
}

#[test]
fn unknown_fields_keep_their_order() {
    let event = run(r#""z":1,"retries":0,"a":2,"m":3"#);
    assert_eq!(taken(&event).extra.as_deref(), Some(r#"{"z":1,"a":2,"m":3}"#));
}

#[test]
fn the_fields_of_other_kinds_are_unknown_fields() {
    let event = line("build", r#""run_id":"r-1","passed":true,"quality":7,"trigger":["t"]"#);
    assert_eq!(taken(&event).extra.as_deref(), Some(r#"{"quality":7,"trigger":["t"]}"#));
}

#[test]
fn an_unknown_name_that_stands_twice_is_refused_even_if_the_values_agree() {
    for members in [r#""x":1,"x":2"#, r#""x":1,"x":1"#, r#""x":null,"x":1"#, r#""x":1,"\u0078":2"#] {
        assert_eq!(refused(&run(members)), (Code::Contradiction, "`x` appears twice".to_owned()), "{members}");
    }
}

#[test]
fn names_that_differ_in_case_or_space_are_different_names() {
    let event = run(r#""x":1,"X":2," x":3,"Result":4"#);
    assert_eq!(taken(&event).extra.as_deref(), Some(r#"{"x":1,"X":2," x":3,"Result":4}"#));
}
