//! The five figures under the verdict.

use serde::{Deserialize, Serialize};

use super::phrase::{counted, grouped, percent, quantity, share, share_of};
use super::{Material, Week};
use learn::Flag;

/// A figure with what it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub value: String,
    pub label: String,
    /// The explanation of the page that tells what it means.
    pub why: String,
}

pub(super) fn list_facts(material: &Material<'_>, weeks: &[Week]) -> Vec<Fact> {
    let fact = |why: &str, value: String, label: String| Fact { value, label, why: why.to_owned() };
    let this = weeks.last().cloned().unwrap_or_default();
    let before = weeks.iter().rev().nth(1).cloned().unwrap_or_default();
    let runs = this.runs.max(this.judged);
    let change = runs - before.runs.max(before.judged);
    let compared = match change {
        0 => "as many as the week before".to_owned(),
        more if more > 0 => format!("{} more than the week before", grouped(more)),
        fewer => format!("{} fewer than the week before", grouped(-fewer)),
    };
    let rate = |part, whole| share(part, whole).map_or_else(|| "\u{2013}".to_owned(), percent);
    let totals = material.totals;
    let flagged: i64 = totals
        .flags
        .iter()
        .filter(|count| !matches!(count.flag, Flag::None | Flag::Untested))
        .map(|count| quantity(count.patterns))
        .sum();
    let refused: i64 = material.quarantine.iter().map(|refusal| refusal.lines).sum();
    let lines = refused + totals.events.iter().map(|holding| holding.events).sum::<i64>();
    vec![
        fact("runs", grouped(runs), format!("runs this week, {compared}")),
        fact("goals", rate(this.met, this.judged), goal_label(&this, &before)),
        fact("success", rate(this.succeeded, this.runs), format!("of {} this week succeeded", counted(this.runs, "run"))),
        fact("lessons", grouped(quantity(totals.in_use)), format!("lessons in use, {} flagged", grouped(flagged))),
        fact("refused", rate(refused, lines), format!("of {} refused", counted(lines, "line"))),
    ]
}

fn goal_label(this: &Week, before: &Week) -> String {
    if this.judged == 0 {
        return "no goal was judged this week".to_owned();
    }
    let last = share(before.met, before.judged).map_or_else(String::new, |share| format!(", {} the week before", percent(share)));
    let said = share_of(this.met, this.judged);
    let (_, of) = said.split_once(" of ").unwrap_or_default();
    format!("of {of} judged runs met their goal{last}")
}
