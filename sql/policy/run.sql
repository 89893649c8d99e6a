-- The report of each run that counts, and whether the run succeeded as far as is known.
-- Needs: correction, run
-- Makes: policy_run (view)
-- Grain: (run).
select
    run.landing_seq,
    run.landing_file,
    run.landing_line,
    run.project,
    run.run_id,
    run.ts_us,
    run.result,
    coalesce(correction.success, run.success) as success,
    coalesce(run.retries, 0) as retries,
    run.quality,
    case
        when run.quality is null and correction.success is not null then case when correction.success then 1000000 else 0 end
        else run.quality_millionths
    end as quality_millionths,
    run.adapters,
    run.first_adapter,
    run.failure_type,
    run.failure_key,
    run.is_denied,
    run.risk,
    run.rollback,
    run.human_override,
    run.duration_ms,
    run.issues,
    run.issue_text,
    run.skills,
    run.rating,
    run.feedback,
    run.notes
from run
left join correction on correction.seq = run.landing_seq
where not coalesce(correction.is_replaced, false)
