-- What people decided about patterns of roles, in the order in which it landed.
-- Needs: curation
-- Makes: role_decision (rows)
-- Grain: (curation).
select ts_us, landing_seq, pattern_id, action, actor, reason, value
from curation
where pattern_id like 'D-%'
order by landing_seq asc nulls last
