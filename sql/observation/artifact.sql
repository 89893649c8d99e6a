-- Events about artifacts that were rendered from observations, in landing order.
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
