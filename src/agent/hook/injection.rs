//! Patterns for an agent: read from the published index, chosen, fitted into the budget, and put into words.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use super::coin::{Assigned, Coins};
use learn::Flag;
use learn::recall::{
    Candidate, Context, Entry, Prune, Purpose, Question, Reach, Selection, Similarities, TaskWords, ToolMatcher, ToolUse, Tosser,
    characters_as_tokens, cl100k_tokens, fit_lines, items, o200k_tokens,
};
use learn::relevance::Rater;
use render::IndexReader;
use render::prompt::{Block, Style, historical_line, organization_line, prompt_text, tool_line, track_record};
use setting::{Compat, INJECTION_FILE, Order, RelevanceSettings, Settings, TagMatch, Tokenizer};
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::fit::single_spaced;

/// How much of the index is held at a time.
const BUFFER_BYTES: usize = 64 << 10;

/// The longest label that is shown, in characters.
const MOST_LABEL_CHARACTERS: usize = 80;

/// What a block looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// For an agent's turn.
    Organization,
    /// With track records.
    Historical,
}

/// Who is to be shown patterns, and what for.
#[derive(Debug, Clone, Default)]
pub struct Request<'r> {
    /// What the block looks like; without a word, as the tool or the role wants it.
    pub shape: Option<Shape>,
    /// The agent, by its full name.
    pub agent: Option<&'r str>,
    /// The role.
    pub role: Option<&'r str>,
    /// The repository.
    pub repo: Option<&'r str>,
    /// The project.
    pub project: Option<&'r str>,
    /// The tool that is about to be used.
    pub tool: Option<ToolUse<'r>>,
    /// The task in words.
    pub task: Option<&'r str>,
    /// Whether only patterns are shown that fit the task.
    pub only_fitting: bool,
    /// The labels of the task.
    pub labels: &'r [String],
    /// The files of the task.
    pub files: &'r [String],
    /// The phase of the task.
    pub phase: Option<&'r str>,
    /// The categories that help to reach the goal, the most helpful first.
    pub priority: &'r [String],
    /// Patterns that are not wanted.
    pub without: &'r [String],
    /// How much patterns are like what is sought.
    pub similarities: Option<&'r Similarities>,
    /// Whether only patterns are shown that were verified or that a person stands behind.
    pub is_governed: bool,
    /// The coins of the unit of work; none where no unit is known, which is then compared with nothing.
    pub coins: Option<&'r Coins<'r>>,
    /// Whether what is shown becomes events. If not, the coins of the unit hold, and none is pinned.
    pub is_logged: bool,
    /// How many patterns at most.
    pub most: Option<usize>,
    /// How many tokens the block may take, whatever the role.
    pub budget: Option<usize>,
    /// How much room is left in the context, in tokens.
    pub remaining: Option<usize>,
    /// The instant that is asked for, in microseconds since 1970.
    pub now_micros: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ShownPattern {
    pub id: String,
    /// Its text as the agent sees it.
    pub text: String,
    /// What sort of lesson it is.
    pub category: String,
    /// The bin of its rate.
    pub confidence: String,
    pub flag: Flag,
    /// The repository it holds for.
    pub repo: String,
    /// The agents it is for.
    pub applies_to: Vec<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// The files it was learned at.
    pub files: Vec<String>,
    /// How often it was seen.
    pub seen: i64,
    pub rate: Option<f64>,
    /// What is known of it, in a few words.
    pub track_record: String,
    /// What it is worth.
    pub score: f64,
    /// How relevant it is to the files that are given.
    pub relevance: f64,
    /// How much it is like what is sought, if that is known.
    pub similarity: Option<f64>,
    /// The role that learned it, if that is another one.
    pub via: Option<String>,
    /// How many tokens its line takes.
    pub tokens: usize,
    /// The chance at which it was to be shown, where chance had a say.
    pub propensity: Option<f64>,
}

