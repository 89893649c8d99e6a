//! From the figures to a generation that readers can read.

use jiff::Timestamp;

use super::compute::{Findings, Truth, compute};
use super::inquiry::Inquiry;
use super::policy_file::{diff_file, diff_policy, policy_files, record_changes};
use super::standing::{hash_inputs, note_standing, stands_until};
use super::study::Lessons;
use super::table::analysts_files;
use super::verify::{load_statistics, load_timing};
use super::{Aim, CycleOptions, Phase};
use crate::Arguments;
use event::row::Rows;
use learn::observation::Status;
use learn::pattern::pattern_id;
use learn::table::SCHEMA_VERSION;
use learn::{Flag, Score};
use render::overview::{Material, Verdict, make_overview};
use render::policy::{PolicyDiff, list_changes, make_policy_report, render_policy_changes};
use render::{
    Changes, Coins, Merging, PageData, Refusal, Report, Totals, TruthReport, VoidLine, compare, make_observation_report,
    make_role_report, parse_table, render_changes, render_html, render_index, render_json, render_markdown, render_metrics,
    render_table, render_tool_lessons, render_truth, toon, toon_rows, truth_metrics,
};
use score::Verdicts;
use setting::{
    Compat, INJECTION_FILE, OBSERVATION_FILE, PAGE_FILE, PATTERN_FILE, PatternDialect, ROLE_FILE, SUM_FILE, Settings, TABLE_FILE,
    TOOL_FILE, TRUTH_FILE, TRUTH_METRICS_FILE, VERDICT_FILE,
};
use store::publish::{
    File, Manifest, Published, Staged, clear_leftovers, copy_to_targets, find_current, retire_generations, stage, swap,
};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;

#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    pub published: Published,
    pub patterns: usize,
    /// How many of them the pattern file holds.
    pub in_file: usize,
    /// Patterns in use by flag.
    pub flags: Vec<(Flag, usize)>,
    pub applications: i64,
    /// How many of them count for no pattern.
    pub unattributed: i64,
    pub observations: usize,
    /// How many of them are ready to become an artifact.
    pub ready: usize,
    pub runs: i64,
    /// How many adapters have rules for their next run.
    pub adapters: usize,
    /// For how many of them a person must approve.
    pub approvals: usize,
    /// How many things changed about patterns since the generation before.
    pub changes: usize,
    /// How many things changed about policies.
    pub policy_changes: usize,
    pub copies: usize,
    /// How many old generations were removed.
    pub removed: usize,
    /// Copies that could not be written.
    pub problems: Vec<Diagnostic>,
}

/// Runs the cycle. Only the run that holds the lock may.
pub fn run_cycle(workspace: &Workspace, options: CycleOptions<'_>, mut report: impl FnMut(Phase)) -> Outcome<Cycle> {
    clear_leftovers(workspace)?;
    if let Some(current) = find_current(workspace)? {
        record_changes(workspace, &current)?;
    }
    let inputs = hash_inputs(workspace, options)?;
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::Every)?;
    let findings = compute(&inquiry, &mut report)?;
    report(Phase::Writing);
    let drafted = draft(workspace, &inquiry, &findings, options)?;
    inquiry.check()?;
    let staged = stage(workspace, drafted.manifest, &drafted.files)?;
    report(Phase::Auditing);
    audit(&inquiry, &staged, &findings, options.settings)?;
    let until_micros = stands_until(&inquiry)?;
    // The engine is done with the staged file, and gives back its memory before another step needs it.
    drop(inquiry);
    let published = swap(workspace, staged)?;
    let (copies, problems) = if published.is_current {
        record_changes(workspace, &published.generation)?;
        note_standing(workspace, &published.generation, inputs, until_micros)?;
        copy_to_targets(workspace, &published.generation, &options.settings.publish.targets)
    } else {
        (0, Vec::new())
    };
    let removed = retire_generations(workspace, &published.generation.manifest.generation, options.settings.publish.keep)?;
    let (adapters, approvals) = findings.policies.count_rules();
    Ok(Cycle {
        published,
        patterns: findings.scores.len(),
        in_file: findings.ranking.published.len(),
        flags: drafted.flags,
        applications: drafted.applications,
        unattributed: findings.attribution.unattributed,
        observations: findings.observations.scores.len(),
        ready: findings.observations.scores.iter().filter(|score| score.status == Status::Ready).count(),
        runs: findings.policies.whole.totals.runs(),
        adapters,
        approvals,
        changes: drafted.changes,
        policy_changes: drafted.policy_changes,
        copies,
        removed,
        problems,
    })
}

