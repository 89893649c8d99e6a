//! `outerloop truth eval`: every figure behind a verdict from counts that anybody can write down. Needs no workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use serde::Serialize;
use serde_json::Value;

use super::policy::{Item, read_items};
use super::printer::Printer;
use super::table::tabulate;
use crate::args::OutputArgs;
use learn::truth::{Cell, Cells, DayCells, Fold, Judged, Setup, Subject, Verdict, discoveries, judge_days, next_chance, pool};
use render::plain_text;
use setting::{Compat, INJECTION_FILE, VERDICT_FILE};
use store::durable;
use store::publish::find_current;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

#[derive(Debug, ClapArgs)]
pub struct TruthArgs {
    #[command(subcommand)]
    action: TruthAction,
}

#[derive(Debug, Subcommand)]
enum TruthAction {
    /// Compute every figure of a verdict from counts
    Eval(EvalArgs),
    /// Recompute every logged coin and name each that differs
    Audit(AuditArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Every arm that was logged is drawn again from the salt of the workspace, the unit (task or run), the
pattern and the chance. A row that differs was forged, damaged, or written by a program that tosses
otherwise: it is listed with its file and line.

  outerloop truth audit
  outerloop truth audit --json | jq '.differing[].id'

Exit code 1 if any arm differs.")]
pub struct AuditArgs {
    #[command(flatten)]
    pub output: OutputArgs,
}

impl TruthArgs {
    /// What is to be audited, which takes the SQL engine.
    #[must_use]
    pub const fn audit(&self) -> Option<&AuditArgs> {
        match &self.action {
            TruthAction::Audit(options) => Some(options),
            TruthAction::Eval(_) => None,
        }
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The file is a JSON list of patterns, or an object that holds it as `patterns`. Each has `id`, `cells`
and optionally `category`. A cell is [chance of being shown, 1 if shown or 0 if withheld, outcome
from 0 to 1, units]. The id `*` is the whole loop.

  echo '[{\"id\":\"P-001\",\"cells\":[[0.8,1,1,504],[0.8,1,0,336],[0.8,0,1,105],[0.8,0,0,105]]}]' |
    outerloop truth eval

E is evidence as the odds of a fair bet: with no effect, it ever reaches 20 with a chance of at most
1 in 20, however often one looks.")]
struct EvalArgs {
    /// The file of counts; stdin if none or `-` is given
    #[arg(value_name = "CELLS")]
    file: Option<PathBuf>,
    /// The outcome to expect; a wrong one costs power, never validity
    #[arg(long, default_value_t = 0.5, value_name = "SHARE", value_parser = share)]
    mean: f64,
    /// The smallest lift that matters
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = share)]
    smallest: f64,
    /// False verdicts allowed among all verdicts
    #[arg(long, default_value_t = 0.05, value_name = "SHARE", value_parser = share)]
    rate: f64,
    #[command(flatten)]
    output: OutputArgs,
}

fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "write a number above 0 and below 1".to_owned())?;
    if number > 0.0 && number < 1.0 { Ok(number) } else { Err("write a number above 0 and below 1".to_owned()) }
}

/// More units than any loop has; sums of them stay exact.
const MOST_UNITS: u64 = 1_000_000_000_000;

/// A pattern as it is given.
struct Given {
    id: String,
    category: String,
    cells: Cells,
}

/// The figures of a pattern. Logarithms are natural.
#[derive(Debug, Serialize)]
struct Figures {
    id: String,
    category: String,
    units: u64,
    lift: Option<f64>,
    radius: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    weight: Option<f64>,
    variance: Option<f64>,
    ln_helps: f64,
    ln_hurts: f64,
    helps_in_family: bool,
    hurts_in_family: bool,
    ln_ratio_mismatch: f64,
    pooled_lift: Option<f64>,
    pooled_deviation: Option<f64>,
    next_chance: Option<f64>,
    state: &'static str,
}

