-- Which patterns of roles were shown in which turn, and to whom. What was held back was not shown.
-- Grain: (project, run_id, session, iteration, role, pattern_id).
select
    project,
    run_id,
    session,
    iteration,
    coalesce(role, agent) as role,
    pattern_id,
    min(ts_us) as first_us,
    max(ts_us) as last_us
from application
where pattern_id like 'D-%' and status in ('injected', 'applied')
group by project, run_id, session, iteration, coalesce(role, agent), pattern_id
order by
    project asc nulls last,
    run_id asc nulls last,
    session asc nulls last,
    iteration asc nulls last,
    role asc nulls last,
    pattern_id asc nulls last
