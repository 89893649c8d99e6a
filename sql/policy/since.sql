-- How often each failure occurred since a person cleared it. Ordered by time, because reports and decisions stand in different
-- files and the order of ingestion must not matter.
-- Needs: cleared, policy_failure, policy_run
-- Makes: policy_since (rows)
-- Grain: (adapter, failure key, place of the clear).
select
    seen.adapter,
    seen.failure_key,
    cleared.seq as cleared_seq,
    count(*) filter (
        where failed.ts_us > cleared.ts_us or (failed.ts_us = cleared.ts_us and failed.landing_seq > cleared.seq)
    ) as occurrences
from policy_failure as seen
inner join cleared
    on cleared.adapter = seen.adapter
    and (cleared.failure_key is null or cleared.failure_key = seen.failure_key)
left join (
    select coalesce(first_adapter, 'unknown') as adapter, failure_key, landing_seq, ts_us
    from policy_run
    where not success and failure_type <> '' and not is_denied
) as failed
    on failed.adapter = seen.adapter and failed.failure_key = seen.failure_key
group by seen.adapter, seen.failure_key, cleared.seq
order by seen.adapter asc nulls last, seen.failure_key asc nulls last, cleared_seq asc nulls last
