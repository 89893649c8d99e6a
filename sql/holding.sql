-- How many events of each kind there are, and from when to when.
-- Grain: (kind).
select kind, events, first_us, last_us
from (
    select 'application' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from application
    union all
    select 'relevance' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from relevance
    union all
    select 'goal' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from goal
    union all
    select 'build' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from build
    union all
    select 'citation' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from citation
    union all
    select 'run' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from run
    union all
    select 'learning' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from learning
    union all
    select 'observation' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from observation
    union all
    select 'deliberation' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from deliberation
    union all
    select 'verdict' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from verdict
    union all
    select 'curation' as kind, count(*) as events, min(ts_us) as first_us, max(ts_us) as last_us from curation
) as holdings
where events > 0
order by kind asc nulls last
