-- What people decided about patterns, in the order in which it landed.
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
where pattern_id is not null
order by landing_seq asc nulls last
