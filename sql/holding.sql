-- How many events of each kind there are, and from when to when.
-- Grain: (kind).
select kind, events, first_ts, last_ts
from (
    select 'application' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from application
    union all
    select 'relevance' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from relevance
    union all
    select 'goal' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from goal
    union all
    select 'build' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from build
    union all
    select 'citation' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from citation
    union all
    select 'run' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from run
    union all
    select 'learning' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from learning
    union all
    select 'observation' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from observation
    union all
    select 'deliberation' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from deliberation
    union all
    select 'verdict' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from verdict
    union all
    select 'curation' as kind, count(*) as events, min(ts) as first_ts, max(ts) as last_ts from curation
) as holdings
where events > 0
order by kind asc nulls last
