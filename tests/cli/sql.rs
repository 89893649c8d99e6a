//! `outerloop sql`: the graph of the program's SQL.

use serde_json::Value;

use crate::support::published::{current, learned, put_file};
use crate::support::{Outcome, Scene, command};

#[test]
fn the_graph_lists_each_table_after_those_that_it_needs() {
    let scene = Scene::new();
    let shown = scene.done(&["sql", "graph", "merge_evidence"]).out;
    let place = |name: &str| shown.find(&format!("\n{name} (")).unwrap_or_else(|| panic!("{name} is missing in {shown}"));
    assert!(place("application") < place("subject") && place("attribution") < place("outcome"), "{shown}");
    assert!(place("alike") < place("rollup_evidence") && place("rollup_evidence") < place("merge_evidence"), "{shown}");
    assert!(!shown.contains("policy_total"), "{shown}");
    let whole = scene.done(&["sql", "graph"]).out;
    assert!(whole.contains("policy_total (rows, body, sql/policy/total.sql)\n    needs policy_run\n"), "{whole}");
    let json: Vec<Value> = serde_json::from_str(&scene.done(&["sql", "graph", "--format", "json"]).out).expect("JSON");
    assert!(
        json.iter().any(|node| node["name"] == "explanation" && node["takes"][0] == "$pattern" && node["stem"] == "explanation")
    );
    assert!(scene.done(&["sql", "graph", "outcome", "--format", "dot"]).out.contains("attribution -> outcome;"));
}

#[test]
fn a_table_shows_its_text_and_an_unknown_one_is_refused() {
    let scene = Scene::new();
    assert!(scene.done(&["sql", "show", "run"]).out.contains("as is_denied"));
    assert!(scene.done(&["sql", "show", "outcome"]).out.contains("-- Makes: outcome (view)"));
    assert!(scene.done(&["sql", "show", "attribution"]).out.contains("-- Made by: program"));
    for command in [&["sql", "show", "nothing_like_it"][..], &["sql", "graph", "nothing_like_it"]] {
        let outcome = scene.run(command);
        assert_eq!(outcome.code, 2);
        assert!(outcome.error.contains("there is no table `nothing_like_it`"), "{}", outcome.error);
    }
}

