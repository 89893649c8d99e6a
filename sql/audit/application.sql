-- Every application counts for one pattern, as seen, held back or offered, or is counted as unattributed: nothing is lost on the
-- way to the figures.
-- Grain: one row; returns no rows.
select landed.applications, figured.applications as figured, staged_total.unattributed
from (
    select cast(sum(applications) as bigint) as applications
    from (
        select count(*) as applications from application
        union all
        select coalesce(sum(applications), 0) as applications from past_application
    ) as counted
) as landed
cross join (select coalesce(sum(seen + withheld + offered), 0) as applications from staged_pattern) as figured
cross join staged_total
where staged_total.is_exclusive and landed.applications <> figured.applications + staged_total.unattributed
