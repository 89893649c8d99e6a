-- Lessons that wait for a classification, in landing order.
-- Needs: classification, learning
-- Makes: pending (rows)
-- Grain: (learning).
select
    lesson.id,
    lesson.ts_us,
    lesson.project,
    lesson.landing_seq,
    lesson.agent,
    coalesce(lesson.summary, lesson.fix, lesson.what) as summary,
    lesson.what,
    lesson.why,
    lesson.fix,
    lesson.trigger,
    lesson.category,
    lesson.scope,
    lesson.repo,
    lesson.applies_to,
    lesson.tags,
    lesson.citations,
    lesson.context,
    lesson.repo_name
from learning as lesson
left join (
    -- A classification that landed before its lesson belongs to an earlier lesson of that id.
    select project, learning_id, max(landing_seq) as landing_seq
    from classification
    group by project, learning_id
) as answer
    on answer.learning_id = lesson.id and answer.project = lesson.project and answer.landing_seq > lesson.landing_seq
where lesson.pending and not coalesce(lesson.no_learnings, false) and answer.learning_id is null
order by lesson.landing_seq asc nulls last
