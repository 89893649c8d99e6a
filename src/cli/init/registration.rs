//! How Claude Code gets to know the hooks and the MCP server: by settings of one person, of a team, or by a plugin.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::Way;
use super::claude::{self, Report};
use super::exclude::{exclude, include};
use super::place::Project;
use super::shell;
use crate::plugin;
use crate::printer::Printer;
use crate::schedule;
use store::subprocess::{self, Allowance};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::plain_text;

/// The folder of the plugin in a workspace.
const PLUGIN: &str = "plugin";
/// What the client may take to note a server.
const CLIENT: Allowance = Allowance { time: Duration::from_secs(20), output_bytes: 64 << 10 };
/// What the client is asked, in the scope of one person and one project.
const ADD: [&str; 8] = ["mcp", "add", "--scope", "local", "outerloop", "--", "outerloop", "mcp"];
const REMOVE: [&str; 5] = ["mcp", "remove", "--scope", "local", "outerloop"];

/// What was registered or removed.
#[derive(Debug, Default)]
pub(super) struct Registration {
    hooks: Option<Report>,
    servers: Option<Report>,
    plugin: Option<PathBuf>,
    /// Settings and plugins of the project that still call our hooks.
    stay: Vec<PathBuf>,
    notes: Vec<String>,
}

/// What is to be registered, worked out and not written yet.
#[derive(Debug)]
pub(super) enum Plan {
    Settings {
        hooks: Box<claude::Plan>,
        /// The file of servers that a team shares; without one, the client is asked.
        servers: Option<Box<claude::Plan>>,
        /// Where the client is asked, unless the settings are elsewhere.
        project: Option<PathBuf>,
    },
    Plugin(PathBuf),
}

impl Registration {
    pub(super) fn plan(workspace: &Workspace, way: Way, named: Option<&Path>) -> Outcome<Plan> {
        let folder = workspace.root().join(PLUGIN);
        let has_plugin = named.is_none() && plugin::is_ours(&folder);
        if way == Way::Plugin || way == Way::AsBefore && has_plugin {
            let hooks = Project::of(workspace)?.settings(Way::AsBefore, None)?;
            if !claude::hooks_in(&hooks.file).is_empty() {
                return Err(runs_twice(&hooks.file, "remove the hooks first: outerloop init --claude --remove"));
            }
            return Ok(Plan::Plugin(folder));
        }
        if has_plugin {
            return Err(runs_twice(&folder, "remove the plugin first: outerloop init --claude=plugin --remove"));
        }
        let hooks = Project::of(workspace)?.settings(way, named)?;
        let is_shared = named.is_none() && hooks.is_shared();
        let hooks = Box::new(hooks.plan()?);
        let servers = is_shared.then(|| Project::of(workspace)?.servers()?.plan().map(Box::new)).transpose()?;
        let project = (named.is_none() && !is_shared).then(|| Project::of(workspace).map(|project| project.folder)).transpose()?;
        Ok(Plan::Settings { hooks, servers, project })
    }

    /// Takes out what is registered: of the way that is named, else of one person before that of the team.
    pub(super) fn remove(workspace: &Workspace, way: Way, named: Option<&Path>) -> Outcome<Self> {
        let mut removed = Self::default();
        let plugin = workspace.root().join(PLUGIN);
        if matches!(way, Way::Plugin | Way::AsBefore) && named.is_none() && plugin::remove(&plugin)? {
            removed.notes.push(format!("removed the plugin {}", plugin.display()));
            removed.plugin = Some(plugin);
        }
        if way != Way::Plugin {
            removed.remove_settings(workspace, way, named)?;
        }
        removed.tell_rest(workspace)?;
        Ok(removed)
    }

    fn remove_settings(&mut self, workspace: &Workspace, way: Way, named: Option<&Path>) -> Outcome<()> {
        let hooks = Project::of(workspace)?.settings(way, named)?;
        let is_shared = hooks.is_shared();
        self.hooks = Some(hooks.remove()?);
        if named.is_some() {
            return Ok(());
        }
        if is_shared {
            let servers = Project::of(workspace)?.servers()?.remove()?;
            self.servers = servers.has_removed().then_some(servers);
        } else {
            self.give_back_to_git(&Project::of(workspace)?.settings_file(Way::Own));
            let project = Project::of(workspace)?.folder;
            if ask_client(&project, &REMOVE).is_ok_and(|is_done| is_done) {
                self.notes.push("removed the MCP server from Claude Code's local scope".to_owned());
            }
        }
        Ok(())
    }

    /// Keeps settings of one person out of everybody's commits. Hooks work without that.
    fn keep_from_git(&mut self, file: &Path) {
        match exclude(file) {
            Ok(Some(list)) => self.notes.push(format!("kept {} from git by {}", file.display(), list.display())),
            Ok(None) => {}
            Err(fault) => self.notes.push(format!("{} is not kept from git: {}", file.display(), fault.in_a_line())),
        }
    }

