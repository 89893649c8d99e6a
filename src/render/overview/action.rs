//! What to do now: at most five things, each a sentence and a command.

use serde::{Deserialize, Serialize};

use super::phrase::{adapter_command, counted, named, percent, quantity, share};
use super::{Material, Tone, Verdict, Week};
use crate::policy::labelled;
use learn::{Flag, Score};

/// How many are shown: whoever reads more does none.
const MOST: usize = 5;

/// From how many runs on a share of them is worth an alarm.
const LEAST_RUNS: i64 = 10;

/// Shares from which on something asks for attention.
const FAILING: f64 = 0.5;
const UNATTRIBUTED: f64 = 0.2;
const REFUSED: f64 = 0.01;

/// A thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub tone: Tone,
    pub text: String,
    pub command: String,
}

pub(super) fn list_actions(material: &Material<'_>, verdict: &Verdict, weeks: &[Week]) -> Vec<Action> {
    let verdict = verdict.action();
    // What is wrong comes first, and a measurement that has not begun last but one.
    let (wrong, open): (Vec<Action>, Vec<Action>) = verdict.into_iter().partition(|action| action.tone == Tone::Bad);
    let urgent = [failing_runs(material, weeks), missed_goals(weeks), pruning(material.scores), approvals(material)];
    let later = [refused(material), unattributed(material), observations(material), roles(material), pending(material)];
    let mut actions: Vec<Action> =
        wrong.into_iter().chain(urgent.into_iter().flatten()).chain(open).chain(later.into_iter().flatten()).collect();
    actions.truncate(MOST);
    actions
}

#[expect(clippy::unnecessary_wraps, reason = "what asks for nothing returns none")]
fn action(tone: Tone, text: String, command: impl Into<String>) -> Option<Action> {
    Some(Action { tone, text, command: command.into() })
}

/// The latest week with enough runs, else all weeks together.
fn span(weeks: &[Week], count: impl Fn(&Week) -> (i64, i64)) -> Option<(i64, i64, &'static str)> {
    let (all, good) = count(weeks.last()?);
    if all >= LEAST_RUNS {
        return Some((all, good, "this week"));
    }
    let sum = weeks.iter().map(count).fold((0, 0), |sum, week| (sum.0 + week.0, sum.1 + week.1));
    (sum.0 >= LEAST_RUNS).then_some((sum.0, sum.1, "in the last weeks"))
}

fn failing_runs(material: &Material<'_>, weeks: &[Week]) -> Option<Action> {
    let (runs, succeeded, when) = span(weeks, |week| (week.runs, week.succeeded))?;
    let failed = runs - succeeded;
    share(failed, runs).filter(|share| *share >= FAILING)?;
    let text = format!("{} of {} failed {when}.", super::grouped(failed), counted(runs, "run"));
    let frequent = material.policy.failures.first();
    match frequent.and_then(|line| Some((line.id.split_once("::")?, line.project.as_deref()))) {
        Some(((adapter, failure), project)) => action(
            Tone::Bad,
            format!("{text} The most frequent cause: {} of {}.", named(failure), named(&labelled(adapter, project))),
            adapter_command(adapter, project),
        ),
        None => action(
            Tone::Bad,
            text,
            "outerloop query \"select run_id, failure_type, ts from run where not success order by ts desc limit 20\"",
        ),
    }
}

fn missed_goals(weeks: &[Week]) -> Option<Action> {
    let (judged, met, when) = span(weeks, |week| (week.judged, week.met))?;
    share(judged - met, judged).filter(|share| *share >= FAILING)?;
    action(
        Tone::Bad,
        format!("{} of {} with a goal missed it {when}.", super::grouped(judged - met), counted(judged, "run")),
        "outerloop query \"select run_id, goal, score, ts from goal where not success order by ts desc limit 20\"",
    )
}

