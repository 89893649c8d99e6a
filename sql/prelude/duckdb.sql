-- The tables that queries read, for DuckDB: the stored columns of the lake and columns derived from them. Everything that engines
-- spell differently (lists, JSON, epoch time) and every rule for a derived column stands here, so the hash of this file covers both.
-- The program makes the `lake_` tables, because their files and their horizon depend on the workspace.
--
-- Keys (`failure_key`, `adapter_key`, `role_key`) are folded when an event is taken. Files of earlier versions lack them, and the job
-- `rewrite` adds them; until then they are approximated here, which is exact for plain ASCII names.

-- Applications whose place a later one takes. An agent that goes on after it ended, or speaks up late, may use what was recorded as
-- unused: an application with status `applied` and the id of an earlier one takes its place. Of several, the latest does. A table,
-- because each question about applications would read them twice more, and there are few.
-- Needs: lake_application
-- Makes: superseded (table)
-- Grain: (application).
create table superseded as
select earlier.landing_seq
from lake_application as earlier
inner join (
    select project, application_id, max_by(id, (ts, id)) as id
    from lake_application
    where application_id is not null and application_id <> id and status = 'applied'
    group by project, application_id
) as later
    on later.project = earlier.project and later.application_id = coalesce(earlier.application_id, earlier.id)
where later.id <> earlier.id;

-- A pattern that an agent was shown or used, without those whose place a later one takes.
-- Needs: lake_application, superseded
-- Makes: application (view)
-- Grain: (application).
create view application as
select *, epoch_us(ts) as ts_us
from lake_application
where landing_seq not in (select landing_seq from superseded);

-- A coin that was tossed for a unit of work and a pattern, also where a later report took the place of the row: the coin fell all the
-- same. Where the chance is 0 or 1 no coin was tossed.
-- Needs: lake_application
-- Makes: coin (view)
-- Grain: (application).
create view coin as
select
    project,
    run_id,
    unit,
    coalesce(pattern_id, '') as pattern_id,
    coalesce(trigger, '') as trigger,
    status <> 'withheld' as is_shown,
    cast(round(propensity * 1000000) as bigint) as propensity_millionths,
    epoch_us(ts) as ts_us,
    date,
    landing_file,
    landing_line
from lake_application
where round(propensity * 1000000) > 0 and round(propensity * 1000000) < 1000000;

-- The coin of a unit of work: whether it is shown anything, or which arm of an experiment it is in.
-- Needs: lake_assignment
-- Makes: assignment (view)
-- Grain: (assignment).
create view assignment as
select *, epoch_us(ts) as ts_us, cast(round(propensity * 1000000) as bigint) as propensity_millionths from lake_assignment;

-- A file that an agent was seen to read or change, or a command that it was seen to run.
-- Needs: lake_touch
-- Makes: touch (view)
-- Grain: (touch).
create view touch as
select *, epoch_us(ts) as ts_us from lake_touch;

-- How relevant a pattern was. `raw_score` is the value that another tool wrote, before it was clamped to 0 to 1.
-- Needs: lake_relevance
-- Makes: relevance (view)
-- Grain: (relevance).
create view relevance as
select
    * replace (coalesce(raw_score, try_cast(json_extract_string(extra, '$.raw') as double)) as raw_score),
    epoch_us(ts) as ts_us
from lake_relevance;

-- Whether a goal was met.
-- Needs: lake_goal
-- Makes: goal (view)
-- Grain: (goal).
create view goal as
select *, epoch_us(ts) as ts_us from lake_goal;

-- Whether a build passed.
-- Needs: lake_build
-- Makes: build (view)
-- Grain: (build).
create view build as
select *, epoch_us(ts) as ts_us from lake_build;

-- Whether a citation that an agent gave as evidence was verified.
-- Needs: lake_citation
-- Makes: citation (view)
-- Grain: (citation).
create view citation as
select *, epoch_us(ts) as ts_us from lake_citation;

-- A report of a finished run. A run whose approval was denied is no evidence about an adapter. A run without a quality has quality 1
-- if it succeeded, else 0. A report is marked as perhaps not the first of its run (`is_again`) when it is taken; files of earlier
-- versions lack the mark. ClosedLoop's log has several rows for a run that is resumed: those are not one run (`is_one_run`).
-- Needs: lake_run
-- Makes: run (view)
-- Grain: (run).
create view run as
select
    * replace (
        coalesce(failure_key, lower(trim(failure_type))) as failure_key,
        coalesce(is_again, true) as is_again
    ),
    epoch_us(ts) as ts_us,
    coalesce(len(adapters), 0) > 0 or json_extract_string(extra, '$.status_text') is null as is_one_run,
    adapters[1] as first_adapter,
    coalesce(coalesce(failure_key, lower(trim(failure_type))) = 'approval-denied', false) as is_denied,
    cast(round(coalesce(quality, case when success then 1 else 0 end) * 1000000) as bigint) as quality_millionths,
    lower(array_to_string(issues, chr(10))) as issue_text
