-- A flag is one of five words, and a pattern is untested exactly if it was never seen, neither here nor elsewhere.
-- Needs: nothing
-- Takes: staged_pattern
-- Makes: audit_flag (rows)
-- Grain: (id); returns no rows.
select id, flag, seen, history
from staged_pattern
where
    flag not in ('', 'UNTESTED', 'REVIEW', 'STALE', 'PRUNE')
    or (flag = 'UNTESTED') <> (seen = 0 and history = 0)
