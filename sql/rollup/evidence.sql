-- What one partition of applications says of each pattern: sums, counts, minima and maxima only, so that days can be merged.
-- An application is credited when the agent used the pattern and no citation of it was refuted.
-- Grain: (project, pattern), within one partition.
with alike as (
    -- Applications that count alike are few kinds: counting these first spares every row most of the questions below.
    select
        project,
        pattern,
        status,
        tier,
        is_unverified,
        is_goal_met,
        relevance_millionths is not null as is_rated,
        count(*) as applications,
        sum(relevance_millionths) as relevance_millionths,
        min(ts_us) as first_us,
        max(ts_us) as last_us
    from outcome
    group by project, pattern, status, tier, is_unverified, is_goal_met, relevance_millionths is not null
),
judged as (
    select
        project,
        pattern,
        status <> 'withheld' as is_seen,
        status = 'withheld' as is_withheld,
        status = 'applied' as is_applied,
        status = 'applied' and not is_unverified as is_credited,
        tier,
        is_goal_met,
        is_rated,
        applications,
        relevance_millionths,
        first_us,
        last_us
    from alike
)
select
    project,
    pattern,
    cast(coalesce(sum(applications) filter (where is_seen), 0) as bigint) as seen,
    cast(coalesce(sum(applications) filter (where is_applied), 0) as bigint) as applied,
    cast(coalesce(sum(applications) filter (where is_seen and not is_applied), 0) as bigint) as injected,
    cast(coalesce(sum(applications) filter (where is_withheld), 0) as bigint) as withheld,
    cast(coalesce(sum(applications) filter (where is_applied and not is_credited), 0) as bigint) as unverified,
    cast(coalesce(sum(applications) filter (where is_seen and is_goal_met is not null), 0) as bigint) as judged,
    cast(coalesce(sum(applications) filter (where is_credited and is_goal_met), 0) as bigint) as met,
    cast(coalesce(sum(applications) filter (where is_credited and is_goal_met is null), 0) as bigint) as unjudged,
    cast(coalesce(sum(applications) filter (where is_credited and not is_goal_met and is_rated), 0) as bigint) as missed_rated,
    cast(coalesce(sum(applications) filter (where is_credited and not is_goal_met and not is_rated), 0) as bigint) as missed_unrated,
    cast(coalesce(sum(relevance_millionths) filter (where is_credited and not is_goal_met), 0) as bigint) as missed_relevance_millionths,
    cast(coalesce(sum(applications) filter (where is_withheld and is_goal_met), 0) as bigint) as withheld_met,
    cast(coalesce(sum(applications) filter (where is_withheld and not is_goal_met), 0) as bigint) as withheld_missed,
    cast(coalesce(sum(applications) filter (where tier = 'id'), 0) as bigint) as by_id,
    cast(coalesce(sum(applications) filter (where tier = 'exact'), 0) as bigint) as by_exact,
    cast(coalesce(sum(applications) filter (where tier = 'case'), 0) as bigint) as by_case,
    cast(coalesce(sum(applications) filter (where tier = 'substring'), 0) as bigint) as by_substring,
    cast(coalesce(sum(applications) filter (where tier = 'jaccard'), 0) as bigint) as by_jaccard,
    min(first_us) filter (where is_seen) as first_us,
    max(last_us) filter (where is_seen) as last_us
from judged
group by project, pattern
