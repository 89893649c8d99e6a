-- Every sighting is either applied or injected, and every credited sighting is applied.
-- Needs: nothing
-- Takes: staged_pattern
-- Makes: audit_count (rows)
-- Grain: (id); returns no rows.
select id, seen, applied, injected, unverified
from staged_pattern
where
    seen <> applied + injected
    or applied <> unverified + met + unjudged + missed_rated + missed_unrated
    or seen < 0
