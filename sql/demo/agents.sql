-- How often each agent applied a pattern that it was shown, and how many of its citations held.
-- Needs: application, citation
-- Makes: demo_agents (rows)
-- Grain: (agent).
with shown as (
    select
        agent,
        count(*) as applications,
        count(*) filter (where status = 'applied') as applied
    from application
    where agent is not null
    group by agent
),
checked as (
    select
        agent,
        count(*) as citations,
        count(*) filter (where verified) as verified
    from citation
    where agent is not null
    group by agent
)
select
    shown.agent,
    shown.applications,
    shown.applied,
    round(cast(shown.applied as double) / nullif(cast(shown.applications as double), 0e0), 2) as applied_rate,
    coalesce(checked.citations, 0) as citations,
    round(cast(checked.verified as double) / nullif(cast(checked.citations as double), 0e0), 2) as verified_rate
from shown
left join checked on checked.agent = shown.agent
order by shown.applications desc nulls last, shown.agent asc nulls last
limit 10
