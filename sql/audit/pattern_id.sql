-- No two published patterns may share an id, and none may be without one.
-- Needs: nothing
-- Takes: staged_pattern
-- Makes: audit_pattern_id (rows)
-- Grain: (id); returns no rows.
select id, count(*) as patterns
from staged_pattern
group by id
having count(*) > 1 or id is null
