-- How the coin of each unit fell, for each pattern that it had a coin for, for the loop (pattern 0) and for experiments. The first
-- coin counts, whatever a later publication made of it: leaving such units out would select by what came of them.
-- Needs: assignment, attribution, coin, past_coin
-- Makes: truth_drawn (table)
-- Grain: (pattern, experiment, project, unit); run_id is the run in which the coin was tossed first.
with tossed as (
    select
        named.pattern,
        '' as experiment,
        every.project,
        every.unit,
        every.ts_us,
        every.run_key,
        every.propensity_millionths * 2 + case when every.is_shown then 1 else 0 end as face
    from (
        select
            project,
            pattern_id,
            trigger,
            coalesce(unit, run_id) as unit,
            ts_us,
            -- The instant in 19 digits before the run: the least of these is the first run. One that names no task needs none.
            case when unit is not null then concat(cast(ts_us + 1000000000000000000 as string), run_id) end as run_key,
            propensity_millionths,
            is_shown
        from coin
        union all
        select
            project,
            pattern_id,
            trigger,
            coalesce(unit, run_id) as unit,
            first_us as ts_us,
            case when unit is not null then concat(cast(first_us + 1000000000000000000 as string), run_id) end as run_key,
            propensity_millionths,
            is_shown
        from past_coin
    ) as every
    inner join attribution as named
        on named.pattern_id = every.pattern_id and named.trigger = every.trigger
    union all
    select
        case when experiment is null then 0 end as pattern,
        coalesce(experiment, '') as experiment,
        project,
        coalesce(unit, run_id) as unit,
        ts_us,
        case when unit is not null then concat(cast(ts_us + 1000000000000000000 as string), run_id) end as run_key,
        propensity_millionths * 2 + case when arm = 'on' then 1 else 0 end as face
    from assignment
    where propensity_millionths > 0 and propensity_millionths < 1000000
)
select
    pattern,
    experiment,
    project,
    unit,
    coalesce(substr(run_key, 20), unit) as run_id,
    first_us,
    cast(floor(cast(face as double) / 2e0) as bigint) as propensity_millionths,
    face % 2 = 1 as is_shown
from (
    select
        pattern,
        experiment,
        project,
        unit,
        min(ts_us) as first_us,
        min(run_key) as run_key,
        -- The instant and the coin in one number: its minimum is the first coin, in whatever order they landed.
        cast(
            min(cast(ts_us as decimal(28, 0)) * 10000000 + face) - cast(min(ts_us) as decimal(28, 0)) * 10000000 as bigint
        ) as face
    from tossed
    group by pattern, experiment, project, unit
) as first_coin
