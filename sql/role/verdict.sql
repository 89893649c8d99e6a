-- Validators' verdicts, in landing order. A verdict that names nothing to fix is a pass.
-- Needs: verdict
-- Makes: role_verdict (rows)
-- Grain: (verdict).
select
    id,
    ts_us,
    landing_seq,
    project,
    adversarial_role,
    run_id,
    iteration,
    deliberation_id,
    validator_id,
    verdict = 'PASS' or must_fix_count = 0 as has_passed,
    evidence_level,
    validator_level,
    phase,
    labels,
    files,
    false_positives,
    rejected,
    issues,
    reinforced
from verdict
order by landing_seq asc nulls last
