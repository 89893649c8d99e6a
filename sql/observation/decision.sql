-- People's decisions about observations, in landing order.
-- Needs: curation
-- Makes: observation_decision (rows)
-- Grain: (curation).
select id, ts_us, landing_seq, project, pattern_id, action, actor, reason, value
from curation
where substr(pattern_id, 1, 4) in ('obs_', 'obs:')
order by landing_seq asc nulls last
