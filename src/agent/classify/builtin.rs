//! The built-in classifier: rules that give the same answer for the same lesson.

use learn::pattern::Category;
use setting::CaptureSettings;
use text::fit::{plain_text, quoted};

use super::gate::{GateFault, judge_quality};
use super::keyword::find_phrase;
use super::lesson::{Classification, PendingLesson, Scope};
use super::place::find_place;
use super::wording::reworded;

pub fn classify(lesson: &PendingLesson, settings: &CaptureSettings) -> Classification {
    let summary = match pass_gates(lesson, settings) {
        Ok(summary) => summary,
        Err(reasons) => return Classification::rejected(&reasons),
    };
    let (repo, reason) = repo_of(lesson);
    let classification = Classification {
        scope: Some(scope_of(&summary, lesson)),
        category: Some(category_of(&summary, lesson)),
        repo: Some(repo),
        reason,
        ..unclassified(lesson)
    };
    classification.in_words(summary, &lesson.summary)
}

/// The normalised wording of an acceptable lesson, or the reason for refusing it without a classifier.
///
/// Only tidy words are judged: a lesson that is too long for the code in it becomes short enough without.
pub(super) fn pass_gates(lesson: &PendingLesson, settings: &CaptureSettings) -> Result<String, String> {
    let summary = reworded(lesson, settings);
    let tidy = PendingLesson { summary, trigger: lesson.trigger.clone(), ..PendingLesson::default() };
    let faults = judge_quality(&tidy, settings);
    if faults.is_empty() {
        return Ok(tidy.summary);
    }
    let reasons: Vec<String> = faults.iter().map(GateFault::to_string).collect();
    Err(reasons.join("; "))
}

/// What a lesson says of itself that no classifier has to decide.
pub(super) fn unclassified(lesson: &PendingLesson) -> Classification {
    const MOST_CHARACTERS: usize = 200;
    let trigger =
        lesson.trigger.as_deref().map(|trigger| plain_text(trigger, MOST_CHARACTERS)).filter(|trigger| !trigger.is_empty());
    Classification {
        trigger,
        applies_to: labels(&lesson.applies_to),
        tags: labels(&lesson.tags),
        reason: None,
        ..Classification::rejected("")
    }
}

fn labels(items: &[String]) -> Vec<String> {
    const MOST_CHARACTERS: usize = 200;
    items.iter().map(|item| plain_text(item, MOST_CHARACTERS)).filter(|item| !item.is_empty()).collect()
}

/// What only the framework of the agents has: its agents, its hooks, its folders, its words.
const FRAMEWORK: [&str; 33] = [
    "closedloop",
    ".closedloop-ai",
    ".claude/agents",
    ".learnings",
    "org-patterns.toon",
    "learnings_acknowledged",
    "subagent",
    "subagents",
    "sub-agent",
    "sub-agents",
    "plan-draft-writer",
    "plan-writer",
    "implementation-subagent",
    "cross-repo-coordinator",
    "generic-discovery",
    "code-reviewer",
    "plan-validator",
    "behavior-verifier",
    "build-validator",
    "learning-capture",
    "subagent-start",
    "subagent-stop",
    "subagentstart",
    "subagentstop",
    "pretooluse",
    "stop hook",
    "agent workflow",
    "agent's workflow",
    "agentic workflow",
    "planning workflow",
    "workflow phase",
    "agent prompt",
    "agent prompts",
];

const ORCHESTRATED: [&str; 8] = ["kubernetes", "container", "containers", "docker", "saga", "airflow", "nomad", "swarm"];

fn scope_of(summary: &str, lesson: &PendingLesson) -> Scope {
    let said = format!("{summary}\n{}", lesson.trigger.as_deref().unwrap_or_default()).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| has_name(&said, word));
    let is_own = lesson.scope.as_deref().is_some_and(|scope| scope.trim() == Scope::ClosedLoop.name());
    let orchestrates = has(&["orchestrator", "orchestrators"]) && !has(&ORCHESTRATED);
    if is_own || orchestrates || has(&FRAMEWORK) { Scope::ClosedLoop } else { Scope::Organization }
}

/// Whether a name stands in a text, also as the beginning or the end of a path.
fn has_name(lowered: &str, name: &str) -> bool {
    let is_letter = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    lowered.match_indices(name).any(|(at, _)| {
        let is_parted_before = !lowered[..at].ends_with(is_letter);
        is_parted_before && !lowered[at + name.len()..].starts_with(is_letter)
    })
}

fn category_of(summary: &str, lesson: &PendingLesson) -> Category {
    const MISTAKE: [&str; 17] = [
        "never",
        "avoid",
        "avoids",
        "do not",
        "don't",
        "don’t",
        "must not",
        "should not",
        "broke",
        "breaks",
        "failed",
        "fails",
        "wrong",
        "bug",
        "bugs",
        "crashes",
        "crashed",
    ];
    const CONVENTION: [&str; 10] =
        ["always", "we use", "we write", "we keep", "naming", "named", "style", "prefer", "must", "convention"];
    const PATTERN: [&str; 3] = ["works", "work well", "pattern"];
    if let Some(own) = lesson.category.as_deref().and_then(Category::from_name) {
        return own.family();
    }
    let lowered = summary.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| find_phrase(&lowered, word).is_some());
    let is_advice = has(&["use", "using"]) && has(&["when", "to", "for", "instead of"]);
    if has(&MISTAKE) {
        Category::Mistake
    } else if has(&CONVENTION) {
        Category::Convention
    } else if is_advice || has(&PATTERN) {
        Category::Pattern
    } else {
        Category::Insight
    }
}

/// The repository that a lesson holds in, and why it is not all of them. A writer who names one knows best.
fn repo_of(lesson: &PendingLesson) -> (String, Option<String>) {
    if let Some(own) = lesson.own_repo() {
        return (own.to_owned(), None);
    }
    // The words as they were captured: tidying removes the very words that tell.
    match find_place(&lesson.summary, lesson) {
        Some(words) => {
            (lesson.home().to_owned(), Some(format!("holds in {} only: it names {}", quoted(lesson.home()), quoted(&words))))
        }
        None => ("*".to_owned(), None),
    }
}
