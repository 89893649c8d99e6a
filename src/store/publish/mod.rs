//! Publishing: a generation of files is staged, synced, audited and swapped in; readers see the old set or the new one.

mod generation;
mod retention;
mod stage;
mod target;

pub use generation::{
    Generation, Manifest, ManifestFile, check_current, find_current, list_generations, load_current, load_generation,
};
pub use retention::{clear_leftovers, retire_generations};
pub use stage::{File, Published, Staged, stage, swap};
pub use target::copy_to_targets;
