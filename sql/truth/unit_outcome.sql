-- How a unit of work went: its first judged run, so that what follows from a failure is not counted with it. A unit is a task, or
-- a run that names none.
-- Needs: truth_run_outcome, truth_run_unit
-- Makes: truth_unit_outcome (table)
-- Grain: (metric, project, unit).
select
    metric,
    project,
    unit,
    substr(run_key, 20) as run_id,
    ended_us,
    100 - first_key % 1000 as outcome_hundredths
from (
    select
        went.metric,
        went.project,
        coalesce(named.unit, went.unit, went.run_id) as unit,
        min(went.ended_us) as ended_us,
        -- The instant and the outcome in one number: its minimum is the first run, and of several the better one.
        min(went.ended_us * 1000 + 100 - went.outcome_hundredths) as first_key,
        min(concat(cast(went.ended_us * 1000 + 100 - went.outcome_hundredths as string), went.run_id)) as run_key
    from truth_run_outcome as went
    left join truth_run_unit as named
        on named.project = went.project and named.run_id = went.run_id
    group by went.metric, went.project, coalesce(named.unit, went.unit, went.run_id)
) as first_run
