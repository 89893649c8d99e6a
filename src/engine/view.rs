//! The views over which queries run: one a table of the lake, and the quarantine.

use std::path::PathBuf;

use arrow::datatypes::{DataType, Field};

use event::Kind;
use setting::{OBSERVATION_FILE, ROLE_FILE};
use store::lake;
use store::lake::{Extent, Partition, Past, PastHolding};
use store::workspace::Workspace;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// Up to where the log is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Horizon {
    /// The last instant, in microseconds since 1970.
    pub as_of_micros: i64,
    /// The last event in the order of landing, where that is known.
    pub through: Option<i64>,
}

impl Horizon {
    /// All of the log.
    pub const EVERYTHING: Self = Self { as_of_micros: i64::MAX, through: None };

    /// Whether everything lies within it that the sums of pruned days were made from: sums cannot be cut in two.
    #[must_use]
    pub fn covers(self, past: &Past) -> bool {
        let is_early = past.before.parse().is_ok_and(|before| Day::of_micros(self.as_of_micros) < before);
        let has_happened = !is_early && self.as_of_micros >= past.latest_micros;
        has_happened && self.through.is_none_or(|through| through >= past.last_sequence)
    }

    fn check(self, past: &Past) -> Outcome<()> {
        if self.covers(past) {
            return Ok(());
        }
        let latest = text::time::instant(past.latest_micros);
        Err(Diagnostic::edit(
            format!(
                "the log of the days before {} was pruned: only sums are left of it, with all that was known of them at {latest}",
                past.before
            ),
            "ask for a later instant with --as-of, or publish anew with `outerloop run hourly`; what was published back then may \
             still be there",
        ))
    }

    /// The condition under which a row is seen, where the files hold what they do.
    fn condition(self, extent: Extent) -> String {
        let is_ahead = self.as_of_micros < extent.latest_micros;
        let happened = is_ahead.then(|| format!("ts <= make_timestamptz({})", self.as_of_micros));
        where_all(happened.into_iter().chain(self.landed(extent)))
    }

    fn landed(self, extent: Extent) -> Option<String> {
        self.through.filter(|through| *through < extent.last_sequence).map(|through| format!("landing_seq <= {through}"))
    }
}

fn where_all(conditions: impl IntoIterator<Item = String>) -> String {
    let conditions: Vec<String> = conditions.into_iter().collect();
    if conditions.is_empty() { String::new() } else { format!(" where {}", conditions.join(" and ")) }
}

