-- The lessons that were captured, in the order in which they landed: what the pattern book is folded from.
-- Grain: (learning).
select
    id,
    ts_us,
    project,
    landing_seq,
    landing_file,
    landing_line,
    pattern_id,
    -- An agent that wrote no summary has still said what it did or what it saw.
    coalesce(summary, fix, what) as summary,
    trigger,
    category,
    scope,
    repo,
    confidence,
    applies_to,
    tags,
    seen_count,
    success_rate
from landed_learning
where not coalesce(no_learnings, false)
order by landing_seq asc nulls last
