//! Hooks in the settings of Claude Code: added beside what others wrote there, and taken out without a trace.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agent::hook::Event;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use store::workspace::Workspace;
use store::workspace::load_settings;
use tempfile::TempDir;

use crate::support::{Outcome, Scene, command};

/// The names of all hooks.
fn names() -> Vec<&'static str> {
    Event::ALL.iter().map(|event| event.name()).collect()
}

/// The command line of a hook, as it is written.
fn guarded(call: &str) -> String {
    format!("command -v outerloop >/dev/null || exit 0; {call}")
}

/// A project with a workspace.
struct Project {
    scene: Scene,
}

impl Project {
    fn new() -> Self {
        Self { scene: Scene::new() }
    }

    fn with(settings: &str) -> Self {
        let project = Self::new();
        fs::create_dir(project.folder()).expect("a folder");
        fs::write(project.file(), settings).expect("settings");
        project
    }

    fn folder(&self) -> PathBuf {
        self.scene.root().with_file_name(".claude")
    }

    fn file(&self) -> PathBuf {
        self.folder().join("settings.json")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).expect("settings")
    }

    fn add(&self) -> Value {
        json(&self.scene.done(&["init", "--claude=team", "--json"]))
    }

    fn remove(&self) -> Value {
        json(&self.scene.done(&["init", "--claude=team", "--remove", "--json"]))
    }
}

fn json(outcome: &Outcome) -> Value {
    let done: Value = serde_json::from_str(&outcome.out).expect("JSON");
    done["claude"].clone()
}

/// The commands under an event of settings without comments.
fn commands<'a>(settings: &'a Value, event: &str) -> Vec<&'a str> {
    let groups = settings["hooks"][event].as_array().expect("groups");
    let entries = groups.iter().flat_map(|group| group["hooks"].as_array().expect("entries"));
    entries.map(|entry| entry["command"].as_str().expect("a command")).collect()
}

/// Adds and removes, and gives the text in between.
#[track_caller]
fn there_and_back(settings: &str) -> String {
    let project = Project::with(settings);
    assert_eq!(project.add()["change"], "edited", "{settings}");
    let text = project.text();
    let again = project.add();
    assert_eq!(again["change"], "unchanged", "{text}");
    assert!(again["kept"].as_array().expect("hooks").iter().all(|kept| kept["differs"] == Value::Array(Vec::new())), "{again}");
    assert_eq!(again["kept"].as_array().map(Vec::len), Some(names().len()), "{again}");
    assert_eq!(project.text(), text);
    assert_eq!(project.remove()["removed"].as_array().map(Vec::len), Some(names().len()));
    assert_eq!(project.text(), settings);
    assert_eq!(project.remove()["change"], "unchanged");
    text
}

#[test]
fn a_project_without_settings_gets_a_file_of_our_hooks_and_loses_it_again() {
    let project = Project::new();
    let report = project.add();
    assert_eq!(report["change"], "created");
    assert_eq!(report["added"], serde_json::json!(names()));
    let settings: Value = serde_json::from_str(&project.text()).expect("JSON");
    for event in Event::ALL {
        let group = &settings["hooks"][event.title()][0];
        let command = guarded(&format!("outerloop hook {}", event.name()));
        assert_eq!(group["hooks"], serde_json::json!([{"type": "command", "command": command, "timeout": 2}]));
        let matcher = group["matcher"].as_str().unwrap_or_default();
        assert_eq!(matcher.contains("Bash"), event.title().contains("ToolUse"), "{event:?}: {matcher}");
    }
    assert_eq!(settings["hooks"].as_object().map(serde_json::Map::len), Some(names().len()));
    assert_eq!(fs::metadata(project.file()).expect("the file").permissions().mode() & 0o777, 0o644);
    assert_eq!(project.add()["change"], "unchanged");
    assert_eq!(project.remove()["change"], "deleted");
    assert!(!project.folder().exists());
    assert!(project.scene.root().is_dir(), "the workspace stays");
}

