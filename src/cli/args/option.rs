//! Options that several commands share. Each is declared once, so that it has one name and one explanation.

use std::env;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use jiff::Timestamp;

use store::clock;

/// The form of the output.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub struct OutputArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The project of what is read or recorded.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct ProjectArgs {
    /// The project [default: the name under which the folder was imported, else the repository's]
    #[arg(id = "project", long = "project", value_name = "NAME", env = "OUTERLOOP_PROJECT")]
    pub name: Option<String>,
}

/// Only what belongs to one project.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct ProjectFilter {
    /// Only this project
    #[arg(id = "project", long = "project", value_name = "NAME")]
    pub name: Option<String>,
}

/// A project and its folder.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct PlaceArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long = "project-folder", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

/// Who decides.
#[derive(Debug, ClapArgs)]
pub struct ActorArgs {
    /// Who decides [default: the current user]
    #[arg(id = "actor", long = "actor", value_name = "NAME", default_value = CURRENT_USER, hide_default_value = true, value_parser = parse_actor)]
    pub name: String,
}

/// Stands for whoever runs the program, whose name is found out only where it is needed.
const CURRENT_USER: &str = "<current user>";

fn parse_actor(text: &str) -> Result<String, String> {
    match text {
        CURRENT_USER => Ok(current_user()),
        _ if text.trim().is_empty() => Err("write a name, or omit the option".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

/// Whoever runs the program. Services often run without the variables that a login sets.
pub(crate) fn current_user() -> String {
    let named = ["USER", "LOGNAME"].iter().filter_map(|name| env::var(name).ok());
    let uid = || format!("uid {}", rustix::process::getuid().as_raw());
    named.into_iter().find(|name| !name.trim().is_empty()).unwrap_or_else(uid)
}

/// Who decides, and why.
#[derive(Debug, ClapArgs)]
pub struct WordArgs {
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    pub reason: String,
    #[command(flatten)]
    pub actor: ActorArgs,
}

/// What a task is about.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct TaskArgs {
    /// Labels of the task, separated by commas
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Files that the task changes, separated by commas
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
    /// The phase of the task, such as plan, review or qa
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
}

/// The instant for which something is computed.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub struct InstantArgs {
    /// The instant for which scores are computed [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
}

impl InstantArgs {
    pub(crate) fn or_now(self) -> Timestamp {
        self.at.unwrap_or_else(clock::now)
    }
}

/// An instant as people write it: RFC 3339, or a day, which means the end of that day.
pub fn parse_instant(text: &str) -> Result<Timestamp, String> {
    let remedy = "write it as 2026-10-06T09:00:00Z, or a day as 2026-10-06";
    if let Ok(day) = text.parse::<jiff::civil::Date>()
        && text.len() == 10
    {
        let end = day.at(23, 59, 59, 999_999_000).to_zoned(jiff::tz::TimeZone::UTC);
        return end.map(|end| end.timestamp()).map_err(|error| format!("{error}; {remedy}"));
    }
    text.parse().map_err(|error| format!("{error}; {remedy}"))
}
