//! The settings of what is shown to agents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::parse::Conflict;
use crate::section::{POSITIVE, SHARE, at_least, choices, settings};
use crate::words;

settings! {
    /// Patterns shown to agents (`outerloop inject`, and the hooks of `outerloop init --claude`).
    pub struct InjectSettings {
        /// How many patterns to show in an agent's prompt.
        most: usize = 15;
        /// How many patterns to show at a tool call.
        most_at_tool: usize = 10;
        /// How many patterns with track records to show to a role.
        most_historical: usize = 30;
        /// Token budget of a block.
        tokens: usize = 500;
        /// Token budget of a block for an adversarial role.
        adversarial_tokens: usize = 800;
        /// Shows nothing where fewer tokens than this are left. At most the two budgets.
        least_tokens: usize = 100;
        /// How to count tokens: "characters" counts one for every four characters; "cl100k" (GPT-4) and "o200k" (GPT-4o and later) use
        /// that vocabulary and take some milliseconds more. Other models differ a little: leave some room.
        tokenizer: Tokenizer;
        /// Longest text of a pattern, in characters. A shorter text could not be told from others.
        most_characters: usize = 240, in at_least(20.0);
        /// How to sort the patterns of one category: "score" sorts by relevance to the given files, then by score; "confidence" by the
        /// bin of the rate, then as in the pattern file, as the original does.
        order: Order;
        /// Least share of a pattern's words that a task must use for the pattern to fit it. What fits is shown before everything else.
        fit: f64 = 0.2, in SHARE;
        /// Share of the patterns to hold out of each task or run, to measure the effect of showing them: what is above 0 says
        /// the same as `truth.coin`, from the other side and at once.
        holdout: f64 = 0.0, in SHARE;
        /// Chance to show a pattern that is flagged as PRUNE, drawn once for each run and pattern: without new evidence it could not lose
        /// the flag.
        prune_chance: f64 = 0.1, in SHARE;
        score: RecallSettings;
        roles: RoleSettings;
        /// Tags of the patterns to show at a call of a tool. A tool given here replaces the built-in one of that name.
        tools: BTreeMap<String, Vec<String>>, example r#"{ Bash = ["build", "test", "validation", "python", "cli"] }"#;
        /// Tags of the patterns to show for a file, by the ending of its name.
        endings: BTreeMap<String, Vec<String>>, example r#"{ py = ["python"] }"#;
    }

    /// The score of a pattern: successes / (successes + failures), which decays after its last use unless it was confirmed often enough.
    pub struct RecallSettings {
        /// Days without use after which a score has decayed to 1/e.
        decay_days: f64 = 14.0, in POSITIVE;
        /// A pattern that was confirmed this often does not decay.
        immune_from: i64 = 3;
        /// Factor for a rule.
        rule: f64 = 1.3, in POSITIVE;
        /// Factor for a pattern that names a cause.
        causal: f64 = 1.1, in POSITIVE;
        /// Added for a pattern that shares a label with the task.
        label: f64 = 0.10, in SHARE;
        /// Added for a pattern that shares a file with the task.
        file: f64 = 0.10, in SHARE;
        /// Added for a pattern that shares the phase of the task.
        phase: f64 = 0.05, in SHARE;
        /// Prefix of labels to ignore: they describe the process, which nearly every task goes through.
        process_label: String = "jkz:".to_owned();
        /// Factor for a pattern of another role of the same kind.
        other_role: f64 = 0.8, in SHARE;
        /// Least score to show with a track record.
        least: f64 = 0.1, in SHARE;
    }

    /// The kinds of roles.
    #[derive(Eq)]
    pub struct RoleSettings {
        /// Roles that look for faults.
        adversarial: Vec<String> = words(&["auditor", "judge", "sentinel", "research-auditor"]);
        /// Roles that judge the findings of others.
        validator: Vec<String> = words(&["curator", "inspector", "lens", "research-reviewer"]);
        /// Roles that produce something.
        creative: Vec<String> = words(&["architect", "builder", "doctor", "analyst"]);
        /// All other roles.
        utility: Vec<String> = words(&["librarian", "classifier"]);
    }
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// One for every four characters, rounded up.
    #[default]
    Characters,
    /// By the vocabulary `cl100k_base`.
    Cl100k,
    /// By the vocabulary `o200k_base`.
    O200k,
}