/// What is shown, and what chance had to say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    /// The block; empty if nothing is shown.
    pub text: String,
    /// How much of what was wanted is shown.
    pub reach: Reach,
    /// The patterns that are shown, the best first. Those of a summary are all that it is about.
    pub shown: Vec<ShownPattern>,
    /// Patterns that would have been shown and are withheld from this unit of work.
    pub withheld: Vec<ShownPattern>,
    /// The arms of the unit: of the whole loop, and of experiments.
    pub arms: Vec<Assigned>,
    /// Whether coins are tossed here and none was, because nobody knows the unit.
    pub is_unassigned: bool,
    /// How many others fit and are left out.
    pub omitted: usize,
    /// How many tokens the block takes.
    pub tokens: usize,
    /// How many it may take, if that is limited.
    pub budget: Option<usize>,
    /// The hash of the patterns that were to be shown, under which a summary of them is found.
    pub set: String,
}

impl Injection {
    /// Whether the unit is one of those that are shown nothing.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.arms.iter().any(|arm| arm.experiment.is_none() && !arm.is_on)
    }

    /// The chances by which patterns were shown or withheld.
    fn chances(&self) -> impl Iterator<Item = (&str, f64)> {
        self.shown.iter().chain(&self.withheld).filter_map(|pattern| Some((&*pattern.id, pattern.propensity?)))
    }

    /// Nothing is shown.
    const fn nothing(budget: Option<usize>) -> Self {
        Self {
            text: String::new(),
            reach: Reach::None,
            shown: Vec::new(),
            withheld: Vec::new(),
            arms: Vec::new(),
            is_unassigned: false,
            omitted: 0,
            tokens: 0,
            budget,
            set: String::new(),
        }
    }
}

