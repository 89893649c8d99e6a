-- Every application with the pattern it counts for and what was found out about it later: whether its citations hold,
-- whether the goal was met, how relevant the pattern was. The latest finding wins; of two at the same instant, the better.
-- Grain: (application, pattern).
with finding as (
    -- What was said of one application.
    select
        application_id,
        max(goal_key) as goal_key,
        max(relevance_key) as relevance_key,
        max(citation_key) as citation_key
    from (
        select
            application_id,
            ts_us * 2 + case when success then 1 else 0 end as goal_key,
            cast(null as decimal(38, 0)) as relevance_key,
            cast(null as integer) as citation_key
        from goal
        where application_id is not null
        union all
        select
            application_id,
            cast(null as bigint) as goal_key,
            cast(ts_us as decimal(28, 0)) * 10000000 + cast(round(score * 1e6) as bigint) as relevance_key,
            cast(null as integer) as citation_key
        from relevance
        where application_id is not null and coalesce(method, '') <> 'closedloop:as-read'
        union all
        select
            application_id,
            cast(null as bigint) as goal_key,
            cast(null as decimal(38, 0)) as relevance_key,
            max(is_refuted) as citation_key
        from (
            -- A citation may be checked again; the last check of each counts, and one that fails is enough.
            select
                application_id,
                path,
                cited_line,
                1 - max(ts_us * 2 + case when verified then 1 else 0 end) % 2 as is_refuted
            from citation
            where application_id is not null
            group by application_id, path, cited_line
        ) as checked
        group by application_id
    ) as said
    group by application_id
),
pattern_finding as (
    -- What was said of a pattern in one iteration, or without an iteration of a whole run.
    select
        project,
        run_id,
        iteration,
        pattern,
        max(relevance_key) as relevance_key,
        max(citation_key) as citation_key
    from (
        select
            event.project,
            event.run_id,
            event.iteration,
            named.pattern,
            cast(event.ts_us as decimal(28, 0)) * 10000000 + cast(round(event.score * 1e6) as bigint) as relevance_key,
            cast(null as integer) as citation_key
        from relevance as event
        inner join attribution as named
            on named.pattern_id = coalesce(event.pattern_id, '') and named.trigger = coalesce(event.trigger, '')
        where event.application_id is null and coalesce(event.method, '') <> 'closedloop:as-read'
        union all
        select
            project,
            run_id,
            iteration,
            pattern,
            cast(null as decimal(38, 0)) as relevance_key,
            max(is_refuted) as citation_key
        from (
            select
                event.project,
                event.run_id,
                event.iteration,
                named.pattern,
                event.path,
                event.cited_line,
                1 - max(event.ts_us * 2 + case when event.verified then 1 else 0 end) % 2 as is_refuted
            from citation as event
            inner join attribution as named
                on named.pattern_id = coalesce(event.pattern_id, '') and named.trigger = coalesce(event.trigger, '')
            where event.application_id is null
            group by event.project, event.run_id, event.iteration, named.pattern, event.path, event.cited_line
        ) as checked
        group by project, run_id, iteration, pattern
    ) as said
    group by project, run_id, iteration, pattern
),
iteration_goal as (
    select project, run_id, iteration, max(ts_us * 2 + case when success then 1 else 0 end) as goal_key
    from goal
    where application_id is null and iteration is not null
    group by project, run_id, iteration
),
run_goal as (
    select project, run_id, max(ts_us * 2 + case when success then 1 else 0 end) as goal_key
    from goal
    where application_id is null and iteration is null
    group by project, run_id
)
select
    shown.id,
    shown.ts,
    shown.ts_us,
    shown.date,
    shown.project,
    shown.run_id,
    shown.iteration,
    shown.agent,
    shown.status,
    shown.landing_seq,
    shown.landing_file,
    shown.landing_line,
    named.pattern,
    named.tier,
    coalesce(finding.citation_key, pattern_finding.citation_key, run_finding.citation_key, 0) = 1 as is_unverified,
    coalesce(finding.goal_key, iteration_goal.goal_key, run_goal.goal_key) % 2 = 1 as is_goal_met,
    cast(
        coalesce(finding.relevance_key, pattern_finding.relevance_key, run_finding.relevance_key) % 10000000 as bigint
    ) as relevance_millionths
from application as shown
inner join attribution as named
    on named.pattern_id = coalesce(shown.pattern_id, '') and named.trigger = coalesce(shown.trigger, '')
left join finding
    on finding.application_id = shown.id
left join pattern_finding
    on pattern_finding.project = shown.project
    and pattern_finding.run_id = shown.run_id
    and pattern_finding.iteration = shown.iteration
    and pattern_finding.pattern = named.pattern
left join pattern_finding as run_finding
    on run_finding.project = shown.project
    and run_finding.run_id = shown.run_id
    and run_finding.iteration is null
    and run_finding.pattern = named.pattern
left join iteration_goal
    on iteration_goal.project = shown.project
    and iteration_goal.run_id = shown.run_id
    and iteration_goal.iteration = shown.iteration
left join run_goal
    on run_goal.project = shown.project and run_goal.run_id = shown.run_id
