-- Published patterns have ids, and no two share one.
-- Needs: nothing
-- Takes: staged_pattern
-- Makes: audit_pattern_id (rows)
-- Grain: (id); returns no rows.
select id, count(*) as patterns
from staged_pattern
group by id
having count(*) > 1 or id is null
