-- When each iteration showed its first pattern, within one partition. A pattern shown beside a tool call, or to an agent that was
-- seen to do nothing, does not start an iteration.
-- Needs: application
-- Makes: rollup_iteration (table)
-- Grain: (project, run_id, iteration), within one partition.
select
    project,
    run_id,
    iteration,
    min(ts_us) as started_us
from application
where
    iteration is not null
    and (
        status = 'applied'
        or (status = 'injected' and tool is null and coalesce(acted, true))
    )
group by project, run_id, iteration
