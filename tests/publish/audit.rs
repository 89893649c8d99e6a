//! Audits and queries of the workspace's own: what keeps a generation from being published, and how it is told.

use std::fs;

use crate::support::published::{current, generations, learned, leftovers, put_query};

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
    scene.done(&["run", "learn"]);
    assert_ne!(current(&scene), before);
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
