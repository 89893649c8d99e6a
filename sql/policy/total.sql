-- Results of runs, by risk and by suggested change, and the range of the log that they cover.
-- Needs: policy_run
-- Makes: policy_total (rows)
-- Grain: (result, risk, rolled back, overridden, about a command).
with told as (
    select
        result,
        risk,
        coalesce(rollback, false) as is_rolled_back,
        coalesce(human_override, false) as is_overridden,
        -- Issues matter only for failed runs.
        case
            when result = 'failure'
                then coalesce(issue_text like '%shell%' or issue_text like '%command%' or issue_text like '%unsafe%', false)
            else false
        end as is_about_shell,
        is_denied,
        landing_seq,
        ts_us
    from policy_run
)

select
    result,
    risk,
    is_rolled_back,
    is_overridden,
    is_about_shell,
    count(*) as runs,
    count(*) filter (where not is_denied) as counted,
    min(landing_seq) as first_seq,
    max(landing_seq) as last_seq,
    max(ts_us) as last_us,
    max(ts_us) filter (where not is_denied) as last_counted_us
from told
group by result, risk, is_rolled_back, is_overridden, is_about_shell
order by
    result asc nulls last,
    risk asc nulls last,
    is_rolled_back asc nulls last,
    is_overridden asc nulls last,
    is_about_shell asc nulls last
