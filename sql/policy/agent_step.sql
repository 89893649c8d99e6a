-- The effect of runs on the reliability of their agents, within a range of the log, in landing order.
-- Needs: replaced, run_decision
-- Takes: $after_seq, $until_seq
-- Makes: policy_agent_step (rows)
-- Grain: (run, agent).
select landing_seq, agent, decision, confidence, result, rollback, human_override
from run_decision
left join replaced on replaced.seq = run_decision.landing_seq
where landing_seq > $after_seq and landing_seq <= $until_seq and replaced.seq is null
order by landing_seq asc nulls last, agent asc nulls last
