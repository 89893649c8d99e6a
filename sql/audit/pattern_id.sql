-- No two published patterns may share an id, and none may be without one.
-- Grain: (id); returns no rows.
select id, count(*) as patterns
from staged_pattern
group by id
having count(*) > 1 or id is null
