-- Runs that a gate let through, that had time to report, and that were neither reported nor refused, by adapter.
-- Needs: gate, refused_adapter, run
-- Takes: $settled_us
-- Makes: policy_unreported (rows)
-- Grain: (adapter).
with let_through as (
    select distinct adapter_key as adapter, project, run_id
    from gate
    where not approval and run_id is not null and ts_us <= $settled_us
),

heard_of as (
    select project, run_id from run where run_id is not null
    union
    select project, run_id from refused_adapter where run_id is not null
)

select let_through.adapter, count(*) as runs
from let_through
left join heard_of on heard_of.project = let_through.project and heard_of.run_id = let_through.run_id
where heard_of.run_id is null
group by let_through.adapter
order by let_through.adapter asc nulls last
