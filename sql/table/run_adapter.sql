-- The adapters of each run that counts, for analysts: single runs from an instant on, older ones summed by adapter, project and day.
-- Needs: policy_run_adapter, run
-- Takes: $after_us
-- Makes: table_run_adapter (rows)
-- Grain: (run, adapter) from `$after_us` on; (adapter, project, day, success, is_denied) before.
select
    each.adapter,
    max(each.ts_us) as ts_us,
    run.project,
    cast(null as varchar) as run_id,
    each.success,
    each.is_denied,
    count(*) as runs,
    cast(coalesce(sum(each.retries), 0) as bigint) as retries,
    cast(coalesce(sum(each.quality_millionths), 0) as bigint) as quality_millionths,
    cast(null as bigint) as landing_seq
from policy_run_adapter as each
inner join run on run.landing_seq = each.landing_seq
where each.ts_us < $after_us
group by each.adapter, run.project, cast(floor(each.ts_us / 86400000000e0) as bigint), each.success, each.is_denied
union all
select
    each.adapter,
    each.ts_us,
    run.project,
    run.run_id,
    each.success,
    each.is_denied,
    1 as runs,
    coalesce(each.retries, 0) as retries,
    each.quality_millionths,
    each.landing_seq
from policy_run_adapter as each
inner join run on run.landing_seq = each.landing_seq
where each.ts_us >= $after_us
order by
    landing_seq asc nulls first,
    ts_us asc nulls last,
    adapter asc nulls last,
    project asc nulls last,
    success asc nulls last,
    is_denied asc nulls last
