-- Whether there is anything to measure: coins that were tossed and when the first was, exposures that hooks recorded, and outcomes
-- that somebody judged.
-- Needs: application, assignment, coin, goal, past_coin, run
-- Makes: truth_holding (rows)
-- Grain: one row.
select
    tossed.coins,
    tossed.first_us,
    shown.exposures,
    met.goals,
    ended.runs
from (
    select cast(count(*) as bigint) as coins, min(ts_us) as first_us
    from (
        select ts_us from coin
        union all
        select ts_us from assignment where propensity_millionths > 0 and propensity_millionths < 1000000
        union all
        select first_us as ts_us from past_coin
    ) as every
) as tossed
cross join (
    -- Hooks name the session; logs of other systems that merely report what was shown do not.
    select cast(count(*) as bigint) as exposures from application where session is not null and status <> 'withheld'
) as shown
cross join (select cast(count(*) as bigint) as goals from goal where coalesce(measured, true)) as met
cross join (select cast(count(*) as bigint) as runs from run) as ended
