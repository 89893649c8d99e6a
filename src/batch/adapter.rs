//! `outerloop policy explain`: the runs behind an adapter's score.

use serde_json::{Value, json};

use crate::program;
use cli::policy::{Asked, PolicyAction, PolicyArgs, load_latest, parse_adapter};
use cli::printer::Printer;
use cli::report::find_generation;
use cli::require;
use cli::table::{grouped, instant, tabulate, trimmed};
use engine::Horizon;
use engine::cycle::{AdapterExplanation, AdapterRun, Correction, CycleOptions, explain_adapter};
use learn::policy::{Tally, number};
use render::plain_text;
use render::policy::PolicyDocument;
use setting::ReliabilitySettings;
use store::deadline::Deadline;
use store::lock::join_readers;
use store::publish::load_current;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

/// How many runs are listed for people.
const SHOWN: usize = 50;

/// Explains an adapter's score.
pub(crate) fn run(workspace: &Workspace, options: &PolicyArgs, printer: &Printer) -> Outcome<Exit> {
    let Some(PolicyAction::Explain(asked)) = &options.action else {
        return Err(Diagnostic::bug("outerloop-engine was asked for something other than an explanation"));
    };
    require(workspace)?;
    let adapter = parse_adapter(&asked.adapter)?;
    let settings = load_settings(workspace)?;
    let _readers = join_readers(workspace)?;
    let published = load_current(workspace)?;
    let is_newer = |latest: &PolicyDocument| published.as_ref().is_none_or(|own| latest.as_of_micros > own.manifest.as_of_micros);
    // The same policies that a gate follows.
    let (generation, horizon) = if let Some(latest) = load_latest(workspace)?.filter(is_newer) {
        (None, Horizon { as_of_micros: latest.as_of_micros, through: latest.through })
    } else {
        let generation = find_generation(workspace, None)?;
        let horizon = Horizon { as_of_micros: generation.manifest.as_of_micros, through: generation.manifest.through };
        (Some(generation), horizon)
    };
    let cycle = CycleOptions { settings: &settings, horizon, deadline: Deadline::NEVER, program: program() };
    let rules = Asked::load(workspace, &settings, options.project.as_deref())?;
    let explanation = explain_adapter(workspace, generation.as_ref(), cycle, &adapter, rules.apart())?;
    if explanation.runs.is_empty() && explanation.refused + explanation.missing.unreported == 0 {
        return Err(Diagnostic::edit(
            format!("no run used the adapter {}", quoted(&adapter)),
            format!("{}; new events count after `outerloop run hourly`", rules.hint(&adapter)),
        ));
    }
    if options.json {
        let limit = asked.limit.unwrap_or(0);
        printer.json(&as_json(&explanation, limit, &settings.reliability))?;
    } else {
        tell(&explanation, asked.limit.unwrap_or(SHOWN), &settings.reliability, printer)?;
    }
    if let Some(generation) = generation.filter(|_| !explanation.drift.is_empty()) {
        printer.note(&format!(
            "note: {} changed after {} was published, so figures may differ",
            explanation.drift.join(", "),
            generation.manifest.generation
        ));
    }
    Ok(Exit::Done)
}

fn tell(explanation: &AdapterExplanation, limit: usize, settings: &ReliabilitySettings, printer: &Printer) -> Outcome<()> {
    printer.heading(&format!("Runs of {}, latest first", plain_text(&explanation.adapter, 80)))?;
    let header = ["when", "project", "run", "result", "#retries", "#quality", "failure", "event at", "#contributes"];
    let (runs, earlier) = latest(&explanation.runs, limit);
    let rows = runs.iter().map(|run| {
        [
            instant(run.time_micros),
            plain_text(&run.project, 40),
            plain_text(&run.run_id, 40),
            result_of(run),
            run.retries.to_string(),
            trimmed(run.quality),
            plain_text(run.failure_type.as_deref().unwrap_or_default(), 40),
            format!("{}:{}", plain_text(&run.file, 60), run.line),
            run.contribution.map_or_else(|| "-".to_owned(), trimmed),
        ]
    });
    printer.line(&tabulate(header, rows))?;
    if earlier > 0 {
        printer.line(&format!("  and {} earlier ones, which also count; --limit 0 lists all", grouped(earlier as u64)))?;
    }
    printer.heading("\nSum")?;
    printer.line(&sums(explanation, settings))?;
    printer.line(&format!("\nFound by sql/{}.sql, SHA-256 {}", explanation.query, explanation.hash))
}

/// How a run ended, as it said itself, and as what it counts where more is known.
fn result_of(run: &AdapterRun) -> String {
    let said = plain_text(&run.result, 20);
    match &run.correction {
        Some(Correction { is_success, why }) => {
            format!("{said}, counts as {}: {}", if *is_success { "success" } else { "failure" }, plain_text(why, 80))
        }
        None => said,
    }
}

