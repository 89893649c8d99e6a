//! Role patterns: lists and cards, and which decisions about them are valid.

use super::super::printer::Printer;
use super::super::subject::{self, Subject, find};
use super::{PatternsListArgs, PatternsShowArgs, SHOWN};
use event::cell::Word as _;
use learn::recall::weight;
use learn::role::{RoleScore, Stage};
use learn::subject::Action;
use render::{compare_roles, plain_text};
use setting::Settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

/// Lists patterns, the best first.
pub(super) fn list(scores: &[RoleScore], options: &PatternsListArgs, printer: &Printer) -> Outcome<Exit> {
    let state = options.state.as_deref().map(find_state).transpose()?;
    let is_meant = |wanted: Option<&String>, own: &str| wanted.is_none_or(|wanted| wanted.trim().eq_ignore_ascii_case(own));
    let mut chosen: Vec<&RoleScore> = scores
        .iter()
        .filter(|score| options.all || state == Some(Stage::Deprecated) || score.is_in_use())
        .filter(|score| state.is_none_or(|state| score.state == state))
        .filter(|score| is_meant(options.role.as_ref(), &score.role))
        .filter(|score| options.project.name.as_ref().is_none_or(|project| *project == score.project))
        .collect();
    chosen.sort_unstable_by(|one, other| compare_roles(one, other));
    chosen.truncate(options.limit.unwrap_or(usize::MAX));
    let none =
        "no role patterns yet; roles list them below a heading `Accumulated Patterns`, and `outerloop feedback` records them";
    subject::list(&chosen, options.output.json, none, printer)
}

impl Subject for RoleScore {
    const NOUN: &'static str = "pattern";
    const LIST: &'static str = "outerloop patterns list --roles --all";
    const HEADER: &'static [&'static str] =
        &["pattern", "project", "role", "state", "kind", "#score", "#successes", "#rejected", "#days", "text"];

    fn is_called(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name)
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.id.clone(),
            plain_text(&self.project, 20),
            plain_text(&self.role, 20),
            self.state.to_string(),
            self.category.to_string(),
            format!("{:.2}", self.score),
            self.successes.to_string(),
            self.ignored.to_string(),
            format!("{:.0}", self.idle_days.floor()),
            plain_text(&self.text, SHOWN),
        ]
    }
}

fn find_state(name: &str) -> Outcome<Stage> {
    Stage::from_word(&name.trim().to_lowercase()).ok_or_else(|| {
        let known: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
        Diagnostic::edit(format!("there is no state {}", quoted(name)), format!("the states are: {}", known.join(", ")))
    })
}

pub(super) fn show(scores: &[RoleScore], options: &PatternsShowArgs, settings: &Settings, printer: &Printer) -> Outcome<Exit> {
    subject::show(find(scores, &options.id)?, options.output.json, |score| card(score, settings), printer)
}

/// A pattern on a card: what it says, what it is worth, and how far it has come.
pub fn card(score: &RoleScore, settings: &Settings) -> String {
    let list = |items: &[String]| plain_text(&items.join(", "), 200);
    let mut lines = vec![
        format!("{}  {}", score.id, plain_text(&score.text, 400)),
        format!(
            "  {} {} of {}, project {}",
            score.state,
            score.category,
            plain_text(&score.role, 80),
            plain_text(&score.project, 80)
        ),
        format!("  {}", sum(score, settings)),
        format!(
            "  seen {} in {}; confirmed {}, rejected {}, reinforced {}, skipped {}",
            times(score.seen),
            if score.contexts == 1 { "one context".to_owned() } else { format!("{} contexts", score.contexts) },
            times(score.successes),
            times(score.ignored),
            times(score.reinforced),
            times(score.skipped)
        ),
        format!("  first seen {}, last used {}, {:.1} days before the report", score.created, score.last_used, score.idle_days),
    ];
    lines.extend(score.last_shown.as_ref().map(|shown| format!("  last shown {shown}")));
    if score.is_immune {
        lines.push("  exempt from decay: reinforced often enough".to_owned());
    }
    lines.extend(score.regressed.as_ref().map(|time| format!("  [REGRESSION] trusted, but rejected at {time}")));
    for (name, items) in [("labels", &score.labels), ("files", &score.files), ("phases", &score.phases)] {
        if !items.is_empty() {
            lines.push(format!("  {name}: {}", list(items)));
        }
    }
    lines.extend(score.note.as_ref().map(|note| format!("  decided by {}", plain_text(note, 200))));
    lines.join("\n")
}

/// The sum that a score is, for anyone to check.
pub(super) fn sum(score: &RoleScore, settings: &Settings) -> String {
    let RoleScore { successes, penalty, decay, .. } = score;
    let weight = weight(score.category.name(), &settings.inject.score);
    format!("{successes} / ({successes} + {penalty}) x decay {decay:.4} x weight {weight} = score {:.4}", score.score)
}

fn times(count: i64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Whether a decision about a pattern will hold. What the next run would refuse is refused here already.
pub(super) fn check(score: &RoleScore, action: Action, is_forced: bool) -> Outcome<()> {
    match action {
        Action::Promote if score.state != Stage::Verified && !is_forced => Err(Diagnostic::edit(
            format!("{} is {}; only verified patterns can become active", score.id, score.state),
            "wait until it recurs in other contexts, or promote it with --force",
        )),
        Action::Clear if score.regressed.is_none() => Err(Diagnostic::edit(
            format!("{} has no regression to clear", score.id),
            "`outerloop patterns review` lists the patterns that have one",
        )),
        _ => Ok(()),
    }
}
