//! The lake: events as Parquet, one table per kind, partitioned by day; refused lines go to quarantine.
//!
//! A batch is staged completely, then committed by one rename of the checkpoint, then moved into place. A process killed in between
//! leaves a batch that does not count, or one whose moves the next run finishes.

mod batch;
mod checkpoint;
mod column;
mod commit;
mod compact;
mod extent;
mod feed;
mod ledger;
mod partition;
mod past;
mod quarantine;
mod rewrite;
mod stream;
mod table;

pub use checkpoint::{Checkpoint, Counts, Stream, last_batch_in_lake};
pub use commit::{leftovers, recover};
pub use compact::{Compaction, Limits, Progress, compact};
pub use extent::{Extent, PartitionFacts, Waiting, inspect_inbox, inspect_lake, load_extent, read_texts, set_aside};
pub use partition::{Partition, PartitionFiles, list_partitions};
pub use past::{Past, PastHolding, clear_past, is_finding, replace_past};
pub use quarantine::{Quarantined, list_files as list_quarantine};
pub use rewrite::{Policy as RewritePolicy, Rewrite, rewrite};
pub use stream::{Notice, resolve};
pub use table::schema;
