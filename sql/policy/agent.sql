-- How the runs ended that each agent decided about.
-- Grain: (agent).
select
    agent,
    count(*) as runs,
    count(*) filter (where result = 'success') as successes,
    count(*) filter (where result = 'failure') as failures,
    max(ts_us) as last_us
from run_decision
left join replaced on replaced.seq = run_decision.landing_seq
where replaced.seq is null
group by agent
order by agent asc nulls last
