-- The effect of runs on the threshold of their risk, within a range of the log, in landing order.
-- Needs: policy_run
-- Takes: $after_seq, $until_seq
-- Makes: policy_threshold_step (rows)
-- Grain: (run).
select landing_seq, risk, result, rollback, human_override
from policy_run
where landing_seq > $after_seq and landing_seq <= $until_seq and risk is not null and not is_denied
order by landing_seq asc nulls last
