-- Later findings: about one application, about a pattern in an iteration or a run, or (goals, builds) about an iteration or a
-- run. The latest finding wins; of two at the same instant, the better one. A citation counts for the pattern and the agent it was
-- made for. It may be checked again: the last check of each citation counts, and one failed citation is enough. A goal that could
-- not be measured is no finding. Each kind of event is read once.
-- Needs: attribution, build, citation, goal, relevance
-- Makes: finding (table)
-- Grain: (project, application_id, run_id, iteration, agent, pattern); null where it does not matter.
with said as (
    select
        event.project,
        event.application_id,
        case when event.application_id is null then event.run_id end as run_id,
        case when event.application_id is null then event.iteration end as iteration,
        cast(null as varchar) as agent,
        named.pattern,
        -- The instant and the score in one number: its maximum is the latest finding, and of several the better one.
        cast(event.ts_us as decimal(28, 0)) * 10000000 + cast(round(event.score * 1e6) as bigint) as relevance_key,
        event.ts_us as relevance_us,
        cast(null as bigint) as is_refuted,
        cast(null as bigint) as goal_key,
        cast(null as bigint) as build_key
    from relevance as event
    left join attribution as named
        -- A finding about one application needs no pattern: with null on one side, the join finds none.
        on named.pattern_id = case when event.application_id is null then coalesce(event.pattern_id, '') end
        and named.trigger = coalesce(event.trigger, '')
    where
        coalesce(event.method, '') <> 'closedloop:as-read'
        and (event.application_id is not null or named.pattern is not null)
    union all
    select
        event.project,
        event.application_id,
        case when event.application_id is null then event.run_id end as run_id,
        case when event.application_id is null then event.iteration end as iteration,
        case when event.application_id is null then event.agent end as agent,
        named.pattern,
        cast(null as decimal(38, 0)) as relevance_key,
        cast(null as bigint) as relevance_us,
        1 - max(event.ts_us * 2 + case when event.verified then 1 else 0 end) % 2 as is_refuted,
        cast(null as bigint) as goal_key,
        cast(null as bigint) as build_key
    from citation as event
    left join attribution as named
        on named.pattern_id = case when event.application_id is null then coalesce(event.pattern_id, '') end
        and named.trigger = coalesce(event.trigger, '')
    where event.application_id is not null or named.pattern is not null
    group by
        event.project,
        event.application_id,
        case when event.application_id is null then event.run_id end,
        case when event.application_id is null then event.iteration end,
        case when event.application_id is null then event.agent end,
        named.pattern,
        event.path,
        event.cited_line
    union all
    select
        project,
        application_id,
        case when application_id is null then run_id end as run_id,
        case when application_id is null then iteration end as iteration,
        cast(null as varchar) as agent,
        cast(null as bigint) as pattern,
        cast(null as decimal(38, 0)) as relevance_key,
        cast(null as bigint) as relevance_us,
        cast(null as bigint) as is_refuted,
        ts_us * 2 + case when success then 1 else 0 end as goal_key,
        cast(null as bigint) as build_key
    from goal
    where coalesce(measured, true)
    union all
    select
        project,
        application_id,
        case when application_id is null then run_id end as run_id,
        case when application_id is null then iteration end as iteration,
        cast(null as varchar) as agent,
        cast(null as bigint) as pattern,
        cast(null as decimal(38, 0)) as relevance_key,
        cast(null as bigint) as relevance_us,
        cast(null as bigint) as is_refuted,
        cast(null as bigint) as goal_key,
        ts_us * 2 + case when passed then 1 else 0 end as build_key
    from build
)
select
    project,
    application_id,
    run_id,
    iteration,
    agent,
    pattern,
    cast(max(relevance_key) - cast(max(relevance_us) as decimal(28, 0)) * 10000000 as bigint) as relevance_millionths,
    max(is_refuted) = 1 as is_unverified,
    max(goal_key) % 2 = 1 as is_goal_met,
    max(build_key) % 2 = 0 as is_build_failed
from said
group by project, application_id, run_id, iteration, agent, pattern
