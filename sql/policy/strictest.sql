-- The lowest score of an adapter since a person last cleared it before an instant, up to a position in the log. The score after
-- each run is considered, so the cadence of cycles does not matter.
-- Needs: cleared, policy_run_adapter
-- Takes: $until_seq, $success_weight, $most_retries, $retry_weight, $quality_weight, $before_us, $before_seq
-- Makes: policy_strictest (rows)
-- Grain: (adapter).
with counted as (
    select adapter, landing_seq, ts_us, success, retries, quality_millionths
    from policy_run_adapter
    where not is_denied and landing_seq <= $until_seq
),

running as (
    select
        adapter,
        landing_seq,
        ts_us,
        cast(count(*) over so_far as double) as runs,
        cast(sum(case when success then 1 else 0 end) over so_far as double) as successes,
        cast(sum(coalesce(retries, 0)) over so_far as double) as retries,
        cast(sum(quality_millionths) over so_far as double) as quality_millionths
    from counted
    window so_far as (partition by adapter order by landing_seq rows between unbounded preceding and current row)
),

scored as (
    select
        running.adapter,
        running.landing_seq,
        running.ts_us,
        running.successes / running.runs * cast($success_weight as double)
        + (1e0 - least(running.retries / running.runs, cast($most_retries as double)) / cast($most_retries as double)) * cast($retry_weight as double)
        + running.quality_millionths / 1e6 / running.runs * cast($quality_weight as double) as score
    from running
),

last_clear as (
    select adapter, max(ts_us) as ts_us, max_by(seq, ts_us) as seq
    from cleared
    where failure_key is null and (ts_us < $before_us or (ts_us = $before_us and seq < $before_seq))
    group by adapter
)

select scored.adapter, min(scored.score) as lowest_score
from scored
left join last_clear on last_clear.adapter = scored.adapter
where
    last_clear.ts_us is null
    or scored.ts_us > last_clear.ts_us
    or (scored.ts_us = last_clear.ts_us and scored.landing_seq > last_clear.seq)
group by scored.adapter
order by scored.adapter asc nulls last
