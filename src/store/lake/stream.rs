//! Which inbox file is which stream of the checkpoint: files get renamed, truncated, copied and replaced.

use std::fs::File;

use super::checkpoint::{Checkpoint, Counts, Stream};
use crate::inbox::{Source, fingerprint};

/// How many bytes at the start of a file tell it from others.
const HEAD_BYTES: u64 = 256;

/// Something that happened to an inbox file since it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The file goes on under another name.
    Renamed {
        /// Its earlier name.
        from: String,
        /// Its name.
        to: String,
    },
    /// The file holds other bytes than those that were read: it was truncated or replaced, and is read from its start.
    Replaced {
        /// Its name.
        file: String,
        /// How many bytes of the earlier content were taken.
        taken: u64,
    },
}

/// Finds the stream of each source, adding streams for what is not known. Gives the index of each source's stream.
pub fn resolve(checkpoint: &mut Checkpoint, sources: &[Source]) -> (Vec<usize>, Vec<Notice>) {
    let known = checkpoint.streams.len();
    let mut claimed = vec![false; known];
    let mut assigned: Vec<Option<usize>> = vec![None; sources.len()];
    // The surest evidence first: content and inode, then content and name, then content alone (a copy made by rotation).
    let evidence: [fn(&Stream, &Source) -> bool; 3] =
        [|stream, source| stream.inode == source.inode, |stream, source| stream.file == source.name, |_, _| true];
    for is_likely in evidence {
        for (source, slot) in sources.iter().zip(&mut assigned).filter(|(_, slot)| slot.is_none()) {
            let found = (0..known).find(|&index| {
                let stream = &checkpoint.streams[index];
                !claimed[index] && is_likely(stream, source) && continues(stream, source)
            });
            if let Some(index) = found {
                claimed[index] = true;
                *slot = Some(index);
            }
        }
    }
    let mut notices = Vec::new();
    let indexes = sources.iter().zip(assigned).map(|(source, slot)| {
        if let Some(index) = slot {
            notices.extend(adopt(&mut checkpoint.streams[index], source));
            index
        } else {
            notices.extend(replaced(&checkpoint.streams[..known], &claimed, source));
            checkpoint.streams.push(beginning(source));
            checkpoint.streams.len() - 1
        }
    });
    (indexes.collect::<Vec<_>>(), notices)
}

impl Stream {
    /// Moves the stream forward to an offset of its file.
    ///
    /// A file that was truncated behind our back has no such place any more. What was read of it still counts; the
    /// fingerprints then match nothing, and the next run takes the file for another one.
    pub fn advance(&mut self, file: &File, offset: u64, counts: Counts) {
        self.head_bytes = offset.min(HEAD_BYTES);
        self.head = fingerprint(file, self.head_bytes).unwrap_or_default();
        self.anchor = fingerprint(file, offset).unwrap_or_default();
        self.offset = offset;
        self.counts += counts;
    }
}

/// Whether the source holds what was read of the stream, and perhaps more. A file that cannot be read does not.
fn continues(stream: &Stream, source: &Source) -> bool {
    source.size >= stream.offset
        && fingerprint(&source.file, stream.head_bytes).is_ok_and(|head| head == stream.head)
        && fingerprint(&source.file, stream.offset).is_ok_and(|anchor| anchor == stream.anchor)
}

fn adopt(stream: &mut Stream, source: &Source) -> Option<Notice> {
    stream.inode = source.inode;
    if stream.file == source.name {
        return None;
    }
    let from = std::mem::replace(&mut stream.file, source.name.clone());
    Some(Notice::Renamed { from, to: source.name.clone() })
}

fn replaced(known: &[Stream], claimed: &[bool], source: &Source) -> Option<Notice> {
    let earlier = known.iter().zip(claimed).find(|(stream, claimed)| !**claimed && stream.file == source.name)?;
    Some(Notice::Replaced { file: source.name.clone(), taken: earlier.0.offset })
}

fn beginning(source: &Source) -> Stream {
    Stream {
        file: source.name.clone(),
        inode: source.inode,
        offset: 0,
        head_bytes: 0,
        head: 0,
        anchor: 0,
        counts: Counts::default(),
    }
}