#[test]
fn a_workspace_that_is_made_with_hooks_is_called_after_its_project() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let project = folder.path().join("web \"shop\"");
    let root = project.join(".outerloop");
    let run = |arguments: &[&str]| {
        let outcome = crate::support::command(&root, arguments).output().expect("it runs");
        assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
    };
    run(&["init", "--claude=team"]);
    let settings = load_settings(&Workspace::at(&root)).expect("settings");
    assert_eq!(settings.project.as_deref(), Some("web \"shop\""));
    // Settings that a person has stay as they are.
    fs::write(root.join("outerloop.toml"), "").expect("settings");
    run(&["init", "--claude=team"]);
    assert_eq!(fs::read_to_string(root.join("outerloop.toml")).expect("a file"), "");
}

#[test]
fn a_folder_that_was_there_stays_when_our_file_goes() {
    let project = Project::new();
    fs::create_dir(project.folder()).expect("a folder");
    project.add();
    assert_eq!(project.remove()["change"], "deleted");
    assert!(project.folder().is_dir() && !project.file().exists());
    fs::write(project.folder().join("notes.md"), "mine").expect("a file");
    project.add();
    project.remove();
    assert!(project.folder().join("notes.md").is_file() && !project.file().exists());
}

#[test]
fn what_a_person_adds_to_our_file_keeps_it_from_being_removed() {
    let project = Project::new();
    project.add();
    fs::write(project.file(), project.text().replacen("{\n", "{\n  \"model\": \"x\", // mine\n", 1)).expect("settings");
    assert_eq!(project.remove()["change"], "edited");
    assert_eq!(project.text(), "{\n  \"model\": \"x\" // mine\n}\n");
}

#[test]
fn settings_of_others_stay_byte_for_byte() {
    let text = there_and_back(
        r#"{
    // who may do what
    "permissions": {"allow": ["Bash(ls:*)"], "limit": 1.50e+3},
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash", /* theirs */
                "hooks": [ { "type": "command", "command": "lint" } ]
            } // the last one
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "echo outerloop hook session-start"}]}]
    }
}
"#,
    );
    assert!(
        text.contains(
            "            }, // the last one\n            {\"matcher\": \"Bash|Write|Edit|MultiEdit|NotebookEdit|Read|Agent|Task\""
        ),
        "{text}"
    );
    assert!(text.contains("session-start\"}]}, {\"hooks\": [{"), "{text}");
    assert!(text.contains("}]}],\n        \"SessionStart\": [{"), "{text}");
}

