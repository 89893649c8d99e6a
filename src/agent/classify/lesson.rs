//! A lesson that waits for a classifier.

use serde::Serialize;

use event::row::{Rows, list_at, text_at};
use text::diagnostic::Outcome;

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
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The places that it cites, as `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<String>,
    /// The file that its writer worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_file: Option<String>,
    /// The name of the repository that its writer worked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_name: Option<String>,
    /// The top folder of that repository. Stays on this machine.
    #[serde(skip)]
    pub repo_top: Option<String>,
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

/// Reads the rows of `sql/pending.sql`.
pub fn parse_pending(rows: &Rows) -> Outcome<Vec<PendingLesson>> {
    let mut lessons = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (ids, projects, agents) = (part.texts("id")?, part.texts("project")?, part.texts("agent")?);
        let (summaries, whats, whys, fixes) = (part.texts("summary")?, part.texts("what")?, part.texts("why")?, part.texts("fix")?);
        let (triggers, categories) = (part.texts("trigger")?, part.texts("category")?);
        let (scopes, repos, contexts) = (part.texts("scope")?, part.texts("repo")?, part.texts("context")?);
        let homes = part.texts("repo_name")?;
        let (agents_for, tags, citations) = (part.lists("applies_to")?, part.lists("tags")?, part.lists("citations")?);
        for row in 0..part.len() {
            lessons.push(PendingLesson {
                id: text_at(ids, row).unwrap_or_default(),
                project: text_at(projects, row).unwrap_or_default(),
                agent: text_at(agents, row),
                summary: text_at(summaries, row).unwrap_or_default(),
                what: text_at(whats, row),
                why: text_at(whys, row),
                fix: text_at(fixes, row),
                trigger: text_at(triggers, row),
                category: text_at(categories, row),
                scope: text_at(scopes, row),
                repo: text_at(repos, row),
                applies_to: list_at(agents_for, row),
                tags: list_at(tags, row),
                citations: list_at(citations, row),
                context_file: text_at(contexts, row).and_then(|context| file_of(&context)),
                repo_name: text_at(homes, row),
                repo_top: None,
            });
        }
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
