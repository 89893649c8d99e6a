//! Whether what agents cite as evidence holds, as events, and what landed applications of an iteration claim.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use memchr::memmem;
use serde_json::json;

use super::change::{Turn, fit_label, identify};
use crate::repository::Repository;
use event::redact::redact;
use event::{Application, Body, Latest, Parser};
use learn::change::Changes;
use learn::citation::{ChangeIndex, Facts, Judgement, Place, judge, parse_citations, parse_evidence};
use text::diagnostic::{Diagnostic, Outcome};
use text::{fit, limit};

/// The fields of a row of `acknowledgments.log`.
const FIELDS: usize = 7;
/// Where the writers of that log cut the evidence.
const EVIDENCE_BYTES: usize = 200;

/// A pattern that an agent says it applied, and the places it gives as evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// The application that the claim belongs to, where it is known.
    pub application_id: Option<String>,
    /// The pattern, where its id is known.
    pub pattern_id: Option<String>,
    /// The text of the pattern, as the agent quoted it.
    pub trigger: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The places.
    pub places: Vec<Place>,
    /// Whether the places were given for several patterns together, so that nobody can tell which place is whose.
    pub is_shared: bool,
}

/// How many places were judged, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// The places that hold.
    pub verified: usize,
    /// The places that do not.
    pub refuted: usize,
    /// The places that turned out to be no citations: single words that name no file.
    pub passed_over: usize,
    /// The places given for several patterns together of which some hold and some do not: whose they are cannot be told.
    pub undecided: usize,
    /// Whether nothing was judged because nothing has changed.
    pub is_unchanged: bool,
}

/// The claims that the rows of `acknowledgments.log` make about this run and, if the turn has one, this iteration.
///
/// What other runs claimed was about other changes. Bytes that are not UTF-8 are replaced row by row. A `|` in the evidence is
/// part of it. Writers of the log cut the evidence at 200 bytes: the last word of one of that length may lack its end and is
/// not read.
pub fn claims_of_log(log: &[u8], turn: &Turn) -> Vec<Claim> {
    let log = log.strip_prefix("\u{feff}".as_bytes()).unwrap_or(log);
    log.split(|byte| matches!(byte, b'\n' | b'\r')).flat_map(|row| claims_of_row(row, turn)).collect()
}

/// The `citation` events of some claims: one for each place of each claim, and how many hold.
///
/// If nothing has changed then nothing is judged, for nothing could hold. The same judgement at the same instant gives the same
/// line; of judgements at different instants the last counts. Places that several patterns share are judged together: where some
/// hold and some do not, nobody can tell whose do not, and nothing is said.
pub fn citation_lines(
    turn: &Turn,
    claims: &[Claim],
    changes: &Changes,
    tolerance: u32,
    repository: &Repository,
) -> Outcome<(Vec<String>, Summary)> {
    let mut summary = Summary { is_unchanged: changes.files.is_empty(), ..Summary::default() };
    let mut lines = Vec::new();
    if summary.is_unchanged {
        return Ok((lines, summary));
    }
    let index = ChangeIndex::new(changes);
    let locate = |path: &str| repository.locate(path);
    let facts = Facts { roots: repository.roots(), prefix: repository.prefix().to_owned(), locate: &locate };
    let mut seen = HashSet::new();
    for claim in claims {
        let places = claim.places.iter().filter(|place| seen.insert((Who::of(claim), *place)));
        let judged: Vec<_> = places.map(|place| (place, judge(place, &index, tolerance, &facts))).collect();
        summary.passed_over += judged.iter().filter(|(_, judgement)| judgement.is_none()).count();
        let judged: Vec<_> = judged.into_iter().filter_map(|(place, judgement)| Some((place, judgement?))).collect();
        let verified = judged.iter().filter(|(_, judgement)| judgement.verified).count();
        if claim.is_shared && verified > 0 && verified < judged.len() {
            summary.undecided += judged.len();
            continue;
        }
        for (place, judgement) in &judged {
            lines.push(citation_line(turn, claim, place, judgement)?);
        }
        summary.verified += verified;
        summary.refuted += judged.len() - verified;
    }
    Ok((lines, summary))
}

