//! Whether a quotation stands where it is said to stand.

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path};

use store::durable;
use text::review::Quotation;

/// The most bytes of a file that is looked into.
const MOST_BYTES: u64 = 8 << 20;

/// Whether a quotation stands in a file of a repository, at its line or near it. A path that leads out of the repository is none.
#[must_use]
pub fn stands_in_repository(quotation: &Quotation, top: &Path) -> bool {
    let path = Path::new(&quotation.path);
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return false;
    }
    let whole = top.join(path);
    let is_inside = fs::canonicalize(&whole).is_ok_and(|whole| fs::canonicalize(top).is_ok_and(|top| whole.starts_with(top)));
    if !is_inside {
        return false;
    }
    let mut bytes = Vec::new();
    let read = durable::open_regular(&whole).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    read.is_ok() && quotation.stands_in(&String::from_utf8_lossy(&bytes))
}
