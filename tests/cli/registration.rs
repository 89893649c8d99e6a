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
    assert_eq!(staged, "main.rs\n");
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

/// Runs a step of ClosedLoop's pipeline that writes into the folder of lessons.
fn write_changed(project: &Project) -> bool {
    let mut step = command(&project.path(".outerloop"), &["closedloop", "changed_files", "--start-sha", "HEAD"]);
    step.current_dir(project.folder.path()).env("CLOSEDLOOP_WORKDIR", project.folder.path()).env("CLOSEDLOOP_RUN_ID", "r1");
    let ran = step.output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    project.path(".learnings/changed-files.json").is_file()
}

fn commit(project: &Project) {
    fs::write(project.path("main.rs"), "fn main() {}\n").expect("a file");
    project.git(&["add", "main.rs"]);
    project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "first"]);
}

#[test]
fn whoever_makes_the_folder_of_lessons_makes_it_ignore_itself() {
    let project = Project::new();
    commit(&project);
    assert!(command(&project.path(".outerloop"), &["init"]).output().expect("it runs").status.success());
    assert!(write_changed(&project));
    assert_eq!(project.text(".learnings/.gitignore"), "*\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_link_in_the_place_of_the_folder_of_lessons_makes_nobody_elses_folder_ignore_itself() {
    let project = Project::new();
    commit(&project);
    assert!(command(&project.path(".outerloop"), &["init"]).output().expect("it runs").status.success());
    let elsewhere = TempDir::new().expect("a folder");
    std::os::unix::fs::symlink(elsewhere.path(), project.path(".learnings")).expect("a link");
    write_changed(&project);
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
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

#[test]
fn settings_get_no_hooks_beside_a_plugin() {
    for way in ["own", "team"] {
        let project = Project::new();
        project.run(&["init", "--claude=plugin"]);
        let mut refused = command(&project.path(".outerloop"), &["init", &format!("--claude={way}")]);
        let output = refused.current_dir(project.folder.path()).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("every hook would run twice") && error.contains("init --claude=plugin --remove"), "{error}");
        assert!(!project.path(".claude").exists() && !project.path(".mcp.json").exists());
        assert!(project.run(&["init", "--claude"])["plugin"].is_string(), "it is renewed");
        project.run(&["init", "--claude=plugin", "--remove"]);
        project.run(&["init", &format!("--claude={way}")]);
    }
}

#[test]
fn whoever_removes_hooks_is_told_which_stay() {
    let project = Project::new();
    project.run(&["init", "--claude=own"]);
    project.run(&["init", "--claude=team"]);
    let mut remove = command(&project.path(".outerloop"), &["init", "--claude", "--remove"]);
    let output = remove.current_dir(project.folder.path()).output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    let team = project.path(".claude/settings.json");
    let said = format!("the hooks in {} stay; remove them with: outerloop init --claude=team --remove", team.display());
    assert!(error.contains(&said), "{error}");
    assert!(!project.path(".claude/settings.local.json").exists() && team.is_file());
    assert_eq!(project.run(&["init", "--claude=own", "--remove"])["stay"], json!([team]));
    assert_eq!(project.run(&["init", "--claude=team", "--remove"])["stay"], Value::Null);
    assert!(!team.exists());
}

#[test]
fn own_settings_are_kept_from_git_and_given_back() {
    let project = Project::new();
    let list = project.path(".git/info/exclude");
    for before in [Some("# theirs\n*.log\n"), None] {
        match before {
            Some(text) => fs::write(&list, text).expect("a file"),
            None => fs::remove_dir_all(project.path(".git/info")).expect("a folder"),
        }
        for _ in 0..2 {
            project.run(&["init", "--claude"]);
            assert_eq!(project.git(&["status", "--porcelain"]), "");
            let text = fs::read_to_string(&list).expect("a list");
            assert_eq!(text, before.unwrap_or_default().to_owned() + "# outerloop init --claude\n/.claude/settings.local.json\n");
        }
        project.run(&["init", "--claude", "--remove"]);
        assert_eq!(fs::read_to_string(&list).expect("a list"), before.unwrap_or_default());
    }
}

#[test]
fn a_linked_work_tree_and_a_folder_inside_keep_own_settings_from_git() {
    let project = Project::new();
    commit(&project);
    let trees = TempDir::new().expect("a folder");
    let tree = trees.path().join("tree");
    project.git(&["worktree", "add", "--quiet", tree.to_str().expect("a path")]);
    for folder in [tree.clone(), tree.join("in ner")] {
        fs::create_dir_all(&folder).expect("a folder");
        let init = |arguments: &[&str]| {
            let mut command = command(Path::new(".outerloop"), arguments);
            let output = command.current_dir(&folder).output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        let untracked = || {
            let output =
                Command::new("git").arg("-C").arg(&tree).args(["status", "--porcelain", "-uall"]).output().expect("git runs");
            String::from_utf8(output.stdout).expect("text")
        };
        init(&["init", "--claude=own"]);
        assert_eq!(untracked(), "", "{}", folder.display());
        init(&["init", "--claude=own", "--remove"]);
        assert!(!project.text(".git/info/exclude").contains("outerloop"));
    }
}

#[test]
fn settings_that_git_knows_and_those_of_a_team_are_not_excluded() {
    let project = Project::new();
    fs::create_dir(project.path(".claude")).expect("a folder");
    fs::write(project.path(".claude/settings.local.json"), "{}").expect("settings");
    project.git(&["add", "-A"]);
    let before = project.text(".git/info/exclude");
    project.run(&["init", "--claude=own"]);
    project.run(&["init", "--claude=team"]);
    assert_eq!(project.text(".git/info/exclude"), before);
    let ignored = Project::new();
    fs::write(ignored.path(".gitignore"), ".claude\n").expect("a file");
    ignored.run(&["init", "--claude"]);
    assert_eq!(ignored.text(".git/info/exclude"), before);
}
