-- How often an adapter succeeded since its last failure of each type, up to a position in the log.
-- Needs: policy_run, policy_run_adapter
-- Takes: $until_seq
-- Makes: policy_recovery (rows)
-- Grain: (adapter, failure key).
with last_seen as (
    select
        coalesce(first_adapter, 'unknown') as adapter,
        failure_key,
        max(landing_seq) as last_seq
    from policy_run
    where not success and failure_type <> '' and not is_denied and landing_seq <= $until_seq
    group by coalesce(first_adapter, 'unknown'), failure_key
)

select last_seen.adapter, last_seen.failure_key, count(*) as successes
from last_seen
inner join policy_run_adapter as used on used.adapter = last_seen.adapter and used.landing_seq > last_seen.last_seq
where used.success and not used.is_denied and used.landing_seq <= $until_seq
group by last_seen.adapter, last_seen.failure_key
order by last_seen.adapter asc nulls last, last_seen.failure_key asc nulls last
