//! The verdict on the whole loop, in words. What it says is measured by coins; this only tells it.

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::phrase::{grouped, percent, points};
use super::{Material, Tone};
use crate::truth::TruthReport;
use learn::real;
use learn::truth::{State, Subject, Sum};

/// Whether the loop helps, by how much, how sure that is, and since when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub state: State,
    /// The difference that lessons make, as a share of tasks.
    pub lift: Option<f64>,
    /// The lower end of its interval, which holds at every look.
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    /// The share of tasks with lessons that met their goal.
    pub with: Option<f64>,
    /// The same of tasks that got no lesson.
    pub without: Option<f64>,
    /// Tasks behind it.
    pub units: u64,
    /// The share of tasks that get no lesson.
    pub share_without: Option<f64>,
    /// The smallest lift that matters.
    pub smallest: f64,
    /// Days until that is told from nothing, by the traffic of the last fortnight.
    pub days_left: Option<u64>,
    /// The day since which the state holds.
    pub since: Option<String>,
    /// What it takes to begin, where nothing is measured.
    pub steps: Vec<Step>,
}

/// How many of the steps are a person's; after them it begins by itself.
const NEEDED: usize = 3;

/// Something that must be there before anything can be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub is_done: bool,
    pub text: String,
    pub command: String,
}

/// Lists the lessons that had a coin, the most harmful first.
const WORST_SHOWN: &str =
    "outerloop query \"select id, verdict, lift, rate, seen, summary from pattern where units > 0 order by lift limit 20\"";

impl Verdict {
    /// Where no task was ever left without lessons by chance.
    pub const fn unmeasured(smallest: f64) -> Self {
        Self {
            state: State::Unassigned,
            lift: None,
            lower: None,
            upper: None,
            with: None,
            without: None,
            units: 0,
            share_without: None,
            smallest,
            days_left: None,
            since: None,
            steps: Vec::new(),
        }
    }

    /// What the coins say of the loop.
    #[must_use]
    pub fn of(truth: &TruthReport<'_>, sums: &[Sum]) -> Self {
        let Some(whole) = truth.whole else { return Self::unmeasured(truth.smallest) };
        let rate = |is_shown: bool| {
            let own =
                sums.iter().filter(|sum| sum.subject == Subject::LOOP && sum.metric == whole.metric && sum.is_shown == is_shown);
            let (units, sum) =
                own.fold((0, 0), |(units, total), sum| (units + sum.units, total + sum.units * sum.outcome_hundredths));
            (units > 0).then(|| real(sum) / real(units) / 100.0)
        };
        Self {
            state: whole.verdict,
            lift: whole.lift,
            lower: whole.lower,
            upper: whole.upper,
            with: rate(true),
            without: rate(false),
            units: whole.units.unsigned_abs(),
            share_without: whole.withheld_share(),
            days_left: whole.days_left.map(i64::unsigned_abs),
            since: whole.since.clone(),
            ..Self::unmeasured(truth.smallest)
        }
    }

    /// Says what it takes to begin, where nothing is measured.
    #[must_use]
    pub(super) fn with_steps(self, material: &Material<'_>) -> Self {
        if self.state != State::Unassigned {
            return self;
        }
        let step = |is_done: bool, text: &str, command: &str| Step { is_done, text: text.to_owned(), command: command.to_owned() };
        let shown = material.totals.applications > 0;
        let judged = material.totals.events.iter().any(|holding| holding.kind == "goal" && holding.events > 0);
        let steps = vec![
            step(shown, "agents are shown lessons by hooks", "outerloop init --claude"),
            step(judged, "tasks are judged: a goal was met or not", "outerloop goal --help"),
            step(material.may_toss, "coins may be tossed: truth.on is not \"never\"", "outerloop init --print-settings"),
        ];
        let begins = step(false, "then a task of an agent: the coins begin by themselves", "outerloop status");
        Self { steps: steps.into_iter().chain([begins]).collect(), ..self }
    }

    pub const fn tone(&self) -> Tone {
        match self.state {
            State::Helps => Tone::Good,
            State::Hurts | State::Broken => Tone::Bad,
            State::NoEffect | State::NotEnough | State::Unassigned | State::Blocked => Tone::Neutral,
        }
    }

