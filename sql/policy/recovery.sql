-- How often an adapter succeeded since a failure of it was last seen.
-- Grain: (adapter, lower-case failure type).
select
    seen.adapter,
    lower(seen.failure_type) as failure_type,
    count(*) as successes
from seen_failure as seen
inner join run_adapter on run_adapter.adapter = seen.adapter and run_adapter.landing_seq > seen.last_seq
left join replaced on replaced.seq = run_adapter.landing_seq
where run_adapter.success and not run_adapter.is_denied and replaced.seq is null
group by seen.adapter, lower(seen.failure_type)
order by seen.adapter asc nulls last, failure_type asc nulls last
