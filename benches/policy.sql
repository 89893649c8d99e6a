-- What an analyst would write by hand for the same sums: adapters, failures, skills, agents, results and suggestions. There is no
-- fold in the order of runs, no rounding, no overlay, no file.
-- Grain: (what, key).
with adapter_of as (
    select landing_seq, ts, success, retries, quality, failure_type, unnest(adapters) as adapter from run
),
skill_of as (
    select ts, result, unnest(skills) as skill from run
),
decision_of as (
    select ts, result, unnest(agent_decisions) as decision from run
)
select 'adapter' as what, adapter as key, null as other, count(*) as runs, count(*) filter (where success) as successes,
    sum(retries)::double as retries, sum(quality) as quality, min(landing_seq) as first_seq, max(ts) as last_ts
from adapter_of
where coalesce(lower(failure_type), '') <> 'approval-denied'
group by adapter
union all
select 'failure', adapters[1], lower(failure_type), count(*), 0, 0, 0, min(landing_seq), max(ts)
from run
where not success and failure_type <> '' and lower(failure_type) <> 'approval-denied'
group by adapters[1], lower(failure_type)
union all
select 'skill', skill, null, count(*), count(*) filter (where result = 'success'), count(*) filter (where result = 'failure'), 0, 0, max(ts)
from skill_of
group by skill
union all
select 'agent', decision.agent, null, count(*), count(*) filter (where result = 'success'), count(*) filter (where result = 'failure'), 0, 0, max(ts)
from decision_of
group by decision.agent
union all
select 'result', result, risk, count(*), 0, 0, 0, 0, max(ts)
from run
group by result, risk
union all
select 'rollback', null, null, count(*), 0, 0, 0, 0, max(ts) from run where rollback
union all
select 'override', null, null, count(*), 0, 0, 0, 0, max(ts) from run where human_override
union all
select 'shell', null, null, count(*), 0, 0, 0, 0, max(ts)
from run
where result = 'failure' and regexp_matches(lower(array_to_string(issues, ' ')), 'shell|command|unsafe')
