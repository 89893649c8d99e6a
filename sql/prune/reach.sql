-- How far findings reach across the border between pruned days and kept days: the latest finding that judged a pruned
-- application, and the earliest finding that kept applications still need. Goals are left out of the latter, because they are
-- never pruned.
-- Needs: application, build, citation, goal, relevance
-- Takes: $before
-- Makes: prune_reach (rows)
-- Grain: one row.
with shown as (
    select
        application.id,
        application.project,
        application.run_id,
        application.iteration,
        application.date < cast($before as date) as is_pruned
    from application
),
found as (
    select project, application_id, run_id, iteration, ts_us, landing_seq, false as is_goal from relevance
    union all
    select project, application_id, run_id, iteration, ts_us, landing_seq, false as is_goal from citation
    union all
    select project, application_id, run_id, iteration, ts_us, landing_seq, false as is_goal from build
    union all
    select project, application_id, run_id, iteration, ts_us, landing_seq, true as is_goal from goal
),
reached as (
    select shown.is_pruned, found.ts_us, found.landing_seq, found.is_goal
    from found
    inner join shown
        on shown.id = found.application_id and shown.project = found.project
    union all
    select turn.is_pruned, found.ts_us, found.landing_seq, found.is_goal
    from found
    inner join (select distinct project, run_id, iteration, is_pruned from shown) as turn
        on turn.project = found.project and turn.run_id = found.run_id and turn.iteration = found.iteration
    where found.application_id is null
    union all
    select run.is_pruned, found.ts_us, found.landing_seq, found.is_goal
    from found
    inner join (select distinct project, run_id, is_pruned from shown) as run
        on run.project = found.project and run.run_id = found.run_id
    where found.application_id is null and found.iteration is null
)
select
    max(case when is_pruned then ts_us end) as latest_us,
    max(case when is_pruned then landing_seq end) as last_sequence,
    min(case when not is_pruned and not is_goal then ts_us end) as earliest_needed_us
from reached
