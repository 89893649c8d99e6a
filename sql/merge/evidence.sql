-- The evidence of all partitions about each pattern in each project. That of the last days stands apart, by whole days before the
-- instant: what a pattern's figures were some days ago is the evidence in all less that of these days. Older evidence has no age.
-- Needs: rollup_evidence
-- Makes: merge_evidence (rows)
-- Grain: (pattern, project, age_days).
select
    pattern,
    project,
    age_days,
    cast(sum(seen) as bigint) as seen,
    cast(sum(applied) as bigint) as applied,
    cast(sum(injected) as bigint) as injected,
    cast(sum(withheld) as bigint) as withheld,
    cast(sum(offered) as bigint) as offered,
    cast(sum(unverified) as bigint) as unverified,
    cast(sum(judged) as bigint) as judged,
    cast(sum(met) as bigint) as met,
    cast(sum(unjudged) as bigint) as unjudged,
    cast(sum(missed_rated) as bigint) as missed_rated,
    cast(sum(missed_unrated) as bigint) as missed_unrated,
    cast(sum(missed_relevance_millionths) as bigint) as missed_relevance_millionths,
    cast(sum(built) as bigint) as built,
    cast(sum(build_failed) as bigint) as build_failed,
    cast(sum(failed_unrated) as bigint) as failed_unrated,
    cast(sum(failed_relevance_millionths) as bigint) as failed_relevance_millionths,
    cast(sum(failed_missed_unrated) as bigint) as failed_missed_unrated,
    cast(sum(failed_missed_relevance_millionths) as bigint) as failed_missed_relevance_millionths,
    cast(sum(withheld_met) as bigint) as withheld_met,
    cast(sum(withheld_missed) as bigint) as withheld_missed,
    cast(sum(by_id) as bigint) as by_id,
    cast(sum(by_exact) as bigint) as by_exact,
    cast(sum(by_case) as bigint) as by_case,
    cast(sum(by_substring) as bigint) as by_substring,
    cast(sum(by_jaccard) as bigint) as by_jaccard,
    min(first_us) as first_us,
    max(last_us) as last_us,
    max(used_us) as used_us
from rollup_evidence
group by pattern, project, age_days
order by pattern asc nulls last, project asc nulls last, age_days asc nulls last
