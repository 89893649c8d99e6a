-- The task of each run, as its coins name it: what a goal says of a run is said of its task, also where the goal names no task. A run
-- whose coins name none is a unit of its own, also where its goal names a task.
-- Needs: assignment, coin, past_coin, truth_run_outcome
-- Makes: truth_run_unit (table)
-- Grain: (project, run_id).
with every as (
    select project, run_id, unit from coin
    union all
    select project, run_id, unit from assignment
    union all
    select project, run_id, unit from past_coin
)
select project, run_id, min(unit) as unit
from (
    select project, run_id, unit from every where unit is not null
) as named
group by project, run_id
union all
select every.project, every.run_id, every.run_id as unit
from every
inner join (select distinct project, run_id from truth_run_outcome where unit is not null) as told
    on told.project = every.project and told.run_id = every.run_id
group by every.project, every.run_id
having count(every.unit) = 0
