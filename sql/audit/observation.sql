-- An observation has a unique id, a known status, and a confidence from 0 to 0.95 that decay never raises.
-- Needs: nothing
-- Takes: staged_observation
-- Makes: audit_observation (rows)
-- Grain: (id); returns no rows.
select id, status, confidence, base_confidence, observations
from (
    select
        id,
        status,
        confidence,
        base_confidence,
        observations,
        sightings_since_deletion,
        substr(id, 1, 4) as mark,
        count(*) over (partition by id) as entries
    from staged_observation
) as staged
where
    id is null
    or mark <> 'obs_'
    or entries > 1
    or status not in ('observing', 'ready', 'created', 'deprecated')
    or confidence < 0e0
    or base_confidence > 0.95e0
    or confidence > base_confidence
    or observations < 0
    or observations + sightings_since_deletion < 1
order by id asc nulls last
