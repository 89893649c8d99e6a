-- How the runs of each skill ended, in the order in which skills were first seen.
-- Grain: (skill).
select
    skill,
    count(*) as runs,
    count(*) filter (where result = 'success') as successes,
    count(*) filter (where result = 'failure') as failures,
    min(landing_seq) as first_seq,
    max(ts_us) as last_us
from run_skill
left join replaced on replaced.seq = run_skill.landing_seq
where replaced.seq is null
group by skill
order by first_seq asc nulls last, skill asc nulls last
