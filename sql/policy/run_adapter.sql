-- The adapters of each run that counts, and whether the run succeeded as far as is known.
-- Needs: correction, run_adapter
-- Makes: policy_run_adapter (view)
-- Grain: (run, adapter).
select
    run_adapter.landing_seq,
    run_adapter.project,
    run_adapter.ts_us,
    run_adapter.adapter,
    run_adapter.is_denied,
    coalesce(correction.success, run_adapter.success) as success,
    run_adapter.retries,
    case
        when run_adapter.is_quality_assumed and correction.success is not null
            then case when correction.success then 1000000 else 0 end
        else run_adapter.quality_millionths
    end as quality_millionths
from run_adapter
left join correction on correction.seq = run_adapter.landing_seq
where not coalesce(correction.is_replaced, false)
