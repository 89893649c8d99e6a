//! Made-up events that look like real ones: the same seed gives the same bytes, for samples, tests and benchmarks.

mod event;
mod role;

use std::collections::VecDeque;
use std::io::{self, Write};

use fastrand::Rng;

pub use event::Mix;
use event::{Cast, write_bad, write_event};
use role::Talk;

/// Of how many recent lines a redelivery is chosen.
const RECENT_LINES: usize = 256;
/// How far a late event lies behind the others, at most.
const LATE_SECONDS: u64 = 14 * 86_400;

/// What to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The seed: the same one gives the same bytes.
    pub seed: u64,
    /// How many lines.
    pub lines: u64,
    /// The time of the first event, in seconds since 1970.
    pub start_seconds: u64,
    /// The time between two events, on average, in milliseconds.
    pub step_millis: u64,
    /// How many patterns there are; some are used far more often than others.
    pub patterns: usize,
    /// How many agents there are.
    pub agents: usize,
    /// How many adapters there are, by number. Without, there are a few with names.
    pub adapters: Option<usize>,
    /// The kinds of events.
    pub mix: Mix,
    /// The share of events that arrive late.
    pub late: f64,
    /// The share of lines that are redeliveries.
    pub duplicate: f64,
    /// The share of lines that cannot be taken.
    pub bad: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    /// Events, each once.
    pub events: u64,
    /// Lines that repeat an event.
    pub duplicates: u64,
    /// Lines that cannot be taken.
    pub bad: u64,
}

/// Writes the lines of a recipe.
pub fn write(recipe: &Recipe, out: &mut impl Write) -> io::Result<Made> {
    let mut random = Rng::with_seed(recipe.seed);
    let cast = Cast::new(recipe.patterns, recipe.agents, recipe.adapters, &mut random);
    let mut talk = (recipe.mix == Mix::Roles).then(|| Talk::new(recipe.patterns, &mut random));
    let mut recent: VecDeque<Vec<u8>> = VecDeque::with_capacity(RECENT_LINES);
    let mut made = Made::default();
    let mut line = Vec::with_capacity(1024);
    for number in 0..recipe.lines {
        line.clear();
        let chance = random.f64();
        if chance < recipe.bad {
            write_bad(&mut line, number, &mut random)?;
            made.bad += 1;
        } else if chance < recipe.bad + recipe.duplicate && !recent.is_empty() {
            line.extend_from_slice(&recent[random.usize(..recent.len())]);
            made.duplicates += 1;
        } else {
            let millis = time_of(recipe, number, &mut random);
            match &mut talk {
                Some(talk) => talk.write(&mut line, number, millis, &mut random)?,
                None => write_event(&mut line, recipe.mix, &cast, number, millis, &mut random)?,
            }
            line.push(b'\n');
            remember(&mut recent, &line, recipe.duplicate > 0.0);
            made.events += 1;
        }
        out.write_all(&line)?;
    }
    Ok(made)
}

fn time_of(recipe: &Recipe, number: u64, random: &mut Rng) -> u64 {
    let millis = recipe.start_seconds * 1000 + number * recipe.step_millis + random.u64(..recipe.step_millis.max(1));
    if random.f64() < recipe.late { millis - random.u64(..LATE_SECONDS * 1000) } else { millis }
}

fn remember(recent: &mut VecDeque<Vec<u8>>, line: &[u8], is_wanted: bool) {
    if !is_wanted {
        return;
    }
    let mut slot = if recent.len() == RECENT_LINES { recent.pop_front().unwrap_or_default() } else { Vec::new() };
    slot.clear();
    slot.extend_from_slice(line);
    recent.push_back(slot);
}
