-- Why reports of runs went to quarantine, with counts.
-- Needs: quarantine
-- Makes: policy_refusal (rows)
-- Grain: (code).
select code, count(*) as lines, min(reason) as example
from quarantine
where kind = 'run'
group by code
order by lines desc nulls last, code asc nulls last
