//! What a classifier made of a lesson, and its event.

use jiff::Timestamp;

use event::Draft;
use event::field::ClassificationStatus;
use learn::pattern::Category;
use text::digest::sha256;
use text::fit::plain_text;

use super::lesson::PendingLesson;

/// Whom a lesson is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those who build the agents' framework.
    ClosedLoop,
    /// Those who work with it.
    Organization,
}

impl Scope {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClosedLoop => "closedloop",
            Self::Organization => "organization",
        }
    }

    /// The scope of that word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::ClosedLoop, Self::Organization].into_iter().find(|scope| scope.name() == name)
    }
}

/// What a classifier made of a lesson. Texts are one line each, bounded and printable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// Whether it stands, and whether in its own words.
    pub status: ClassificationStatus,
    /// Whom it is for; none if it was rejected.
    pub scope: Option<Scope>,
    /// What sort of lesson it is; none if it was rejected.
    pub category: Option<Category>,
    /// The repository it holds in, `*` for all; none if it was rejected.
    pub repo: Option<String>,
    /// Its words; none if it was rejected.
    pub summary: Option<String>,
    /// The words that it was captured in, if it stands in others.
    pub original_summary: Option<String>,
    /// When it applies.
    pub trigger: Option<String>,
    /// The agents that it is for.
    pub applies_to: Vec<String>,
    pub tags: Vec<String>,
    /// Why it was rejected, reworded or narrowed.
    pub reason: Option<String>,
}

/// The most characters of an original summary and of a reason that an event keeps.
const MOST_CHARACTERS: usize = 4000;

impl Classification {
    /// A lesson that does not become a pattern, and why.
    #[must_use]
    pub fn rejected(reason: &str) -> Self {
        Self {
            status: ClassificationStatus::Rejected,
            scope: None,
            category: None,
            repo: None,
            summary: None,
            original_summary: None,
            trigger: None,
            applies_to: Vec::new(),
            tags: Vec::new(),
            reason: Some(plain_text(reason, MOST_CHARACTERS)),
        }
    }

    /// The same with the words that the lesson stands in. They say whether it was reworded.
    #[must_use]
    pub fn in_words(mut self, summary: String, original: &str) -> Self {
        let is_same = summary == original;
        self.status = if is_same { ClassificationStatus::Approved } else { ClassificationStatus::Reworded };
        self.original_summary = (!is_same).then(|| original.chars().take(MOST_CHARACTERS).collect());
        self.summary = Some(summary);
        self
    }

    /// The line of its event, or why there can be none.
    ///
    /// Its id follows from what it says, of which lesson, and when: a lesson that is classified once more gets another one,
    /// and the same run repeated gives the same lines.
    pub fn line(&self, lesson: &PendingLesson, classifier: &str, time: Timestamp) -> Result<String, String> {
        let content = self.members(Draft::new("classification", time, &lesson.project), lesson, classifier).finish()?;
        let id = format!("classification-{}", &sha256(content.as_bytes())[..32]);
        self.members(Draft::new("classification", time, &lesson.project).with("id", id), lesson, classifier).finish()
    }

    fn members(&self, draft: Draft, lesson: &PendingLesson, classifier: &str) -> Draft {
        draft
            .with("learning_id", lesson.id.as_str())
            .with("status", self.status.get())
            .with("classifier", classifier)
            .with_some("scope", self.scope.map(Scope::name))
            .with_some("category", self.category.map(Category::name))
            .with_some("repo", self.repo.as_deref())
            .with_some("summary", self.summary.as_deref())
            .with_some("original_summary", self.original_summary.as_deref())
            .with_some("trigger", self.trigger.as_deref())
            .with_items("applies_to", self.applies_to.clone())
            .with_items("tags", self.tags.clone())
            .with_some("reason", self.reason.as_deref())
    }
}
