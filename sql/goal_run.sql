-- How the most recent runs of each goal ended: the last word counts, and of two at one instant the better. In the order of time.
-- Grain: (goal, project, run_id).
select goal, project, run_id, ended_us, is_passed, score
from (
    select
        ended.goal,
        ended.project,
        ended.run_id,
        ended.ended_us,
        ended.is_passed,
        ended.score,
        row_number() over (
            partition by ended.goal
            order by ended.ended_us desc nulls last, ended.project desc nulls last, ended.run_id desc nulls last
        ) as place
    from (
        select
            goal,
            project,
            run_id,
            max(ts_us) as ended_us,
            max(ts_us * 2 + case when success then 1 else 0 end) % 2 = 1 as is_passed,
            max_by(score, ts_us * 2 + case when success then 1 else 0 end) as score
        from goal
        group by goal, project, run_id
    ) as ended
) as placed
inner join considered
    on placed.place <= considered.runs
order by goal asc nulls last, ended_us asc nulls last, project asc nulls last, run_id asc nulls last
