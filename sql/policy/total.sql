-- How runs ended, by risk; and where in the log they lie.
-- Grain: (result, risk).
select
    result,
    risk,
    count(*) as runs,
    count(*) filter (where not is_denied) as counted,
    min(landing_seq) as first_seq,
    max(landing_seq) as last_seq,
    max(ts_us) as last_us,
    max(ts_us) filter (where not is_denied) as last_counted_us
from run
left join replaced on replaced.seq = run.landing_seq
where replaced.seq is null
group by result, risk
order by result asc nulls last, risk asc nulls last
