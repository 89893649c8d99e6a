-- When each iteration showed its first pattern, within one partition.
-- Grain: (project, run_id, iteration), within one partition.
select
    project,
    run_id,
    iteration,
    min(ts_us) as started_us
from application
where iteration is not null and status <> 'withheld'
group by project, run_id, iteration
