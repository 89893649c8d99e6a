-- Every coin that was logged, of patterns and of units, as the audit recomputes it. The whole loop is the pattern `*`, an experiment is
-- `*` with its name.
-- Needs: application, assignment
-- Makes: logged_coin (rows)
-- Grain: (event).
with logged as (
    select
        'application' as kind,
        id,
        coalesce(unit, run_id) as unit,
        coalesce(pattern_id, trigger) as pattern,
        propensity,
        status <> 'withheld' as is_shown,
        -- A coin that names its pattern by text alone was tossed for an id that nobody told.
        case when pattern_id is not null then salt_id end as salt_id,
        landing_file,
        landing_line
    from application
    where coalesce(pattern_id, trigger) is not null
    union all
    select
        'assignment' as kind,
        id,
        coalesce(unit, run_id) as unit,
        concat('*', coalesce(experiment, '')) as pattern,
        propensity,
        arm = 'on' as is_shown,
        salt_id,
        landing_file,
        landing_line
    from assignment
)
select kind, id, unit, pattern, propensity, is_shown, salt_id, landing_file as file, landing_line as line
from logged
where propensity > 0e0 and propensity < 1e0
order by landing_file asc nulls last, landing_line asc nulls last, kind asc nulls last, id asc nulls last
