-- What agents decided in the latest runs, in landing order and in the order of each report.
-- Needs: correction, run_decision
-- Takes: $after_seq, $until_seq
-- Makes: policy_recent_decision (rows)
-- Grain: (run, place).
select landing_seq, place, agent, decision, confidence
from run_decision
left join correction on correction.seq = run_decision.landing_seq
where landing_seq > $after_seq and landing_seq <= $until_seq and not coalesce(correction.is_replaced, false)
order by landing_seq asc nulls last, place asc nulls last
