//! Workflows: steps that a person asks for one after the other.

use super::concept::{Found, Rank, concepts};
use super::entity::{containment, is_command, is_program_called};
use super::language::{Language, has_any, opening, split};
use super::meaning::step_terms;
use super::plain::{is_empty_step, names_one_occasion, plain_step, points};
use super::sighting::{PATTERN_CHARACTERS, Sighting, as_pattern, cut_at_word};
use super::speech::{Speech, Statement, find_words, starts_with_word};
use super::title::{with_verb, without_politeness as without_please};
use event::field::{Lack, ObservationType};
use text::script::is_unspaced;

/// The most steps of a workflow, and the most characters of a step in its pattern.
const MOST_STEPS: usize = 12;
const STEP_CHARACTERS: usize = 80;
/// Steps without a word about their order are a workflow from so many on; with one, or where all of them are routine, two are enough.
const CHAINED: usize = 3;
const ORDERED: usize = 2;
/// Somebody who repeats this part of what the agent said adds nothing.
pub(super) const ECHO: f64 = 0.85;
/// The most words of a step that opens with no verb.
const NOUN_STEP_WORDS: usize = 6;
/// Concepts that one step alone does not make worth remembering, however often it is asked for.
const PLAIN: [&str; 13] =
    ["commit", "push", "pull", "test", "lint", "build", "branch", "merge", "format", "release", "update", "refactor", "version"];

/// Verbs that only look.
const LOOKING: [&str; 12] =
    ["look", "read", "see", "find", "search", "show", "explain", "describe", "compare", "schau", "mira", "regarde"];

