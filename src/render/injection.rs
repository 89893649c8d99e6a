//! The injection index: what is read when patterns are shown to an agent. One line a pattern, its cells parted by tabs: thousands of
//! them are read in the time that a process takes to start, and any tool that reads tables can read them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::BufRead;

use jiff::Timestamp;
use memchr::{memchr, memchr_iter};

use event::cell::Word as _;
use learn::recall::{Entry, list, words_to_find};
use learn::role::RoleScore;
use learn::{Confidence, Flag, Score};

/// What the first line begins with.
const FORMAT: &str = "# outerloop injection 1";

/// What stands in the place of the loop's coin where only patterns have coins.
const NO_COIN: &str = "-";

/// The names of the cells.
const COLUMNS: [&str; 22] = [
    "id",
    "category",
    "confidence",
    "flag",
    "state",
    "repo",
    "project",
    "role",
    "applies_to",
    "tags",
    "files",
    "phases",
    "seen",
    "rate",
    "successes",
    "failures",
    "validated",
    "ignored",
    "reinforced",
    "used_micros",
    "words",
    "summary",
];

/// The cells that follow where coins are tossed: the chance that the pattern is shown, and what order goes by, per token.
const COIN_COLUMNS: [&str; 2] = ["coin", "worth"];

/// The coins that are tossed from here on, and what patterns are worth by those that were.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coins {
    /// The chance that a unit of work is shown anything at all; none where everything is shown to all.
    pub whole: Option<f64>,
    /// The coin and the worth of patterns, by id.
    pub patterns: BTreeMap<String, (Option<f64>, Option<f64>)>,
}

impl Coins {
    /// Whether no coin is tossed. Then the index is what it is without any.
    fn is_none(&self) -> bool {
        self.whole.is_none() && self.patterns.values().all(|coin| *coin == (None, None))
    }
}

event::row! {
    /// A set of patterns in a few words, made before it was asked for: a row of `sql/summary.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Summary {
        pub set: String = "set_hash",
        pub text: String,
    }
}

/// Renders the index of some patterns, in the order of the pattern file, with those of roles behind them.
pub fn render_index<'s>(
    scores: impl ExactSizeIterator<Item = &'s Score>,
    roles: &[RoleScore],
    summaries: &[Summary],
    coins: &Coins,
) -> String {
    let roles: Vec<&RoleScore> = roles.iter().filter(|score| score.is_in_use()).collect();
    let count = scores.len() + roles.len();
    let has_coins = !coins.is_none();
    let mut text = format!("{FORMAT} {count} {}", summaries.len());
    if has_coins {
        let _ = write!(text, " {}", coins.whole.map_or_else(|| NO_COIN.to_owned(), |coin| coin.to_string()));
    }
    let _ = write!(text, "\n{}", COLUMNS.join("\t"));
    if has_coins {
        let _ = write!(text, "\t{}", COIN_COLUMNS.join("\t"));
    }
    text.push('\n');
    for score in scores {
        let (successes, failures) = record_of(score);
        let repo = if score.repo == "*" { "" } else { &score.repo };
        let (applies_to, tags, files) = (list(&named(&score.applies_to)), list(&score.tags), list(&score.files));
        let Score { category, confidence, flag, state, .. } = score;
        push_texts(&mut text, &[&score.id, category.name(), confidence.name(), flag.name(), state.name(), repo, "", ""]);
        push_texts(&mut text, &[&applies_to, &tags, &files, ""]);
        let rate = score.known_rate().map(|rate| rate.to_string()).unwrap_or_default();
        let (seen, validated, ignored) = (score.known_seen(), score.met + score.unjudged, score.injected);
        let (reinforced, used) = (score.met, last_use(score));
        // Writing to a string cannot fail.
        let _ = write!(text, "{seen}\t{rate}\t{successes}\t{failures}\t{validated}\t{ignored}\t{reinforced}\t{used}\t");
        push_texts(&mut text, &[&words_to_find(&score.summary, &score.tags), &score.summary]);
        text.pop();
        if has_coins {
            push_coin(&mut text, coins.patterns.get(&score.id).copied().unwrap_or_default());
        }
        text.push('\n');
    }
    for score in roles {
        push_role(&mut text, score);
        if has_coins {
            push_coin(&mut text, (None, None));
        }
        text.push('\n');
    }
    for summary in summaries {
        push_texts(&mut text, &[&summary.set, &summary.text]);
        text.pop();
        text.push('\n');
    }
    text
}