/// Whose claim it is: what makes two places one.
#[derive(PartialEq, Eq, Hash)]
struct Who<'a> {
    application_id: Option<&'a str>,
    pattern_id: Option<&'a str>,
    trigger: Option<&'a str>,
    agent: Option<&'a str>,
}

impl<'a> Who<'a> {
    fn of(claim: &'a Claim) -> Self {
        Self {
            application_id: claim.application_id.as_deref(),
            pattern_id: claim.pattern_id.as_deref(),
            trigger: claim.trigger.as_deref(),
            agent: claim.agent.as_deref(),
        }
    }
}

fn citation_line(turn: &Turn, claim: &Claim, place: &Place, judgement: &Judgement) -> Outcome<String> {
    let identity = json!([
        turn.project,
        turn.run_id,
        turn.iteration,
        turn.time.to_string(),
        claim.application_id,
        claim.pattern_id,
        claim.trigger,
        claim.agent,
        place.path,
        place.line,
        judgement.verified,
        judgement.reason,
    ]);
    let event = turn
        .draft("citation")
        .with("id", identify("citation", &identity))
        .with_some("application_id", claim.application_id.as_deref().map(fit_label))
        .with_some("pattern_id", claim.pattern_id.as_deref().and_then(fit::name))
        .with_some("trigger", claim.trigger.as_deref().map(|trigger| fit::cut(trigger, limit::TEXT_BYTES)))
        .with_some("agent", claim.agent.as_deref().and_then(fit::name))
        .with("path", fit_label(&place.path))
        .with("cited_line", place.line)
        .with("verified", judgement.verified)
        .with("reason", &*judgement.reason);
    event.finish().map_err(|reason| Diagnostic::bug("the event of a citation is too large").because(reason))
}

fn claims_of_row(row: &[u8], turn: &Turn) -> Vec<Claim> {
    // Where a row has too many fields nobody can tell whether the summaries or the evidence held the separators. Leaving the
    // surplus with the evidence loses none of its places.
    let fields: Vec<&[u8]> = row.splitn(FIELDS, |byte| *byte == b'|').collect();
    let [_, run_id, iteration, agent, _, summaries, evidence] = *fields else { return Vec::new() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let is_of_turn = text(run_id) == turn.run_id && turn.iteration.is_none_or(|wanted| read_iteration(&text(iteration)) == wanted);
    if !is_of_turn {
        return Vec::new();
    }
    let evidence = if evidence.len() == EVIDENCE_BYTES { without_last_word(evidence) } else { evidence };
    let agent = Some(text(agent)).filter(|agent| !agent.is_empty());
    let claims = parse_evidence(&text(evidence), &text(summaries)).into_iter();
    let claims = claims.map(|claim| Claim {
        trigger: Some(claim.pattern),
        agent: agent.clone(),
        places: claim.places,
        is_shared: claim.is_shared,
        ..Claim::default()
    });
    claims.collect()
}

/// The number of an iteration; what is no number stands for the first one, as in the log's other readers.
fn read_iteration(text: &str) -> i64 {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().unwrap_or(0) } else { 0 }
}

fn without_last_word(evidence: &[u8]) -> &[u8] {
    let end = evidence.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
    &evidence[..end]
}

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
    Ok(tell_apart(claims))
}

/// Marks claims that an agent made at one instant with the same places: `outcomes.log` gives all places of an acknowledgment to
/// each of its patterns.
fn tell_apart(claims: Vec<(i64, Claim)>) -> Vec<Claim> {
    let together = |(micros, claim): &(i64, Claim)| (*micros, claim.agent.clone(), claim.places.clone());
    let mut patterns = HashMap::new();
    for told in &claims {
        let named: &mut HashSet<_> = patterns.entry(together(told)).or_default();
        named.insert((told.1.pattern_id.clone(), told.1.trigger.clone()));
    }
    let mark = |told: (i64, Claim)| {
        let is_shared = told.1.places.len() > 1 && patterns.get(&together(&told)).is_some_and(|named| named.len() > 1);
        Claim { is_shared, ..told.1 }
    };
    claims.into_iter().map(mark).collect()
}

fn read_claims(mut input: impl io::BufRead, turn: &Turn, claims: &mut Vec<(i64, Claim)>) -> io::Result<()> {
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
            claims.extend(claim_of(application, &event.id, turn).map(|claim| (event.time_micros, claim)));
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
        is_shared: false,
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
