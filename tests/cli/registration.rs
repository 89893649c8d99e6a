//! The ways in which Claude Code gets to know Outerloop: own settings, team settings, a plugin; and what git sees of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agent::hook::Event;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Scene, command};

/// A project in git, without a workspace yet.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: TempDir::new().expect("a folder") };
        project.git(&["init", "--quiet"]);
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Value {
        let mut command = command(&self.path(".outerloop"), arguments);
        let output = command.arg("--json").current_dir(self.folder.path()).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(self.folder.path()).args(arguments).output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }
}

/// A settings file as the first version wrote it.
const FORMER: &str = r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "outerloop hook session-start", "timeout": 10}]}],
    "SubagentStart": [{"hooks": [{"type": "command", "command": "outerloop hook subagent-start", "timeout": 10}]}],
    "PreToolUse": [{"matcher": "Bash|Write|Edit|MultiEdit|NotebookEdit", "hooks": [{"type": "command", "command": "outerloop hook pre-tool-use", "timeout": 10}]}],
    "SubagentStop": [{"hooks": [{"type": "command", "command": "outerloop hook subagent-stop", "timeout": 30}]}],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "outerloop hook session-end", "timeout": 30}]}]
  }
}
"#;

#[test]
fn git_neither_commits_nor_cleans_what_is_ours() {
    let project = Project::new();
    fs::write(project.path("main.rs"), "fn main() {}\n").expect("a file");
    project.run(&["init", "--claude"]);
    fs::create_dir_all(project.path(".learnings/pending")).expect("a folder");
    fs::write(project.path(".learnings/pending/a.json"), "{}").expect("a file");
    project.git(&["add", "-A"]);
    let staged = project.git(&["diff", "--cached", "--name-only"]);
    assert_eq!(staged, ".claude/settings.local.json\nmain.rs\n");
    project.git(&["clean", "-fdq"]);
    assert!(project.path(".outerloop/outerloop.toml").is_file() && project.path(".outerloop/inbox").is_dir());
    assert!(project.path(".learnings/pending/a.json").is_file());
}

#[test]
fn a_workspace_of_an_earlier_version_ignores_itself_with_the_next_job() {
    let scene = Scene::new();
    let ignored = scene.root().join(".gitignore");
    assert_eq!(fs::read_to_string(&ignored).expect("a file"), "*\n");
    fs::remove_file(&ignored).expect("a file");
    scene.done(&["run", "compact"]);
    assert_eq!(fs::read_to_string(&ignored).expect("a file"), "*\n");
    // Whoever commits the settings says so in this file, and is not overruled.
    fs::write(&ignored, "*\n!outerloop.toml\n").expect("a file");
    scene.done(&["init"]);
    scene.done(&["run", "compact"]);
    assert_eq!(fs::read_to_string(&ignored).expect("a file"), "*\n!outerloop.toml\n");
}

#[test]
fn lessons_that_agents_leave_are_ignored_when_they_are_captured() {
    let project = Project::new();
    let made = command(&project.path(".outerloop"), &["init"]).output().expect("it runs");
    assert!(made.status.success() && !project.path(".learnings").exists(), "no folder is made that names the project");
    fs::create_dir_all(project.path(".learnings/pending")).expect("a folder");
    let captured = command(&project.path(".outerloop"), &["capture"]).current_dir(project.folder.path()).output().expect("it runs");
    assert!(captured.status.success());
    assert_eq!(project.text(".learnings/.gitignore"), "*\n");
}

#[test]
fn the_default_is_the_users_own_settings() {
    let project = Project::new();
    let report = project.run(&["init", "--claude"]);
    assert_eq!(report["claude"]["file"], json!(project.path(".claude/settings.local.json")));
    assert!(!project.path(".claude/settings.json").exists() && !project.path(".mcp.json").exists());
    let report = project.run(&["init", "--claude", "--remove"]);
    assert_eq!(report["claude"]["change"], "deleted");
    assert!(!project.path(".claude").exists());
}