#[test]
fn tabs_line_ends_and_a_missing_final_newline_stay() {
    let text = there_and_back("{\r\n\t\"a\": 1,\r\n\t\"b\": [1,2]\r\n}");
    assert!(text.contains("[1,2],\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [{"), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert!(text.ends_with("\r\n\t}\r\n}"), "{text}");
}

#[test]
fn minified_settings_stay_on_one_line() {
    let text = there_and_back(r#"{"a":1,"hooks":{"Notification":[]}}"#);
    assert!(
        text.starts_with(r#"{"a":1,"hooks":{"Notification":[],"SessionStart":[{"hooks":[{"type":"command","command":"#),
        "{text}"
    );
    // The only blanks stand in the commands.
    let blanks: usize = names().iter().map(|name| guarded(&format!("outerloop hook {name}")).matches(' ').count()).sum();
    assert_eq!((text.matches('\n').count(), text.matches(' ').count()), (0, blanks), "{text}");
}

#[test]
fn empty_settings_of_all_sorts_come_back_as_they_were() {
    for settings in [
        "",
        "\n",
        " \r\n",
        "// nothing yet",
        "// nothing yet\n",
        "/* a */ // b\r\n",
        "{}",
        "{}\n",
        "{}\r\n",
        "{ }",
        "{\n}\n",
        "{\n\n}",
        "{\n  // none\n}\n",
        "{/**/}",
        "  {}",
        "\u{feff}{}\n",
        "{\"hooks\":{}}",
        "{\"hooks\": { }}",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n  },\n}\n",
        "{\n  \"hooks\": { // none\n  }\n}\n",
        "{\n  \"hooks\": {\"SessionStart\": []}\n}\n",
        "{\n  \"hooks\": {\"SessionStart\": [ ], \"SessionEnd\": [\n]}\n}\n",
        "{\"hooks\":{\"SessionStart\":[/* c */]}}",
        "{\"a\": 1 // c\n}",
        "{\"a\": 1, // c\r}",
    ] {
        there_and_back(settings);
    }
}

#[test]
fn a_mark_at_the_start_of_the_file_and_its_permissions_stay() {
    let project = Project::with("\u{feff}{\"a\": 1}");
    fs::set_permissions(project.file(), fs::Permissions::from_mode(0o640)).expect("permissions");
    let mode = || fs::metadata(project.file()).expect("the file").permissions().mode() & 0o777;
    project.add();
    assert!(project.text().starts_with("\u{feff}{\"a\": 1, \"hooks\""));
    assert_eq!(mode(), 0o640);
    project.remove();
    assert_eq!((project.text().as_str(), mode()), ("\u{feff}{\"a\": 1}", 0o640));
}

#[test]
fn a_hook_that_a_person_altered_is_left_alone_and_named() {
    let altered = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/outerloop hook pre-tool-use", "timeout": 5}]}],
  "Stop": [{"hooks": [{"command": "FOO=1 outerloop hook session-end || true", "timeout": 2}]}]
}}"#;
    let project = Project::with(altered);
    let outcome = project.scene.done(&["init", "--claude=team", "--json"]);
    let report = json(&outcome);
    let added: Vec<&str> = names().into_iter().filter(|name| !["pre-tool-use", "session-end"].contains(name)).collect();
    assert_eq!(report["added"], serde_json::json!(added));
    let kept = serde_json::json!([
        {"hook": "pre-tool-use", "differs": ["matcher", "command", "timeout"]},
        {"hook": "session-end", "differs": ["event", "command"]},
    ]);
    assert_eq!(report["kept"], kept);
    assert!(outcome.error.contains("left the hook pre-tool-use") && outcome.error.contains("its own matcher, command, timeout"));
    let settings: Value = serde_json::from_str(&project.text()).expect("JSON");
    assert_eq!(commands(&settings, "PreToolUse"), ["/opt/outerloop hook pre-tool-use"]);
    assert_eq!(project.remove()["removed"].as_array().map(Vec::len), Some(names().len()));
    assert_eq!(project.text(), "{}");
}

#[test]
fn only_our_entries_leave_a_group_that_is_shared() {
    let project = Project::with(
        "{\"hooks\": {\"SessionEnd\": [\n  {\"hooks\": [{\"command\": \"a\"}, {\"command\": \"outerloop hook session-end\"}, // ours\n  \
         {\"command\": \"b\"}]},\n  {\"hooks\": [{\"command\": \"outerloop hook session-end\"}]}, // twice\n  7]}}",
    );
    assert_eq!(project.remove()["removed"], serde_json::json!(["session-end"]));
    assert_eq!(
        project.text(),
        "{\"hooks\": {\"SessionEnd\": [\n  {\"hooks\": [{\"command\": \"a\"}, // ours\n  {\"command\": \"b\"}]}, // twice\n  7]}}"
    );
}

#[test]
fn a_cut_never_draws_what_follows_into_a_comment() {
    let project = Project::with(
        "{\"a\": 1, // one\n\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"outerloop hook session-end\"}]}]}, \"b\": 2}",
    );
    project.remove();
    assert_eq!(project.text(), "{\"a\": 1, // one\n \"b\": 2}");
}

