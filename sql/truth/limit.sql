-- What tokens and time of a run are compared with: the median of the runs of the 30 days before each period, which no coin of the
-- period can have changed. Where these are fewer than 20, the first 20 runs of all stand in for them.
-- Needs: infrastructure, run, truth_period
-- Makes: truth_limit (table)
-- Grain: (metric, begin_us).
with measured as (
    select metric, ts_us, value
    from (
        select 'tokens' as metric, ts_us, tokens as value, failure_key from run
        union all
        select 'duration' as metric, ts_us, duration_ms as value, failure_key from run
    ) as told
    where value is not null and replace(replace(coalesce(failure_key, ''), '_', '-'), ' ', '-') not in (select failure_key from infrastructure)
),
early as (
    select metric, value
    from (
        select metric, value, row_number() over (partition by metric order by ts_us asc nulls last, value asc nulls last) as turn
        from measured
    ) as counted
    where turn <= 20
),
before as (
    select period.begin_us, measured.metric, measured.value
    from truth_period as period
    inner join measured
        on measured.ts_us >= period.begin_us - 2592000000000 and measured.ts_us < period.begin_us
),
enough as (
    select begin_us, metric
    from before
    group by begin_us, metric
    having count(*) >= 20
),
compared as (
    select before.begin_us, before.metric, before.value
    from before
    inner join enough
        on enough.begin_us = before.begin_us and enough.metric = before.metric
    union all
    select period.begin_us, early.metric, early.value
    from truth_period as period
    cross join early
    left join enough
        on enough.begin_us = period.begin_us and enough.metric = early.metric
    where enough.metric is null
),
placed as (
    select
        begin_us,
        metric,
        value,
        row_number() over (partition by begin_us, metric order by value asc nulls last) as place,
        count(*) over (partition by begin_us, metric) as runs
    from compared
)
select period.begin_us, period.end_us, placed.metric, placed.value as most
from placed
inner join truth_period as period
    on period.begin_us = placed.begin_us
-- The lower of both middle ones, where their number is even.
where placed.place * 2 = placed.runs + placed.runs % 2
