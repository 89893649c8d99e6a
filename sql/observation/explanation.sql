-- Location of the events behind one observation, in time order.
-- Needs: artifact, curation, observation
-- Takes: asked_event
-- Makes: observation_explanation (rows)
-- Grain: (landing_seq).
select told.kind, told.id, told.ts_us, told.landing_seq, told.landing_file, told.landing_line, told.session, told.said
from (
    select
        'observation' as kind,
        id,
        ts_us,
        landing_seq,
        landing_file,
        landing_line,
        session,
        pattern as said
    from observation
    union all
    select
        'artifact' as kind,
        id,
        ts_us,
        landing_seq,
        landing_file,
        landing_line,
        session,
        coalesce(path, anchor) as said
    from artifact
    union all
    select
        'curation' as kind,
        id,
        ts_us,
        landing_seq,
        landing_file,
        landing_line,
        cast(null as varchar) as session,
        reason as said
    from curation
) as told
inner join asked_event on asked_event.landing_seq = told.landing_seq
order by told.ts_us asc nulls last, told.landing_seq asc nulls last
