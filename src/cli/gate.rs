//! `outerloop gate`: may an adapter run by itself. Inside of an agent's turn, so it opens no engine and reads one small file.

use clap::Args as ClapArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::policy::describe_basis;
use super::policy::{Asked, draft, land, load_document, parse_adapter, tell_unpublished};
use super::printer::{Printer, Tone};
use super::require;
use super::table::trimmed;
use crate::args::{OutputArgs, ProjectArgs};
use learn::policy::{BaseRisk, GateAnswer, GateQuestion, Overlay, decide_gate, number};
use render::plain_text;
use setting::RiskLevel;
use setting::Settings;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Answers from the published policies within a few milliseconds, and writes nothing without --record.
Each project has rules of its own, unless the setting `overlay.by_project` is off. Unknown adapters are
allowed, unless --require-known is given. Retries come after the first attempt: 1 retry means 2 attempts.

  outerloop gate github --risk high                may github run without approval, and how often
  outerloop gate github --risk 0.35 --require-known  a risk of your own scale; unknown adapters need approval
  outerloop gate github --base-retries 3 --json    for programs; never more retries than given
  outerloop gate terminal --record run-42 && ./deploy

Exit codes: 0 it may run without approval; 1 a person must approve; 2 usage error or unreadable
policies: do not run.")]
pub struct GateArgs {
    /// The adapter, such as github
    adapter: String,
    /// The risk of the run: low, medium, high, or a number of at least 0
    #[arg(long, value_name = "RISK", value_parser = parse_risk)]
    risk: Option<BaseRisk>,
    /// The retries that you allow [default: the setting `gate.base_retries`]
    #[arg(long, value_name = "NUMBER")]
    base_retries: Option<u32>,
    /// Require approval in any case
    #[arg(long)]
    approval: bool,
    /// Require approval of an adapter of which no run is known
    #[arg(long)]
    require_known: bool,
    /// Record the answer as an event of this run before it is printed
    #[arg(long, value_name = "RUN_ID")]
    record: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn risk_parser() -> impl clap::builder::TypedValueParser<Value = RiskLevel> {
    PossibleValuesParser::new(RiskLevel::ALL.map(RiskLevel::name))
        .try_map(|name| RiskLevel::from_name(&name).ok_or("the risks are low, medium and high"))
}

fn parse_risk(text: &str) -> Result<BaseRisk, String> {
    if let Some(level) = RiskLevel::from_name(text) {
        return Ok(BaseRisk::Level(level));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(BaseRisk::Value(value)),
        _ => Err("write low, medium, high, or a number of at least 0".to_owned()),
    }
}

/// Answers whether an adapter may run by itself.
pub(crate) fn run(workspace: &Workspace, options: &GateArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let adapter = parse_adapter(&options.adapter)?;
    let settings = load_settings(workspace)?;
    let asked = Asked::load(workspace, &settings, options.project.name.as_deref())?;
    let overlay = asked.overlay(&adapter);
    let answer = answer(&adapter, options, overlay, &settings);
    if asked.document.is_none() {
        tell_unpublished(printer);
    } else if overlay.is_none() {
        printer.note(&format!("unknown adapter {}; {}", plain_text(&adapter, 80), asked.hint(&adapter)));
    }
    if let Some(run) = &options.record {
        record(workspace, &settings, &asked.project, options, run, &answer)?;
    }
    if options.output.json {
        printer.line(
            &serde_json::to_string(&answer).map_err(|error| Diagnostic::bug(format!("cannot encode the answer: {error}")))?,
        )?;
    } else {
        tell(&answer, options.risk, overlay, &settings, printer)?;
    }
    Ok(if answer.approval { Exit::Refused } else { Exit::Done })
}

fn answer(adapter: &str, options: &GateArgs, overlay: Option<&Overlay>, settings: &Settings) -> GateAnswer {
    let question = GateQuestion {
        adapter,
        risk: options.risk,
        base_retries: options.base_retries,
        base_approval: options.approval,
        requires_known: options.require_known,
        now_micros: clock::now().as_microsecond(),
    };
    let mut answer = decide_gate(question, overlay, &settings.gate, &settings.overlay);
    // What is known of the adapter does not tell why approval is needed if only the caller wants it.
    if options.approval && !overlay.is_some_and(|overlay| overlay.require_approval) {
        answer.reason = format!("approval was requested; {}", answer.reason);
    }
    answer
}

fn record(
    workspace: &Workspace,
    settings: &Settings,
    project: &str,
    options: &GateArgs,
    run: &str,
    answer: &GateAnswer,
) -> Outcome<()> {
    let event = draft("gate", project)
        .with("adapter", &*answer.adapter)
        .with("run_id", run)
        .with_some("risk", options.risk.and_then(level_of))
        .with("approval", answer.approval)
        .with("multiplier", number(answer.multiplier))
        .with("retries", answer.retries)
        .with("reason", &*answer.reason);
    land(workspace, settings, event).map(drop)
}

/// The answer for an agent that asks by a tool. Nothing is recorded.
pub(crate) fn answer_text(
    workspace: &Workspace,
    settings: &Settings,
    project: &str,
    adapter: &str,
    risk: Option<RiskLevel>,
    base_retries: Option<u32>,
) -> Outcome<String> {
    let adapter = parse_adapter(adapter)?;
    let asked = Asked::choose(load_document(workspace)?, project.to_owned(), false)?;
    let overlay = asked.overlay(&adapter);
    let now_micros = clock::now().as_microsecond();
    let risk = risk.map(BaseRisk::Level);
    let question = GateQuestion { adapter: &adapter, risk, base_retries, base_approval: false, requires_known: false, now_micros };
    let answer = decide_gate(question, overlay, &settings.gate, &settings.overlay);
    let mut lines = vec![format!("{}: {}", plain_text(&answer.adapter, 80), verdict(&answer))];
    lines.extend(details(&answer, risk, overlay, settings));
    if overlay.is_none() {
        lines.push("  nothing is known of this adapter".to_owned());
    }
    Ok(lines.join("\n"))
}

const fn verdict(answer: &GateAnswer) -> &'static str {
    if answer.approval { "approval needed" } else { "go" }
}