/// Adds a pattern of a role: only its project sees it.
fn push_role(text: &mut String, score: &RoleScore) {
    let (labels, files, phases) = (list(&score.labels), list(&score.files), list(&score.phases));
    push_texts(text, &[&score.id, score.category.name(), "", "", score.state.name(), "", &score.project, &score.role]);
    push_texts(text, &["", &labels, &files, &phases]);
    let RoleScore { seen, rate, successes, penalty, ignored, reinforced, .. } = score;
    let used = micros(&score.last_used);
    // Writing to a string cannot fail.
    let _ = write!(text, "{seen}\t{rate}\t{successes}\t{penalty}\t{successes}\t{ignored}\t{reinforced}\t{used}\t");
    push_texts(text, &[&words_to_find(&score.text, &score.labels), &score.text]);
    text.pop();
}

/// Adds the cells of a coin; an empty one where there is none.
fn push_coin(text: &mut String, (coin, worth): (Option<f64>, Option<f64>)) {
    for cell in [coin, worth] {
        let _ = write!(text, "\t{}", cell.map(|cell| cell.to_string()).unwrap_or_default());
    }
}

/// Reads an index, one pattern at a time. A damaged index is rejected as a whole: trust nothing before
/// [`IndexReader::finish`] has seen the end.
pub struct IndexReader<R> {
    input: R,
    line: Vec<u8>,
    number: usize,
    patterns: usize,
    summaries: usize,
    has_coins: bool,
    loop_coin: Option<f64>,
}

impl<R: BufRead> IndexReader<R> {
    /// Reads the first lines.
    pub fn open(input: R) -> Result<Self, String> {
        let mut reader = Self { input, line: Vec::new(), number: 0, patterns: 0, summaries: 0, has_coins: false, loop_coin: None };
        let counts = reader.next_line()?.strip_prefix(FORMAT).and_then(parse_counts);
        let (patterns, summaries, has_coins, loop_coin) =
            counts.ok_or_else(|| format!("does not begin with `{FORMAT}` and two counts"))?;
        let columns = COLUMNS.into_iter().chain(COIN_COLUMNS.into_iter().filter(|_| has_coins));
        if !reader.next_line()?.split('\t').eq(columns) {
            return Err("has unknown columns".to_owned());
        }
        Ok(Self { patterns, summaries, has_coins, loop_coin, ..reader })
    }

    /// The chance that a unit of work is shown anything at all; none where everything is shown to all.
    #[must_use]
    pub const fn loop_coin(&self) -> Option<f64> {
        self.loop_coin
    }

    /// The next pattern, in the order of the pattern file.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, String> {
        if self.patterns == 0 {
            return Ok(None);
        }
        self.patterns -= 1;
        let number = self.number + 1;
        let has_coins = self.has_coins;
        parse_line(self.next_line()?, has_coins).map(Some).ok_or_else(|| format!("line {number} is not a pattern"))
    }

    /// Reads to the end, and gives the summary of a set if there is one.
    pub fn finish(mut self, set: &str) -> Result<Option<String>, String> {
        while self.next_entry()?.is_some() {}
        let mut found = None;
        for _ in 0..self.summaries {
            let (known, text) = self.next_line()?.split_once('\t').ok_or("a summary has no text")?;
            if unescaped(known) == set {
                found = Some(unescaped(text).into_owned());
            }
        }
        match self.input.fill_buf() {
            Ok([]) => Ok(found),
            Ok(_) => Err("has more lines than its header says".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The next line, which must be there in whole.
    fn next_line(&mut self) -> Result<&str, String> {
        self.line.clear();
        self.number += 1;
        loop {
            let buffer = self.input.fill_buf().map_err(|error| error.to_string())?;
            if buffer.is_empty() {
                return Err("is truncated".to_owned());
            }
            let end = memchr(b'\n', buffer);
            self.line.extend_from_slice(&buffer[..end.unwrap_or(buffer.len())]);
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        std::str::from_utf8(&self.line).map_err(|error| format!("line {} is not UTF-8: {error}", self.number))
    }
}

/// What the first line says: how many patterns and summaries, whether coins are tossed, and that of the loop, if it has one.
fn parse_counts(counts: &str) -> Option<(usize, usize, bool, Option<f64>)> {
    let mut counts = counts.trim().split(' ');
    let (patterns, summaries) = (counts.next()?.parse().ok()?, counts.next()?.parse().ok()?);
    let (has_coins, coin) = match counts.next() {
        None => (false, None),
        Some(NO_COIN) => (true, None),
        Some(coin) => (true, Some(chance(coin)?)),
    };
    counts.next().is_none().then_some((patterns, summaries, has_coins, coin))
}

/// A chance above 0 and below 1.
fn chance(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|chance| *chance > 0.0 && *chance < 1.0)
}

/// The coin and the worth at the end of a line, and what stands before them.
fn split_coin(line: &str) -> Option<(&str, Option<f64>, Option<f64>)> {
    let (rest, worth) = line.rsplit_once('\t')?;
    let (rest, coin) = rest.rsplit_once('\t')?;
    let coin = if coin.is_empty() { None } else { Some(chance(coin)?) };
    let worth = if worth.is_empty() { None } else { Some(worth.parse().ok().filter(|worth: &f64| worth.is_finite())?) };
    Some((rest, coin, worth))
}

/// The pattern of a line; none if it has other cells than a pattern has.
fn parse_line(line: &str, has_coins: bool) -> Option<Entry<'_>> {
    let (line, coin, worth) = if has_coins { split_coin(line)? } else { (line, None, None) };
    let cells = split_cells(line)?;
    // Hardly any line holds an escape: one look at the whole spares one at each cell.
    let is_plain = memchr(b'\\', line.as_bytes()).is_none();
    let text = |place: usize| if is_plain { Cow::Borrowed(cells[place]) } else { unescaped(cells[place]) };
    Some(Entry {
        id: text(0),
        category: text(1),
        confidence: if cells[2].is_empty() { None } else { Some(Confidence::from_word(cells[2])?) },
        flag: Flag::from_word(cells[3])?,
        state: text(4),
        repo: text(5),
        project: text(6),
        role: text(7),
        applies_to: text(8),
        tags: text(9),
        files: text(10),
        phases: text(11),
        seen: count(cells[12])?,
        rate: if cells[13].is_empty() { None } else { Some(figure(cells[13])?) },
        successes: figure(cells[14])?,
        failures: figure(cells[15])?,
        validated: count(cells[16])?,
        ignored: count(cells[17])?,
        reinforced: count(cells[18])?,
        used_micros: cells[19].parse().ok()?,
        words: text(20),
        summary: text(21),
        coin,
        worth,
    })
}

fn count(cell: &str) -> Option<i64> {
    cell.parse().ok().filter(|count| *count >= 0)
}

fn figure(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|figure: &f64| figure.is_finite() && *figure >= 0.0)
}

