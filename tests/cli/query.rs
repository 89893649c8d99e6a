//! `outerloop query` as an analyst uses it: formats by ending, several statements, errors that help, the shell, and other users.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Scene, command};

fn scene() -> Scene {
    let scene = Scene::new();
    let lines: Vec<String> = (0..60)
        .map(|number| format!("{{\"kind\":\"build\",\"ts\":\"2026-05-01T10:00:00Z\",\"run_id\":\"r{number}\",\"passed\":true}}\n"))
        .collect();
    scene.land("a.jsonl", lines.concat().as_bytes());
    scene.done(&["run", "compact"]);
    scene
}

#[test]
fn a_files_ending_picks_its_format_also_in_the_current_folder() {
    let scene = scene();
    let folder = scene.root().parent().expect("a folder").to_owned();
    let ask = |name: &str, more: &[&str]| {
        let mut asked = command(scene.root(), &[&["query", "select count(*) as n from build", "-o", name], more].concat());
        asked.current_dir(&folder).output().expect("it starts")
    };
    for (name, content) in [("n.csv", "n\n60\n"), ("n.json", "[{\"n\":60}]\n"), ("n.jsonl", "{\"n\":60}\n")] {
        let output = ask(name, &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_to_string(folder.join(name)).expect("the file"), content);
        assert_eq!(fs::metadata(folder.join(name)).expect("the file").permissions().mode() & 0o444, 0o444);
    }
    assert!(ask("n.parquet", &[]).status.success() && fs::read(folder.join("n.parquet")).expect("it").starts_with(b"PAR1"));
    let unknown = ask("n.xls", &[]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains(".parquet") && !folder.join("n.xls").exists());
    assert!(ask("n.xls", &["--format", "csv"]).status.success());
}

#[test]
fn several_statements_run_in_turn_and_never_into_one_file() {
    let scene = scene();
    let both = "select 1 as one; -- and\nselect ';' as two;";
    let out = scene.done(&["query", both]).out;
    assert!(out.contains("one") && out.contains("two"), "{out}");
    for more in [&["--format", "csv"][..], &["-o", "x.csv"]] {
        let refused = scene.run(&[&["query", both], more].concat());
        assert_eq!(refused.code, 2);
        assert!(refused.error.contains("2 statements make as many tables"), "{}", refused.error);
    }
    assert!(scene.run(&["query", " ; -- nothing"]).error.contains("there is no query"));
}

#[test]
fn an_unknown_table_names_all_and_the_one_that_is_meant() {
    let scene = scene();
    let refused = scene.run(&["query", "select * from outcom"]);
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("did you mean `outcome`?"), "{}", refused.error);
    for table in ["application", "pattern_day", "adapter_day", "quarantine", "history", "truth_verdict"] {
        assert!(refused.error.contains(table), "{}", refused.error);
    }
    assert!(!refused.error.contains("lake_"), "{}", refused.error);
}

/// What the program shows on a terminal of 80 columns that gets these keys.
fn on_terminal(scene: &Scene, arguments: &str, keys: &str) -> String {
    let program = command(scene.root(), &[]);
    let started =
        format!("stty cols 80 rows 24; {} --root {} {arguments}", program.get_program().display(), scene.root().display());
    let mut script = Command::new("script");
    script.args(["-qec", &started, "/dev/null"]).env("TERM", "xterm").env_remove("COLUMNS").env("HOME", scene.root());
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script starts");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(keys.as_bytes()).expect("the keys");
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn on_a_terminal_the_shell_answers_and_remembers() {
    let scene = scene();
    let keys = ".tables\r.schema buil\r.schema build\rselect count(*) as n\rfrom build;\r.history\r.quit\r";
    let shown = on_terminal(&scene, "query", keys);
    assert!(shown.contains("pattern_day") && shown.contains("did you mean `build`?"), "{shown}");
    assert!(shown.contains("passed") && shown.contains("boolean"), "{shown}");
    assert!(shown.contains("60") && shown.contains("(1 row)"), "{shown}");
    let history = fs::read_to_string(scene.root().join("history/queries.txt")).expect("the history");
    assert!(
        history.contains(".schema build") && history.contains("from build;") && shown.matches(".schema build").count() >= 2,
        "{history}"
    );
}

#[test]
fn on_a_terminal_tables_leave_out_what_does_not_fit() {
    let scene = scene();
    let shown = on_terminal(&scene, "query 'from build'", "");
    assert!(shown.lines().all(|line| line.trim_end().chars().count() <= 80), "{shown}");
    assert!(shown.contains('…') && shown.contains("(60 rows (40 shown),"), "{shown}");
    assert_eq!(scene.done(&["query", "from build"]).out.lines().count(), 62, "a pipe gets all rows");
}

/// Takes or gives back the right to write.
fn set_writable(folder: &Path, is_writable: bool) {
    let (file_mode, folder_mode) = if is_writable { (0o644, 0o755) } else { (0o444, 0o555) };
    for entry in fs::read_dir(folder).expect("a list").flatten().filter(|entry| !entry.path().is_symlink()) {
        if entry.path().is_dir() {
            set_writable(&entry.path(), is_writable);
        } else {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(file_mode)).expect("its mode");
        }
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(folder_mode)).expect("its mode");
}

/// A user to whom modes of files apply: root has to give up what lets it pass them.
fn ordinary(asked: &Command) -> Command {
    if !rustix::process::getuid().is_root() {
        let mut plain = Command::new(asked.get_program());
        plain.args(asked.get_args());
        return plain;
    }
    let mut limited = Command::new("setpriv");
    limited.args(["--bounding-set", "-dac_override,-dac_read_search", "--"]).arg(asked.get_program()).args(asked.get_args());
    limited
}

#[test]
fn who_may_only_read_the_workspace_can_query_it() {
    let scene = scene();
    scene.done(&["query", "select 1"]);
    for has_lock in [true, false] {
        if !has_lock {
            fs::remove_file(scene.root().join("readers")).expect("the lock");
        }
        set_writable(scene.root(), false);
        let asked = command(scene.root(), &["query", "--format", "csv", "select count(*) as n from build"]);
        let output = ordinary(&asked).current_dir("/").output().expect("it starts");
        set_writable(scene.root(), true);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && output.stdout == b"n\n60\n", "{has_lock}: {said}");
        assert!(has_lock || !scene.root().join("readers").exists(), "it could write");
    }
}
