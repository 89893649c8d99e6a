-- Captured lessons in the order in which they entered the registry, which is folded from them. A pending lesson enters with the
-- first later classification that accepts it, in the words of that classification; until then it waits. A lesson that a person
-- refused can only be accepted by a person.
-- Needs: landed_classification, landed_learning
-- Makes: lesson (rows)
-- Grain: (learning).
with answered as (
    -- An id may be reused on another day, and a classification may have landed before its lesson: only later ones apply.
    select
        lesson.landing_seq as lesson_seq,
        answer.landing_seq,
        answer.status = 'rejected' as is_refusal,
        coalesce(answer.classifier, '') like 'person:%' as is_by_person
    from landed_learning as lesson
    inner join landed_classification as answer
        on answer.learning_id = lesson.id and answer.project = lesson.project
    where lesson.pending and answer.landing_seq > lesson.landing_seq
),
refused as (
    select lesson_seq, min(landing_seq) as landing_seq
    from answered
    where is_refusal and is_by_person
    group by lesson_seq
),
admitted as (
    select answered.lesson_seq, min(answered.landing_seq) as landing_seq
    from answered
    left join refused
        on refused.lesson_seq = answered.lesson_seq
    where
        not answered.is_refusal
        and (answered.is_by_person or refused.landing_seq is null or answered.landing_seq < refused.landing_seq)
    group by answered.lesson_seq
)
select
    lesson.id,
    greatest(lesson.ts_us, coalesce(answer.ts_us, lesson.ts_us)) as ts_us,
    lesson.project,
    coalesce(answer.landing_seq, lesson.landing_seq) as landing_seq,
    lesson.landing_file,
    lesson.landing_line,
    -- The id and figures that an agent claims for its own lesson are ignored.
    case when not coalesce(lesson.pending, false) then lesson.pattern_id end as pattern_id,
    -- Without a summary, the agent's account of what it did or saw stands in.
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
    case when not coalesce(lesson.pending, false) then lesson.origin end as origin,
    case when not coalesce(lesson.pending, false) then lesson.flags end as flags,
    lesson.ts_us as captured_us,
    -- Where it was learned. The program extracts the files, because engines read JSON differently.
    lesson.citations,
    lesson.context,
    -- Few lessons are about the tool itself, and only these show their details.
    case when lower(coalesce(answer.scope, lesson.scope)) = 'closedloop' then coalesce(lesson.detail, lesson.why) end as detail
from landed_learning as lesson
left join admitted
    on admitted.lesson_seq = lesson.landing_seq
left join landed_classification as answer
    on answer.landing_seq = admitted.landing_seq
where
    not coalesce(lesson.no_learnings, false)
    and (not coalesce(lesson.pending, false) or admitted.landing_seq is not null)
order by coalesce(answer.landing_seq, lesson.landing_seq) asc nulls last, lesson.landing_seq asc nulls last
