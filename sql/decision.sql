-- People's decisions about lesson patterns, in landing order. Role patterns and observations have ids of their own.
-- Needs: landed_curation
-- Makes: decision (rows)
-- Grain: (curation).
select
    id,
    ts_us,
    landing_seq,
    landing_file,
    landing_line,
    pattern_id,
    action,
    actor,
    reason
from landed_curation
where
    pattern_id is not null
    and pattern_id not like 'D-%'
    and substr(pattern_id, 1, 4) not in ('obs_', 'obs:')
order by landing_seq asc nulls last