/// The statements that create the views. A table without files gets an empty view of the same columns.
///
/// Footers tell what files hold at most. Where nothing lies behind the horizon, no row need be compared with it: that is how
/// almost every run finds the lake.
pub fn view_statements(workspace: &Workspace, horizon: Horizon) -> Outcome<Vec<String>> {
    let past = Past::load(workspace)?;
    if let Some(past) = &past {
        horizon.check(past)?;
        past.check_sums(workspace)?;
    }
    let kept = |partition: &Partition| {
        let first = past.as_ref().and_then(|past| past.first_kept(partition.kind));
        first.is_none_or(|first| partition.day >= first)
    };
    // Files of pruned days may still stand there; their sums count in their place.
    let mut partitions = lake::list_partitions(workspace)?;
    let all = partitions.len();
    partitions.retain(|found| kept(&found.partition));
    let has_leftovers = partitions.len() < all;
    let mut statements = Vec::with_capacity(Kind::ALL.len() + 9);
    let mut holdings = Vec::with_capacity(Kind::ALL.len());
    for &kind in Kind::ALL {
        let of_kind = partitions.iter().filter(|found| found.partition.kind == kind);
        let files: Vec<PathBuf> = of_kind.flat_map(|found| found.files.iter().cloned()).collect();
        let (body, condition, landed) = if files.is_empty() {
            (nothing(kind), String::new(), String::new())
        } else {
            let extent = lake::load_extent(kind, &files)?;
            let condition = horizon.condition(extent);
            holdings.push(holding(kind, extent, &condition));
            let listed = has_leftovers.then_some(&*files);
            (scan(workspace, kind, extent, listed), condition, where_all(horizon.landed(extent)))
        };
        holdings.extend(past.as_ref().and_then(|past| past.holding(kind)).map(past_holding));
        let (name, more) = (kind.name(), derived_columns(kind));
        statements.push(format!("create view \"{name}\" as select *, {more} from ({body}){condition}"));
        if matches!(kind, Kind::Learning | Kind::Classification | Kind::Curation | Kind::Deliberation | Kind::Observation) {
            // Lessons, answers, decisions, deliberations and observations are folded in the order of landing, and the fold knows the
            // time: were later ones hidden from it, the numbers of those behind them would shift.
            statements.push(format!("create view landed_{name} as select *, {more} from ({body}){landed}"));
        }
    }
    statements.extend(LISTS_OF_RUNS.map(str::to_owned));
    statements.push(NUMBERS_OF_VECTORS.to_owned());
    statements.push(format!("create view holding_of_kind as {}", all_holdings(&holdings)));
    statements.extend(past_statements(workspace, past.as_ref()));
    let known_then = match horizon.through {
        Some(_) => format!(" where quarantined_at <= make_timestamptz({})", horizon.as_of_micros),
        None => String::new(),
    };
    statements.push(format!("create view quarantine as from ({}){known_then}", quarantine(workspace)?));
    statements.push(format!("create view history as {}", history(workspace)));
    Ok(statements)
}

/// The tables of the published generation that analysts may ask, and the files that hold them.
const PUBLISHED: [(&str, &str); 3] =
    [("pattern", "patterns.parquet"), ("role_pattern", ROLE_FILE), ("observation_pattern", OBSERVATION_FILE)];

/// The statements that create the views of what is published, each with one for when its file is damaged: what was published can
/// be made anew, so it must not keep the engine from being opened.
pub fn published_statements(workspace: &Workspace) -> [[String; 2]; 3] {
    let damaged = "error('the published patterns are damaged; `outerloop run hourly` publishes them anew')";
    let damaged = format!("select cast(null as varchar) as id where cast({damaged} as boolean)");
    PUBLISHED.map(|(name, file)| [&published(workspace, file), &damaged].map(|body| format!("create view {name} as {body}")))
}

/// The columns that a table has beside the stored ones. What is not portable between engines stands here, so that the queries of
/// `sql/` need not say it.
#[must_use]
pub const fn derived_columns(kind: Kind) -> &'static str {
    match kind {
        Kind::Relevance => "epoch_us(ts) as ts_us, try_cast(json_extract_string(extra, '$.raw') as double) as raw_score",
        Kind::Learning => "epoch_us(ts) as ts_us, json_extract_string(extra, '$.repo_name') as repo_name",
        Kind::Run => {
            "epoch_us(ts) as ts_us, adapters[1] as first_adapter, coalesce(lower(trim(failure_type)) = 'approval-denied', false) as is_denied, \
             cast(round(coalesce(quality, case when success then 1 else 0 end) * 1000000) as bigint) as quality_millionths, \
             lower(array_to_string(issues, chr(10))) as issue_text, cast(to_json(agent_decisions) as varchar) as decisions_json"
        }
        Kind::VerdictGiven => "epoch_us(ts) as ts_us, coalesce(len(must_fix), 0) as must_fix_count",
        _ => "epoch_us(ts) as ts_us",
    }
}

/// The statement that creates the view of vectors with one number a row.
pub const NUMBERS_OF_VECTORS: &str = "create view embedding_value as select project, text_hash, model, ts_us, landing_seq, \
     generate_subscripts(vector, 1) as place, unnest(vector) as value from embedding";

