-- Results of the runs that each agent decided about. Rows are grouped by result first, which is faster than testing the result
-- of each row twice.
-- Needs: correction, run_decision
-- Makes: policy_agent (rows)
-- Grain: (agent).
with ended as (
    select agent, result, count(*) as runs, max(ts_us) as last_us
    from run_decision
    left join correction on correction.seq = run_decision.landing_seq
    where not coalesce(correction.is_replaced, false)
    group by agent, result
)

select
    agent,
    cast(sum(runs) as bigint) as runs,
    cast(coalesce(sum(runs) filter (where result = 'success'), 0) as bigint) as successes,
    cast(coalesce(sum(runs) filter (where result = 'failure'), 0) as bigint) as failures,
    max(last_us) as last_us
from ended
group by agent
order by agent asc nulls last