/// The published verdicts; none where no coin was tossed or nothing is published.
pub(crate) fn load_verdicts(workspace: &Workspace) -> Vec<Verdict> {
    let current = find_current(workspace).ok().flatten();
    current.and_then(|generation| generation.parse(VERDICT_FILE, render::parse_table).ok()).unwrap_or_default()
}

/// Whether the loop helps, as the published generation says.
pub(crate) fn loop_line(workspace: &Workspace) -> Option<String> {
    let settings = load_settings(workspace).ok().filter(|settings| settings.compat == Compat::None)?;
    find_current(workspace).ok().flatten()?;
    let verdicts = load_verdicts(workspace);
    let whole = verdicts.iter().find(|verdict| verdict.subject == Subject::LOOP);
    let index = durable::open_regular(&workspace.current().join(INJECTION_FILE)).ok();
    let coin = index.and_then(|file| render::IndexReader::open(std::io::BufReader::new(file)).ok()?.loop_coin());
    Some(render::loop_sentence(whole, coin.is_some(), settings.truth.smallest))
}

pub(crate) fn run(options: &TruthArgs, printer: &Printer) -> Outcome<Exit> {
    let TruthAction::Eval(options) = &options.action else { return Ok(Exit::Bug) };
    let items = read_items(options.file.as_deref(), &["patterns"])?;
    let given = items.iter().map(parse_pattern).collect::<Outcome<Vec<_>>>()?;
    let mut known = BTreeSet::new();
    if let Some(twice) = given.iter().find(|given| !known.insert(&*given.id)) {
        // As two members of the family they would change the verdicts on all others.
        let what = format!("{} is given twice", quoted(&twice.id));
        return Err(Diagnostic::edit(what, "put all cells of a pattern into one list"));
    }
    let figures = evaluate(given, options);
    if options.output.json {
        printer.json(&figures)?;
    } else if figures.is_empty() {
        printer.note("no patterns");
    } else {
        tell(&figures, printer)?;
    }
    Ok(Exit::Done)
}

fn parse_pattern(item: &Item) -> Outcome<Given> {
    const REMEDY: &str = "write a list of cells such as [[0.8, 1, 1, 504], [0.8, 0, 1, 105]]";
    let id = item.text(&["id"])?.to_owned();
    let Some((name, value)) = item.find(&["cells"]) else { return Err(item.missing("cells")) };
    let rows = value.as_array().ok_or_else(|| item.fault(name, value, REMEDY))?;
    let cells = rows.iter().map(|row| {
        parse_cell(row).ok_or_else(|| {
            item.fault(name, row, "write [chance above 0 and below 1, 0 or 1, outcome from 0 to 1, number of units]")
        })
    });
    let category = item.find(&["category"]).and_then(|(_, value)| value.as_str()).unwrap_or_default().to_owned();
    Ok(Given { id, category, cells: cells.collect::<Outcome<_>>()? })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "both are checked to lie within 0 and 1")]
fn parse_cell(row: &Value) -> Option<(Cell, u64)> {
    let [chance, arm, outcome, units] = row.as_array()?.as_slice() else { return None };
    let (chance, outcome) = (chance.as_f64()?, outcome.as_f64()?);
    let cell = Cell {
        propensity_millionths: (chance * 1e6).round() as u32,
        is_shown: arm.as_u64().filter(|arm| *arm < 2)? == 1,
        outcome_hundredths: (outcome * 1e2).round() as u32,
    };
    let units = units.as_u64().filter(|units| *units <= MOST_UNITS)?;
    ((0.0..=1.0).contains(&chance) && (0.0..=1.0).contains(&outcome) && cell.is_coin()).then_some((cell, units))
}

