//! `outerloop doctor`: checks the workspace, says what to do, and mends what can be mended without losing an event.

mod missing;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::json;

use crate::coin;
use cli::args::DoctorArgs;
use cli::printer::{Printer, Tone};
use cli::require;
use cli::table::{grouped, sized};
use engine::{Session, load_graph, try_own};
use event::Kind;
use render::plain_text;
use store::clock;
use store::durable;
use store::job::list_jobs;
use store::lake;
use store::lake::Checkpoint;
use store::lock::take_lock;
use store::publish;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Below this much free space, someone should make room.
const LOW_SPACE_BYTES: u64 = 1 << 30;
/// How far the clock may stand behind the last commit before events would be taken for future ones.
const CLOCK_SECONDS: i64 = 300;

/// How far back the remarks of hooks are looked at.
const HOOK_HOURS: i64 = 24;

/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    Good,
    Warning,
    Bad,
}

struct Finding {
    check: &'static str,
    grade: Grade,
    text: String,
    remedy: Option<String>,
}

/// Checks everything, and mends what can be mended if that is wanted.
pub(crate) fn run(workspace: &Workspace, options: &DoctorArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    if options.repair {
        repair(workspace, printer)?;
    }
    let findings = examine(workspace);
    if options.output.json {
        let list: Vec<_> = findings.iter().map(as_json).collect();
        printer.line(&serde_json::Value::from(list).to_string())?;
    } else {
        for finding in &findings {
            printer.line(&shown(finding, printer))?;
        }
    }
    let is_bad = findings.iter().any(|finding| finding.grade == Grade::Bad);
    Ok(if is_bad { Exit::Edit } else { Exit::Done })
}

fn examine(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = vec![
        check_settings(workspace),
        check_access(workspace),
        check_privacy(workspace),
        check_space(workspace),
        check_swap(workspace),
    ];
    findings.push(check_checkpoint(workspace));
    findings.push(check_clock(workspace));
    findings.push(check_staging(workspace));
    findings.push(check_strangers(workspace));
    findings.extend(check_files(workspace));
    findings.extend(check_inbox(workspace));
    findings.extend(missing::check_missing(workspace));
    findings.push(check_jobs(workspace));
    findings.push(check_sql(workspace));
    findings.push(check_published(workspace));
    findings.push(check_hooks(workspace));
    findings.extend(check_other_hooks(workspace));
    findings.push(check_engine(workspace));
    findings.extend(check_coins(workspace));
    findings
}

fn good(check: &'static str, text: impl Into<String>) -> Finding {
    Finding { check, grade: Grade::Good, text: text.into(), remedy: None }
}

fn warning(check: &'static str, text: impl Into<String>, remedy: &str) -> Finding {
    Finding { check, grade: Grade::Warning, text: text.into(), remedy: Some(remedy.to_owned()) }
}

fn bad(check: &'static str, diagnostic: &Diagnostic) -> Finding {
    let place = diagnostic.place.as_ref().map(|place| format!(" ({})", place.display())).unwrap_or_default();
    let cause = diagnostic.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
    Finding {
        check,
        grade: Grade::Bad,
        text: format!("{}{place}{cause}", diagnostic.what),
        remedy: Some(diagnostic.remedy.clone()),
    }
}

fn check_settings(workspace: &Workspace) -> Finding {
    match load_settings(workspace) {
        Ok(_) => good("settings", "valid"),
        Err(diagnostic) => bad("settings", &diagnostic),
    }
}

fn check_jobs(workspace: &Workspace) -> Finding {
    match list_jobs(workspace) {
        Ok(jobs) => good("jobs", format!("{} jobs, all valid", jobs.len())),
        Err(diagnostic) => bad("jobs", &diagnostic),
    }
}

/// The workspace's own SQL is tried over an empty lake, as every cycle does before it begins.
fn check_sql(workspace: &Workspace) -> Finding {
    let tried = load_graph(workspace).and_then(|graph| try_own(&graph).map(|()| graph));
    match tried.map(|graph| graph.nodes().filter(|node| node.is_own).count()) {
        Ok(0) => good("sql", "the program's own"),
        Ok(own) => good("sql", format!("{own} tables and questions of the workspace's own, all valid")),
        Err(diagnostic) => bad("sql", &diagnostic),
    }
}

