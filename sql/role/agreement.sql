-- How often validators came to the same verdict as the role that they judge.
-- Grain: (project, role, validator).
select
    given.project,
    lower(judged.role) as role,
    lower(given.role) as validator,
    count(distinct coalesce(given.run_id, given.id)) as runs,
    count(*) as verdicts,
    count(*) filter (
        where (judged.verdict = 'PASS') = (given.verdict = 'PASS' or coalesce(cardinality(given.must_fix), 0) = 0)
    ) as agreed,
    count(*) filter (where judged.verdict = 'PASS') as role_passed,
    count(*) filter (where given.verdict = 'PASS' or coalesce(cardinality(given.must_fix), 0) = 0) as validator_passed
from verdict as given
inner join deliberation as judged
    on judged.project = given.project and judged.id = given.deliberation_id
where judged.verdict is not null
group by given.project, lower(judged.role), lower(given.role)
order by project asc nulls last, role asc nulls last, validator asc nulls last
