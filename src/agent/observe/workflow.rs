//! Workflows: steps that a person asks for one after the other.

use super::entity::containment;
use super::marker::{CALLED, FILLERS, IDLE, OPENS_IN_ORDER, ORDER, UNCALLED, VERBS};
use super::sighting::{PATTERN_CHARACTERS, Sighting, as_pattern, cut_at_word};
use super::speech::{Speech, Statement, is_listed, starts_with_word};
use event::field::ObservationType;

/// The most steps of a workflow, and the most characters of a step in its pattern.
const MOST_STEPS: usize = 12;
const STEP_CHARACTERS: usize = 60;
/// Steps without a word about their order are a workflow from so many on; with one, two are enough.
const CHAINED: usize = 3;
const ORDERED: usize = 2;
/// Somebody who repeats this part of what the agent said adds nothing.
pub(super) const ECHO: f64 = 0.85;

/// The workflows of a turn.
pub(super) fn find_workflows(speech: &Speech, prior: Option<&str>) -> Vec<Sighting> {
    let mut runs: Vec<Run> = speech.lists.iter().filter_map(|list| list_run(list)).collect();
    let mut open: Option<Run> = None;
    for statement in &speech.statements {
        let found = (!statement.is_question).then(|| run_of(statement)).flatten();
        open = match (open.take(), found) {
            // A sentence that opens in order goes on with what the one before began.
            (Some(mut run), Some(found)) if opens_in_order(&statement.lowered) => {
                run.go_on(found);
                Some(run)
            }
            (before, found) => {
                runs.extend(before);
                found
            }
        };
    }
    runs.extend(open);
    let is_echo = |run: &Run| prior.is_some_and(|prior| containment(&run.quote, prior) >= ECHO);
    runs.into_iter().filter(Run::is_workflow).filter(|run| !is_echo(run)).map(Run::into_sighting).collect()
}

/// Steps that follow each other.
#[derive(Debug, Default)]
struct Run {
    steps: Vec<String>,
    is_ordered: bool,
    quote: String,
}

impl Run {
    fn go_on(&mut self, next: Self) {
        self.steps.extend(next.steps);
        self.is_ordered = true;
        self.quote = format!("{}. {}", self.quote, next.quote);
    }

    const fn is_workflow(&self) -> bool {
        self.steps.len() >= if self.is_ordered { ORDERED } else { CHAINED }
    }

    fn into_sighting(mut self) -> Sighting {
        self.steps.truncate(MOST_STEPS);
        let numbered = self.steps.iter().enumerate().map(|(index, step)| format!("{}. {step}", index + 1));
        let details = numbered.collect::<Vec<_>>().join("\n");
        let mut pattern = String::new();
        for step in self.steps.iter().map(|step| without_idle(cut_at_word(step, STEP_CHARACTERS))) {
            let separator = if pattern.is_empty() { "" } else { ", then " };
            if pattern.chars().count() + separator.len() + step.chars().count() > PATTERN_CHARACTERS {
                break;
            }
            pattern.push_str(separator);
            pattern.push_str(&step);
        }
        let quote = cut_at_word(&self.quote, 400).to_owned();
        Sighting {
            id: None,
            kind: ObservationType::Workflow,
            pattern: as_pattern(&pattern),
            evidence: vec![quote],
            details,
            is_supported: false,
        }
    }
}

/// A numbered list of which most items are orders.
fn list_run(list: &[Statement]) -> Option<Run> {
    let orders = list.iter().filter(|item| opens_with_verb(&item.lowered[order_start(&item.lowered)..])).count();
    let has_question = list.iter().any(|item| item.is_question);
    if has_question || orders * 2 < list.len() {
        return None;
    }
    let steps: Vec<String> = list.iter().map(|item| step_text(item, 0, item.text.len())).collect();
    let quote = list.iter().enumerate().map(|(index, item)| format!("{}. {}", index + 1, item.text)).collect::<Vec<_>>().join(" ");
    Some(Run { steps, is_ordered: true, quote })
}

/// The steps of a sentence; none if it is no order.
fn run_of(statement: &Statement) -> Option<Run> {
    let lowered = &statement.lowered;
    // What stands before a colon is what the steps are for.
    let start = lowered.find(": ").map(|place| place + 2).filter(|start| is_step(&lowered[*start..])).unwrap_or(0);
    if !is_step(&lowered[start..]) {
        return None;
    }
    let mut run = Run { quote: statement.text.clone(), is_ordered: opens_in_order(&lowered[start..]), ..Run::default() };
    let mut begin = start;
    for separator in separators(lowered, start) {
        run.steps.push(step_text(statement, begin, separator.start));
        run.is_ordered |= separator.is_ordered;
        begin = separator.end;
    }
    run.steps.push(step_text(statement, begin, lowered.len()));
    run.steps.retain(|step| !step.is_empty());
    Some(run)
}

