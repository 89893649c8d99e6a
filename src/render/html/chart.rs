//! Charts as SVG: ranges on one scale, small lines, and the trend of the weeks. Colours mean a verdict only, and each has a word or
//! another line style beside it.

use super::markup::Markup;
use crate::overview::{Tone, Week, percent, points};
use learn::{interval, real};

/// The widest lift that the scale of ranges shows without stretching.
const REACH: f64 = 0.3;

pub(super) const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Neutral => "wait",
    }
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

fn line(page: &mut Markup, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
    page.tag("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)], |_| {});
}

fn label(page: &mut Markup, class: &str, (x, y): (f64, f64), anchor: &str, text: &str) {
    page.leaf("text", &[("class", class), ("x", &number(x)), ("y", &number(y)), ("text-anchor", anchor)], text);
}

/// The range of a lift beside zero, large.
pub(super) fn verdict_range(page: &mut Markup, tone: Tone, (lower, lift, upper): (f64, f64, f64)) {
    const WIDTH: f64 = 520.0;
    /// How wide a figure is at most, `−100.0`.
    const FIGURE: f64 = 44.0;
    let reach = [lower.abs(), upper.abs()].into_iter().fold(REACH, f64::max).min(1.0);
    let x = |share: f64| WIDTH / 2.0 + share.clamp(-reach, reach) / reach * WIDTH / 2.0;
    let said = format!("{} points, from {} to {}", points(lift), points(lower), points(upper));
    let class = format!("range {}", tone_class(tone));
    page.tag("svg", &[("class", &class), ("viewBox", "-4 0 528 52"), ("role", "img"), ("aria-label", &said)], |page| {
        line(page, "grid", [0.0, 20.0, WIDTH, 20.0]);
        line(page, "zero", [x(0.0), 4.0, x(0.0), 36.0]);
        let (start, end) = (x(lower), x(upper));
        band(page, start, 14.0, (end - start).max(2.0), 12.0);
        dot(page, x(lift), 20.0, 7.0);
        // A range that fills the scale ends at the picture's edge; its figures must not be cut off there.
        let inside = |x: f64| x.clamp(FIGURE / 2.0, WIDTH - FIGURE / 2.0);
        label(page, "end", (inside(start), 45.0), "middle", &points(lower));
        label(page, "end", (inside(end), 45.0), "middle", &points(upper));
        if start > x(0.0) + 70.0 || end < x(0.0) - 70.0 {
            label(page, "axis", (x(0.0), 48.0), "middle", "no effect");
        }
        label(page, "axis", (0.0, 10.0), "start", &format!("{} points", points(-reach).replace(".0", "")));
        label(page, "axis", (WIDTH, 10.0), "end", &points(reach).replace(".0", ""));
    });
}

fn band(page: &mut Markup, x: f64, y: f64, width: f64, height: f64) {
    let radius = number(height / 2.0);
    let [x, y, width, height] = [x, y, width, height].map(number);
    let place = [("class", "band"), ("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height), ("rx", &*radius)];
    page.tag("rect", &place, |_| {});
}

fn dot(page: &mut Markup, x: f64, y: f64, radius: f64) {
    page.tag("circle", &[("class", "dot"), ("cx", &number(x)), ("cy", &number(y)), ("r", &number(radius))], |_| {});
}

/// A range within a row of a table, on a scale that all rows share: from `from` to `to`.
pub(super) fn row_range(page: &mut Markup, tone: Tone, (from, to): (f64, f64), [lower, value, upper]: [f64; 3], said: &str) {
    const WIDTH: f64 = 120.0;
    let x = |share: f64| 4.0 + (share.clamp(from, to) - from) / (to - from) * (WIDTH - 8.0);
    let class = format!("range {}", tone_class(tone));
    let shape =
        [("class", &*class), ("viewBox", "0 0 120 18"), ("width", "120"), ("height", "18"), ("role", "img"), ("aria-label", said)];
    page.tag("svg", &shape, |page| {
        if from < 0.0 {
            line(page, "zero", [x(0.0), 1.0, x(0.0), 17.0]);
        } else {
            line(page, "grid", [4.0, 9.0, WIDTH - 4.0, 9.0]);
        }
        band(page, x(lower), 5.5, (x(upper) - x(lower)).max(1.0), 7.0);
        dot(page, x(value), 9.0, 4.0);
    });
}

/// A small line without axes. Values lie from 0 to 1; none breaks it.
pub(super) fn spark(page: &mut Markup, values: &[Option<f64>]) {
    let known = values.iter().flatten().count();
    let said = match (values.iter().flatten().next(), values.iter().flatten().last()) {
        (Some(first), Some(last)) => format!("from {} to {}", percent(*first), percent(*last)),
        _ => "no data".to_owned(),
    };
    page.tag(
        "svg",
        &[("class", "spark"), ("viewBox", "0 0 84 18"), ("width", "84"), ("height", "18"), ("role", "img"), ("aria-label", &said)],
        |page| {
            let step = 80.0 / real(i64::try_from(values.len().max(2)).unwrap_or(2) - 1);
            let spots = values
                .iter()
                .zip(0_i32..)
                .filter_map(|(value, place)| Some((2.0 + step * f64::from(place), 16.0 - value.as_ref()? * 14.0)));
            let spots: Vec<(f64, f64)> = spots.collect();
            if known > 1 {
                path(page, "line", &spots);
            }
            if let Some((x, y)) = spots.last() {
                dot(page, *x, *y, 2.2);
            }
        },
    );
}

fn path(page: &mut Markup, class: &str, spots: &[(f64, f64)]) {
    let points: Vec<String> = spots.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    page.tag("polyline", &[("class", class), ("points", &points.join(" "))], |_| {});
}

/// One line of the trend: a share of a count for each week.
pub(super) struct Series {
    pub(super) class: &'static str,
    pub(super) name: &'static str,
    pub(super) of: fn(&Week) -> (i64, i64),
}

/// Goals and runs week by week, with the interval of each share, and how many runs there were.
pub(super) fn trend(page: &mut Markup, weeks: &[Week], series: &[Series]) {
    const LEFT: f64 = 54.0;
    const RIGHT: f64 = 490.0;
    const TOP: f64 = 16.0;
    const BOTTOM: f64 = 176.0;
    let step = (RIGHT - LEFT) / real(i64::try_from(weeks.len().max(2)).unwrap_or(2) - 1);
    let x = |place: usize| if weeks.len() == 1 { RIGHT } else { LEFT + step * real(i64::try_from(place).unwrap_or(0)) };
    let y = |share: f64| BOTTOM - share * (BOTTOM - TOP);
    let said = "Share of runs that succeeded and of goals that were met, week by week; the table below has the figures";
    page.tag("svg", &[("class", "trend"), ("viewBox", "0 0 660 252"), ("role", "img"), ("aria-label", said)], |page| {
        for quarter in [0.0, 0.25, 0.5, 0.75, 1.0] {
            line(page, "grid", [LEFT, y(quarter), RIGHT, y(quarter)]);
            label(page, "axis", (LEFT - 8.0, y(quarter) + 4.0), "end", &percent(quarter));
        }
        run_bars(page, weeks, &x);
        let mut taken: Vec<f64> = Vec::new();
        let latest = |line: &&Series| {
            let known = weeks.iter().rev().map(line.of).find(|(_, whole)| *whole > 0);
            known.map_or(0.0, |(part, whole)| real(part) / real(whole))
        };
        // The highest line comes first, so that labels which make room stand in the order of their lines.
        let mut order: Vec<&Series> = series.iter().collect();
        order.sort_by(|one, other| latest(other).total_cmp(&latest(one)));
        for line in order {
            draw_series(page, weeks, line, (&x, &y), &mut taken);
        }
        let every = weeks.len().div_ceil(5).max(1);
        for (place, week) in weeks.iter().enumerate().rev().step_by(every) {
            label(page, "axis", (x(place), 245.0), "middle", &short_day(&week.ends));
        }
    });
}

/// How many runs there were each week, under the shares.
fn run_bars(page: &mut Markup, weeks: &[Week], x: &dyn Fn(usize) -> f64) {
    let count = |week: &Week| week.runs.max(week.judged);
    let most = weeks.iter().map(count).max().unwrap_or(0).max(1);
    for (place, week) in weeks.iter().enumerate() {
        let height = 28.0 * real(count(week)) / real(most);
        let [left, top, tall] = [x(place) - 7.0, 222.0 - height, height].map(number);
        page.tag("rect", &[("class", "bar"), ("x", &left), ("y", &top), ("width", "14"), ("height", &tall)], |page| {
            page.leaf("title", &[], &format!("{} runs in the week to {}", count(week), week.ends));
        });
    }
    label(page, "axis", (504.0, 220.0), "start", &format!("runs, {most} at most"));
}

type Scale<'s> = (&'s dyn Fn(usize) -> f64, &'s dyn Fn(f64) -> f64);

fn draw_series(page: &mut Markup, weeks: &[Week], series: &Series, (x, y): Scale<'_>, taken: &mut Vec<f64>) {
    let known: Vec<(usize, f64, i64)> = weeks
        .iter()
        .enumerate()
        .filter_map(|(place, week)| {
            let (part, whole) = (series.of)(week);
            (whole > 0).then(|| (place, real(part) / real(whole), whole))
        })
        .collect();
    let Some((last, share, _)) = known.last().copied() else { return };
    let upper = known.iter().map(|(place, share, whole)| (x(*place), y(interval(*share, *whole).upper)));
    let lower = known.iter().rev().map(|(place, share, whole)| (x(*place), y(interval(*share, *whole).lower)));
    let outline: Vec<String> = upper.chain(lower).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    page.tag("polygon", &[("class", &format!("area {}", series.class)), ("points", &outline.join(" "))], |_| {});
    let spots: Vec<(f64, f64)> = known.iter().map(|(place, share, _)| (x(*place), y(*share))).collect();
    if let [(place, share, whole)] = known[..] {
        // One point spans no area: its interval is a line.
        let range = interval(share, whole);
        line(page, &format!("stem {}", series.class), [x(place), y(range.lower), x(place), y(range.upper)]);
    }
    path(page, &format!("line {}", series.class), &spots);
    for (x, y) in &spots {
        page.tag(
            "circle",
            &[("class", &format!("spot {}", series.class)), ("cx", &number(*x)), ("cy", &number(*y)), ("r", "2.6")],
            |_| {},
        );
    }
    // Labels at the ends of the lines instead of a legend; they keep clear of each other.
    let mut height = y(share) + 4.0;
    while taken.iter().any(|other| (other - height).abs() < 15.0) {
        height += 15.0;
    }
    taken.push(height);
    label(
        page,
        &format!("name {}", series.class),
        (x(last) + 10.0, height),
        "start",
        &format!("{} {}", series.name, percent(share)),
    );
}

/// `2026-11-10` as `10 Nov`.
pub(super) fn short_day(day: &str) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = day.split('-').skip(1);
    let month = parts.next().and_then(|month| month.parse::<usize>().ok()).and_then(|month| MONTHS.get(month.checked_sub(1)?));
    let day = parts.next().map(|day| day.trim_start_matches('0'));
    match (month, day) {
        (Some(month), Some(day)) => format!("{day} {month}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::verdict_range;
    use crate::html::markup::Markup;
    use crate::overview::Tone;

    #[test]
    fn figures_at_the_ends_of_the_scale_stay_inside_the_picture() {
        let mut page = Markup::default();
        verdict_range(&mut page, Tone::Bad, (-0.789, 0.0, 0.789));
        let text = page.finish();
        let places: Vec<f64> = text
            .split("class=\"end\" x=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next().and_then(|x| x.parse().ok()))
            .collect();
        assert_eq!(places, [22.0, 498.0], "{text}");
    }
}
