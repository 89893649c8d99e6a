//! The lake: events as Parquet, one table a kind, partitioned by day; and what could not be taken, in quarantine.
//!
//! A batch is staged whole, then committed by one rename of the checkpoint, then moved into place. Whoever dies in between
//! leaves a batch that never happened, or one that the next run finishes moving.

mod batch;
mod checkpoint;
mod column;
mod commit;
mod compact;
mod derive;
mod extent;
mod feed;
mod inventory;
mod ledger;
mod lookup;
mod partition;
mod past;
mod quarantine;
mod rewrite;
mod stage;
mod stream;
mod table;

pub use checkpoint::{Checkpoint, Counts, Stream};
pub use commit::{leftovers, recover};
pub use compact::{Compaction, Limits, Progress, compact};
pub use derive::last_batch_in_lake;
pub use extent::{Extent, load_extent};
pub use inventory::{PartitionFacts, Waiting, inspect_inbox, inspect_lake, set_aside};
pub use lookup::read_texts;
pub use partition::{Partition, PartitionFiles, list_partitions};
pub use past::{Past, PastHolding, clear_past, is_finding, replace_past};
pub use quarantine::{Quarantined, list_files as list_quarantine};
pub use rewrite::{Policy as RewritePolicy, Rewrite, rewrite};
pub use stream::{Notice, resolve};
pub use table::schema;