#[test]
fn hooks_of_the_first_version_are_upgraded_where_they_are() {
    let project = Project::new();
    fs::create_dir(project.path(".claude")).expect("a folder");
    fs::write(project.path(".claude/settings.json"), FORMER).expect("settings");
    let report = project.run(&["init", "--claude"]);
    let former = ["session-start", "subagent-start", "pre-tool-use", "subagent-stop", "session-end"];
    assert_eq!(report["claude"]["upgraded"], json!(former));
    assert_eq!(report["claude"]["file"], json!(project.path(".claude/settings.json")));
    assert!(!project.path(".claude/settings.local.json").exists(), "nothing runs twice");
    let fresh = Project::new();
    fresh.run(&["init", "--claude=team"]);
    assert_eq!(project.text(".claude/settings.json"), fresh.text(".claude/settings.json"));
    assert_eq!(project.run(&["init", "--claude"])["claude"]["change"], "unchanged");
    project.run(&["init", "--claude", "--remove"]);
    assert!(!project.path(".claude").exists() && !project.path(".mcp.json").exists());
}

#[test]
fn an_upgrade_leaves_what_others_wrote_and_what_a_person_altered() {
    let project = Project::new();
    fs::create_dir(project.path(".claude")).expect("a folder");
    let theirs = "{\n  \"model\": \"x\", // mine\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"command\": \"lint\"}]}]\n  }\n}\n";
    fs::write(project.path(".claude/settings.json"), theirs).expect("settings");
    project.run(&["init", "--claude=team"]);
    // As the first version would have left it, but for one hook that a person gave more time.
    let with_former = theirs.replace(
        "\"lint\"}]}]\n",
        "\"lint\"}]}],\n    \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"outerloop hook session-start\", \
         \"timeout\": 10}]}],\n    \"SessionEnd\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"outerloop hook session-end\", \
         \"timeout\": 99}]}]\n",
    );
    fs::write(project.path(".claude/settings.json"), with_former).expect("settings");
    let report = project.run(&["init", "--claude=team"]);
    assert_eq!(report["claude"]["upgraded"], json!(["session-start"]));
    let kept = &report["claude"]["kept"];
    assert_eq!(kept, &json!([{"hook": "session-end", "differs": ["command", "timeout"]}]));
    assert!(project.text(".claude/settings.json").contains("\"timeout\": 99"));
    project.run(&["init", "--claude", "--remove"]);
    assert_eq!(project.text(".claude/settings.json"), theirs);
}

#[test]
fn servers_of_others_stay_byte_for_byte() {
    for servers in [
        "{}",
        "{ }",
        "{\"mcpServers\": {}}",
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"other\", \"args\": [\"mcp\"]} // theirs\n  },\n}\n",
        "{\n\t\"mcpServers\":{\"a\":{\"command\":\"a\"}},\n\t\"x\":1\n}",
        "{\"x\": [1, 2]}\r\n",
        "",
        "// nothing yet\n",
    ] {
        let project = Project::new();
        fs::write(project.path(".mcp.json"), servers).expect("servers");
        assert_eq!(project.run(&["init", "--claude=team"])["mcp"]["added"], json!(["outerloop"]), "{servers}");
        let text = project.text(".mcp.json");
        assert!(text.contains("\"outerloop\"") && text.contains("[\"mcp\"]"), "{text}");
        assert_eq!(project.run(&["init", "--claude=team"])["mcp"]["change"], "unchanged", "{text}");
        assert_eq!(project.run(&["init", "--claude=team", "--remove"])["mcp"]["removed"], json!(["outerloop"]), "{text}");
        assert_eq!(project.text(".mcp.json"), servers);
    }
}

#[test]
fn a_server_of_our_name_that_is_not_ours_is_left_and_named() {
    let project = Project::new();
    let theirs = "{\"mcpServers\": {\"outerloop\": {\"command\": \"npx\", \"args\": [\"their-outerloop\"]}}}";
    fs::write(project.path(".mcp.json"), theirs).expect("servers");
    let report = project.run(&["init", "--claude=team"]);
    assert_eq!(report["mcp"]["kept"], json!([{"hook": "outerloop", "differs": ["command"]}]));
    project.run(&["init", "--claude=team", "--remove"]);
    assert_eq!(project.text(".mcp.json"), theirs);
}

