//! What the agent ran when it was asked for a step: a command says how a step is done here.

use super::concept::{Rank, concepts};
use super::entity::is_command;
use super::language::{Language, split};
use super::speech::lower;
use crate::transcript::{Fate, Ran};

/// The most commands of a step, and words of a command.
const MOST_COMMANDS: usize = 2;
const MOST_WORDS: usize = 6;
/// Options that say what is done rather than to what.
const TELLING: [&str; 6] = ["--draft", "--force-with-lease", "--rebase", "--all", "--fix", "--check"];
/// Routines that a tool does: a step asks for them only if it asks for the tool to run.
const TOOLS: [&str; 8] = ["test", "lint", "format", "typecheck", "build", "codegen", "ci", "profile"];
const RUNNING: [&str; 14] =
    ["run", "rerun", "re-run", "fix", "check", "execute", "do", "verify", "ensure", "make", "get", "start", "see", "double-check"];
const WRITING: [&str; 12] =
    ["write", "add", "create", "mark", "ignore", "update", "extend", "remove", "delete", "rename", "document", "skip"];
/// Verbs of speaking about something.
const TELLING_OF: [&str; 9] = ["reference", "mention", "describe", "explain", "document", "ignore", "skip", "mark", "link"];
/// What git only looks at.
const GIT_LOOKS: [&str; 15] = [
    "status",
    "log",
    "diff",
    "show",
    "merge-base",
    "rev-parse",
    "rev-list",
    "branch",
    "blame",
    "ls-files",
    "config",
    "remote",
    "grep",
    "reflog",
    "describe",
];
/// Programs whose first operand is the program that runs.
const INTERPRETERS: [&str; 6] = ["bash", "sh", "python", "python3", "node", "ruby"];

