//! `outerloop consensus`: what agents decide together. Opens no engine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::Value;

use super::gate::risk_parser;
use super::policy::{Asked, Item, read_items, tell_unpublished};
use super::printer::{Printer, Tone};
use super::require;
use super::table::{tabulate, trimmed};
use crate::args::{OutputArgs, ProjectArgs};
use learn::policy::{AgentDecision, AgentProfile, Consensus, Thresholds, is_same_agent, profile_agents, weigh};
use render::plain_text;
use render::policy::{AgentEntry, Rules};
use setting::RiskLevel;
use setting::Settings;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Decisions are a JSON list, or an object that holds it as `agentDecisions` or `votes`. Each has `agent`,
`decision` (approve, needs-review or reject) and `confidence` (0 to 1). Where an agent decides
twice, its last decision counts.

  echo '[{\"agent\":\"planner\",\"decision\":\"approve\",\"confidence\":0.9}]' |
    outerloop consensus --risk low

Exit codes: 0 approved; 1 a person must decide; 2 the decisions or the published policies cannot be
read.")]
pub struct ConsensusArgs {
    /// The file of decisions; stdin if none or `-` is given
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The risk of the run
    #[arg(long, value_name = "RISK", value_parser = risk_parser())]
    risk: RiskLevel,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The words of a decision.
const DECISIONS: [&str; 3] = ["approve", "needs-review", "reject"];

/// Weighs what agents decided.
pub(crate) fn run(workspace: &Workspace, options: &ConsensusArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let items = read_items(options.file.as_deref(), &["agentDecisions", "agent_decisions", "decisions", "votes"])?;
    let decisions = last_words(items.iter().map(parse_decision).collect::<Outcome<_>>()?);
    let settings = load_settings(workspace)?;
    let asked = Asked::load(workspace, &settings, options.project.name.as_deref())?;
    if asked.document.is_none() {
        tell_unpublished(printer);
    }
    let (profiles, thresholds) = asked.rules().map_or_else(|| start(&settings), published);
    let consensus = weigh(&decisions, options.risk, &profiles, &thresholds);
    if !consensus.unknown.is_empty() {
        let names = plain_text(&consensus.unknown.join(", "), 200);
        printer.note(&format!(
            "unknown agents: {names}; their decisions have no weight; the setting `agent.profiles` lists the known agents"
        ));
    }
    if !consensus.doubts.is_empty() {
        let names = plain_text(&consensus.doubts.join(", "), 200);
        printer.note(&format!("{names} did not approve, so the run is not approved"));
    }
    if options.output.json {
        printer.json(&consensus)?;
    } else {
        tell(&consensus, printer)?;
    }
    Ok(if consensus.verdict == "approve" && !consensus.pause { Exit::Done } else { Exit::Refused })
}

fn published(rules: &Rules) -> (Vec<AgentProfile>, Thresholds) {
    (rules.agents.iter().map(AgentEntry::profile).collect(), rules.thresholds.thresholds())
}

/// Where agents and thresholds stand before the first run.
fn start(settings: &Settings) -> (Vec<AgentProfile>, Thresholds) {
    let reliability: Vec<f64> = settings.agent.profiles.iter().map(|profile| profile.reliability).collect();
    (profile_agents(&settings.agent, &reliability, &BTreeMap::new()), Thresholds::start(&settings.threshold))
}

fn parse_decision(item: &Item) -> Outcome<AgentDecision> {
    let agent = item.text(&["agent"])?.to_owned();
    let decision = item.text(&["decision", "vote"])?.to_owned();
    if !DECISIONS.contains(&&*decision) {
        return Err(item.fault("decision", &Value::from(decision), "write one of: approve, needs-review, reject"));
    }
    let Some((_, value)) = item.find(&["confidence"]) else { return Err(item.missing("confidence")) };
    let confidence = value.as_f64().filter(|confidence| (0.0..=1.0).contains(confidence));
    let confidence = confidence.ok_or_else(|| item.fault("confidence", value, "write a number from 0 to 1"))?;
    Ok(AgentDecision { agent, decision: Some(decision), confidence })
}

/// The last decision of each agent, in the order in which agents first spoke.
fn last_words(decisions: Vec<AgentDecision>) -> Vec<AgentDecision> {
    let mut last: Vec<AgentDecision> = Vec::new();
    for decision in decisions {
        match last.iter_mut().find(|earlier| is_same_agent(&earlier.agent, &decision.agent)) {
            Some(earlier) => *earlier = decision,
            None => last.push(decision),
        }
    }
    last
}

fn tell(consensus: &Consensus, printer: &Printer) -> Outcome<()> {
    let (tone, then) = match (consensus.verdict, consensus.pause) {
        ("approve", false) => (Tone::Good, ""),
        ("reject", _) => (Tone::Bad, ", pause"),
        _ => (Tone::Warning, ", pause"),
    };
    printer.line(&printer.toned(tone, &format!("{}{then}", consensus.verdict)))?;
    printer.line(&format!("  approval   {:.3}, needed {}", consensus.approval, trimmed(consensus.threshold)))?;
    printer.line(&format!("  rejection  {:.3}", consensus.rejection))?;
    if !consensus.vetoes.is_empty() {
        printer.line(&format!("  vetoed by  {}", plain_text(&consensus.vetoes.join(", "), 200)))?;
    }
    if !consensus.doubts.is_empty() {
        printer.line(&format!("  not approved by {} (unknown agents)", plain_text(&consensus.doubts.join(", "), 200)))?;
    }
    if consensus.votes.is_empty() {
        return Ok(());
    }
    let rows =
        consensus.votes.iter().map(|vote| [plain_text(&vote.agent, 40), vote.decision.clone(), format!("{:.3}", vote.weight)]);
    let table = tabulate(["agent", "decision", "#weight"], rows);
    printer.line(&format!("\n{table}"))
}
