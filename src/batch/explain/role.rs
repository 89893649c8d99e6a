//! The life of a role's pattern, event by event.

use serde_json::json;

use super::{heading, latest, tell_earlier};
use cli::args::ExplainArgs;
use cli::patterns::role_card;

use cli::printer::Printer;
use cli::table::{Columns, trimmed};
use engine::cycle::{RoleExplanation, RoleMoment};
use learn::role::RoleScore;
use render::plain_text;
use setting::Settings;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::instant;

/// Prints why a role's pattern has its score.
pub fn print(explanation: &RoleExplanation, settings: &Settings, options: &ExplainArgs, printer: &Printer) -> Outcome<()> {
    if options.output.json { printer.line(&as_json(explanation)?) } else { tell(explanation, options.limit, settings, printer) }
}

fn tell(explanation: &RoleExplanation, limit: usize, settings: &Settings, printer: &Printer) -> Outcome<()> {
    printer.line(&role_card(&explanation.score, settings))?;
    heading(printer, "\nHistory")?;
    let (moments, earlier) = latest(&explanation.moments, limit);
    let mut table = Columns::new(&["when", "event at", "what", "#successes", "#penalty", "state"]);
    for moment in moments {
        table.row(row(moment));
    }
    printer.line(&table.render())?;
    tell_earlier(earlier, printer)?;
    heading(printer, "\nScore")?;
    printer.line(&sum(explanation))
}

fn row(moment: &RoleMoment) -> [String; 6] {
    [
        instant(moment.time_micros),
        plain_text(&moment.place, 60),
        plain_text(&moment.what, 120),
        moment.successes.to_string(),
        trimmed(moment.penalty),
        moment.state.to_owned(),
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

fn as_json(explanation: &RoleExplanation) -> Outcome<String> {
    let value = json!({
        "pattern": explanation.score,
        "moments": explanation.moments,
        "weight": explanation.weight,
        "changed_since": explanation.drift,
    });
    serde_json::to_string_pretty(&value).map_err(|error| Diagnostic::bug(format!("cannot encode the explanation: {error}")))
}
