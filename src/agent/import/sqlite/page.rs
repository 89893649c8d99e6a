//! The pages of a database, the newest version of each: as the file holds them, or as the log of changes beside it does.

use std::collections::HashMap;

/// What every database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The bytes of a log's header, and of the header of each page in it.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Why a file cannot be read.
pub(super) type Fault = String;

/// The pages of a database.
#[derive(Debug)]
pub(super) struct Pages {
    file: Vec<u8>,
    log: Vec<u8>,
    /// Where the newest version of a page starts in the log.
    newer: HashMap<u32, usize>,
    pub(super) size: usize,
    /// The bytes of a page that are used.
    pub(super) usable: usize,
}

impl Pages {
    pub(super) fn new(file: Vec<u8>, log: Vec<u8>) -> Result<Self, Fault> {
        if !file.starts_with(MAGIC) || file.len() < 512 {
            return Err("it is no SQLite database".to_owned());
        }
        let size = match number(&file, 16, 2) {
            1 => 65_536,
            size => usize::try_from(size).unwrap_or(0),
        };
        if !(512..=65_536).contains(&size) || !size.is_power_of_two() {
            return Err(format!("its pages have {size} bytes, which none can have"));
        }
        let reserved = usize::from(file[20]);
        let mut pages = Self { newer: HashMap::new(), usable: size - reserved.min(size / 2), size, file, log };
        pages.newer = pages.read_log();
        let first = pages.page(1)?;
        match number(first, 56, 4) {
            0 | 1 => Ok(pages),
            _ => Err("its texts are not UTF-8".to_owned()),
        }
    }

    /// A page; the first is 1.
    pub(super) fn page(&self, place: u32) -> Result<&[u8], Fault> {
        let found = if let Some(start) = self.newer.get(&place) {
            self.log.get(*start..*start + self.size)
        } else {
            let start = (place as usize).checked_sub(1).map(|place| place * self.size);
            start.and_then(|start| self.file.get(start..start + self.size))
        };
        found.ok_or_else(|| format!("its page {place} is missing"))
    }

    /// How many pages there can be at most.
    pub(super) fn count(&self) -> usize {
        self.file.len() / self.size + self.newer.len()
    }

    /// Where the newest version of each page starts in the log. What was written after the last commit does not count, nor does what an
    /// earlier round of the log has left behind.
    fn read_log(&self) -> HashMap<u32, usize> {
        let (mut newer, mut pending) = (HashMap::new(), Vec::new());
        let Some(header) = self.log.get(..LOG_HEADER) else { return newer };
        let is_big = match number(header, 0, 4) {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return newer,
        };
        let mut sum = checksum((0, 0), &header[..24], is_big);
        let is_whole = sum == pair(header, 24) && number(header, 8, 4) == self.size as u64;
        let mut start = LOG_HEADER;
        while let Some(frame) = self.log.get(start..start + FRAME_HEADER + self.size).filter(|_| is_whole) {
            sum = checksum(checksum(sum, &frame[..8], is_big), &frame[FRAME_HEADER..], is_big);
            if frame[8..16] != header[16..24] || sum != pair(frame, 16) {
                break;
            }
            pending.push((u32::try_from(number(frame, 0, 4)).unwrap_or(0), start + FRAME_HEADER));
            if number(frame, 4, 4) > 0 {
                newer.extend(pending.drain(..));
            }
            start += frame.len();
        }
        newer
    }
}

/// A number of some bytes, the highest first. Where bytes are missing it is 0.
pub(super) fn number(bytes: &[u8], start: usize, length: usize) -> u64 {
    let bytes = bytes.get(start..start + length).unwrap_or_default();
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn pair(bytes: &[u8], start: usize) -> (u32, u32) {
    let part = |start| u32::try_from(number(bytes, start, 4)).unwrap_or(0);
    (part(start), part(start + 4))
}

fn checksum(start: (u32, u32), bytes: &[u8], is_big: bool) -> (u32, u32) {
    let word = |word: &[u8]| {
        let bytes = [word[0], word[1], word[2], word[3]];
        if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    bytes.chunks_exact(8).fold(start, |(first, second), words| {
        let first = first.wrapping_add(word(&words[..4])).wrapping_add(second);
        (first, second.wrapping_add(word(&words[4..])).wrapping_add(first))
    })
}
