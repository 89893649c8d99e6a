-- The runs that used one adapter, latest first, and what is known of them beyond what they said themselves. Runs whose approval was
-- denied are listed too, but have no weight.
-- Needs: aftermath, correction, policy_run, policy_run_adapter
-- Takes: $adapter
-- Makes: policy_explanation (rows)
-- Grain: (run).
with own as (
    select landing_seq
    from policy_run_adapter
    where adapter = $adapter
),

ended as (
    select
        project,
        run_id,
        passed,
        reason,
        row_number() over (partition by project, run_id order by ts_us desc nulls last, landing_seq desc nulls last) as place
    from aftermath
)

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
    run.landing_line,
    correction.success as corrected,
    ended.passed as late_passed,
    ended.reason as late_reason,
    coalesce(run.rollback, false) as is_rolled_back,
    coalesce(run.human_override, false) as is_overridden
from own
inner join policy_run as run on run.landing_seq = own.landing_seq
left join correction on correction.seq = run.landing_seq
left join ended on ended.project = run.project and ended.run_id = run.run_id and ended.place = 1
order by run.ts_us desc nulls last, run.landing_seq desc nulls last