#[test]
fn settings_that_cannot_be_edited_are_refused_with_their_place() {
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    for (settings, what, place) in [
        ("{\n  \"a\": tru\n}", "the settings are not valid JSON", ":2:8"),
        ("{'a': 1}", "the settings are not valid JSON", ":1:2"),
        ("{\"a\": 1 \"b\": 2}", "the settings are not valid JSON", ":1:8"),
        ("{} {}", "the settings are not valid JSON", ":1:4"),
        (&deep, "the settings are not valid JSON", ":1:"),
        ("// list\n [1]", "the settings are not a JSON object", ":2:2"),
        ("\"text\"", "the settings are not a JSON object", ":1:1"),
        ("{\"a\": 1,\n \"hooks\": [ ]}", "`hooks` is not an object", ":2:11"),
        ("{\"hooks\": null}", "`hooks` is not an object", ":1:11"),
        ("{\"hooks\": {\n\t\"SessionStart\": {}}}", "`hooks.SessionStart` is not an array", ":2:18"),
        ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` appears twice", ":1:15"),
        ("{\"hooks\": {\"SessionEnd\": [], \"Session\\u0045nd\": []}}", "`hooks.SessionEnd` appears twice", ":1:30"),
    ] {
        let project = Project::with(settings);
        for arguments in [&["init", "--claude=team"][..], &["init", "--claude=team", "--remove"]] {
            let outcome = project.scene.run(arguments);
            assert_eq!(outcome.code, 2, "{}", outcome.error);
            assert!(outcome.error.contains(what), "{}", outcome.error);
            let place = format!("settings.json{place}");
            assert!(outcome.error.contains(&place) && outcome.error.contains("remedy: "), "{place}: {}", outcome.error);
        }
        assert_eq!(project.text(), settings);
    }
}

#[test]
fn nothing_is_made_if_the_settings_are_refused() {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join(".claude")).expect("a folder");
    fs::write(folder.path().join(".claude/settings.json"), b"{\"a\": \"\xff\"}").expect("settings");
    let root = folder.path().join(".outerloop");
    let output = command(&root, &["init", "--claude=team"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the settings are not valid JSON"));
    assert!(!root.exists());
}

#[test]
fn settings_beyond_a_mebibyte_are_refused() {
    there_and_back(&format!("{{}}{}", " ".repeat((1 << 20) - 4000)));
    // With our hooks the second one would be too large to take them out again.
    for spaces in [1 << 20, (1 << 20) - 100] {
        let large = format!("{{}}{}", " ".repeat(spaces));
        let project = Project::with(&large);
        let outcome = project.scene.run(&["init", "--claude=team"]);
        assert_eq!(outcome.code, 2);
        assert!(outcome.error.contains("larger than 1 MiB"), "{}", outcome.error);
        assert_eq!(project.text(), large);
    }
}

#[test]
fn links_are_not_followed() {
    let elsewhere = TempDir::new().expect("a folder");
    let victim = elsewhere.path().join("settings.json");
    fs::write(&victim, "{}").expect("a file");
    let refused = |project: &Project, what: &str| {
        let outcome = project.scene.run(&["init", "--claude=team"]);
        assert_eq!(outcome.code, 2, "{}", outcome.error);
        assert!(
            outcome.error.contains(what) && outcome.error.contains("name the file itself with --claude-settings"),
            "{}",
            outcome.error
        );
        assert_eq!(fs::read_to_string(&victim).expect("the file"), "{}");
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 1);
    };
    let file = Project::with("");
    fs::remove_file(file.file()).expect("the file");
    symlink(&victim, file.file()).expect("a link");
    refused(&file, "the settings are a symbolic link");
    let nowhere = Project::with("");
    fs::remove_file(nowhere.file()).expect("the file");
    symlink(elsewhere.path().join("none"), nowhere.file()).expect("a link");
    refused(&nowhere, "the settings are a symbolic link");
    let folder = Project::new();
    symlink(elsewhere.path(), folder.folder()).expect("a link");
    refused(&folder, "the folder of the settings is a symbolic link");
    let odd = Project::with("");
    fs::remove_file(odd.file()).expect("the file");
    fs::create_dir(odd.file()).expect("a folder");
    refused(&odd, "the settings are not a regular file");
    // The file that is renamed into place is no way out either.
    let staged = Project::with("{}");
    symlink(&victim, staged.folder().join("settings.json.tmp")).expect("a link");
    assert_ne!(staged.scene.run(&["init", "--claude=team"]).code, 0);
    assert_eq!((staged.text().as_str(), fs::read_to_string(&victim).expect("the file").as_str()), ("{}", "{}"));
}

#[test]
fn another_file_can_be_named() {
    let project = Project::with("{}");
    let local = project.folder().join("settings.local.json");
    let named = local.to_str().expect("a path");
    project.scene.done(&["init", "--claude=team", "--claude-settings", named]);
    assert_eq!(project.text(), "{}");
    assert!(fs::read_to_string(&local).expect("settings").contains("; outerloop hook session-start\""));
    project.scene.done(&["init", "--claude=team", "--claude-settings", named, "--remove"]);
    assert!(!local.exists());
    let outcome = project.scene.run(&["init", "--claude=team", "--claude-settings", nowhere!("/at/all.json")]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("there is no such folder"), "{}", outcome.error);
    assert_eq!(project.scene.run(&["init", "--claude-settings", named]).code, 2);
    assert_eq!(project.scene.run(&["init", "--remove"]).code, 2);
}

#[test]
fn settings_outside_of_the_project_name_the_workspace() {
    let project = Project::new();
    let inner = project.scene.root().with_file_name("inner");
    fs::create_dir_all(inner.join(".outerloop")).expect("a folder");
    let elsewhere = TempDir::new().expect("a folder");
    let named = format!("; outerloop --root '{}' hook session-start\"", project.scene.root().display());
    let way_out = format!("{}/../{}", project.scene.root().display(), "../".repeat(20));
    for (file, is_named) in [
        (elsewhere.path().join("settings.json"), true),
        (elsewhere.path().join(".claude/settings.json"), true),
        (PathBuf::from(format!("{way_out}{}/up.json", elsewhere.path().display())), true),
        (inner.join(".claude/settings.json"), true),
        (project.file(), false),
        (project.scene.root().with_file_name("settings.json"), false),
    ] {
        project.scene.done(&["init", "--claude=team", "--claude-settings", file.to_str().expect("a path")]);
        let text = fs::read_to_string(&file).expect("settings");
        let wanted = if is_named { &*named } else { "; outerloop hook session-start\"" };
        assert!(text.contains(wanted), "{}: {text}", file.display());
    }
}

#[test]
fn a_command_that_does_more_than_call_a_hook_is_left_and_named() {
    let compound = [
        "outerloop hook session-end && ./my-cleanup.sh",
        "command -v outerloop >/dev/null || exit 0; outerloop hook session-end && ./my-cleanup.sh",
        "outerloop hook session-end | tee log",
        "outerloop hook session-end; ./my-cleanup.sh",
        "outerloop hook session-end & ./my-cleanup.sh",
        "outerloop hook session-end || ./my-cleanup.sh",
        "outerloop hook session-end || true; ./my-cleanup.sh",
        "outerloop hook session-end\\n./my-cleanup.sh",
        "outerloop hook session-end # ours\\n./my-cleanup.sh",
        "outerloop hook session-end > >(./my-cleanup.sh)",
        "outerloop hook session-end <<EOF\\nx\\nEOF\\n",
    ];
    for command in compound {
        let settings = format!(
            "{{\"hooks\": {{\"SessionEnd\": [{{\"hooks\": [{{\"command\": \"{command}\"}}, {{\"command\": \"outerloop hook session-end\"}}]}}]}}}}"
        );
        let project = Project::with(&settings);
        let outcome = project.scene.done(&["init", "--claude=team", "--remove", "--json"]);
        let report = json(&outcome);
        assert_eq!(report["removed"], serde_json::json!(["session-end"]), "{command}");
        assert_eq!(report["kept"][0]["hook"], "session-end", "{report}");
        assert_eq!(project.text(), settings.replace(", {\"command\": \"outerloop hook session-end\"}", ""));
        assert!(outcome.error.contains("left the hook session-end in"), "{}", outcome.error);
        assert!(outcome.error.contains("its command contains more than the hook: `"), "{}", outcome.error);
        assert_eq!(project.remove()["change"], "unchanged");
    }
}

