-- The same as `prune_application` by task, for applications that name one: intervals are computed from tasks.
-- Needs: outcome, past_task
-- Takes: $before
-- Makes: prune_task (rows)
-- Grain: (project, pattern_id, trigger, unit, status, is_unverified, is_goal_met, is_build_failed, is_rated).
select
    project,
    pattern_id,
    trigger,
    unit,
    status,
    is_unverified,
    is_goal_met,
    is_build_failed,
    is_rated,
    cast(sum(applications) as bigint) as applications,
    cast(sum(relevance_millionths) as bigint) as relevance_millionths,
    min(first_us) as first_us,
    max(last_us) as last_us
from (
    select
        outcome.project,
        outcome.pattern_id,
        outcome.trigger,
        outcome.unit,
        outcome.status,
        outcome.is_unverified,
        outcome.is_goal_met,
        outcome.is_build_failed,
        outcome.relevance_millionths is not null as is_rated,
        1 as applications,
        outcome.relevance_millionths,
        outcome.ts_us as first_us,
        outcome.ts_us as last_us
    from outcome
    where outcome.date < cast($before as date) and outcome.unit is not null
    union all
    select
        project,
        pattern_id,
        trigger,
        unit,
        status,
        is_unverified,
        is_goal_met,
        is_build_failed,
        is_rated,
        applications,
        relevance_millionths,
        first_us,
        last_us
    from past_task
) as kept
group by project, pattern_id, trigger, unit, status, is_unverified, is_goal_met, is_build_failed, is_rated
order by
    project asc nulls last,
    pattern_id asc nulls last,
    trigger asc nulls last,
    unit asc nulls last,
    status asc nulls last,
    is_unverified asc nulls last,
    is_goal_met asc nulls last,
    is_build_failed asc nulls last,
    is_rated asc nulls last
