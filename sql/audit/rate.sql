-- A rate lies between 0 and 1 and inside its interval, which lies between 0 and 1 too. Only a pattern that was seen has a rate
-- of its own.
-- Needs: nothing
-- Takes: staged_pattern
-- Makes: audit_rate (rows)
-- Grain: (id); returns no rows.
select id, rate, lower, upper, seen
from staged_pattern
where
    (rate is not null and (rate < 0e0 or rate > 1e0))
    or lower < 0e0
    or upper > 1e0
    or (seen = 0 and rate is not null)
    or (seen > 0 and (rate is null or lower is null or upper is null))
    or (seen > 0 and (lower > rate + 1e-9 or upper < rate - 1e-9))
