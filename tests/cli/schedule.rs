//! What `outerloop schedule` writes, starts, refuses and takes back. The programs it calls are scripts that note what they
//! were asked; what it writes for systemd is judged by systemd itself.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Scene;

/// Notes its arguments; fails with the text in a file named after what was asked, if there is one.
const SYSTEMCTL: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
state=${0%/*}/..
echo "$*" >> "$state/asked"
if [ -f "$state/fails-$2" ]; then cat "$state/fails-$2" >&2; exit 1; fi
"#;

/// Keeps the crontab in a file.
const CRONTAB: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
state=${0%/*}/..
if [ -f "$state/fails$1" ]; then cat "$state/fails$1" >&2; exit 1; fi
case $1 in
    -l) [ -f "$state/tab" ] || { echo "no crontab for me" >&2; exit 1; }; cat "$state/tab" ;;
    -) cat > "$state/tab"; echo write >> "$state/asked" ;;
esac
"#;

/// A user with a home, and with those programs that the test gives them.
struct User {
    folder: TempDir,
}

struct Said {
    code: Option<i32>,
    out: String,
    error: String,
}

impl User {
    fn with(programs: &[(&str, &str)]) -> Self {
        let user = Self { folder: TempDir::new().expect("a temporary folder") };
        fs::create_dir(user.folder.path().join("bin")).expect("a folder");
        for (name, text) in programs {
            make_program(&user.path("bin").join(name), text);
        }
        user
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    fn run(&self, mut command: Command) -> Said {
        if command.get_envs().all(|(name, _)| name != "XDG_CONFIG_HOME") {
            command.env_remove("XDG_CONFIG_HOME");
        }
        command.env("HOME", self.path("home")).env("PATH", self.path("bin"));
        let output = command.stdin(Stdio::null()).output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Said { code: output.status.code(), out: text(&output.stdout), error: text(&output.stderr) }
    }

    fn schedule(&self, scene: &Scene, arguments: &[&str]) -> Said {
        self.run(scene.command(&[&["schedule"], arguments].concat()))
    }

    #[track_caller]
    fn done(&self, scene: &Scene, arguments: &[&str]) -> Said {
        let said = self.schedule(scene, arguments);
        assert_eq!(said.code, Some(0), "{arguments:?} failed:\n{}", said.error);
        said
    }

    fn unit_folder(&self) -> PathBuf {
        self.path("home/.config/systemd/user")
    }

    /// The units that are there, in order of their names.
    fn units(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.unit_folder()) else { return Vec::new() };
        let mut units: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
        units.sort();
        units
    }
}

/// Another process writes it: had this one a file open for writing while another test starts a program, the script could not
/// be started ("text file busy").
fn make_program(path: &Path, text: &str) {
    let mut command = Command::new("sh");
    command.args(["-c", r#"cat > "$0" && chmod 755 "$0""#]).arg(path).stdin(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    child.stdin.take().expect("stdin is piped").write_all(text.as_bytes()).expect("the shell reads");
    assert!(child.wait().expect("the shell ends").success());
}

/// systemd's own judgement of units: nothing to say, or what is wrong with them.
#[track_caller]
fn assert_systemd_accepts(units: &[PathBuf]) {
    assert!(!units.is_empty(), "there are no units to judge");
    let runtime = TempDir::new().expect("a temporary folder");
    let mut command = Command::new("systemd-analyze");
    command.args(["--user", "verify"]).args(units).env("XDG_RUNTIME_DIR", runtime.path());
    let output = command.output().expect("systemd-analyze judges the units: install it, with the package `systemd`");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("outerloop"), "{said}");
}

#[test]
fn print_shows_the_units_and_the_lines_and_touches_nothing() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL), ("crontab", CRONTAB)]));
    let units = user.done(&scene, &["print", "--systemd"]).out;
    for wanted in ["@hourly.timer\n", "OnCalendar=", "Persistent=true", "@weekly.service\n", "ProtectSystem=strict", " run %i\n"] {
        assert!(units.contains(wanted), "{wanted} in {units}");
    }
    let lines = user.done(&scene, &["print", "--cron"]).out;
    assert!(lines.starts_with("# outerloop begin /") && lines.contains(" run daily "), "{lines}");
    let json: Value = serde_json::from_str(&user.done(&scene, &["print", "--systemd", "--json"]).out).expect("JSON");
    assert_eq!(json["units"].as_array().expect("a list").len(), 6);
    let json: Value = serde_json::from_str(&user.done(&scene, &["print", "--cron", "--json"]).out).expect("JSON");
    assert_eq!(json["crontab"], lines);
    assert!(!user.path("home").exists() && !user.path("asked").exists() && !user.path("tab").exists());
}

#[test]
fn install_writes_units_that_systemd_accepts_and_starts_the_timers() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    let said = user.done(&scene, &["install", "--systemd", "--json"]);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&json["started"], json["next"].as_array().map(Vec::len)), (&Value::Bool(true), Some(0)));
    assert_eq!(user.units().len(), 6);
    assert_systemd_accepts(&user.units());
    let asked = user.read("asked");
    let asked: Vec<&str> = asked.lines().collect();
    assert!(asked[0] == "--user daemon-reload" && asked[1].starts_with("--user enable --now outerloop-"), "{asked:?}");
    assert_eq!((asked.len(), asked[1].matches(".timer").count(), asked[1].matches(".service").count()), (2, 3, 0));
    let before: Vec<_> = user.units().into_iter().map(fs::read).map(Result::ok).collect();
    user.done(&scene, &["install", "--systemd"]);
    assert_eq!(user.units().into_iter().map(fs::read).map(Result::ok).collect::<Vec<_>>(), before);
}

#[test]
fn systemd_accepts_units_whose_paths_have_spaces_quotes_and_percent_signs() {
    for name in ["a b", "50% off %h %%", "$HOME", r#"it's "quoted" \ here"#, "@ROOT@ ünï", "ends \\"] {
        let (folder, user) = (TempDir::new().expect("a temporary folder"), User::with(&[("systemctl", SYSTEMCTL)]));
        let project = folder.path().join(name);
        fs::create_dir(&project).expect("a folder");
        let program = project.join("outerloop");
        // By another process, for the reason that `make_program` gives.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_outerloop")).arg(&program).status();
        assert!(copied.expect("cp starts").success());
        for arguments in [&["init"][..], &["schedule", "install", "--systemd"]] {
            let mut command = Command::new(&program);
            command.arg("--root").arg(project.join(".outerloop")).args(arguments);
            let said = user.run(command);
            assert_eq!(said.code, Some(0), "{name}: {}", said.error);
        }
        assert_systemd_accepts(&user.units());
        // systemd looks for the program that it was told of: it must miss one that is gone, unless a shell starts it.
        fs::remove_file(&program).expect("the program");
        let service = user.units().remove(0);
        let verified =
            Command::new("systemd-analyze").args(["--user", "verify"]).arg(&service).env("XDG_RUNTIME_DIR", "/tmp").output();
        let said = String::from_utf8_lossy(&verified.expect("systemd-analyze starts").stderr).into_owned();
        let by_shell = name.contains(['"', '\\']);
        assert!(by_shell || said.contains(&format!("{} is not executable", program.display())), "{name}: {said}");
    }
}

#[test]
fn jobs_may_write_into_the_folders_that_the_settings_name() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    let (copies, figures) = (user.path("my copies"), user.path("figures"));
    fs::create_dir(&copies).expect("a folder");
    let (to, file) = (copies.join("org-patterns.toon"), figures.join("outerloop.prom"));
    let settings =
        format!("[[publish.targets]]\nto = {to:?}\n[[publish.targets]]\nto = \"own.toon\"\n[metrics]\nfile = {file:?}\n");
    fs::write(scene.workspace.settings(), settings).expect("settings");
    let said = user.done(&scene, &["install", "--systemd"]);
    let service = fs::read_to_string(&user.units()[0]).expect("a service");
    let wanted = format!("/.outerloop\" \"-{}\" \"-{}\"\n", figures.display(), copies.display());
    assert!(service.contains(&wanted), "{wanted} in {service}");
    assert!(said.error.contains(&format!("create the folder {}", figures.display())), "{}", said.error);
    assert!(!said.error.contains("my copies"), "{}", said.error);
    assert_systemd_accepts(&user.units());
}

#[test]
fn without_an_answer_from_systemd_install_says_what_to_run_and_succeeds() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    user.write("fails-daemon-reload", "Failed to connect to bus: No medium found\n");
    let said = user.done(&scene, &["install", "--systemd", "--json"]);
    for wanted in ["No medium found", "\n  systemctl --user daemon-reload\n", "\n  systemctl --user enable --now outerloop-"] {
        assert!(said.error.contains(wanted), "{wanted} in {}", said.error);
    }
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&json["started"], json["next"].as_array().map(Vec::len)), (&Value::Bool(false), Some(2)));
    assert_systemd_accepts(&user.units());
    // The same without the program.
    let (scene, user) = (Scene::new(), User::with(&[]));
    let said = user.done(&scene, &["install", "--systemd"]);
    assert!(said.error.contains("systemctl --user enable --now") && user.units().len() == 6, "{}", said.error);
}

#[test]
fn units_go_where_the_environment_says_that_settings_are() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    let mut command = scene.command(&["schedule", "install", "--systemd"]);
    command.env("XDG_CONFIG_HOME", user.path("elsewhere"));
    assert_eq!(user.run(command).code, Some(0));
    assert!(user.units().is_empty() && user.path("elsewhere/systemd/user").is_dir());
}

#[test]
fn remove_without_an_answer_from_systemd_deletes_the_units_and_says_what_to_run() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    user.done(&scene, &["install", "--systemd"]);
    user.write("fails-disable", "Failed to connect to bus: No medium found\n");
    let said = user.done(&scene, &["remove", "--systemd"]);
    assert!(
        said.error.contains("No medium found") && said.error.contains("\n  systemctl --user stop outerloop-"),
        "{}",
        said.error
    );
    assert!(user.units().is_empty());
}

#[test]
fn a_systemd_that_answers_but_does_not_start_the_timers_is_an_error() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    user.write("fails-enable", "Unit is masked.\n");
    let said = user.schedule(&scene, &["install", "--systemd"]);
    assert_eq!(said.code, Some(75));
    assert!(said.error.contains("Unit is masked.") && said.error.contains("remedy: "), "{}", said.error);
}

#[test]
fn install_never_writes_over_a_unit_that_someone_else_wrote() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    user.done(&scene, &["install", "--systemd"]);
    let (first, last) = (user.units().remove(0), user.units().pop().expect("a unit"));
    fs::write(&last, "# Mine\n[Timer]\n").expect("a unit");
    fs::remove_file(&first).expect("a unit");
    let said = user.schedule(&scene, &["install", "--systemd"]);
    assert_eq!(said.code, Some(2));
    assert!(said.error.contains(&last.display().to_string()) && said.error.contains("remedy: "), "{}", said.error);
    assert!(fs::read_to_string(&last).is_ok_and(|text| text == "# Mine\n[Timer]\n") && !first.exists());
    // A masked unit is a link.
    fs::remove_file(&last).expect("a unit");
    symlink("/dev/null", &last).expect("a link");
    assert_eq!(user.schedule(&scene, &["install", "--systemd"]).code, Some(2));
    user.done(&scene, &["remove", "--systemd"]);
    assert!(last.is_symlink());
}

#[test]
fn remove_deletes_the_units_of_this_workspace_and_nothing_else() {
    let (scene, other, user) = (Scene::new(), Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    user.done(&other, &["install", "--systemd"]);
    let others = user.units();
    user.done(&scene, &["install", "--systemd"]);
    let own: Vec<PathBuf> = user.units().into_iter().filter(|path| !others.contains(path)).collect();
    assert_eq!(own.len(), 6);
    let foreign = own[0].with_file_name(own[0].file_name().expect("a name").to_string_lossy().replace("@daily", "@mine"));
    fs::write(&foreign, "# Mine\n").expect("a unit");
    let wants = user.unit_folder().join("timers.target.wants");
    fs::create_dir(&wants).expect("a folder");
    let link = wants.join(own[1].file_name().expect("a name"));
    symlink(&own[1], &link).expect("a link");
    user.write("asked", "");
    user.done(&scene, &["remove", "--systemd"]);
    let asked = user.read("asked");
    let asked: Vec<&str> = asked.lines().collect();
    assert!(asked[0].starts_with("--user disable --now outerloop-") && asked[1] == "--user daemon-reload", "{asked:?}");
    assert!(!link.is_symlink() && foreign.is_file() && others.iter().all(|path| path.is_file()));
    assert_eq!(user.units().len(), others.len() + 1);
    let again = user.done(&scene, &["remove", "--systemd", "--json"]);
    assert!(again.out.contains("\"removed\":[]") && again.error.contains("--cron looks"), "{}{}", again.out, again.error);
}

#[test]
fn install_again_drops_the_units_of_jobs_that_are_no_longer_scheduled() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL)]));
    user.done(&scene, &["install", "--systemd"]);
    let timer = user.units().into_iter().find(|path| path.to_string_lossy().ends_with("@daily.timer")).expect("a timer");
    let old = PathBuf::from(timer.to_string_lossy().replace("@daily.", "@old."));
    fs::copy(&timer, &old).expect("a unit of a job that was");
    let said = user.done(&scene, &["install", "--systemd", "--json"]);
    assert!(said.out.contains("@old.timer\"]") && !old.exists() && timer.exists(), "{}", said.out);
    assert!(user.read("asked").lines().any(|line| line.starts_with("--user disable --now") && line.ends_with("@old.timer")));
}

#[test]
fn what_was_scheduled_can_be_taken_back_after_the_workspace_is_gone() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL), ("crontab", CRONTAB)]));
    user.done(&scene, &["install", "--systemd"]);
    user.done(&scene, &["install", "--cron"]);
    fs::remove_dir_all(scene.root()).expect("the workspace");
    assert_eq!(user.schedule(&scene, &["install", "--systemd"]).code, Some(2));
    user.done(&scene, &["remove", "--systemd"]);
    user.done(&scene, &["remove", "--cron"]);
    assert!(user.units().is_empty() && user.read("tab").is_empty());
}

#[test]
fn the_rest_of_a_crontab_is_kept_byte_for_byte() {
    let (scene, other, user) = (Scene::new(), Scene::new(), User::with(&[("crontab", CRONTAB)]));
    let mine = "MAILTO=me\n# outerloop begin\n\n0 1 * * *  echo 100\\%\t\n";
    user.write("tab", mine);
    user.done(&other, &["install", "--cron"]);
    let before = user.read("tab");
    assert!(before.starts_with(mine) && before.len() > mine.len());
    user.done(&scene, &["install", "--cron"]);
    let after = user.read("tab");
    assert_eq!(after, before.clone() + &user.done(&scene, &["print", "--cron"]).out);
    user.write("asked", "");
    let again = user.done(&scene, &["install", "--cron", "--json"]);
    assert!(again.out.contains("\"changed\":false") && user.read("tab") == after && user.read("asked").is_empty());
    user.done(&scene, &["remove", "--cron"]);
    assert_eq!(user.read("tab"), before);
    user.done(&other, &["remove", "--cron"]);
    assert_eq!(user.read("tab"), mine);
    let nothing = user.done(&scene, &["remove", "--cron"]);
    assert!(nothing.error.contains("no block"), "{}", nothing.error);
}

#[test]
fn a_first_crontab_is_made_and_an_unreadable_or_damaged_one_is_left_alone() {
    let (scene, user) = (Scene::new(), User::with(&[("crontab", CRONTAB)]));
    user.done(&scene, &["install", "--cron"]);
    let whole = user.read("tab");
    let damaged = whole.replace("# outerloop end ", "# the end of ");
    user.write("tab", &damaged);
    for action in ["install", "remove"] {
        let said = user.schedule(&scene, &[action, "--cron"]);
        assert!(said.code == Some(2) && said.error.contains("crontab -e"), "{}", said.error);
    }
    assert_eq!(user.read("tab"), damaged);
    user.write("tab", "0 1 * * * mine\n");
    user.write("fails-l", "you are not allowed to use this program\n");
    let said = user.schedule(&scene, &["install", "--cron"]);
    assert!(said.code == Some(2) && said.error.contains("not allowed"), "{}", said.error);
    assert_eq!(user.read("tab"), "0 1 * * * mine\n");
}

#[test]
fn without_a_crontab_program_the_remedy_is_to_print_the_lines() {
    let (scene, user) = (Scene::new(), User::with(&[]));
    for action in ["install", "remove"] {
        let said = user.schedule(&scene, &[action, "--cron"]);
        assert!(said.code == Some(2) && said.error.contains("outerloop schedule print --cron"), "{}", said.error);
    }
    assert!(user.done(&scene, &["print", "--cron"]).out.contains(" run weekly "));
}

#[test]
fn without_a_choice_systemd_is_taken_where_it_is_and_the_choice_is_said() {
    let (scene, user) = (Scene::new(), User::with(&[("systemctl", SYSTEMCTL), ("crontab", CRONTAB)]));
    let said = user.done(&scene, &["install"]);
    assert!(said.error.starts_with("using systemd,") && user.units().len() == 6 && user.read("tab").is_empty(), "{}", said.error);
    let user = User::with(&[("crontab", CRONTAB)]);
    let said = user.done(&scene, &["install"]);
    assert!(said.error.starts_with("using cron,") && user.units().is_empty() && !user.read("tab").is_empty(), "{}", said.error);
    assert_eq!(user.schedule(&scene, &["print", "--systemd", "--cron"]).code, Some(2));
}

#[test]
fn a_path_with_a_line_break_is_refused() {
    let (folder, user) = (TempDir::new().expect("a temporary folder"), User::with(&[("crontab", CRONTAB)]));
    let root = folder.path().join("two\nlines");
    assert_eq!(user.run(crate::support::command(&root, &["init"])).code, Some(0));
    for method in ["--cron", "--systemd"] {
        let said = user.run(crate::support::command(&root, &["schedule", "print", method]));
        assert!(said.code == Some(2) && said.error.contains("line break"), "{}", said.error);
    }
}
