-- When each iteration showed its first pattern, within one partition.
-- Grain: (date, project, run_id, iteration).
select
    date,
    project,
    run_id,
    iteration,
    min(ts_us) as started_us
from application
where iteration is not null and status <> 'withheld'
group by date, project, run_id, iteration
