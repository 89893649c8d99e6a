//! The first screen: the verdict, what to do, five figures, the weeks, and what changed.

use super::chart::{Series, short_day, tone_class, trend, verdict_range};
use super::markup::Markup;
use super::table::figure;
use crate::overview::{Action, Overview, Tone, Verdict, Week, grouped};
use crate::report::Report;
use text::time::to_minutes;

pub(super) fn write_first(page: &mut Markup, report: &Report<'_>) {
    let overview = &report.overview;
    page.tag("header", &[], |page| {
        page.leaf("b", &[], "Outerloop");
        page.leaf("span", &[], &format!("as of {} UTC", report.as_of.replace('T', " ").trim_end_matches('Z')));
        if let Some(days) = days_of_events(report) {
            page.leaf("span", &[], &days);
        }
        page.leaf("button", &[("type", "button"), ("id", "theme"), ("hidden", "")], "Dark");
    });
    page.tag("div", &[("class", "top")], |page| {
        verdict(page, &overview.verdict);
        actions(page, &overview.actions);
    });
    facts(page, overview);
    page.tag("div", &[("class", "mid")], |page| {
        weeks(page, &overview.weeks);
        news(page, overview);
    });
}

fn days_of_events(report: &Report<'_>) -> Option<String> {
    let first = report.totals.events.iter().map(|holding| holding.first_micros.0).min()?;
    let last = report.totals.events.iter().map(|holding| holding.last_micros.0).max()?;
    let day = |micros: i64| to_minutes(micros).get(..10).unwrap_or_default().to_owned();
    Some(format!("events from {} to {}", day(first), day(last)))
}

fn verdict(page: &mut Markup, verdict: &Verdict) {
    let tone = tone_class(verdict.tone());
    page.tag("section", &[("class", &format!("card verdict {tone}")), ("aria-label", "Verdict")], |page| {
        page.leaf("span", &[("class", &format!("chip {tone}"))], verdict.kind());
        page.tag("h1", &[], |page| match verdict.headline() {
            (text, Some(shown)) => {
                page.text(&format!("{text}: "));
                figure(page, "verdict", "", |page| page.text(&shown));
            }
            (text, None) => figure(page, "verdict", "", |page| page.text(&text)),
        });
        page.leaf("p", &[], &verdict.sentence());
        if let (Some(lower), Some(lift), Some(upper)) = (verdict.lower, verdict.lift, verdict.upper) {
            verdict_range(page, verdict.tone(), (lower, lift, upper));
        }
        if !verdict.steps.is_empty() {
            page.tag("ul", &[("class", "steps")], |page| {
                for step in &verdict.steps {
                    page.tag("li", &[], |page| {
                        page.leaf("b", &[], if step.is_done { "\u{2713} done: " } else { "\u{25cb} missing: " });
                        page.text(&step.text);
                        if !step.is_done {
                            page.leaf("code", &[], &step.command);
                        }
                    });
                }
            });
        }
    });
}

fn actions(page: &mut Markup, actions: &[Action]) {
    page.tag("section", &[("class", "card"), ("aria-labelledby", "todo-title")], |page| {
        page.leaf("h2", &[("id", "todo-title")], "What to do now");
        if actions.is_empty() {
            page.leaf("p", &[("class", "nothing")], "Nothing asks for your attention.");
        }
        page.tag("ol", &[("class", "todo")], |page| {
            for action in actions {
                page.tag("li", &[("class", tone_class(action.tone))], |page| {
                    if action.tone == Tone::Bad {
                        page.leaf("b", &[("class", "mark")], "! ");
                    }
                    page.text(&action.text);
                    page.leaf("code", &[], &action.command);
                });
            }
        });
    });
}

fn facts(page: &mut Markup, overview: &Overview) {
    page.tag("div", &[("class", "kpis")], |page| {
        for fact in &overview.facts {
            page.tag("div", &[("class", "card kpi")], |page| {
                figure(page, &fact.why, "", |page| page.leaf("b", &[], &fact.value));
                page.leaf("span", &[], &fact.label);
            });
        }
    });
}

fn weeks(page: &mut Markup, weeks: &[Week]) {
    page.tag("section", &[("class", "card"), ("aria-labelledby", "weeks-title")], |page| {
        page.leaf("h2", &[("id", "weeks-title")], "Each week");
        if weeks.is_empty() {
            page.leaf("p", &[("class", "nothing")], "No run and no goal was recorded in the last twelve weeks.");
            return;
        }
        let series = [
            Series { class: "goals", name: "goals met", of: |week| (week.met, week.judged) },
            Series { class: "runs", name: "succeeded", of: |week| (week.succeeded, week.runs) },
        ];
        trend(page, weeks, &series);
        page.tag("details", &[], |page| {
            page.leaf("summary", &[], "The figures of the chart");
            page.tag("table", &[("class", "plain")], |page| week_table(page, weeks));
        });
    });
}

fn week_table(page: &mut Markup, weeks: &[Week]) {
    page.tag("thead", &[], |page| {
        page.tag("tr", &[], |page| {
            for title in ["week to", "runs", "succeeded", "judged", "goals met"] {
                page.leaf("th", &[("scope", "col")], title);
            }
        });
    });
    page.tag("tbody", &[], |page| {
        for week in weeks.iter().rev() {
            page.tag("tr", &[], |page| {
                page.leaf("td", &[], &short_day(&week.ends));
                for (why, count) in [("runs", week.runs), ("success", week.succeeded), ("goals", week.judged), ("goals", week.met)]
                {
                    page.tag("td", &[("class", "num")], |page| figure(page, why, "", |page| page.text(&grouped(count))));
                }
            });
        }
    });
}

fn news(page: &mut Markup, overview: &Overview) {
    page.tag("section", &[("class", "card"), ("aria-labelledby", "news-title")], |page| {
        page.leaf("h2", &[("id", "news-title")], "Changed since last week");
        if overview.news.is_empty() {
            page.leaf("p", &[("class", "nothing")], "Nothing that matters.");
        }
        page.tag("ul", &[("class", "news")], |page| {
            for news in &overview.news {
                page.tag("li", &[("class", tone_class(news.tone))], |page| {
                    page.text(&news.what);
                    page.leaf("small", &[], &news.why);
                    if let Some(command) = &news.command {
                        page.leaf("code", &[], command);
                    }
                });
            }
        });
        if overview.more_news > 0 {
            page.leaf("p", &[("class", "cut")], &format!("and {} smaller changes.", overview.more_news));
        }
    });
}