/// The published index; none before the first generation.
pub(super) fn open_index(workspace: &Workspace) -> Outcome<Option<BufReader<File>>> {
    // One file is read, so that the link need not be followed beforehand to stay with one generation.
    let path = workspace.current().join(INJECTION_FILE);
    match durable::open_regular(&path) {
        Ok(file) => Ok(Some(BufReader::with_capacity(BUFFER_BYTES, file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Diagnostic::io("cannot read the injection index", &path, &error)),
    }
}

/// How often a choice is made again because another hook of the unit has pinned other coins.
const MOST_CHOICES: usize = 3;

/// Chooses what is shown. Without an index nothing is; a damaged one is an error, which hooks pass over.
pub fn inject(workspace: &Workspace, settings: &Settings, request: &Request<'_>) -> Outcome<Injection> {
    let mut injection = Injection::nothing(budget_of(settings, request));
    for _ in 0..MOST_CHOICES {
        let Some(index) = open_index(workspace)? else { break };
        injection = choose(index, settings, request).map_err(|cause| damaged(workspace, cause))?;
        let Some(coins) = request.coins.filter(|_| request.is_logged) else { break };
        if coins.pin(injection.chances())? {
            break;
        }
    }
    Ok(injection)
}

/// The patterns that fit a request, best first. The shown ones are selected from these.
pub fn recall(
    workspace: &Workspace,
    settings: &Settings,
    request: &Request<'_>,
    is_wanted: &dyn Fn(&Entry<'_>) -> bool,
) -> Outcome<Vec<Candidate>> {
    let Some(index) = open_index(workspace)? else { return Ok(Vec::new()) };
    let read = || {
        let mut reader = IndexReader::open(index)?;
        let (mut candidates, _) = find(&mut reader, settings, request, &style_of(request), is_wanted)?;
        candidates.retain(|candidate| !is_held(candidate));
        reader.finish("").map(|_| candidates)
    };
    read().map_err(|cause| damaged(workspace, cause))
}

/// Whether a pattern is withheld from the unit of work, alone.
pub fn is_withheld(workspace: &Workspace, settings: &Settings, coins: &Coins<'_>, id: &str) -> Outcome<bool> {
    let Some(index) = open_index(workspace)? else { return Ok(false) };
    let read = || {
        let mut reader = IndexReader::open(index)?;
        while let Some(mut entry) = reader.next_entry()? {
            if entry.id.eq_ignore_ascii_case(id) {
                entry.coin = entry.coin.filter(|_| settings.may_toss());
                return Ok(coins.toss(&entry).is_some_and(|tossed| !tossed.is_shown));
            }
        }
        Ok(false)
    };
    read().map_err(|cause| damaged(workspace, cause))
}

/// The coins of the published index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PublishedCoins {
    /// That of the loop.
    pub whole: Option<f64>,
    /// The least and the greatest of patterns.
    pub least: Option<f64>,
    pub most: Option<f64>,
}

/// Reads the coins that are published; none before the first generation.
pub fn published_coins(workspace: &Workspace) -> Outcome<PublishedCoins> {
    let Some(index) = open_index(workspace)? else { return Ok(PublishedCoins::default()) };
    let read = || {
        let mut reader = IndexReader::open(index)?;
        let mut coins = PublishedCoins { whole: reader.loop_coin(), ..PublishedCoins::default() };
        while let Some(entry) = reader.next_entry()? {
            if let Some(coin) = entry.coin {
                coins.least = Some(coins.least.map_or(coin, |least| least.min(coin)));
                coins.most = Some(coins.most.map_or(coin, |most| most.max(coin)));
            }
        }
        Ok(coins)
    };
    read().map_err(|cause| damaged(workspace, cause))
}

pub(super) fn damaged(workspace: &Workspace, cause: String) -> Diagnostic {
    Diagnostic::edit("the injection index cannot be read", "publish a new generation: outerloop run hourly")
        .at(&workspace.current().join(INJECTION_FILE))
        .because(cause)
}

/// Chooses what is shown of an index.
fn choose(index: impl BufRead, settings: &Settings, request: &Request<'_>) -> Result<Injection, String> {
    let mut reader = IndexReader::open(index)?;
    let whole = reader.loop_coin().filter(|_| settings.may_toss());
    let arms = request.coins.map(|coins| coins.arms(whole)).unwrap_or_default();
    let is_unassigned =
        request.coins.is_none() && settings.compat == Compat::None && (whole.is_some() || settings.inject.holdout > 0.0);
    let varied = request.coins.and_then(|coins| coins.varied(&arms));
    let settings = varied.as_ref().unwrap_or(settings);
    let budget = budget_of(settings, request);
    let nothing = Injection { arms, is_unassigned, ..Injection::nothing(budget) };
    if nothing.is_off() || budget.is_some_and(|budget| budget < settings.inject.least_tokens) {
        return Ok(nothing);
    }
    let style = style_of(request);
    let (mut candidates, total) = find(&mut reader, settings, request, &style, &|_| true)?;
    if let Some(coins) = request.coins {
        settle_candidates(&mut candidates, coins, &nothing.arms);
    }
    let set = hash_set(&candidates);
    // A summary would show what is withheld.
    let is_whole = !candidates.iter().any(is_held);
    let summary = reader.finish(&set)?.filter(|_| is_whole);
    Ok(compose(Chosen { candidates, total, set, summary }, settings, &style, nothing))
}

/// Tosses the coins of what was chosen, and gives patterns the texts of the unit's variants.
fn settle_candidates(candidates: &mut [Candidate], coins: &Coins<'_>, arms: &[Assigned]) {
    for candidate in candidates {
        if candidate.tossed.is_none() {
            candidate.tossed = coins.toss(&candidate.entry);
        }
        if let Some((_, text)) = coins.texts(arms).find(|(pattern, _)| *pattern == candidate.entry.id) {
            candidate.entry.summary = text.to_owned().into();
        }
    }
}

fn is_held(candidate: &Candidate) -> bool {
    candidate.tossed.is_some_and(|tossed| !tossed.is_shown)
}

/// What was chosen, before it is fitted into the budget.
struct Chosen {
    candidates: Vec<Candidate>,
    /// How many patterns fit in all.
    total: usize,
    set: String,
    summary: Option<String>,
}

/// Puts what was chosen into words, as much of it as fits. What is withheld keeps its place, and is withheld only where it would have
/// been shown: what else an agent sees does not depend on it.
fn compose(chosen: Chosen, settings: &Settings, style: &Style, nothing: Injection) -> Injection {
    let Chosen { candidates, total, set, summary } = chosen;
    let budget = nothing.budget.unwrap_or(usize::MAX);
    let counter = counter_of(settings);
    let count = |line: &str| counter(&format!("{line}\n"));
    let lines: Vec<String> = candidates.iter().map(|candidate| line_of(candidate, style, settings)).collect();
    let tokens: Vec<usize> = lines.iter().map(|line| count(line)).collect();
    let most = settings.inject.most_characters.saturating_mul(4);
    let summary = summary.as_ref().map(|text| summary_line(&prompt_text(text, most), style));
    let summary_tokens = summary.as_ref().map(|text| count(text));
    let block = Block::new(style.clone());
    let frame = |lines: usize| block.count(total.saturating_sub(lines), counter);
    let fit = fit_lines(&tokens, summary_tokens, frame, budget);
    let reached = if fit.reach == Reach::Summary { lines.len() } else { fit.lines };
    let places = |held: bool| {
        let mut places: Vec<usize> = (0..reached).filter(|place| is_held(&candidates[*place]) == held).collect();
        // What was given a place before all others is the least of what is shown.
        places.sort_by_key(|place| candidates[*place].has_turn);
        places
    };
    let shown: Vec<String> = match summary.filter(|_| fit.reach == Reach::Summary) {
        Some(summary) => vec![summary],
        None => places(false).into_iter().map(|place| lines[place].clone()).collect(),
    };
    let list = |held: bool| places(held).into_iter().map(|place| show(&candidates[place], tokens[place], settings)).collect();
    let mut injection = Injection { withheld: list(true), omitted: total - reached, set, ..nothing };
    if !shown.is_empty() {
        injection.text = block.render(&shown, total - reached);
        injection.tokens = fit.tokens - places(true).into_iter().map(|place| tokens[place]).sum::<usize>();
        injection.reach = fit.reach;
        injection.shown = list(false);
    }
    injection
}

/// A summary on its line, which begins as those of patterns do: a bare one could pass for a heading.
fn summary_line(summary: &str, style: &Style) -> String {
    match style {
        Style::Historical(_) => format!("- [summary] {summary}"),
        Style::Organization | Style::Tool(_) => format!("[summary] {summary}"),
    }
}

/// The best patterns of an index, and how many fit in all.
fn find(
    reader: &mut IndexReader<impl BufRead>,
    settings: &Settings,
    request: &Request<'_>,
    style: &Style,
    is_wanted: &dyn Fn(&Entry<'_>) -> bool,
) -> Result<(Vec<Candidate>, usize), String> {
    let is_original = settings.compat == Compat::ClosedLoop;
    let matching = if is_original { TagMatch::Substring } else { settings.relevance.matching };
    let tool = request.tool.map(|tool| ToolMatcher::new(tool, &settings.inject, matching));
    let rating = RelevanceSettings { matching, ..settings.relevance.clone() };
    // The words of a task hold those of its paths. Rating thousands of patterns by paths takes longer than a hook may.
    let is_rated = !request.files.is_empty() && request.task.is_none() && !is_original;
    let rater = is_rated.then(|| Rater::new(request.files, &rating));
    let words = request.task.filter(|_| !is_original).and_then(TaskWords::new);
    let (purpose, most) = match style {
        Style::Organization => (Purpose::Turn, settings.inject.most),
        Style::Tool(_) => (Purpose::Tool, settings.inject.most_at_tool),
        Style::Historical(_) => (Purpose::Role, settings.inject.most_historical),
    };
    let toss = request.coins.map(|coins| |entry: &Entry<'_>| coins.toss(entry));
    let question = Question {
        purpose,
        agent: request.agent,
        role: request.role,
        repo: request.repo,
        project: request.project,
        context: Context::new(request.labels, request.files, request.phase, &settings.inject.score.process_label),
        task: words.as_ref(),
        only_fitting: request.only_fitting,
        rater: rater.as_ref(),
        tool: tool.as_ref(),
        priority: request.priority,
        without: request.without,
        similarities: request.similarities,
        is_governed: request.is_governed,
        prune: if is_original { Prune::Shown } else { Prune::Hidden },
        tosser: toss.as_ref().map(|toss| Tosser(toss)),
        is_unfiltered: is_original && purpose == Purpose::Tool,
        now_micros: request.now_micros,
    };
    let mut choice = settings.inject.clone();
    if is_original {
        choice.order = Order::Confidence;
    }
    let mut selection = Selection::new(&question, &choice, request.most.unwrap_or(most));
    let may_toss = settings.may_toss();
    while let Some(mut entry) = reader.next_entry()? {
        if !may_toss {
            // Whoever has switched coins off does not wait for the next generation.
            (entry.coin, entry.worth) = (None, None);
        }
        if is_wanted(&entry) {
            selection.offer(entry);
        }
    }
    Ok(selection.finish())
}

fn style_of(request: &Request<'_>) -> Style {
    let historical = || Style::Historical(request.role.map(str::to_owned));
    match (request.shape, request.tool, request.role) {
        (Some(Shape::Organization), _, _) | (None, None, None) => Style::Organization,
        (Some(Shape::Historical), _, _) | (None, None, Some(_)) => historical(),
        (None, Some(tool), _) => Style::Tool(tool.name.to_owned()),
    }
}

fn line_of(candidate: &Candidate, style: &Style, settings: &Settings) -> String {
    let most = settings.inject.most_characters;
    match style {
        Style::Organization => organization_line(candidate, most),
        Style::Tool(_) => tool_line(candidate, most),
        Style::Historical(_) => historical_line(candidate, most),
    }
}

/// How many tokens a block may take: what is asked for, else what the role gets, and never more than there is room. The original
/// counts patterns only.
fn budget_of(settings: &Settings, request: &Request<'_>) -> Option<usize> {
    let is_adversarial = request.role.is_some_and(|role| settings.inject.roles.is_adversarial(role));
    let usual = if is_adversarial { settings.inject.adversarial_tokens } else { settings.inject.tokens };
    let usual = (settings.compat != Compat::ClosedLoop).then_some(usual);
    request.budget.or(usual).into_iter().chain(request.remaining).min()
}

fn counter_of(settings: &Settings) -> &'static dyn Fn(&str) -> usize {
    match settings.inject.tokenizer {
        Tokenizer::Characters => &characters_as_tokens,
        Tokenizer::Cl100k => &cl100k_tokens,
        Tokenizer::O200k => &o200k_tokens,
    }
}

/// The hash of a set of patterns: the same for the same lessons in the same states, in whatever order.
fn hash_set(candidates: &[Candidate]) -> String {
    let word = |candidate: &Candidate| {
        let folded = candidate.entry.summary.to_lowercase();
        let folded = single_spaced(&folded);
        format!("{}:{}\n", sha256(folded.trim_end_matches(['.', ';', ',', ':', '!']).as_bytes()), candidate.entry.state)
    };
    let mut words: Vec<String> = candidates.iter().map(word).collect();
    words.sort_unstable();
    sha256(words.concat().as_bytes())
}

fn show(candidate: &Candidate, tokens: usize, settings: &Settings) -> ShownPattern {
    let entry = &candidate.entry;
    ShownPattern {
        id: entry.id.clone().into_owned(),
        text: prompt_text(&entry.summary, settings.inject.most_characters),
        category: entry.category.clone().into_owned(),
        confidence: entry.confidence.map(|confidence| confidence.to_string()).unwrap_or_default(),
        flag: entry.flag,
        repo: if entry.repo.is_empty() { "*".to_owned() } else { prompt_text(&entry.repo, MOST_LABEL_CHARACTERS) },
        applies_to: if entry.applies_to.is_empty() { vec!["*".to_owned()] } else { owned(&entry.applies_to) },
        tags: owned(&entry.tags),
        files: items(&entry.files).map(str::to_owned).collect(),
        seen: entry.seen,
        rate: entry.rate,
        track_record: track_record(candidate),
        score: candidate.score,
        relevance: candidate.relevance,
        similarity: candidate.similarity,
        via: candidate.via.as_deref().map(|role| prompt_text(role, MOST_LABEL_CHARACTERS)),
        tokens,
        propensity: candidate.tossed.filter(|tossed| tossed.chance < 1.0).map(|tossed| tossed.chance),
    }
}

/// The texts of a list, as harmless as everything else that is shown.
fn owned(list: &str) -> Vec<String> {
    items(list).map(|text| prompt_text(text, MOST_LABEL_CHARACTERS)).collect()
}
