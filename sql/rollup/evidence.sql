-- The evidence of one partition about each pattern: only sums, counts, minima, and maxima, so that days can be merged. An
-- application is credited if the agent used the pattern and no citation was refuted. A pattern that was held back or only
-- offered was not seen.
-- Needs: alike
-- Makes: rollup_evidence (table)
-- Grain: (project, pattern, age_days), within one partition.
with judged as (
    select
        project,
        pattern,
        status in ('applied', 'injected') as is_seen,
        status = 'withheld' as is_withheld,
        status = 'offered' as is_offered,
        status = 'applied' as is_applied,
        status = 'applied' and not is_unverified as is_credited,
        tier,
        is_goal_met,
        coalesce(is_build_failed, false) as is_build_failed,
        is_build_failed is not null as is_built,
        is_rated,
        age_days,
        applications,
        relevance_millionths,
        first_us,
        last_us
    from alike
)
select
    project,
    pattern,
    age_days,
    cast(coalesce(sum(applications) filter (where is_seen), 0) as bigint) as seen,
    cast(coalesce(sum(applications) filter (where is_applied), 0) as bigint) as applied,
    cast(coalesce(sum(applications) filter (where is_seen and not is_applied), 0) as bigint) as injected,
    cast(coalesce(sum(applications) filter (where is_withheld), 0) as bigint) as withheld,
    cast(coalesce(sum(applications) filter (where is_offered), 0) as bigint) as offered,
    cast(coalesce(sum(applications) filter (where is_applied and not is_credited), 0) as bigint) as unverified,
    cast(coalesce(sum(applications) filter (where is_seen and is_goal_met is not null), 0) as bigint) as judged,
    cast(coalesce(sum(applications) filter (where is_credited and is_goal_met), 0) as bigint) as met,
    cast(coalesce(sum(applications) filter (where is_credited and is_goal_met is null), 0) as bigint) as unjudged,
    cast(coalesce(sum(applications) filter (where is_credited and not is_goal_met and is_rated), 0) as bigint) as missed_rated,
    cast(coalesce(sum(applications) filter (where is_credited and not is_goal_met and not is_rated), 0) as bigint) as missed_unrated,
    cast(coalesce(sum(relevance_millionths) filter (where is_credited and not is_goal_met), 0) as bigint) as missed_relevance_millionths,
    -- What a failed build is weighed by, if the setting says so: the relevance of the uses that it judges.
    cast(coalesce(sum(applications) filter (where is_applied and is_built), 0) as bigint) as built,
    cast(coalesce(sum(applications) filter (where is_applied and is_build_failed), 0) as bigint) as build_failed,
    cast(
        coalesce(sum(applications) filter (where is_build_failed and is_credited and coalesce(is_goal_met, true) and not is_rated), 0)
        as bigint
    ) as failed_unrated,
    cast(
        coalesce(sum(relevance_millionths) filter (where is_build_failed and is_credited and coalesce(is_goal_met, true)), 0) as bigint
    ) as failed_relevance_millionths,
    cast(
        coalesce(sum(applications) filter (where is_build_failed and is_credited and not is_goal_met and not is_rated), 0) as bigint
    ) as failed_missed_unrated,
    cast(
        coalesce(sum(relevance_millionths) filter (where is_build_failed and is_credited and not is_goal_met), 0) as bigint
    ) as failed_missed_relevance_millionths,
    cast(coalesce(sum(applications) filter (where is_withheld and is_goal_met), 0) as bigint) as withheld_met,
    cast(coalesce(sum(applications) filter (where is_withheld and not is_goal_met), 0) as bigint) as withheld_missed,
    cast(coalesce(sum(applications) filter (where tier = 'id'), 0) as bigint) as by_id,
    cast(coalesce(sum(applications) filter (where tier = 'exact'), 0) as bigint) as by_exact,
    cast(coalesce(sum(applications) filter (where tier = 'case'), 0) as bigint) as by_case,
    cast(coalesce(sum(applications) filter (where tier = 'substring'), 0) as bigint) as by_substring,
    cast(coalesce(sum(applications) filter (where tier = 'jaccard'), 0) as bigint) as by_jaccard,
    min(first_us) filter (where is_seen) as first_us,
    max(last_us) filter (where is_seen) as last_us,
    max(last_us) filter (where is_applied) as used_us
from judged
group by project, pattern, age_days
