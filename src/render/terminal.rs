//! The overview for a terminal: at most twenty lines, fitted to its width, the verdict first.

use crate::overview::{Action, Overview, Tone, Week, percent, points};
use text::fit::plain_text;

/// The most lines: what fits on a small screen with the prompt.
const MOST_LINES: usize = 20;

/// How many actions and changes are told; the page has the rest.
const ACTIONS: usize = 3;
const NEWS: usize = 3;

/// How wide the range of the verdict is drawn.
const RANGE: usize = 41;

/// A part of a line, in the tone of its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

/// What a part of a line means, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    Heading,
    Good,
    Bad,
    Dim,
}

impl From<Tone> for Style {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Good => Self::Good,
            Tone::Bad => Self::Bad,
            Tone::Neutral => Self::Plain,
        }
    }
}

/// A line of the terminal.
pub type Line = Vec<Span>;

fn span(text: impl Into<String>, style: Style) -> Span {
    Span { text: text.into(), style }
}

/// Renders the overview. No line is wider than the width, and none has an escape sequence.
pub fn render_terminal(overview: &Overview, as_of: &str, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let verdict = &overview.verdict;
    let style = if verdict.tone() == Tone::Neutral { Style::Heading } else { verdict.tone().into() };
    lines.push(vec![span(fitted(&verdict.title(), width), style)]);
    lines.extend(wrapped(&verdict.sentence(), width).into_iter().take(3).map(|text| vec![span(text, Style::Plain)]));
    if let (Some(lower), Some(lift), Some(upper)) = (verdict.lower, verdict.lift, verdict.upper) {
        lines.push(range_line([lower, lift, upper], verdict.tone().into()));
    }
    lines.extend(week_lines(&overview.weeks, width));
    lines.push(vec![span(fitted(&lesson_line(overview, as_of), width), Style::Dim)]);
    lines.push(vec![span("What to do now", Style::Heading)]);
    lines.extend(action_lines(&overview.actions, width));
    lines.push(vec![span("Changed since last week", Style::Heading)]);
    let room = MOST_LINES.saturating_sub(lines.len()).min(NEWS);
    lines.extend(news_lines(overview, width, room));
    lines.truncate(MOST_LINES);
    lines
}

fn action_lines(actions: &[Action], width: usize) -> Vec<Line> {
    if actions.is_empty() {
        return vec![vec![span("  nothing asks for your attention", Style::Plain)]];
    }
    let mut lines = Vec::new();
    for action in actions.iter().take(ACTIONS) {
        let mark = if action.tone == Tone::Bad { span("! ", Style::Bad) } else { span("- ", Style::Plain) };
        lines.push(vec![mark, span(fitted(&action.text, width.saturating_sub(2)), Style::Plain)]);
        // A command that is cut is none: it keeps its length, and the terminal wraps it.
        lines.push(vec![span(format!("    {}", action.command), Style::Dim)]);
    }
    lines
}

fn news_lines(overview: &Overview, width: usize, room: usize) -> Vec<Line> {
    if overview.news.is_empty() {
        return vec![vec![span("  nothing that matters", Style::Plain)]];
    }
    overview
        .news
        .iter()
        .take(room)
        .map(|news| {
            let mark = match news.tone {
                Tone::Good => span("+ ", Style::Good),
                Tone::Bad => span("! ", Style::Bad),
                Tone::Neutral => span("- ", Style::Plain),
            };
            vec![mark, span(fitted(&format!("{}: {}", news.what, news.why), width.saturating_sub(2)), Style::Plain)]
        })
        .collect()
}

/// The other figures of the page in one line.
fn lesson_line(overview: &Overview, as_of: &str) -> String {
    let facts: Vec<String> = overview
        .facts
        .iter()
        .filter(|fact| matches!(&*fact.why, "lessons" | "refused"))
        .map(|fact| format!("{} {}", fact.value, fact.label))
        .collect();
    format!("{}; as of {}", facts.join("; "), as_of.replace('T', " "))
}

/// The range of the lift beside zero, such as `-30 ────┊──━━●━━── +30`.
fn range_line([lower, lift, upper]: [f64; 3], style: Style) -> Line {
    let reach = [lower.abs(), upper.abs()].into_iter().fold(0.3, f64::max).min(1.0);
    let place = |share: f64| {
        let part = (share.clamp(-reach, reach) + reach) / (2.0 * reach);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the width")]
        let place = (part * learn::real(i64::try_from(RANGE - 1).unwrap_or_default())).round() as usize;
        place
    };
    let (from, to, dot, zero) = (place(lower), place(upper), place(lift), place(0.0));
    let drawn: String = (0..RANGE)
        .map(|at| match at {
            _ if at == dot => '●',
            _ if at == zero => '┊',
            _ if (from..=to).contains(&at) => '━',
            _ => '─',
        })
        .collect();
    vec![
        span(format!("{:>6} ", points(-reach)), Style::Dim),
        span(drawn, style),
        span(format!(" {}   {} to {}", points(reach), points(lower), points(upper)), Style::Dim),
    ]
}

fn week_lines(weeks: &[Week], width: usize) -> Vec<Line> {
    let Some(this) = weeks.last() else {
        return vec![vec![span("No run and no goal was recorded in the last twelve weeks.", Style::Plain)]];
    };
    let mut lines = Vec::new();
    let series: [(&str, i64, i64, Vec<Option<f64>>); 2] = [
        ("goals met", this.met, this.judged, weeks.iter().map(|week| share(week.met, week.judged)).collect()),
        ("succeeded", this.succeeded, this.runs, weeks.iter().map(|week| share(week.succeeded, week.runs)).collect()),
    ];
    for (name, part, whole, shares) in series {
        if shares.iter().all(Option::is_none) {
            continue;
        }
        let small = if whole > 0 && whole < crate::overview::SMALL { ", a small sample" } else { "" };
        let said = share(part, whole)
            .map_or_else(|| "none this week".to_owned(), |share| format!("{} of {whole} runs this week{small}", percent(share)));
        let weeks = if shares.len() == 1 { "1 week".to_owned() } else { format!("{} weeks", shares.len()) };
        let text = format!("  {said}; {weeks}");
        let spark = sparkline(&shares);
        let room = width.saturating_sub(name.len() + 1 + spark.chars().count());
        lines.push(vec![
            span(format!("{name} "), Style::Plain),
            span(spark, Style::Plain),
            span(fitted(&text, room), Style::Plain),
        ]);
    }
    lines
}

fn share(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| learn::real(part) / learn::real(whole))
}

/// Shares from 0 to 1 as blocks; a dot where there is none.
pub fn sparkline(shares: &[Option<f64>]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 7")]
    let block = |share: &f64| BLOCKS[((share.clamp(0.0, 1.0) * 7.0).round() as usize).min(7)];
    shares.iter().map(|share| share.as_ref().map_or('·', block)).collect()
}

/// One line of at most so many characters.
fn fitted(text: &str, width: usize) -> String {
    // The line may begin with spaces that set it off.
    let indent: String = text.chars().take_while(|letter| *letter == ' ').collect();
    format!("{indent}{}", plain_text(text, width.saturating_sub(indent.len())))
}

/// A text broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in plain_text(text, usize::MAX).split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
