-- Refused runs that were not recorded properly since, by adapter; without an adapter where their lines name none. A run that was
-- refused several times counts once.
-- Needs: refused_adapter, run
-- Makes: policy_refused (rows)
-- Grain: (adapter).
with missing as (
    select distinct
        refused_adapter.adapter,
        refused_adapter.project,
        refused_adapter.run_id,
        -- Without a run id, lines are told apart by their text.
        case when refused_adapter.run_id is null then refused_adapter.text end as line
    from refused_adapter
    left join run on run.project = refused_adapter.project and run.run_id = refused_adapter.run_id
    where run.run_id is null
)

select adapter, count(*) as runs
from missing
group by adapter
order by adapter asc nulls last