/// What is published must be what its manifest says.
fn check_published(workspace: &Workspace) -> Finding {
    match publish::check_current(workspace) {
        Ok(None) => good("published", "nothing yet"),
        Ok(Some(manifest)) => good("published", format!("{} is intact, {} files", manifest.generation, manifest.files.len())),
        Err(diagnostic) => bad("published", &diagnostic),
    }
}

/// A probe tells more than mode bits: it also meets read-only mounts, quotas and access lists.
fn check_access(workspace: &Workspace) -> Finding {
    for folder in [workspace.root().to_path_buf(), workspace.inbox(), workspace.lake(), workspace.quarantine()] {
        let probe = folder.join(".doctor-probe");
        if let Err(diagnostic) = durable::create_folder(&folder).and_then(|()| durable::create_file(&probe)) {
            return bad("access", &diagnostic);
        }
        if let Err(error) = fs::remove_file(&probe) {
            return bad("access", &Diagnostic::io("cannot remove a file", &probe, &error));
        }
    }
    good("access", "every folder can be written to")
}

fn check_privacy(workspace: &Workspace) -> Finding {
    match fs::metadata(workspace.root()) {
        Ok(metadata) if metadata.permissions().mode() & OTHERS == 0 => good("privacy", "only this user has access"),
        Ok(_) => warning("privacy", "other users can read the workspace", "run chmod 700 on it, unless this is intended"),
        Err(error) => bad("privacy", &Diagnostic::io("cannot inspect the workspace", workspace.root(), &error)),
    }
}

fn check_space(workspace: &Workspace) -> Finding {
    match rustix::fs::statvfs(workspace.root()) {
        Ok(space) => {
            let free = space.f_bavail.saturating_mul(space.f_frsize);
            if free < LOW_SPACE_BYTES {
                warning(
                    "space",
                    format!("{} free", sized(free)),
                    "free some space; with a full disk nothing is lost, but nothing can be recorded",
                )
            } else {
                good("space", format!("{} free", sized(free)))
            }
        }
        Err(error) => bad("space", &Diagnostic::io("cannot determine the free space", workspace.root(), &error.into())),
    }
}

/// Whether partitions can be swapped atomically on this file system, tried on two empty folders.
fn check_swap(workspace: &Workspace) -> Finding {
    let (one, other) = (workspace.lake().join(".doctor-one"), workspace.lake().join(".doctor-other"));
    let tried =
        durable::create_folder(&one).and_then(|()| durable::create_folder(&other)).map(|()| durable::exchange(&one, &other));
    let _ = fs::remove_dir(&one);
    let _ = fs::remove_dir(&other);
    match tried {
        Ok(Ok(())) => good("swap", "partitions can be swapped atomically"),
        Ok(Err(error)) => warning(
            "swap",
            format!("folders cannot be swapped atomically here: {error}"),
            "move the workspace to a local file system; until then small files are not merged",
        ),
        Err(diagnostic) => bad("swap", &diagnostic),
    }
}

fn check_checkpoint(workspace: &Workspace) -> Finding {
    let checkpoint = match Checkpoint::load(workspace) {
        Ok(Some(checkpoint)) => checkpoint,
        Ok(None) => return good("checkpoint", "none yet: nothing was ingested, or it will be derived from the lake"),
        Err(diagnostic) => return bad("checkpoint", &diagnostic),
    };
    match lake::last_batch_in_lake(workspace) {
        Ok(last) if last >= checkpoint.next_batch => Finding {
            check: "checkpoint",
            grade: Grade::Bad,
            text: format!(
                "it is older than the lake: the lake has batch {last}, the checkpoint expects {} next",
                checkpoint.next_batch
            ),
            remedy: Some("run `outerloop doctor --repair`: it moves the checkpoint away and derives it from the lake".to_owned()),
        },
        Ok(_) => {
            good("checkpoint", format!("{} inbox files, {} lines", checkpoint.streams.len(), grouped(checkpoint.counts().lines)))
        }
        Err(diagnostic) => bad("checkpoint", &diagnostic),
    }
}

