-- When each iteration showed its first pattern, within one partition. What was shown beside a tool's use begins none.
-- Needs: application
-- Makes: rollup_iteration (table)
-- Grain: (project, run_id, iteration), within one partition.
select
    project,
    run_id,
    iteration,
    min(ts_us) as started_us
from application
where iteration is not null and (status = 'applied' or (status = 'injected' and tool is null))
group by project, run_id, iteration
