//! Why a pattern has its figures: the events behind them, how each was matched and what it counts for.

use serde::Serialize;

use super::compute::load_bases;
use super::inquiry::Inquiry;
use super::write::hash_settings;
use super::{Aim, CycleOptions};
use crate::Arguments;
use event::row::{Part, Rows, flag_at, number_at, real_at, text_at};
use learn::pattern::Sighting;
use learn::{Score, closedloop, real};
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
    /// What changed since the generation was made, so that figures may differ.
    pub drift: Vec<String>,
}

/// An application behind a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The event's id.
    pub event: String,
    /// When it happened, in microseconds since 1970.
    pub time_micros: i64,
    /// The inbox file and line it stands in.
    pub place: String,
    /// The run.
    pub run_id: String,
    /// The iteration.
    pub iteration: Option<i64>,
    /// The agent.
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
    /// The project.
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
    /// How many there were.
    pub applications: i64,
    /// Their relevance, summed, where somebody rated it.
    pub relevance: Option<f64>,
    /// The first of them, in microseconds since 1970.
    pub first_micros: i64,
    /// The last of them, in microseconds since 1970.
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
    let (mut scores, _) = score_patterns(std::iter::once(pattern), &load_bases(&inquiry)?, settings)?;
    let score = scores.pop().ok_or_else(|| Diagnostic::bug("a pattern has no figures"))?;
    let asked = Arguments::values([("pattern", i64::from(pattern.number).into())]);
    let (mut reasons, past) = match settings.compat {
        Compat::None => (
            inquiry.ask("explanation", &asked, |rows| {
                parse_reasons(rows, |part, row| Ok(number_at(part.numbers("relevance_millionths")?, row).map(millionths)))
            })?,
            inquiry.ask("past_explanation", &asked, |rows| parse_past(rows, settings))?,
        ),
        Compat::ClosedLoop => {
            let mut reasons = inquiry
                .load("compat_outcome", |rows| parse_reasons(rows, |part, row| Ok(real_at(part.reals("relevance")?, row))))?;
            reasons.retain(|(number, _)| *number == i64::from(pattern.number));
            (reasons, Vec::new())
        }
    };
    for (_, reason) in &mut reasons {
        reason.weight = weigh(reason, settings);
    }
    let reasons: Vec<Reason> = reasons.into_iter().map(|(_, reason)| reason).collect();
    let kept = past.iter().filter_map(|past| past.weight).sum::<f64>();
    Ok(Explanation {
        weight: kept + reasons.iter().filter_map(|reason| reason.weight).sum::<f64>(),
        past,
        score,
        sightings: pattern.sightings.clone(),
        also_said: pattern.also_said.clone(),
        reasons,
        drift: drift(&inquiry, generation)?,
    })
}

/// Reads applications, each with the number of its pattern.
fn parse_reasons(rows: &Rows, relevance: impl Fn(Part<'_>, usize) -> Outcome<Option<f64>>) -> Outcome<Vec<(i64, Reason)>> {
    let mut reasons = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (ids, times, runs) = (part.texts("id")?, part.numbers("ts_us")?, part.texts("run_id")?);
        let (iterations, agents, statuses) = (part.numbers("iteration")?, part.texts("agent")?, part.texts("status")?);
        let (files, lines, tiers) = (part.texts("landing_file")?, part.numbers("landing_line")?, part.texts("tier")?);
        let (unverified, goals) = (part.flags("is_unverified")?, part.flags("is_goal_met")?);
        let patterns = part.numbers("pattern")?;
        // The original never reads builds, and knows nothing of what was observed.
        let builds = part.flags("is_build_failed").ok();
        let (tools, acted, checked) = (part.texts("tool").ok(), part.flags("acted").ok(), part.flags("is_checked").ok());
        for row in 0..part.len() {
            let status = text_at(statuses, row).unwrap_or_default();
            let is_unverified = flag_at(unverified, row).unwrap_or(false);
            let is_beside_tool = tools.is_none_or(|tools| text_at(tools, row).is_some());
            let offer = if is_beside_tool {
                Offer::Tool
            } else if acted.and_then(|acted| flag_at(acted, row)) == Some(false) {
                Offer::Idle
            } else {
                Offer::Irrelevant
            };
            let reason = Reason {
                event: text_at(ids, row).unwrap_or_default(),
                time_micros: number_at(times, row).unwrap_or_default(),
                place: format!("{}:{}", files.value(row), lines.value(row)),
                run_id: text_at(runs, row).unwrap_or_default(),
                iteration: number_at(iterations, row),
                agent: text_at(agents, row),
                passed_over: passed_over(&status, Some(offer)),
                evidence: (status == "applied").then(|| match checked.and_then(|checked| flag_at(checked, row)) {
                    _ if is_unverified => "refuted",
                    Some(true) => "observed",
                    _ => "claimed",
                }),
                status,
                tier: text_at(tiers, row).unwrap_or_default(),
                is_unverified,
                is_goal_met: flag_at(goals, row),
                relevance: relevance(part, row)?,
                is_build_failed: builds.and_then(|builds| flag_at(builds, row)),
                weight: None,
            };
            reasons.push((number_at(patterns, row).unwrap_or_default(), reason));
        }
    }
    Ok(reasons)
}

