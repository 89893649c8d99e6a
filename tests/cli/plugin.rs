//! The plugin, as the client itself judges it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::client::play::Client;
use agent::hook::Event;
use serde_json::{Value, json};
use tempfile::TempDir;

fn make(folder: &Path, options: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
    let output = command.arg("plugin").arg(folder).args(options).arg("--json").output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let done: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    done["files"].as_array().expect("files").iter().map(|file| file.as_str().expect("a name").to_owned()).collect()
}

/// The client that `./dev test` provides, of the version that `tests/client/packages.txt` pins.
fn client() -> PathBuf {
    Client::pinned().program
}

fn json_of(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(name)).expect("a file")).expect("JSON")
}

#[test]
fn a_plugin_holds_hooks_server_and_commands() {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("plugin");
    let files = make(&folder, &[]);
    assert_eq!(files.len(), 9);
    assert!(files.iter().all(|file| folder.join(file).is_file()));
    let hooks = json_of(&folder, "hooks/hooks.json");
    for event in Event::ALL {
        let entry = &hooks["hooks"][event.title()][0]["hooks"][0];
        assert_eq!(entry["timeout"], 2, "{event:?}");
        let command = entry["command"].as_str().expect("a command");
        assert!(command.starts_with("command -v outerloop >/dev/null || exit 0; "), "{command}");
        assert!(command.ends_with(&format!("outerloop hook {}", event.name())), "{command}");
    }
    let server = &json_of(&folder, ".mcp.json")["mcpServers"]["outerloop"];
    assert_eq!(server, &json!({"command": "outerloop", "args": ["mcp"]}));
    // Again, and with the program inside.
    assert_eq!(make(&folder, &["--copy-program"]).len(), 10);
    assert_eq!(json_of(&folder, ".mcp.json")["mcpServers"]["outerloop"]["command"], "${CLAUDE_PLUGIN_ROOT}/bin/outerloop");
    let command = json_of(&folder, "hooks/hooks.json")["hooks"]["SessionStart"][0]["hooks"][0]["command"].clone();
    assert_eq!(command, "\"${CLAUDE_PLUGIN_ROOT}/bin/outerloop\" hook session-start");
    let copy = folder.join("bin/outerloop");
    assert_eq!(fs::metadata(&copy).expect("a program").permissions().mode() & 0o777, 0o755);
    let output = Command::new(&copy).arg("--version").output().expect("the copy runs");
    assert!(output.status.success());
    make(&folder, &[]);
    assert!(!copy.exists(), "a copy that is not wanted any more grows old");
}

#[test]
fn a_folder_that_holds_something_else_is_refused() {
    let home = TempDir::new().expect("a folder");
    fs::write(home.path().join("notes.md"), "mine").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
    let output = command.arg("plugin").arg(home.path()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("remedy: name a folder that is empty"));
    assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 1);
}

#[test]
fn every_slash_command_calls_commands_that_exist() {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("plugin");
    for file in make(&folder, &[]).iter().filter(|file| file.starts_with("commands/")) {
        let text = fs::read_to_string(folder.join(file)).expect("text");
        assert!(text.starts_with("---\ndescription: "), "{file}");
        let calls: Vec<&str> = text.split('`').filter(|part| part.starts_with("outerloop ")).collect();
        assert!(!calls.is_empty(), "{file}");
        for call in calls {
            let words: Vec<&str> = call.split(' ').skip(1).take_while(|word| word.starts_with(char::is_lowercase)).collect();
            let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
            let output = command.args(&words).arg("--help").output().expect("it runs");
            assert!(output.status.success(), "{file}: {call}");
        }
    }
}

#[test]
fn the_client_accepts_the_plugin() {
    let home = TempDir::new().expect("a folder");
    for options in [&[][..], &["--copy-program"]] {
        let folder = home.path().join(format!("plugin-{}", options.len()));
        make(&folder, options);
        let mut client = Command::new(client());
        client.env_clear().env("HOME", home.path()).env("TMPDIR", home.path()).env("PATH", "/usr/bin:/bin");
        client.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        let output = client.args(["plugin", "validate", "--strict"]).arg(&folder).output().expect("the client runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("Validation passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
        for part in ["hooks: SessionStart", "mcpServers: outerloop", "commands: outerloop:status", "commands: outerloop:review"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