/// Numbered steps, each with the commands that the agent ran for it, without what they were run on this time.
pub(super) fn with_commands(details: &str, ran: &[Ran]) -> String {
    let done = ran.iter().filter(|ran| ran.fate == Fate::Done).flat_map(|ran| parts_of(&ran.command));
    let mut commands: Vec<String> = Vec::new();
    for command in done.filter_map(|part| bare(&part)) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let lines = details.lines().map(|step| {
        // A person who names the command knows best.
        let fitting: Vec<String> = commands
            .iter()
            .filter(|command| fits(command, step))
            .take(MOST_COMMANDS)
            .map(|command| format!("`{command}`"))
            .collect();
        if step.contains('`') || fitting.is_empty() { step.to_owned() } else { format!("{step}: {}", fitting.join(", ")) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a command does a step: it is about the same routine, and the step asks for that to be done.
fn fits(command: &str, step: &str) -> bool {
    let names = |text: &str| -> Vec<&'static str> {
        let found = concepts(&text.to_lowercase());
        found.into_iter().filter(|found| found.rank == Rank::Step).map(|found| found.name).collect()
    };
    let text = step.trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ' '));
    let (does, mut wanted) = (names(command), names(text));
    // Whoever wants failing tests fixed has them run.
    wanted.extend(wanted.contains(&"failing").then_some("test"));
    // What an interface is asked for stands last in its address.
    let addressed = if command.starts_with("gh api") { does.last() } else { does.first() };
    let Some(first) = addressed.filter(|first| wanted.contains(first)) else { return false };
    if looks(command) && !wanted.contains(&"comment") {
        return false;
    }
    is_tied(text, first)
}

/// Whether the verb of a step asks for what a routine does. A test that is to be written is not run by that.
fn is_tied(step: &str, routine: &str) -> bool {
    let language = Language::of(step);
    if language.is_unspaced() {
        return true;
    }
    let lowered = lower(step);
    let verb = split(&lowered).next().unwrap_or_default();
    let head: usize = lowered.split(' ').take(2).map(|word| word.len() + 1).sum();
    let is_own = concepts(&lowered).iter().any(|found| found.name == routine && found.start < head);
    if TOOLS.contains(&routine) {
        let writes = WRITING.contains(&verb);
        return !writes && (is_own || RUNNING.contains(&verb) || language.operations.has(verb));
    }
    let is_written = routine == "comment" && WRITING.contains(&verb);
    !is_written && !TELLING_OF.contains(&verb)
}

/// Whether a command only looks, so that nothing is done by it.
fn looks(command: &str) -> bool {
    const LOOKS: [&str; 8] =
        ["gh pr view", "gh pr list", "gh pr diff", "gh pr checks", "gh issue list", "gh issue view", "gh run list", "gh run view"];
    LOOKS.iter().any(|look| command.starts_with(look))
}

/// The commands of a line, apart from what is piped and from what stands in quotes.
fn parts_of(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote: Option<char> = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '&' | ';' | '|' | '\n') => parts.push(String::new()),
            _ => {}
        }
        if let Some(part) = parts.last_mut().filter(|_| !(quote.is_none() && "&;|\n".contains(letter))) {
            part.push(letter);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// A command without what it was run on this time: messages, names, paths, numbers, and everything behind an option that is not known.
fn bare(part: &str) -> Option<String> {
    let is_plain = |word: &str| word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_:.=/".contains(letter));
    let words: Vec<&str> = part.split_whitespace().take_while(|word| is_plain(word)).take(MOST_WORDS).collect();
    let program = words.first().copied()?;
    if program == "git" && words.get(1).is_some_and(|verb| GIT_LOOKS.contains(verb)) {
        return None;
    }
    let head = match program {
        "git" => 2,
        "gh" if words.get(1) == Some(&"api") => 3,
        "gh" | "docker" | "kubectl" => 3,
        _ => MOST_WORDS,
    };
    let is_script = |place: usize| place == 1 && INTERPRETERS.contains(&program);
    let is_operand = |(place, word): &(usize, &&str)| *place == 0 || is_script(*place) || is_lasting(word);
    let options = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let kept = words[..options.min(head)].iter().enumerate().take_while(is_operand).map(|(_, word)| general(word));
    let telling = words.iter().filter(|word| TELLING.contains(word)).map(|word| (*word).to_owned());
    let command = kept.chain(telling).collect::<Vec<_>>().join(" ");
    is_command(&command).then_some(command)
}

/// Whether an operand is the same every time: a path or a number is not, but for all of the packages.
fn is_lasting(word: &str) -> bool {
    let is_api = word.starts_with("repos/");
    word == "./..." || is_api || !word.contains('/') && !word.chars().all(|letter| letter.is_ascii_digit())
}

/// An address of an interface without the repository and the numbers of this time; the program fills in the first two itself.
fn general(word: &str) -> String {
    let Some(rest) = word.strip_prefix("repos/") else { return word.to_owned() };
    let parts = rest.split('/').enumerate().map(|(place, part)| match place {
        0 => "{owner}".to_owned(),
        1 => "{repo}".to_owned(),
        _ if part.chars().all(|letter| letter.is_ascii_digit()) => "NUMBER".to_owned(),
        _ => part.to_owned(),
    });
    format!("repos/{}", parts.collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_gets_the_command_that_did_it() {
        let ran = |command: &str, fate: Fate| Ran { command: command.to_owned(), fate };
        let commands = [
            ran("cd cli && mise run lint 2>&1 | tail -5", Fate::Done),
            ran("git add -A && git commit -m \"fix: a; b && push\"", Fate::Done),
            ran("git push -u origin ann/fix", Fate::Failed),
            ran("git push --force-with-lease origin ann/fix", Fate::Done),
            ran("gh pr create --draft --title 'x' --body \"$(cat <<'EOF'\nbody\nEOF\n)\"", Fate::Done),
        ];
        // A forced push is not how one pushes, and a push that failed did nothing.
        let steps = "1. Run the linter\n2. Commit\n3. Push\n4. Open a draft PR\n5. Celebrate";
        assert_eq!(
            with_commands(steps, &commands),
            "1. Run the linter: `mise run lint`\n2. Commit: `git commit`\n3. Push\n4. Open a draft PR: `gh pr create --draft`\n5. Celebrate"
        );
        assert_eq!(with_commands("1. Run `make lint`", &commands), "1. Run `make lint`");
    }

    #[test]
    fn a_command_that_was_run_for_something_else_stays_out() {
        let commands = [
            "go test ./cmd/shop/strategy/...",
            "mise run lint",
            "gh pr list",
            "git merge-base HEAD origin/main",
            "git merge origin/main",
            "gh api repos/acme/shop/pulls/90/comments",
            "gh api repos/acme/shop/pulls/90/comments/2719242908/replies -f body=x",
            "cargo test -p agent observe",
        ]
        .map(|command| Ran { command: command.to_owned(), fate: Fate::Done });
        for (step, joined) in [
            ("Write a test for each finding", ""),
            ("Add a comment to ignore the lint error", ""),
            ("Mark lint errors as ignored", ""),
            ("Reference the PR in the ticket", ""),
            ("Fix merge conflicts from the parent branch", ": `git merge`"),
            ("Run lint", ": `mise run lint`"),
            ("Fix the failing tests", ": `go test`, `cargo test`"),
            ("Tests laufen lassen", ": `go test`, `cargo test`"),
            ("Check the PR comments", ": `gh api repos/{owner}/{repo}/pulls/NUMBER/comments`"),
            ("Reply to them with the shas", ": `gh api repos/{owner}/{repo}/pulls/NUMBER/comments/NUMBER/replies`"),
            (
                "Respond to the PR comments",
                ": `gh api repos/{owner}/{repo}/pulls/NUMBER/comments`, `gh api repos/{owner}/{repo}/pulls/NUMBER/comments/NUMBER/replies`",
            ),
        ] {
            assert_eq!(with_commands(&format!("1. {step}"), &commands), format!("1. {step}{joined}"));
        }
    }
}