from lake_run;

-- A lesson that an agent or a person captured. Earlier versions kept `repo_name`, `origin` and `flags` in `extra`.
-- Needs: lake_learning
-- Makes: learning (view)
-- Grain: (learning).
create view learning as
select
    * replace (
        coalesce(repo_name, json_extract_string(extra, '$.repo_name')) as repo_name,
        coalesce(origin, json_extract_string(extra, '$.origin')) as origin,
        coalesce(flags, json_extract_string(extra, '$.flags')) as flags
    ),
    epoch_us(ts) as ts_us
from lake_learning;

-- A classifier's answer to a pending lesson.
-- Needs: lake_classification
-- Makes: classification (view)
-- Grain: (classification).
create view classification as
select *, epoch_us(ts) as ts_us from lake_classification;

-- Files and lines that changed in a work directory.
-- Needs: lake_change
-- Makes: change (view)
-- Grain: (change).
create view change as
select *, epoch_us(ts) as ts_us from lake_change;

-- How long a part of a run took.
-- Needs: lake_timing
-- Makes: timing (view)
-- Grain: (timing).
create view timing as
select *, epoch_us(ts) as ts_us from lake_timing;

-- A sighting of recurring work in a transcript.
-- Needs: lake_observation
-- Makes: observation (view)
-- Grain: (observation).
create view observation as
select *, epoch_us(ts) as ts_us from lake_observation;

-- An event about an artifact that was rendered from an observation.
-- Needs: lake_artifact
-- Makes: artifact (view)
-- Grain: (artifact).
create view artifact as
select *, epoch_us(ts) as ts_us from lake_artifact;

-- A role's text.
-- Needs: lake_deliberation
-- Makes: deliberation (view)
-- Grain: (deliberation).
create view deliberation as
select * replace (coalesce(role_key, lower(trim(role))) as role_key), epoch_us(ts) as ts_us from lake_deliberation;

-- Verdicts whose place a later one takes: a pipeline that knows more states the same verdict on the same report again. A table, because
-- there are few.
-- Needs: lake_verdict
-- Makes: restated (table)
-- Grain: (verdict).
create table restated as
select earlier.landing_seq
from lake_verdict as earlier
inner join (
    select project, deliberation_id, validator_id, max_by(id, (ts, id)) as id
    from lake_verdict
    where deliberation_id is not null and validator_id is not null
    group by project, deliberation_id, validator_id
    having count(distinct id) > 1
) as later
    on
        later.project = earlier.project
        and later.deliberation_id = earlier.deliberation_id
        and later.validator_id = earlier.validator_id
where later.id <> earlier.id;

-- A validator's verdict on a role's work, without those whose place a later one takes. A verdict that names nothing to fix is a pass.
-- Needs: lake_verdict, restated
-- Makes: verdict (view)
-- Grain: (verdict).
create view verdict as
select
    * replace (coalesce(role_key, lower(trim(role))) as role_key),
    epoch_us(ts) as ts_us,
    coalesce(len(must_fix), 0) as must_fix_count
from lake_verdict
where landing_seq not in (select landing_seq from restated);

-- The later result of a run's work.
-- Needs: lake_aftermath
-- Makes: aftermath (view)
-- Grain: (aftermath).
create view aftermath as
select *, epoch_us(ts) as ts_us from lake_aftermath;

-- A gate decision about an adapter.
-- Needs: lake_gate
-- Makes: gate (view)
-- Grain: (gate).
create view gate as
select * replace (coalesce(adapter_key, lower(trim(adapter))) as adapter_key), epoch_us(ts) as ts_us from lake_gate;

-- A summary of a set of patterns.
-- Needs: lake_summary
-- Makes: summary (view)
-- Grain: (summary).
create view summary as
select *, epoch_us(ts) as ts_us from lake_summary;

-- A text as a vector.
-- Needs: lake_embedding
-- Makes: embedding (view)
-- Grain: (embedding).
create view embedding as
select *, epoch_us(ts) as ts_us from lake_embedding;

-- A person's decision.
-- Needs: lake_curation
-- Makes: curation (view)
-- Grain: (curation).
create view curation as
select *, epoch_us(ts) as ts_us from lake_curation;

