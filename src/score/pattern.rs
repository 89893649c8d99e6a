//! The published row of each pattern: what it says, what was counted, and its figures.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::figure::{Figures, figure};
use crate::frame::word_at;
use crate::ranking::rank;
use event::cell::Word as _;
use learn::pattern::Pattern;
use learn::{Basis, Confidence, Flag, Mode, Ranking, Score};
use setting::{Compat, Settings};
use text::diagnostic::Outcome;
use text::fit::plain_text;

/// Computes the figures of every pattern, and their order for each purpose. What was counted comes by the pattern's number; a
/// pattern without any was never seen.
pub fn score_patterns<'p>(
    patterns: impl Iterator<Item = &'p Pattern>,
    bases: &BTreeMap<u32, Basis>,
    settings: &Settings,
) -> Outcome<(Vec<Score>, Ranking)> {
    let patterns: Vec<&Pattern> = patterns.collect();
    let bases: Vec<Basis> = patterns.iter().map(|pattern| with_history(bases.get(&pattern.number), pattern, settings)).collect();
    let figures = figure(&bases, settings)?;
    let rows = patterns.into_iter().zip(&bases).enumerate();
    let scores: Vec<Score> = rows.map(|(row, (pattern, basis))| score(pattern, basis, &figures, row, settings)).collect();
    let ranking = rank(&scores, &figures, settings.publish.cap)?;
    Ok((scores, ranking))
}

/// What was counted here, and what another store says.
fn with_history(basis: Option<&Basis>, pattern: &Pattern, settings: &Settings) -> Basis {
    let prior = &pattern.prior;
    let is_prune = prior.flag.as_deref().is_some_and(|flag| flag.trim() == Flag::Prune.tag());
    Basis {
        prior_seen: prior.seen,
        prior_rate: prior.rate,
        is_given_up: is_prune && settings.rate.history > 0.0 && settings.compat == Compat::None,
        ..basis.copied().unwrap_or_default()
    }
}

fn score(pattern: &Pattern, basis: &Basis, figures: &Figures, row: usize, settings: &Settings) -> Score {
    let evidence = &basis.evidence;
    let rate = figures.rate.get(row);
    let flag = figures.flag.get(row).and_then(word_at).unwrap_or_default();
    let first = pattern.sightings.first();
    Score {
        id: pattern.id(),
        state: pattern.state,
        category: pattern.category,
        summary: pattern.summary.clone(),
        trigger: pattern.trigger.clone(),
        scope: pattern.scope.clone(),
        repo: pattern.repo.clone(),
        applies_to: pattern.applies_to.clone(),
        tags: pattern.tags.clone(),
        seen: evidence.seen,
        applied: evidence.applied,
        injected: evidence.injected,
        withheld: evidence.withheld,
        offered: evidence.offered,
        unverified: evidence.unverified,
        met: evidence.met,
        unjudged: evidence.unjudged,
        missed_rated: evidence.missed_rated,
        missed_unrated: evidence.missed_unrated,
        built: evidence.built,
        build_failed: evidence.build_failed,
        withheld_met: evidence.withheld_met,
        withheld_missed: evidence.withheld_missed,
        mode: if evidence.judged > 0 && settings.rate.goal_weighted { Mode::GoalWeighted } else { Mode::Simple },
        weight: figures.weight.get(row).unwrap_or_default(),
        rate,
        lower: figures.lower.get(row),
        upper: figures.upper.get(row),
        tasks: basis.tasks,
        applied_rate: figures.applied_rate.get(row),
        confidence: figures.confidence.get(row).and_then(word_at).unwrap_or_else(|| prior_confidence(pattern)),
        flag,
        flag_reason: reason(
            flag,
            basis,
            &Known { rate: figures.expected.get(row), history: figures.history.get(row).unwrap_or(0.0), pattern },
            settings,
        ) + overruled(basis, figures.expected.get(row), settings),
        is_settled: figures.is_settled.get(row).unwrap_or(true),
        iterations_since: basis.iterations_since,
        first_seen: evidence.first_micros.map(time_text),
        last_seen: evidence.last_micros.map(time_text),
        last_used: evidence.used_micros.map(time_text),
        captures: pattern.sightings.len().try_into().unwrap_or(i64::MAX),
        learned: first.map(|sighting| time_text(sighting.time_micros)).unwrap_or_default(),
        last_captured: pattern.sightings.iter().map(|sighting| sighting.time_micros).max().map(time_text).unwrap_or_default(),
        source_event: first.map(|sighting| sighting.event.clone()).unwrap_or_default(),
        source_file: first.map(|sighting| sighting.file.clone()).unwrap_or_default(),
        source_line: first.map(|sighting| sighting.line).unwrap_or_default(),
        note: pattern.note.clone(),
        files: pattern.files.clone(),
        prior_seen: pattern.prior.seen,
        prior_rate: pattern.prior.rate,
        prior_flag: pattern.prior.flag.clone(),
        prior_source: pattern.prior.source.clone(),
        history: figures.history.get(row).unwrap_or(0.0),
        expected: figures.expected.get(row),
        ..Score::default()
    }
}