fn pruning(scores: &[Score]) -> Option<Action> {
    let is_meant = |score: &&Score| score.is_in_use() && score.flag == Flag::Prune && score.is_settled;
    let mut worst: Vec<&Score> = scores.iter().filter(is_meant).collect();
    worst.sort_by(|one, other| one.upper.partial_cmp(&other.upper).unwrap_or(std::cmp::Ordering::Equal));
    let first = worst.first()?;
    // What was not tried here is judged by what another store says of it.
    let elsewhere = if first.seen == 0 { " elsewhere, and was not tried here" } else { "" };
    let (rate, seen) = (first.rate.or(first.known_rate()).map(percent).unwrap_or_default(), first.known_seen());
    let (text, command) = match worst.len() {
        1 => (
            format!("Decide about {}: it helped in {rate} of {}{elsewhere}.", first.id, counted(seen, "sighting")),
            format!("outerloop explain {}", first.id),
        ),
        many => (
            format!("{many} lessons rarely work, beyond doubt; the worst is {} with {rate} of {seen}{elsewhere}.", first.id),
            "outerloop patterns list --flag prune".to_owned(),
        ),
    };
    action(Tone::Bad, text, command)
}

fn approvals(material: &Material<'_>) -> Option<Action> {
    let adapters = &material.policy.overlays;
    let mut gated: Vec<_> = adapters.iter().filter(|line| line.overlay.require_approval).collect();
    let score = |line: &&crate::policy::OverlayLine| line.overlay.basis.score.unwrap_or(1.0);
    gated.sort_by(|one, other| score(one).total_cmp(&score(other)));
    let worst = gated.first()?;
    let (first, project) = (&worst.overlay, worst.project.as_deref());
    action(
        Tone::Neutral,
        format!(
            "{} of {} {} approval; {}: {}.",
            gated.len(),
            counted(quantity(adapters.len()), "adapter"),
            if gated.len() == 1 { "needs" } else { "need" },
            named(&labelled(&first.adapter_id, project)),
            text::fit::plain_text(&first.reason, 90).trim_end_matches('.')
        ),
        adapter_command(&first.adapter_id, project),
    )
}

fn refused(material: &Material<'_>) -> Option<Action> {
    let refused: i64 = material.quarantine.iter().map(|refusal| refusal.lines).sum();
    let lines = refused + material.totals.events.iter().map(|holding| holding.events).sum::<i64>();
    let share = share(refused, lines).filter(|share| *share >= REFUSED)?;
    let worst = material.quarantine.iter().max_by_key(|refusal| refusal.lines)?;
    let text = format!("{} of all lines were refused, most of them as {}.", percent(share), named(&worst.code));
    action(Tone::Neutral, text, "outerloop status")
}

fn unattributed(material: &Material<'_>) -> Option<Action> {
    let totals = material.totals;
    let lost = share(totals.unattributed, totals.applications).filter(|share| *share >= UNATTRIBUTED)?;
    if totals.patterns == 0 {
        let text = "Agents report lessons, but none was captured: capture the first.".to_owned();
        return action(Tone::Neutral, text, "outerloop lessons");
    }
    let text = format!("{} of applications match no lesson, so they count for none.", percent(lost));
    action(
        Tone::Neutral,
        text,
        "outerloop query \"select trigger, count(*) from application where pattern_id is null group by trigger order by 2 desc limit 20\"",
    )
}

fn observations(material: &Material<'_>) -> Option<Action> {
    let (ready, flagged) = (material.observations.ready_count, material.observations.flagged_count);
    if flagged > 0 {
        return action(
            Tone::Neutral,
            format!("{} from transcripts {} for your review.", counted(quantity(flagged), "observation"), waits(flagged)),
            "outerloop learn review",
        );
    }
    (ready > 0).then_some(())?;
    let text = format!("{} from transcripts {} to become an artifact.", counted(quantity(ready), "observation"), waits(ready));
    action(Tone::Neutral, text, "outerloop learn list --status ready --all")
}

fn roles(material: &Material<'_>) -> Option<Action> {
    let waiting = material.roles.waiting_count;
    (waiting > 0).then_some(())?;
    let text = format!("{} of roles {} for promotion.", counted(quantity(waiting), "verified pattern"), waits(waiting));
    action(Tone::Neutral, text, "outerloop patterns review")
}

fn pending(material: &Material<'_>) -> Option<Action> {
    let waiting = material.merging.waiting;
    (waiting > 0).then_some(())?;
    let text = format!("{} {} for a decision.", counted(quantity(waiting), "captured lesson"), waits(waiting));
    action(Tone::Neutral, text, "outerloop lessons")
}

const fn waits(count: usize) -> &'static str {
    if count == 1 { "waits" } else { "wait" }
}
