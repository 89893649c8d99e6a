//! The lines of a file one by one, in memory that does not grow with it.

use std::io::{self, BufRead, Read as _};

/// Hands over each line without its end. One that is longer than `most_bytes` is passed over, and None is handed over.
pub(super) fn for_each_line(mut reader: impl BufRead, most_bytes: usize, mut take: impl FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(most_bytes as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') && line.len() > most_bytes {
            reader.skip_until(b'\n')?;
            take(None);
            continue;
        }
        let bare = line.strip_suffix(b"\n").unwrap_or(&line);
        take(Some(bare.strip_suffix(b"\r").unwrap_or(bare)));
    }
}
