//! `outerloop selfcheck`: simulated loops through the code that judges real ones, and how long verdicts take with the workspace's own
//! traffic. Needs no workspace.

use clap::{Args as ClapArgs, ValueEnum};
use serde::Serialize;

use super::printer::{Printer, Tone};
use super::table::{tabulate, trimmed};
use super::truth::load_verdicts;
use crate::args::OutputArgs;
use learn::real;
use learn::truth::{Setup, Simulated, Subject, World, simulate, steadiness, units_needed};
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Each world is simulated many times with a look every hour. False verdicts are compared with what the
design allows: in a world where nothing helps, a verdict on any pattern in at most 10 loops of 100
and a verdict on the loop in at most 5; elsewhere at most 5 of 100 verdicts may be false. Of effects
of plus or minus 10 points, at least 70 of 100 must be found in 60 days.

  outerloop selfcheck                              a minute or less
  outerloop selfcheck --loops 1000                 the long form
  outerloop selfcheck --world nothing-helps --loops 1000
  outerloop selfcheck --units-per-day 50           how long verdicts take with this traffic

Exit code 1 if more verdicts are false than allowed, or fewer effects are found.")]
pub struct SelfcheckArgs {
    /// Simulated loops of each world
    #[arg(long, default_value_t = 60, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    loops: u32,
    /// Simulate only this world; may be given several times [default: all]
    #[arg(long = "world", value_name = "WORLD")]
    worlds: Vec<Named>,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Tasks or runs a day, for the table of days to a verdict [default: those of the workspace, else 200]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    units_per_day: Option<u32>,
    #[command(flatten)]
    output: OutputArgs,
}

const SETUP: Setup = Setup { smallest: 0.1, rate: 0.05 };

/// Thirty patterns, twelve fit a unit, eight units an hour.
const BASE: World =
    World { lifts: (0.0, 0.0), extremes: None, patterns: 30, fitting: 12, units_per_hour: 8, days: 30, adapts: true, setup: SETUP };

/// Loops in which nothing helps and any pattern gets a verdict.
const MOST_WITH_VERDICT: f64 = 0.1;

/// False verdicts: of the loop among loops in which nothing helps, of patterns among verdicts ever given.
const MOST_FALSE: f64 = 0.05;

/// Effects of plus or minus ten points that are found.
const LEAST_FOUND: f64 = 0.7;

/// The worlds that are simulated. In each of them work gets easier over time and follows the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Named {
    /// No pattern does anything; coins adapt
    NothingHelps,
    /// No pattern does anything; coins are fixed
    FixedCoins,
    /// Most patterns help or hurt a little; coins adapt
    Mixed,
    /// One pattern in ten has +10 points, one has -10; coins are fixed
    TenPoints,
}

impl Named {
    const fn world(self) -> World {
        match self {
            Self::NothingHelps => BASE,
            Self::FixedCoins => World { adapts: false, ..BASE },
            Self::Mixed => World { lifts: (0.005, 0.03), days: 60, ..BASE },
            Self::TenPoints => World { extremes: Some((0.1, 0.1)), days: 60, adapts: false, ..BASE },
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::NothingHelps => "nothing helps",
            Self::FixedCoins => "nothing helps, fixed coins",
            Self::Mixed => "mixed",
            Self::TenPoints => "a fifth with +-10 points, fixed coins",
        }
    }
}

/// What happened in the loops of one world, and what is allowed.
#[derive(Debug, Serialize)]
struct Row {
    world: &'static str,
    loops: u32,
    /// How often each loop was looked at.
    looks: u32,
    /// The share of loops with a verdict on any pattern.
    with_verdict: f64,
    /// The share of false verdicts among verdicts, averaged over loops.
    false_share: f64,
    loop_helps: f64,
    loop_hurts: f64,
    ratio_alarms: f64,
    /// True effects of plus or minus ten points that were found.
    found: Option<f64>,
    /// The loop's gain over nothing in the last five days, in percentage points.
    gain: f64,
    is_allowed: bool,
}

#[derive(Debug, Serialize)]
struct Power {
    lift: f64,
    chance: f64,
    units: u64,
    days: u64,
}

