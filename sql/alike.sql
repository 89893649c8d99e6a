-- Number of applications of each pattern with the same effect: few groups where there are millions of applications. Sums of
-- pruned days stand beside those of the lake. Those of the last days stand apart by their age, so that reports can tell what
-- changed; older ones have no age.
-- Needs: attribution, outcome, past_application, recent
-- Makes: alike (table)
-- Grain: (project, pattern, status, tier, is_unverified, is_goal_met, is_build_failed, is_rated, age_days), once for the lake and
-- once for the days before.
select
    project,
    pattern,
    status,
    tier,
    is_unverified,
    is_goal_met,
    is_build_failed,
    is_rated,
    age_days,
    count(*) as applications,
    cast(sum(relevance_millionths) as bigint) as relevance_millionths,
    min(ts_us) as first_us,
    max(ts_us) as last_us
from (
    select
        outcome.project,
        outcome.pattern,
        outcome.status,
        outcome.tier,
        outcome.is_unverified,
        outcome.is_goal_met,
        outcome.is_build_failed,
        outcome.relevance_millionths,
        outcome.relevance_millionths is not null as is_rated,
        outcome.ts_us,
        case
            when outcome.ts_us > recent.after_us
                then cast(floor((recent.as_of_us - outcome.ts_us) / 86400000000.0) as bigint)
        end as age_days
    from outcome
    left join recent
        on true
    where outcome.pattern is not null
) as aged
group by project, pattern, status, tier, is_unverified, is_goal_met, is_build_failed, is_rated, age_days
union all
select
    past.project,
    named.pattern,
    past.status,
    named.tier,
    past.is_unverified,
    past.is_goal_met,
    past.is_build_failed,
    past.is_rated,
    cast(null as bigint) as age_days,
    past.applications,
    past.relevance_millionths,
    past.first_us,
    past.last_us
from past_application as past
inner join attribution as named
    on named.pattern_id = past.pattern_id and named.trigger = past.trigger
