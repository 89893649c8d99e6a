-- Every application with the pattern it counts for and what was found out about it later: whether its citations hold,
-- whether the goal was met, how relevant the pattern was. What is said of the application itself counts before what is said
-- of its iteration, and that before what is said of its run; then the latest wins, and of two at one instant the better.
-- A citation may be checked again: the last check of each counts, and one that fails is enough.
-- Grain: (application, pattern).
with finding as (
    -- What was said of one application. Another project may use the same id.
    select
        project,
        application_id,
        max(goal_key) % 2 = 1 as is_goal_met,
        max(relevance_millionths) as relevance_millionths,
        max(is_refuted) = 1 as is_unverified
    from (
        select
            project,
            application_id,
            ts_us * 2 + case when success then 1 else 0 end as goal_key,
            cast(null as bigint) as relevance_millionths,
            cast(null as bigint) as is_refuted
        from goal
        where application_id is not null
        union all
        select
            project,
            application_id,
            cast(null as bigint) as goal_key,
            max_by(relevance_millionths, ts_us) as relevance_millionths,
            cast(null as bigint) as is_refuted
        from (
            -- One finding an instant, so that the latest is one and the same whatever the order of rows.
            select project, application_id, ts_us, max(cast(round(score * 1e6) as bigint)) as relevance_millionths
            from relevance
            where application_id is not null and coalesce(method, '') <> 'closedloop:as-read'
            group by project, application_id, ts_us
        ) as rated
        group by project, application_id
        union all
        select
            project,
            application_id,
            cast(null as bigint) as goal_key,
            cast(null as bigint) as relevance_millionths,
            max(is_refuted) as is_refuted
        from (
            select
                project,
                application_id,
                1 - max(ts_us * 2 + case when verified then 1 else 0 end) % 2 as is_refuted
            from citation
            where application_id is not null
            group by project, application_id, path, cited_line
        ) as checked
        group by project, application_id
    ) as said
    group by project, application_id
),
iteration_finding as (
    -- What was said of a pattern in one iteration.
    select
        project,
        run_id,
        iteration,
        pattern,
        max(relevance_millionths) as relevance_millionths,
        max(is_refuted) = 1 as is_unverified
    from (
        select
            project,
            run_id,
            iteration,
            pattern,
            max_by(relevance_millionths, ts_us) as relevance_millionths,
            cast(null as bigint) as is_refuted
        from (
            select
                event.project,
                event.run_id,
                event.iteration,
                named.pattern,
                event.ts_us,
                max(cast(round(event.score * 1e6) as bigint)) as relevance_millionths
            from relevance as event
            inner join attribution as named
                on named.pattern_id = coalesce(event.pattern_id, '') and named.trigger = coalesce(event.trigger, '')
            where event.application_id is null and event.iteration is not null and coalesce(event.method, '') <> 'closedloop:as-read'
            group by event.project, event.run_id, event.iteration, named.pattern, event.ts_us
        ) as rated
        group by project, run_id, iteration, pattern
        union all
        select
            project,
            run_id,
            iteration,
            pattern,
            cast(null as bigint) as relevance_millionths,
            max(is_refuted) as is_refuted
        from (
            select
                event.project,
                event.run_id,
                event.iteration,
                named.pattern,
                1 - max(event.ts_us * 2 + case when event.verified then 1 else 0 end) % 2 as is_refuted
            from citation as event
            inner join attribution as named
                on named.pattern_id = coalesce(event.pattern_id, '') and named.trigger = coalesce(event.trigger, '')
            where event.application_id is null and event.iteration is not null
            group by event.project, event.run_id, event.iteration, named.pattern, event.path, event.cited_line
        ) as checked
        group by project, run_id, iteration, pattern
    ) as said
    group by project, run_id, iteration, pattern
),
-- Two questions rather than one that is used twice: what is used twice is kept whole, with columns that nobody asked for.
run_finding as (
    -- What was said of a pattern in a run as a whole.
    select
        project,
        run_id,
        pattern,
        max(relevance_millionths) as relevance_millionths,
        max(is_refuted) = 1 as is_unverified
    from (
        select
            project,
            run_id,
            pattern,
            max_by(relevance_millionths, ts_us) as relevance_millionths,
            cast(null as bigint) as is_refuted
        from (
            select
                event.project,
                event.run_id,
                named.pattern,
                event.ts_us,
                max(cast(round(event.score * 1e6) as bigint)) as relevance_millionths
            from relevance as event
            inner join attribution as named
                on named.pattern_id = coalesce(event.pattern_id, '') and named.trigger = coalesce(event.trigger, '')
            where event.application_id is null and event.iteration is null and coalesce(event.method, '') <> 'closedloop:as-read'
            group by event.project, event.run_id, named.pattern, event.ts_us
        ) as rated
        group by project, run_id, pattern
        union all
        select
            project,
            run_id,
            pattern,
            cast(null as bigint) as relevance_millionths,
            max(is_refuted) as is_refuted
        from (
            select
                event.project,
                event.run_id,
                named.pattern,
                1 - max(event.ts_us * 2 + case when event.verified then 1 else 0 end) % 2 as is_refuted
            from citation as event
            inner join attribution as named
                on named.pattern_id = coalesce(event.pattern_id, '') and named.trigger = coalesce(event.trigger, '')
            where event.application_id is null and event.iteration is null
            group by event.project, event.run_id, named.pattern, event.path, event.cited_line
        ) as checked
        group by project, run_id, pattern
    ) as said
    group by project, run_id, pattern
),
iteration_goal as (
    select project, run_id, iteration, max(ts_us * 2 + case when success then 1 else 0 end) % 2 = 1 as is_goal_met
    from goal
    where application_id is null and iteration is not null
    group by project, run_id, iteration
),
run_goal as (
    select project, run_id, max(ts_us * 2 + case when success then 1 else 0 end) % 2 = 1 as is_goal_met
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
    coalesce(finding.is_unverified, iteration_finding.is_unverified, run_finding.is_unverified, false) as is_unverified,
    coalesce(finding.is_goal_met, iteration_goal.is_goal_met, run_goal.is_goal_met) as is_goal_met,
    coalesce(
        finding.relevance_millionths, iteration_finding.relevance_millionths, run_finding.relevance_millionths
    ) as relevance_millionths
from application as shown
inner join attribution as named
    on named.pattern_id = coalesce(shown.pattern_id, '') and named.trigger = coalesce(shown.trigger, '')
left join finding
    on finding.project = shown.project and finding.application_id = shown.id
left join iteration_finding
    on iteration_finding.project = shown.project
    and iteration_finding.run_id = shown.run_id
    and iteration_finding.iteration = shown.iteration
    and iteration_finding.pattern = named.pattern
left join run_finding
    on run_finding.project = shown.project
    and run_finding.run_id = shown.run_id
    and run_finding.pattern = named.pattern
left join iteration_goal
    on iteration_goal.project = shown.project
    and iteration_goal.run_id = shown.run_id
    and iteration_goal.iteration = shown.iteration
left join run_goal
    on run_goal.project = shown.project and run_goal.run_id = shown.run_id
