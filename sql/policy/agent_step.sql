-- The effect of runs on the reliability of their agents, within a range of the log, in landing order.
-- Needs: correction, run_decision
-- Takes: $after_seq, $until_seq
-- Makes: policy_agent_step (rows)
-- Grain: (run, agent).
select landing_seq, agent, decision, confidence, result, rollback, human_override
from run_decision
left join correction on correction.seq = run_decision.landing_seq
where landing_seq > $after_seq and landing_seq <= $until_seq and not coalesce(correction.is_replaced, false)
order by landing_seq asc nulls last, agent asc nulls last
