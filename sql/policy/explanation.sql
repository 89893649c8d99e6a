-- The runs that used one adapter, latest first. Runs whose approval was denied are listed too, but have no weight.
-- Needs: replaced, run, run_adapter
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
    coalesce(run.retries, 0) as retries,
    run.quality_millionths,
    run.failure_type,
    run.landing_file,
    run.landing_line
from run_adapter
inner join run on run.landing_seq = run_adapter.landing_seq
left join replaced on replaced.seq = run.landing_seq
where run_adapter.adapter = $adapter and replaced.seq is null
order by run.ts_us desc nulls last, run.landing_seq desc nulls last
