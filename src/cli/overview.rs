//! The help of the program itself: its commands in groups.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::Command;

/// The commands by what people do with them. A command that is hidden is in none.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start", &["init", "demo", "adopt", "import"]),
    (
        "Record what happens",
        &[
            "record",
            "iteration",
            "changes",
            "relevance",
            "goal",
            "citations",
            "build",
            "capture",
            "outcome",
            "closedloop",
            "schema",
        ],
    ),
    ("Learn from it", &["run", "observe", "learn", "lessons", "feedback", "memory", "render", "reconcile", "index"]),
    (
        "Look at the results",
        &["report", "patterns", "explain", "diff", "query", "sql", "timing", "truth", "selfcheck", "status", "hud"],
    ),
    ("Show it to agents", &["inject", "hook", "mcp", "plugin"]),
    ("Govern", &["gate", "policy", "optimize", "consensus"]),
    ("Operate", &["schedule", "jobs", "doctor", "settings", "push", "pull", "prune", "completions", "man"]),
];

/// Whether the help of the program itself is asked for, or nothing at all.
pub(crate) fn is_asked(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).all(|word| ["-h", "--help", "help"].iter().any(|help| word == help))
}

/// The command with its subcommands in groups instead of one list.
pub(crate) fn in_groups(command: Command) -> Command {
    let mut text = String::new();
    for (group, names) in GROUPS {
        let _ = write!(text, "\n{group}:\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<11}  {about}");
        }
    }
    let template = format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{text}\n{{all-args}}{{after-help}}");
    let command = command.mut_subcommands(|inside| inside.hide(true)).disable_help_subcommand(true);
    command.override_usage("outerloop [OPTIONS] <COMMAND>").help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::{GROUPS, in_groups};
    use crate::args::Args;

    #[test]
    fn every_command_is_in_one_group() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        listed.sort_unstable();
        let command = Args::command();
        let mut known: Vec<&str> = command.get_subcommands().filter(|one| !one.is_hide_set()).map(Command::get_name).collect();
        known.sort_unstable();
        assert_eq!(listed, known);
    }

    #[test]
    fn the_help_names_each_command_with_its_purpose() {
        let help = in_groups(Args::command()).render_help().to_string();
        assert!(help.contains("\nOperate:\n") && help.contains("  doctor       Check the workspace"), "{help}");
        assert!(help.starts_with("The outer learning loop"), "{help}");
        assert!(help.contains("Usage: outerloop [OPTIONS] <COMMAND>"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        assert!(help.contains("Start here:") && help.contains("--root"), "{help}");
    }
}
