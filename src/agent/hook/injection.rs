//! Patterns for an agent: read from the published index, chosen, fitted into the budget, and put into words.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use learn::Flag;
use learn::recall::{
    Candidate, Context, Entry, Prune, Purpose, Question, Reach, Selection, Similarities, TaskWords, ToolMatcher, ToolUse,
    characters_as_tokens, cl100k_tokens, fit_lines, is_withheld, items, o200k_tokens,
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
    /// The run, which does without the patterns that are held back in it.
    pub run: Option<&'r str>,
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

#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    /// The block; empty if nothing is shown.
    pub text: String,
    /// How much of what was wanted is shown.
    pub reach: Reach,
    /// The patterns that are shown, the best first. Those of a summary are all that it is about.
    pub shown: Vec<ShownPattern>,
    /// Patterns that would have been shown and are held back in this run.
    pub withheld: Vec<ShownPattern>,
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
    /// Nothing is shown.
    const fn nothing(budget: Option<usize>) -> Self {
        Self {
            text: String::new(),
            reach: Reach::None,
            shown: Vec::new(),
            withheld: Vec::new(),
            omitted: 0,
            tokens: 0,
            budget,
            set: String::new(),
        }
    }
}

/// The published index; none before the first generation.
fn open_index(workspace: &Workspace) -> Outcome<Option<BufReader<File>>> {
    // One file is read, so that the link need not be followed beforehand to stay with one generation.
    let path = workspace.current().join(INJECTION_FILE);
    match durable::open_regular(&path) {
        Ok(file) => Ok(Some(BufReader::with_capacity(BUFFER_BYTES, file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Diagnostic::io("cannot read the injection index", &path, &error)),
    }
}

/// Chooses what is shown. Without an index nothing is; a damaged one is an error, which hooks pass over.
pub fn inject(workspace: &Workspace, settings: &Settings, request: &Request<'_>) -> Outcome<Injection> {
    let budget = budget_of(settings, request);
    if budget.is_some_and(|budget| budget < settings.inject.least_tokens) {
        return Ok(Injection::nothing(budget));
    }
    let Some(index) = open_index(workspace)? else { return Ok(Injection::nothing(budget)) };
    choose(index, settings, request, budget).map_err(|cause| damaged(workspace, cause))
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
        let (candidates, _) = find(&mut reader, settings, request, &style_of(request), is_wanted)?;
        reader.finish("").map(|_| candidates)
    };
    read().map_err(|cause| damaged(workspace, cause))
}

fn damaged(workspace: &Workspace, cause: String) -> Diagnostic {
    Diagnostic::edit("the injection index cannot be read", "publish a new generation: outerloop run hourly")
        .at(&workspace.current().join(INJECTION_FILE))
        .because(cause)
}

/// Chooses what is shown of an index.
fn choose(index: impl BufRead, settings: &Settings, request: &Request<'_>, budget: Option<usize>) -> Result<Injection, String> {
    let mut reader = IndexReader::open(index)?;
    let style = style_of(request);
    let (candidates, total) = find(&mut reader, settings, request, &style, &|_| true)?;
    let is_held =
        |candidate: &Candidate| request.run.is_some_and(|run| is_withheld(run, &candidate.entry.id, settings.inject.holdout));
    let held: Vec<bool> = candidates.iter().map(is_held).collect();
    let set = hash_set(&candidates);
    // A summary would show what is held back.
    let summary = reader.finish(&set)?.filter(|_| !held.contains(&true));
    let is_drawn = request.run.is_some();
    Ok(compose(&Chosen { candidates, held, is_drawn, total, set, summary }, settings, style, budget))
}

/// What was chosen, before it is fitted into the budget.
struct Chosen {
    candidates: Vec<Candidate>,
    /// Which of them are held back.
    held: Vec<bool>,
    /// Whether the run draws what is shown.
    is_drawn: bool,
    /// How many patterns fit in all.
    total: usize,
    set: String,
    summary: Option<String>,
}

/// Puts what was chosen into words, as much of it as fits. What is held back keeps its place, and is held back only where it would have
/// been shown: what others see does not depend on it.
fn compose(chosen: &Chosen, settings: &Settings, style: Style, budget: Option<usize>) -> Injection {
    let Chosen { candidates, held, is_drawn, total, set, summary } = chosen;
    let counter = counter_of(settings);
    let lines: Vec<String> = candidates.iter().map(|candidate| line_of(candidate, &style, settings)).collect();
    let tokens: Vec<usize> = lines.iter().map(|line| counter(&format!("{line}\n"))).collect();
    let most = settings.inject.most_characters.saturating_mul(4);
    let summary = summary.as_ref().map(|text| summary_line(&prompt_text(text, most), &style));
    let summary_tokens = summary.as_ref().map(|text| counter(&format!("{text}\n")));
    let block = Block::new(style);
    let frame = |lines: usize| block.count(total - lines, counter);
    let fit = fit_lines(&tokens, summary_tokens, frame, budget.unwrap_or(usize::MAX));
    let reached = if fit.reach == Reach::Summary { lines.len() } else { fit.lines };
    let places = |is_held: bool| (0..reached).filter(move |place| held[*place] == is_held);
    let show = |place: usize| ShownPattern {
        propensity: propensity_of(&candidates[place], *is_drawn, settings),
        ..describe(&candidates[place], tokens[place], settings)
    };
    let shown: Vec<String> = match summary.filter(|_| fit.reach == Reach::Summary) {
        Some(summary) => vec![summary],
        None => places(false).map(|place| lines[place].clone()).collect(),
    };
    let mut injection = Injection {
        withheld: places(true).map(show).collect(),
        omitted: total - reached,
        set: set.clone(),
        ..Injection::nothing(budget)
    };
    if !shown.is_empty() {
        injection.text = block.render(&shown, total - reached);
        injection.tokens = fit.tokens - places(true).map(|place| tokens[place]).sum::<usize>();
        injection.reach = fit.reach;
        injection.shown = places(false).map(show).collect();
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
    let rater = (!request.files.is_empty() && !is_original).then(|| Rater::new(request.files, &rating));
    let words = request.task.filter(|_| !is_original).and_then(TaskWords::new);
    let (purpose, most) = match style {
        Style::Organization => (Purpose::Turn, settings.inject.most),
        Style::Tool(_) => (Purpose::Tool, settings.inject.most_at_tool),
        Style::Historical(_) => (Purpose::Role, settings.inject.most_historical),
    };
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
        prune: match request.run {
            _ if is_original => Prune::Shown,
            Some(run) => Prune::Retried { run, chance: settings.inject.prune_chance },
            None => Prune::Hidden,
        },
        is_unfiltered: is_original && purpose == Purpose::Tool,
        now_micros: request.now_micros,
    };
    let mut choice = settings.inject.clone();
    if is_original {
        choice.order = Order::Confidence;
    }
    let mut selection = Selection::new(&question, &choice, request.most.unwrap_or(most));
    while let Some(entry) = reader.next_entry()? {
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

fn describe(candidate: &Candidate, tokens: usize, settings: &Settings) -> ShownPattern {
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
        propensity: None,
    }
}

/// The chance at which a run shows a pattern that it has a place for; none where it is sure to.
fn propensity_of(candidate: &Candidate, is_drawn: bool, settings: &Settings) -> Option<f64> {
    let is_retried = candidate.entry.flag == Flag::Prune && settings.compat != Compat::ClosedLoop;
    let retried = if is_retried { settings.inject.prune_chance } else { 1.0 };
    let chance = retried * (1.0 - settings.inject.holdout);
    (is_drawn && chance < 1.0).then_some(chance)
}

/// The texts of a list, as harmless as everything else that is shown.
fn owned(list: &str) -> Vec<String> {
    items(list).map(|text| prompt_text(text, MOST_LABEL_CHARACTERS)).collect()
}
