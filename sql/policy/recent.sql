-- The latest runs with all their fields, in landing order.
-- Needs: replaced, run
-- Takes: $after_seq, $until_seq
-- Makes: policy_recent (rows)
-- Grain: (run).
select
    landing_seq,
    project,
    run_id,
    ts_us,
    result,
    coalesce(retries, 0) as retries,
    quality_millionths,
    adapters,
    failure_type,
    risk,
    rollback,
    human_override,
    duration_ms,
    issues,
    skills,
    decisions_json
from run
left join replaced on replaced.seq = run.landing_seq
where landing_seq > $after_seq and landing_seq <= $until_seq and replaced.seq is null
order by landing_seq asc nulls last