fn check_clock(workspace: &Workspace) -> Finding {
    let now = clock::now().as_second();
    let committed = fs::metadata(workspace.checkpoint()).and_then(|metadata| metadata.modified()).ok();
    let committed =
        committed.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).and_then(|age| i64::try_from(age.as_secs()).ok());
    match committed {
        Some(committed) if committed > now + CLOCK_SECONDS => warning(
            "clock",
            format!("the last commit is {} seconds in the future", committed - now),
            "set the clock: today's events would be refused as future events",
        ),
        _ => good("clock", clock::now().to_string()),
    }
}

fn check_staging(workspace: &Workspace) -> Finding {
    match lake::leftovers(workspace) {
        Ok(left) if left.is_empty() => good("staging", "nothing left over"),
        Ok(left) => warning(
            "staging",
            format!("{} files of a run that is active or was killed", left.len()),
            "the next `outerloop run compact` finishes or removes them",
        ),
        Err(diagnostic) => bad("staging", &diagnostic),
    }
}

/// Files in the lake that are not ours: a reader's glob may meet them.
fn check_strangers(workspace: &Workspace) -> Finding {
    let is_ours = |name: &str| name == "checkpoint.json" || name.starts_with('.') || Kind::from_name(name).is_some();
    let names = fs::read_dir(workspace.lake())
        .map(|entries| entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>());
    let strangers: Vec<String> = names.unwrap_or_default().into_iter().filter(|name| !is_ours(name)).collect();
    if strangers.is_empty() {
        return good("lake", "only tables, no foreign files");
    }
    warning("lake", format!("foreign files: {}", strangers.join(", ")), "move foreign files out of the lake")
}

fn check_files(workspace: &Workspace) -> Vec<Finding> {
    let facts = match lake::inspect_lake(workspace) {
        Ok(facts) => facts,
        Err(diagnostic) => return vec![bad("files", &diagnostic)],
    };
    let damaged: Vec<Finding> =
        facts.iter().flat_map(|facts| &facts.damaged).map(|(path, cause)| bad("files", &damaged_file(path, cause))).collect();
    if !damaged.is_empty() {
        return damaged;
    }
    let (files, rows) = facts.iter().fold((0, 0), |(files, rows), facts| (files + facts.files, rows + facts.rows));
    vec![good("files", format!("{} files with {} events can be read", grouped(files), grouped(rows)))]
}

fn damaged_file(path: &Path, cause: &str) -> Diagnostic {
    let remedy = "restore it from a backup, or run `outerloop doctor --repair`: it moves the file to damaged/ and ingests its events again from the inbox";
    Diagnostic::edit("a file of the lake is damaged", remedy).at(path).because(cause)
}

fn check_inbox(workspace: &Workspace) -> Vec<Finding> {
    match lake::inspect_inbox(workspace) {
        Ok((waiting, problems)) if problems.is_empty() => {
            let bytes: u64 = waiting.iter().map(|one| one.waiting_bytes).sum();
            vec![good("inbox", format!("{} files, {} waiting", waiting.len(), sized(bytes)))]
        }
        Ok((_, problems)) => problems.iter().map(|problem| bad("inbox", &problem.0)).collect(),
        Err(diagnostic) => vec![bad("inbox", &diagnostic)],
    }
}

/// Errors of hooks, because nobody reads their stderr.
fn check_hooks(workspace: &Workspace) -> Finding {
    let text = fs::read_to_string(workspace.hook_history()).unwrap_or_default();
    let since = clock::now() - SignedDuration::from_hours(HOOK_HOURS);
    let remarks: Vec<HookRemark> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<HookRemark>(line).ok())
        .filter(|remark| remark.ts.parse::<Timestamp>().is_ok_and(|time| time > since))
        .collect();
    match remarks.last() {
        None => good("hooks", format!("no errors in {HOOK_HOURS} hours")),
        Some(last) => warning(
            "hooks",
            format!("{} errors in {HOOK_HOURS} hours, the last in {}: {}", remarks.len(), last.hook, plain_text(&last.remark, 200)),
            "history/hooks.jsonl lists all of them",
        ),
    }
}

