-- How often an adapter succeeded since its last failure of each type, up to a position in the log.
-- Needs: replaced, run, run_adapter
-- Takes: $until_seq
-- Makes: policy_recovery (rows)
-- Grain: (adapter, failure key).
with last_seen as (
    select
        coalesce(first_adapter, 'unknown') as adapter,
        failure_key,
        max(landing_seq) as last_seq
    from run
    left join replaced on replaced.seq = run.landing_seq
    where not success and failure_type <> '' and not is_denied and landing_seq <= $until_seq and replaced.seq is null
    group by coalesce(first_adapter, 'unknown'), failure_key
)

select last_seen.adapter, last_seen.failure_key, count(*) as successes
from last_seen
inner join run_adapter on run_adapter.adapter = last_seen.adapter and run_adapter.landing_seq > last_seen.last_seq
left join replaced on replaced.seq = run_adapter.landing_seq
where run_adapter.success and not run_adapter.is_denied and run_adapter.landing_seq <= $until_seq and replaced.seq is null
group by last_seen.adapter, last_seen.failure_key
order by last_seen.adapter asc nulls last, last_seen.failure_key asc nulls last
