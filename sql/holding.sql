-- How many events of each kind there are, and from when to when.
-- Grain: (kind).
select kind, events, first_ts, last_ts
from holding_of_kind
where events > 0
order by kind asc nulls last
