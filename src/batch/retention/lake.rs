//! Pruning the lake: the applications of old days are replaced by sums, so that no figure changes.

use std::sync::Arc;

use jiff::Timestamp;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::program;
use engine::cycle::{Aim, CycleOptions, Inquiry};
use engine::{Arguments, Horizon};
use event::Kind;
use event::row::Rows;
use setting::{Compat, Settings};
use store::deadline::Deadline;
use store::lake;
use store::lake::{Partition, PartitionFiles, Past, PastHolding};
use store::workspace::Workspace;
use text::day::Day;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;

/// The fewest days that are kept: what is found out about an application may come days after it.
pub const LEAST_DAYS: u32 = 14;

// Reports tell what changed in the last days from single applications.
const _: () = assert!(LEAST_DAYS as i64 >= learn::HISTORY_DAYS, "pruning would change reports");

/// A finding may have been written down some days before the application that it speaks of, and landed before it.
const EARLY_DAYS: i32 = 7;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LakePruned {
    /// The first day whose applications are kept, where any day was pruned.
    pub before: Option<String>,
    /// Events that sums took the place of.
    pub events: i64,
    pub files: u64,
    pub bytes: u64,
}

/// When and how the lake is pruned.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The time that days are counted back from.
    pub now: Timestamp,
    /// By when it must be done.
    pub deadline: Deadline,
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
    let mut pruned = LakePruned::default();
    if settings.retention.lake_days == 0 {
        return Ok(pruned);
    }
    check(workspace, settings)?;
    if let Some(pruning) = Pruning::open(workspace, settings, moment)? {
        pruned.before = Some(pruning.past.before.clone());
        pruned.events = pruning.gone.iter().map(|holding| holding.events).sum();
        if !moment.is_dry {
            let (past, files) = pruning.finish()?;
            lake::replace_past(workspace, &past, &files)?;
        }
    }
    if let (Some(past), false) = (Past::load(workspace)?, moment.is_dry) {
        without_readers(&mut || {
            (pruned.files, pruned.bytes) = lake::clear_past(workspace, &past)?;
            Ok(())
        })?;
    }
    Ok(pruned)
}

fn check(workspace: &Workspace, settings: &Settings) -> Outcome<()> {
    if settings.retention.lake_days < LEAST_DAYS {
        return Err(Diagnostic::edit(
            format!("the setting `retention.lake_days` is {}", settings.retention.lake_days),
            format!("keep at least {LEAST_DAYS} days, or 0 for all: findings about an application may arrive days later"),
        ));
    }
    if settings.compat == Compat::ClosedLoop {
        return Err(Diagnostic::edit(
            "compat mode needs single rows, which sums cannot provide",
            "set `retention.lake_days` to 0, or `compat` to \"none\"",
        ));
    }
    // A batch that counts already may have to be put into days that would be gone by then.
    if !lake::leftovers(workspace)?.is_empty() {
        return Err(Diagnostic::new(
            Exit::Machine,
            "a run was killed during ingest, so the lake is not pruned",
            "run `outerloop run compact`, which finishes its work, and prune again",
        ));
    }
    Ok(())
}

type Files = Vec<(&'static str, Vec<u8>)>;

/// Days that are about to be pruned.
struct Pruning<'a> {
    inquiry: Inquiry<'a>,
    /// The first day that is kept.
    before: Day,
    /// What will be known of them, but for the name of its folder.
    past: Past,
    /// What the tables hold of days that were not pruned before.
    gone: Vec<PastHolding>,
}

