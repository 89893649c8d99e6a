-- What runs say about agents, within a part of the log, in the order of landing.
-- Grain: (run, agent).
select landing_seq, agent, decision, confidence, result, rollback, human_override
from run_decision
cross join span
left join replaced on replaced.seq = run_decision.landing_seq
where landing_seq > span.after_seq and landing_seq <= span.until_seq and replaced.seq is null
order by landing_seq asc nulls last, agent asc nulls last