/// The statements that create views of what a run names several of, one a row. Retries are summed up over these, and rows may have
/// landed with more of them than any sum can hold.
pub const LISTS_OF_RUNS: [&str; 3] = [
    "create view run_adapter as select landing_seq, ts_us, success, case when retries > 4294967295 then 4294967295 else retries end as retries, \
     quality_millionths, is_denied, unnest(adapters) as adapter from run",
    "create view run_skill as select landing_seq, ts_us, result, unnest(skills) as skill from run",
    "create view run_decision as select landing_seq, ts_us, result, rollback, human_override, each.agent as agent, each.decision as decision, \
     each.confidence as confidence from (select landing_seq, ts_us, result, rollback, human_override, unnest(agent_decisions) as each from run)",
];

/// The rows of a table's files. Where some lack columns, because an earlier version wrote them, columns are matched by name
/// and missing ones are null; then every query looks at every footer before it starts, which is why it is not always done.
fn scan(workspace: &Workspace, kind: Kind, extent: Extent, listed: Option<&[PathBuf]>) -> String {
    let files = match listed {
        Some(files) => {
            let names: Vec<String> = files.iter().map(|file| literal(&file.display().to_string())).collect();
            format!("[{}]", names.join(", "))
        }
        None => literal(&format!("{}/*/*.parquet", workspace.table(kind).display())),
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

/// How many events of a kind there are: footers tell, unless a part of them lies behind the horizon.
fn holding(kind: Kind, extent: Extent, condition: &str) -> String {
    let Extent { rows, earliest_micros, latest_micros, .. } = extent;
    let name = kind.name();
    if condition.is_empty() && earliest_micros != i64::MIN {
        let (first, last) = (format!("make_timestamptz({earliest_micros})"), format!("make_timestamptz({latest_micros})"));
        format!("select '{name}' as kind, cast({rows} as bigint) as events, {first} as first_ts, {last} as last_ts")
    } else {
        format!("select '{name}' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from \"{name}\"")
    }
}

/// How many events of a kind there were in days that are pruned.
fn past_holding(past: &PastHolding) -> String {
    let PastHolding { kind, events, earliest_micros, latest_micros, .. } = past;
    let (first, last) = (format!("make_timestamptz({earliest_micros})"), format!("make_timestamptz({latest_micros})"));
    format!("select {} as kind, cast({events} as bigint) as events, {first} as first_ts, {last} as last_ts", literal(kind))
}

/// The sums of pruned days, and the columns that they have where there are none.
const PAST: [(&str, &str); 4] = [
    (
        "application",
        "project varchar, pattern_id varchar, trigger varchar, status varchar, is_unverified boolean, is_goal_met boolean, \
         is_build_failed boolean, is_rated boolean, applications bigint, relevance_millionths bigint, first_us bigint, last_us bigint",
    ),
    ("iteration", "project varchar, run_id varchar, iteration bigint, started_us bigint"),
    ("use", "project varchar, run_id varchar, pattern_id varchar, trigger varchar"),
    (
        "exposure",
        "project varchar, run_id varchar, session varchar, iteration bigint, role varchar, pattern_id varchar, first_us bigint, \
         last_us bigint",
    ),
];

fn past_statements(workspace: &Workspace, past: Option<&Past>) -> impl Iterator<Item = String> {
    PAST.iter().map(move |(name, columns)| match past.filter(|past| past.has(name)) {
        Some(past) => {
            let file = literal(&past.file(workspace, name).display().to_string());
            format!("create view past_{name} as select * from read_parquet({file})")
        }
        None => format!("create table past_{name} ({columns})"),
    })
}

fn all_holdings(holdings: &[String]) -> String {
    let time = "timestamp with time zone";
    let none = format!(
        "select cast(null as varchar) as kind, cast(null as bigint) as events, cast(null as {time}) as first_ts, cast(null as {time}) as last_ts where false"
    );
    std::iter::once(&none).chain(holdings).cloned().collect::<Vec<_>>().join(" union all ")
}

/// One row a step of a job's run.
fn history(workspace: &Workspace) -> String {
    let path = workspace.history().join("runs.jsonl");
    let numbers = "map(varchar, bigint)";
    if !path.is_file() {
        return format!(
            "select cast(null as varchar) as job, cast(null as timestamp with time zone) as started, cast(null as timestamp with time zone) as ended, \
             cast(null as varchar) as outcome, cast(null as varchar) as error, cast(null as varchar) as step, cast(null as varchar) as step_outcome, \
             cast(null as double) as seconds, cast(null as bigint) as attempts, cast(null as {numbers}) as numbers where false"
        );
    }
    let step = format!("struct(step varchar, outcome varchar, seconds double, attempts bigint, numbers {numbers})[]");
    format!(
        "select job, started, ended, outcome, error, each.step as step, each.outcome as step_outcome, each.seconds as seconds, \
         each.attempts as attempts, each.numbers as numbers from (select *, unnest(steps) as each from read_json({}, \
         format = 'newline_delimited', ignore_errors = true, columns = {{job: 'varchar', started: 'timestamp with time zone', \
         ended: 'timestamp with time zone', outcome: 'varchar', error: 'varchar', steps: '{step}'}}))",
        literal(&path.display().to_string())
    )
}

/// A published table, for analysts. What was published before there was such a table has an empty one.
fn published(workspace: &Workspace, file: &str) -> String {
    let path = workspace.current().join(file);
    if path.is_file() {
        format!("select * from read_parquet({})", literal(&path.display().to_string()))
    } else {
        "select cast(null as varchar) as id where false".to_owned()
    }
}

fn nothing(kind: Kind) -> String {
    let schema = lake::schema(kind);
    let columns = schema.fields().iter().map(|field| format!("cast(null as {}) as \"{}\"", sql_type(field), field.name()));
    let columns: Vec<String> = columns.chain(["cast(null as date) as date".to_owned()]).collect();
    format!("select {} where false", columns.join(", "))
}

fn sql_type(field: &Field) -> String {
    match field.data_type() {
        DataType::Int64 => "bigint".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Boolean => "boolean".to_owned(),
        DataType::Timestamp(..) => "timestamp with time zone".to_owned(),
        DataType::List(item) => format!("{}[]", sql_type(item)),
        DataType::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| format!("\"{}\" {}", field.name(), sql_type(field))).collect();
            format!("struct({})", fields.join(", "))
        }
        _ => "varchar".to_owned(),
    }
}

