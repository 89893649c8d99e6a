-- Sums over the runs of each adapter, in the order of first use; adapters of one run in the order in which it lists them. Runs
-- whose approval was denied are no evidence about an adapter. A run without a quality has quality 1 if it succeeded, else 0.
-- Needs: policy_run_adapter, run
-- Makes: policy_adapter (rows)
-- Grain: (adapter).
with added as (
    select
        adapter,
        count(*) as runs,
        count(*) filter (where success) as successes,
        cast(coalesce(sum(retries), 0) as bigint) as retries,
        cast(sum(quality_millionths) as bigint) as quality_millionths,
        min(landing_seq) as first_seq,
        max(ts_us) as last_us
    from policy_run_adapter
    where not is_denied
    group by adapter
)

select
    added.adapter,
    added.runs,
    added.successes,
    added.retries,
    added.quality_millionths,
    added.first_seq,
    added.last_us
from added
inner join run on run.landing_seq = added.first_seq
order by added.first_seq asc nulls last, array_position(run.adapters, added.adapter) asc nulls last, added.adapter asc nulls last