/// Whether another tool's hooks are registered beside Outerloop's, so that each agent is told twice.
fn check_other_hooks(workspace: &Workspace) -> Option<Finding> {
    let project = workspace.root().parent().map(Path::to_path_buf);
    let folders = project.into_iter().chain(std::env::home_dir());
    let files = folders.flat_map(|folder| ["settings.json", "settings.local.json"].map(|name| folder.join(".claude").join(name)));
    let texts: Vec<String> = files.filter_map(|path| fs::read_to_string(path).ok()).collect();
    let has = |word: &str| texts.iter().any(|text| text.contains(word));
    let is_theirs = has("\"self-learning@") || has("closedloop");
    (is_theirs && has("outerloop hook")).then(|| {
        warning(
            "two sets of hooks",
            "ClosedLoop's hooks and Outerloop's are both registered: agents see patterns twice; an exposure that both tell counts once",
            "put CLOSEDLOOP_SELF_LEARNING=false into .closedloop-ai/config.env, or remove Outerloop's with `outerloop init --claude --remove`",
        )
    })
}

/// A line of the hooks' log.
#[derive(Deserialize)]
struct HookRemark {
    ts: String,
    hook: String,
    remark: String,
}

fn check_engine(workspace: &Workspace) -> Finding {
    match Session::open(workspace).and_then(|session| session.version()) {
        Ok(version) => good("engine", version),
        Err(diagnostic) => bad("engine", &diagnostic),
    }
}

/// Recomputes logged coins. A workspace that never tossed one has nothing to check.
fn check_coins(workspace: &Workspace) -> Option<Finding> {
    match coin::audit(workspace) {
        Ok(audit) if audit.checked + audit.unchecked == 0 => None,
        Ok(audit) if audit.differing.is_empty() && audit.unchecked == 0 => Some(good("coins", coin::summary(&audit))),
        Ok(audit) if audit.differing.is_empty() => Some(warning(
            "coins",
            coin::summary(&audit),
            "verdicts rest on the word of whoever logged them; keep the file `salt` of the workspace with its log",
        )),
        Ok(audit) => Some(Finding {
            check: "coins",
            grade: Grade::Bad,
            text: coin::summary(&audit),
            remedy: Some("`outerloop truth audit` lists them; find out who wrote these events".to_owned()),
        }),
        Err(diagnostic) => Some(bad("coins", &diagnostic)),
    }
}

/// Sets damaged files and a damaged checkpoint aside. The inbox is read again; an id counts once.
fn repair(workspace: &Workspace, printer: &Printer) -> Outcome<()> {
    let now = clock::now();
    let _lock = take_lock(workspace, &now.to_string())?;
    let mark = now.as_second().to_string();
    let mut is_stale = Checkpoint::load(workspace).map_or(true, |checkpoint| {
        checkpoint.is_some_and(|checkpoint| lake::last_batch_in_lake(workspace).is_ok_and(|last| last >= checkpoint.next_batch))
    });
    for facts in lake::inspect_lake(workspace)? {
        for (path, _) in facts.damaged {
            let target = lake::set_aside(workspace, &path, &mark)?;
            printer.note(&format!("moved {} to {}", path.display(), target.display()));
            is_stale = true;
        }
    }
    if is_stale && workspace.checkpoint().exists() {
        let target = lake::set_aside(workspace, &workspace.checkpoint(), &mark)?;
        printer.note(&format!(
            "moved the checkpoint to {}; the next `outerloop run compact` reads the inbox from the start",
            target.display()
        ));
    }
    Ok(())
}

fn shown(finding: &Finding, printer: &Printer) -> String {
    let (tone, word) = match finding.grade {
        Grade::Good => (Tone::Good, "ok  "),
        Grade::Warning => (Tone::Warning, "warn"),
        Grade::Bad => (Tone::Bad, "bad "),
    };
    let remedy = finding.remedy.as_ref().map(|remedy| format!("\n                 remedy: {remedy}")).unwrap_or_default();
    format!("{} {:<11} {}{remedy}", printer.toned(tone, word), finding.check, finding.text)
}

fn as_json(finding: &Finding) -> serde_json::Value {
    let grade = match finding.grade {
        Grade::Good => "ok",
        Grade::Warning => "warn",
        Grade::Bad => "bad",
    };
    json!({"check": finding.check, "grade": grade, "text": finding.text, "remedy": finding.remedy})
}
