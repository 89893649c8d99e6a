-- Refused runs that were neither recorded properly since nor settled by a person, by adapter; without an adapter where none is known.
-- A run that was refused several times counts once. Where the latest report of a run counts, a report that was taken before the
-- refused one no longer tells how the run ended: `known_` columns are the sums of such reports.
-- Needs: policy_run, policy_run_adapter, refused_adapter, run, settled
-- Takes: $replaces
-- Makes: policy_refused (rows)
-- Grain: (adapter).
with settled_own as (
    select adapter, max(ts_us) as ts_us
    from settled
    where adapter is not null
    group by adapter
),

settled_all as (
    select max(ts_us) as ts_us
    from settled
    where adapter is null
),

unsettled as (
    select distinct
        refused_adapter.adapter,
        refused_adapter.project,
        refused_adapter.run_id,
        -- Without a run id, lines are told apart by their text.
        case when refused_adapter.run_id is null then refused_adapter.text end as line
    from refused_adapter
    cross join settled_all
    left join settled_own on settled_own.adapter = refused_adapter.adapter
    left join run
        on
            run.project = refused_adapter.project
            and run.run_id = refused_adapter.run_id
            -- A line that says no time may be older than the report.
            and (not $replaces or refused_adapter.reported_us is null or run.ts_us >= refused_adapter.reported_us)
    where
        run.run_id is null
        and (settled_all.ts_us is null or refused_adapter.quarantined_us > settled_all.ts_us)
        and (settled_own.ts_us is null or refused_adapter.quarantined_us > settled_own.ts_us)
),

missing as (
    select distinct
        -- A line that names no adapter is about those of the run, where they are known.
        coalesce(unsettled.adapter, known.adapter) as adapter,
        unsettled.project,
        unsettled.run_id,
        unsettled.line,
        known.landing_seq,
        known.success,
        known.retries,
        known.quality_millionths
    from unsettled
    left join policy_run on policy_run.project = unsettled.project and policy_run.run_id = unsettled.run_id
    left join policy_run_adapter as known
        on
            known.landing_seq = policy_run.landing_seq
            and known.adapter = coalesce(unsettled.adapter, known.adapter)
            and not known.is_denied
)

select
    adapter,
    count(*) as runs,
    count(landing_seq) as known_runs,
    count(*) filter (where success) as known_successes,
    cast(coalesce(sum(retries), 0) as bigint) as known_retries,
    cast(coalesce(sum(quality_millionths), 0) as bigint) as known_quality_millionths
from missing
group by adapter
order by adapter asc nulls last