#[test]
fn a_command_with_redirections_or_a_remark_is_removed() {
    for command in [
        "outerloop hook session-end 2>/dev/null || true",
        "outerloop hook session-end >>log 2>&1 || : # never mind",
        "outerloop hook session-end &> 'a file; x' --json",
        "outerloop hook session-end </dev/null >| log 2>&-",
        "outerloop hook session-end # and ./my-cleanup.sh\\n\\n  # more\\n",
    ] {
        let settings = format!("{{\"hooks\": {{\"SessionEnd\": [{{\"hooks\": [{{\"command\": \"{command}\"}}]}}]}}}}");
        let project = Project::with(&settings);
        let report = project.remove();
        assert_eq!((&report["removed"], &report["kept"]), (&serde_json::json!(["session-end"]), &Value::Null), "{command}");
        assert_eq!(project.text(), "{}", "{command}");
    }
}

/// A folder with a program of our name that says what it was called with.
fn program_that_tells(folder: &Path) -> PathBuf {
    let programs = folder.join("programs");
    fs::create_dir(&programs).expect("a folder");
    let program = programs.join("outerloop");
    fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\n").expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    programs
}

#[test]
fn a_workspace_elsewhere_is_named_so_that_a_shell_hands_it_over_whole() {
    let folder = TempDir::new().expect("a folder");
    let programs = program_that_tells(folder.path());
    let project = folder.path().join("project");
    fs::create_dir(&project).expect("a folder");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    for name in ["it's a \"root\"", "$(touch pwned) `touch pwned`; x & \\", "plain"] {
        let root = folder.path().join(name);
        let run = |arguments: &[&str]| {
            let output = command(&root, arguments).current_dir(&project).env("PATH", &path).output().expect("the program starts");
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stderr).expect("text")
        };
        assert!(!run(&["init", "--claude=team"]).contains("is not on the PATH"));
        let text = fs::read_to_string(project.join(".claude/settings.json")).expect("settings");
        let settings: Value = serde_json::from_str(&text).expect("JSON");
        for (event, hook) in [("SessionStart", "session-start"), ("SessionEnd", "session-end")] {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(commands(&settings, event)[0]).env("PATH", &path).current_dir(&project).stdin(Stdio::null());
            let output = shell.output().expect("a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), format!("<--root><{}><hook><{hook}>", root.display()));
        }
        assert!(run(&["init", "--claude=team"]).contains("the hooks are already in"));
        run(&["init", "--claude=team", "--remove"]);
        assert!(!project.join(".claude").exists() && !project.join("pwned").exists());
    }
}

