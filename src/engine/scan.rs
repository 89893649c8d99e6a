//! The scans under the prelude's views: which files of the workspace they read, and up to which instant. Only this depends on the
//! workspace; what columns mean stands in `sql/prelude/`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};

use super::horizon::{Horizon, where_all};
use super::table::{LANDED, PAST, landed_scan_of, scan_of};
use event::Kind;
use event::cell::Row as _;
use learn::Score;
use learn::observation::ObservationScore;
use learn::role::RoleScore;
use learn::table::PublishedTable;
use learn::truth::{Sum, Verdict};
use setting::{OBSERVATION_FILE, ROLE_FILE, SUM_FILE, TABLE_FILE, VERDICT_FILE};
use store::lake::{self, Extent, Partition, PartitionFiles, Past, PastHolding};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// The tables of the published generation that analysts may ask, and the files that hold them.
const PUBLISHED: [(&str, &str); 5] = [
    ("pattern", TABLE_FILE),
    ("role_pattern", ROLE_FILE),
    ("observation_pattern", OBSERVATION_FILE),
    ("truth_verdict", VERDICT_FILE),
    ("truth_sum", SUM_FILE),
];

const TIME: &str = "timestamp with time zone";

/// The columns of quarantined lines.
const QUARANTINE: [(&str, &str); 15] = [
    ("quarantined_at", TIME),
    ("file", "varchar"),
    ("line", "bigint"),
    ("offset", "bigint"),
    ("length", "bigint"),
    ("code", "varchar"),
    ("reason", "varchar"),
    ("remedy", "varchar"),
    ("text", "varchar"),
    ("encoding", "varchar"),
    ("kind", "varchar"),
    ("project", "varchar"),
    ("run_id", "varchar"),
    ("adapters", "varchar[]"),
    ("reported_at", TIME),
];

/// The columns of the history of jobs.
const HISTORY: [(&str, &str); 6] = [
    ("job", "varchar"),
    ("started", TIME),
    ("ended", TIME),
    ("outcome", "varchar"),
    ("error", "varchar"),
    ("steps", "struct(step varchar, outcome varchar, seconds double, attempts bigint, numbers map(varchar, bigint))[]"),
];

/// The files of a workspace, as far as a horizon reaches.
pub(crate) struct Scans {
    workspace: Workspace,
    horizon: Horizon,
    /// The project whose events are seen; all events without one.
    project: Option<String>,
    past: Option<Past>,
    partitions: Vec<PartitionFiles>,
    /// Whether files of pruned days still stand there; their sums count in their place.
    has_leftovers: bool,
    /// Reading all footers of a kind takes time; once is enough.
    extents: RefCell<BTreeMap<&'static str, Option<Extent>>>,
}

impl Scans {
    /// Lists the files of a workspace.
    pub(crate) fn open(workspace: &Workspace, horizon: Horizon) -> Outcome<Self> {
        let past = Past::load(workspace)?;
        if let Some(past) = &past {
            horizon.check(past)?;
            past.check_sums(workspace)?;
        }
        let kept = |partition: &Partition| {
            let first = past.as_ref().and_then(|past| past.first_kept(partition.kind));
            first.is_none_or(|first| partition.day >= first)
        };
        let mut partitions = lake::list_partitions(workspace)?;
        let all = partitions.len();
        partitions.retain(|found| kept(&found.partition));
        let has_leftovers = partitions.len() < all;
        let (workspace, extents) = (workspace.clone(), RefCell::default());
        Ok(Self { workspace, horizon, project: None, past, partitions, has_leftovers, extents })
    }

    /// The same with the events of one project alone.
    pub(crate) fn of_project(self, project: &str) -> Self {
        Self { project: Some(project.to_owned()), ..self }
    }

    /// Whether of some days only sums are left.
    pub(crate) const fn has_past(&self) -> bool {
        self.past.is_some()
    }

    /// How many events of a kind its files hold.
    pub(crate) fn count(&self, kind: Kind) -> Outcome<i64> {
        Ok(self.extent(kind)?.map_or(0, |extent| extent.rows))
    }

