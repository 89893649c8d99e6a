-- The summary of each set of patterns. If there are several, the one that landed last.
-- Needs: summary
-- Makes: latest_summary (rows)
-- Grain: (set_hash).
with latest as (
    select
        set_hash,
        max(landing_seq) as landing_seq
    from summary
    group by set_hash
)
select
    summary.set_hash,
    summary.text
from latest
inner join summary
    on summary.landing_seq = latest.landing_seq
order by summary.set_hash asc nulls last
