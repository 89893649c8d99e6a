-- How often gates were asked about each adapter, and how often approval was needed.
-- Needs: gate
-- Makes: policy_gate (rows)
-- Grain: (adapter).
select
    adapter_key as adapter,
    count(*) as gates,
    count(*) filter (where approval) as approvals
from gate
group by adapter_key
order by gates desc nulls last, adapter asc nulls last
