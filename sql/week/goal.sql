-- Runs with a goal in each of the last weeks, and those that met it. The latest judgement of a run counts; of two at the same
-- instant, the better one. A goal that could not be measured says nothing.
-- Needs: goal
-- Takes: $as_of_us, $after_us
-- Makes: week_goal (rows)
-- Grain: (weeks_ago).
select
    cast(floor(($as_of_us - ended_us) / 604800000000.0) as bigint) as weeks_ago,
    count(*) as judged,
    cast(sum(is_met) as bigint) as met
from (
    select
        max(ts_us) as ended_us,
        max(ts_us * 2 + case when success then 1 else 0 end) % 2 as is_met
    from goal
    where ts_us > $after_us and coalesce(measured, true)
    group by goal, project, run_id
) as ended
group by cast(floor(($as_of_us - ended_us) / 604800000000.0) as bigint)
order by weeks_ago asc nulls last
