-- How each run went, from 0 to 100, by each metric that is asked for. The latest word counts that comes within the time of settling
-- after the first; of two at the same instant, the better one. What is told after that would change days that are over. A goal that
-- could not be measured says nothing, and neither does a run that failed for want of infrastructure.
-- Needs: goal, infrastructure, run, truth_limit, truth_rule
-- Makes: truth_run_outcome (table)
-- Grain: (metric, project, run_id), of runs that were judged; ended_us is the instant of the first word.
with settling as (
    select max(settle_us) as settle_us from truth_rule
),
word as (
    select project, run_id, unit, ts_us, success, score, ts_us * 2 + case when success then 1 else 0 end as goal_key
    from goal
    where application_id is null and coalesce(measured, true)
),
first_word as (
    select project, run_id, min(ts_us) as ended_us
    from word
    group by project, run_id
),
last_word as (
    select word.project, word.run_id, first_word.ended_us, max(word.goal_key) as goal_key
    from word
    inner join first_word
        on first_word.project = word.project and first_word.run_id = word.run_id
    cross join settling
    where word.ts_us <= first_word.ended_us + settling.settle_us
    group by word.project, word.run_id, first_word.ended_us
),
judged as (
    select
        told.project,
        told.run_id,
        min(told.unit) as unit,
        last_word.ended_us,
        max(case when told.success then 100 else 0 end) as goal,
        -- A score on another scale cannot be compared.
        max(case when told.score >= 0e0 and told.score <= 1e0 then cast(round(told.score * 100) as bigint) end) as score
    from word as told
    inner join last_word
        on last_word.project = told.project and last_word.run_id = told.run_id and last_word.goal_key = told.goal_key
    group by told.project, told.run_id, last_word.ended_us
),
first_run as (
    select project, run_id, min(ts_us) as ended_us
    from run
    group by project, run_id
),
last_run as (
    select run.project, run.run_id, first_run.ended_us, max(run.ts_us) as told_us
    from run
    inner join first_run
        on first_run.project = run.project and first_run.run_id = run.run_id
    cross join settling
    where run.ts_us <= first_run.ended_us + settling.settle_us
    group by run.project, run.run_id, first_run.ended_us
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
        on last_run.project = told.project and last_run.run_id = told.run_id and last_run.told_us = told.ts_us
    left join infrastructure
        on infrastructure.failure_key = replace(replace(told.failure_key, '_', '-'), ' ', '-')
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
