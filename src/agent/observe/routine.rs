//! What the agent ran when it was asked for a step: a command says how a step is done here.

use super::concept::{Rank, concepts};
use super::entity::is_command;
use crate::transcript::{Fate, Ran};

/// The most commands of a step, and words of a command.
const MOST_COMMANDS: usize = 2;
const MOST_WORDS: usize = 6;
/// Options that say what is done rather than to what.
const TELLING: [&str; 6] = ["--draft", "--force-with-lease", "--rebase", "--all", "--fix", "--check"];

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

/// Whether a command does a step: it is about the same routine.
fn fits(command: &str, step: &str) -> bool {
    let names = |text: &str| -> Vec<&'static str> {
        let found = concepts(&text.to_lowercase());
        found.into_iter().filter(|found| found.rank == Rank::Step).map(|found| found.name).collect()
    };
    let (does, wanted) = (names(command), names(step));
    does.first().is_some_and(|first| wanted.contains(first))
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

/// A command without what it was run on this time: messages, names, paths and variables.
fn bare(part: &str) -> Option<String> {
    let is_plain = |word: &str| word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_:.=/".contains(letter));
    let words: Vec<&str> = part.split_whitespace().take_while(|word| is_plain(word)).take(MOST_WORDS).collect();
    let head = match words.first().copied()? {
        "git" => 2,
        "gh" | "docker" | "kubectl" => 3,
        _ => MOST_WORDS,
    };
    let kept = words.iter().enumerate().filter(|(place, word)| *place < head && !word.starts_with('-') || TELLING.contains(word));
    let kept: Vec<&str> = kept.map(|(_, word)| *word).collect();
    let command = kept.join(" ");
    is_command(&command).then_some(command)
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
}