    /// Whether any event is dated after an instant.
    pub(crate) fn reaches_beyond(&self, micros: i64) -> Outcome<bool> {
        for &kind in Kind::ALL {
            if self.extent(kind)?.is_some_and(|extent| extent.latest_micros > micros) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The statement that creates a scan, and the one to fall back on where its file is damaged: what was published can be made anew,
    /// so it must not keep the engine from being opened.
    pub(crate) fn statement(&self, name: &str) -> Outcome<(String, Option<String>)> {
        if let Some((_, file)) = PUBLISHED.iter().find(|(published, _)| *published == name) {
            let damaged = "error('the published patterns are damaged; `outerloop run hourly` publishes them anew')";
            let damaged = format!("create view {name} as select cast(null as varchar) as id where cast({damaged} as boolean)");
            return Ok((format!("create view {name} as {}", self.published(name, file)?), Some(damaged)));
        }
        if let Some((_, _, columns)) = PAST.iter().find(|(past, ..)| *past == name) {
            return Ok((self.past_statement(name, columns), None));
        }
        let body = match name {
            "lake_quarantine" => self.quarantine()?,
            "lake_history" => self.history(),
            "lake_holding" => self.holdings()?,
            _ => self.events(name)?,
        };
        Ok((format!("create view {name} as {body}"), None))
    }

    /// The events of a kind. A table without files gets an empty view of the same columns.
    ///
    /// Footers tell what files hold at most. Where nothing lies behind the horizon, no row need be compared with it: that is how
    /// almost every run finds the lake.
    fn events(&self, name: &str) -> Outcome<String> {
        let (kind, is_bounded) = kind_of(name)?;
        let Some(extent) = self.extent(kind)? else { return Ok(nothing(kind)) };
        let condition = if is_bounded { self.horizon.condition(extent) } else { where_all(self.horizon.landed(extent)) };
        let seen = format!("from ({}){condition}", self.scan(kind, extent));
        Ok(match &self.project {
            Some(project) => format!("from ({seen}) where project = {}", literal(project)),
            None => seen,
        })
    }

    fn files(&self, kind: Kind) -> Vec<PathBuf> {
        let of_kind = self.partitions.iter().filter(|found| found.partition.kind == kind);
        of_kind.flat_map(|found| found.files.iter().cloned()).collect()
    }

    /// What the files of a kind hold at most; none where there are no files.
    fn extent(&self, kind: Kind) -> Outcome<Option<Extent>> {
        if let Some(known) = self.extents.borrow().get(kind.name()) {
            return Ok(*known);
        }
        let files = self.files(kind);
        let extent = if files.is_empty() { None } else { Some(lake::load_extent(kind, &files)?) };
        self.extents.borrow_mut().insert(kind.name(), extent);
        Ok(extent)
    }

    /// The rows of a table's files. Where some lack columns, because an earlier version wrote them, columns are matched by name
    /// and missing ones are null; then every query looks at every footer before it starts, which is why it is not always done.
    fn scan(&self, kind: Kind, extent: Extent) -> String {
        let files = if self.has_leftovers {
            let names: Vec<String> = self.files(kind).iter().map(|file| literal(&file.display().to_string())).collect();
            format!("[{}]", names.join(", "))
        } else {
            literal(&format!("{}/date=*/*.parquet", self.workspace.table(kind).display()))
        };
        let read = |options: &str| {
            format!("select * from read_parquet({files}, hive_partitioning = true, hive_types = {{'date': date}}{options})")
        };
        if extent.is_uniform {
            read("")
        } else {
            format!("select * from ({} union all by name {})", nothing(kind), read(", union_by_name = true"))
        }
    }

    /// How many events of each kind there are, those of pruned days beside those of the lake.
    fn holdings(&self) -> Outcome<String> {
        let mut holdings = vec![no_holding()];
        for &kind in Kind::ALL {
            if let Some(extent) = self.extent(kind)? {
                holdings.push(holding(kind, extent, &self.horizon.condition(extent)));
            }
            holdings.extend(self.past.as_ref().and_then(|past| past.holding(kind)).map(past_holding));
        }
        Ok(holdings.join(" union all "))
    }

    fn past_statement(&self, name: &str, columns: &str) -> String {
        let sums = name.strip_prefix("past_").unwrap_or(name);
        match self.past.as_ref().filter(|past| past.has(sums)) {
            Some(past) => {
                let file = literal(&past.file(&self.workspace, sums).display().to_string());
                format!("create view {name} as select * from read_parquet({file})")
            }
            None => format!("create table {name} ({columns})"),
        }
    }

    fn history(&self) -> String {
        let path = self.workspace.history().join("runs.jsonl");
        if path.is_file() { read_lines(&path.display().to_string(), &HISTORY, ", ignore_errors = true") } else { empty(&HISTORY) }
    }

    fn quarantine(&self) -> Outcome<String> {
        if lake::list_quarantine(&self.workspace)?.is_empty() {
            return Ok(empty(&QUARANTINE));
        }
        let rows = read_lines(&format!("{}/*.jsonl", self.workspace.quarantine().display()), &QUARANTINE, "");
        let seen = self.horizon.through.map(|_| format!("quarantined_at <= make_timestamptz({})", self.horizon.as_of_micros));
        // A line that names no project would have landed in this one.
        let own = self.project.as_ref().map(|project| format!("coalesce(project, 'default') = {}", literal(project)));
        Ok(format!("{rows}{}", where_all(seen.into_iter().chain(own))))
    }

    /// A published table, for analysts. What was published before there was such a table has an empty one.
    fn published(&self, name: &str, file: &str) -> Outcome<String> {
        let path = self.workspace.current().join(file);
        if path.is_file() {
            return Ok(format!("select * from read_parquet({})", literal(&path.display().to_string())));
        }
        // Verdicts are published where coins were tossed; questions about them must find their columns everywhere.
        if name.starts_with("truth_") { empty_scan(name) } else { Ok("select cast(null as varchar) as id where false".to_owned()) }
    }
}

/// What a scan yields where there is no file.
pub(crate) fn empty_scan(name: &str) -> Outcome<String> {
    let schema = match name {
        "pattern" | "staged_pattern" => Some(Score::schema()),
        "observation_pattern" | "staged_observation" => Some(ObservationScore::schema()),
        "role_pattern" => Some(RoleScore::schema()),
        "truth_verdict" => Some(Verdict::schema()),
        "truth_sum" => Some(Sum::schema()),
        _ => None,
    };
    if let Some(schema) = schema {
        return Ok(empty_of(&schema));
    }
    if let Some((_, _, columns)) = PAST.iter().find(|(past, ..)| *past == name) {
        let columns: Vec<(&str, &str)> = columns.split(", ").filter_map(|column| column.trim().split_once(' ')).collect();
        return Ok(empty(&columns));
    }
    Ok(match name {
        "lake_quarantine" => empty(&QUARANTINE),
        "lake_history" => empty(&HISTORY),
        "lake_holding" => no_holding(),
        _ => nothing(kind_of(name)?.0),
    })
}

/// The kind of a scan of events, and whether events behind the horizon are out of sight.
fn kind_of(name: &str) -> Outcome<(Kind, bool)> {
    let plain = Kind::ALL.iter().find(|kind| scan_of(**kind) == name).map(|kind| (*kind, true));
    let landed = || LANDED.into_iter().find(|kind| landed_scan_of(*kind) == name).map(|kind| (kind, false));
    plain.or_else(landed).ok_or_else(|| Diagnostic::bug(format!("there is no scan `{name}`")))
}

fn no_holding() -> String {
    empty(&[("kind", "varchar"), ("events", "bigint"), ("first_ts", TIME), ("last_ts", TIME)])
}

/// How many events of a kind there are: footers tell, unless a part of them lies behind the horizon.
fn holding(kind: Kind, extent: Extent, condition: &str) -> String {
    let Extent { rows, earliest_micros, latest_micros, .. } = extent;
    let name = kind.name();
    if condition.is_empty() && earliest_micros != i64::MIN {
        let (first, last) = (format!("make_timestamptz({earliest_micros})"), format!("make_timestamptz({latest_micros})"));
        format!("select '{name}' as kind, cast({rows} as bigint) as events, {first} as first_ts, {last} as last_ts")
    } else {
        let scan = scan_of(kind);
        format!("select '{name}' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from {scan}")
    }
}

/// How many events of a kind there were in days that are pruned.
fn past_holding(past: &PastHolding) -> String {
    let PastHolding { kind, events, earliest_micros, latest_micros, .. } = past;
    let (first, last) = (format!("make_timestamptz({earliest_micros})"), format!("make_timestamptz({latest_micros})"));
    format!("select {} as kind, cast({events} as bigint) as events, {first} as first_ts, {last} as last_ts", literal(kind))
}

fn read_lines(files: &str, columns: &[(&str, &str)], options: &str) -> String {
    let columns: Vec<String> = columns.iter().map(|(name, kind)| format!("'{name}': '{kind}'")).collect();
    let columns = columns.join(", ");
    format!("select * from read_json({}, format = 'newline_delimited'{options}, columns = {{{columns}}})", literal(files))
}

fn nothing(kind: Kind) -> String {
    let date = Field::new("date", DataType::Date32, true);
    empty_of(&Schema::new(lake::schema(kind).fields().iter().cloned().chain([Arc::new(date)]).collect::<Vec<_>>()))
}

fn empty_of(schema: &Schema) -> String {
    let columns: Vec<(&str, String)> = schema.fields().iter().map(|field| (&**field.name(), sql_type(field))).collect();
    empty(&columns.iter().map(|(name, kind)| (*name, &**kind)).collect::<Vec<_>>())
}

fn empty(columns: &[(&str, &str)]) -> String {
    let columns: Vec<String> = columns.iter().map(|(name, kind)| format!("cast(null as {kind}) as \"{name}\"")).collect();
    format!("select {} where false", columns.join(", "))
}

fn sql_type(field: &Field) -> String {
    match field.data_type() {
        DataType::Int64 => "bigint".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Boolean => "boolean".to_owned(),
        DataType::Date32 => "date".to_owned(),
        DataType::Timestamp(..) => TIME.to_owned(),
        DataType::List(item) => format!("{}[]", sql_type(item)),
        DataType::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| format!("\"{}\" {}", field.name(), sql_type(field))).collect();
            format!("struct({})", fields.join(", "))
        }
        _ => "varchar".to_owned(),
    }
}

/// Whether a published table is a scan of the graph.
pub(crate) fn is_scan(name: &str) -> bool {
    PUBLISHED.iter().any(|(published, _)| *published == name)
}

/// The view over a published table that no step of the cycle reads. Generations of earlier versions lack it.
pub(crate) fn published_view(workspace: &Workspace, table: &PublishedTable) -> String {
    let path = workspace.current().join(table.file);
    let rows = if path.is_file() {
        format!("select * from read_parquet({})", literal(&path.display().to_string()))
    } else {
        empty_of(&table.schema)
    };
    format!("create or replace view {} as {rows}", table.name)
}

pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
