-- Captured lessons that were refused and not accepted since, latest first, with the reason.
-- Needs: classification, learning
-- Makes: rejection (rows)
-- Grain: (learning).
with answered as (
    select
        lesson.landing_seq as lesson_seq,
        max(answer.landing_seq) as landing_seq,
        bool_and(answer.status = 'rejected') as is_refused
    from learning as lesson
    inner join classification as answer
        on answer.learning_id = lesson.id and answer.project = lesson.project
    where lesson.pending and answer.landing_seq > lesson.landing_seq
    group by lesson.landing_seq
)
select
    lesson.id,
    lesson.project,
    answer.ts_us,
    coalesce(lesson.summary, lesson.fix, lesson.what) as summary,
    answer.classifier,
    answer.reason
from answered
inner join learning as lesson
    on lesson.landing_seq = answered.lesson_seq
inner join classification as answer
    on answer.landing_seq = answered.landing_seq
where answered.is_refused
order by answer.ts_us desc nulls last, lesson.landing_seq desc nulls last
