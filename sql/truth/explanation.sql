-- The units that had a coin for one pattern, for the loop (pattern 0) or for an experiment (pattern -1 and its name), with how the coin fell and how they went: what the sums of `truth_cell` add up. Where
-- the coin's day was pruned, its event is gone.
-- Needs: assignment, attribution, coin, truth_drawn, truth_later_outcome, truth_rule, truth_unit_outcome
-- Takes: $pattern, $experiment
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
    union all
    select
        project,
        coalesce(unit, run_id) as unit,
        ts_us,
        min(landing_file) as landing_file,
        min(landing_line) as landing_line
    from assignment
    where case when experiment is null then 0 else -1 end = $pattern and coalesce(experiment, '') = $experiment
    group by project, coalesce(unit, run_id), ts_us
),
judged as (
    select
        drawn.project,
        drawn.unit,
        drawn.first_us,
        drawn.propensity_millionths,
        drawn.is_shown,
        rule.settle_us,
        rule.as_of_us,
        coalesce(
            case when went.ended_us >= drawn.first_us or went.run_id = drawn.run_id then went.ended_us end, later.ended_us
        ) as ended_us,
        coalesce(
            case when went.ended_us >= drawn.first_us or went.run_id = drawn.run_id then went.outcome_hundredths end, later.outcome_hundredths
        ) as outcome_hundredths
    from truth_drawn as drawn
    cross join (select metric, settle_us, as_of_us from truth_rule where is_primary) as rule
    left join truth_unit_outcome as went
        on went.metric = rule.metric
        and went.project = drawn.project
        and went.unit = drawn.unit
    left join truth_later_outcome as later
        on later.metric = rule.metric
        and later.project = drawn.project
        and later.unit = drawn.unit
        and later.experiment = drawn.experiment
        and coalesce(later.pattern, -1) = coalesce(drawn.pattern, -1)
    where coalesce(drawn.pattern, -1) = $pattern and drawn.experiment = $experiment
)
select
    judged.project,
    judged.unit,
    judged.first_us,
    judged.propensity_millionths,
    judged.is_shown,
    case
        when judged.ended_us <= judged.first_us + judged.settle_us then 'judged'
        when judged.ended_us is not null then 'late'
        when judged.first_us + judged.settle_us > judged.as_of_us then 'pending'
        else 'unjudged'
    end as standing,
    case when judged.ended_us <= judged.first_us + judged.settle_us then judged.outcome_hundredths end as outcome_hundredths,
    placed.landing_file,
    placed.landing_line
from judged
left join placed
    on placed.project = judged.project and placed.unit = judged.unit and placed.ts_us = judged.first_us
order by judged.first_us asc nulls last, judged.project asc nulls last, judged.unit asc nulls last
