-- People's decisions about role patterns, in landing order.
-- Needs: curation
-- Makes: role_decision (rows)
-- Grain: (curation).
select ts_us, landing_seq, pattern_id, action, actor, reason, value
from curation
where pattern_id like 'D-%'
order by landing_seq asc nulls last
