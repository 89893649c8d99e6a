//! Compacting: from the checkpoint to the last complete line of every inbox file, batch by batch, exactly once.
//!
//! One thread reads ahead; one parses, judges and gathers rows; one encodes, syncs and commits. A batch counts when its
//! checkpoint is renamed; the order of commits is the order of batches.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use arrow::array::RecordBatch;

use super::batch::{Batch, Known, Moment, Position, Sealed};
use super::checkpoint::{Checkpoint, Counts, Publishing, Stream};
use super::commit::{commit, recover};
use super::derive::derive_checkpoint;
use super::feed::{Fed, Feed};
use super::ledger::{Ledger, Verdict};
use super::partition::Partition;
use super::past::Past;
use super::quarantine;
use super::seen::Seen;
use super::stage::Stage;
use super::stream::{Notice, resolve};
use crate::clock;
use crate::inbox::{Line, Problem, Source, Survey, survey};
use crate::workspace::Workspace;
use event::Latest;
use setting::RunSettings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// What became of the lines.
    pub counts: Counts,
    /// Bytes of the inbox that were taken.
    pub bytes: u64,
    /// Batches that were committed.
    pub batches: u64,
    /// What happened to inbox files since the last time.
    pub notices: Vec<Notice>,
    /// Inbox files that could not be read.
    pub problems: Vec<Problem>,
    /// Streams that are read again because a staged file of theirs was lost.
    pub rewound: Vec<Stream>,
}

/// What bounds the memory of a compaction, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How much of the inbox one batch takes.
    pub batch_bytes: u64,
    /// How many ids of the lake are held, to recognise redeliveries without reading files again.
    pub held_ids: usize,
    /// What is asked of runs.
    pub rules: RunSettings,
}

/// How far a compaction is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Bytes taken so far.
    pub done_bytes: u64,
    /// Bytes to take in all.
    pub all_bytes: u64,
}

/// Takes every complete line of the inbox into the lake or into quarantine. The caller holds the workspace's lock.
///
/// Rows are encoded as they come: what is held of a batch is its encoded pages and the rows that are too few to be encoded
/// yet.
pub fn compact(workspace: &Workspace, limits: Limits, mut report: impl FnMut(Progress) -> Outcome<()>) -> Outcome<Compaction> {
    let loaded = Checkpoint::load(workspace)?;
    let is_derived = loaded.is_none();
    let mut checkpoint = loaded.map_or_else(|| derive_checkpoint(workspace), Ok)?;
    let rewound = recover(workspace, &mut checkpoint)?;
    // Where the inbox is read again, events are recognised by their ids, and quarantined lines by their place and text.
    let known_quarantine = if is_derived || !rewound.is_empty() { quarantine::load_marks(workspace)? } else { HashSet::new() };
    let Survey { sources, problems } = survey(&workspace.inbox())?;
    let (streams, notices) = resolve(&mut checkpoint, &sources);
    let mut result = Compaction { notices, problems, rewound, ..Compaction::default() };
    thread::scope(|scope| {
        let writer = Writer::start(scope, workspace, checkpoint.next_batch)?;
        let runs_before = checkpoint.last_run_batch;
        let mut run = Run {
            workspace,
            sources: &sources,
            streams: &streams,
            known: Known { ledger: Ledger::new(limits.held_ids), seen: Seen::open(workspace, checkpoint.last_run_batch)? },
            checkpoint,
            batch_bytes: limits.batch_bytes,
            rules: limits.rules,
            known_quarantine: Arc::new(known_quarantine),
            past: Past::load(workspace)?.map(Arc::new),
            is_rereading: is_derived,
            writer,
        };
        let offsets = (0..sources.len()).map(|source| run.stream(source).offset).collect();
        let feed = Feed::start(scope, &sources, offsets, limits.batch_bytes)?;
        run.all(&feed, &mut result, &mut report)?;
        run.writer.finish()?;
        if run.checkpoint.last_run_batch != runs_before {
            run.known.seen.save(run.checkpoint.last_run_batch)?;
        }
        // Everything is in place: from here on nobody must look for the last batch's files under their names.
        if result.batches > 0 { run.checkpoint.save(workspace) } else { Ok(()) }
    })?;
    Ok(result)
}

/// One run of the reading side.
struct Run<'r, 'scope> {
    workspace: &'r Workspace,
    sources: &'r [Source],
    streams: &'r [usize],
    checkpoint: Checkpoint,
    known: Known,
    batch_bytes: u64,
    rules: RunSettings,
    known_quarantine: Arc<HashSet<u64>>,
    /// Days that were pruned.
    past: Option<Arc<Past>>,
    is_rereading: bool,
    writer: Writer<'scope>,
}

