-- The evidence about each pattern by task, where tasks are named: what happens in runs of one task is no independent evidence, so
-- intervals are computed from tasks. The sums are those of `rollup_evidence`.
-- Needs: attribution, outcome, past_task
-- Makes: task (rows)
-- Grain: (pattern, project, unit).
with judged as (
    select
        pattern,
        project,
        unit,
        status = 'applied' and not is_unverified as is_credited,
        is_goal_met,
        coalesce(is_build_failed, false) as is_build_failed,
        relevance_millionths is not null as is_rated,
        1 as applications,
        relevance_millionths
    from outcome
    where unit is not null and pattern is not null and status in ('applied', 'injected')
    union all
    select
        named.pattern,
        past.project,
        past.unit,
        past.status = 'applied' and not past.is_unverified as is_credited,
        past.is_goal_met,
        coalesce(past.is_build_failed, false) as is_build_failed,
        past.is_rated,
        past.applications,
        past.relevance_millionths
    from past_task as past
    inner join attribution as named
        on named.pattern_id = past.pattern_id and named.trigger = past.trigger
    where past.status in ('applied', 'injected')
)
select
    pattern,
    project,
    unit,
    cast(sum(applications) as bigint) as seen,
    cast(coalesce(sum(applications) filter (where is_credited and is_goal_met), 0) as bigint) as met,
    cast(coalesce(sum(applications) filter (where is_credited and is_goal_met is null), 0) as bigint) as unjudged,
    cast(coalesce(sum(applications) filter (where is_credited and not is_goal_met and is_rated), 0) as bigint) as missed_rated,
    cast(coalesce(sum(applications) filter (where is_credited and not is_goal_met and not is_rated), 0) as bigint) as missed_unrated,
    cast(coalesce(sum(relevance_millionths) filter (where is_credited and not is_goal_met), 0) as bigint) as missed_relevance_millionths,
    cast(
        coalesce(sum(applications) filter (where is_build_failed and is_credited and coalesce(is_goal_met, true) and not is_rated), 0)
        as bigint
    ) as failed_unrated,
    cast(
        coalesce(sum(relevance_millionths) filter (where is_build_failed and is_credited and coalesce(is_goal_met, true)), 0) as bigint
    ) as failed_relevance_millionths,
    cast(
        coalesce(sum(applications) filter (where is_build_failed and is_credited and not is_goal_met and not is_rated), 0) as bigint
    ) as failed_missed_unrated,
    cast(
        coalesce(sum(relevance_millionths) filter (where is_build_failed and is_credited and not is_goal_met), 0) as bigint
    ) as failed_missed_relevance_millionths
from judged
group by pattern, project, unit
order by pattern asc nulls last, project asc nulls last, unit asc nulls last
