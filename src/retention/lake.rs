//! Pruning the lake: the applications of old days are replaced by sums, so that no figure changes.

use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, RecordBatch};
use jiff::Timestamp;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::cycle::{CycleOptions, Inquiry, compute_attribution, define_outcome};
use crate::day::Day;
use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::digest::sha256;
use crate::engine::{Horizon, Query, Rows};
use crate::event::Kind;
use crate::lake::{self, Past, PastHolding};
use crate::setting::{Compat, Settings};
use crate::workspace::Workspace;

/// The fewest days that are kept: what is found out about an application may come days after it.
pub const LEAST_DAYS: u32 = 14;

/// What was pruned of the lake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LakePruned {
    /// The first day whose applications are kept, where any day was pruned.
    pub before: Option<String>,
    /// Events that sums took the place of.
    pub events: i64,
    /// Files that were removed.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
}

/// When and how the lake is pruned.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The time that days are counted back from.
    pub now: Timestamp,
    /// By when it must be done.
    pub deadline: Deadline,
    /// Whether nothing is changed.
    pub is_dry: bool,
}

/// Runs something while nobody reads the lake.
pub type Alone<'a> = dyn FnMut(&mut dyn FnMut() -> Outcome<()>) -> Outcome<()> + 'a;

/// Replaces the applications of days before the last `retention.lake_days` by sums. Only the holder of the lock may.
///
/// `without_readers` removes files while nobody reads the lake.
pub fn prune_lake(
    workspace: &Workspace,
    settings: &Settings,
    moment: Moment,
    without_readers: &mut Alone<'_>,
) -> Outcome<LakePruned> {
    let Moment { now, deadline, is_dry } = moment;
    let mut pruned = LakePruned::default();
    let days = settings.retention.lake_days;
    if days == 0 {
        return Ok(pruned);
    }
    check(settings)?;
    let before = Day::of_micros(now.as_microsecond()).earlier_by(i32::try_from(days).unwrap_or(i32::MAX));
    let known = Past::load(workspace)?;
    let gone = old_partitions(workspace, before, known.as_ref())?;
    pruned.events = gone.iter().map(|holding| holding.events).sum();
    if pruned.events > 0 {
        pruned.before = Some(before.to_string());
        if is_dry {
            return Ok(pruned);
        }
        let past = make_past(workspace, settings, before, deadline, known.as_ref(), &gone)?;
        lake::replace_past(workspace, &past.0, &past.1)?;
    }
    if let (Some(past), false) = (Past::load(workspace)?, is_dry) {
        without_readers(&mut || {
            let removed = lake::clear_past(workspace, &past)?;
            (pruned.files, pruned.bytes) = removed;
            Ok(())
        })?;
    }
    Ok(pruned)
}

fn check(settings: &Settings) -> Outcome<()> {
    if settings.retention.lake_days < LEAST_DAYS {
        return Err(Diagnostic::edit(
            format!("the setting `retention.lake_days` is {}", settings.retention.lake_days),
            format!("keep at least {LEAST_DAYS} days, or 0 for all: what is found out about an application may come days later"),
        ));
    }
    if settings.compat == Compat::ClosedLoop {
        return Err(Diagnostic::edit(
            "the original's way of counting adds up single rows, which sums cannot give",
            "set `retention.lake_days` to 0, or `compat` to \"none\"",
        ));
    }
    Ok(())
}

/// What the tables hold of days that are to be pruned and are not yet.
fn old_partitions(workspace: &Workspace, before: Day, known: Option<&Past>) -> Outcome<Vec<PastHolding>> {
    let mut holdings = Vec::new();
    let partitions = lake::list_partitions(workspace)?;
    for &kind in Kind::ALL {
        let Some(first) = lake::first_kept(kind, before) else { continue };
        let already = known.and_then(|past| past.first_kept(kind));
        let is_old = |day: Day| day < first && already.is_none_or(|already| day >= already);
        let files: Vec<_> = partitions
            .iter()
            .filter(|found| found.partition.kind == kind && is_old(found.partition.day))
            .flat_map(|found| found.files.iter().cloned())
            .collect();
        if !files.is_empty() {
            let extent = lake::load_extent(kind, &files)?;
            holdings.push(PastHolding {
                kind: kind.name().to_owned(),
                events: extent.rows,
                earliest_micros: extent.earliest_micros,
                latest_micros: extent.latest_micros,
                last_sequence: extent.last_sequence,
            });
        }
    }
    Ok(holdings)
}

type Sums = (Past, Vec<(&'static str, Vec<u8>)>);

/// Works out the sums of all days before `before`.
fn make_past(
    workspace: &Workspace,
    settings: &Settings,
    before: Day,
    deadline: Deadline,
    known: Option<&Past>,
    gone: &[PastHolding],
) -> Outcome<Sums> {
    let horizon = Horizon::EVERYTHING;
    let inquiry = Inquiry::open(workspace, horizon, deadline)?;
    compute_attribution(&inquiry, CycleOptions { settings, horizon, deadline })?;
    define_outcome(&inquiry, settings)?;
    inquiry.session.load_table("pruning", "before date", &[pruning(before)?])?;
    let mut files = Vec::new();
    for (name, query) in [("application", Query::PastApplication), ("iteration", Query::PastIteration), ("use", Query::PastUse)] {
        files.push((name, encode(&inquiry.run(query)?)?));
    }
    let content: Vec<u8> = files.iter().flat_map(|(_, content)| content.iter().copied()).collect();
    let mut holdings = known.map(|past| past.holdings.clone()).unwrap_or_default();
    for one in gone {
        match holdings.iter_mut().find(|holding| holding.kind == one.kind) {
            Some(holding) => holding.add(one),
            None => holdings.push(one.clone()),
        }
    }
    let last_sequence = holdings.iter().map(|holding| holding.last_sequence).max().unwrap_or(0);
    let folder = format!("{before}-{}", &sha256(&content)[..12]);
    Ok((Past { before: before.to_string(), last_sequence, folder, holdings }, files))
}

fn pruning(before: Day) -> Outcome<RecordBatch> {
    let column: ArrayRef = Arc::new(Date32Array::from(vec![before.number()]));
    RecordBatch::try_from_iter([("before", column)])
        .map_err(|error| Diagnostic::bug(format!("a day does not fit its table: {error}")))
}

fn encode(rows: &Rows) -> Outcome<Vec<u8>> {
    let written = || -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&rows.schema), Some(properties))?;
        for batch in &rows.batches {
            writer.write(batch)?;
        }
        writer.into_inner()
    };
    written().map_err(|error| Diagnostic::bug(format!("the sums cannot be written as Parquet: {error}")))
}