impl<'a> Pruning<'a> {
    /// Finds out which days are pruned. None where there are none.
    fn open(workspace: &Workspace, settings: &'a Settings, moment: Moment) -> Outcome<Option<Self>> {
        let Moment { now, deadline, .. } = moment;
        let days = i32::try_from(settings.retention.lake_days).unwrap_or(i32::MAX);
        let before = Day::of_micros(now.as_microsecond()).earlier_by(days);
        let known = Past::load(workspace)?;
        let partitions = lake::list_partitions(workspace)?;
        let can_go = |found: &PartitionFiles| {
            let Partition { kind, day } = found.partition;
            let already = known.as_ref().and_then(|past| past.first_kept(kind));
            let is_known = already.is_some_and(|already| day < already);
            (kind == Kind::Application || lake::is_finding(kind)) && day < before && !is_known && !found.files.is_empty()
        };
        let partitions: Vec<PartitionFiles> = partitions.into_iter().filter(can_go).collect();
        let is_later = known.as_ref().and_then(|past| past.first_kept(Kind::Application)).is_none_or(|known| known < before);
        if partitions.is_empty() || !is_later {
            return Ok(None);
        }
        // What is dated ahead of the clock is not known yet: were it in the sums, nothing could be published until then.
        let horizon = Horizon { as_of_micros: now.as_microsecond(), through: None };
        let options = CycleOptions { settings, horizon, deadline, program: program() };
        let inquiry = Inquiry::of_cycle(workspace, options, Aim::EveryAndStrangers)?;
        let reach: Vec<Reach> = inquiry.ask("prune_reach", &first_kept(before), Rows::read)?;
        let reach = reach.into_iter().next().unwrap_or_default();
        let early = before.earlier_by(EARLY_DAYS);
        let found_before = reach.earliest_needed_us.map_or(early, |needed| early.min(Day::of_micros(needed)));
        let gone = old_holdings(&partitions, before, found_before)?;
        let past = join(known, before, found_before, &reach, &gone);
        Ok((!gone.is_empty()).then_some(Self { inquiry, before, past, gone }))
    }

    /// Works out the sums of all days that are gone then.
    fn finish(mut self) -> Outcome<(Past, Files)> {
        let mut files = Vec::new();
        for name in Past::SUMS {
            files.push((name, encode(&self.inquiry.run(&format!("prune_{name}"), &first_kept(self.before))?)?));
        }
        let content: Vec<u8> = files.iter().flat_map(|(_, content)| content.iter().copied()).collect();
        self.past.folder = format!("{}-{}", self.past.before, &sha256(&content)[..12]);
        Ok((self.past, files))
    }
}

event::row! {
    /// How far findings reach over the border between pruned and kept days.
    #[derive(Debug, Default)]
    struct Reach {
        /// The latest instant of a finding that pruned applications were judged by.
        latest_micros: Option<i64> = "latest_us",
        /// The last place in the order of landing of such a finding.
        last_sequence: Option<i64>,
        /// The first finding that is needed to judge applications that are kept.
        earliest_needed_us: Option<i64>,
    }
}

/// What the tables hold of the days that are to go.
fn old_holdings(partitions: &[PartitionFiles], before: Day, found_before: Day) -> Outcome<Vec<PastHolding>> {
    let mut holdings = Vec::new();
    for &kind in Kind::ALL {
        let first = if kind == Kind::Application { before } else { found_before };
        let old = partitions.iter().filter(|found| found.partition.kind == kind && found.partition.day < first);
        let files: Vec<_> = old.flat_map(|found| found.files.iter().cloned()).collect();
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

/// What is known of the days that were pruned before and of those that go.
fn join(known: Option<Past>, before: Day, found_before: Day, reach: &Reach, gone: &[PastHolding]) -> Past {
    let (mut latest_micros, mut last_sequence, mut holdings) =
        known.map(|past| (past.latest_micros, past.last_sequence, past.holdings)).unwrap_or_default();
    for one in gone {
        latest_micros = latest_micros.max(one.latest_micros);
        last_sequence = last_sequence.max(one.last_sequence);
        match holdings.iter_mut().find(|holding| holding.kind == one.kind) {
            Some(holding) => holding.add(one),
            None => holdings.push(one.clone()),
        }
    }
    holdings.sort_by(|one, other| one.kind.cmp(&other.kind));
    Past {
        before: before.to_string(),
        found_before: found_before.to_string(),
        latest_micros: reach.latest_micros.map_or(latest_micros, |latest| latest.max(latest_micros)),
        last_sequence: reach.last_sequence.map_or(last_sequence, |last| last.max(last_sequence)),
        folder: String::new(),
        has_exposures: true,
        has_coins: true,
        holdings,
    }
}

fn first_kept(before: Day) -> Arguments {
    Arguments::values([("before", before.to_string().as_str().into())])
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