-- The events below are folded in landing order, and the fold applies the horizon itself. If events after the horizon were hidden
-- here, the numbers of later patterns would shift.

-- Lessons, including those dated after the horizon.
-- Needs: lake_landed_learning
-- Makes: landed_learning (view)
-- Grain: (learning).
create view landed_learning as
select
    * replace (
        coalesce(repo_name, json_extract_string(extra, '$.repo_name')) as repo_name,
        coalesce(origin, json_extract_string(extra, '$.origin')) as origin,
        coalesce(flags, json_extract_string(extra, '$.flags')) as flags
    ),
    epoch_us(ts) as ts_us
from lake_landed_learning;

-- Classifications of pending lessons, including those dated after the horizon.
-- Needs: lake_landed_classification
-- Makes: landed_classification (view)
-- Grain: (classification).
create view landed_classification as
select *, epoch_us(ts) as ts_us from lake_landed_classification;

-- Decisions, including those dated after the horizon.
-- Needs: lake_landed_curation
-- Makes: landed_curation (view)
-- Grain: (curation).
create view landed_curation as
select *, epoch_us(ts) as ts_us from lake_landed_curation;

-- Texts of roles, including those dated after the horizon.
-- Needs: lake_landed_deliberation
-- Makes: landed_deliberation (view)
-- Grain: (deliberation).
create view landed_deliberation as
select * replace (coalesce(role_key, lower(trim(role))) as role_key), epoch_us(ts) as ts_us from lake_landed_deliberation;

-- Observations, including those dated after the horizon.
-- Needs: lake_landed_observation
-- Makes: landed_observation (view)
-- Grain: (observation).
create view landed_observation as
select *, epoch_us(ts) as ts_us from lake_landed_observation;

-- The adapters of each run. Retries are capped, because they are summed and a single run may report more than a sum can hold.
-- Needs: run
-- Makes: run_adapter (view)
-- Grain: (run, adapter).
create view run_adapter as
select
    landing_seq,
    project,
    ts_us,
    success,
    case when retries > 4294967295 then 4294967295 else retries end as retries,
    quality_millionths,
    quality is null as is_quality_assumed,
    is_denied,
    unnest(adapters) as adapter
from run;

-- The skills of each run.
-- Needs: run
-- Makes: run_skill (view)
-- Grain: (run, skill).
create view run_skill as
select landing_seq, ts_us, result, unnest(skills) as skill from run;

-- Agents' decisions in each run, with their positions from 1.
-- Needs: run
-- Makes: run_decision (view)
-- Grain: (run, agent).
create view run_decision as
select
    landing_seq,
    ts_us,
    result,
    rollback,
    human_override,
    place,
    each.agent as agent,
    each.decision as decision,
    each.confidence as confidence
from (
    select
        landing_seq,
        ts_us,
        result,
        rollback,
        human_override,
        generate_subscripts(agent_decisions, 1) as place,
        unnest(agent_decisions) as each
    from run
);

-- The components of each vector, with their positions from 1.
-- Needs: embedding
-- Makes: embedding_value (view)
-- Grain: (embedding, place).
create view embedding_value as
select
    project,
    text_hash,
    model,
    ts_us,
    landing_seq,
    generate_subscripts(vector, 1) as place,
    unnest(vector) as value
from embedding;

-- Quarantined lines, with the kind that each names, if it can be read. Earlier versions did not store the kind.
-- Needs: lake_quarantine
-- Makes: quarantine (view)
-- Grain: (line).
create view quarantine as
select * replace (coalesce(kind, regexp_extract(text, '"kind"\s*:\s*"([a-z]+)"', 1)) as kind) from lake_quarantine;

-- The adapters of refused reports of runs; one row without an adapter where none can be read.
-- Needs: quarantine
-- Makes: refused_adapter (view)
-- Grain: (line, adapter).
create view refused_adapter as
select
    coalesce(project, 'default') as project,
    run_id,
    text,
    epoch_us(quarantined_at) as quarantined_us,
    epoch_us(reported_at) as reported_us,
    unnest(case when len(adapters) > 0 then adapters else [cast(null as varchar)] end) as adapter
from quarantine
where kind = 'run';

-- The steps of job runs.
-- Needs: lake_history
-- Makes: history (view)
-- Grain: (run of a job, step).
create view history as
select
    job,
    started,
    ended,
    outcome,
    error,
    each.step as step,
    each.outcome as step_outcome,
    each.seconds as seconds,
    each.attempts as attempts,
    each.numbers as numbers
from (select *, unnest(steps) as each from lake_history);