/// Reads what is kept of pruned applications.
fn parse_past(rows: &Rows, settings: &Settings) -> Outcome<Vec<PastReason>> {
    let mut past = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (projects, statuses, tiers) = (part.texts("project")?, part.texts("status")?, part.texts("tier")?);
        let (unverified, goals) = (part.flags("is_unverified")?, part.flags("is_goal_met")?);
        let (builds, rated) = (part.flags("is_build_failed")?, part.flags("is_rated")?);
        let (counts, relevances) = (part.numbers("applications")?, part.numbers("relevance_millionths")?);
        let (firsts, lasts) = (part.numbers("first_us")?, part.numbers("last_us")?);
        for row in 0..part.len() {
            let is_rated = flag_at(rated, row).unwrap_or(false);
            let status = text_at(statuses, row).unwrap_or_default();
            let mut sum = PastReason {
                project: text_at(projects, row).unwrap_or_default(),
                passed_over: passed_over(&status, None),
                status,
                tier: text_at(tiers, row).unwrap_or_default(),
                is_unverified: flag_at(unverified, row).unwrap_or(false),
                is_goal_met: flag_at(goals, row),
                is_build_failed: flag_at(builds, row),
                applications: number_at(counts, row).unwrap_or_default(),
                relevance: number_at(relevances, row).filter(|_| is_rated).map(millionths),
                first_micros: number_at(firsts, row).unwrap_or_default(),
                last_micros: number_at(lasts, row).unwrap_or_default(),
                weight: None,
            };
            sum.weight = weigh_past(&sum, settings);
            past.push(sum);
        }
    }
    Ok(past)
}

/// Why a pattern could not have been used where it was shown.
#[derive(Debug, Clone, Copy)]
enum Offer {
    Tool,
    Idle,
    Irrelevant,
}

/// Why applications of a status count for nothing, where they do: not even as sightings. Sums do not keep why something was offered.
fn passed_over(status: &str, offer: Option<Offer>) -> Option<&'static str> {
    match (status, offer) {
        ("withheld", _) => Some("held back (holdout), weight 0"),
        ("offered", Some(Offer::Tool)) => Some("offered beside a tool call, not a sighting"),
        ("offered", Some(Offer::Idle)) => Some("offered to an agent that changed no file and ran no command, not a sighting"),
        ("offered", Some(Offer::Irrelevant)) => Some("offered where nothing that it is relevant to was touched, not a sighting"),
        ("offered", None) => Some("offered where it could not be used, not a sighting"),
        _ => None,
    }
}

/// What applications that count alike count for together.
fn weigh_past(past: &PastReason, settings: &Settings) -> Option<f64> {
    if past.passed_over.is_some() {
        return None;
    }
    if past.status != "applied" || past.is_unverified {
        return Some(0.0);
    }
    let count = real(past.applications);
    let full = match past.is_goal_met {
        Some(false) if settings.rate.goal_weighted => {
            settings.rate.missed_goal * past.relevance.unwrap_or(settings.rate.unrated_relevance * count)
        }
        _ => count,
    };
    Some(full * build_part(past.is_build_failed, settings))
}

/// The part that a failed build leaves of what an application counts for.
fn build_part(is_build_failed: Option<bool>, settings: &Settings) -> f64 {
    if is_build_failed == Some(true) { settings.rate.failed_build } else { 1.0 }
}

/// What one application counts for: the rule behind the sums of `sql/rollup/evidence.sql`, for one event.
fn weigh(reason: &Reason, settings: &Settings) -> Option<f64> {
    if reason.passed_over.is_some() {
        return None;
    }
    if settings.compat == Compat::ClosedLoop {
        let row = closedloop::Row {
            iteration: reason.iteration,
            is_injected: reason.status == "injected",
            is_unverified: reason.is_unverified,
            is_goal_met: reason.is_goal_met,
            relevance: reason.relevance,
        };
        return Some(row.weight());
    }
    if reason.status != "applied" || reason.is_unverified {
        return Some(0.0);
    }
    let full = match reason.is_goal_met {
        Some(false) if settings.rate.goal_weighted => {
            settings.rate.missed_goal * reason.relevance.unwrap_or(settings.rate.unrated_relevance)
        }
        _ => 1.0,
    };
    Some(full * build_part(reason.is_build_failed, settings))
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
