-- How the verdicts of each role came out: in all, in the last days and in as many days before them. A validator's verdict often
-- stands in its deliberation as well; then it counts once.
-- Grain: (project, role).
with spoken as (
    select project, lower(role) as role, coalesce(run_id, id) as run_id, ts_us, verdict = 'PASS' as has_passed
    from deliberation
    where verdict is not null
    union all
    select
        given.project,
        lower(given.role) as role,
        coalesce(given.run_id, given.id) as run_id,
        given.ts_us,
        given.verdict = 'PASS' or coalesce(cardinality(given.must_fix), 0) = 0 as has_passed
    from verdict as given
    left join (select project, id from deliberation where verdict is not null group by project, id) as own
        on own.project = given.project and own.id = given.validator_id
    where own.id is null
)
select
    spoken.project,
    spoken.role,
    count(distinct spoken.run_id) as runs,
    count(*) as verdicts,
    count(*) filter (where spoken.has_passed) as passed,
    count(*) filter (where spoken.ts_us > trend.since_us) as recent,
    count(*) filter (where spoken.ts_us > trend.since_us and spoken.has_passed) as recent_passed,
    count(*) filter (where spoken.ts_us > trend.before_us and spoken.ts_us <= trend.since_us) as before,
    count(*) filter (where spoken.ts_us > trend.before_us and spoken.ts_us <= trend.since_us and spoken.has_passed) as before_passed
from spoken
cross join trend
group by spoken.project, spoken.role
order by project asc nulls last, role asc nulls last
