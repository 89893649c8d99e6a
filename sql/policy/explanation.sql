-- The runs that used one adapter, latest first. Runs whose approval was denied are listed too, but have no weight.
-- Needs: policy_run, policy_run_adapter
-- Takes: $adapter
-- Makes: policy_explanation (rows)
-- Grain: (run).
select
    run.ts_us,
    run.project,
    run.run_id,
    run.result,
    run.success,
    run.is_denied,
    run.retries,
    run.quality_millionths,
    run.failure_type,
    run.landing_file,
    run.landing_line
from policy_run_adapter
inner join policy_run as run on run.landing_seq = policy_run_adapter.landing_seq
where policy_run_adapter.adapter = $adapter
order by run.ts_us desc nulls last, run.landing_seq desc nulls last