/// The confidence of an unseen pattern is its writer's, or medium if none was given.
fn prior_confidence(pattern: &Pattern) -> Confidence {
    pattern.prior.confidence.as_deref().and_then(Confidence::from_word).unwrap_or(Confidence::Medium)
}

/// What is known of a pattern, from here and from elsewhere.
struct Known<'k> {
    rate: Option<f64>,
    history: f64,
    pattern: &'k Pattern,
}

impl Known<'_> {
    /// Where the figures come from that were not seen here.
    fn source(&self) -> String {
        let prior = &self.pattern.prior;
        match (self.history > 0.0, prior.rate, prior.seen) {
            (true, Some(rate), Some(seen)) => {
                let store = plain_text(prior.source.as_deref().unwrap_or("another store"), 60);
                let flag = prior.flag.as_deref().map(|flag| format!(", {}", plain_text(flag, 20))).unwrap_or_default();
                format!(" and history ({store}: {rate:.2} after {seen}{flag})")
            }
            _ => String::new(),
        }
    }
}

fn reason(flag: Flag, basis: &Basis, known: &Known<'_>, settings: &Settings) -> String {
    let (rate, source) = (known.rate.unwrap_or_default(), known.source());
    let seen = basis.evidence.seen;
    match flag {
        Flag::None => String::new(),
        Flag::Untested => "not seen yet".to_owned(),
        Flag::Review => format!("rate {rate:.2} after {seen} sightings{source} is below {:.2}", settings.flag.review_below),
        Flag::Prune if basis.is_given_up && seen == 0 => {
            format!("rate {rate:.2} is below {:.2}{source}, not tried here", settings.flag.prune_below)
        }
        Flag::Prune => format!(
            "rate {rate:.2} is below {:.2} after {seen} sightings{source} (more than {})",
            settings.flag.prune_below, settings.flag.prune_over
        ),
        Flag::Stale => {
            format!("not seen for {} iterations; the limit is {}", basis.iterations_since, settings.flag.stale_after)
        }
    }
}

/// What is said where coins prove that a pattern helps that its rate would flag for pruning.
fn overruled(basis: &Basis, rate: Option<f64>, settings: &Settings) -> &'static str {
    let is_often_seen = u64::try_from(basis.evidence.seen).is_ok_and(|seen| seen > settings.flag.prune_over);
    let is_low = rate.is_some_and(|rate| rate < settings.flag.prune_below);
    if basis.is_proven && is_often_seen && is_low { "; PRUNE overruled: coins prove that it helps" } else { "" }
}

fn time_text(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map(|time| time.to_string()).unwrap_or_default()
}
