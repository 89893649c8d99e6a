-- The coins of pruned days: of each unit the first for each way of naming a pattern. Units stay apart, so that a coin of a kept day
-- is known to be a later one, and a goal that is judged late still counts.
-- Needs: coin, past_coin
-- Takes: $before
-- Makes: prune_coin (rows)
-- Grain: (project, pattern_id, trigger, run_id, unit).
select
    project,
    pattern_id,
    trigger,
    run_id,
    unit,
    first_us,
    cast(floor(cast(face as double) / 2e0) as bigint) as propensity_millionths,
    face % 2 = 1 as is_shown
from (
    select
        project,
        pattern_id,
        trigger,
        run_id,
        unit,
        min(ts_us) as first_us,
        cast(
            min(cast(ts_us as decimal(28, 0)) * 10000000 + face) - cast(min(ts_us) as decimal(28, 0)) * 10000000 as bigint
        ) as face
    from (
        select
            coin.project,
            coin.pattern_id,
            coin.trigger,
            coin.run_id,
            coin.unit,
            coin.ts_us,
            coin.propensity_millionths * 2 + case when coin.is_shown then 1 else 0 end as face
        from coin
        where coin.date < cast($before as date)
        union all
        select
            project,
            pattern_id,
            trigger,
            run_id,
            unit,
            first_us as ts_us,
            propensity_millionths * 2 + case when is_shown then 1 else 0 end as face
        from past_coin
    ) as kept
    group by project, pattern_id, trigger, run_id, unit
) as first_coin
order by
    project asc nulls last,
    pattern_id asc nulls last,
    trigger asc nulls last,
    run_id asc nulls last,
    unit asc nulls last
