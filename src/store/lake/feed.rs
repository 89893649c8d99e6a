//! Feeding the reading side: a thread that reads blocks ahead, checks that they are text, and looks for suspects.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::inbox::{Block, LineReader, Source};
use event::redact::next_suspect;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How many blocks are read ahead.
const BLOCKS_AHEAD: usize = 4;

/// A block of one of the sources.
pub(super) struct Fed {
    /// The index of the source among those of this run.
    pub source: usize,
    /// The lines.
    pub block: Block,
    /// Where secrets may stand in the block, in order: one place for each line that may hold one.
    pub suspects: Vec<usize>,
}

/// The blocks of all sources, in order.
pub(super) struct Feed {
    blocks: Receiver<Outcome<Fed>>,
    spent: Sender<Vec<u8>>,
}

impl Feed {
    /// Starts reading each source from its offset.
    pub(super) fn start<'scope, 'env>(
        scope: &'scope thread::Scope<'scope, 'env>,
        sources: &'env [Source],
        offsets: Vec<u64>,
        most_bytes: u64,
    ) -> Outcome<Self> {
        let (out, blocks) = sync_channel(BLOCKS_AHEAD);
        let (spent, recycled) = channel();
        let body = move || {
            // An error here means that nobody listens any more.
            let _ = read_all(sources, &offsets, most_bytes, &out, &recycled);
        };
        thread::Builder::new().name("reader".to_owned()).spawn_scoped(scope, body).map_err(|error| {
            Diagnostic::new(Exit::Machine, "cannot start a thread", "try again when the machine is less busy").because(error)
        })?;
        Ok(Self { blocks, spent })
    }

    /// The next block. None behind the last one.
    pub(super) fn next(&self) -> Outcome<Option<Fed>> {
        self.blocks.recv().ok().transpose()
    }

    /// Gives the memory of a block back.
    pub(super) fn recycle(&self, block: Block) {
        // The reader may have ended already.
        let _ = self.spent.send(block.into_memory());
    }
}

/// Says in its error that the other side has gone.
fn read_all(
    sources: &[Source],
    offsets: &[u64],
    most_bytes: u64,
    out: &SyncSender<Outcome<Fed>>,
    recycled: &Receiver<Vec<u8>>,
) -> Result<(), ()> {
    for (index, (source, &offset)) in sources.iter().zip(offsets).enumerate() {
        let mut reader = LineReader::new(&source.file, offset, source.size, most_bytes);
        loop {
            let memory = recycled.try_recv().unwrap_or_default();
            match reader.next_block(memory) {
                Ok(None) => break,
                Ok(Some(block)) => {
                    let suspects = find_suspects(block.bytes());
                    out.send(Ok(Fed { source: index, block, suspects })).map_err(drop)?;
                }
                Err(error) => {
                    let failed = Diagnostic::io("cannot read the inbox file", &source.path, &error);
                    return out.send(Err(failed)).map_err(drop);
                }
            }
        }
    }
    Ok(())
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