/// A generation before it is written.
pub(super) struct Draft {
    pub(super) manifest: Manifest,
    pub(super) files: Vec<File>,
    flags: Vec<(Flag, usize)>,
    applications: i64,
    changes: usize,
    policy_changes: usize,
}

/// Renders the files of a generation.
pub(super) fn draft(
    workspace: &Workspace,
    inquiry: &Inquiry<'_>,
    findings: &Findings,
    options: CycleOptions<'_>,
) -> Outcome<Draft> {
    let settings = options.settings;
    let as_of = instant(options.horizon.as_of_micros)?;
    let settings_hash = hash_settings(settings)?;
    let report = make_report(inquiry, findings, options, &settings_hash)?;
    let page = PageData { scores: &findings.scores, history: &findings.history, observed: &findings.observations.scores };
    let rows = toon_rows(&findings.scores, &findings.ranking.published);
    let pattern_file = match (settings.compat, settings.publish.dialect) {
        (Compat::None, PatternDialect::Toon) => toon::render_toon(&rows),
        _ => toon::render_closedloop(&rows, &text::time::to_seconds(options.horizon.as_of_micros)),
    };
    let mut files = vec![
        File::new(PATTERN_FILE, pattern_file.into_bytes()),
        File::new(TABLE_FILE, render_table(&findings.scores)?),
        File::new(ROLE_FILE, render_table(&findings.roles.scores)?),
        File::new(OBSERVATION_FILE, render_table(&findings.observations.scores)?),
        File::new(TOOL_FILE, render_tool_lessons(&findings.lessons.tool_lessons)?.into_bytes()),
        File::new("report.json", render_json(&report)?.into_bytes()),
        File::new("report.md", render_markdown(&report).into_bytes()),
        File::new(PAGE_FILE, render_html(&report, &page).into_bytes()),
    ];
    let shown = findings.ranking.in_use.iter().map(|place| &findings.scores[*place]);
    let index = render_index(
        shown,
        &findings.roles.scores,
        &inquiry.load("latest_summary", Rows::read)?,
        &coins_of(&findings.truth.verdicts),
    );
    files.push(File::new(INJECTION_FILE, index.into_bytes()));
    files.extend(truth_files(&report, &findings.truth)?);
    files.extend(policy_files(&findings.policies, options.horizon.as_of_micros, settings)?);
    let [outcomes, others @ ..] = analysts_files(inquiry, findings)?;
    files.extend(others);
    let mut listed: Vec<_> = files.iter().map(|file| file.listed(sha256(&file.content))).collect();
    let generation = name_generation(as_of, &listed.iter().map(|file| &*file.sha256).collect::<Vec<_>>());
    // What changed depends on what was published before, and so on how often the cycle runs. It stands in files of its own,
    // which the name does not cover: all others are the same bytes, however often it runs.
    let changes = changes_since(workspace, &generation, &findings.scores)?;
    let policy_diff = diff_policy(workspace, &generation, options.horizon.as_of_micros, &findings.policies)?;
    // Of pruned days only sums are left, so the name does not cover single applications either.
    let relative = render_change_files(&changes, &policy_diff)?.into_iter().chain([diff_file(&policy_diff)?, outcomes]);
    for file in relative {
        listed.push(file.listed(sha256(&file.content)));
        files.push(file);
    }
    let manifest = Manifest {
        generation,
        as_of: as_of.to_string(),
        as_of_micros: options.horizon.as_of_micros,
        through: options.horizon.through,
        settings_hash,
        program: options.program.clone(),
        tables: SCHEMA_VERSION,
        queries: inquiry.hashes(),
        files: listed,
    };
    let flags = report.totals.flags.iter().map(|count| (count.flag, count.patterns)).collect();
    let (changes, policy_changes) = (changes.changes.len(), list_changes(&policy_diff, "", "").len());
    Ok(Draft { manifest, files, flags, applications: report.totals.applications, changes, policy_changes })
}

