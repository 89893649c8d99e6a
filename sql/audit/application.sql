-- Every application counts for one pattern (as seen, held back, or offered) or as unattributed: none is lost between the lake
-- and the figures.
-- Needs: application, past_application
-- Takes: $unattributed, $is_exclusive, staged_pattern
-- Makes: audit_application (rows)
-- Grain: one row; returns no rows.
select landed.applications, figured.applications as figured, cast($unattributed as bigint) as unattributed
from (
    select cast(sum(applications) as bigint) as applications
    from (
        select count(*) as applications from application
        union all
        select coalesce(sum(applications), 0) as applications from past_application
    ) as counted
) as landed
cross join (select coalesce(sum(seen + withheld + offered), 0) as applications from staged_pattern) as figured
where $is_exclusive and landed.applications <> figured.applications + $unattributed
