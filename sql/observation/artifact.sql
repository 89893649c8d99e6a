-- What became of what was rendered from observations, in the order in which it landed.
-- Needs: artifact
-- Makes: observation_artifact (rows)
-- Grain: (artifact).
select
    id,
    ts_us,
    landing_seq,
    project,
    action,
    observation_id,
    type as observation_type,
    path,
    anchor,
    content_hash,
    reason
from artifact
order by landing_seq asc nulls last
