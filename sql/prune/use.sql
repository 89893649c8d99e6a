-- Which patterns were used in runs on pruned days without a refuted citation, by the id and text that name them.
-- Needs: outcome, past_use
-- Takes: $before
-- Makes: prune_use (rows)
-- Grain: (project, run_id, pattern_id, trigger).
select project, run_id, pattern_id, trigger
from (
    select outcome.project, outcome.run_id, outcome.pattern_id, outcome.trigger
    from outcome
    where outcome.date < cast($before as date) and outcome.status = 'applied' and not outcome.is_unverified
    union all
    select project, run_id, pattern_id, trigger
    from past_use
) as kept
group by project, run_id, pattern_id, trigger
order by project asc nulls last, run_id asc nulls last, pattern_id asc nulls last, trigger asc nulls last
