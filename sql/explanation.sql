-- The applications behind one pattern's figures, in time order.
-- Needs: outcome
-- Takes: $pattern
-- Makes: explanation (rows)
-- Grain: (application).
select
    outcome.id,
    outcome.ts_us,
    outcome.project,
    outcome.run_id,
    outcome.iteration,
    outcome.agent,
    outcome.status,
    outcome.tool,
    outcome.acted,
    outcome.landing_file,
    outcome.landing_line,
    outcome.pattern,
    outcome.tier,
    outcome.is_unverified,
    outcome.is_checked,
    outcome.is_goal_met,
    outcome.relevance_millionths,
    outcome.is_build_failed
from outcome
where outcome.pattern = $pattern
order by outcome.ts_us asc nulls last, outcome.landing_seq asc nulls last