/// A batch in the making, and how far it has come in each source.
struct Gathering<'w> {
    batch: Batch<'w>,
    taken: Vec<Taken>,
    bytes: u64,
}

/// What was read of a source since the last batch was sealed.
#[derive(Debug, Clone, Copy)]
struct Taken {
    source: usize,
    offset: u64,
    counts: Counts,
}

impl<'r> Run<'r, '_> {
    fn all(&mut self, feed: &Feed, result: &mut Compaction, report: &mut impl FnMut(Progress) -> Outcome<()>) -> Outcome<()> {
        let all_bytes =
            (0..self.sources.len()).map(|source| self.sources[source].size.saturating_sub(self.stream(source).offset)).sum();
        let mut gathering = self.gather();
        while let Some(fed) = feed.next()? {
            let position = self.position(&gathering, fed.source);
            let counts = take_block(&mut gathering.batch, &fed, position, &mut self.known)?;
            let bytes = fed.block.length();
            gathering.add(fed.source, fed.block.offset + bytes, counts, bytes);
            result.bytes += bytes;
            feed.recycle(fed.block);
            gathering.batch.full_chunks(|partition, rows| self.writer.send(Work::Rows(partition, rows)))?;
            if gathering.bytes >= self.batch_bytes {
                self.send(gathering, result)?;
                gathering = self.gather();
                report(Progress { done_bytes: result.bytes, all_bytes })?;
            }
        }
        if !gathering.taken.is_empty() {
            self.send(gathering, result)?;
        }
        report(Progress { done_bytes: result.bytes, all_bytes })?;
        Ok(())
    }

    /// Where the next line of a source stands: behind those of earlier batches and those of this one.
    fn position(&self, gathering: &Gathering<'_>, source: usize) -> Position<'r> {
        let gathered = gathering.taken.last().filter(|last| last.source == source).map_or(0, |last| last.counts.lines);
        Position { source, file: &self.sources[source].name, line: self.stream(source).counts.lines + gathered }
    }

    fn stream(&self, source: usize) -> &Stream {
        &self.checkpoint.streams[self.streams[source]]
    }

    fn gather(&self) -> Gathering<'r> {
        let now = clock::now();
        let past = self.past.clone();
        let moment = Moment {
            latest: Latest::from_clock(now.as_microsecond()),
            rules: self.rules,
            written: now.to_string(),
            past,
            is_rereading: self.is_rereading,
        };
        let batch = Batch::new(self.workspace, moment, self.checkpoint.next_sequence, Arc::clone(&self.known_quarantine));
        Gathering { batch, taken: Vec::new(), bytes: 0 }
    }

    /// Seals a batch and hands it to the writer together with the checkpoint that will make it count.
    fn send(&mut self, gathering: Gathering<'r>, result: &mut Compaction) -> Outcome<()> {
        let Gathering { batch, mut taken, .. } = gathering;
        if batch.asks_files() {
            self.writer.wait()?;
        }
        let sealed = batch.seal(&mut self.known.ledger, self.sources, |source, verdict| correct(&mut taken, source, verdict))?;
        let before = self.advance(&taken);
        for one in &taken {
            result.counts += one.counts;
        }
        result.batches += 1;
        self.checkpoint.next_sequence = sealed.next_sequence;
        let number = self.checkpoint.next_batch;
        self.checkpoint.next_batch += 1;
        if sealed.has_runs {
            self.checkpoint.last_run_batch = number;
        }
        self.writer.send(Work::Seal(Box::new(Job { number, sealed, checkpoint: self.checkpoint.clone(), before })))
    }

    /// Moves the streams forward. Gives them as they were before.
    fn advance(&mut self, taken: &[Taken]) -> Vec<Stream> {
        let mut before: Vec<Stream> = Vec::with_capacity(taken.len());
        for one in taken {
            let stream = &mut self.checkpoint.streams[self.streams[one.source]];
            before.push(stream.clone());
            stream.advance(&self.sources[one.source].file, one.offset, one.counts);
        }
        before
    }
}

impl Gathering<'_> {
    fn add(&mut self, source: usize, offset: u64, counts: Counts, bytes: u64) {
        self.bytes += bytes;
        match self.taken.last_mut() {
            Some(last) if last.source == source => {
                last.offset = offset;
                last.counts += counts;
            }
            _ => self.taken.push(Taken { source, offset, counts }),
        }
    }
}