/// The workflows of a turn.
pub(super) fn find_workflows(speech: &Speech, prior: Option<&str>) -> Vec<Sighting> {
    let language = speech.language;
    let mut runs: Vec<Run> = speech.lists.iter().filter_map(|list| list_run(list, language)).collect();
    let mut open: Option<Run> = None;
    for statement in &speech.statements {
        let found = (!statement.is_question).then(|| run_of(statement, language)).flatten();
        open = match (open.take(), found) {
            // A sentence that opens in order goes on with what the one before began.
            (Some(mut run), Some(found)) if opening(&statement.lowered, &language.opens).is_some() => {
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
    let told = runs.into_iter().filter(|run| !is_echo(run));
    told.filter_map(|run| run.into_sighting(language)).collect()
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

    /// What it lacks; nothing that is no workflow.
    fn lack(&self, language: &Language) -> Option<Lack> {
        let lowered = self.quote.to_lowercase();
        let routine = self.steps.iter().filter(|step| is_routine(step, language)).count();
        let is_one_off =
            has_any(&lowered, &language.here) || has_any(&lowered, &language.reports) || names_one_occasion(&self.quote);
        let count = self.steps.len();
        let least = if self.is_ordered || routine == count { ORDERED } else { CHAINED };
        if count >= least {
            return Some(if routine * 3 >= count * 2 && !is_one_off { Lack::Session } else { Lack::Recurrence });
        }
        // One step that is done to what was just spoken of is a task.
        let is_task =
            |step: &str| points(step) || has_any(&lowered, &language.reports) || opening(&lowered, &language.conditions).is_some();
        let is_telling = self.steps.first().is_some_and(|step| count == 1 && !is_task(step) && is_telling(step));
        is_telling.then_some(Lack::Recurrence)
    }

    fn into_sighting(mut self, language: &Language) -> Option<Sighting> {
        self.steps.retain(|step| !is_empty_step(step, language));
        self.steps.iter_mut().for_each(|step| *step = plain_step(step));
        self.steps.truncate(MOST_STEPS);
        let lack = self.lack(language)?;
        let shown: Vec<String> = self.steps.iter().map(|step| with_verb(&without_please(step), language)).collect();
        let numbered = shown.iter().enumerate().map(|(index, step)| format!("{}. {}", index + 1, as_pattern(step)));
        let details = numbered.collect::<Vec<_>>().join("\n");
        let meaning: Vec<String> =
            self.steps.iter().map(|step| step_terms(step, language)).filter(|step| !step.is_empty()).collect();
        let quote = cut_at_word(&self.quote, 400).to_owned();
        let pattern = as_pattern(&title_of(&shown, language));
        Some(Sighting {
            id: None,
            kind: ObservationType::Workflow,
            pattern,
            evidence: vec![quote],
            details,
            lacks: Some(lack),
            meaning,
        })
    }
}

/// The steps in one line, as many as fit.
fn title_of(steps: &[String], language: &Language) -> String {
    let (between, last) = if language.is_unspaced() { ("、", "、") } else { (", ", ", then ") };
    let mut title = String::new();
    for (index, step) in steps.iter().enumerate() {
        let step = cut_at_word(step, STEP_CHARACTERS);
        let separator = match index {
            0 => "",
            _ if index + 1 == steps.len() && language.name == "en" => last,
            _ => between,
        };
        if title.chars().count() + separator.len() + step.chars().count() > PATTERN_CHARACTERS {
            break;
        }
        title.push_str(separator);
        title.push_str(step);
    }
    title
}

/// Whether a step is one of the routine of development, or runs a command.
fn is_routine(step: &str, language: &Language) -> bool {
    /// What people look at as a routine. A commit that is looked at is not made.
    const LOOKED_AT: [&str; 9] = ["comment", "ci", "pr", "review", "issue", "conflict", "reply", "dependency", "test"];
    let lowered = step.to_lowercase();
    let looks = split(&lowered).next().is_some_and(|word| LOOKING.contains(&word) && language.moment.has(word));
    let counts = |found: &Found| found.rank == Rank::Step && (!looks || LOOKED_AT.contains(&found.name));
    concepts(&lowered).iter().any(counts) || step.split('`').skip(1).step_by(2).any(is_command)
}

/// Whether one step alone is worth remembering where it recurs: it names what it is done to.
fn is_telling(step: &str) -> bool {
    let lowered = step.to_lowercase();
    let mut found: Vec<_> = concepts(&lowered).into_iter().filter(|found| found.rank != Rank::Common).collect();
    found.sort_by_key(|found| found.name);
    found.dedup_by_key(|found| found.name);
    let tells = found.iter().any(|found| found.rank == Rank::Step && !PLAIN.contains(&found.name));
    let is_issue = found.iter().any(|found| found.name == "issue");
    let is_filed = is_issue && split(&lowered).take(1).any(|word| matches!(word, "create" | "log" | "file" | "add" | "open"));
    is_filed || found.len() >= 2 && tells || tells && concepts(&lowered).iter().any(|found| found.rank == Rank::Common)
}

/// A numbered list of which most items are orders.
fn list_run(list: &[Statement], language: &Language) -> Option<Run> {
    let orders = list.iter().filter(|item| is_step(&item.lowered, language)).count();
    let has_question = list.iter().any(|item| item.is_question);
    if has_question || orders * 2 < list.len() {
        return None;
    }
    let steps: Vec<String> = list.iter().map(|item| step_text(item, 0, item.text.len(), language)).collect();
    let quote = list.iter().enumerate().map(|(index, item)| format!("{}. {}", index + 1, item.text)).collect::<Vec<_>>().join(" ");
    Some(Run { steps, is_ordered: true, quote })
}

/// The steps of a sentence; none if it is no order.
fn run_of(statement: &Statement, language: &Language) -> Option<Run> {
    let lowered = &statement.lowered;
    // What stands before a colon is what the steps are for.
    let colon = lowered.find(": ").map(|place| place + 2).filter(|start| is_step(&lowered[*start..], language));
    let plea = || {
        let places = language.pleas.iter().filter_map(|plea| find_words(lowered, plea));
        places.filter(|start| is_step(&lowered[*start..], language)).min()
    };
    let start = colon.unwrap_or(0);
    let start = if is_step(&lowered[start..], language) { start } else { plea()? };
    let is_ordered = opening(&lowered[start..], &language.opens).is_some();
    let mut run = Run { quote: statement.text.clone(), is_ordered, ..Run::default() };
    // What says nothing in front is no step of its own, whatever mark follows it.
    let start = start + order_start(&lowered[start..], language);
    let mut begin = start;
    for separator in separators(lowered, start, language) {
        run.steps.push(step_text(statement, begin, separator.start, language));
        run.is_ordered |= separator.is_ordered;
        begin = separator.end;
    }
    run.steps.push(step_text(statement, begin, lowered.len(), language));
    run.steps.retain(|step| !step.is_empty());
    Some(run)
}

struct Separator {
    start: usize,
    end: usize,
    is_ordered: bool,
}

/// Where one step ends and the next begins. Not inside of code, and only where an order follows.
fn separators(lowered: &str, from: usize, language: &Language) -> Vec<Separator> {
    let (mut found, mut is_code, mut skip_to): (Vec<Separator>, bool, usize) = (Vec::new(), false, from);
    // `合并` merges, although its second letter joins two steps elsewhere.
    let named = concepts(lowered);
    let is_inside = |place: usize| named.iter().any(|found| found.start < place && place < found.end);
    for (place, letter) in lowered.char_indices() {
        is_code ^= letter == '`';
        if place < skip_to || is_code || language.is_unspaced() && is_inside(place) {
            continue;
        }
        let Some((kept, length, is_ordered)) = separator_at(&lowered[place..], language) else { continue };
        let end = place + length;
        if end < lowered.len() && place + kept > skip_to && is_step(&lowered[end..], language) {
            found.push(Separator { start: place + kept, end, is_ordered });
            skip_to = end;
        }
    }
    found
}

/// What parts two steps, if a text opens with it: how much of it belongs to the step before, how long it is, whether it orders.
fn separator_at(text: &str, language: &Language) -> Option<(usize, usize, bool)> {
    for arrow in [" -> ", " => ", " → ", " > "] {
        if text.starts_with(arrow) {
            return Some((0, arrow.len(), true));
        }
    }
    if language.is_unspaced() {
        return unspaced_separator(text, language);
    }
    let mark = text.strip_prefix([',', ';']).unwrap_or(text);
    let rest = mark.strip_prefix(' ')?;
    let skipped = text.len() - rest.len();
    if let Some(word) = opening(rest, &language.order) {
        let behind = rest[word.len()..].trim_start_matches([',', ' ']);
        return Some((0, text.len() - behind.len(), true));
    }
    match opening(rest, &language.joins) {
        Some(word) => Some((0, text.len() - rest[word.len()..].trim_start().len(), false)),
        None => (skipped > 1).then_some((0, skipped, false)),
    }
}

/// Where nothing stands between words: marks part steps, words that order stand before the next, and forms of the verb behind the first.
fn unspaced_separator(text: &str, language: &Language) -> Option<(usize, usize, bool)> {
    if let Some(rest) = text.strip_prefix(['、', '，', ',', '；']) {
        let rest = rest.trim_start();
        let word = opening(rest, &language.order).unwrap_or_default();
        return Some((0, text.len() - rest.len() + word.len(), !word.is_empty()));
    }
    if let Some(form) =
        ["したら", "した後", "してから", "して"].into_iter().find(|form| language.name == "ja" && text.starts_with(form))
    {
        let behind = text[form.len()..].trim_start_matches(['、', ' ']);
        return Some((form.len(), text.len() - behind.len(), true));
    }
    let word = opening(text, &language.order).filter(|_| language.name == "zh")?;
    Some((0, word.len(), true))
}

/// Whether a text is an order once what says nothing is taken away in front.
pub(super) fn is_step(lowered: &str, language: &Language) -> bool {
    let order = &lowered[order_start(lowered, language)..];
    if language.is_unspaced() {
        let step = order.split(['、', '，', ',', '。']).next().unwrap_or_default();
        return !concepts(step).is_empty() || has_any(step, &language.actions) || step.contains('`');
    }
    let tells = || split(order).take(NOUN_STEP_WORDS).any(|word| language.told.has(word));
    opens_with_verb(order, language)
        || is_program_called(order) && !tells()
        || opens_with_command(order)
        || opens_with_concept(order, language)
}

fn opens_with_command(lowered: &str) -> bool {
    lowered.strip_prefix('`').and_then(|rest| rest.split('`').next()).is_some_and(is_command)
}

/// Whether a step without a verb in front names a routine, as in `tests` or `den Draft-PR aufmachen`. What says how something is does not.
fn opens_with_concept(lowered: &str, language: &Language) -> bool {
    let part = lowered.split([',', ';', ':', '→']).next().unwrap_or_default();
    let part = part.split(" -> ").next().unwrap_or_default();
    let end = language.order.iter().chain(&language.joins).filter_map(|word| part.find(&format!(" {word} "))).min();
    let step = &part[..end.unwrap_or(part.len())];
    let words: Vec<&str> = split(step).collect();
    let most = if language.name == "en" { 3 } else { NOUN_STEP_WORDS };
    let is_told = words.iter().any(|word| language.told.has(word)) || words.first().is_some_and(|word| SUBJECTS.contains(word));
    (1..=most).contains(&words.len()) && !is_told && concepts(step).iter().any(|found| found.rank == Rank::Step)
}

/// Words that open a sentence about somebody.
const SUBJECTS: [&str; 21] = [
    "not", "no", "nicht", "nie", "pas", "i", "you", "we", "it", "they", "he", "she", "there", "my", "ich", "wir", "es", "je", "tu",
    "on", "nous",
];

/// Whether a text opens with a verb that orders.
pub(super) fn opens_with_verb(lowered: &str, language: &Language) -> bool {
    let word = lowered.split(|letter: char| !letter.is_alphanumeric() && letter != '-').next().unwrap_or_default();
    let word = word.strip_prefix("re-").or_else(|| word.strip_prefix("double-")).unwrap_or(word);
    // `test results` and `build.sh` name something.
    let behind = &lowered[word.len().min(lowered.len())..];
    language.has_verb(word)
        && !behind.starts_with(['.', '/', '_', '\''])
        && [" is ", " are ", " was ", " fails", " failed"].iter().all(|told| !behind.starts_with(told))
}

/// Where an order begins behind what says nothing.
pub(super) fn order_start(lowered: &str, language: &Language) -> usize {
    let mut start = 0;
    loop {
        let rest = &lowered[start..];
        let trimmed = rest.trim_start_matches([' ', ',', '、', '，', ':', '-']);
        start += rest.len() - trimmed.len();
        let Some(filler) = opening(trimmed, &language.fillers).filter(|filler| filler.len() < trimmed.len()) else { return start };
        start += filler.len();
    }
}

/// The words of a step between two places of a sentence.
fn step_text(statement: &Statement, from: usize, to: usize, language: &Language) -> String {
    let start = (from + order_start(&statement.lowered[from..to], language)).min(to);
    let mut step = statement.text[start..to].trim_matches([' ', ',', ';', ':', '.', '、', '，']);
    for thanks in [" please", " pls", " thanks", " bitte", " por favor"] {
        step = step.strip_suffix(thanks).unwrap_or(step);
    }
    if step.starts_with(is_unspaced) {
        return step.to_owned();
    }
    let mut letters = step.chars();
    match letters.next() {
        // Only a verb that opened a sentence has a capital.
        Some(first) if opens_with_verb(&statement.lowered[start..], language) => first.to_lowercase().chain(letters).collect(),
        _ => step.to_owned(),
    }
}

/// Whether a text opens with some words and goes on.
pub(super) fn strip_word<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    starts_with_word(text, words).then(|| text[words.len()..].trim_start())
}
