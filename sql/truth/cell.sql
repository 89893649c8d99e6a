-- The sums behind every verdict: how many units drew which coin, which arm and which outcome, by the day of their coin and by what
-- a person had restarted before. Whole numbers, so that days can be added. Guards are summed over judged units only.
-- Needs: truth_drawn, truth_restart, truth_rule, truth_unit_outcome
-- Makes: truth_cell (rows)
-- Grain: (metric, pattern, experiment, begun_us, day, propensity_millionths, is_shown, standing, outcome_hundredths); the outcome is
-- null where nobody judged in time.
with dated as (
    select
        drawn.pattern,
        drawn.experiment,
        drawn.project,
        drawn.unit,
        drawn.first_us,
        cast(floor(cast(drawn.first_us as double) / 86400000000e0) as bigint) as day,
        drawn.propensity_millionths,
        drawn.is_shown,
        restart.begin_us as begun_us
    from truth_drawn as drawn
    left join truth_restart as restart
        on restart.pattern = drawn.pattern and drawn.first_us >= restart.begin_us and drawn.first_us < restart.end_us
),
standing as (
    select
        rule.metric,
        dated.pattern,
        dated.experiment,
        dated.begun_us,
        dated.day,
        dated.propensity_millionths,
        dated.is_shown,
        case
            when went.ended_us <= dated.first_us + rule.settle_us then 'judged'
            when went.ended_us is not null then 'late'
            when dated.first_us + rule.settle_us > rule.as_of_us then 'pending'
            else 'unjudged'
        end as standing,
        case when went.ended_us <= dated.first_us + rule.settle_us then went.outcome_hundredths end as outcome_hundredths
    from dated
    cross join (select metric, settle_us, as_of_us from truth_rule where is_primary) as rule
    left join truth_unit_outcome as went
        on went.metric = rule.metric and went.project = dated.project and went.unit = dated.unit
    union all
    select
        rule.metric,
        dated.pattern,
        dated.experiment,
        dated.begun_us,
        dated.day,
        dated.propensity_millionths,
        dated.is_shown,
        'judged' as standing,
        went.outcome_hundredths
    from truth_unit_outcome as went
    inner join (select metric, settle_us from truth_rule where not is_primary) as rule
        on rule.metric = went.metric
    inner join dated
        on dated.project = went.project and dated.unit = went.unit
    where went.ended_us <= dated.first_us + rule.settle_us
)
select
    metric,
    pattern,
    experiment,
    begun_us,
    day,
    propensity_millionths,
    is_shown,
    standing,
    outcome_hundredths,
    count(*) as units
from standing
group by metric, pattern, experiment, begun_us, day, propensity_millionths, is_shown, standing, outcome_hundredths
order by
    metric asc nulls last,
    pattern asc nulls last,
    experiment asc nulls last,
    begun_us asc nulls last,
    day asc nulls last,
    propensity_millionths asc nulls last,
    is_shown asc nulls last,
    standing asc nulls last,
    outcome_hundredths asc nulls last
