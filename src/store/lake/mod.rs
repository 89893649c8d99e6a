//! The lake: events as Parquet, one table per kind, partitioned by day; refused lines go to quarantine.
//!
//! A batch is staged completely, then committed by one rename of the checkpoint, then moved into place. A process killed in between
//! leaves a batch that does not count, or one whose moves the next run finishes.

mod batch;
mod checkpoint;
mod column;
mod commit;
mod compact;
mod derive;
mod extent;
mod feed;
mod inventory;
mod known;
mod ledger;
mod lookup;
mod partition;
mod past;
mod quarantine;
mod rewrite;
mod seen;
mod stage;
mod stream;
mod table;

pub use checkpoint::{Checkpoint, Counts, Stream};
pub use commit::{leftovers, recover};
pub use compact::{Compaction, Limits, Progress, compact};
pub use derive::last_batch_in_lake;
pub use extent::{Extent, load_extent};
pub use inventory::{PartitionFacts, Waiting, inspect_inbox, inspect_lake, set_aside};
pub use known::is_run_known;
pub use lookup::read_texts;
pub use partition::{Partition, PartitionFiles, list_partitions};
pub use past::{Past, PastHolding, clear_past, is_finding, replace_past};
pub(crate) use quarantine::keep_refused;
pub use quarantine::{Place, Quarantined, list_files as list_quarantine};
pub use rewrite::{Policy as RewritePolicy, Rewrite, rewrite};
pub use stream::{Notice, resolve};
pub use table::schema;
