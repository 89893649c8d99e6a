//! What people should look at among the patterns of roles, and how the whole of them fares.

use serde::Deserialize;
use serde_json::json;

use super::super::printer::{Printer, Tone};
use super::super::subject::table;
use super::super::table::tabulate;
use super::PatternsOverviewArgs;

use agent::published::load_role_scores;
use learn::role::{AlikePair, Health, RoleReview, RoleScore, RoleStatus, Share, Unmatched, review_roles, sum_up_roles};
use render::plain_text;
use setting::Settings;
use store::publish::Generation;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How much of a saying is shown beside another one.
const SHOWN: usize = 50;

/// Lists what people should look at.
pub(super) fn review(
    generation: &Generation,
    options: &PatternsOverviewArgs,
    settings: &Settings,
    printer: &Printer,
) -> Outcome<Exit> {
    let scores = load(generation, options)?;
    let review = review_roles(&scores, &settings.deliberation);
    if options.output.json {
        let value = json!({"as_of": generation.manifest.as_of, "patterns": scores.len(), "review": review});
        printer.json(&value)?;
        return Ok(Exit::Done);
    }
    tell_review(&scores, &review, settings, printer)?;
    printer.note(&format!("as of {}; nothing was changed", generation.manifest.as_of));
    Ok(Exit::Done)
}

fn tell_review(scores: &[RoleScore], review: &RoleReview<'_>, settings: &Settings, printer: &Printer) -> Outcome<()> {
    let rules = &settings.deliberation;
    let section = |heading: String, found: &[&RoleScore]| {
        if found.is_empty() {
            return Ok(false);
        }
        printer.line(&format!("{}\n{}\n", printer.toned(Tone::Heading, &heading), table(found))).map(|()| true)
    };
    let mut is_any = section(format!("Stale: not used for more than {} days", rules.idle_days), &review.stale)?;
    is_any |= section("Regressions: trusted but rejected (`patterns clear` after a fix)".to_owned(), &review.regressions)?;
    is_any |= section("Verified, waiting for promotion (`patterns promote`)".to_owned(), &review.waiting)?;
    is_any |= section(format!("Penalty share above {} (`patterns reject`)", rules.review.rejected), &review.doubtful)?;
    if !review.pairs.is_empty() {
        printer.heading("Possible duplicates (`patterns retire` the weaker one)")?;
        printer.line(&pairs(scores, &review.pairs))?;
        is_any = true;
    }
    if !is_any {
        printer.line(&printer.toned(Tone::Good, "nothing to review"))?;
    }
    Ok(())
}

fn pairs(scores: &[RoleScore], pairs: &[AlikePair]) -> String {
    let saying =
        |id: &str| scores.iter().find(|score| score.id == id).map(|score| plain_text(&score.text, SHOWN)).unwrap_or_default();
    let rows = pairs.iter().map(|pair| {
        let AlikePair { first, second, likeness } = pair;
        [first.clone(), saying(first), second.clone(), saying(second), format!("{likeness:.2}")]
    });
    tabulate(["pattern", "text", "pattern", "text", "#similarity"], rows)
}

/// Shows the health of role patterns.
pub(super) fn status(
    generation: &Generation,
    options: &PatternsOverviewArgs,
    settings: &Settings,
    printer: &Printer,
) -> Outcome<Exit> {
    let scores = load(generation, options)?;
    let mut unmatched = load_unmatched(generation)?;
    unmatched.retain(|unmatched| is_meant(options, &unmatched.project, &unmatched.role));
    let status = sum_up_roles(&scores, &unmatched, &settings.deliberation);
    if options.output.json {
        let mut value =
            serde_json::to_value(&status).map_err(|error| Diagnostic::bug(format!("cannot encode the status: {error}")))?;
        value["as_of"] = generation.manifest.as_of.clone().into();
        printer.json(&value)?;
        return Ok(Exit::Done);
    }
    tell_status(&status, printer)?;
    printer.note(&format!("as of {}", generation.manifest.as_of));
    Ok(Exit::Done)
}

fn tell_status(status: &RoleStatus, printer: &Printer) -> Outcome<()> {
    let RoleStatus { patterns, in_use, immune, stale, pairs, regressions, unmatched, .. } = status;
    printer.line(&format!("health: {}", toned_health(status.health, printer)))?;
    printer.line(&format!("{patterns} role patterns, {in_use} in use, {immune} exempt from decay"))?;
    printer.line(&format!("{stale} stale, {pairs} possible duplicates, {regressions} regressions"))?;
    printer.line(&format!("{unmatched} rejected findings match no pattern"))?;
    for (name, shares) in [("state", &status.by_state), ("role", &status.by_role), ("kind", &status.by_category)] {
        printer.line(&format!("by {name}: {}", list(shares)))?;
    }
    Ok(())
}

/// The word of a health, in its color.
pub(crate) fn toned_health(health: Health, printer: &Printer) -> String {
    let tone = match health {
        Health::Good => Tone::Good,
        Health::NeedsReview => Tone::Warning,
        Health::Critical => Tone::Bad,
    };
    printer.toned(tone, health.name())
}

fn list(shares: &[Share]) -> String {
    let present = shares.iter().filter(|share| share.patterns > 0);
    let listed: Vec<String> = present.map(|share| format!("{} {}", share.patterns, plain_text(&share.name, 40))).collect();
    if listed.is_empty() { "none".to_owned() } else { listed.join(", ") }
}

fn load(generation: &Generation, options: &PatternsOverviewArgs) -> Outcome<Vec<RoleScore>> {
    let mut scores = load_role_scores(generation)?;
    scores.retain(|score| is_meant(options, &score.project, &score.role));
    Ok(scores)
}

fn is_meant(options: &PatternsOverviewArgs, project: &str, role: &str) -> bool {
    options.role.as_ref().is_none_or(|wanted| wanted.trim().eq_ignore_ascii_case(role))
        && options.project.name.as_ref().is_none_or(|wanted| wanted == project)
}

/// What a published report says of findings that are no pattern.
#[derive(Deserialize)]
struct PublishedReport {
    #[serde(default)]
    roles: PublishedRoles,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PublishedRoles {
    unmatched: Vec<Unmatched>,
}

fn load_unmatched(generation: &Generation) -> Outcome<Vec<Unmatched>> {
    let report: PublishedReport = serde_json::from_slice(&generation.read("report.json")?).map_err(|error| {
        Diagnostic::edit("the published report is damaged", "publish a new one: outerloop run hourly")
            .at(&generation.folder)
            .because(error)
    })?;
    Ok(report.roles.unmatched)
}
