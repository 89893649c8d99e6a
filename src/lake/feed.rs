//! Feeding the reading side: one thread reads blocks ahead, some turn them into harvests, and they arrive in order.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

use super::harvest::{Harvest, Harvester, Moment, Standing};
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::event::redact::next_suspect;
use crate::inbox::{Block, LineReader, Source};

/// How many blocks wait between two threads.
const BLOCKS_AHEAD: usize = 4;
/// How many threads parse. The one that writes and the one that reads want some of the machine too.
const MOST_PARSERS: usize = 3;

/// Where the reading of a source starts.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// The byte.
    pub offset: u64,
    /// The lines before it.
    pub lines: u64,
}

/// What a block of one of the sources yielded.
pub struct Fed {
    /// The index of the source among those of this run.
    pub source: usize,
    /// Where the block ends in its file.
    pub end: u64,
    /// How many bytes of the file it covers.
    pub bytes: u64,
    /// The landing number behind its last line.
    pub next_sequence: i64,
    /// What it yielded.
    pub harvest: Harvest,
}

/// The harvests of all sources, in the order of their lines.
pub struct Feed {
    harvests: Receiver<(u64, Outcome<Fed>)>,
    /// Those that came before their turn.
    early: BTreeMap<u64, Outcome<Fed>>,
    next: u64,
}

/// A block on its way to a parser.
struct Raw {
    number: u64,
    source: usize,
    lines_before: u64,
    first_sequence: i64,
    lines: u64,
    block: Block,
    suspects: Vec<usize>,
}

impl Feed {
    /// Starts reading each source from its start.
    pub fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        sources: &'env [Source],
        starts: Vec<Start>,
        most_bytes: u64,
        first_sequence: i64,
        moment: &Moment,
    ) -> Outcome<Self> {
        let (raw, raws) = sync_channel::<Outcome<Raw>>(BLOCKS_AHEAD);
        let (out, harvests) = sync_channel(BLOCKS_AHEAD);
        let (spent, recycled) = channel();
        // An error of the body means that nobody listens any more.
        spawn(scope, "reader", move || {
            let _ = read_all(sources, &starts, most_bytes, first_sequence, &raw, &recycled);
        })?;
        let raws = Arc::new(Mutex::new(raws));
        let parsers = thread::available_parallelism().map_or(1, usize::from).min(MOST_PARSERS);
        for _ in 0..parsers {
            let (raws, out, spent, moment) = (Arc::clone(&raws), out.clone(), spent.clone(), moment.clone());
            spawn(scope, "parser", move || {
                let _ = parse_all(sources, moment, &raws, &out, &spent);
            })?;
        }
        Ok(Self { harvests, early: BTreeMap::new(), next: 0 })
    }

    /// The next harvest. None behind the last one.
    pub fn next(&mut self) -> Outcome<Option<Fed>> {
        loop {
            if let Some(fed) = self.early.remove(&self.next) {
                self.next += 1;
                return fed.map(Some);
            }
            match self.harvests.recv() {
                Ok((number, fed)) => drop(self.early.insert(number, fed)),
                // Every thread has ended: well, with an error behind all blocks, or in the middle of one.
                Err(_) => match self.early.pop_last() {
                    None => return Ok(None),
                    Some((_, Err(failed))) => return Err(failed),
                    Some((_, Ok(_))) => return Err(Diagnostic::bug("a thread that parses panicked")),
                },
            }
        }
    }
}

fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, name: &str, body: impl FnOnce() + Send + 'scope) -> Outcome<()> {
    thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, body).map(drop).map_err(|error| {
        Diagnostic::new(Exit::Machine, "cannot start a thread", "try again when the machine is less busy").because(error)
    })
}

/// Says in its error that the other side has gone.
fn read_all(
    sources: &[Source],
    starts: &[Start],
    most_bytes: u64,
    mut first_sequence: i64,
    out: &SyncSender<Outcome<Raw>>,
    recycled: &Receiver<Vec<u8>>,
) -> Result<(), ()> {
    let mut number = 0;
    for (index, (source, start)) in sources.iter().zip(starts).enumerate() {
        let mut lines_before = start.lines;
        let mut reader = LineReader::new(&source.file, start.offset, source.size, most_bytes);
        loop {
            let block = match reader.next_block(recycled.try_recv().unwrap_or_default()) {
                Ok(Some(block)) => block,
                Ok(None) => break,
                Err(error) => {
                    return out.send(Err(Diagnostic::io("cannot read the inbox file", &source.path, &error))).map_err(drop);
                }
            };
            let lines = if block.oversized.is_some() { 1 } else { memchr::memchr_iter(b'\n', block.bytes()).count() as u64 };
            let suspects = find_suspects(block.bytes());
            out.send(Ok(Raw { number, source: index, lines_before, first_sequence, lines, block, suspects })).map_err(drop)?;
            number += 1;
            lines_before += lines;
            first_sequence += lines.cast_signed();
        }
    }
    Ok(())
}

/// Says in its error that the other side has gone.
fn parse_all(
    sources: &[Source],
    moment: Moment,
    raws: &Mutex<Receiver<Outcome<Raw>>>,
    out: &SyncSender<(u64, Outcome<Fed>)>,
    spent: &Sender<Vec<u8>>,
) -> Result<(), ()> {
    let mut harvester = Harvester::new(moment);
    loop {
        let received = raws.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let raw = match received {
            Err(_) => return Ok(()),
            // Behind every block: nothing comes after it.
            Ok(Err(failed)) => return out.send((u64::MAX, Err(failed))).map_err(drop),
            Ok(Ok(raw)) => raw,
        };
        let Raw { number, source, lines_before, first_sequence, lines, block, suspects } = raw;
        let standing = Standing { file: &sources[source].name, lines_before, first_sequence };
        let fed = harvester.harvest(&block, &suspects, standing).map(|harvest| Fed {
            source,
            end: block.offset + block.length(),
            bytes: block.length(),
            next_sequence: first_sequence + lines.cast_signed(),
            harvest,
        });
        out.send((number, fed)).map_err(drop)?;
        // The reader may have ended already.
        let _ = spent.send(block.into_memory());
    }
}

/// One search over the block instead of one for each line: most blocks hold nothing that could be a secret.
fn find_suspects(bytes: &[u8]) -> Vec<usize> {
    let mut suspects = Vec::new();
    let mut from = 0;
    while let Some(at) = next_suspect(bytes, from) {
        suspects.push(at);
        let Some(end) = memchr::memchr(b'\n', &bytes[at..]) else { break };
        from = at + end;
    }
    suspects
}
