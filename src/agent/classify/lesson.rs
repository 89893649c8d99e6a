//! A lesson that waits for a classifier, and what a classifier made of it.

use jiff::Timestamp;
use serde::Serialize;

use event::Draft;
use event::cell::Row as _;
use event::field::ClassificationStatus;
use event::row::Rows;
use learn::pattern::Category;
use text::diagnostic::Outcome;
use text::digest::sha256;
use text::fit::plain_text;

event::row! {
    /// A lesson that landed as pending. All of its texts were written by agents: data, whatever they say.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct PendingLesson {
        /// The id of the event that captured it.
        pub id: String,
        pub project: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub agent: Option<String>,
        pub summary: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub what: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub why: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fix: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub trigger: Option<String>,
        /// What sort of lesson its writer takes it for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub category: Option<String>,
        /// Whom its writer means it for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scope: Option<String>,
        /// The repository that its writer limits it to.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub repo: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub applies_to: Vec<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub tags: Vec<String>,
        /// The places that it cites, as `path:line`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub citations: Vec<String>,
        /// The file that its writer worked on.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub context_file: Option<String> = "context",
        /// The name of the repository that its writer worked in.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub repo_name: Option<String>,
        /// The top folder of that repository. Stays on this machine.
        #[serde(skip)]
        pub repo_top: Option<String>,
    }
}

impl PendingLesson {
    /// The name that a lesson of this place only is kept under: the repository's, else the project's.
    pub fn home(&self) -> &str {
        present(self.repo_name.as_ref()).unwrap_or(&self.project)
    }

    /// The repository that its writer limits it to, if any.
    pub fn own_repo(&self) -> Option<&str> {
        present(self.repo.as_ref()).filter(|repo| *repo != "*")
    }

    /// The repositories that it may be kept for: all, or one of those it has to do with.
    pub fn repo_choices(&self) -> Vec<&str> {
        let mut choices = vec!["*"];
        for name in [self.own_repo(), present(self.repo_name.as_ref()), Some(self.project.as_str())].into_iter().flatten() {
            if !choices.contains(&name) {
                choices.push(name);
            }
        }
        choices
    }
}

/// Reads the rows of `sql/pending.sql`, which know nothing of this machine's folders. Of the context only the file is kept.
pub fn parse_pending(rows: &Rows) -> Outcome<Vec<PendingLesson>> {
    let mut lessons: Vec<PendingLesson> = rows.padded(&PendingLesson::schema())?.read()?;
    for lesson in &mut lessons {
        lesson.context_file = lesson.context_file.as_deref().and_then(file_of);
    }
    Ok(lessons)
}

fn present(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn file_of(context: &str) -> Option<String> {
    let context: serde_json::Value = serde_json::from_str(context).ok()?;
    context.get("file")?.as_str().map(str::to_owned)
}

/// Whom a lesson is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those who build the agents' framework.
    ClosedLoop,
    Organization,
}

impl Scope {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClosedLoop => "closedloop",
            Self::Organization => "organization",
        }
    }

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
    pub trigger: Option<String>,
    pub applies_to: Vec<String>,
    pub tags: Vec<String>,
    /// Why it was rejected, reworded or narrowed.
    pub reason: Option<String>,
}

/// The most characters of an original summary and of a reason that an event keeps.
const MOST_CHARACTERS: usize = 4000;

impl Classification {
    /// A lesson that does not become a pattern, and why.
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
