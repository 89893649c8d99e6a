-- How often validators reached the same verdict as the role that they judge. An event reported on two days counts on the first.
-- Needs: deliberation, verdict
-- Makes: role_agreement (rows)
-- Grain: (project, role, validator).
with judged as (
    select project, id, min_by(role_key, ts_us) as role, min_by(verdict = 'PASS', ts_us) as has_passed
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
        min_by(verdict = 'PASS' or must_fix_count = 0, ts_us) as has_passed,
        min_by(deliberation_id, ts_us) as deliberation_id
    from verdict
    where deliberation_id is not null
    group by project, id
)
select
    given.project,
    judged.role,
    given.role as validator,
    count(distinct given.run_id) as runs,
    count(*) as verdicts,
    count(*) filter (where judged.has_passed = given.has_passed) as agreed,
    count(*) filter (where judged.has_passed) as role_passed,
    count(*) filter (where given.has_passed) as validator_passed
from given
inner join judged
    on judged.project = given.project and judged.id = given.deliberation_id
group by given.project, judged.role, given.role
order by project asc nulls last, role asc nulls last, validator asc nulls last
