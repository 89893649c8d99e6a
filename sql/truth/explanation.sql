-- The units that had a coin for one pattern, with how the coin fell and how they went: what the sums of `truth_cell` add up. Where
-- the coin's day was pruned, its event is gone.
-- Needs: attribution, coin, truth_drawn, truth_rule, truth_unit_outcome
-- Takes: $pattern
-- Makes: truth_explanation (rows)
-- Grain: (project, unit).
with placed as (
    select
        coin.project,
        coalesce(coin.unit, coin.run_id) as unit,
        coin.ts_us,
        min(coin.landing_file) as landing_file,
        min(coin.landing_line) as landing_line
    from coin
    inner join attribution as named
        on named.pattern_id = coin.pattern_id and named.trigger = coin.trigger
    where named.pattern = $pattern
    group by coin.project, coalesce(coin.unit, coin.run_id), coin.ts_us
)
select
    drawn.project,
    drawn.unit,
    drawn.first_us,
    drawn.propensity_millionths,
    drawn.is_shown,
    case
        when went.ended_us <= drawn.first_us + rule.settle_us then 'judged'
        when went.ended_us is not null then 'late'
        when drawn.first_us + rule.settle_us > rule.as_of_us then 'pending'
        else 'unjudged'
    end as standing,
    case when went.ended_us <= drawn.first_us + rule.settle_us then went.outcome_hundredths end as outcome_hundredths,
    placed.landing_file,
    placed.landing_line
from truth_drawn as drawn
cross join (select metric, settle_us, as_of_us from truth_rule where is_primary) as rule
left join truth_unit_outcome as went
    on went.metric = rule.metric and went.project = drawn.project and went.unit = drawn.unit
left join placed
    on placed.project = drawn.project and placed.unit = drawn.unit and placed.ts_us = drawn.first_us
where drawn.pattern = $pattern
order by drawn.first_us asc nulls last, drawn.project asc nulls last, drawn.unit asc nulls last
