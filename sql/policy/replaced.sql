-- Reports of runs that a later report of the same run replaces.
-- Needs: run
-- Makes: policy_replaced (rows)
-- Grain: (run event).
with ranked as (
    select landing_seq, row_number() over (partition by project, run_id order by landing_seq desc) as age
    from run
)
select landing_seq as seq
from ranked
where age > 1
order by seq asc nulls last