struct Separator {
    start: usize,
    end: usize,
    is_ordered: bool,
}

/// Where one step ends and the next begins. Not inside of code, and only where an order follows.
fn separators(lowered: &str, from: usize) -> Vec<Separator> {
    let (mut found, mut is_code, mut skip_to): (Vec<Separator>, bool, usize) = (Vec::new(), false, from);
    for (place, letter) in lowered.char_indices() {
        is_code ^= letter == '`';
        if place < skip_to || is_code {
            continue;
        }
        let Some((length, is_ordered)) = separator_at(&lowered[place..]) else { continue };
        let end = place + length;
        if is_step(&lowered[end..]) {
            found.push(Separator { start: place, end, is_ordered });
            skip_to = end;
        }
    }
    found
}

/// How long what parts two steps is, if a text opens with it, and whether it says which comes first.
fn separator_at(text: &str) -> Option<(usize, bool)> {
    for arrow in [" -> ", " => ", " → ", " > "] {
        if text.starts_with(arrow) {
            return Some((arrow.len(), true));
        }
    }
    let mark = text.strip_prefix([',', ';']).unwrap_or(text);
    let rest = mark.strip_prefix(' ')?;
    let skipped = text.len() - rest.len();
    if let Some(word) = ORDER.iter().find(|word| starts_with_word(rest, word)) {
        let behind = rest[word.len()..].trim_start_matches([',', ' ']);
        return Some((text.len() - behind.len(), true));
    }
    let joined = rest.strip_prefix("and ");
    match joined {
        Some(behind) => Some((text.len() - behind.len(), false)),
        None => (skipped > 1).then_some((skipped, false)),
    }
}

fn opens_in_order(lowered: &str) -> bool {
    OPENS_IN_ORDER.iter().any(|word| starts_with_word(lowered, word))
}

/// Whether a text is an order once what says nothing is taken away in front.
pub(super) fn is_step(lowered: &str) -> bool {
    let order = &lowered[order_start(lowered)..];
    opens_with_verb(order) || opens_with_call(order)
}

/// Whether a text opens as one calls a program: its name and what it is to do. `git is slow` calls nothing.
fn opens_with_call(lowered: &str) -> bool {
    let mut words = lowered.split(' ');
    let (program, task) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    is_listed(CALLED, program) && task.starts_with(|letter: char| letter.is_alphanumeric() || "-./".contains(letter)) && {
        let task = task.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        !is_listed(UNCALLED, task)
    }
}

/// Whether a text opens with a verb that orders.
pub(super) fn opens_with_verb(lowered: &str) -> bool {
    let word = lowered.split(|letter: char| !letter.is_alphanumeric() && letter != '-').next().unwrap_or_default();
    let word = word.strip_prefix("re-").or_else(|| word.strip_prefix("double-")).unwrap_or(word);
    // `test results` and `build.sh` name something.
    let behind = &lowered[word.len().min(lowered.len())..];
    is_listed(VERBS, word)
        && !behind.starts_with(['.', '/', '_', '\''])
        && !behind.starts_with(" is ")
        && !behind.starts_with(" are ")
}

/// Where an order begins behind what says nothing.
pub(super) fn order_start(lowered: &str) -> usize {
    let mut start = 0;
    loop {
        let rest = &lowered[start..];
        let trimmed = rest.trim_start_matches([' ', ',']);
        start += rest.len() - trimmed.len();
        let is_filler = |filler: &&&str| {
            let word = filler.trim_end();
            trimmed.strip_prefix(word).is_some_and(|behind| behind.starts_with([' ', ',', ':']))
        };
        let Some(filler) = FILLERS.iter().find(is_filler) else { return start };
        start += filler.trim_end().len() + 1;
    }
}

/// The words of a step between two places of a sentence.
fn step_text(statement: &Statement, from: usize, to: usize) -> String {
    let start = from + order_start(&statement.lowered[from..to]);
    let step = statement.text[start..to].trim_matches([' ', ',', ';', ':', '.']);
    let mut letters = step.chars();
    match letters.next() {
        // Only a verb that opened a sentence has a capital.
        Some(first) if opens_with_verb(&statement.lowered[start..]) => first.to_lowercase().chain(letters).collect(),
        _ => step.to_owned(),
    }
}

/// A text without words that change nothing about what it says.
pub(super) fn without_idle(text: &str) -> String {
    let words = text.split(' ').filter(|word| !is_listed(IDLE, &word.to_ascii_lowercase()));
    words.collect::<Vec<_>>().join(" ")
}
