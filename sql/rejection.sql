-- The captured lessons that were refused, the latest first, and why: nobody has let them in since.
-- Grain: (learning).
select
    lesson.id,
    lesson.project,
    refused.ts_us,
    coalesce(lesson.summary, lesson.fix, lesson.what) as summary,
    refused.classifier,
    refused.reason
from (
    select
        project,
        learning_id,
        max(ts_us) as ts_us,
        max_by(classifier, landing_seq) as classifier,
        max_by(reason, landing_seq) as reason
    from classification
    group by project, learning_id
    having bool_and(status = 'rejected')
) as refused
inner join learning as lesson
    on lesson.id = refused.learning_id and lesson.project = refused.project
where lesson.pending
order by refused.ts_us desc nulls last, lesson.landing_seq desc nulls last
