-- Applications with their pattern and what was found out about them, for analysts: single ones from a day on, older ones summed with
-- those of pruned days, by pattern and effect.
-- Needs: attribution, outcome, past_application
-- Takes: $first_day
-- Makes: table_outcome (rows)
-- Grain: (application, pattern) from `$first_day` on; (project, pattern, tier, status, is_unverified, is_goal_met, is_build_failed,
-- is_rated) before.
with older as (
    select
        project,
        pattern,
        tier,
        status,
        is_unverified,
        is_goal_met,
        is_build_failed,
        relevance_millionths is not null as is_rated,
        1 as applications,
        relevance_millionths,
        ts_us as first_us,
        ts_us as last_us
    from outcome
    where date < cast($first_day as date)
    union all
    select
        past.project,
        named.pattern,
        named.tier,
        past.status,
        past.is_unverified,
        past.is_goal_met,
        past.is_build_failed,
        past.is_rated,
        past.applications,
        past.relevance_millionths,
        past.first_us,
        past.last_us
    from past_application as past
    left join attribution as named
        on named.pattern_id = past.pattern_id and named.trigger = past.trigger
)
select
    cast(null as varchar) as id,
    max(last_us) as ts_us,
    min(first_us) as first_us,
    project,
    cast(null as varchar) as run_id,
    cast(null as bigint) as iteration,
    cast(null as varchar) as agent,
    cast(null as varchar) as unit,
    pattern,
    tier,
    cast(null as varchar) as named_id,
    cast(null as varchar) as named_text,
    status,
    cast(null as varchar) as tool,
    cast(null as boolean) as acted,
    is_unverified,
    is_goal_met,
    cast(sum(relevance_millionths) as bigint) as relevance_millionths,
    is_build_failed,
    cast(sum(applications) as bigint) as applications,
    cast(null as bigint) as landing_seq,
    cast(null as varchar) as landing_file,
    cast(null as bigint) as landing_line
from older
group by project, pattern, tier, status, is_unverified, is_goal_met, is_build_failed, is_rated
union all
select
    id,
    ts_us,
    ts_us as first_us,
    project,
    run_id,
    iteration,
    agent,
    unit,
    pattern,
    tier,
    nullif(pattern_id, '') as named_id,
    nullif(trigger, '') as named_text,
    status,
    tool,
    acted,
    is_unverified,
    is_goal_met,
    relevance_millionths,
    is_build_failed,
    cast(1 as bigint) as applications,
    landing_seq,
    landing_file,
    landing_line
from outcome
where date >= cast($first_day as date)
order by
    landing_seq asc nulls first,
    pattern asc nulls last,
    project asc nulls last,
    tier asc nulls last,
    status asc nulls last,
    is_unverified asc nulls last,
    is_goal_met asc nulls last,
    is_build_failed asc nulls last,
    relevance_millionths asc nulls last
