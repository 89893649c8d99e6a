-- Reports of runs that do not count as they stand: another report of the same run counts in their place, or its result became known
-- later. The latest report of a run counts if `$replaces`, else the first one; time decides, then the place in the log. Only runs
-- that may have been reported more than once are compared, so this costs nothing while there are none.
-- Needs: aftermath, run
-- Takes: $replaces, $late_results, $rollback_fails, $override_fails
-- Makes: policy_correction (rows)
-- Grain: (run event).
with again as (
    select distinct project, run_id
    from run
    where is_again and is_one_run
),

reported as (
    select
        run.landing_seq,
        row_number() over (
            partition by run.project, run.run_id
            order by
                case when $replaces then run.ts_us end desc nulls last,
                case when $replaces then run.landing_seq end desc nulls last,
                run.ts_us asc nulls last,
                run.landing_seq asc nulls last
        ) as place
    from run
    inner join again on again.project = run.project and again.run_id = run.run_id
    where run.is_one_run
),

ended as (
    select
        project,
        run_id,
        passed,
        row_number() over (partition by project, run_id order by ts_us desc nulls last, landing_seq desc nulls last) as place
    from aftermath
),

changed as (
    select landing_seq, true as is_replaced, cast(null as boolean) as late_success, false as is_undone
    from reported
    where place > 1
    union all
    select run.landing_seq, false as is_replaced, ended.passed as late_success, false as is_undone
    from run
    inner join ended on ended.project = run.project and ended.run_id = run.run_id
    where $late_results and ended.place = 1
    union all
    select landing_seq, false as is_replaced, cast(null as boolean) as late_success, true as is_undone
    from run
    where success and (($rollback_fails and rollback) or ($override_fails and human_override))
)

select
    landing_seq as seq,
    bool_or(is_replaced) as is_replaced,
    coalesce(bool_or(late_success), case when bool_or(is_undone) then false end) as success
from changed
group by landing_seq
order by seq asc nulls last
