-- Verdicts of each role: in all, in the last days, and in as many days before them. A validator's verdict often stands in its
-- deliberation as well; then it counts once. An event reported on two days counts on the first.
-- Needs: deliberation, verdict
-- Takes: $since_us, $before_us
-- Makes: role_standing (rows)
-- Grain: (project, role).
with deliberated as (
    select
        project,
        id,
        min_by(role_key, ts_us) as role,
        min_by(coalesce(run_id, id), ts_us) as run_id,
        min(ts_us) as ts_us,
        min_by(verdict = 'PASS', ts_us) as has_passed
    from deliberation
    where verdict is not null
    group by project, id
),
given as (
    select
        project,
        id,
        min_by(role_key, ts_us) as role,
        min_by(coalesce(run_id, id), ts_us) as run_id,
        min(ts_us) as ts_us,
        min_by(verdict = 'PASS' or must_fix_count = 0, ts_us) as has_passed,
        -- Engines disagree on whether `min_by` skips nulls.
        nullif(min_by(coalesce(validator_id, ''), ts_us), '') as validator_id
    from verdict
    group by project, id
),
spoken as (
    select project, role, run_id, ts_us, has_passed from deliberated
    union all
    select given.project, given.role, given.run_id, given.ts_us, given.has_passed
    from given
    left join deliberated as own
        on own.project = given.project and own.id = given.validator_id
    where own.id is null
)
select
    spoken.project,
    spoken.role,
    count(distinct spoken.run_id) as runs,
    count(*) as verdicts,
    count(*) filter (where spoken.has_passed) as passed,
    count(*) filter (where spoken.ts_us > $since_us) as recent,
    count(*) filter (where spoken.ts_us > $since_us and spoken.has_passed) as recent_passed,
    count(*) filter (where spoken.ts_us > $before_us and spoken.ts_us <= $since_us) as earlier,
    count(*) filter (where spoken.ts_us > $before_us and spoken.ts_us <= $since_us and spoken.has_passed) as earlier_passed
from spoken
group by spoken.project, spoken.role
order by project asc nulls last, role asc nulls last