/// The cells of a line; none if there are more or fewer than the columns.
fn split_cells(line: &str) -> Option<[&str; COLUMNS.len()]> {
    let mut cells = [""; COLUMNS.len()];
    let mut start = 0;
    let mut ends = memchr_iter(b'\t', line.as_bytes());
    let (last, others) = cells.split_last_mut()?;
    for cell in others {
        let end = ends.next()?;
        *cell = &line[start..end];
        start = end + 1;
    }
    *last = &line[start..];
    ends.next().is_none().then_some(cells)
}

/// Writes texts, each with a tab behind it. What would end a cell or a line is escaped, and so is what escapes.
fn push_texts(line: &mut String, texts: &[&str]) {
    for text in texts {
        for letter in text.chars() {
            match letter {
                '\\' => line.push_str("\\\\"),
                '\t' => line.push_str("\\t"),
                '\n' => line.push_str("\\n"),
                '\r' => line.push_str("\\r"),
                other => line.push(other),
            }
        }
        line.push('\t');
    }
}

/// A text as it was before it was escaped.
fn unescaped(cell: &str) -> Cow<'_, str> {
    if !cell.contains('\\') {
        return Cow::Borrowed(cell);
    }
    let mut text = String::with_capacity(cell.len());
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        text.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            (other, false) => other,
        });
    }
    Cow::Owned(text)
}

/// Names of agents, unless all are meant.
fn named(applies_to: &[String]) -> Vec<String> {
    if applies_to.iter().any(|name| name == "*") { Vec::new() } else { applies_to.to_vec() }
}

/// What counts for a pattern and what against it: as it was seen here, with what history is worth. A lesson that was only captured
/// counts once, or a first failure would settle its rate at nothing.
#[expect(clippy::cast_precision_loss, reason = "nothing is seen so often")]
fn record_of(score: &Score) -> (f64, f64) {
    if score.seen > 0 || score.history > 0.0 {
        let weight = score.weight.clamp(0.0, score.seen as f64);
        let (history, rate) = (score.history, score.prior_rate.unwrap_or(0.0).clamp(0.0, 1.0));
        return (weight + history * rate, score.seen as f64 - weight + history * (1.0 - rate));
    }
    match (score.prior_rate, score.prior_seen) {
        (Some(rate), Some(seen)) if seen > 0 && (0.0..=1.0).contains(&rate) => (rate * seen as f64, (1.0 - rate) * seen as f64),
        _ => (1.0, 0.0),
    }
}

fn last_use(score: &Score) -> i64 {
    let times = [score.last_used.as_deref(), Some(&*score.last_captured)];
    times.into_iter().flatten().map(micros).max().unwrap_or(0)
}

fn micros(time: &str) -> i64 {
    time.parse::<Timestamp>().map_or(0, Timestamp::as_microsecond)
}
