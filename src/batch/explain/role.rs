//! The life of a role's pattern, event by event.

use serde_json::{Value, json};

use super::tell_events;
use cli::args::ExplainArgs;
use cli::patterns::role_card;

use cli::printer::Printer;
use cli::table::trimmed;
use engine::cycle::{RoleExplanation, RoleReason};
use learn::role::RoleScore;
use render::plain_text;
use setting::Settings;
use text::diagnostic::Outcome;
use text::time::instant;

/// Prints why a role's pattern has its score.
pub(super) fn print(explanation: &RoleExplanation, settings: &Settings, options: &ExplainArgs, printer: &Printer) -> Outcome<()> {
    if options.output.json { printer.json(&as_json(explanation)) } else { tell(explanation, options.limit, settings, printer) }
}

fn tell(explanation: &RoleExplanation, limit: usize, settings: &Settings, printer: &Printer) -> Outcome<()> {
    printer.line(&role_card(&explanation.score, settings))?;
    printer.heading("\nHistory")?;
    let header = ["when", "event at", "what", "#successes", "#penalty", "state"];
    tell_events(header, &explanation.moments, row, limit, printer)?;
    printer.heading("\nScore")?;
    printer.line(&sum(explanation))
}

fn row(moment: &RoleReason) -> [String; 6] {
    [
        instant(moment.time_micros),
        plain_text(&moment.place, 60),
        plain_text(&moment.what, 120),
        moment.after.successes.to_string(),
        trimmed(moment.after.penalty),
        moment.after.state.to_string(),
    ]
}

/// The sum that the score is, for anyone to check.
fn sum(explanation: &RoleExplanation) -> String {
    let RoleScore { successes, penalty, decay, score, is_immune, idle_days, .. } = &explanation.score;
    let faded = if *is_immune {
        "exempt from decay: reinforced often enough".to_owned()
    } else {
        format!("not used for {idle_days:.2} days")
    };
    format!(
        "{successes} / ({successes} + {}) x {decay:.6} x {} = {score:.6} ({faded}; category `{}` has weight {})",
        trimmed(*penalty),
        trimmed(explanation.weight),
        explanation.score.category,
        trimmed(explanation.weight)
    )
}

fn as_json(explanation: &RoleExplanation) -> Value {
    json!({
        "pattern": explanation.score,
        "moments": explanation.moments,
        "weight": explanation.weight,
        "changed_since": explanation.drift,
    })
}
