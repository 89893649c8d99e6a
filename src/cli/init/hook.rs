//! The hooks that an agent's settings get, and how one of them is recognised.

use super::shell;

/// One of our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hook {
    /// The event of the agent that calls it.
    pub event: &'static str,
    /// The word after `outerloop hook`.
    pub name: &'static str,
    /// The tools that it is called for, where the event has to do with tools.
    pub matcher: Option<&'static str>,
    /// How long the agent waits for it.
    pub timeout_seconds: u32,
}

/// All of them, in the order in which a session calls them.
pub(super) const HOOKS: [Hook; 5] = [
    Hook { event: "SessionStart", name: "session-start", matcher: None, timeout_seconds: 10 },
    Hook { event: "SubagentStart", name: "subagent-start", matcher: None, timeout_seconds: 10 },
    Hook {
        event: "PreToolUse",
        name: "pre-tool-use",
        matcher: Some("Bash|Write|Edit|MultiEdit|NotebookEdit"),
        timeout_seconds: 10,
    },
    Hook { event: "SubagentStop", name: "subagent-stop", matcher: None, timeout_seconds: 30 },
    Hook { event: "SessionEnd", name: "session-end", matcher: None, timeout_seconds: 30 },
];

impl Hook {
    /// The command line that calls it. A workspace that the program would not find by itself is named.
    #[must_use]
    pub(super) fn command(&self, root: Option<&str>) -> String {
        match root {
            Some(root) => format!("outerloop --root {} hook {}", shell::quote(root), self.name),
            None => format!("outerloop hook {}", self.name),
        }
    }

    /// The hook that a command line calls, if it is one of ours: whatever the path of the program, its options and the
    /// variables that are set for it.
    #[must_use]
    pub(super) fn called_by(command: &str) -> Option<&'static Self> {
        let words = shell::first_command(command)?;
        let (program, arguments) = words.split_first()?;
        if program.rsplit('/').next() != Some("outerloop") {
            return None;
        }
        let mut pairs = arguments.windows(2);
        pairs.find_map(|pair| HOOKS.iter().find(|hook| pair[0] == "hook" && pair[1] == hook.name))
    }

    /// Whether a command line that calls a hook does nothing else. What a person added to it is not ours to remove.
    #[must_use]
    pub(super) fn is_all_of(command: &str) -> bool {
        shell::is_single(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(command: &str) -> Option<&'static str> {
        Hook::called_by(command).map(|hook| hook.name)
    }

    #[test]
    fn a_command_is_ours_by_its_program_and_its_words() {
        for command in [
            "outerloop hook session-start",
            "  /opt/my\\ tools/outerloop   --root '/a b' hook session-start --json",
            "\"$CLAUDE_PROJECT_DIR\"/bin/outerloop hook 'session-start' 2>/dev/null || true",
            "OUTERLOOP_ROOT=/x RUST_LOG='a b' outerloop hook session-start",
            "outerloop hook session-start # every time",
        ] {
            assert_eq!(called(command), Some("session-start"), "{command}");
        }
    }

    #[test]
    fn a_command_that_only_mentions_us_is_not_ours() {
        for command in [
            "",
            "echo outerloop hook session-start",
            "my-outerloop-wrapper hook session-start",
            "outerloop-engine hook session-start",
            "outerloop",
            "outerloop status; other hook session-start",
            "outerloop record 'hook session-start'",
            "outerloop hook session-starts",
            "outerloop session-start hook",
            "# outerloop hook session-start",
            "outerloop hook 'session-start",
            "'outerloop hook session-start'",
        ] {
            assert_eq!(called(command), None, "{command}");
        }
    }

    #[test]
    fn every_command_that_we_write_is_recognised() {
        for hook in HOOKS {
            for root in [None, Some("/plain"), Some("/it's a \"root\" $(x) `y` \\ hook"), Some("/a\nb")] {
                assert_eq!(called(&hook.command(root)), Some(hook.name));
            }
        }
    }
}
