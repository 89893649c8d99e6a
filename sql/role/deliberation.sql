-- Deliberations of roles in landing order: the patterns that they state, and their context. The full texts are not read.
-- Needs: landed_deliberation
-- Makes: role_deliberation (rows)
-- Grain: (deliberation).
select
    id,
    ts_us,
    landing_seq,
    project,
    role,
    run_id,
    session,
    iteration,
    phase,
    issue,
    pull_request,
    labels,
    files,
    evidence_level,
    patterns,
    prior
from landed_deliberation
order by landing_seq asc nulls last
