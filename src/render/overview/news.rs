//! What changed in the last seven days, and why.

use serde::{Deserialize, Serialize};

use super::phrase::{adapter_command, counted, named, percent, quantity, share, share_of};
use super::week::adapter_weeks;
use super::{Material, Tone, Week};
use crate::policy::labelled;
use learn::pattern::pattern_number;
use learn::{Flag, Score, TracePoint};
use text::fit::plain_text;
use text::time::DAY_MICROS;

/// How many the list holds.
const MOST: usize = 6;

/// How far a share must move to be told of, and from how many sightings on.
const MOVE: f64 = 0.1;
const LEAST: i64 = 10;

/// A change, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    pub tone: Tone,
    pub what: String,
    pub why: String,
    /// The pattern, observation or adapter.
    pub subject: Option<String>,
    /// The command that tells more.
    pub command: Option<String>,
}

/// The most important changes, and how many more there are.
pub(super) fn list_news(material: &Material<'_>, weeks: &[Week]) -> (Vec<News>, usize) {
    let mut news: Vec<News> = goals(weeks).into_iter().collect();
    news.extend(flags(material));
    news.extend(adapters(material));
    news.extend(moves(material));
    news.extend(lessons(material));
    news.extend(observations(material));
    let more = news.len().saturating_sub(MOST);
    news.truncate(MOST);
    (news, more)
}

fn goals(weeks: &[Week]) -> Option<News> {
    let [.., before, this] = weeks else { return None };
    let (now, then) = (share(this.met, this.judged)?, share(before.met, before.judged)?);
    if this.judged < LEAST || before.judged < LEAST || (now - then).abs() < MOVE {
        return None;
    }
    let (verb, tone) = if now > then { ("More", Tone::Good) } else { ("Fewer", Tone::Bad) };
    Some(News {
        tone,
        what: format!("{verb} goals met: {}, {} the week before", percent(now), percent(then)),
        why: format!("{} judged this week, {} the week before", counted(this.judged, "run"), super::grouped(before.judged)),
        subject: None,
        command: None,
    })
}

/// The figures of a pattern a week ago, and today's.
fn week_of<'m>(material: &'m Material<'_>, score: &Score) -> Option<(&'m TracePoint, &'m TracePoint)> {
    let trace = material.history.traces.get(&pattern_number(&score.id)?)?;
    Some((trace.ago(7)?, trace.ago(0)?))
}

fn flags<'m>(material: &'m Material<'_>) -> impl Iterator<Item = News> + 'm {
    let mut changed: Vec<(&Score, &TracePoint)> = material
        .scores
        .iter()
        .filter(|score| score.is_in_use())
        .filter_map(|score| Some((score, week_of(material, score)?.0)))
        // Since when a pattern is stale is not known from its evidence.
        .filter(|(score, before)| before.flag != score.flag && before.flag != Flag::Untested && score.flag != Flag::Stale)
        .collect();
    changed.sort_by_key(|(score, _)| (std::cmp::Reverse(score.flag.tier()), std::cmp::Reverse(score.seen)));
    changed.into_iter().map(|(score, before)| {
        let then = if before.flag == Flag::None { "unflagged".to_owned() } else { before.flag.name().to_owned() };
        let (what, tone) = match score.flag {
            Flag::None => (format!("{} is no longer {then}", score.id), Tone::Good),
            flag => (format!("{} is {} now; it was {then}", score.id, flag.name()), Tone::Bad),
        };
        let why = if score.flag_reason.is_empty() { rate_move(score, before) } else { score.flag_reason.clone() };
        about(score, tone, what, format!("{why}. {}", plain_text(&score.summary, 80)))
    })
}

fn about(score: &Score, tone: Tone, what: String, why: String) -> News {
    let command = Some(format!("outerloop explain {}", score.id));
    News { tone, what, why, subject: Some(score.id.clone()), command }
}

fn rate_move(score: &Score, before: &TracePoint) -> String {
    let shown = |rate: Option<f64>| rate.map_or_else(|| "no rate".to_owned(), percent);
    format!("{} of {}, {} of {} a week ago", shown(score.rate), score.seen, shown(before.rate), before.seen)
}

