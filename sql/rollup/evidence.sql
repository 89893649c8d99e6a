-- What one partition of applications says of each pattern: sums, counts, minima and maxima only, so that days can be merged.
-- An application is credited when the agent used the pattern and no citation of it was refuted.
-- Grain: (date, project, pattern).
select
    date,
    project,
    pattern,
    count(*) filter (where status <> 'withheld') as seen,
    count(*) filter (where status = 'applied') as applied,
    count(*) filter (where status = 'injected') as injected,
    count(*) filter (where status = 'withheld') as withheld,
    count(*) filter (where status = 'applied' and is_unverified) as unverified,
    count(*) filter (where status <> 'withheld' and is_goal_met is not null) as judged,
    count(*) filter (where status = 'applied' and not is_unverified and is_goal_met) as met,
    count(*) filter (where status = 'applied' and not is_unverified and is_goal_met is null) as unjudged,
    count(*) filter (
        where status = 'applied' and not is_unverified and not is_goal_met and relevance_millionths is not null
    ) as missed_rated,
    count(*) filter (
        where status = 'applied' and not is_unverified and not is_goal_met and relevance_millionths is null
    ) as missed_unrated,
    cast(coalesce(sum(
        case when status = 'applied' and not is_unverified and not is_goal_met then relevance_millionths end
    ), 0) as bigint) as missed_relevance_millionths,
    count(*) filter (where status = 'withheld' and is_goal_met) as withheld_met,
    count(*) filter (where status = 'withheld' and not is_goal_met) as withheld_missed,
    count(*) filter (where tier = 'id') as by_id,
    count(*) filter (where tier = 'exact') as by_exact,
    count(*) filter (where tier = 'case') as by_case,
    count(*) filter (where tier = 'substring') as by_substring,
    count(*) filter (where tier = 'jaccard') as by_jaccard,
    min(case when status <> 'withheld' then ts_us end) as first_us,
    max(case when status <> 'withheld' then ts_us end) as last_us
from outcome
group by date, project, pattern
