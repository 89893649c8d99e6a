-- What an analyst would write by hand for the same figures: each pattern's sightings, weights, rate and iterations since.
-- Patterns are found by id or by their exact text only; there is no fold, no fuzzy match, no interval, no file.
-- Grain: (pattern).
with lesson as (
    select pattern_id as pattern, any_value(summary) as summary from learning where pattern_id is not null group by pattern_id
),
goal_of as (
    select project, run_id, iteration, arg_max(success, ts) as success from goal group by all
),
relevance_of as (
    select project, run_id, iteration, pattern_id, arg_max(score, ts) as score from relevance group by all
),
refuted as (
    select project, run_id, iteration, pattern_id, bool_or(not verified) as is_refuted
    from (
        select project, run_id, iteration, pattern_id, path, arg_max(verified, ts) as verified from citation group by all
    )
    group by all
),
shown as (
    select
        coalesce(by_id.pattern, by_text.pattern) as pattern,
        a.project, a.run_id, a.iteration, a.ts, a.status,
        g.success, r.score, coalesce(c.is_refuted, false) as is_refuted
    from application a
    left join lesson by_id on by_id.pattern = a.pattern_id
    left join lesson by_text on by_text.summary = a.trigger
    left join goal_of g on g.project = a.project and g.run_id = a.run_id and g.iteration = a.iteration
    left join relevance_of r
        on r.project = a.project and r.run_id = a.run_id and r.iteration = a.iteration
        and r.pattern_id = coalesce(by_id.pattern, by_text.pattern)
    left join refuted c
        on c.project = a.project and c.run_id = a.run_id and c.iteration = a.iteration
        and c.pattern_id = coalesce(by_id.pattern, by_text.pattern)
),
counted as (
    select
        pattern,
        list(distinct project) as projects,
        count(*) filter (where status <> 'withheld') as seen,
        count(*) filter (where status = 'applied') as applied,
        count(*) filter (where status = 'injected') as injected,
        count(*) filter (where status = 'applied' and is_refuted) as unverified,
        sum(case
            when status <> 'applied' or is_refuted then 0
            when success is null or success then 1
            else 0.5 * coalesce(score, 0.5)
        end) as weight,
        min(ts) as first_seen,
        max(ts) as last_seen
    from shown
    where pattern is not null
    group by pattern
),
iteration_of as (
    select project, run_id, iteration, min(ts) as started from application where iteration is not null group by all
),
later as (
    select counted.pattern, count(*) as iterations_since
    from counted
    join iteration_of on list_contains(counted.projects, iteration_of.project) and iteration_of.started > counted.last_seen
    group by counted.pattern
)
select counted.*, weight / seen as rate, coalesce(iterations_since, 0) as iterations_since
from counted
left join later using (pattern)
order by pattern
