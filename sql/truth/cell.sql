-- The sums behind every verdict: how many units drew which coin, which arm and which outcome, by the day of their coin and by what
-- a person had restarted before. Whole numbers, so that days can be added. Guards are summed over judged units only.
-- Needs: truth_drawn, truth_later_outcome, truth_restart, truth_rule, truth_unit_outcome
-- Makes: truth_cell (rows)
-- Grain: (metric, pattern, experiment, begun_us, day, propensity_millionths, is_shown, standing, outcome_hundredths); the outcome is
-- null where nobody judged in time.
with dated as (
    select
        drawn.pattern,
        drawn.experiment,
        drawn.project,
        drawn.unit,
        drawn.run_id,
        drawn.first_us,
        cast(floor(cast(drawn.first_us as double) / 86400000000e0) as bigint) as day,
        drawn.propensity_millionths,
        drawn.is_shown,
        restart.begin_us as begun_us
    from truth_drawn as drawn
    left join truth_restart as restart
        on restart.pattern = drawn.pattern and drawn.first_us >= restart.begin_us and drawn.first_us < restart.end_us
),
judged as (
    -- What was over before the coin was tossed cannot be its effect.
    select
        rule.metric,
        rule.settle_us,
        rule.as_of_us,
        dated.pattern,
        dated.experiment,
        dated.begun_us,
        dated.day,
        dated.first_us,
        dated.propensity_millionths,
        dated.is_shown,
        coalesce(
            case when went.ended_us >= dated.first_us or went.run_id = dated.run_id then went.ended_us end, later.ended_us
        ) as ended_us,
        coalesce(
            case when went.ended_us >= dated.first_us or went.run_id = dated.run_id then went.outcome_hundredths end, later.outcome_hundredths
        ) as outcome_hundredths
    from dated
    cross join (select metric, settle_us, as_of_us from truth_rule where is_primary) as rule
    left join truth_unit_outcome as went
        on went.metric = rule.metric
        and went.project = dated.project
        and went.unit = dated.unit
    left join truth_later_outcome as later
        on later.metric = rule.metric
        and later.project = dated.project
        and later.unit = dated.unit
        and later.experiment = dated.experiment
        and coalesce(later.pattern, -1) = coalesce(dated.pattern, -1)
),
guarded as (
    select
        went.metric,
        dated.pattern,
        dated.experiment,
        dated.begun_us,
        dated.day,
        dated.first_us,
        dated.propensity_millionths,
        dated.is_shown,
        went.ended_us,
        went.outcome_hundredths
    from truth_unit_outcome as went
    inner join dated
        on dated.project = went.project and dated.unit = went.unit
    where went.ended_us >= dated.first_us or went.run_id = dated.run_id
    union all
    select
        later.metric,
        dated.pattern,
        dated.experiment,
        dated.begun_us,
        dated.day,
        dated.first_us,
        dated.propensity_millionths,
        dated.is_shown,
        later.ended_us,
        later.outcome_hundredths
    from truth_later_outcome as later
    inner join dated
        on dated.project = later.project
        and dated.unit = later.unit
        and dated.experiment = later.experiment
        and coalesce(dated.pattern, -1) = coalesce(later.pattern, -1)
),
standing as (
    select
        metric,
        pattern,
        experiment,
        begun_us,
        day,
        propensity_millionths,
        is_shown,
        case
            when ended_us <= first_us + settle_us then 'judged'
            when ended_us is not null then 'late'
            when first_us + settle_us > as_of_us then 'pending'
            else 'unjudged'
        end as standing,
        case when ended_us <= first_us + settle_us then outcome_hundredths end as outcome_hundredths
    from judged
    union all
    select
        guarded.metric,
        guarded.pattern,
        guarded.experiment,
        guarded.begun_us,
        guarded.day,
        guarded.propensity_millionths,
        guarded.is_shown,
        'judged' as standing,
        guarded.outcome_hundredths
    from guarded
    inner join (select metric, settle_us from truth_rule where not is_primary) as rule
        on rule.metric = guarded.metric
    where guarded.ended_us <= guarded.first_us + rule.settle_us
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
