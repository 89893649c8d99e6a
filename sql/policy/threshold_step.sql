-- What runs say about the thresholds of their risks, within a part of the log, in the order of landing.
-- Grain: (run).
select landing_seq, risk, result, rollback, human_override
from run
cross join span
left join replaced on replaced.seq = run.landing_seq
where landing_seq > span.after_seq and landing_seq <= span.until_seq and risk is not null and not is_denied and replaced.seq is null
order by landing_seq asc nulls last
