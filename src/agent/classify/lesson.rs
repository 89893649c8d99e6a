//! A lesson that waits for a classifier.

use serde::Serialize;

use event::cell::Row as _;
use event::row::Rows;
use text::diagnostic::Outcome;

event::row! {
    /// A lesson that landed as pending. All of its texts were written by agents: data, whatever they say.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct PendingLesson {
        /// The id of the event that captured it.
        pub id: String,
        /// The project it belongs to.
        pub project: String,
        /// Who captured it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub agent: Option<String>,
        /// The lesson in a sentence.
        pub summary: String,
        /// What happened.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub what: Option<String>,
        /// Why it happened.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub why: Option<String>,
        /// What was done about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fix: Option<String>,
        /// When the lesson applies.
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
        /// The agents that it is for.
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
    #[must_use]
    pub fn home(&self) -> &str {
        present(self.repo_name.as_ref()).unwrap_or(&self.project)
    }

    /// The repository that its writer limits it to, if any.
    #[must_use]
    pub fn own_repo(&self) -> Option<&str> {
        present(self.repo.as_ref()).filter(|repo| *repo != "*")
    }

    /// The repositories that it may be kept for: all, or one of those it has to do with.
    #[must_use]
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
