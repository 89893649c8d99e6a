//! Why a pattern has its figures: the events behind them, how each was matched and what it counts for.

use serde::Serialize;

use super::compute::load_bases;
use super::inquiry::Inquiry;
use super::truth::{TruthExplanation, explain_truth};
use super::write::hash_settings;
use super::{Aim, CycleOptions};
use crate::Arguments;
use event::row::Rows;
use learn::pattern::Sighting;
use learn::truth::{State, Subject};
use learn::{Credit, Offer, Score, closedloop, real};
use score::score_patterns;
use setting::{Compat, Settings};
use store::publish::Generation;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Why a pattern has its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The pattern with its figures, worked out anew.
    pub score: Score,
    /// The captures of its lesson.
    pub sightings: Vec<Sighting>,
    /// Other words in which the lesson was captured.
    pub also_said: Vec<String>,
    /// The applications behind the figures.
    pub reasons: Vec<Reason>,
    /// What is kept of applications whose days were pruned.
    pub past: Vec<PastReason>,
    /// What all those count for, added up one by one.
    pub weight: f64,
    /// What the coins say of it, where any was tossed.
    pub truth: Option<TruthExplanation>,
    /// What changed since the generation was made, so that figures may differ.
    pub drift: Vec<String>,
}

/// An application behind a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The event's id.
    pub event: String,
    pub time_micros: i64,
    /// The inbox file and line it stands in.
    pub place: String,
    pub run_id: String,
    pub iteration: Option<i64>,
    pub agent: Option<String>,
    /// What became of the pattern there.
    pub status: String,
    /// How the event was matched.
    pub tier: String,
    /// Whether a citation of it does not hold.
    pub is_unverified: bool,
    /// What a use rests on: `claimed` by the agent alone, `observed` in what changed, or `refuted` by it. None where it was not used.
    pub evidence: Option<&'static str>,
    /// Whether the goal was met, if one was judged.
    pub is_goal_met: Option<bool>,
    /// How relevant the pattern was, if somebody rated it.
    pub relevance: Option<f64>,
    /// Whether the build failed that judges the work, if one does.
    pub is_build_failed: Option<bool>,
    /// What it counts for; none if it does not count.
    pub weight: Option<f64>,
    /// Why it does not count, if it does not.
    pub passed_over: Option<&'static str>,
}

/// Applications of pruned days that count alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PastReason {
    pub project: String,
    /// What became of the pattern there.
    pub status: String,
    /// How the events were matched.
    pub tier: String,
    /// Whether a citation of each does not hold.
    pub is_unverified: bool,
    /// Whether the goal was met, if one was judged.
    pub is_goal_met: Option<bool>,
    /// Whether the build failed that judges the work, if one does.
    pub is_build_failed: Option<bool>,
    pub applications: i64,
    /// Their relevance, summed, where somebody rated it.
    pub relevance: Option<f64>,
    pub first_micros: i64,
    pub last_micros: i64,
    /// What they count for together; none if they do not count.
    pub weight: Option<f64>,
    /// Why they do not count, if they do not.
    pub passed_over: Option<&'static str>,
}

/// Explains a pattern of a published generation, by working its figures out anew, and its only.
pub fn explain(workspace: &Workspace, generation: &Generation, options: CycleOptions<'_>, id: &str) -> Outcome<Explanation> {
    let settings = options.settings;
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::One(id.to_owned()))?;
    let lessons = inquiry.lessons()?;
    let pattern = lessons.registry.find_id(id).filter(|pattern| pattern.id() == id).ok_or_else(|| {
        Diagnostic::edit(
            format!("there is no pattern `{}`", id.escape_default()),
            "`outerloop patterns list` shows all patterns with their ids",
        )
    })?;
    let truth = explain_truth(&inquiry, generation, &Subject::Pattern(pattern.number))?;
    let mut bases = load_bases(&inquiry)?;
    bases.entry(pattern.number).or_default().is_proven = truth.as_ref().is_some_and(|truth| truth.verdict.verdict == State::Helps);
    let (mut scores, _) = score_patterns(std::iter::once(pattern), &bases, settings)?;
    if let (Some(score), Some(truth)) = (scores.first_mut(), &truth) {
        score.take_verdict(&truth.verdict);
    }
    let score = scores.pop().ok_or_else(|| Diagnostic::bug("a pattern has no figures"))?;
    let asked = Arguments::values([("pattern", i64::from(pattern.number).into())]);
    let (reasons, past): (Vec<Reason>, Vec<PastReason>) = match settings.compat {
        Compat::None => {
            let reasons: Vec<Judged> = inquiry.ask("explanation", &asked, Rows::read)?;
            let past: Vec<Kept> = inquiry.ask("past_explanation", &asked, Rows::read)?;
            (
                reasons.into_iter().map(|one| one.judge(settings)).collect(),
                past.into_iter().map(|kept| kept.judge(settings)).collect(),
            )
        }
        Compat::ClosedLoop => {
            let mut reasons: Vec<JudgedAsRead> = inquiry.load("compat_outcome", Rows::read)?;
            reasons.retain(|one| one.listed.pattern == i64::from(pattern.number));
            (reasons.into_iter().map(|one| one.judge(settings)).collect(), Vec::new())
        }
    };
    let kept = past.iter().filter_map(|past| past.weight).sum::<f64>();
    Ok(Explanation {
        weight: kept + reasons.iter().filter_map(|reason| reason.weight).sum::<f64>(),
        past,
        score,
        sightings: pattern.sightings.clone(),
        also_said: pattern.also_said.clone(),
        reasons,
        truth,
        drift: drift(&inquiry, generation)?,
    })
}

