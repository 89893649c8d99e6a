//! Lays out the vocabularies of tokens so that the program can look a token up without reading all of them first.

#![expect(clippy::print_stdout, reason = "a build script talks to cargo so")]

use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use tiktoken_rs::{CoreBPE, cl100k_base, o200k_base};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=vocabulary.rs");
    let folder = env::var("OUT_DIR")?;
    write(&folder, "cl100k.bin", &layout(&cl100k_base()?, 100_256)?)?;
    write(&folder, "o200k.bin", &layout(&o200k_base()?, 199_998)?)?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "nobody reads the file before the build script has ended")]
fn write(folder: &str, name: &str, table: &[u8]) -> io::Result<()> {
    fs::write(Path::new(folder).join(name), table)
}

/// The tokens by length, those of one length in order, each followed by its rank. In front, for every length from 0 to one more than
/// the longest, where its tokens begin. All numbers have four bytes, the lowest first. `recall/token.rs` reads it.
fn layout(vocabulary: &CoreBPE, size: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    // Special tokens come after a gap, and no text contains them.
    let ordinary = (0..).map_while(|rank| Some((vocabulary.decode_bytes(&[rank]).ok()?, rank)));
    let mut tokens: Vec<(Vec<u8>, u32)> = ordinary.collect();
    if tokens.len() != size {
        return Err(format!("the vocabulary has {} ordinary tokens instead of {size}", tokens.len()).into());
    }
    tokens.sort_unstable_by(|(left, _), (right, _)| left.len().cmp(&right.len()).then_with(|| left.cmp(right)));
    let longest = tokens.last().map_or(0, |(token, _)| token.len());
    let mut table = Vec::new();
    let mut start = 4 * (longest + 2);
    for length in 0..=longest + 1 {
        table.extend(u32::try_from(start)?.to_le_bytes());
        start += (length + 4) * tokens.iter().filter(|(token, _)| token.len() == length).count();
    }
    for (token, rank) in tokens {
        table.extend(token);
        table.extend(rank.to_le_bytes());
    }
    Ok(table)
}
