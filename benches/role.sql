-- What an analyst would write by hand for the same sums: sightings, contexts, rejections, exposures and outcomes of each saying of a
-- role, and how roles judge. Sayings are one if their texts are equal; there is no fold in the order of time, no likeness, no echo,
-- no reinforcement, no ageing, no file.
-- Grain: (what, project, role, saying).
with said as (
    select project, lower(role) as role, run_id, issue, ts, lower(trim(saying)) as saying
    from (select project, role, run_id, issue, ts, unnest(patterns) as saying from deliberation)
),
rejected as (
    select project, lower(adversarial_role) as role, lower(trim(saying)) as saying, count(*) as rejections, max(ts) as last_rejected
    from (select project, adversarial_role, ts, unnest(rejected) as saying from verdict)
    group by all
),
seen as (
    select project, role, saying, count(*) as sightings, count(distinct issue) as contexts, min(ts) as first_ts, max(ts) as last_ts
    from said
    group by all
),
ending as (
    select project, run_id, arg_max(passed, ts) as passed from aftermath group by all
),
exposed as (
    select a.pattern_id, count(*) as exposures, count(distinct a.run_id) as runs,
        count(distinct a.run_id) filter (where e.passed) as held, count(distinct a.run_id) filter (where not e.passed) as broke
    from application a
    left join ending e using (project, run_id)
    where a.pattern_id like 'D-%'
    group by a.pattern_id
)
select 'saying' as what, seen.project, seen.role, seen.saying, sightings, contexts, coalesce(rejections, 0) as rejections,
    sightings / (sightings + coalesce(rejections, 0)) as rate, first_ts, last_ts
from seen
left join rejected using (project, role, saying)
union all
select 'exposure', null, null, pattern_id, exposures, runs, held, broke, null, null from exposed
union all
select 'standing', project, lower(role), verdict, count(*), count(distinct run_id), 0, 0, min(ts), max(ts)
from deliberation
where verdict is not null
group by project, lower(role), verdict
union all
select 'agreement', v.project, lower(d.role), lower(v.role), count(*), count(*) filter (where d.verdict = v.verdict), 0, 0, null, null
from verdict v
join deliberation d on d.project = v.project and d.id = v.deliberation_id
group by v.project, lower(d.role), lower(v.role)
order by all
