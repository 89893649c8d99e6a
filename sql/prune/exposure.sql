-- Patterns that were shown to roles on pruned days, by turn and recipient. A pattern that was held back was not shown.
-- Needs: application, past_exposure
-- Takes: $before
-- Makes: prune_exposure (rows)
-- Grain: (project, run_id, session, iteration, role, pattern_id).
select project, run_id, session, iteration, role, pattern_id, min(first_us) as first_us, max(last_us) as last_us
from (
    select
        application.project,
        application.run_id,
        application.session,
        application.iteration,
        coalesce(application.role, application.agent) as role,
        application.pattern_id,
        application.ts_us as first_us,
        application.ts_us as last_us
    from application
    where
        application.date < cast($before as date)
        and application.pattern_id like 'D-%'
        and application.status in ('injected', 'applied')
    union all
    select project, run_id, session, iteration, role, pattern_id, first_us, last_us
    from past_exposure
) as kept
group by project, run_id, session, iteration, role, pattern_id
order by
    project asc nulls last,
    run_id asc nulls last,
    session asc nulls last,
    iteration asc nulls last,
    role asc nulls last,
    pattern_id asc nulls last
