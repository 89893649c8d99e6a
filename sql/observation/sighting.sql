-- Sightings of recurring work in transcripts, in landing order.
-- Needs: landed_observation
-- Makes: observation_sighting (rows)
-- Grain: (observation).
select
    id,
    ts_us,
    landing_seq,
    project,
    observation_id,
    type as observation_type,
    pattern,
    evidence,
    details,
    quality_ok,
    session,
    prior,
    meaning,
    lacks
from landed_observation
order by landing_seq asc nulls last
