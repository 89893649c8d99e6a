//! Publishing: a generation of files is staged, synced, audited and swapped in; readers see the old set or the new one.

mod generation;
mod stage;

pub use generation::{
    Generation, Manifest, ManifestFile, check_current, find_current, list_generations, load_current, load_generation,
};
pub use stage::{File, Published, Staged, clear_leftovers, copy_to_targets, retire_generations, stage, swap};