#[test]
fn a_generation_names_its_program_and_explain_says_when_another_one_made_it() {
    let scene = learned(60);
    let current = scene.workspace.current();
    let read = |name: &str| std::fs::read_to_string(current.join(name)).expect("a file");
    let manifest: Value = serde_json::from_str(&read("manifest.json")).expect("JSON");
    let report: Value = serde_json::from_str(&read("report.json")).expect("JSON");
    for document in [&manifest, &report] {
        assert_eq!(document["program"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(document["program"]["commit"].as_str().is_some_and(|commit| !commit.is_empty()));
        assert!(document["queries"]["prelude/duckdb"].as_str().is_some_and(|hash| hash.len() == 64));
        assert!(document["queries"]["outcome"].as_str().is_some_and(|hash| hash.len() == 64));
    }
    assert!(read("report.md").contains("Program: "), "the report for people names it too");
    let found = scene.done(&["query", "select id from pattern order by id limit 1", "--format", "csv"]).out;
    let id = found.lines().nth(1).expect("a pattern");
    assert!(!scene.done(&["explain", id]).error.contains("changed since"));
    let path = current.join("manifest.json");
    let older =
        read("manifest.json").replacen(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")), "\"version\": \"0.0.1\"", 1);
    std::fs::write(&path, older).expect("a manifest");
    let told = scene.done(&["explain", id]).error;
    assert!(told.contains("note: the program (then 0.0.1 at commit ") && told.contains("figures may differ"), "{told}");
    // What it prints differs from a generation of another version by more than its figures.
    let verified = scene.done(&["run", "verify"]);
    assert!(format!("{}{}", verified.out, verified.error).contains("the program has changed since"), "{verified:?}");
}

#[test]
fn files_that_are_not_text_must_be_corrected_and_are_no_reason_to_retry() {
    let scene = Scene::new();
    let own = scene.workspace.queries().join("outcome.sql");
    for path in [scene.workspace.settings(), own] {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let before = std::fs::read(&path).ok();
        std::fs::write(&path, b"# caf\xe9\n").expect("a file");
        let outcome = scene.run(&["run", "hourly"]);
        assert!(outcome.code == 2 && outcome.error.contains("not UTF-8 text"), "{}: {}", outcome.code, outcome.error);
        match before {
            Some(bytes) => std::fs::write(&path, bytes).expect("a file"),
            None => std::fs::remove_file(&path).expect("gone"),
        }
    }
    scene.done(&["run", "hourly"]);
}

/// A workspace with a file of its own below `sql/`, made from the program's text.
fn with_own(scene: &Scene, name: &str, change: impl FnOnce(&str) -> String) -> String {
    let text = scene.done(&["sql", "show", name, "--builtin"]).out;
    let changed = change(&text);
    assert_ne!(text, changed, "the text of {name} is changed");
    put_file(scene, name, &changed);
    scene.workspace.queries().join(format!("{name}.sql")).display().to_string()
}

/// All that begins a cycle refuses a broken text of the workspace, as a configuration error that names its file and line; and
/// `doctor` finds it. Nothing is published.
#[track_caller]
fn assert_refused(scene: &Scene, place: &str, cause: &str) {
    let before = current(scene);
    for command in [&["run", "learn"][..], &["explain", "P-089"]] {
        let outcome = scene.run(command);
        assert_eq!(outcome.code, 2, "{command:?}: {}", outcome.error);
        assert!(outcome.error.contains(place) && outcome.error.contains(cause), "{command:?}: {}", outcome.error);
        assert!(outcome.error.contains("remedy: correct the workspace's own file"), "{command:?}: {}", outcome.error);
    }
    let doctor = scene.run(&["doctor"]);
    assert!(doctor.code == 2 && doctor.out.contains("bad  sql"), "{}", doctor.out);
    assert!(doctor.out.contains(place) && doctor.out.contains(cause), "{}", doctor.out);
    assert_eq!(current(scene), before);
}

#[test]
fn an_own_body_with_other_columns_is_refused_before_publishing() {
    let scene = learned(60);
    let place = with_own(&scene, "outcome", |text| text.replace("    named.tier,\n", ""));
    assert_refused(&scene, &format!("{place}:1"), "it yields no column `tier`, which the program's own yields");
    with_own(&scene, "outcome", |text| {
        text.replace("    shown.iteration,\n", "    cast(shown.iteration as integer) as iteration,\n")
    });
    assert_refused(&scene, &place, "it yields `iteration` as Int32");
    // More columns do no harm, nor does another order.
    with_own(&scene, "outcome", |text| text.replace("    named.tier,\n", "    1 as one,\n    named.tier,\n"));
    scene.done(&["run", "learn"]);
    assert!(scene.done(&["doctor"]).out.contains("1 tables and questions of the workspace's own, all valid"));
}

#[test]
fn an_own_body_that_makes_another_form_is_refused_in_its_own_file() {
    let scene = learned(60);
    let place = with_own(&scene, "outcome", |text| text.replace("outcome (view)", "outcome (rows)"));
    let makes = std::fs::read_to_string(&place).expect("a file").lines().position(|line| line.starts_with("-- Makes:"));
    let place = format!("{place}:{}", makes.expect("the line") + 1);
    assert_refused(&scene, &place, "`sql/outcome.sql` makes rows, but other queries read `outcome` as a view");
    with_own(&scene, "outcome", |text| text.replace("outcome (view)", "outcome (table)"));
    scene.done(&["run", "learn"]);
}

#[test]
fn bad_sql_of_a_workspace_is_named_with_its_line() {
    let scene = learned(600);
    let place = with_own(&scene, "outcome", |text| text.replace("    named.tier,\n", "    named.tier_of,\n"));
    let line = scene.done(&["sql", "show", "outcome", "--builtin"]).out.lines().position(|line| line == "    named.tier,");
    let line = line.expect("the line") + 1;
    assert_refused(&scene, &format!("{place}:{line}"), "tier_of");
    with_own(&scene, "outcome", |text| text.replace("    named.tier,\n", "    named.tier,,\n"));
    assert_refused(&scene, &format!("{place}:{line}"), "syntax error");
    // What only data shows is blamed on the file that was read, not on the query that read it.
    with_own(&scene, "outcome", |text| {
        text.replace("    shown.project,\n", "    concat(shown.project, cast(shown.id as bigint)) as project,\n")
    });
    let outcome = scene.run(&["run", "learn"]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
    assert!(outcome.error.contains(&place) && outcome.error.contains("Could not convert"), "{}", outcome.error);
}

#[test]
fn an_own_prelude_is_refused_with_its_file_and_line() {
    let scene = learned(60);
    let name = "prelude/duckdb";
    let lines = scene.done(&["sql", "show", name, "--builtin"]).out;
    let line = |wanted: &str| lines.lines().position(|line| line == wanted).expect("the line") + 1;
    let view = "create view goal as\nselect *, epoch_us(ts) as ts_us from lake_goal;";
    let place = with_own(&scene, name, |text| text.replace(view, &view.replace("epoch_us(ts)", "epoch_uss(ts)")));
    assert_refused(&scene, &format!("{place}:{}", line("create view goal as") + 1), "epoch_uss");
    with_own(&scene, name, |text| text.replace(view, &view.replace(" as ts_us", " as time_us")));
    assert_refused(&scene, &place, "it yields no column `ts_us`");
    with_own(&scene, name, |text| text.replace("create view goal as", "create view gaol as"));
    assert_refused(&scene, &place, "says that it makes `goal`, but creates another");
    with_own(&scene, name, |text| {
        let (begin, rest) = text.split_once("-- Whether a goal was met.").expect("the view");
        format!("{begin}{}", rest.split_once(";\n").expect("its end").1)
    });
    assert_refused(&scene, &format!("{place}:1"), "does not create the view `goal`");
    with_own(&scene, name, |text| format!("\u{feff}{text}\n-- The end.\n"));
    scene.done(&["run", "learn"]);
}

#[test]
fn the_programs_text_can_be_had_for_a_file_that_the_shell_has_emptied() {
    let scene = learned(60);
    put_file(&scene, "outcome", "");
    let outcome = scene.run(&["sql", "show", "outcome"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("`sql/outcome.sql` is empty") && outcome.error.contains("--builtin"), "{}", outcome.error);
    assert!(!outcome.error.contains("also:"), "{}", outcome.error);
    let text = scene.done(&["sql", "show", "outcome", "--builtin"]).out;
    put_file(&scene, "outcome", &text);
    assert_eq!(scene.done(&["sql", "show", "sql/outcome.sql"]).out, text);
    scene.done(&["run", "learn"]);
    assert!(scene.done(&["sql", "show", "prelude", "--builtin"]).out.contains("create view run as"));
}

#[test]
fn an_own_body_may_use_what_the_engine_understands_and_reads_no_files() {
    let scene = learned(60);
    let own = |body: &str| format!("-- Own.\n-- Needs: run\n-- Makes: own_result (table)\n-- Grain: (row).\n{body}");
    for body in [
        "select * from (pivot run on success in (true, false) using count(*) group by project)",
        "select column_name from (describe run)",
        "select $$from nowhere$$ as text, $tag$it's$tag$ as other from run",
    ] {
        put_file(&scene, "own/result", &own(body));
        let doctor = scene.done(&["doctor"]).out;
        assert!(doctor.contains("1 tables and questions of the workspace's own, all valid"), "{body}: {doctor}");
    }
    put_file(&scene, "own/result", &own("select 1 from run\nunion all select 1 from read_parquet('lake/run/*/*.parquet')"));
    let place = scene.workspace.queries().join("own/result.sql");
    assert_refused(&scene, &format!("{}:6", place.display()), "reads files with `read_parquet`");
}

#[test]
fn a_decision_without_a_named_user_is_the_current_users() {
    let scene = learned(60);
    let found = scene.done(&["query", "select id from pattern order by id limit 1", "--format", "csv"]).out;
    let id = found.lines().nth(1).expect("a pattern");
    let decide = |variables: &[(&str, &str)]| {
        let mut command = command(scene.root(), &["patterns", "retire", id, "--reason", "a try"]);
        command.env_remove("USER").env_remove("LOGNAME").envs(variables.iter().copied());
        assert_eq!(Outcome::of(&command.output().expect("the program starts")).code, 0);
    };
    decide(&[]);
    decide(&[("USER", ""), ("LOGNAME", "lee")]);
    decide(&[("USER", "ann"), ("LOGNAME", "lee")]);
    let mut bare = command(scene.root(), &["lessons", "accept", "nothing", "--reason", "a try"]);
    let outcome = Outcome::of(&bare.env_remove("USER").env_remove("LOGNAME").output().expect("the program starts"));
    assert!(!outcome.error.contains("--actor"), "{}", outcome.error);
    scene.done(&["run", "compact"]);
    let who = scene.done(&["query", "select actor from curation where reason = 'a try' order by ts", "--format", "csv"]).out;
    let who: Vec<&str> = who.lines().skip(1).collect();
    assert!(who[0].starts_with("uid ") && who[1..] == ["lee", "ann"], "{who:?}");
}
