-- Runs of each of the last weeks, and those that succeeded. Weeks end at the instant, so that the latest is as long as the others.
-- Needs: policy_run
-- Takes: $as_of_us, $after_us
-- Makes: week_run (rows)
-- Grain: (weeks_ago).
select
    weeks_ago,
    count(*) as runs,
    cast(coalesce(sum(case when success then 1 else 0 end), 0) as bigint) as succeeded
from (
    select
        cast(floor(($as_of_us - ts_us) / 604800000000.0) as bigint) as weeks_ago,
        success
    from policy_run
    where ts_us > $after_us
) as placed
group by weeks_ago
order by weeks_ago asc nulls last