/// Rates that moved, of patterns whose flag did not.
fn moves<'m>(material: &'m Material<'_>) -> impl Iterator<Item = News> + 'm {
    let mut moved: Vec<(f64, &Score, &TracePoint)> = material
        .scores
        .iter()
        .filter(|score| score.is_in_use())
        .filter_map(|score| {
            let (before, _) = week_of(material, score)?;
            let step = score.rate? - before.rate?;
            (before.seen >= LEAST && before.flag == score.flag && step.abs() >= MOVE).then_some((step, score, before))
        })
        .collect();
    moved.sort_by(|one, other| other.0.abs().total_cmp(&one.0.abs()).then_with(|| one.1.id.cmp(&other.1.id)));
    moved.into_iter().map(|(step, score, before)| {
        let (verb, tone) = if step > 0.0 { ("works more often", Tone::Good) } else { ("works less often", Tone::Bad) };
        let why = format!("{}. {}", rate_move(score, before), plain_text(&score.summary, 80));
        about(score, tone, format!("{} {verb}", score.id), why)
    })
}

fn adapters<'m>(material: &'m Material<'_>) -> impl Iterator<Item = News> + 'm {
    let weeks = adapter_weeks(&material.history.adapters);
    material.policy.overlays.iter().filter_map(move |line| {
        let (adapter, project) = (&*line.overlay.adapter_id, line.project.as_deref());
        let known = weeks.get(&(adapter, project))?;
        let ((runs, good), (runs_before, good_before)) = (known.this_week(), known.four_weeks_before());
        let step = share(good, runs)? - share(good_before, runs_before)?;
        (runs >= LEAST && runs_before >= LEAST && step.abs() >= MOVE).then(|| {
            let name = named(&labelled(adapter, project));
            let (verb, tone) = if step > 0.0 { ("succeeds more often", Tone::Good) } else { ("fails more often", Tone::Bad) };
            let approval = if line.overlay.require_approval { "; it needs approval" } else { "" };
            News {
                tone,
                what: format!("{name} {verb}{approval}"),
                why: format!(
                    "{} runs succeeded this week, {} in the four weeks before",
                    share_of(good, runs),
                    share_of(good_before, runs_before)
                ),
                subject: Some(line.overlay.adapter_id.clone()),
                command: Some(adapter_command(adapter, project)),
            }
        })
    })
}

fn lessons(material: &Material<'_>) -> Option<News> {
    let since = text::time::instant(material.as_of_micros.saturating_sub(7 * DAY_MICROS));
    let is_new = |score: &&Score| is_since(&score.learned, &since);
    let learned: Vec<&Score> = material.scores.iter().filter(is_new).collect();
    let last = learned.last()?;
    Some(News {
        tone: Tone::Neutral,
        what: counted(quantity(learned.len()), "new lesson"),
        why: format!("the latest is {}: {}", last.id, plain_text(&last.summary, 80)),
        subject: Some(last.id.clone()),
        command: Some(format!("outerloop patterns show {}", last.id)),
    })
}

fn observations(material: &Material<'_>) -> Option<News> {
    let since = text::time::instant(material.as_of_micros.saturating_sub(7 * DAY_MICROS));
    let ready: Vec<_> =
        material.observed.iter().filter(|score| score.ready_at.as_deref().is_some_and(|time| is_since(time, &since))).collect();
    let last = ready.last()?;
    Some(News {
        tone: Tone::Neutral,
        what: format!("{} became ready", counted(quantity(ready.len()), "observation")),
        why: format!("the latest is {}: {}", last.id, plain_text(&last.pattern, 80)),
        subject: Some(last.id.clone()),
        command: Some(format!("outerloop explain {}", last.id)),
    })
}

/// Whether a time lies after another, both written alike.
fn is_since(time: &str, since: &str) -> bool {
    let parse = |text: &str| text.parse::<jiff::Timestamp>().ok();
    parse(time).zip(parse(since)).is_some_and(|(time, since)| time > since)
}