fn tell(
    answer: &GateAnswer,
    risk: Option<BaseRisk>,
    overlay: Option<&Overlay>,
    settings: &Settings,
    printer: &Printer,
) -> Outcome<()> {
    let tone = if answer.approval { Tone::Warning } else { Tone::Good };
    printer.line(&printer.toned(tone, &format!("{}: {}", plain_text(&answer.adapter, 80), verdict(answer))))?;
    details(answer, risk, overlay, settings).iter().try_for_each(|line| printer.line(line))
}

fn details(answer: &GateAnswer, risk: Option<BaseRisk>, overlay: Option<&Overlay>, settings: &Settings) -> Vec<String> {
    let factor = trimmed(answer.multiplier);
    let mut lines = vec![
        match risk.zip(answer.risk) {
            Some((base, risk)) => {
                let name = level_of(base).map(|name| format!("{name} ")).unwrap_or_default();
                format!("  risk     {} ({name}{} × {factor})", trimmed(risk), trimmed(base.value(&settings.gate)))
            }
            None => format!("  risk     × {factor}"),
        },
        format!("  retries  {} (at most {} attempts)", answer.retries, answer.attempts),
        format!("  reason   {}", plain_text(&answer.reason, 400)),
    ];
    if let Some(overlay) = overlay {
        lines.extend(describe_basis(&overlay.basis).map(|line| format!("  score    {line}")));
        let updated = plain_text(&overlay.updated_at, 40);
        lines.push(if answer.stale {
            format!("  stale    not used for more than {} days, since {updated}", settings.overlay.stale_days)
        } else {
            format!("  updated  {updated}")
        });
    }
    lines
}

const fn level_of(risk: BaseRisk) -> Option<&'static str> {
    match risk {
        BaseRisk::Level(level) => Some(level.name()),
        BaseRisk::Value(_) => None,
    }
}