/// The column for the kind that a quarantined line names, as far as it can be read.
pub const KIND_OF_QUARANTINED: &str = "regexp_extract(text, '\"kind\"\\s*:\\s*\"([a-z]+)\"', 1) as kind";

fn quarantine(workspace: &Workspace) -> Outcome<String> {
    const COLUMNS: [(&str, &str); 10] = [
        ("quarantined_at", "timestamp with time zone"),
        ("file", "varchar"),
        ("line", "bigint"),
        ("offset", "bigint"),
        ("length", "bigint"),
        ("code", "varchar"),
        ("reason", "varchar"),
        ("remedy", "varchar"),
        ("text", "varchar"),
        ("encoding", "varchar"),
    ];
    if lake::list_quarantine(workspace)?.is_empty() {
        let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("cast(null as {kind}) as \"{name}\"")).collect();
        return Ok(format!("select {}, cast(null as varchar) as kind where false", columns.join(", ")));
    }
    let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("'{name}': '{kind}'")).collect();
    let files = literal(&format!("{}/*.jsonl", workspace.quarantine().display()));
    Ok(format!(
        "select *, {KIND_OF_QUARANTINED} from read_json({files}, format = 'newline_delimited', columns = {{{}}})",
        columns.join(", ")
    ))
}

/// A text as a SQL literal.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
