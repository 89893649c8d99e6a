-- Results of the runs of each skill, in the order of first use. Rows are grouped by result first, which is faster than testing
-- the result of each row twice.
-- Needs: correction, run_skill
-- Makes: policy_skill (rows)
-- Grain: (skill).
with ended as (
    select skill, result, count(*) as runs, min(landing_seq) as first_seq, max(ts_us) as last_us
    from run_skill
    left join correction on correction.seq = run_skill.landing_seq
    where not coalesce(correction.is_replaced, false)
    group by skill, result
)

select
    skill,
    cast(sum(runs) as bigint) as runs,
    cast(coalesce(sum(runs) filter (where result = 'success'), 0) as bigint) as successes,
    cast(coalesce(sum(runs) filter (where result = 'failure'), 0) as bigint) as failures,
    min(first_seq) as first_seq,
    max(last_us) as last_us
from ended
group by skill
order by first_seq asc nulls last, skill asc nulls last