/// Moves a line from the taken ones to where the ledger says that it belongs.
fn correct(taken: &mut [Taken], source: usize, verdict: Verdict) {
    let Some(one) = taken.iter_mut().find(|one| one.source == source) else { return };
    one.counts.taken -= 1;
    match verdict {
        Verdict::Duplicate => one.counts.duplicates += 1,
        Verdict::Conflict => one.counts.quarantined += 1,
        Verdict::New => one.counts.taken += 1,
    }
}

/// Takes the lines of a block. `position.line` is the number of lines before it.
fn take_block(batch: &mut Batch<'_>, fed: &Fed, mut position: Position<'_>, known: &mut Known) -> Outcome<Counts> {
    let mut counts = Counts::default();
    if let Some(length) = fed.block.oversized {
        position.line += 1;
        let line = Line { bytes: fed.block.bytes(), text: None, offset: fed.block.offset, length };
        return batch.take(line, position, true, known);
    }
    let mut suspects = fed.suspects.iter().map(|&at| fed.block.offset + at as u64).peekable();
    for line in fed.block.lines() {
        position.line += 1;
        let is_suspect = suspects.next_if(|at| *at < line.offset + line.length).is_some();
        counts += batch.take(line, position, is_suspect, known)?;
    }
    Ok(counts)
}

/// What the writing side gets, in order: rows of a batch, then its end.
enum Work {
    Rows(Partition, RecordBatch),
    Seal(Box<Job>),
}

/// A sealed batch, and the checkpoint that makes it count.
struct Job {
    number: u64,
    sealed: Sealed,
    checkpoint: Checkpoint,
    before: Vec<Stream>,
}

/// How many pieces of work may wait: reading goes on while a batch is synced, in bounded memory.
const WAITING_WORK: usize = 8;

/// The writing side: a thread that encodes, syncs and commits while the reading side reads on.
struct Writer<'scope> {
    work: Option<SyncSender<Work>>,
    committed: Receiver<()>,
    /// Batches that were sent and are not known to be committed.
    under_way: usize,
    thread: Option<ScopedJoinHandle<'scope, Outcome<()>>>,
}

impl<'scope> Writer<'scope> {
    fn start<'env>(scope: &'scope thread::Scope<'scope, 'env>, workspace: &'env Workspace, first_batch: u64) -> Outcome<Self> {
        let (work, inbox) = sync_channel::<Work>(WAITING_WORK);
        let (report, committed) = channel();
        let body = move || write_all(workspace, first_batch, inbox, &report);
        let thread = thread::Builder::new().name("writer".to_owned()).spawn_scoped(scope, body).map_err(|error| {
            Diagnostic::new(Exit::Machine, "cannot start a thread", "try again when the machine is less busy").because(error)
        })?;
        Ok(Self { work: Some(work), committed, under_way: 0, thread: Some(thread) })
    }

    fn send(&mut self, work: Work) -> Outcome<()> {
        self.under_way += usize::from(matches!(work, Work::Seal(_)));
        let is_sent = self.work.as_ref().is_some_and(|channel| channel.send(work).is_ok());
        if is_sent { Ok(()) } else { self.end() }
    }

    /// Waits until every batch that was sent is committed.
    fn wait(&mut self) -> Outcome<()> {
        while self.under_way > 0 {
            if self.committed.recv().is_err() {
                return self.end();
            }
            self.under_way -= 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Outcome<()> {
        self.work = None;
        self.end()
    }

    /// How the thread ended. Called when it has ended, or is about to.
    fn end(&mut self) -> Outcome<()> {
        match self.thread.take().map(ScopedJoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            _ => Err(Diagnostic::bug("the thread that writes the lake panicked")),
        }
    }
}

/// The body of the writing thread.
fn write_all(workspace: &Workspace, first_batch: u64, inbox: Receiver<Work>, committed: &Sender<()>) -> Outcome<()> {
    let mut stage = Stage::new(workspace, first_batch)?;
    for work in inbox {
        match work {
            Work::Rows(partition, rows) => stage.write(partition, &rows)?,
            Work::Seal(job) => {
                let Job { number, sealed, mut checkpoint, before } = *job;
                let moves = std::mem::replace(&mut stage, Stage::new(workspace, number + 1)?).finish(&sealed)?;
                checkpoint.publishing = Some(Publishing { moves, before });
                commit(workspace, &checkpoint)?;
                // Nobody listens once the reading side has failed; the batch counts all the same.
                let _ = committed.send(());
            }
        }
    }
    Ok(())
}
