-- The task of each run that names one: what a goal says of a run is said of its task, also where the goal names no task.
-- Needs: assignment, coin, past_coin
-- Makes: truth_run_unit (table)
-- Grain: (project, run_id).
select project, run_id, min(unit) as unit
from (
    select project, run_id, unit from coin where unit is not null
    union all
    select project, run_id, unit from assignment where unit is not null
    union all
    select project, run_id, unit from past_coin where unit is not null
) as named
group by project, run_id