/// The verdicts, where any coin was tossed.
fn truth_files(report: &Report<'_>, truth: &Truth) -> Outcome<Vec<File>> {
    let Some(told) = report.truth.as_ref().filter(|told| told.coins > 0) else { return Ok(Vec::new()) };
    let Verdicts { verdicts, sums, .. } = &truth.verdicts;
    Ok(vec![
        File::new(TRUTH_FILE, render_truth(told, sums, &report.as_of)?),
        File::new(VERDICT_FILE, render_table(verdicts)?),
        File::new(SUM_FILE, render_table(sums)?),
        File::new(TRUTH_METRICS_FILE, render_metrics(&truth_metrics(told)).into_bytes()),
    ])
}

fn coins_of(verdicts: &Verdicts) -> Coins {
    let patterns = verdicts.coins.iter().map(|(number, coin)| (pattern_id(*number), *coin));
    Coins { whole: verdicts.loop_coin, patterns: patterns.collect() }
}

fn make_report<'f>(
    inquiry: &Inquiry<'_>,
    findings: &'f Findings,
    options: CycleOptions<'f>,
    settings_hash: &str,
) -> Outcome<Report<'f>> {
    let CycleOptions { settings, horizon, program, .. } = options;
    let Findings { scores, ranking, attribution, .. } = findings;
    let Lessons { registry, tool_lessons } = &*findings.lessons;
    let lines = |places: &[usize]| places.iter().map(|&place| &scores[place]).collect::<Vec<_>>();
    let waiting = inquiry.run("pending", &Arguments::NONE)?.count();
    let totals = Totals::new(scores, ranking, attribution, inquiry.load("holding", Rows::read)?);
    let merging = Merging::new(registry, ranking, tool_lessons.len(), waiting, inquiry.load("rejection", Rows::read)?);
    let (roles, observations) = (make_role_report(&findings.roles), make_observation_report(&findings.observations));
    let policy = make_policy_report(&findings.policies, horizon.as_of_micros, settings);
    let quarantine: Vec<Refusal> = inquiry.load("refusal", Rows::read)?;
    let truth = (settings.compat == Compat::None).then(|| {
        let Truth { verdicts, is_on, coins, .. } = &findings.truth;
        TruthReport::new(&verdicts.verdicts, *is_on, *coins, settings.truth.smallest)
    });
    let overview = make_overview(&Material {
        as_of_micros: horizon.as_of_micros,
        verdict: truth.as_ref().map_or_else(
            || Verdict::unmeasured(settings.truth.smallest),
            |truth| Verdict::of(truth, &findings.truth.verdicts.sums),
        ),
        scores,
        history: &findings.history,
        observed: &findings.observations.scores,
        totals: &totals,
        merging: &merging,
        policy: &policy,
        roles: &roles,
        observations: &observations,
        quarantine: &quarantine,
        may_toss: settings.may_toss(),
    });
    Ok(Report {
        as_of: instant(horizon.as_of_micros)?.to_string(),
        truth,
        overview,
        totals,
        strongest: lines(&ranking.strongest),
        weakest: lines(&ranking.weakest),
        flagged: lines(&ranking.flagged),
        published: lines(&ranking.published),
        dropped: ranking.dropped,
        merging,
        goals: load_statistics(inquiry, settings)?,
        timing: load_timing(inquiry)?,
        roles,
        observations,
        policy,
        strangers: attribution.strangers.clone(),
        quarantine,
        void_decisions: registry.void_decisions().iter().map(VoidLine::from).collect(),
        odd_categories: registry.odd_categories(),
        program: program.clone(),
        queries: inquiry.hashes(),
        settings_hash: settings_hash.to_owned(),
        settings: settings.figures(),
    })
}

