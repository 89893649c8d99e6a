//! Observations and artifacts, the holdout, the quality of the data, times, jobs, and where everything comes from.

use super::markup::{Markup, said};
use super::table::{Cell, Look, MOST, Table, column, figure, figures};
use super::{JOBS_PLACE, PageData, nothing};
use crate::overview::{Tone, grouped, percent, points};
use crate::report::Report;
use learn::observation::Status;
use text::time::{duration_text, to_minutes};

pub(super) fn write_observations(page: &mut Markup, report: &Report<'_>, data: &PageData<'_>) {
    let observations = &report.observations;
    if observations.observations == 0 {
        return nothing(page, "No transcript was observed yet:", "outerloop observe --help");
    }
    let sentence = format!(
        "{} observations: {} ready to become artifacts, {} to review, {} deprecated, {} decayed.",
        observations.observations,
        observations.ready_count,
        observations.flagged_count,
        observations.deprecated_count,
        observations.faded
    );
    page.leaf("p", &[("class", "lead")], &sentence);
    let columns = [
        column("status", Look::Chip),
        column("id", Look::Id),
        column("type", Look::Text),
        figures("confidence", Look::Percent, "observation"),
        figures("sessions", Look::Count, "observation"),
        column("artifact", Look::Text),
        column("what recurs", Look::Lesson),
    ];
    let mut order: Vec<_> = data.observed.iter().collect();
    order.sort_by(|one, other| other.confidence.total_cmp(&one.confidence).then_with(|| one.id.cmp(&other.id)));
    let rows = order.into_iter().take(MOST).map(|score| {
        let tone = match score.status {
            Status::Created => Tone::Good,
            Status::Deprecated => Tone::Bad,
            Status::Observing | Status::Ready => Tone::Neutral,
        };
        let artifact = score.artifact_path.as_ref().map(|path| match &score.anchor {
            Some(anchor) => format!("{path} {anchor}"),
            None => path.clone(),
        });
        vec![
            Cell::Chip(tone, score.status.to_string()),
            Cell::Text(score.id.clone()),
            Cell::Text(score.observation_type.to_string()),
            Cell::Number(score.confidence),
            score.observations.into(),
            artifact.map_or(Cell::Empty, |artifact| Cell::Text(said(&artifact))),
            Cell::Text(said(&score.pattern)),
        ]
    });
    let table = Table {
        id: "observation-table",
        caption: "Observations from transcripts, by confidence",
        columns: &columns,
        rows: rows.collect(),
        all: data.observed.len(),
        command: "outerloop learn list --all --json",
    };
    table.write(page);
}

pub(super) fn write_holdout(page: &mut Markup, report: &Report<'_>) {
    let verdict = &report.overview.verdict;
    page.leaf("p", &[("class", "lead")], &verdict.sentence());
    let shown = |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(|| "\u{2013}".to_owned(), show);
    let rows = [
        ("tasks with a coin", grouped(i64::try_from(verdict.units).unwrap_or(i64::MAX))),
        ("share without lessons", shown(verdict.share_without, percent)),
        ("goals met with lessons", shown(verdict.with, percent)),
        ("goals met without", shown(verdict.without, percent)),
        ("lift in points", shown(verdict.lift, points)),
        ("smallest lift that matters", points(verdict.smallest)),
        ("days of traffic left", verdict.days_left.map_or_else(|| "\u{2013}".to_owned(), |days| days.to_string())),
    ];
    figure_list(page, "holdout", &rows);
}

/// Figures with their names, all of which one explanation covers.
fn figure_list(page: &mut Markup, why: &str, rows: &[(&str, String)]) {
    page.tag("dl", &[("class", "pairs")], |page| {
        for (name, value) in rows {
            page.tag("div", &[], |page| {
                page.leaf("dt", &[], name);
                page.tag("dd", &[], |page| figure(page, why, "", |page| page.text(value)));
            });
        }
    });
}

pub(super) fn write_quality(page: &mut Markup, report: &Report<'_>) {
    let (totals, merging) = (&report.totals, &report.merging);
    let late: i64 = report.quarantine.iter().filter(|refusal| refusal.code == "too_late").map(|refusal| refusal.lines).sum();
    let refused: i64 = report.quarantine.iter().map(|refusal| refusal.lines).sum();
    figure_list(
        page,
        "refused",
        &[
            ("lines in quarantine", grouped(refused)),
            ("of them too late", grouped(late)),
            ("reports of runs refused", grouped(report.policy.rejected)),
            ("captured lessons that wait", merging.waiting.to_string()),
            ("captured lessons refused", merging.rejected.to_string()),
            ("decisions without effect", (report.void_decisions.len() + report.policy.void_decisions.len()).to_string()),
        ],
    );
    figure_list(
        page,
        "unattributed",
        &[("applications", grouped(totals.applications)), ("of them without a known lesson", grouped(totals.unattributed))],
    );
    quarantine_table(page, report);
    let strangers = report.strangers.iter().map(|(text, applications)| vec![Cell::Text(said(text)), (*applications).into()]);
    let rows: Vec<_> = strangers.collect();
    if !rows.is_empty() {
        page.leaf("h3", &[], "Texts that match no lesson");
        let columns = [column("text", Look::Lesson), figures("applications", Look::Count, "unattributed")];
        let (id, caption, all) = ("stranger-table", "Texts that match no lesson", rows.len());
        Table { id, caption, columns: &columns, rows, all, command: "outerloop lessons" }.write(page);
    }
    event_table(page, report);
    timing_table(page, report);
}

