-- Failures by adapter and type, in the order of first occurrence. A failure counts against the first adapter of its run. The
-- type keeps its first spelling.
-- Needs: policy_run
-- Makes: policy_failure (table)
-- Grain: (adapter, failure key).
with failed as (
    select
        coalesce(first_adapter, 'unknown') as adapter,
        failure_type,
        failure_key,
        landing_seq,
        ts_us
    from policy_run
    where not success and failure_type <> '' and not is_denied
)
select
    adapter,
    failure_key,
    min_by(failure_type, landing_seq) as failure_type,
    count(*) as occurrences,
    min(landing_seq) as first_seq,
    max(landing_seq) as last_seq,
    max(ts_us) as last_us
from failed
group by adapter, failure_key
order by first_seq asc nulls last, adapter asc nulls last