    fn give_back_to_git(&mut self, file: &Path) {
        match include(file) {
            Ok(Some(list)) => self.notes.push(format!("removed {} from {}", file.display(), list.display())),
            Ok(None) => {}
            Err(fault) => self.notes.push(fault.in_a_line()),
        }
    }

    /// Says which hooks of ours the project still has elsewhere: whoever removes hooks expects silence.
    fn tell_rest(&mut self, workspace: &Workspace) -> Outcome<()> {
        let project = Project::of(workspace)?;
        for (way, option) in [(Way::Own, "own"), (Way::Team, "team")] {
            let file = project.settings_file(way);
            let is_told = self.hooks.as_ref().is_some_and(|report| report.is_of(&file));
            if !is_told && !claude::hooks_in(&file).is_empty() {
                let remedy = format!("outerloop init --claude={option} --remove");
                self.notes.push(format!("the hooks in {} stay; remove them with: {remedy}", file.display()));
                self.stay.push(file);
            }
        }
        let plugin = workspace.root().join(PLUGIN);
        if plugin::is_ours(&plugin) {
            let remedy = "outerloop init --claude=plugin --remove";
            self.notes.push(format!("the plugin {} stays; remove it with: {remedy}", plugin.display()));
            self.stay.push(plugin);
        }
        Ok(())
    }

    pub(super) fn tell(&self, printer: &Printer) {
        let reports = self.hooks.iter().chain(&self.servers);
        reports.flat_map(Report::lines).chain(self.notes.iter().cloned()).for_each(|line| printer.note(&line));
    }

    pub(super) fn json(&self) -> Value {
        let mut value = json!({});
        if let Some(hooks) = &self.hooks {
            value["claude"] = json!(hooks);
        }
        if let Some(servers) = &self.servers {
            value["mcp"] = json!(servers);
        }
        if let Some(plugin) = &self.plugin {
            value["plugin"] = json!(plugin.to_string_lossy());
        }
        if !self.stay.is_empty() {
            value["stay"] = self.stay.iter().map(|place| place.to_string_lossy()).collect();
        }
        value
    }
}

impl Plan {
    pub(super) fn write(self, workspace: &Workspace) -> Outcome<Registration> {
        let mut added = Registration::default();
        match self {
            Self::Plugin(folder) => {
                plugin::write(&folder, plugin::Program::OnPath)?;
                let place = shell::quote(&folder.to_string_lossy());
                added.notes.push(format!("made the plugin {}", folder.display()));
                added.notes.push(format!("try it: claude --plugin-dir {place}"));
                added.notes.push(format!(
                    "install it: claude plugin marketplace add {place} && claude plugin install outerloop@outerloop --scope local"
                ));
                added.plugin = Some(folder);
            }
            Self::Settings { hooks, servers, project } => {
                let file = hooks.file();
                added.hooks = Some(hooks.write()?);
                if project.is_some() {
                    added.keep_from_git(&file);
                }
                added.servers = servers.map(|servers| servers.write()).transpose()?;
                if added.servers.is_none() {
                    added.notes.push(register(workspace, project.as_deref()));
                }
            }
        }
        Ok(added)
    }
}

fn runs_twice(place: &Path, remedy: &str) -> Diagnostic {
    Diagnostic::edit("with the plugin, every hook would run twice", remedy).at(place)
}

/// Has the client note the server for one person and one project: that file is the client's own, which it rewrites at any time.
fn register(workspace: &Workspace, project: Option<&Path>) -> String {
    let by_hand = format!("to give agents its tools, register the MCP server: claude {}", ADD.join(" "));
    let is_found = workspace.root().ends_with(store::workspace::FOLDER);
    let Some(project) = project.filter(|_| is_found && schedule::is_on_path("claude")) else { return by_hand };
    match ask_client(project, &ADD) {
        Ok(true) => "registered the MCP server in Claude Code's local scope".to_owned(),
        Ok(false) => "the MCP server is already registered in Claude Code's local scope".to_owned(),
        Err(reason) => format!("the MCP server is not registered: {}; {by_hand}", plain_text(&reason, 300)),
    }
}

/// Asks the client to change its own notes. Says whether they changed.
fn ask_client(project: &Path, arguments: &[&str]) -> Result<bool, String> {
    if !schedule::is_on_path("claude") {
        return Ok(false);
    }
    let mut command = Command::new("claude");
    let command = command.args(arguments).current_dir(project);
    let finished = subprocess::run(command, &[], CLIENT).map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&finished.stderr).into_owned() + &String::from_utf8_lossy(&finished.stdout);
    match finished.is_success() {
        true => Ok(true),
        false if said.contains("already exists") => Ok(false),
        false => Err(format!("{}: {}", finished.describe(), said.trim())),
    }
}
