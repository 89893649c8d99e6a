-- Number of events of each kind, with the first and the last time.
-- Needs: lake_holding
-- Makes: holding (rows)
-- Grain: (kind).
select
    kind,
    cast(sum(events) as bigint) as events,
    min(first_ts) as first_ts,
    max(last_ts) as last_ts
from lake_holding
where events > 0
group by kind
order by kind asc nulls last
