-- People's decisions about policies, in landing order.
-- Needs: curation
-- Makes: policy_curation (rows)
-- Grain: (curation).
select landing_seq, ts_us, action, target, value, actor, reason
from curation
where pattern_id is null and target is not null
order by landing_seq asc nulls last