    /// What kind of statement it is, in a few words.
    pub const fn kind(&self) -> &'static str {
        match self.state {
            State::Helps | State::Hurts | State::NoEffect | State::Blocked => "measured by holdout",
            State::NotEnough => "measuring",
            State::Unassigned => "not measured",
            State::Broken => "broken",
        }
    }

    /// The answer, and behind it the figure where there is one.
    pub fn headline(&self) -> (String, Option<String>) {
        let figure = || self.lift.map(|lift| format!("{} points", points(lift)));
        match self.state {
            State::Helps => ("The loop helps".to_owned(), figure()),
            State::Hurts => ("The loop hurts".to_owned(), figure()),
            State::Blocked => ("The loop helps, but a guarded outcome got worse".to_owned(), figure()),
            State::NoEffect => (format!("No effect larger than {:.0} points", self.smallest * 100.0), None),
            State::NotEnough => match self.days_left {
                Some(days) => ("Not enough data yet".to_owned(), Some(format!("about {days} {} left", days_word(days)))),
                None => ("Not enough data yet".to_owned(), None),
            },
            State::Unassigned => ("Nobody knows yet whether the loop helps".to_owned(), None),
            State::Broken => ("The measurement is broken".to_owned(), None),
        }
    }

    /// The headline as one line of text.
    pub fn title(&self) -> String {
        match self.headline() {
            (text, Some(figure)) => format!("{text}: {figure}"),
            (text, None) => text,
        }
    }

    /// How it was found out, and how sure it is.
    pub fn sentence(&self) -> String {
        let tasks = format!("{} {}", grouped_units(self.units), if self.units == 1 { "task" } else { "tasks" });
        let arms = self.with.zip(self.without).map_or_else(String::new, |(with, without)| {
            format!("{} of tasks met their goal with lessons, {} without. ", percent(with), percent(without))
        });
        let without = self.share_without.map_or_else(String::new, |share| format!(", {} of them without", percent(share)));
        let since = self.since.as_ref().map_or_else(String::new, |day| format!(" So since {day}."));
        match self.state {
            State::Helps | State::Hurts | State::Blocked => {
                format!("{arms}{tasks}{without}. The range holds however often you look.{since}")
            }
            State::NoEffect => {
                format!("{arms}{tasks}{without}. The range rules out a larger effect, in either direction.{since}")
            }
            State::NotEnough => format!("{arms}{tasks}{without}. The range still holds both a gain and a loss."),
            State::Unassigned => {
                "To find out, some tasks must get no lessons, chosen by a coin that is logged. So far no task did, \
                                  so the figures below say what happened, not what lessons caused."
                    .to_owned()
            }
            State::Broken => {
                format!("{tasks}. More or fewer tasks got lessons than the coin allows, so events are missing. Nothing is said.")
            }
        }
    }

    /// What to do about it.
    pub(super) fn action(&self) -> Option<Action> {
        let action = |tone, text: &str, command: &str| Some(Action { tone, text: text.to_owned(), command: command.to_owned() });
        match self.state {
            State::Helps | State::NotEnough => None,
            State::Blocked => action(Tone::Neutral, "Find out what costs more with the lessons.", "outerloop report --format md"),
            State::Hurts => {
                action(Tone::Bad, "The lessons shown do more harm than good: see which of them, and retire those.", WORST_SHOWN)
            }
            State::NoEffect => action(Tone::Neutral, "The lessons in use change little: review the weakest.", WORST_SHOWN),
            State::Unassigned => {
                let open = self.steps.iter().take(NEEDED).find(|step| !step.is_done)?;
                action(Tone::Neutral, &format!("Find out whether lessons help. Missing: {}.", open.text), &open.command)
            }
            State::Broken => action(Tone::Bad, "Find out which events are missing.", "outerloop doctor"),
        }
    }
}

const fn days_word(days: u64) -> &'static str {
    if days == 1 { "day" } else { "days" }
}

fn grouped_units(units: u64) -> String {
    grouped(i64::try_from(units).unwrap_or(i64::MAX))
}
