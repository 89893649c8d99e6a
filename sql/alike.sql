-- Number of applications of each pattern with the same effect: few groups where there are millions of applications. Sums of
-- pruned days stand beside those of the lake.
-- Needs: attribution, outcome, past_application
-- Makes: alike (table)
-- Grain: (project, pattern, status, tier, is_unverified, is_goal_met, is_build_failed, is_rated), once for the lake and once for
-- the days before.
select
    project,
    pattern,
    status,
    tier,
    is_unverified,
    is_goal_met,
    is_build_failed,
    relevance_millionths is not null as is_rated,
    count(*) as applications,
    cast(sum(relevance_millionths) as bigint) as relevance_millionths,
    min(ts_us) as first_us,
    max(ts_us) as last_us
from outcome
where pattern is not null
group by project, pattern, status, tier, is_unverified, is_goal_met, is_build_failed, relevance_millionths is not null
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
    past.applications,
    past.relevance_millionths,
    past.first_us,
    past.last_us
from past_application as past
inner join attribution as named
    on named.pattern_id = past.pattern_id and named.trigger = past.trigger
