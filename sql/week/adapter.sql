-- Runs of each project's adapters in each of the last weeks, and those that succeeded. A run whose approval was denied says nothing.
-- Needs: policy_run_adapter
-- Takes: $as_of_us, $after_us
-- Makes: week_adapter (rows)
-- Grain: (project, adapter, weeks_ago).
select
    project,
    adapter,
    weeks_ago,
    count(*) as runs,
    cast(coalesce(sum(case when success then 1 else 0 end), 0) as bigint) as succeeded
from (
    select
        project,
        adapter,
        cast(floor(($as_of_us - ts_us) / 604800000000.0) as bigint) as weeks_ago,
        success
    from policy_run_adapter
    where ts_us > $after_us and not is_denied
) as placed
group by project, adapter, weeks_ago
order by project asc nulls last, adapter asc nulls last, weeks_ago asc nulls last
