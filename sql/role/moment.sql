-- Location of the events that changed one role pattern.
-- Needs: aftermath, curation, deliberation, verdict
-- Takes: asked_event
-- Makes: role_moment (rows)
-- Grain: (landing_seq).
with told as (
    select 'deliberation' as kind, id, landing_seq, landing_file, landing_line from deliberation
    union all
    select 'verdict' as kind, id, landing_seq, landing_file, landing_line from verdict
    union all
    select 'aftermath' as kind, id, landing_seq, landing_file, landing_line from aftermath
    union all
    select 'curation' as kind, id, landing_seq, landing_file, landing_line from curation
)
select told.kind, told.id, told.landing_seq, told.landing_file, told.landing_line
from told
inner join asked_event on asked_event.landing_seq = told.landing_seq
order by told.landing_seq asc nulls last
