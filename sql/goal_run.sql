-- How each run ended for each of its goals: the last word counts, and of two at one instant the better. In the order of time.
-- Grain: (goal, project, run_id).
select
    goal,
    project,
    run_id,
    max(ts_us) as ended_us,
    max(ts_us * 2 + case when success then 1 else 0 end) % 2 = 1 as is_passed,
    max_by(score, ts_us * 2 + case when success then 1 else 0 end) as score
from goal
group by goal, project, run_id
order by goal asc nulls last, max(ts_us) asc nulls last, project asc nulls last, run_id asc nulls last
