//! The hooks that an agent's settings get, and how one of them is recognised.

use super::shell;
use agent::hook::Event;

/// What stands before the program in a command line: where it is not installed, a hook is silent instead of an error at every tool.
const GUARD: &str = "command -v outerloop >/dev/null || exit 0; ";
/// How long the agent waits for a hook: a program that hangs must not cost a turn.
const TIMEOUT_SECONDS: u32 = 2;
/// The tools whose use patterns are shown beside, and those that say what an agent is about to do.
const BEFORE_TOOLS: &str = "Bash|Write|Edit|MultiEdit|NotebookEdit|Read|Agent|Task";
/// The tools that change, read or run something, those whose agent may have left a report behind, and the server's own tools by which an agent reports, under both names that the agent's
/// host gives them.
const AFTER_TOOLS: &str = "Bash|Write|Edit|MultiEdit|NotebookEdit|Read|Agent|Task|\
    mcp__outerloop__acknowledge|mcp__outerloop__capture_lesson|\
    mcp__plugin_outerloop_outerloop__acknowledge|mcp__plugin_outerloop_outerloop__capture_lesson";

/// One of our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hook {
    /// The event of the agent that calls it.
    pub(crate) event: &'static str,
    /// The word after `outerloop hook`.
    pub(crate) name: &'static str,
    /// The tools that it is called for, where the event has to do with tools.
    pub(crate) matcher: Option<&'static str>,
    /// How long the agent waits for it.
    pub(crate) timeout_seconds: u32,
}

/// All of them, as the program knows them.
pub(crate) static HOOKS: [Hook; Event::ALL.len()] = {
    let mut hooks = [Hook::of(Event::SessionStart); Event::ALL.len()];
    let mut place = 0;
    while place < hooks.len() {
        hooks[place] = Hook::of(Event::ALL[place]);
        place += 1;
    }
    hooks
};

/// What the first version wrote: the name, the tools and the seconds of each hook. Such hooks are replaced.
const FORMER: [(&str, Option<&str>, u32); 5] = [
    ("session-start", None, 10),
    ("subagent-start", None, 10),
    ("pre-tool-use", Some("Bash|Write|Edit|MultiEdit|NotebookEdit"), 10),
    ("subagent-stop", None, 30),
    ("session-end", None, 30),
];

impl Hook {
    const fn of(event: Event) -> Self {
        let matcher = match event {
            Event::PreToolUse => Some(BEFORE_TOOLS),
            Event::PostToolUse | Event::PostToolUseFailure => Some(AFTER_TOOLS),
            _ => None,
        };
        Self { event: event.title(), name: event.name(), matcher, timeout_seconds: TIMEOUT_SECONDS }
    }

    /// The command line that calls it. A workspace that the program would not find by itself is named.
    #[must_use]
    pub(crate) fn command(&self, root: Option<&str>) -> String {
        format!("{GUARD}{}", self.call("outerloop", root))
    }

    /// The call alone, of a program by its name or path.
    #[must_use]
    pub(crate) fn call(&self, program: &str, root: Option<&str>) -> String {
        match root {
            Some(root) => format!("{program} --root {} hook {}", shell::quote(root), self.name),
            None => format!("{program} hook {}", self.name),
        }
    }

    /// Whether an entry is what an earlier version wrote, with nothing of it altered.
    #[must_use]
    pub(super) fn is_former(&self, command: &str, matcher: Option<&str>, timeout: Option<&str>, root: Option<&str>) -> bool {
        let is_same = |(name, tools, seconds): &(&str, Option<&str>, u32)| {
            *name == self.name && *tools == matcher && timeout == Some(seconds.to_string().as_str())
        };
        command == self.call("outerloop", root) && FORMER.iter().any(is_same)
    }

    /// The hook that a command line calls, if it is one of ours: whatever the path of the program, its options and the
    /// variables that are set for it.
    #[must_use]
    pub(super) fn called_by(command: &str) -> Option<&'static Self> {
        let words = shell::first_command(unguarded(command))?;
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
        shell::is_single(unguarded(command))
    }
}

fn unguarded(command: &str) -> &str {
    command.strip_prefix(GUARD).unwrap_or(command)
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
            "command -v outerloop >/dev/null || exit 0; outerloop hook session-start",
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
            "command -v outerloop >/dev/null; outerloop hook session-start",
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
        for hook in &HOOKS {
            for root in [None, Some("/plain"), Some("/it's a \"root\" $(x) `y` \\ hook"), Some("/a\nb")] {
                assert_eq!(called(&hook.command(root)), Some(hook.name));
            }
        }
    }
}
