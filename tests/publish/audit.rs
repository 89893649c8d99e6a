//! Audits and queries of the workspace's own: what keeps a generation from being published, and how it is told.

use std::fs;

use crate::support::published::{current, generations, learned, leftovers, put_file, put_query};

#[test]
fn an_audit_that_refuses_keeps_the_old_generation_and_is_named() {
    let scene = learned(60);
    let before = current(&scene);
    put_query(&scene, "audit/rate", "select id, rate from staged_pattern order by id limit 1");
    let outcome = scene.run(&["run", "learn"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.error.contains("the audit `sql/audit/rate.sql` refused the new generation with 1 rows"), "{}", outcome.error);
    assert!(outcome.error.contains("cause: {\"id\":\"P-00"), "{}", outcome.error);
    assert_eq!((current(&scene), generations(&scene).len()), (before.clone(), 1));
    // The staged files can be looked at, until the next run.
    assert!(leftovers(&scene)[0].join("patterns.parquet").exists());
    fs::remove_dir_all(scene.workspace.queries()).expect("the query");
    // Without it the generation is again what a cycle would publish.
    scene.done(&["run", "learn"]);
    assert_eq!(current(&scene), before);
    assert_eq!(leftovers(&scene).len(), 0);
}

#[test]
fn a_broken_query_of_the_workspace_is_named_and_publishes_nothing() {
    let scene = learned(60);
    let before = current(&scene);
    let broken = [
        ("lesson", "selec id from learning", "syntax error"),
        ("rollup/evidence", "select nothing from nowhere", "nowhere"),
        ("audit/flag", "copy (select 1) to 'x'", "only queries"),
        ("lesson", "select 'an id' as id from learning", "no column `ts_us`"),
    ];
    for (name, sql, cause) in broken {
        put_query(&scene, name, sql);
        let outcome = scene.run(&["run", "learn"]);
        assert_eq!(outcome.code, 2, "{name}: {}", outcome.error);
        assert!(outcome.error.contains(&format!("sql/{name}.sql")), "{name}: {}", outcome.error);
        assert!(outcome.error.contains("remedy: correct the workspace's own file"), "{name}: {}", outcome.error);
        assert!(outcome.error.contains(cause), "{name}: {}", outcome.error);
        fs::remove_dir_all(scene.workspace.queries()).expect("the query");
    }
    assert_eq!((current(&scene), generations(&scene).len()), (before, 1));
}

#[test]
fn a_body_of_the_workspace_with_an_undeclared_need_is_named_with_its_line() {
    let scene = learned(60);
    let before = current(&scene);
    let header = "-- Lessons.\n-- Needs: landed_learning\n-- Makes: lesson (rows)\n-- Grain: (learning).\n";
    put_file(&scene, "lesson", &format!("{header}select id\nfrom landed_learning\ninner join goal on true"));
    for command in [&["run", "learn"][..], &["sql", "graph"]] {
        let outcome = scene.run(command);
        assert_eq!(outcome.code, 2, "{}", outcome.error);
        assert!(outcome.error.contains("`sql/lesson.sql` reads `goal`, which its header does not list"), "{}", outcome.error);
        assert!(outcome.error.contains("sql/lesson.sql:7"), "{}", outcome.error);
        assert!(outcome.error.contains("remedy: correct the workspace's own file"), "{}", outcome.error);
    }
    assert_eq!(current(&scene), before);
    // An analyst's file that makes nothing is nobody's business.
    fs::remove_dir_all(scene.workspace.queries()).expect("the query");
    put_file(&scene, "weekly", "select count(*) from nowhere");
    scene.done(&["run", "learn"]);
    // A file under a name of an earlier version would silently count for nothing.
    put_file(&scene, "timing", "select 1");
    let outcome = scene.run(&["run", "learn"]);
    assert!(outcome.error.contains("rename the workspace's own file to `sql/recent_timing.sql`"), "{}", outcome.error);
}

#[test]
fn a_body_may_read_another_one_of_the_workspace_and_audits_of_its_own_count() {
    let scene = learned(60);
    let header = |needs: &str, takes: &str, makes: &str| {
        format!("-- Own.\n-- Needs: {needs}\n-- Takes: {takes}\n-- Makes: {makes}\n-- Grain: (row).\n")
    };
    put_file(
        &scene,
        "own/refused",
        &(header("lake_quarantine", "", "own_refused (table)") + "select code, reason from lake_quarantine"),
    );
    let counted = "select code, count(*) as lines, min(reason) as example from own_refused group by code";
    put_file(&scene, "refusal", &(header("own_refused", "", "refusal (rows)") + counted));
    scene.done(&["run", "learn"]);
    put_file(&scene, "audit/own", &(header("", "staged_pattern", "audit_own (rows)") + "select id from staged_pattern"));
    let outcome = scene.run(&["run", "learn"]);
    assert_eq!(outcome.code, 1, "{}", outcome.error);
    assert!(outcome.error.contains("the audit `sql/audit/own.sql` refused"), "{}", outcome.error);
}
