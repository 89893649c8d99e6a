-- The later result of each run's work. The latest result counts.
-- Needs: aftermath
-- Makes: role_ending (rows)
-- Grain: (project, run_id).
select project, run_id, passed, ts_us, landing_seq
from (
    select
        project,
        run_id,
        passed,
        ts_us,
        landing_seq,
        row_number() over (
            partition by project, run_id
            order by ts_us desc nulls last, landing_seq desc nulls last
        ) as place
    from aftermath
) as told
where place = 1
order by landing_seq asc nulls last