#[test]
fn a_program_that_hooks_would_not_find_is_noted() {
    let folder = TempDir::new().expect("a folder");
    let output = command(&folder.path().join(".outerloop"), &["init", "--claude=team"])
        .env("PATH", nowhere!())
        .output()
        .expect("the program");
    assert!(String::from_utf8_lossy(&output.stderr).contains("`outerloop` is not on the PATH"));
}

/// Blanks and comments, as people and tools leave them.
fn blank() -> BoxedStrategy<String> {
    let plain = ["", " ", "\n", "\r\n", "\n  ", "\n    ", "\r\n\t", "\t", "\n\n  ", "\r", "  \n"];
    let comments = [
        "/**/",
        " /* \"hooks\": {, } */ ",
        "// it's {\n",
        " // x\r\n",
        "\n  // outerloop hook session-start\n  ",
        "/* a\n */",
        "// y\r",
    ];
    prop_oneof![6 => prop::sample::select(plain.to_vec()), 1 => prop::sample::select(comments.to_vec())]
        .prop_map(str::to_owned)
        .boxed()
}

fn key(name: &'static str, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (blank(), blank(), value).prop_map(move |(before, behind, value)| format!("\"{name}\"{before}:{behind}{value}")).boxed()
}

/// Members between brackets, with blanks around them and perhaps a comma at the end.
fn enclosed(open: char, members: Vec<BoxedStrategy<String>>, close: char) -> BoxedStrategy<String> {
    let members: Vec<_> = members.into_iter().map(|member| (blank(), member, blank())).collect();
    let render = move |(members, inner, is_trailing, last): (Vec<(String, String, String)>, String, bool, String)| {
        if members.is_empty() {
            return format!("{open}{inner}{close}");
        }
        let members: Vec<String> =
            members.into_iter().map(|(before, member, behind)| format!("{before}{member}{behind}")).collect();
        let end = if is_trailing { format!(",{last}") } else { String::new() };
        format!("{open}{}{end}{close}", members.join(","))
    };
    (members, blank(), prop::bool::weighted(0.2), blank()).prop_map(render).boxed()
}

