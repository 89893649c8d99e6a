//! What a validator rejects, in the judged role's words.

use text::review::{Issue, Likeness, Reported, VerdictBlock, locate_finding, plain_id};
use text::word::Tokens;
use text::{fit, limit};

/// A finding that the validator rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// As the validator names it.
    pub entry: String,
    /// What is looked for among the role's patterns: the pattern that the finding names, else the finding's own summary, else the line
    /// of the report, else the validator's words.
    pub text: String,
    /// The line of the report that speaks of it.
    pub line: Option<String>,
    /// How it was found: `exact`, `fuzzy`, or `none` where the judged text does not speak of it.
    pub found: &'static str,
}

/// The report that is judged.
pub(super) struct Judged<'j> {
    pub(super) text: &'j str,
    /// The verdict that it ends with.
    pub(super) block: &'j VerdictBlock,
    pub(super) patterns: &'j [Reported],
    pub(super) likeness: Likeness,
}

impl Judged<'_> {
    /// The findings that an entry of a validator's list means: one, or several where it lists ids.
    pub(super) fn find(&self, entry: &str) -> Vec<Finding> {
        let issues = self.issues_meant(entry);
        if issues.is_empty() {
            return vec![self.located(entry, entry, None)];
        }
        let words = |issue: &'_ Issue| if issue.summary.is_empty() { issue.id.clone() } else { issue.summary.clone() };
        issues.into_iter().map(|issue| self.located(entry, &words(issue), Some(issue))).collect()
    }

    fn located(&self, entry: &str, needle: &str, issue: Option<&Issue>) -> Finding {
        let located = locate_finding(needle, issue.map(|issue| &*issue.id), self.text, self.likeness);
        let found = located.as_ref().map_or("none", |located| if located.is_exact { "exact" } else { "fuzzy" });
        let line = located.map(|located| located.line);
        let named = issue.and_then(|issue| self.pattern_of(issue));
        let summary = issue.map(|issue| &*issue.summary).filter(|summary| !summary.is_empty());
        let text = named.or(summary).or(line.as_deref()).unwrap_or(needle);
        Finding { entry: entry.to_owned(), text: fit::cut(text, limit::ITEM_BYTES).to_owned(), found, line }
    }

    /// The pattern that an issue is a case of: as it says, or as a reported pattern says.
    pub(super) fn pattern_of<'i>(&'i self, issue: &'i Issue) -> Option<&'i str> {
        let said = issue.pattern.as_deref();
        let names = |reported: &&Reported| reported.findings.contains(&issue.id);
        said.or_else(|| self.patterns.iter().find(names).map(|reported| &*reported.saying))
    }

    /// The issues of the report that an entry means: by their ids, else the one whose summary shares the most words with it.
    fn issues_meant(&self, entry: &str) -> Vec<&Issue> {
        let issues = &self.block.issues;
        let by_id = |id: &str| issues.iter().find(|issue| plain_id(&issue.id) == plain_id(id) && !plain_id(id).is_empty());
        if let Some(issue) = by_id(entry) {
            return vec![issue];
        }
        let words: Vec<&str> = entry.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '-' | '_' | '#'))).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("and")).collect();
        if words.iter().all(|word| by_id(word).is_some()) {
            return words.into_iter().filter_map(by_id).collect();
        }
        // A number by itself is an id only where it opens the entry.
        let is_id = |word: &&str| word.chars().any(char::is_alphabetic);
        let mut named: Vec<&Issue> = words.iter().copied().filter(is_id).filter_map(by_id).collect();
        named.dedup_by_key(|issue| &issue.id);
        let opens = |issue: &&Issue| {
            let behind = entry.trim_start_matches(['[', '(', '#']).get(issue.id.len()..).unwrap_or_default();
            words.first().is_some_and(|word| plain_id(word) == plain_id(&issue.id)) && behind.starts_with([':', '.', ')', ']', ' '])
        };
        if let Some(issue) =
            issues.iter().find(|issue| opens(issue) && (named.contains(issue) || !entry.starts_with(char::is_alphabetic)))
        {
            return vec![issue];
        }
        if let [only] = named[..] {
            return vec![only];
        }
        self.issue_alike(entry).into_iter().collect()
    }

    /// The issue whose summary is most like an entry, if no other is as much.
    fn issue_alike(&self, entry: &str) -> Option<&Issue> {
        let words = Tokens::stems(entry);
        let alike = self.block.issues.iter().map(|issue| (Tokens::stems(&issue.summary), issue));
        let alike = alike.filter(|(own, _)| self.likeness.is_alike(own, &words)).map(|(own, issue)| (own.likeness(&words), issue));
        let mut ranked: Vec<(f64, &Issue)> = alike.collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        match ranked[..] {
            [(first, _), (second, _), ..] if first <= second => None,
            [(_, issue), ..] => Some(issue),
            [] => None,
        }
    }
}
