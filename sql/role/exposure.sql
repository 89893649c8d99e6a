-- Which role patterns were shown in which turn, and to whom. A pattern that was held back was not shown. Pruned days keep the
-- same rows.
-- Needs: application, past_exposure
-- Makes: role_exposure (rows)
-- Grain: (project, run_id, session, iteration, role, pattern_id).
select project, run_id, session, iteration, role, pattern_id, min(first_us) as first_us, max(last_us) as last_us
from (
    select
        project,
        run_id,
        session,
        iteration,
        coalesce(role, agent) as role,
        pattern_id,
        ts_us as first_us,
        ts_us as last_us
    from application
    where pattern_id like 'D-%' and status in ('injected', 'applied')
    union all
    select project, run_id, session, iteration, role, pattern_id, first_us, last_us
    from past_exposure
) as shown
group by project, run_id, session, iteration, role, pattern_id