fn some_of(members: Vec<BoxedStrategy<String>>, open: char, close: char) -> BoxedStrategy<String> {
    let most = members.len();
    let indices: Vec<usize> = (0..most).collect();
    let chosen = prop::sample::subsequence(indices, 0..=most).prop_shuffle();
    chosen
        .prop_flat_map(move |chosen| enclosed(open, chosen.into_iter().map(|index| members[index].clone()).collect(), close))
        .boxed()
}

fn literal() -> BoxedStrategy<String> {
    let spellings = [
        "1.50e+3",
        "-0",
        "1E2",
        "true",
        "null",
        "\"\"",
        "\"a\\u0041\\n // no comment\"",
        "\"ü , ] }\"",
        "\"outerloop hook session-end\"",
    ];
    prop::sample::select(spellings.to_vec()).prop_map(str::to_owned).boxed()
}

fn group() -> BoxedStrategy<String> {
    let commands = ["\"lint\"", "\"echo outerloop hook session-start\"", "\"outerloop status\"", "7"];
    let entry = some_of(
        vec![
            key("type", literal()),
            key("command", prop::sample::select(commands.to_vec()).prop_map(str::to_owned).boxed()),
            key("timeout", literal()),
        ],
        '{',
        '}',
    );
    let entries = some_of(vec![entry.clone(), entry, literal()], '[', ']');
    prop_oneof![5 => some_of(vec![key("matcher", literal()), key("hooks", entries)], '{', '}'), 1 => literal()].boxed()
}

fn settings() -> BoxedStrategy<String> {
    let groups = || some_of(vec![group(), group()], '[', ']');
    let events = ["SessionStart", "SubagentStart", "PreToolUse", "SubagentStop", "SessionEnd", "Stop"];
    let mut members: Vec<BoxedStrategy<String>> = events.iter().map(|event| key(event, groups())).collect();
    members.push(key("other", literal()));
    let list = enclosed('[', vec![literal(), literal()], ']');
    let root = some_of(vec![key("hooks", some_of(members, '{', '}')), key("a", literal()), key("a", list)], '{', '}');
    let value = prop_oneof![12 => root, 1 => Just(String::new())];
    let mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    (mark, blank(), value, blank()).prop_map(|(mark, before, value, behind)| format!("{mark}{before}{value}{behind}")).boxed()
}

/// Whether a text is made of another one by insertions alone.
fn holds_in_order(text: &str, inner: &str) -> bool {
    let mut letters = text.chars();
    inner.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

proptest! {
    #![proptest_config(Config { cases: 96, failure_persistence: None, ..Config::default() })]

    #[test]
    fn whatever_the_settings_look_like_adding_and_removing_leaves_them_as_they_were(settings in settings()) {
        let text = there_and_back(&settings);
        prop_assert!(holds_in_order(&text, &settings), "{text}");
    }
}
