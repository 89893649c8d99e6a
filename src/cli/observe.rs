//! `outerloop observe`: what recurs in the transcripts of sessions.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::{Value, json};

use super::printer::Printer;
use super::require;
use super::table::tabulate;
use crate::args::{OutputArgs, ProjectArgs};
use agent::intake::{count_mention, known_observations, observe_waiting};
use agent::iteration::{name_project, name_session_project};
use agent::observe;
use agent::observe::{Mention, Observed, Seen, Sighting, Source, find_transcripts, load_agents_mentions, load_session};
use agent::transcript::{Reading, Transcript};
use render::plain_text;
use setting::Settings;
use store::clock;
use store::deadline::Deadline;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Workflows, procedures, decisions with their reason, and pitfalls become events, one for each session
in which they occur. Built-in rules find them, or the program of the setting `observe.command`,
which has a daily call limit.

  outerloop observe ~/.claude/projects/-home-me-shop/5b7c0f6e.jsonl       observe one session
  outerloop observe ~/.claude/projects/-home-me-shop --dry-run            all sessions, dry run
  outerloop observe session.jsonl --channels                              print the extracted turns
  outerloop observe ~/.claude/projects --census | jq -r '.turns[].provenance' | sort | uniq -c
  outerloop observe --queued                                              all queued sessions")]
#[command(mut_arg("project", |project| project.help("The project [default: that of the session's folder]")))]
pub struct ObserveArgs {
    /// Transcripts in JSONL, or folders with *.jsonl below them
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "queued", conflicts_with = "queued")]
    transcripts: Vec<PathBuf>,
    /// Observe the sessions that hooks put into the queue, as the hourly job does
    #[arg(long, conflicts_with_all = ["project", "dry_run", "channels"])]
    queued: bool,
    #[command(flatten)]
    project: ProjectArgs,
    /// Print the observations without recording them
    #[arg(long)]
    dry_run: bool,
    /// Print every turn of a person with its line and how it reached the agent, the turns they answer, and how many lines in a
    /// person's place are not a person's; one JSON object per session. Observes nothing
    #[arg(long, visible_alias = "census")]
    channels: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Observes transcripts that are named, or the sessions that wait.
pub(crate) fn run(workspace: &Workspace, options: &ObserveArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    if options.queued {
        let observed = observe_waiting(workspace, &settings, Deadline::NEVER, &mut |_, _| {})?;
        return finish(&observed, options, Exit::Done, printer);
    }
    let found = find_transcripts(&options.transcripts)?;
    let mut reader = Reader { exit: Exit::Done, printer };
    if options.channels {
        for (path, is_named) in found {
            if let Some(transcript) = reader.load(&path, is_named) {
                printer.line(&channels(&path, &transcript).to_string())?;
            }
        }
        return Ok(reader.exit);
    }
    let now = clock::now();
    // One after the other: a folder of years holds more than the memory does.
    let mut sources = found.into_iter().filter_map(|(path, is_named)| {
        let transcript = reader.load(&path, is_named)?;
        let project = options.project.name.clone().unwrap_or_else(|| project_of(workspace, &settings, &transcript));
        Some(Source::new(&transcript, &path, fit::name(&project).unwrap_or_else(|| "default".to_owned()), now))
    });
    let known = known_observations(workspace);
    let task = observe::Task { workspace, settings: &settings, deadline: Deadline::NEVER, now, known: &known };
    let mut cite = |mention: &Mention| count_mention(workspace, &settings, mention);
    let observed = observe::observe_now(&task, &mut sources, options.dry_run, &mut cite)?;
    drop(sources);
    finish(&observed, options, reader.exit, printer)
}

/// The project of the folder in which a session worked, as its hooks would name it.
fn project_of(workspace: &Workspace, settings: &Settings, transcript: &Transcript) -> String {
    let Some(folder) = transcript.folder.as_deref().map(Path::new) else {
        return name_project(workspace, settings, Path::new("."));
    };
    name_session_project(workspace, settings, folder)
}

/// Reads transcripts, and how well that went.
struct Reader<'p> {
    exit: Exit,
    printer: &'p Printer,
}

impl Reader<'_> {
    /// Reads a transcript. One that cannot be read does not keep the others from it.
    fn load(&mut self, path: &Path, is_named: bool) -> Option<Transcript> {
        let loaded = load_session(path).map_err(|error| Diagnostic::io("cannot read the transcript", path, &error));
        let checked = loaded.and_then(|transcript| match observe::fault_of(&transcript.reading, path) {
            Some(fault) => Err(fault),
            None => Ok(transcript),
        });
        match checked {
            Ok(mut transcript) => {
                transcript.mentions.extend(load_agents_mentions(path));
                tell_reading(path, &transcript.reading, self.printer);
                Some(transcript)
            }
            // A folder may hold files of other programs.
            Err(fault) if !is_named && fault.exit == Exit::Edit => {
                self.printer.note(&format!("skipped: {}", fault.in_a_line()));
                None
            }
            Err(fault) => {
                self.exit = if self.exit == Exit::Done { fault.exit } else { self.exit };
                self.printer.error(&fault);
                None
            }
        }
    }
}

