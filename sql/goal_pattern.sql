-- For each goal and pattern: in how many runs the pattern was used without a refuted citation, and how many of these runs
-- passed.
-- Needs: application, attribution, finding, goal_run, past_use
-- Makes: goal_pattern (rows)
-- Grain: (goal, pattern).
with used as (
    select shown.project, shown.run_id, named.pattern
    from application as shown
    -- Only a few runs are considered, so all others are filtered out first.
    inner join (select distinct project, run_id from goal_run) as recent
        on recent.project = shown.project and recent.run_id = shown.run_id
    inner join attribution as named
        on named.pattern_id = coalesce(shown.pattern_id, '') and named.trigger = coalesce(shown.trigger, '')
    left join (select project, application_id, is_unverified from finding where application_id is not null) as own
        on own.project = shown.project and own.application_id = shown.id
    left join (
        select project, run_id, iteration, pattern, is_unverified
        from finding
        where application_id is null and iteration is not null and agent is null and pattern is not null
    ) as turn
        on turn.project = shown.project
        and turn.run_id = shown.run_id
        and turn.iteration = shown.iteration
        and turn.pattern = named.pattern
    left join (
        select project, run_id, iteration, agent, pattern, is_unverified
        from finding
        where application_id is null and iteration is not null and agent is not null
    ) as turn_claim
        on turn_claim.project = shown.project
        and turn_claim.run_id = shown.run_id
        and turn_claim.iteration = shown.iteration
        and turn_claim.agent = shown.agent
        and turn_claim.pattern = named.pattern
    left join (
        select project, run_id, pattern, is_unverified
        from finding
        where application_id is null and iteration is null and agent is null and pattern is not null
    ) as run
        on run.project = shown.project and run.run_id = shown.run_id and run.pattern = named.pattern
    left join (
        select project, run_id, agent, pattern, is_unverified
        from finding
        where application_id is null and iteration is null and agent is not null
    ) as run_claim
        on run_claim.project = shown.project
        and run_claim.run_id = shown.run_id
        and run_claim.agent = shown.agent
        and run_claim.pattern = named.pattern
    where
        shown.status = 'applied'
        and not coalesce(
            own.is_unverified, turn_claim.is_unverified, turn.is_unverified, run_claim.is_unverified, run.is_unverified, false
        )
    group by shown.project, shown.run_id, named.pattern
    union
    select past.project, past.run_id, named.pattern
    from past_use as past
    inner join attribution as named
        on named.pattern_id = past.pattern_id and named.trigger = past.trigger
)
select
    ended.goal,
    used.pattern,
    count(*) as runs,
    cast(sum(case when ended.is_passed then 1 else 0 end) as bigint) as passed
from used
inner join goal_run as ended
    on ended.project = used.project and ended.run_id = used.run_id
group by ended.goal, used.pattern
order by ended.goal asc nulls last, used.pattern asc nulls last
