//! The files in the inbox: which ones are read, and how one is recognised after it was renamed, truncated or replaced.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// How many bytes tell one file from another: at its start, and before the place where reading stopped.
const PRINT_BYTES: u64 = 256;

/// A file in the inbox.
#[derive(Debug)]
pub struct Source {
    pub name: String,
    pub path: PathBuf,
    /// The file, open for reading.
    pub file: File,
    /// Its number on the file system.
    pub inode: u64,
    pub size: u64,
}

/// Something in the inbox that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem(pub Diagnostic);

/// What stands in the inbox.
#[derive(Debug, Default)]
pub struct Survey {
    /// The files that can be read, by name.
    pub sources: Vec<Source>,
    /// What cannot be read, and why.
    pub problems: Vec<Problem>,
}

/// Looks through the inbox. What cannot be read is a problem of its own and does not keep the rest from being read.
pub fn survey(inbox: &Path) -> Outcome<Survey> {
    let mut survey = Survey::default();
    for path in list(inbox)? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
            let remedy = "rename the file to plain Unicode";
            survey.problems.push(Problem(Diagnostic::edit("the name of an inbox file is not Unicode", remedy).at(&path)));
            continue;
        };
        match classify(&name) {
            Class::Lines => match open(&path, name) {
                Ok(source) => survey.sources.push(source),
                // The file was rotated away between the listing and the opening.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => survey.problems.push(Problem(unreadable(&path, &error))),
            },
            Class::Packed => {
                let remedy = "decompress it, or move it away if its lines were ingested before it was compressed";
                survey.problems.push(Problem(Diagnostic::edit("a compressed file in the inbox is not read", remedy).at(&path)));
            }
            Class::Other => {}
        }
    }
    survey.sources.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(survey)
}

/// What identifies a part of a file: a hash of up to 256 bytes that end at `end`.
pub fn fingerprint(file: &File, end: u64) -> io::Result<u64> {
    let length = end.min(PRINT_BYTES);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, end - length)?;
    Ok(xxh3_64(&bytes))
}

fn list(inbox: &Path) -> Outcome<Vec<PathBuf>> {
    let failed = |error: io::Error| Diagnostic::io("cannot list the inbox", inbox, &error);
    fs::read_dir(inbox).map_err(failed)?.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
}

enum Class {
    Lines,
    Packed,
    Other,
}

/// `x.jsonl`, and what rotation makes of it: `x.jsonl.1`, `x.jsonl-20260101`.
fn classify(name: &str) -> Class {
    let Some((_, tail)) = name.rsplit_once(".jsonl") else {
        return Class::Other;
    };
    let digits = tail.strip_prefix(['.', '-']).unwrap_or("");
    match tail {
        "" => Class::Lines,
        _ if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => Class::Lines,
        _ if [".gz", ".zst", ".xz", ".bz2"].iter().any(|packed| tail.ends_with(packed)) => Class::Packed,
        _ => Class::Other,
    }
}

fn open(path: &Path, name: String) -> io::Result<Source> {
    let file = durable::open_regular(path)?;
    let metadata = file.metadata()?;
    Ok(Source { name, path: path.to_path_buf(), inode: metadata.ino(), size: metadata.len(), file })
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let mut diagnostic = Diagnostic::io("cannot read the inbox file", path, error);
    if path.is_symlink() {
        diagnostic.exit = text::diagnostic::Exit::Edit;
        diagnostic.cause = Some("it is a symbolic link".to_owned());
        diagnostic.remedy = String::from("put the file itself into the inbox: a link could lead the reader anywhere");
    }
    diagnostic
}
