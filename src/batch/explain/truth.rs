//! Why a pattern has its verdict: who had which coin, the sums, and what each bet won. All of it adds up.

use super::{tell_events, trimmed};
use cli::printer::Printer;
use cli::table::{grouped, tabulate};
use engine::cycle::{TruthExplanation, UnitReason};
use learn::real;
use learn::truth::{Standing, Subject, Sum, Verdict};
use render::{odds, plain_text, points, subject_sentence};
use serde_json::{Value, json};
use text::diagnostic::Outcome;
use text::time::instant;

pub(super) fn tell(truth: &TruthExplanation, limit: usize, printer: &Printer) -> Outcome<()> {
    let verdict = &truth.verdict;
    printer.heading("\nDoes it help?")?;
    let subject = match &*verdict.subject {
        Subject::LOOP => "the loop",
        other => other,
    };
    printer.line(&format!("{}\n", subject_sentence(subject, verdict, truth.smallest)))?;
    tell_events(["when", "coin at", "task or run", "#coin", "arm", "#outcome"], &truth.units, unit_row, limit, printer)?;
    printer.line("")?;
    printer.line(&tabulate(["#coin", "arm", "#outcome", "#tasks", "#adds to the lift"], truth.sums.iter().map(sum_row)))?;
    let sum: f64 = truth.sums.iter().map(|(_, adds)| adds).sum();
    if let (Some(lift), Some(upper)) = (verdict.lift, verdict.upper) {
        printer.line(&format!(
            "\n{} tasks since {}; lift = {sum:.4} / {:.2} = {} points, plus and minus {} at any time",
            grouped(verdict.units.unsigned_abs()),
            verdict.epoch,
            verdict.weight,
            points(Some(lift)),
            points(Some(upper - lift)).trim_start_matches('+')
        ))?;
    }
    tell_bets(truth, printer)?;
    tell_pooled(verdict, printer)
}

/// Each bet guesses how coins fell from how tasks went. Without an effect nobody can win such bets for long.
fn tell_bets(truth: &TruthExplanation, printer: &Printer) -> Outcome<()> {
    let verdict = &truth.verdict;
    printer.line(&format!("\nBets on how each coin fell, given the outcome; {:.2} is expected", verdict.baseline))?;
    let rows = truth.bets.iter().map(|(bet, gain)| [format!("{bet:+.1}"), format!("{gain:+.6}"), odds(*gain)]);
    printer.line(&tabulate(["#bet", "#ln of 1 staked", "#1 became"], rows))?;
    let mean = |is_wanted: fn(f64) -> bool| {
        let gains: Vec<f64> = truth.bets.iter().filter(|(bet, _)| is_wanted(*bet)).map(|(_, gain)| gain.exp()).collect();
        gains.iter().sum::<f64>() / real(gains.len() as u64)
    };
    printer.line(&format!(
        "\nEvidence that it helps: the mean of the first five, {}; that it hurts: of the others, {}",
        odds(mean(|bet| bet > 0.0).ln()),
        odds(mean(|bet| bet < 0.0).ln())
    ))
}

fn tell_pooled(verdict: &Verdict, printer: &Printer) -> Outcome<()> {
    let (Some(pooled), Some(deviation)) = (verdict.pooled, verdict.pooled_deviation) else { return Ok(()) };
    let coin = verdict.coin.map_or_else(|| "shown wherever it fits".to_owned(), |coin| format!("shown at a chance of {coin:.2}"));
    printer.line(&format!(
        "Pooled with its category: {} points, give or take {}; {coin}",
        points(Some(pooled)),
        points(Some(deviation)).trim_start_matches('+')
    ))
}

fn unit_row(unit: &UnitReason) -> [String; 6] {
    let place = match (&unit.file, unit.line) {
        (Some(file), Some(line)) => plain_text(&format!("{file}:{line}"), 60),
        _ => "pruned".to_owned(),
    };
    [
        instant(unit.time_micros),
        place,
        plain_text(&unit.unit, 40),
        trimmed(real(unit.propensity_millionths) / 1e6),
        arm(unit.is_shown).to_owned(),
        match (unit.standing, unit.outcome_hundredths) {
            (Standing::Judged, Some(outcome)) => trimmed(real(outcome) / 1e2),
            (standing, _) => standing.name().to_owned(),
        },
    ]
}

fn sum_row((sum, adds): &(Sum, f64)) -> [String; 5] {
    [
        trimmed(real(sum.propensity_millionths) / 1e6),
        arm(sum.is_shown).to_owned(),
        trimmed(real(sum.outcome_hundredths) / 1e2),
        grouped(sum.units.unsigned_abs()),
        format!("{adds:+.4}"),
    ]
}

const fn arm(is_shown: bool) -> &'static str {
    if is_shown { "shown" } else { "withheld" }
}

/// The same for programs.
pub(super) fn document(truth: &TruthExplanation) -> Value {
    let sums = truth.sums.iter().map(|(sum, adds)| {
        let mut sum = json!(sum);
        sum["adds"] = json!(adds);
        sum
    });
    let bets = truth.bets.iter().map(|(bet, gain)| json!({"bet": bet, "ln_gain": gain}));
    json!({"verdict": truth.verdict, "units": truth.units, "sums": sums.collect::<Vec<_>>(), "bets": bets.collect::<Vec<_>>()})
}
