//! The report as one page: no network, no file beside it. It can be read without a script; a little script sorts, filters, pages,
//! and opens explanations.

mod chart;
mod data;
mod first;
mod lesson;
mod markup;
mod policy;
mod table;
mod why;

use std::collections::BTreeMap;

use crate::report::Report;
pub use data::{JobLine, fill_jobs};
use learn::observation::ObservationScore;
use learn::{History, Score};
use markup::Markup;
use text::digest::sha256_bytes;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the page shows beyond the report.
pub struct PageData<'p> {
    pub scores: &'p [Score],
    pub history: &'p History,
    pub observed: &'p [ObservationScore],
}

/// Where the step times of jobs go: they are no function of the log, so the published page holds only this.
pub const JOBS_PLACE: &str = "<!--jobs-->";

/// Renders the page. A function of the report and its data, and of nothing else.
pub fn render_html(report: &Report<'_>, data: &PageData<'_>) -> String {
    let mut page = Markup::default();
    page.own("<!doctype html>\n");
    page.tag("html", &[("lang", "en")], |page| {
        head(page, report);
        page.tag("body", &[], |page| body(page, report, data));
    });
    page.own("\n");
    page.finish()
}

fn head(page: &mut Markup, report: &Report<'_>) {
    page.tag("head", &[], |page| {
        page.open("meta", &[("charset", "utf-8")]);
        page.open("meta", &[("name", "viewport"), ("content", "width=device-width,initial-scale=1")]);
        // Even if a lesson could forge markup, the browser would run and load nothing but this page's own parts.
        let policy = format!(
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            base64(&sha256_bytes(SCRIPT.as_bytes()))
        );
        page.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
        page.open("meta", &[("name", "color-scheme"), ("content", "light dark")]);
        page.open("link", &[("rel", "icon"), ("href", "data:,")]);
        page.leaf("title", &[], &format!("{} \u{2013} Outerloop", report.overview.verdict.title()));
        page.tag("style", &[], |page| page.own(STYLE));
    });
}

/// The sections below the first screen: their anchors and titles.
const SECTIONS: [(&str, &str); 9] = [
    ("lessons", "Lessons"),
    ("flags", "Flags"),
    ("adapters", "Adapters"),
    ("roles", "Roles"),
    ("observations", "Observations"),
    ("holdout", "Holdout"),
    ("quality", "Data quality"),
    ("jobs", "Jobs"),
    ("whys", "How to read this"),
];

fn body(page: &mut Markup, report: &Report<'_>, data: &PageData<'_>) {
    page.leaf("a", &[("class", "skip"), ("href", "#lessons")], "Skip to the lessons");
    page.tag("main", &[], |page| {
        first::write_first(page, report);
        page.tag("nav", &[("aria-label", "Sections")], |page| {
            for (anchor, title) in SECTIONS.into_iter().filter(|(anchor, _)| is_shown(anchor, report)) {
                page.leaf("a", &[("href", &format!("#{anchor}"))], title);
            }
        });
        section(page, "lessons", |page| lesson::write_lessons(page, report, data));
        section(page, "flags", |page| lesson::write_flags(page, report, data));
        if is_shown("adapters", report) {
            section(page, "adapters", |page| policy::write_adapters(page, report, data));
        }
        if is_shown("roles", report) {
            section(page, "roles", |page| policy::write_roles(page, report));
        }
        if is_shown("observations", report) {
            section(page, "observations", |page| data::write_observations(page, report, data));
        }
        section(page, "holdout", |page| data::write_holdout(page, report));
        section(page, "quality", |page| data::write_quality(page, report));
        section(page, "jobs", |page| data::write_jobs(page, report));
        section(page, "whys", why::write_whys);
        data::write_sources(page, report);
    });
    page.tag("dialog", &[("id", "explain"), ("aria-labelledby", "explain-title")], |page| {
        page.leaf("h2", &[("id", "explain-title")], "");
        page.leaf("div", &[("class", "body")], "");
        page.leaf("button", &[("type", "button"), ("class", "close")], "Close");
    });
    page.tag("script", &[], |page| page.own(SCRIPT));
}

/// Whether a section is about something that is in use. Where nothing is yet, every section tells a newcomer how to fill it.
fn is_shown(anchor: &str, report: &Report<'_>) -> bool {
    let Report { policy, roles, observations, totals, .. } = report;
    let is_governed = policy.is_in_use() || policy.rejected > 0;
    let has_roles = roles.patterns > 0 || !roles.standings.is_empty();
    let is_observed = observations.observations > 0;
    let is_new = totals.patterns == 0 && totals.applications == 0 && !is_governed && !has_roles && !is_observed;
    is_new
        || match anchor {
            "adapters" => is_governed,
            "roles" => has_roles,
            "observations" => is_observed,
            _ => true,
        }
}

fn section(page: &mut Markup, anchor: &'static str, inside: impl FnOnce(&mut Markup)) {
    let title = SECTIONS.iter().find(|(known, _)| *known == anchor).map_or("", |(_, title)| *title);
    let label = format!("{anchor}-title");
    page.tag("section", &[("class", "card"), ("id", anchor), ("aria-labelledby", &label)], |page| {
        page.leaf("h2", &[("id", &label)], title);
        inside(page);
    });
}

/// A sentence where a section has nothing to show.
fn nothing(page: &mut Markup, text: &str, command: &'static str) {
    page.tag("p", &[("class", "nothing")], |page| {
        page.text(text);
        if !command.is_empty() {
            page.text(" ");
            page.leaf("code", &[], command);
        }
    });
}

/// The patterns of a report by id, with their place.
fn by_id(scores: &[Score]) -> BTreeMap<&str, &Score> {
    scores.iter().map(|score| (&*score.id, score)).collect()
}

/// Base64 as RFC 4648 has it: browsers want hashes so.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().chain(&[0, 0]).take(3).fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            let is_filled = place <= group.len();
            text.push(if is_filled { char::from(LETTERS[bits >> (18 - 6 * place) & 63]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(super::base64(bytes.as_bytes()), text);
        }
    }
}