/// What people said in a session, turn by turn, and what stood in their place and was not theirs.
fn channels(path: &Path, transcript: &Transcript) -> Value {
    let channels = transcript.channels();
    let mut told = json!({"file": path.display().to_string(), "session": transcript.session,
        "time": transcript.time.map(|time| time.to_string()), "user_turns": transcript.user_turns});
    told["user_signals"] = json!(channels.user_signals);
    told["dialog_pairs"] = json!(channels.dialog_pairs);
    told["turns"] = transcript
        .exchanges
        .iter()
        .map(|exchange| json!({"line": exchange.line, "provenance": exchange.provenance, "text": exchange.user, "own": exchange.own}))
        .collect();
    told["not_people"] = json!(transcript.foreign);
    told
}

fn tell_reading(path: &Path, reading: &Reading, printer: &Printer) {
    let path = plain_text(&path.display().to_string(), 200);
    if let Some((line, cause)) = &reading.first_fault {
        let cause = plain_text(cause, 200);
        printer.note(&format!("{path}:{line}: skipped: {cause}; {} such lines in total", reading.faults));
    }
    if reading.long_lines > 0 {
        printer.note(&format!("{path}: skipped {} lines that are too long for a turn", reading.long_lines));
    }
}

fn finish(observed: &Observed, options: &ObserveArgs, exit: Exit, printer: &Printer) -> Outcome<Exit> {
    if options.output.json {
        printer.line(&as_json(observed).to_string())?;
    } else if !observed.seen.is_empty() {
        printer.line(&table(observed))?;
    }
    printer.note(&describe(observed));
    for warning in &observed.warnings {
        printer.note(&format!("warning: {}", plain_text(warning, 1000)));
    }
    if options.dry_run {
        printer.note("nothing was recorded");
    }
    Ok(match exit {
        Exit::Done if observed.failures > 0 => Exit::Machine,
        Exit::Done if observed.refused > 0 => Exit::Refused,
        exit => exit,
    })
}

/// What came of observing, in a sentence.
#[must_use]
pub fn describe(observed: &Observed) -> String {
    let Observed { sessions, shallow, missing, waiting, calls, seen, landed, known, .. } = observed;
    let mut parts = vec![format!("{} observations in {sessions} sessions, {landed} of them new", seen.len())];
    let also = [
        (*known, "already known"),
        (*shallow, "sessions too short"),
        (*missing, "transcripts missing"),
        (*waiting, "sessions queued"),
    ];
    parts.extend(also.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")));
    if *calls > 0 {
        parts.push(format!("{calls} calls"));
    }
    format!("observe: {}", parts.join("; "))
}

fn table(observed: &Observed) -> String {
    let rows = observed.seen.iter().map(|Seen { session, sighting, .. }| {
        [
            plain_text(session, 12),
            sighting.kind.get().to_owned(),
            if sighting.is_supported() { "yes" } else { "no" }.to_owned(),
            plain_text(&sighting.pattern, 200),
            plain_text(said(sighting), 120),
        ]
    });
    tabulate(["session", "type", "good", "pattern", "said"], rows)
}

/// What a person said: of a dialog the answer, else what was said in the session itself, which is quoted first.
fn said(sighting: &Sighting) -> &str {
    let answer = sighting.evidence.iter().find_map(|quote| quote.strip_prefix("user: "));
    answer.or_else(|| sighting.evidence.first().map(String::as_str)).unwrap_or_default()
}

/// What came of observing, for programs.
fn as_json(observed: &Observed) -> Value {
    let seen: Vec<Value> = observed
        .seen
        .iter()
        .map(|Seen { project, session, time, sighting }| {
            json!({"project": project, "session": session, "ts": time.to_string(), "id": sighting.event_id(project, session),
                "observation_id": sighting.id, "type": sighting.kind.get(), "pattern": sighting.pattern,
                "evidence": sighting.evidence, "details": sighting.details, "quality_ok": sighting.is_supported(),
                "lacks": sighting.lacks.map(|lack| lack.get())})
        })
        .collect();
    let Observed { sessions, shallow, missing, waiting, calls, failures, landed, known, refused, warnings, .. } = observed;
    json!({"sessions": sessions, "shallow": shallow, "missing": missing, "waiting": waiting, "calls": calls, "failures": failures,
        "landed": landed, "known": known, "refused": refused, "warnings": warnings, "observations": seen})
}