/// The sums, and the score as it follows from them, for anyone to check.
fn sums(explanation: &AdapterExplanation, settings: &ReliabilitySettings) -> String {
    let tally = &explanation.tally;
    let missing = missing_lines(explanation, settings);
    if tally.runs == 0 {
        let why = match (explanation.runs.is_empty(), explanation.missing.unreported) {
            (false, _) => "All runs were denied",
            (true, 0) => "All runs were refused",
            (true, _) => "No run was taken",
        };
        return [format!("{why}, so there is no score.")].into_iter().chain(missing).collect::<Vec<_>>().join("\n");
    }
    let ReliabilitySettings { success_weight, retry_weight, quality_weight, most_retries, .. } = settings;
    let quality = quality_of(explanation);
    let mut lines = vec![format!(
        "{} runs count: {} succeeded, {} retries, total quality {}",
        tally.runs,
        tally.successes,
        tally.retries,
        trimmed(quality)
    )];
    let average = tally.average_retries();
    let capped = average > *most_retries;
    let retries = if capped { trimmed(*most_retries) } else { format!("{}/{}", tally.retries, tally.runs) };
    lines.push(format!(
        "{success_weight} × {}/{} + {retry_weight} × (1 - {retries} / {most_retries}) + {quality_weight} × {}/{} = {} -> score {}",
        tally.successes,
        tally.runs,
        trimmed(quality),
        tally.runs,
        trimmed(tally.raw_score(settings)),
        tally.score(settings)
    ));
    if capped {
        let retries = trimmed(average);
        lines.push(format!(
            "{retries} retries on average count as {most_retries}, so the score is above the mean of the runs' contributions"
        ));
    }
    lines.extend(missing);
    lines.join("\n")
}

/// How many runs are missing, and between which scores the adapter's lies.
fn missing_lines(explanation: &AdapterExplanation, settings: &ReliabilitySettings) -> Vec<String> {
    let AdapterExplanation { tally, refused, refused_unknown, missing, .. } = explanation;
    if missing.all() == 0 {
        return Vec::new();
    }
    let (lowest, highest) = (missing.lowest(*tally, settings).score(settings), missing.highest(*tally).score(settings));
    let refused = (refused + refused_unknown > 0).then(|| {
        format!("{refused} runs were refused, and {refused_unknown} more that name no adapter; quarantine/ holds their lines")
    });
    let unreported = (missing.unreported > 0).then(|| {
        let unreported = missing.unreported;
        format!(
            "{unreported} runs that a gate let through never reported; record how they ended with `outerloop record --kind run`"
        )
    });
    let known = (missing.known.runs > 0).then(|| {
        let runs = missing.known.runs;
        format!("{runs} of the refused runs are listed above with an earlier report, which no longer tells how they ended")
    });
    refused.into_iter().chain(known).chain(unreported).chain([format!("the score lies between {lowest} and {highest}")]).collect()
}

fn as_json(explanation: &AdapterExplanation, limit: usize, settings: &ReliabilitySettings) -> Value {
    let tally = &explanation.tally;
    let runs: Vec<Value> = latest(&explanation.runs, limit).0.iter().map(run_json).collect();
    json!({
        "adapter": explanation.adapter,
        "runs": runs,
        "sums": {
            "runs": tally.runs,
            "successes": tally.successes,
            "retries": tally.retries,
            "quality": number(quality_of(explanation)),
        },
        "refused": explanation.refused,
        "refused_unknown": explanation.refused_unknown,
        "unreported": explanation.missing.unreported,
        "lowest_score": bound(explanation.missing.lowest(*tally, settings), settings),
        "highest_score": bound(explanation.missing.highest(*tally), settings),
        "score": if tally.runs == 0 { Value::Null } else { number(tally.score(settings)) },
        "query": {"name": explanation.query, "sha256": explanation.hash},
        "changed_since": explanation.drift,
    })
}

fn bound(tally: Tally, settings: &ReliabilitySettings) -> Value {
    if tally.runs == 0 { Value::Null } else { number(tally.score(settings)) }
}

fn run_json(run: &AdapterRun) -> Value {
    json!({
        "ts": instant(run.time_micros),
        "project": run.project,
        "run_id": run.run_id,
        "result": run.result,
        "counts_as": run.correction.as_ref().map(|correction| if correction.is_success { "success" } else { "failure" }),
        "because": run.correction.as_ref().map(|correction| &*correction.why),
        "retries": run.retries,
        "quality": number(run.quality),
        "failure_type": run.failure_type,
        "file": run.file,
        "line": run.line,
        "contribution": run.contribution.map(number),
    })
}

/// The first so many of a list, and how many come after them; 0 means all.
fn latest<T>(list: &[T], limit: usize) -> (&[T], usize) {
    let shown = if limit == 0 { list.len() } else { limit.min(list.len()) };
    (&list[..shown], list.len() - shown)
}

#[expect(clippy::cast_precision_loss, reason = "sums of quality lie far below 2^52")]
fn quality_of(explanation: &AdapterExplanation) -> f64 {
    explanation.tally.quality_millionths as f64 / 1e6
}
