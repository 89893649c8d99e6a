-- The pairs of pattern id and text by which events name a pattern, and how many applications use each pair.
-- Needs: application, citation, past_application, relevance
-- Makes: subject (rows)
-- Grain: (pattern_id, trigger); the empty text stands for none.
with named as (
    select coalesce(pattern_id, '') as pattern_id, coalesce(trigger, '') as trigger, count(*) as applications
    from application
    group by coalesce(pattern_id, ''), coalesce(trigger, '')
    union all
    select pattern_id, trigger, cast(sum(applications) as bigint) as applications
    from past_application
    group by pattern_id, trigger
    union all
    select coalesce(pattern_id, '') as pattern_id, coalesce(trigger, '') as trigger, 0 as applications
    from relevance
    where application_id is null
    group by coalesce(pattern_id, ''), coalesce(trigger, '')
    union all
    select coalesce(pattern_id, '') as pattern_id, coalesce(trigger, '') as trigger, 0 as applications
    from citation
    where application_id is null
    group by coalesce(pattern_id, ''), coalesce(trigger, '')
)
select pattern_id, trigger, cast(sum(applications) as bigint) as applications
from named
group by pattern_id, trigger
order by pattern_id asc nulls last, trigger asc nulls last
