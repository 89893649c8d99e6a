-- Changes to agents' constraints that runs suggest, and people's decisions about them. A decision applies to suggestions made
-- before it, of all runs or of one run; the last decision counts.
-- Needs: constraint_decision, policy_run
-- Makes: policy_suggestion (rows)
-- Grain: (suggestion).
with telling as (
    select
        landing_seq,
        run_id,
        ts_us,
        coalesce(rollback, false) as is_rolled_back,
        coalesce(human_override, false) as is_overridden,
        result = 'failure'
        and (issue_text like '%shell%' or issue_text like '%command%' or issue_text like '%unsafe%') as is_about_shell
    from policy_run
    where (rollback or human_override or (result = 'failure' and issue_text <> ''))
),

made as (
    select 'mutation-scope' as suggestion, landing_seq, run_id, ts_us from telling where is_rolled_back
    union all
    select 'approval-pauses' as suggestion, landing_seq, run_id, ts_us from telling where is_overridden
    union all
    select 'shell-pattern-blocklist' as suggestion, landing_seq, run_id, ts_us from telling where is_about_shell
),

decided as (
    select made.suggestion, made.landing_seq, max_by(constraint_decision.status, constraint_decision.seq) as status
    from made
    inner join constraint_decision
        on constraint_decision.suggestion = made.suggestion
        and (
            constraint_decision.ts_us > made.ts_us
            or (constraint_decision.ts_us = made.ts_us and constraint_decision.seq > made.landing_seq)
        )
        and (constraint_decision.run_id is null or constraint_decision.run_id = made.run_id)
    group by made.suggestion, made.landing_seq
)

select
    made.suggestion,
    count(*) as made,
    count(*) filter (where coalesce(decided.status, 'open') = 'open') as open,
    count(*) filter (where decided.status = 'accepted') as accepted,
    count(*) filter (where decided.status = 'dismissed') as dismissed,
    max_by(made.run_id, made.landing_seq) as last_run_id,
    max_by(made.ts_us, made.landing_seq) as last_us
from made
left join decided on decided.suggestion = made.suggestion and decided.landing_seq = made.landing_seq
group by made.suggestion
order by made.suggestion asc nulls last
