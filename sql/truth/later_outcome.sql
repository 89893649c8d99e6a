-- How units went whose first judged run was over before their coin was tossed in another one: by their first judged run since. A lesson
-- that a failed run taught, and that is shown when the task is tried again, has no part in the failure.
-- Needs: truth_drawn, truth_run_outcome, truth_run_unit, truth_unit_outcome
-- Makes: truth_later_outcome (table)
-- Grain: (metric, pattern, experiment, project, unit).
with early as (
    select went.metric, drawn.pattern, drawn.experiment, drawn.project, drawn.unit, drawn.run_id, drawn.first_us
    from truth_unit_outcome as went
    inner join truth_drawn as drawn
        on drawn.project = went.project and drawn.unit = went.unit
    where went.ended_us < drawn.first_us and went.run_id <> drawn.run_id
),
told as (
    select
        went.metric,
        went.project,
        coalesce(named.unit, went.unit, went.run_id) as unit,
        went.run_id,
        went.ended_us,
        went.outcome_hundredths
    from truth_run_outcome as went
    left join truth_run_unit as named
        on named.project = went.project and named.run_id = went.run_id
)
select
    early.metric,
    early.pattern,
    early.experiment,
    early.project,
    early.unit,
    min(told.ended_us) as ended_us,
    100 - min(told.ended_us * 1000 + 100 - told.outcome_hundredths) % 1000 as outcome_hundredths
from early
inner join told
    on told.metric = early.metric and told.project = early.project and told.unit = early.unit
where told.ended_us >= early.first_us or told.run_id = early.run_id
group by early.metric, early.pattern, early.experiment, early.project, early.unit
