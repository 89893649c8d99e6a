-- The sums that are kept of one pattern's applications on pruned days.
-- Needs: attribution, past_application
-- Takes: $pattern
-- Makes: past_explanation (rows)
-- Grain: (project, pattern_id, trigger, status, is_unverified, is_goal_met, is_build_failed, is_rated).
select
    past.project,
    past.status,
    named.tier,
    past.is_unverified,
    past.is_goal_met,
    past.is_build_failed,
    past.is_rated,
    past.applications,
    past.relevance_millionths,
    past.first_us,
    past.last_us
from past_application as past
inner join attribution as named
    on named.pattern_id = past.pattern_id and named.trigger = past.trigger
where named.pattern = $pattern
order by past.first_us asc nulls last, past.project asc nulls last, past.status asc nulls last, past.applications asc nulls last
