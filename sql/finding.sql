-- What was found out later: of one application, of a pattern in an iteration or a run, or (goals) of an iteration or a run.
-- The latest finding wins, and of two at one instant the better. A citation may be checked again: the last check of each
-- counts, and one that fails is enough. Each kind of event is looked at once.
-- Grain: (project, application_id, run_id, iteration, pattern); null where it does not matter.
with rated as (
    -- What is said of one application needs no pattern: with null on one side, the join finds none.
    -- One finding an instant, so that the latest is one and the same whatever the order of rows.
    select
        event.project,
        event.application_id,
        case when event.application_id is null then event.run_id end as run_id,
        case when event.application_id is null then event.iteration end as iteration,
        named.pattern,
        event.ts_us,
        max(cast(round(event.score * 1e6) as bigint)) as relevance_millionths
    from relevance as event
    left join attribution as named
        on named.pattern_id = case when event.application_id is null then coalesce(event.pattern_id, '') end
        and named.trigger = coalesce(event.trigger, '')
    where
        coalesce(event.method, '') <> 'closedloop:as-read'
        and (event.application_id is not null or named.pattern is not null)
    group by
        event.project,
        event.application_id,
        case when event.application_id is null then event.run_id end,
        case when event.application_id is null then event.iteration end,
        named.pattern,
        event.ts_us
),
checked as (
    select
        event.project,
        event.application_id,
        case when event.application_id is null then event.run_id end as run_id,
        case when event.application_id is null then event.iteration end as iteration,
        named.pattern,
        1 - max(event.ts_us * 2 + case when event.verified then 1 else 0 end) % 2 as is_refuted
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
        named.pattern,
        event.path,
        event.cited_line
),
said as (
    select
        project,
        application_id,
        run_id,
        iteration,
        pattern,
        max_by(relevance_millionths, ts_us) as relevance_millionths,
        cast(null as bigint) as is_refuted,
        cast(null as bigint) as goal_key
    from rated
    group by project, application_id, run_id, iteration, pattern
    union all
    select
        project,
        application_id,
        run_id,
        iteration,
        pattern,
        cast(null as bigint) as relevance_millionths,
        max(is_refuted) as is_refuted,
        cast(null as bigint) as goal_key
    from checked
    group by project, application_id, run_id, iteration, pattern
    union all
    select
        project,
        application_id,
        case when application_id is null then run_id end as run_id,
        case when application_id is null then iteration end as iteration,
        cast(null as bigint) as pattern,
        cast(null as bigint) as relevance_millionths,
        cast(null as bigint) as is_refuted,
        max(ts_us * 2 + case when success then 1 else 0 end) as goal_key
    from goal
    group by
        project,
        application_id,
        case when application_id is null then run_id end,
        case when application_id is null then iteration end
)
select
    project,
    application_id,
    run_id,
    iteration,
    pattern,
    max(relevance_millionths) as relevance_millionths,
    max(is_refuted) = 1 as is_unverified,
    max(goal_key) % 2 = 1 as is_goal_met
from said
group by project, application_id, run_id, iteration, pattern