#[test]
fn servers_that_cannot_be_edited_are_refused_before_anything_is_made() {
    for servers in ["[1]", "{\"mcpServers\": []}", "{\"mcpServers\": {\"outerloop\": {}, \"outerloop\": {}}}", "{"] {
        let project = Project::new();
        fs::write(project.path(".mcp.json"), servers).expect("servers");
        let mut command = command(&project.path(".outerloop"), &["init", "--claude=team"]);
        let output = command.current_dir(project.folder.path()).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{servers}: {error}");
        assert!(error.contains(".mcp.json:") && error.contains("remedy: "), "{error}");
        assert!(!project.path(".outerloop").exists() && !project.path(".claude").exists());
        assert_eq!(project.text(".mcp.json"), servers);
    }
}

#[test]
fn a_hook_is_silent_where_the_program_is_missing_and_runs_where_it_is_not() {
    let project = Project::new();
    project.run(&["init", "--claude=team"]);
    let settings: Value = serde_json::from_str(&project.text(".claude/settings.json")).expect("JSON");
    let programs = project.path("programs");
    fs::create_dir(&programs).expect("a folder");
    for event in Event::ALL {
        let line = settings["hooks"][event.title()][0]["hooks"][0]["command"].as_str().expect("a command");
        let run = |path: &Path| {
            let mut shell = Command::new("/bin/sh");
            let output = shell.arg("-c").arg(line).env("PATH", path).stdin(Stdio::null()).output().expect("a shell");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
        };
        assert_eq!(run(&programs), (Some(0), String::new()), "{line}");
        let program = programs.join("outerloop");
        fs::write(&program, "#!/bin/sh\necho called $*\n").expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
        assert_eq!(run(&programs), (Some(0), format!("called hook {}\n", event.name())));
        fs::remove_file(program).expect("a script");
    }
}

/// A client that notes what it is asked.
fn client(folder: &Path, answer: &str) -> String {
    let script = format!("#!/bin/sh\necho \"$@\" >> \"{}/asked\"\n{answer}\n", folder.display());
    let program = folder.join("claude");
    fs::write(&program, script).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    format!("{}:/usr/bin:/bin", folder.display())
}

#[test]
fn the_client_is_asked_to_note_the_server_for_this_user_alone() {
    for (answer, said) in [
        ("exit 0", "registered the MCP server in Claude Code's local scope"),
        ("echo MCP server outerloop already exists >&2; exit 1", "already registered"),
        ("echo no >&2; exit 3", "is not registered: exit status: 3: no; to give agents its tools"),
    ] {
        let project = Project::new();
        let programs = TempDir::new().expect("a folder");
        let path = client(programs.path(), answer);
        let run = |arguments: &[&str]| {
            let mut command = command(&project.path(".outerloop"), arguments);
            let output = command.env("PATH", &path).current_dir(project.folder.path()).output().expect("it runs");
            assert!(output.status.success());
            String::from_utf8(output.stderr).expect("text")
        };
        let error = run(&["init", "--claude"]);
        assert!(error.contains(said), "{error}");
        run(&["init", "--claude", "--remove"]);
        let asked = fs::read_to_string(programs.path().join("asked")).expect("a file");
        assert_eq!(asked, "mcp add --scope local outerloop -- outerloop mcp\nmcp remove --scope local outerloop\n");
    }
}

#[test]
fn a_plugin_is_made_and_removed_and_never_beside_hooks_in_settings() {
    let project = Project::new();
    let plugin = project.path(".outerloop/plugin");
    assert_eq!(project.run(&["init", "--claude=plugin"])["plugin"], json!(plugin));
    assert!(!project.path(".claude").exists() && !project.path(".mcp.json").exists());
    assert!(plugin.join(".claude-plugin/plugin.json").is_file());
    fs::write(plugin.join("notes.md"), "mine").expect("a file");
    assert_eq!(project.run(&["init", "--claude", "--remove"])["plugin"], json!(plugin));
    let left: Vec<_> = fs::read_dir(&plugin).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left, ["notes.md"], "what somebody put there stays");
    project.run(&["init", "--claude=own"]);
    let mut refused = command(&project.path(".outerloop"), &["init", "--claude=plugin"]);
    let output = refused.current_dir(project.folder.path()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("every hook would run twice"));
}
