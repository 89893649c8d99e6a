-- Why lines went to quarantine, with counts.
-- Needs: quarantine
-- Makes: refusal (rows)
-- Grain: (code).
select code, count(*) as lines, min(reason) as example
from quarantine
group by code
order by lines desc nulls last, code asc nulls last