fn quarantine_table(page: &mut Markup, report: &Report<'_>) {
    if report.quarantine.is_empty() {
        return;
    }
    let columns = [column("reason", Look::Text), figures("lines", Look::Count, "refused"), column("example", Look::Lesson)];
    let rows: Vec<_> = report
        .quarantine
        .iter()
        .map(|refusal| vec![Cell::Text(said(&refusal.code)), refusal.lines.into(), Cell::Text(said(&refusal.example))])
        .collect();
    page.leaf("h3", &[], "Quarantine");
    let (id, caption, all) = ("quarantine-table", "Refused lines by reason", rows.len());
    Table { id, caption, columns: &columns, rows, all, command: "outerloop status" }.write(page);
}

fn event_table(page: &mut Markup, report: &Report<'_>) {
    let columns = [
        column("kind", Look::Text),
        figures("events", Look::Count, "events"),
        column("from", Look::Text),
        column("to", Look::Text),
    ];
    let rows: Vec<_> = report
        .totals
        .events
        .iter()
        .map(|holding| {
            let (from, to) = (to_minutes(holding.first_micros.0), to_minutes(holding.last_micros.0));
            vec![Cell::Text(holding.kind.clone()), holding.events.into(), Cell::Text(from), Cell::Text(to)]
        })
        .collect();
    page.leaf("h3", &[], "Events");
    let (id, caption, all) = ("event-table", "Events by kind", rows.len());
    Table { id, caption, columns: &columns, rows, all, command: "outerloop status" }.write(page);
}

fn timing_table(page: &mut Markup, report: &Report<'_>) {
    let timing = &report.timing;
    let mut rows: Vec<(&str, &str, &learn::timing::Stats)> = Vec::new();
    rows.extend(timing.iterations.summary.iter().map(|stats| ("iteration", "", stats)));
    rows.extend(timing.phases.iter().map(|row| ("phase", &*row.phase, &row.stats)));
    rows.extend(timing.pipeline_steps.iter().map(|row| ("step", &*row.step_name, &row.stats)));
    rows.extend(timing.agents.iter().map(|row| ("agent", &*row.agent_name, &row.stats)));
    if rows.is_empty() {
        return;
    }
    let columns = [
        column("what", Look::Text),
        column("name", Look::Text),
        figures("count", Look::Count, "timing"),
        figures("mean", Look::Text, "timing"),
        figures("longest", Look::Text, "timing"),
        figures("total", Look::Text, "timing"),
    ];
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(what, name, stats)| {
            let [mean, longest, total] =
                [stats.avg_s, stats.max_s, stats.total_s].map(|seconds| Cell::Text(duration_text(seconds)));
            let count = i64::try_from(stats.count).unwrap_or(i64::MAX);
            vec![Cell::Text(what.to_owned()), Cell::Text(said(name)), count.into(), mean, longest, total]
        })
        .collect();
    page.leaf("h3", &[], "Time per phase");
    let (id, caption, all) = ("timing-table", "Time per phase of the latest runs", rows.len());
    Table { id, caption, columns: &columns, rows, all, command: "outerloop timing --help" }.write(page);
}

pub(super) fn write_jobs(page: &mut Markup, _report: &Report<'_>) {
    page.tag("p", &[("class", "lead")], |page| {
        page.text("How long the steps of jobs took is known to the machine, not to the log. This adds it to the page: ");
        page.leaf("code", &[], "outerloop report --format html > report.html");
    });
    page.own(JOBS_PLACE);
}

/// A step of a job's latest run.
#[derive(Debug, Clone, PartialEq)]
pub struct JobLine {
    pub job: String,
    pub ended: String,
    pub step: String,
    pub outcome: String,
    pub seconds: f64,
    pub attempts: u32,
}

/// Puts the steps of the latest runs of jobs into a published page.
pub fn fill_jobs(page: &str, lines: &[JobLine]) -> String {
    let columns = [
        figures("outcome", Look::Chip, "jobs"),
        column("job", Look::Text),
        column("step", Look::Text),
        figures("seconds", Look::Decimal, "jobs"),
        figures("attempts", Look::Count, "jobs"),
        column("run ended", Look::Text),
    ];
    let rows: Vec<_> = lines
        .iter()
        .map(|line| {
            let tone = match &*line.outcome {
                "done" => Tone::Good,
                "failed" => Tone::Bad,
                _ => Tone::Neutral,
            };
            vec![
                Cell::Chip(tone, said(&line.outcome)),
                Cell::Text(said(&line.job)),
                Cell::Text(said(&line.step)),
                Cell::Number(line.seconds),
                i64::from(line.attempts).into(),
                Cell::Text(said(&line.ended)),
            ]
        })
        .collect();
    let mut filled = Markup::default();
    let (id, caption, all) = ("job-table", "Steps of each job's latest run", rows.len());
    Table { id, caption, columns: &columns, rows, all, command: "outerloop jobs" }.write(&mut filled);
    page.replacen(JOBS_PLACE, &filled.finish(), 1)
}

pub(super) fn write_sources(page: &mut Markup, report: &Report<'_>) {
    page.tag("footer", &[], |page| {
        let short = report.settings_hash.get(..16).unwrap_or_default();
        page.leaf(
            "p",
            &[],
            &format!("Made by {} from {} queries with the settings {short}.", report.program, report.queries.len()),
        );
        page.tag("details", &[], |page| {
            page.leaf("summary", &[], "SHA-256 of every query");
            page.tag("ul", &[("class", "hashes")], |page| {
                for (name, hash) in &report.queries {
                    page.leaf("li", &[], &format!("sql/{name}.sql {}", hash.get(..16).unwrap_or_default()));
                }
            });
        });
    });
}