fn instant(micros: i64) -> Outcome<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|error| Diagnostic::bug(format!("the horizon is no time: {error}")))
}

/// The SHA-256 of the settings that figures depend on.
pub(super) fn hash_settings(settings: &Settings) -> Outcome<String> {
    let text = serde_json::to_vec(&settings.figures())
        .map_err(|error| Diagnostic::bug(format!("the settings cannot be hashed: {error}")))?;
    Ok(sha256(&text))
}

/// The instant, so that names sort by time, and a hash of the content, so that equal states have equal names.
fn name_generation(as_of: Timestamp, hashes: &[&str]) -> String {
    let content = sha256(hashes.concat().as_bytes());
    format!("{}-{}", as_of.strftime("%Y%m%dT%H%M%SZ"), &content[..12])
}

fn changes_since(workspace: &Workspace, generation: &str, scores: &[Score]) -> Outcome<Changes> {
    let before = find_current(workspace)?.filter(|before| before.manifest.generation != generation);
    // Of patterns that cannot be read nobody can say how they differ; that must not keep these from being published.
    Ok(match before.and_then(|before| Some((before.parse(TABLE_FILE, parse_table).ok()?, before.manifest.generation))) {
        Some((known, before)) => compare(Some(before), &known, scores),
        None => compare(None, &[], &[]),
    })
}

fn render_change_files(changes: &Changes, policies: &PolicyDiff) -> Outcome<[File; 2]> {
    let mut json = serde_json::to_vec_pretty(changes)
        .map_err(|error| Diagnostic::bug(format!("the changes cannot be written as JSON: {error}")))?;
    json.push(b'\n');
    let text = render_changes(changes) + &render_policy_changes(policies);
    Ok([File::new("changes.json", json), File::new("changes.md", text.into_bytes())])
}

/// Runs the audits over what was staged. A row that any of them returns keeps the generation from being published.
fn audit(inquiry: &Inquiry<'_>, staged: &Staged, findings: &Findings, settings: &Settings) -> Outcome<()> {
    // What counts for patterns of roles stands in a table of its own.
    let unattributed = findings.attribution.unattributed + findings.attribution.of_roles;
    let is_exclusive = settings.compat == Compat::None;
    let arguments = Arguments::values([("unattributed", unattributed.into()), ("is_exclusive", is_exclusive.into())])
        .with_file("staged_pattern", staged.folder.join(TABLE_FILE))
        .with_file("staged_observation", staged.folder.join(OBSERVATION_FILE));
    for stem in inquiry.audits() {
        let rows = inquiry.run(&stem.replace('/', "_"), &arguments)?;
        if rows.count() > 0 {
            return Err(Diagnostic::new(
                Exit::Refused,
                format!("the audit `sql/{stem}.sql` refused the new generation with {} rows", rows.count()),
                "readers still see the previous generation; check the staged files and the query, then run the job again",
            )
            .at(&staged.folder)
            .because(first_row(&rows)));
        }
    }
    Ok(())
}

fn first_row(rows: &event::row::Rows) -> String {
    let mut writer = arrow::json::writer::LineDelimitedWriter::new(Vec::new());
    let written = rows.batches.iter().find(|batch| batch.num_rows() > 0).map(|batch| writer.write(&batch.slice(0, 1)));
    match written {
        Some(Ok(())) => String::from_utf8_lossy(&writer.into_inner()).trim().to_owned(),
        _ => "a row that cannot be printed".to_owned(),
    }
}
