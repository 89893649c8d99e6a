-- Results of the most recent runs of each goal, in time order. The latest result counts; of two at the same instant, the better
-- one. A goal that could not be measured has no result.
-- Needs: considered, goal
-- Makes: goal_run (table)
-- Grain: (goal, project, run_id).
select goal, project, run_id, ended_us, is_passed, score, unit
from (
    select
        ended.goal,
        ended.project,
        ended.run_id,
        ended.ended_us,
        ended.is_passed,
        ended.score,
        ended.unit,
        row_number() over (
            partition by ended.goal
            order by ended.ended_us desc nulls last, ended.project desc nulls last, ended.run_id desc nulls last
        ) as place
    from (
        select
            told.goal,
            told.project,
            told.run_id,
            latest.ended_us,
            latest.goal_key % 2 = 1 as is_passed,
            -- If the latest judgement has no score, the score of an earlier one is not used instead.
            max(told.score) as score,
            min(told.unit) as unit
        from goal as told
        inner join (
            select
                goal,
                project,
                run_id,
                max(ts_us) as ended_us,
                max(ts_us * 2 + case when success then 1 else 0 end) as goal_key
            from goal
            where coalesce(measured, true)
            group by goal, project, run_id
        ) as latest
            on latest.goal = told.goal
            and latest.project = told.project
            and latest.run_id = told.run_id
            and latest.goal_key = told.ts_us * 2 + case when told.success then 1 else 0 end
        where coalesce(told.measured, true)
        group by told.goal, told.project, told.run_id, latest.ended_us, latest.goal_key
    ) as ended
) as placed
inner join considered
    on placed.place <= considered.runs
order by goal asc nulls last, ended_us asc nulls last, project asc nulls last, run_id asc nulls last
