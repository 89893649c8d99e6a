-- The latest runs with all their fields, in landing order.
-- Needs: policy_run
-- Takes: $after_seq, $until_seq
-- Makes: policy_recent (rows)
-- Grain: (run).
select
    landing_seq,
    project,
    run_id,
    ts_us,
    result,
    success,
    retries,
    quality,
    quality_millionths,
    adapters,
    failure_type,
    risk,
    rollback,
    human_override,
    duration_ms,
    issues,
    skills,
    rating,
    feedback,
    notes
from policy_run
where landing_seq > $after_seq and landing_seq <= $until_seq
order by landing_seq asc nulls last