/// How many units there are to learn from.
#[derive(Debug, Serialize)]
struct Traffic {
    units_per_day: f64,
    /// The share of them that succeed.
    success: f64,
    /// Whether both are those of the workspace.
    is_own: bool,
    smallest: f64,
    /// The workspace's own coins.
    coins: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Selfcheck {
    worlds: Vec<Row>,
    traffic: Traffic,
    power: Vec<Power>,
}

/// Units a day where nobody says otherwise.
const USUAL_TRAFFIC: f64 = 200.0;

/// The traffic of the published generation, as far as no argument says otherwise.
fn load_traffic(workspace: &Workspace, options: &SelfcheckArgs) -> Traffic {
    let whole = load_verdicts(workspace).into_iter().find(|verdict| verdict.subject == Subject::LOOP && verdict.units > 0);
    let settings = load_settings(workspace).unwrap_or_default();
    let mut coins = vec![settings.truth.loop_coin, settings.pattern_coin(), 0.5];
    coins.dedup();
    let own = whole.as_ref().map(|whole| whole.units_per_day).filter(|units| *units > 0.0);
    Traffic {
        units_per_day: options.units_per_day.map(f64::from).or(own).unwrap_or(USUAL_TRAFFIC),
        success: whole.map_or(0.5, |whole| whole.baseline),
        is_own: options.units_per_day.is_none() && own.is_some(),
        smallest: settings.truth.smallest,
        coins,
    }
}

pub(crate) fn run(workspace: &Workspace, options: &SelfcheckArgs, printer: &Printer) -> Outcome<Exit> {
    let chosen = if options.worlds.is_empty() { Named::value_variants() } else { &options.worlds };
    let rows = chosen.iter().map(|named| {
        if printer.shows_progress() {
            printer.note(&format!("simulating {} loops: {}", options.loops, named.title()));
        }
        let world = named.world();
        summarise(*named, &world, &run_loops(&world, options))
    });
    let traffic = load_traffic(workspace, options);
    let checked = Selfcheck { worlds: rows.collect(), power: power(&traffic), traffic };
    if options.output.json {
        printer.json(&checked)?;
    } else {
        tell(&checked, printer)?;
    }
    Ok(if checked.worlds.iter().all(|row| row.is_allowed) { Exit::Done } else { Exit::Refused })
}

/// Loops are independent, so each core takes some. Which one takes which cannot show: every loop has a seed of its own.
fn run_loops(world: &World, options: &SelfcheckArgs) -> Vec<Simulated> {
    let cores = std::thread::available_parallelism().map_or(1, |number| u32::try_from(number.get()).unwrap_or(1));
    let part = |core: u32| {
        let seed = options.seed.wrapping_mul(1_000_003);
        (core..options.loops).step_by(cores as usize).map(|number| simulate(world, seed + u64::from(number))).collect::<Vec<_>>()
    };
    let part = &part;
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..cores).map(|core| scope.spawn(move || part(core))).collect();
        parts.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

fn summarise(named: Named, world: &World, loops: &[Simulated]) -> Row {
    let count = real(loops.len() as u64).max(1.0);
    let share = |holds: &dyn Fn(&Simulated) -> bool| real(loops.iter().filter(|loops| holds(loops)).count() as u64) / count;
    let mean = |value: &dyn Fn(&Simulated) -> f64| loops.iter().map(value).sum::<f64>() / count;
    let with_verdict = share(&|one| one.verdicts > 0);
    let false_share = mean(&|one| f64::from(one.false_verdicts) / f64::from(one.verdicts.max(1)));
    let (loop_helps, loop_hurts) = (share(&|one| one.loop_helps), share(&|one| one.loop_hurts));
    let effects: u32 = loops.iter().map(|one| one.effects).sum();
    let found: u32 = loops.iter().map(|one| one.found).sum();
    let found = (effects > 0).then(|| f64::from(found) / f64::from(effects));
    // A share of few loops may miss what is demanded by chance: two standard deviations are granted.
    let chance = |demanded: f64| 2.0 * (demanded * (1.0 - demanded) / count).sqrt();
    let is_allowed = match named {
        Named::NothingHelps | Named::FixedCoins => {
            with_verdict <= MOST_WITH_VERDICT + chance(MOST_WITH_VERDICT)
                && loop_helps + loop_hurts <= MOST_FALSE + chance(MOST_FALSE)
        }
        Named::Mixed | Named::TenPoints => {
            false_share <= MOST_FALSE + chance(MOST_FALSE) && found.is_none_or(|found| found >= LEAST_FOUND - chance(LEAST_FOUND))
        }
    };
    Row {
        world: named.title(),
        loops: u32::try_from(loops.len()).unwrap_or(u32::MAX),
        looks: 24 * world.days,
        with_verdict,
        false_share,
        loop_helps,
        loop_hurts,
        ratio_alarms: share(&|one| one.ratio_alarm),
        found,
        gain: 100.0 * mean(&|one| one.gain.iter().rev().take(5).sum::<f64>() / 5.0),
        is_allowed,
    }
}

/// Days until a lift is told from 0 in four loops of five.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and far below 2^53")]
fn power(traffic: &Traffic) -> Vec<Power> {
    let cases = [0.05, 0.1, 0.2].into_iter().flat_map(|lift| traffic.coins.iter().map(move |chance| (lift, *chance)));
    let row = |(lift, chance): (f64, f64)| {
        let units = units_needed(lift, chance, traffic.success * (1.0 - traffic.success), steadiness(traffic.smallest))?;
        Some(Power { lift, chance, units, days: (real(units) / traffic.units_per_day).ceil() as u64 })
    };
    cases.filter_map(row).collect()
}

fn tell(checked: &Selfcheck, printer: &Printer) -> Outcome<()> {
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let rows = checked.worlds.iter().map(|row| {
        [
            row.world.to_owned(),
            percent(row.with_verdict),
            percent(row.false_share),
            percent(row.loop_helps),
            percent(row.loop_hurts),
            percent(row.ratio_alarms),
            row.found.map_or_else(|| "-".to_owned(), percent),
            format!("{:+.1}", row.gain),
            printer.toned(if row.is_allowed { Tone::Good } else { Tone::Bad }, if row.is_allowed { "yes" } else { "NO" }),
        ]
    });
    let header =
        ["world", "#any verdict", "#false", "#loop helps", "#loop hurts", "#ratio alarm", "#found", "#gain, points", "as allowed"];
    printer.line(&tabulate(header, rows))?;
    let Traffic { units_per_day, success, is_own, .. } = &checked.traffic;
    let whose = if *is_own { "your " } else { "" };
    printer.heading(&format!(
        "\nDays to a verdict at {whose}{} judged tasks a day, of which {:.0}% succeed",
        trimmed(*units_per_day),
        100.0 * success
    ))?;
    let rows = checked.power.iter().map(|row| {
        let withheld = format!("{:.0}%", 100.0 * (1.0 - row.chance));
        [format!("{:+.0} points", 100.0 * row.lift), withheld, row.units.to_string(), row.days.to_string()]
    });
    printer.line(&tabulate(["lift", "#withheld", "#units", "#days"], rows))
}
