//! What the applications of an iteration that have landed claim.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::citation::Claim;
use super::turn::Turn;
use event::redact::redact;
use event::{Application, Body, Latest, Parser};
use learn::citation::parse_citations;
use text::diagnostic::{Diagnostic, Outcome};
use text::limit;

/// The claims of applications of this run and, if the turn has one, this iteration in the inbox: those that an agent says it
/// used, with the places it cites.
///
/// An iteration's events land while it runs, so files that were last written days ago are passed over.
pub fn claims_of_inbox(inbox: &Path, turn: &Turn) -> Outcome<Vec<Claim>> {
    let mut claims = Vec::new();
    for path in recent_files(inbox, turn)? {
        let failed = |error: &io::Error| Diagnostic::io("cannot read the inbox", &path, error);
        let file = File::open(&path).map_err(|error| failed(&error))?;
        read_claims(BufReader::with_capacity(1 << 20, file), turn, &mut claims).map_err(|error| failed(&error))?;
    }
    Ok(claims)
}

fn read_claims(mut input: impl io::BufRead, turn: &Turn, claims: &mut Vec<Claim>) -> io::Result<()> {
    let mut parser = Parser::new(Latest::from_clock(turn.time.as_microsecond()));
    // Almost every line belongs to another run: looking for the name is far cheaper than parsing.
    let name = memmem::Finder::new(turn.run_id.as_bytes());
    let mut line = Vec::new();
    loop {
        line.clear();
        // A line of any length costs no more memory than the longest that is taken.
        if input.by_ref().take(limit::LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() > limit::LINE_BYTES && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            continue;
        }
        if name.find(&line).is_none() {
            continue;
        }
        let Ok(text) = std::str::from_utf8(line.trim_ascii()) else { continue };
        // The id of an event without one follows from its text after redaction, as the lake keeps it.
        let redacted = redact(text);
        if let Ok(event) = parser.parse(&redacted.text)
            && event.project == turn.project
            && let Body::Application(application) = &event.body
        {
            claims.extend(claim_of(application, &event.id, turn));
        }
    }
}

fn claim_of(application: &Application<'_>, id: &str, turn: &Turn) -> Option<Claim> {
    let iteration = application.iteration.map(|iteration| iteration.get());
    let is_of_turn = application.run_id.get() == turn.run_id && (turn.iteration.is_none() || iteration == turn.iteration);
    let is_meant = is_of_turn && application.status.get() == "applied";
    let cited = application.citations.as_ref().filter(|_| is_meant)?;
    let places: Vec<_> = cited.iter().flat_map(|text| parse_citations(&text)).collect();
    (!places.is_empty()).then(|| Claim {
        application_id: Some(id.to_owned()),
        pattern_id: application.pattern_id.as_ref().map(|id| id.get().to_owned()),
        trigger: application.trigger.as_ref().map(|text| text.get().to_owned()),
        agent: application.agent.as_ref().map(|agent| agent.get().to_owned()),
        places,
    })
}

/// The inbox files that were written to within the last days.
fn recent_files(inbox: &Path, turn: &Turn) -> Outcome<Vec<PathBuf>> {
    const SECONDS: i64 = 3 * 86_400;
    let entries = match fs::read_dir(inbox) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Diagnostic::io("cannot list the inbox", inbox, &error))?,
    };
    let is_recent = |path: &PathBuf| {
        let modified = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).and_then(|metadata| metadata.modified().ok());
        let modified = modified.and_then(|time| jiff::Timestamp::try_from(time).ok());
        modified.is_some_and(|time| turn.time.as_second() - time.as_second() < SECONDS)
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl") && is_recent(path))
        .collect();
    paths.sort_unstable();
    Ok(paths)
}
