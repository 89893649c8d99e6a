-- How long the parts of the most recent runs took, in time order.
-- Needs: timing
-- Makes: recent_timing (rows)
-- Grain: (timing).
select
    timed.run_id,
    timed.iteration,
    timed.event,
    timed.step,
    timed.step_name,
    timed.sub_step,
    timed.sub_step_name,
    timed.agent,
    timed.phase,
    timed.status,
    timed.started,
    timed.ended,
    timed.seconds,
    timed.skipped
from timing as timed
inner join (
    select project, run_id
    from timing
    group by project, run_id
    order by max(ts_us) desc nulls last, project asc nulls last, run_id asc nulls last
    limit 100
) as recent
    on recent.project = timed.project and recent.run_id = timed.run_id
order by timed.ts_us asc nulls last, timed.landing_seq asc nulls last
