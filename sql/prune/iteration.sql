-- When the iterations of pruned days showed their first pattern. A pattern shown beside a tool call, or to an agent that was seen
-- to do nothing, does not start an iteration.
-- Needs: application, past_iteration
-- Takes: $before
-- Makes: prune_iteration (rows)
-- Grain: (project, run_id, iteration).
select project, run_id, iteration, min(started_us) as started_us
from (
    select application.project, application.run_id, application.iteration, application.ts_us as started_us
    from application
    where
        application.date < cast($before as date)
        and application.iteration is not null
        and (
            application.status = 'applied'
            or (application.status = 'injected' and application.tool is null and coalesce(application.acted, true))
        )
    union all
    select project, run_id, iteration, started_us
    from past_iteration
) as kept
group by project, run_id, iteration
order by project asc nulls last, run_id asc nulls last, iteration asc nulls last
