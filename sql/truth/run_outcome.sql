-- How each run went, from 0 to 100, by each metric that is asked for. The latest word counts; of two at the same instant, the
-- better one. A run that failed for want of infrastructure is not judged: it says nothing about what was shown.
-- Needs: goal, infrastructure, run, truth_limit, truth_rule
-- Makes: truth_run_outcome (table)
-- Grain: (metric, project, run_id), of runs that were judged.
with last_goal as (
    select project, run_id, max(ts_us * 2 + case when success then 1 else 0 end) as goal_key
    from goal
    where application_id is null
    group by project, run_id
),
judged as (
    select
        told.project,
        told.run_id,
        min(told.unit) as unit,
        max(told.ts_us) as ended_us,
        max(case when told.success then 100 else 0 end) as goal,
        -- A score on another scale cannot be compared.
        max(case when told.score >= 0e0 and told.score <= 1e0 then cast(round(told.score * 100) as bigint) end) as score
    from goal as told
    inner join last_goal
        on last_goal.project = told.project
        and last_goal.run_id = told.run_id
        and last_goal.goal_key = told.ts_us * 2 + case when told.success then 1 else 0 end
    where told.application_id is null
    group by told.project, told.run_id
),
last_run as (
    select project, run_id, max(ts_us) as ended_us
    from run
    group by project, run_id
),
ended as (
    select
        told.project,
        told.run_id,
        min(told.unit) as unit,
        last_run.ended_us,
        max(case told.result when 'success' then 100 when 'partial' then 50 when 'failure' then 0 end) as result,
        max(cast(round(told.quality * 100) as bigint)) as quality,
        min(told.tokens) as tokens,
        min(told.duration_ms) as duration_ms,
        max(case when infrastructure.failure_key is null then 0 else 1 end) as is_refused
    from run as told
    inner join last_run
        on last_run.project = told.project and last_run.run_id = told.run_id and last_run.ended_us = told.ts_us
    left join infrastructure
        on infrastructure.failure_key = told.failure_key
    group by told.project, told.run_id, last_run.ended_us
),
every as (
    select 'goal' as metric, judged.project, judged.run_id, judged.unit, judged.ended_us, judged.goal as outcome_hundredths
    from judged
    union all
    select 'score' as metric, judged.project, judged.run_id, judged.unit, judged.ended_us, judged.score as outcome_hundredths
    from judged
    union all
    select 'result' as metric, ended.project, ended.run_id, ended.unit, ended.ended_us, ended.result as outcome_hundredths
    from ended
    union all
    select 'quality' as metric, ended.project, ended.run_id, ended.unit, ended.ended_us, ended.quality as outcome_hundredths
    from ended
    union all
    select
        'tokens' as metric,
        ended.project,
        ended.run_id,
        ended.unit,
        ended.ended_us,
        case when ended.tokens <= truth_limit.most then 100 else 0 end as outcome_hundredths
    from ended
    inner join truth_limit
        on truth_limit.metric = 'tokens'
        and ended.ended_us >= truth_limit.begin_us
        and ended.ended_us < truth_limit.end_us
    where ended.tokens is not null
    union all
    select
        'duration' as metric,
        ended.project,
        ended.run_id,
        ended.unit,
        ended.ended_us,
        case when ended.duration_ms <= truth_limit.most then 100 else 0 end as outcome_hundredths
    from ended
    inner join truth_limit
        on truth_limit.metric = 'duration'
        and ended.ended_us >= truth_limit.begin_us
        and ended.ended_us < truth_limit.end_us
    where ended.duration_ms is not null
)
select every.metric, every.project, every.run_id, every.unit, every.ended_us, cast(every.outcome_hundredths as bigint) as outcome_hundredths
from every
inner join truth_rule as rule
    on rule.metric = every.metric
left join (select project, run_id from ended where is_refused = 1) as refused
    on refused.project = every.project and refused.run_id = every.run_id
where every.outcome_hundredths is not null and refused.run_id is null
