-- A flag is one of five words, and untested is what was never seen.
-- Grain: (id); returns no rows.
select id, flag, seen
from staged_pattern
where
    flag not in ('', 'UNTESTED', 'REVIEW', 'STALE', 'PRUNE')
    or (flag = 'UNTESTED') <> (seen = 0)
