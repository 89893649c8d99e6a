//! What a reader should get in a minute: the verdict, what to do, how it goes week by week, what changed. The page, the terminal
//! and the Markdown all show this one overview.

mod action;
mod fact;
mod news;
mod phrase;
mod verdict;
mod week;

use serde::{Deserialize, Serialize};

use crate::observation::ObservationReport;
use crate::policy::PolicyReport;
use crate::report::{Merging, Refusal, Totals};
use crate::role::RoleReport;
use learn::observation::ObservationScore;
use learn::{History, Score};

pub use action::Action;
pub use fact::Fact;
pub use news::News;
pub(crate) use phrase::SMALL;
pub use phrase::{grouped, percent, points, shell_word};
pub use verdict::{Step, Verdict};
pub use week::Week;
pub(crate) use week::adapter_weeks;

/// How a thing stands, which decides its colour; words say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    #[default]
    Neutral,
    Good,
    Bad,
}

/// What a reader should get in a minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    pub verdict: Verdict,
    /// At most five, the most urgent first.
    pub actions: Vec<Action>,
    pub facts: Vec<Fact>,
    /// The last weeks, the earliest first, from the first that has a run.
    pub weeks: Vec<Week>,
    /// What changed in the last seven days, the most important first.
    pub news: Vec<News>,
    /// How many changes the list leaves out.
    pub more_news: usize,
}

/// What an overview is made from.
pub struct Material<'m> {
    pub as_of_micros: i64,
    pub verdict: Verdict,
    pub scores: &'m [Score],
    pub history: &'m History,
    pub observed: &'m [ObservationScore],
    pub totals: &'m Totals,
    pub merging: &'m Merging,
    pub policy: &'m PolicyReport,
    pub roles: &'m RoleReport,
    pub observations: &'m ObservationReport,
    pub quarantine: &'m [Refusal],
    /// Whether the settings allow coins.
    pub may_toss: bool,
}

/// Makes the overview.
pub fn make_overview(material: &Material<'_>) -> Overview {
    let weeks = week::list_weeks(material.history, material.as_of_micros);
    let verdict = material.verdict.clone().with_steps(material);
    let (news, more_news) = news::list_news(material, &weeks);
    Overview {
        actions: action::list_actions(material, &verdict, &weeks),
        facts: fact::list_facts(material, &weeks),
        verdict,
        weeks,
        news,
        more_news,
    }
}
