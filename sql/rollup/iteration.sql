-- When each iteration began, within one partition: when it showed its first pattern, or else when its goal was judged. An iteration
-- without any application counts, too. A pattern shown beside a tool call, or to an agent that was seen to do nothing, does not start
-- an iteration.
-- Needs: application, goal
-- Makes: rollup_iteration (table)
-- Grain: (project, run_id, iteration), within one partition.
select
    project,
    run_id,
    iteration,
    min(ts_us) as started_us
from (
    select project, run_id, iteration, ts_us
    from application
    where
        status = 'applied'
        or (status = 'injected' and tool is null and coalesce(acted, true))
    union all
    select project, run_id, iteration, ts_us
    from goal
) as begun
where iteration is not null
group by project, run_id, iteration
