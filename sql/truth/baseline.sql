-- How units went, by the day on which they were judged: the outcome that bets of an epoch expect is the mean before it.
-- Needs: truth_rule, truth_unit_outcome
-- Makes: truth_baseline (rows)
-- Grain: (day).
select
    cast(floor(cast(went.ended_us as double) / 86400000000e0) as bigint) as day,
    count(*) as units,
    cast(sum(went.outcome_hundredths) as bigint) as outcome_hundredths
from truth_unit_outcome as went
inner join truth_rule as rule
    on rule.metric = went.metric and rule.is_primary
group by cast(floor(cast(went.ended_us as double) / 86400000000e0) as bigint)
order by day asc nulls last