fn evaluate(given: Vec<Given>, options: &EvalArgs) -> Vec<Figures> {
    let setup = Setup { smallest: options.smallest, rate: options.rate };
    let numbered: Vec<(u32, Given)> =
        (1..).zip(given).map(|(number, given)| (if given.id == "*" { 0 } else { number }, given)).collect();
    let days: Vec<DayCells> = numbered
        .iter()
        .map(|(pattern, given)| DayCells {
            pattern: *pattern,
            drawn: given.cells.arms(),
            judged: given.cells.clone(),
            ..DayCells::default()
        })
        .collect();
    let fold = judge_days(&days, setup, |_| options.mean);
    let pooled = pool_categories(&numbered, &fold);
    let family: Vec<&Judged> = fold.judged().range(1..).map(|(_, judged)| judged).collect();
    let helps = discoveries(&family.iter().map(|judged| judged.evidence.helps).collect::<Vec<_>>(), setup.rate);
    let hurts = discoveries(&family.iter().map(|judged| judged.evidence.hurts).collect::<Vec<_>>(), setup.rate);
    let place = |number: u32| family.iter().position(|judged| judged.pattern == number);
    let rows = numbered.into_iter().filter_map(|(number, given)| {
        let judged = fold.judged().get(&number)?;
        let pooled = pooled.get(&number).copied();
        Some(Figures {
            id: given.id,
            category: given.category,
            units: judged.units(),
            lift: judged.lift.map(|lift| lift.lift),
            radius: judged.lift.map(|lift| lift.radius),
            lower: judged.lift.map(|lift| lift.lower()),
            upper: judged.lift.map(|lift| lift.upper()),
            weight: judged.lift.map(|lift| lift.weight),
            variance: judged.lift.map(|lift| lift.variance),
            ln_helps: judged.evidence.helps,
            ln_hurts: judged.evidence.hurts,
            helps_in_family: place(number).is_some_and(|place| helps[place]),
            hurts_in_family: place(number).is_some_and(|place| hurts[place]),
            ln_ratio_mismatch: judged.mismatch,
            pooled_lift: pooled.map(|(lift, _)| lift),
            pooled_deviation: pooled.map(|(_, deviation)| deviation),
            next_chance: pooled.map(|(lift, deviation)| next_chance(lift, deviation)),
            state: judged.state.name(),
        })
    });
    rows.collect()
}

/// The numbers of a category's patterns, and their lifts with their squared errors.
type Members = (Vec<u32>, Vec<(f64, f64)>);

/// Pooled lifts by number. The loop is in no category.
fn pool_categories(numbered: &[(u32, Given)], fold: &Fold) -> BTreeMap<u32, (f64, f64)> {
    let mut categories: BTreeMap<&str, Members> = BTreeMap::new();
    for (number, given) in numbered {
        if let Some(lift) = fold.judged().get(number).filter(|judged| judged.pattern > 0).and_then(|judged| judged.lift) {
            let (numbers, lifts) = categories.entry(&given.category).or_default();
            numbers.push(*number);
            lifts.push((lift.lift, lift.squared_error()));
        }
    }
    categories.into_values().flat_map(|(numbers, lifts)| numbers.into_iter().zip(pool(&lifts).patterns)).collect()
}

fn tell(figures: &[Figures], printer: &Printer) -> Outcome<()> {
    let points = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:+.1}", 100.0 * value));
    let rows = figures.iter().map(|row| {
        let range = format!("{} to {}", points(row.lower), points(row.upper));
        [
            plain_text(&row.id, 40),
            row.state.to_owned(),
            row.units.to_string(),
            points(row.lift),
            if row.lift.is_some() { range } else { "-".to_owned() },
            odds(row.ln_helps),
            odds(row.ln_hurts),
            points(row.pooled_lift),
            row.next_chance.map_or_else(|| "-".to_owned(), |chance| format!("{chance:.2}")),
        ]
    });
    let header = ["pattern", "verdict", "#units", "#lift", "interval", "#E helps", "#E hurts", "#pooled", "#next coin"];
    printer.line(&tabulate(header, rows))?;
    printer.note("lifts are in percentage points; the interval holds at every look; --json prints every figure");
    Ok(())
}

/// Evidence for people: what is far beyond any threshold needs no digits.
fn odds(logarithm: f64) -> String {
    let odds = logarithm.exp();
    if odds < 1e5 { format!("{odds:.2}") } else { format!("1e{:.0}", odds.log10()) }
}
