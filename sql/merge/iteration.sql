-- When each iteration showed its first pattern. Staleness counts these iterations.
-- Needs: past_iteration, rollup_iteration
-- Makes: merge_iteration (rows)
-- Grain: (project, run_id, iteration).
select project, started_us
from (
    -- An iteration may last past midnight.
    select project, run_id, iteration, min(started_us) as started_us
    from (
        select project, run_id, iteration, started_us from rollup_iteration
        union all
        select project, run_id, iteration, started_us from past_iteration
    ) as begun
    group by project, run_id, iteration
) as iterations
