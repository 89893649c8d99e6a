-- What the runs of each adapter add up to, in the order in which adapters were first seen; those of one run as it lists them.
-- Runs that a person did not let happen say nothing about an adapter. A run that names no quality has the best one if it
-- succeeded, else none.
-- Needs: replaced, run, run_adapter
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
    from run_adapter
    left join replaced on replaced.seq = run_adapter.landing_seq
    where not is_denied and replaced.seq is null
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
