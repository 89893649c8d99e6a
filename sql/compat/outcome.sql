-- Every application as the original reads its log, in log order: the first goal of a row wins, relevance stays as written, and a
-- row counts for every pattern that its text matches. A pattern shown beside a tool call, which the original does not log, was
-- only offered.
-- Needs: application, attribution, citation, goal, relevance
-- Makes: compat_outcome (rows)
-- Grain: (application, pattern).
with application_goal as (
    select project, application_id, min(ts_us * 2 + case when success then 0 else 1 end) as goal_key
    from goal
    where application_id is not null
    group by project, application_id
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
),
application_relevance as (
    select
        project,
        application_id,
        -- Where the original misreads a row, the importer kept the original's value beside ours.
        max(as_read) as as_read,
        max_by(score, time_key) as score
    from (
        -- Of two at the same instant, the higher one.
        select project, application_id, time_key, max(as_read) as as_read, max(score) as score
        from (
            select
                project,
                application_id,
                case when method = 'closedloop:as-read' then 0 else ts_us end as time_key,
                case when method = 'closedloop:as-read' then raw_score end as as_read,
                coalesce(raw_score, score) as score
            from relevance
            where application_id is not null
        ) as written
        group by project, application_id, time_key
    ) as written_last
    group by project, application_id
),
application_citation as (
    select project, application_id, bool_or(not verified) as is_unverified
    from citation
    where application_id is not null
    group by project, application_id
)
select
    shown.id,
    shown.ts_us,
    shown.landing_seq,
    shown.landing_file,
    shown.landing_line,
    shown.run_id,
    shown.iteration,
    shown.agent,
    case when shown.status = 'injected' and shown.tool is not null then 'offered' else shown.status end as status,
    named.pattern,
    named.tier,
    coalesce(application_citation.is_unverified, false) as is_unverified,
    case
        when application_goal.goal_key is not null then application_goal.goal_key % 2 = 0
        else coalesce(iteration_goal.goal_key, run_goal.goal_key) % 2 = 1
    end as is_goal_met,
    coalesce(application_relevance.as_read, application_relevance.score) as relevance
from application as shown
inner join attribution as named
    on named.pattern_id = coalesce(shown.pattern_id, '') and named.trigger = coalesce(shown.trigger, '')
left join application_goal
    on application_goal.project = shown.project and application_goal.application_id = shown.id
left join iteration_goal
    on iteration_goal.project = shown.project
    and iteration_goal.run_id = shown.run_id
    and iteration_goal.iteration = shown.iteration
left join run_goal on run_goal.project = shown.project and run_goal.run_id = shown.run_id
left join application_relevance
    on application_relevance.project = shown.project and application_relevance.application_id = shown.id
left join application_citation
    on application_citation.project = shown.project and application_citation.application_id = shown.id
order by shown.landing_seq asc nulls last, named.pattern asc nulls last