event::row! {
    /// An application, as both ways of counting list it.
    struct Listed {
        event: String = "id",
        time_micros: i64 = "ts_us",
        file: String = "landing_file",
        line: i64 = "landing_line",
        run_id: String,
        iteration: Option<i64>,
        agent: Option<String>,
        status: String,
        pattern: i64,
        tier: String,
        is_unverified: bool,
        is_goal_met: Option<bool>,
    }
}

event::row! {
    struct Judged {
        listed: Listed,
        tool: Option<String>,
        acted: Option<bool>,
        is_checked: Option<bool>,
        relevance_millionths: Option<i64>,
        is_build_failed: Option<bool>,
    }
}

impl Judged {
    fn offer(&self, settings: &Settings) -> Offer {
        Offer::of(self.tool.is_some(), self.acted, self.relevance_millionths.map(millionths), &settings.rate)
    }

    fn judge(self, settings: &Settings) -> Reason {
        let found = Found {
            offer: self.offer(settings),
            is_observed: self.is_checked == Some(true),
            relevance: self.relevance_millionths.map(millionths),
            is_build_failed: self.is_build_failed,
        };
        self.listed.judge(&found, settings)
    }
}

/// What is found out about an application.
struct Found {
    offer: Offer,
    is_observed: bool,
    relevance: Option<f64>,
    is_build_failed: Option<bool>,
}

event::row! {
    /// The original never reads builds, and knows nothing of what was observed.
    struct JudgedAsRead {
        listed: Listed,
        relevance: Option<f64>,
    }
}

impl JudgedAsRead {
    fn judge(self, settings: &Settings) -> Reason {
        let found = Found { offer: Offer::Tool, is_observed: false, relevance: self.relevance, is_build_failed: None };
        self.listed.judge(&found, settings)
    }
}

event::row! {
    struct Kept {
        project: String,
        status: String,
        tier: String,
        is_unverified: bool,
        is_goal_met: Option<bool>,
        is_build_failed: Option<bool>,
        is_rated: bool,
        applications: i64,
        relevance_millionths: Option<i64>,
        first_micros: i64 = "first_us",
        last_micros: i64 = "last_us",
    }
}

impl Listed {
    fn judge(self, found: &Found, settings: &Settings) -> Reason {
        let mut reason = Reason {
            event: self.event,
            time_micros: self.time_micros,
            place: format!("{}:{}", self.file, self.line),
            run_id: self.run_id,
            iteration: self.iteration,
            agent: self.agent,
            passed_over: passed_over(&self.status, Some(found.offer)),
            evidence: (self.status == "applied").then_some(match found.is_observed {
                _ if self.is_unverified => "refuted",
                true => "observed",
                false => "claimed",
            }),
            status: self.status,
            tier: self.tier,
            is_unverified: self.is_unverified,
            is_goal_met: self.is_goal_met,
            relevance: found.relevance,
            is_build_failed: found.is_build_failed,
            weight: None,
        };
        reason.weight = weigh(&reason, found.offer, settings);
        reason
    }
}

impl Kept {
    fn judge(self, settings: &Settings) -> PastReason {
        let mut past = PastReason {
            project: self.project,
            passed_over: passed_over(&self.status, None),
            status: self.status,
            tier: self.tier,
            is_unverified: self.is_unverified,
            is_goal_met: self.is_goal_met,
            is_build_failed: self.is_build_failed,
            applications: self.applications,
            relevance: self.relevance_millionths.filter(|_| self.is_rated).map(millionths),
            first_micros: self.first_micros,
            last_micros: self.last_micros,
            weight: None,
        };
        let PastReason { is_unverified, is_goal_met, is_build_failed, applications, relevance, .. } = past;
        past.weight =
            Credit { status: &past.status, is_unverified, is_goal_met, relevance, is_build_failed, applications, offer: None }
                .weight(&settings.rate);
        past
    }
}

fn passed_over(status: &str, offer: Option<Offer>) -> Option<&'static str> {
    let nothing =
        Credit { status, is_unverified: false, is_goal_met: None, relevance: None, is_build_failed: None, applications: 0, offer };
    nothing.passed_over()
}

/// What one application counts for.
fn weigh(reason: &Reason, offer: Offer, settings: &Settings) -> Option<f64> {
    if settings.compat == Compat::ClosedLoop && reason.passed_over.is_none() {
        let row = closedloop::Row {
            iteration: reason.iteration,
            is_injected: reason.status == "injected",
            is_unverified: reason.is_unverified,
            is_goal_met: reason.is_goal_met,
            relevance: reason.relevance,
        };
        return Some(row.weight());
    }
    let Reason { status, is_unverified, is_goal_met, relevance, is_build_failed, .. } = reason;
    let (is_unverified, is_goal_met, relevance, is_build_failed) = (*is_unverified, *is_goal_met, *relevance, *is_build_failed);
    Credit { status, is_unverified, is_goal_met, relevance, is_build_failed, applications: 1, offer: Some(offer) }
        .weight(&settings.rate)
}

/// What was otherwise when the generation was made, of what an inquiry asked.
pub(super) fn drift(inquiry: &Inquiry<'_>, generation: &Generation) -> Outcome<Vec<String>> {
    let (options, manifest) = (inquiry.options()?, &generation.manifest);
    let mut drift = Vec::new();
    if manifest.program != *options.program {
        drift.push(format!("the program (then {}, now {})", manifest.program, options.program));
    }
    if hash_settings(options.settings)? != manifest.settings_hash {
        drift.push("the settings".to_owned());
    }
    let asked = inquiry.hashes_of_asked().into_iter();
    drift.extend(asked.filter(|(stem, hash)| manifest.queries.get(stem) != Some(hash)).map(|(stem, _)| format!("sql/{stem}.sql")));
    Ok(drift)
}

fn millionths(count: i64) -> f64 {
    real(count) / 1e6
}
