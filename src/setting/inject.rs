//! The settings of what is shown to agents, and of the hooks that show it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words;
use text::diagnostic::{Diagnostic, Outcome};

/// A text that is cut shorter says nothing.
const LEAST_CHARACTERS: usize = 20;

/// What is shown to agents.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InjectSettings {
    /// How many patterns a block holds.
    pub most: usize,
    /// How many patterns a block beside a tool's use holds.
    pub most_at_tool: usize,
    /// How many patterns a block with track records holds.
    pub most_historical: usize,
    /// How many tokens a block may take.
    pub tokens: usize,
    /// How many tokens a block for a role that looks for faults may take.
    pub adversarial_tokens: usize,
    /// Where less room is left, nothing is shown.
    pub least_tokens: usize,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// The longest text of a pattern, in characters.
    pub most_characters: usize,
    /// What puts patterns of one category in order.
    pub order: Order,
    /// The part of patterns that is held back in each run, to measure what showing them is worth.
    pub holdout: f64,
    /// How the score of a pattern comes about.
    pub score: RecallSettings,
    /// What the roles are for.
    pub roles: RoleSettings,
    /// What a tool is about: the tags of patterns that are shown beside its use.
    pub tools: BTreeMap<String, Vec<String>>,
    /// What a file is about, by the ending of its name.
    pub endings: BTreeMap<String, Vec<String>>,
}

impl Default for InjectSettings {
    fn default() -> Self {
        Self {
            most: 15,
            most_at_tool: 10,
            most_historical: 30,
            tokens: 500,
            adversarial_tokens: 800,
            least_tokens: 100,
            tokenizer: Tokenizer::Characters,
            most_characters: 240,
            order: Order::Score,
            holdout: 0.0,
            score: RecallSettings::default(),
            roles: RoleSettings::default(),
            tools: BTreeMap::new(),
            endings: BTreeMap::new(),
        }
    }
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// One for every four characters, rounded up.
    #[default]
    Characters,
    /// As the vocabulary `cl100k_base` cuts them.
    Cl100k,
    /// As the vocabulary `o200k_base` cuts them.
    O200k,
}

/// What puts patterns of one category in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Relevance to the files that are given, then the score.
    #[default]
    Score,
    /// The bin of the rate, then the order of the pattern file, as the original does.
    Confidence,
}

/// How the score of a pattern comes about.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecallSettings {
    /// After so many days without use a score is down to 1/e.
    pub decay_days: f64,
    /// A pattern that was confirmed so often does not decay.
    pub immune_from: i64,
    /// What a rule weighs.
    pub rule: f64,
    /// What a pattern that names a cause weighs.
    pub causal: f64,
    /// What a pattern gains that shares a label with the task.
    pub label: f64,
    /// What a pattern gains that shares a file with the task.
    pub file: f64,
    /// What a pattern gains that shares the phase of the task.
    pub phase: f64,
    /// Labels that begin so are about the process, which nearly every task goes through, and say nothing.
    pub process_label: String,
    /// What a pattern of another role of the same kind weighs.
    pub other_role: f64,
    /// Patterns below this score are not shown with a track record.
    pub least: f64,
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self {
            decay_days: 14.0,
            immune_from: 3,
            rule: 1.3,
            causal: 1.1,
            label: 0.10,
            file: 0.10,
            phase: 0.05,
            process_label: "jkz:".to_owned(),
            other_role: 0.8,
            least: 0.1,
        }
    }
}

/// What the roles are for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoleSettings {
    /// Those that look for faults.
    pub adversarial: Vec<String>,
    /// Those that judge what others found.
    pub validator: Vec<String>,
    /// Those that make something.
    pub creative: Vec<String>,
    /// All others.
    pub utility: Vec<String>,
}

impl Default for RoleSettings {
    fn default() -> Self {
        Self {
            adversarial: words(&["auditor", "judge", "sentinel", "research-auditor"]),
            validator: words(&["curator", "inspector", "lens", "research-reviewer"]),
            creative: words(&["architect", "builder", "doctor", "analyst"]),
            utility: words(&["librarian", "classifier"]),
        }
    }
}