/// What patterns of one category are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Relevance to the given files, then the score.
    #[default]
    Score,
    /// The bin of the rate, then the order of the pattern file, as the original does.
    Confidence,
}

choices! { Tokenizer, Order }

/// A budget below the least that is shown would never show anything.
pub(crate) fn check(settings: &InjectSettings) -> Result<(), Conflict> {
    let least = settings.least_tokens;
    let over = |name: &str, tokens: usize| {
        (
            format!("`{name}` is {tokens}, less than `inject.least_tokens`: nothing would be shown"),
            format!("write at least {least}"),
        )
    };
    Conflict::unless(settings.tokens >= least, &["inject.tokens", "inject.least_tokens"], || {
        over("inject.tokens", settings.tokens)
    })?;
    Conflict::unless(settings.adversarial_tokens >= least, &["inject.adversarial_tokens", "inject.least_tokens"], || {
        over("inject.adversarial_tokens", settings.adversarial_tokens)
    })
}

impl RoleSettings {
    /// The roles of the same kind as a role, itself included. None for an unknown role.
    #[must_use]
    pub fn kindred(&self, role: &str) -> Option<&[String]> {
        let kinds = [&self.adversarial, &self.validator, &self.creative, &self.utility];
        kinds.into_iter().find(|kind| is_among(role, kind)).map(Vec::as_slice)
    }

    /// Whether a role looks for faults.
    #[must_use]
    pub fn is_adversarial(&self, role: &str) -> bool {
        is_among(role, &self.adversarial)
    }
}

fn is_among(name: &str, names: &[String]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The built-in tags of the tools that run commands.
const SHELL_TAGS: [&str; 8] = ["build", "test", "validation", "python", "cli", "monorepo", "turborepo", "code"];

/// The built-in tags of the tools that write files.
#[rustfmt::skip]
const WRITER_TAGS: [&str; 13] = [
    "react", "components", "typescript", "editing", "design-system", "hooks", "styling", "radix-ui", "enums", "useMemo", "grouping",
    "precision", "line-numbers",
];

/// Endings of files, and their built-in tags.
const ENDINGS: [(&[&str], &[&str]); 5] = [
    (&["tsx", "jsx"], &["react", "jsx"]),
    (&["ts", "js"], &["javascript", "typescript"]),
    (&["py"], &["python"]),
    (&["css", "scss"], &["styling", "css"]),
    (&["json"], &["config", "json"]),
];

impl InjectSettings {
    /// The tags of a tool: those of the settings, or the built-in ones.
    #[must_use]
    pub fn tags_of_tool(&self, tool: &str) -> Vec<String> {
        if let Some(tags) = self.tools.get(tool) {
            return tags.clone();
        }
        match tool {
            "Bash" => words(&SHELL_TAGS),
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => words(&WRITER_TAGS),
            _ => Vec::new(),
        }
    }

    /// The tags of a file, by the ending of its name.
    #[must_use]
    pub fn tags_of_ending(&self, ending: &str) -> Vec<String> {
        let ending = ending.to_lowercase();
        // People write endings as `py`, `.py` and `*.py`.
        let is_meant = |name: &str| name.trim_start_matches('*').trim_start_matches('.').to_lowercase() == ending;
        if let Some((_, tags)) = self.endings.iter().find(|(name, _)| is_meant(name)) {
            return tags.clone();
        }
        ENDINGS.iter().find(|(endings, _)| endings.contains(&&*ending)).map(|(_, tags)| words(tags)).unwrap_or_default()
    }
}
