-- The lessons that were captured, in the order in which they entered: what the pattern book is folded from. A lesson that
-- landed as pending enters with the first answer that lets it in, in that answer's words; until then it waits.
-- Grain: (learning).
with admitted as (
    select project, learning_id, min(landing_seq) as landing_seq
    from landed_classification
    where status <> 'rejected'
    group by project, learning_id
),
answer as (
    select
        answered.project,
        answered.learning_id,
        answered.landing_seq,
        answered.ts_us,
        answered.summary,
        answered.trigger,
        answered.category,
        answered.scope,
        answered.repo,
        answered.applies_to,
        answered.tags
    from landed_classification as answered
    inner join admitted
        on admitted.project = answered.project
        and admitted.learning_id = answered.learning_id
        and admitted.landing_seq = answered.landing_seq
)
select
    lesson.id,
    greatest(lesson.ts_us, coalesce(answer.ts_us, lesson.ts_us)) as ts_us,
    lesson.project,
    coalesce(answer.landing_seq, lesson.landing_seq) as landing_seq,
    lesson.landing_file,
    lesson.landing_line,
    -- What an agent claims of its own lesson, its number and figures, counts for nothing.
    case when not coalesce(lesson.pending, false) then lesson.pattern_id end as pattern_id,
    -- An agent that wrote no summary has still said what it did or what it saw.
    coalesce(answer.summary, lesson.summary, lesson.fix, lesson.what) as summary,
    coalesce(answer.trigger, lesson.trigger) as trigger,
    coalesce(answer.category, lesson.category) as category,
    coalesce(answer.scope, lesson.scope) as scope,
    coalesce(answer.repo, lesson.repo) as repo,
    case when not coalesce(lesson.pending, false) then lesson.confidence end as confidence,
    coalesce(answer.applies_to, lesson.applies_to) as applies_to,
    coalesce(answer.tags, lesson.tags) as tags,
    case when not coalesce(lesson.pending, false) then lesson.seen_count end as seen_count,
    case when not coalesce(lesson.pending, false) then lesson.success_rate end as success_rate,
    case when not coalesce(lesson.pending, false) then lesson.source_project end as source_project,
    lesson.ts_us as captured_us,
    -- Few lessons are about the tool itself, and only their details are shown.
    case when lower(coalesce(answer.scope, lesson.scope)) = 'closedloop' then coalesce(lesson.detail, lesson.why) end as detail
from landed_learning as lesson
left join answer
    on answer.learning_id = case when lesson.pending then lesson.id end
    and answer.project = lesson.project
where
    not coalesce(lesson.no_learnings, false)
    and (not coalesce(lesson.pending, false) or answer.learning_id is not null)
order by coalesce(answer.landing_seq, lesson.landing_seq) asc nulls last