impl RoleSettings {
    /// The roles of the same kind as a role, itself included. None for a role that nobody knows.
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

/// The tools of the program and what they are about.
const TOOLS: [(&str, &[&str]); 2] = [
    ("Bash", &["build", "test", "validation", "python", "cli", "monorepo", "turborepo", "code"]),
    (
        "Edit",
        &[
            "react",
            "components",
            "typescript",
            "editing",
            "design-system",
            "hooks",
            "styling",
            "radix-ui",
            "enums",
            "useMemo",
            "grouping",
            "precision",
            "line-numbers",
        ],
    ),
];

/// Tools that write files as `Edit` does.
const WRITERS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Endings of files and what such files are about.
const ENDINGS: [(&[&str], &[&str]); 5] = [
    (&["tsx", "jsx"], &["react", "jsx"]),
    (&["ts", "js"], &["javascript", "typescript"]),
    (&["py"], &["python"]),
    (&["css", "scss"], &["styling", "css"]),
    (&["json"], &["config", "json"]),
];

impl InjectSettings {
    /// What the use of a tool is about. A tool that the settings name has the settings' tags.
    #[must_use]
    pub fn tags_of_tool(&self, tool: &str) -> Vec<String> {
        if let Some(tags) = self.tools.get(tool) {
            return tags.clone();
        }
        let known = if WRITERS.contains(&tool) { "Edit" } else { tool };
        TOOLS.iter().find(|(name, _)| *name == known).map(|(_, tags)| words(tags)).unwrap_or_default()
    }

    /// What a file is about, by the ending of its name.
    #[must_use]
    pub fn tags_of_ending(&self, ending: &str) -> Vec<String> {
        let ending = ending.to_lowercase();
        // People write endings in several ways.
        let is_meant = |name: &str| name.trim_start_matches('*').trim_start_matches('.').to_lowercase() == ending;
        if let Some((_, tags)) = self.endings.iter().find(|(name, _)| is_meant(name)) {
            return tags.clone();
        }
        ENDINGS.iter().find(|(endings, _)| endings.contains(&&*ending)).map(|(_, tags)| words(tags)).unwrap_or_default()
    }
}

/// The hooks of the agents.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HookSettings {
    /// Agents that are asked to say what they used and what they learned, by their short names.
    pub learning_agents: Vec<String>,
    /// How often in all an agent that says neither is sent back.
    pub retries: u32,
    /// A lesson that was written down so many minutes ago counts as the agent's.
    pub capture_minutes: u32,
    /// Agents whose last words say whether the build passed.
    pub build_agents: Vec<String>,
    /// Whether patterns are shown when a session starts, and not only to the agents that it starts.
    pub session: bool,
    /// Whether a pattern is shown beside a tool's use although the agent has seen it.
    pub repeat: bool,
    /// What hooks of a session left behind that was silent for so many hours is recorded as it is.
    pub abandoned_hours: u32,
}

impl Default for HookSettings {
    fn default() -> Self {
        Self {
            learning_agents: words(&[
                "plan-draft-writer",
                "plan-writer",
                "implementation-subagent",
                "cross-repo-coordinator",
                "generic-discovery",
                "code-reviewer",
                "plan-validator",
                "behavior-verifier",
            ]),
            retries: 2,
            capture_minutes: 5,
            build_agents: words(&["build-validator"]),
            session: false,
            repeat: false,
            abandoned_hours: 24,
        }
    }
}

/// What a score is divided by or weighed with must be a number that makes sense.
pub(super) fn check(settings: &InjectSettings, hook: &HookSettings) -> Outcome<()> {
    let score = &settings.score;
    for (name, tokens) in [("tokens", settings.tokens), ("adversarial_tokens", settings.adversarial_tokens)] {
        if tokens < settings.least_tokens {
            let what =
                format!("the setting `inject.{name}` is {tokens}, less than `inject.least_tokens`: nothing would ever be shown");
            return Err(Diagnostic::edit(what, "raise the one or lower the other"));
        }
    }
    if hook.abandoned_hours == 0 {
        let what = "the setting `hook.abandoned_hours` is 0: sessions would be closed while they work";
        return Err(Diagnostic::edit(what, "write at least 1"));
    }
    let weights = [("rule", score.rule), ("causal", score.causal), ("decay_days", score.decay_days)];
    if let Some((name, value)) = weights.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
        return Err(Diagnostic::edit(format!("the setting `inject.score.{name}` is {value}"), "write a number above 0"));
    }
    if settings.most_characters < LEAST_CHARACTERS {
        let what = format!("the setting `inject.most_characters` is {}", settings.most_characters);
        return Err(Diagnostic::edit(what, format!("write at least {LEAST_CHARACTERS}: a lesson must be told from others")));
    }
    Ok(())
}

fn is_among(name: &str, names: &[String]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
