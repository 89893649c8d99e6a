//! The fields of every kind with all their spellings, as other systems rely on them, and values to try them with.

use event::Kind;

use crate::event::door::line;

/// One field: its spellings and two values, as written, that differ.
#[derive(Debug)]
pub struct Field {
    pub is_needed: bool,
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub values: [&'static str; 2],
}

/// One kind: its fields, and those of a line that carries no more than it must.
#[derive(Debug)]
pub struct Table {
    pub kind: &'static str,
    pub least: &'static [&'static str],
    pub fields: &'static [Field],
}

impl Table {
    /// A line that carries no more than it must, with one field written as given instead of as usual.
    pub fn line_with(&self, field: &Field, members: &[(&str, &str)]) -> String {
        let rest = self.fields.iter().filter(|other| other.name != field.name && self.least.contains(&other.name));
        let rest = rest.map(|other| (other.name, other.values[0]));
        let members = rest.chain(members.iter().copied()).map(|(name, value)| format!(r#""{name}":{value}"#));
        line(self.kind, &members.collect::<Vec<_>>().join(","))
    }
}

type Values = [&'static str; 2];
const NAME: Values = [r#""n-1""#, r#""n-2""#];
const LABEL: Values = [r#""src/a.rs""#, r#""src/b.rs""#];
const TEXT: Values = [r#""one\nline""#, r#""another""#];
const LABELS: Values = [r#"["a","b"]"#, r#"["b","a"]"#];
const TEXTS: Values = [r#"["a b",""]"#, "[]"];
const SAYINGS: Values = [r#"["Lock before writing"]"#, r#"["Close what was opened"]"#];
const VECTOR: Values = ["[0.5,-1]", "[1]"];
const JSON: Values = [r#"{"a":[1]}"#, r#"[{"a":1}]"#];
const COUNT: Values = ["3", "4"];
const NUMBER: Values = ["-2.5", "7"];
const UNIT: Values = ["0.25", "1"];
const RATING: Values = ["4.5", "1"];
const FLAG: Values = ["true", "false"];
const LEVEL: Values = ["1", r#""L3""#];
const VERDICT: Values = [r#""PASS""#, r#""FAIL""#];
const STATUS: Values = [r#""applied""#, r#""withheld""#];
const ARM: Values = [r#""on""#, r#""off""#];
const RESULT: Values = [r#""success""#, r#""failed""#];
const CLASSIFICATION: Values = [r#""approved""#, r#""rejected""#];
const RISK: Values = [r#""low""#, r#""high""#];
const OBSERVATION: Values = [r#""workflow""#, r#""pitfall""#];
const LACK: Values = [r#""session""#, r#""recurrence""#];
const ARTIFACT_ACTION: Values = [r#""rendered""#, r#""cited""#];
const ACTION: Values = [r#""promote""#, r#""retire""#];
const DECISIONS: Values = [r#"[{"agent":"planner","confidence":0.5}]"#, "[]"];

macro_rules! tables {
    ($($kind:literal least $least:tt { $($need:ident $name:literal $(| $alias:literal)* = $values:ident,)* })*) => {
        &[$(Table {
            kind: $kind,
            least: &$least,
            fields: &[$(Field { is_needed: is_needed(stringify!($need)), name: $name, aliases: &[$($alias),*], values: $values },)*],
        },)*]
    };
}

const fn is_needed(word: &str) -> bool {
    word.len() == "need".len()
}

pub const TABLES: &[Table] = tables! {
    "application" least ["run_id", "status", "trigger"] {
        need "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "agent" | "agentName" | "agent_name" = NAME,
        may "role" = NAME,
        may "pattern_id" | "patternId" = NAME,
        may "trigger" | "pattern_trigger" | "patternTrigger" = TEXT,
        need "status" = STATUS,
        may "citations" = TEXTS,
        may "session" | "session_id" | "sessionId" = NAME,
        may "tool" | "tool_name" | "toolName" = LABEL,
        may "application_id" | "applicationId" = LABEL,
        may "acted" = FLAG,
        may "touched_relevance" | "touchedRelevance" = UNIT,
        may "propensity" = UNIT,
        may "unit" | "task" | "task_id" | "taskId" = LABEL,
        may "salt_id" | "saltId" = NAME,
    }
    "assignment" least ["run_id", "arm", "propensity"] {
        need "run_id" | "runId" = NAME,
        may "unit" | "task" | "task_id" | "taskId" = LABEL,
        need "arm" = ARM,
        need "propensity" = UNIT,
        may "salt_id" | "saltId" = NAME,
        may "experiment" = LABEL,
        may "session" | "session_id" | "sessionId" = NAME,
        may "agent" | "agentName" | "agent_name" = NAME,
    }
    "touch" least ["run_id", "tool"] {
        need "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "agent" | "agentName" | "agent_name" = NAME,
        may "session" | "session_id" | "sessionId" = NAME,
        need "tool" | "tool_name" | "toolName" = LABEL,
        may "path" | "file" = LABEL,
        may "lines" = LABELS,
        may "command" = TEXT,
        may "failed" = FLAG,
        may "exit_code" | "exitCode" = COUNT,
        may "output_hash" | "outputHash" = NAME,
    }
    "relevance" least ["run_id", "score"] {
        may "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "application_id" | "applicationId" = LABEL,
        may "pattern_id" | "patternId" = NAME,
        may "trigger" | "pattern_trigger" | "patternTrigger" = TEXT,
        need "score" | "relevance" = UNIT,
        may "method" = LABEL,
        may "matched_concepts" | "matchedConcepts" = LABELS,
        may "raw_score" | "raw" = NUMBER,
    }
    "goal" least ["run_id", "goal", "success"] {
        need "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "application_id" | "applicationId" = LABEL,
        need "goal" | "goal_name" | "goalName" = LABEL,
        need "success" | "goal_success" | "goalSuccess" = FLAG,
        may "measured" = FLAG,
        may "score" | "goal_score" | "goalScore" = NUMBER,
        may "metrics" = JSON,
        may "details" = TEXT,
        may "unit" | "task" | "task_id" | "taskId" = LABEL,
    }
    "build" least ["run_id", "passed"] {
        need "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "agent" | "agentName" | "agent_name" = NAME,
        need "passed" | "status" = FLAG,
        may "application_id" | "applicationId" = LABEL,
        may "details" = TEXT,
    }
    "citation" least ["run_id", "verified"] {
        may "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "application_id" | "applicationId" = LABEL,
        may "pattern_id" | "patternId" = NAME,
        may "trigger" | "pattern_trigger" | "patternTrigger" = TEXT,
        may "agent" | "agentName" | "agent_name" = NAME,
        may "path" | "file" = LABEL,
        may "cited_line" | "line" = COUNT,
        need "verified" = FLAG,
        may "reason" = TEXT,
    }
    "run" least ["run_id", "result", "adapters", "failure_type"] {
        need "run_id" | "runId" = NAME,
        may "result" | "status" = RESULT,
        may "success" = FLAG,
        may "quality" | "qualityScore" | "quality_score" | "postExecutionScore" | "post_execution_score" = UNIT,
        may "retries" | "retryCount" | "retry_count" = COUNT,
        may "rollback" | "rollbackOccurred" | "rollback_occurred" = FLAG,
        may "human_override" | "humanOverride" = FLAG,
        may "risk" | "riskLevel" | "risk_level" = RISK,
        may "adapters" | "adaptersUsed" | "adapters_used" = LABELS,
        may "failure_type" | "dominantFailureType" | "dominant_failure_type" | "failureDetails" | "failureType" = NAME,
        may "skills" | "selectedSkills" | "selected_skills" = LABELS,
        may "agent_decisions" | "agentDecisions" = DECISIONS,
        may "issues" = TEXTS,
        may "tokens" | "total_tokens" | "totalTokens" = COUNT,
        may "duration_ms" | "durationMs" | "timeTakenMs" | "time_taken_ms" = COUNT,
        may "iterations" = COUNT,
        may "command" = LABEL,
        may "session" | "session_id" | "sessionId" = NAME,
        may "rating" | "userRating" | "user_rating" | "operatorRating" = RATING,
        may "feedback" | "userFeedback" | "user_feedback" = TEXT,
        may "notes" = TEXT,
        may "unit" | "task" | "task_id" | "taskId" = LABEL,
    }
    "learning" least ["summary"] {
        may "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "agent" | "agentName" | "agent_name" = NAME,
        may "session" | "session_id" | "sessionId" = NAME,
        may "what" | "what_happened" | "whatHappened" = TEXT,
        may "why" = TEXT,
        may "fix" | "fix_applied" | "fixApplied" = TEXT,
        may "summary" | "pattern_to_remember" | "patternToRemember" = TEXT,
        may "detail" = TEXT,
        may "trigger" = TEXT,
        may "category" = LABEL,
        may "scope" = LABEL,
        may "repo" | "repo_scope" | "repoScope" = LABEL,
        may "confidence" = LABEL,
        may "applies_to" | "appliesTo" = LABELS,
        may "tags" = LABELS,
        may "citations" = TEXTS,
        may "context" = JSON,
        may "no_learnings" | "noLearnings" = FLAG,
        may "reason" = TEXT,
        may "pattern_id" | "patternId" = NAME,
        may "seen_count" | "seenCount" = COUNT,
        may "success_rate" | "successRate" = UNIT,
        may "pending" = FLAG,
        may "source_project" | "sourceProject" = LABEL,
        may "source_id" | "sourceId" = LABEL,
        may "shared_id" | "sharedId" = LABEL,
        may "repo_name" | "repoName" = LABEL,
        may "origin" = LABEL,
        may "flags" = LABEL,
    }
    "classification" least ["learning_id", "status"] {
        need "learning_id" | "learningId" = LABEL,
        need "status" = CLASSIFICATION,
        may "classifier" = LABEL,
        may "scope" = LABEL,
        may "category" = LABEL,
        may "repo" | "repo_scope" | "repoScope" = LABEL,
        may "summary" = TEXT,
        may "original_summary" | "originalSummary" = TEXT,
        may "trigger" = TEXT,
        may "applies_to" | "appliesTo" = LABELS,
        may "tags" = LABELS,
        may "reason" = TEXT,
    }
    "change" least ["run_id", "base"] {
        need "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        may "base" | "start_sha" | "startSha" = LABEL,
        may "head" = LABEL,
        may "repo" = LABEL,
        may "files" = LABELS,
        may "added_lines" | "addedLines" = COUNT,
        may "removed_lines" | "removedLines" = COUNT,
        may "details" = JSON,
    }
    "timing" least ["run_id", "event"] {
        need "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        need "event" = LABEL,
        may "step" = NUMBER,
        may "step_name" | "parent_step_name" = LABEL,
        may "sub_step" = NUMBER,
        may "sub_step_name" = LABEL,
        may "agent" | "agentName" | "agent_name" = NAME,
        may "phase" = LABEL,
        may "status" = LABEL,
        may "started" | "started_at" = LABEL,
        may "ended" | "ended_at" = LABEL,
        may "seconds" | "duration_s" = NUMBER,
        may "exit_code" = NUMBER,
        may "skipped" = FLAG,
        may "command" = LABEL,
    }
    "observation" least ["type", "pattern"] {
        may "observation_id" | "observationId" = NAME,
        need "type" | "observation_type" | "observationType" = OBSERVATION,
        need "pattern" = TEXT,
        may "evidence" = TEXTS,
        may "details" = TEXT,
        may "quality_ok" | "qualityOk" = FLAG,
        may "session" | "session_id" | "sessionId" = NAME,
        may "prior" = JSON,
        may "meaning" = TEXTS,
        may "lacks" = LACK,
    }
    "artifact" least ["action"] {
        need "action" = ARTIFACT_ACTION,
        may "observation_id" | "observationId" = NAME,
        may "type" | "observation_type" | "observationType" = OBSERVATION,
        may "path" = LABEL,
        may "anchor" | "anchor_id" | "anchorId" = NAME,
        may "content_hash" | "contentHash" = NAME,
        may "session" | "session_id" | "sessionId" = NAME,
        may "reason" = TEXT,
        may "title" = TEXT,
        may "details" = TEXT,
    }
    "deliberation" least ["role", "text"] {
        may "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        need "role" = NAME,
        may "phase" = LABEL,
        may "issue" = LABEL,
        may "pull_request" | "pr" = LABEL,
        may "labels" = LABELS,
        may "files" = LABELS,
        may "evidence_level" | "evidenceLevel" = LEVEL,
        may "status" = LABEL,
        may "verdict" = VERDICT,
        need "text" | "response" = TEXT,
        may "model" = LABEL,
        may "command" = LABEL,
        may "tokens" = COUNT,
        may "duration_ms" | "durationMs" = COUNT,
        may "session" | "session_id" | "sessionId" = NAME,
        may "patterns" = SAYINGS,
        may "prior" = JSON,
        may "evidence_by" | "evidenceBy" = LABEL,
    }
    "verdict" least ["role", "verdict"] {
        may "run_id" | "runId" = NAME,
        may "iteration" | "iter" = COUNT,
        need "role" | "validator_role" | "validatorRole" = NAME,
        may "adversarial_role" | "adversarialRole" = NAME,
        may "deliberation_id" | "deliberationId" = LABEL,
        need "verdict" = VERDICT,
        may "false_positives" | "falsePositives" = TEXTS,
        may "must_fix" | "mustFix" = TEXTS,
        may "issues" = JSON,
        may "phase" = LABEL,
        may "issue" = LABEL,
        may "labels" = LABELS,
        may "files" = LABELS,
        may "evidence_level" | "evidenceLevel" = LEVEL,
        may "session" | "session_id" | "sessionId" = NAME,
        may "validator_id" | "validatorId" = LABEL,
        may "validator_level" | "validatorLevel" = LEVEL,
        may "rejected" = TEXTS,
        may "reinforced" = LABELS,
        may "evidence_by" | "evidenceBy" = LABEL,
    }
    "aftermath" least ["run_id", "passed"] {
        need "run_id" | "runId" = NAME,
        need "passed" | "status" = FLAG,
        may "reason" | "note" = TEXT,
    }
    "gate" least ["adapter", "approval"] {
        need "adapter" | "adapterId" | "adapter_id" = LABEL,
        may "run_id" | "runId" = NAME,
        may "risk" | "riskLevel" | "risk_level" = RISK,
        need "approval" | "requireApproval" | "require_approval" = FLAG,
        may "multiplier" | "riskMultiplier" | "risk_multiplier" = NUMBER,
        may "retries" = COUNT,
        may "reason" = TEXT,
    }
    "summary" least ["set_hash", "text"] {
        need "set_hash" | "setHash" | "set" = NAME,
        need "text" | "summary" = TEXT,
        may "agent" | "agentName" | "agent_name" = NAME,
        may "role" = NAME,
        may "author" | "model" = LABEL,
    }
    "embedding" least ["text_hash", "vector"] {
        need "text_hash" | "textHash" = NAME,
        may "model" = LABEL,
        need "vector" | "embedding" = VECTOR,
    }
    "curation" least ["action", "actor", "target"] {
        need "action" | "decision" = ACTION,
        may "pattern_id" | "patternId" = NAME,
        may "target" | "adapter" | "adapterId" = LABEL,
        need "actor" = LABEL,
        may "reason" | "note" = TEXT,
        may "value" = JSON,
    }
};

/// Every field with the kind it belongs to.
pub fn fields() -> impl Iterator<Item = (&'static Table, &'static Field)> {
    TABLES.iter().flat_map(|table| table.fields.iter().map(move |field| (table, field)))
}

#[test]
fn the_spellings_that_other_systems_rely_on_are_those_of_the_table_of_kinds() {
    for (kind, table) in Kind::ALL.iter().zip(TABLES) {
        let tested = table.fields.iter().map(|field| (field.is_needed, [&[field.name], field.aliases].concat()));
        let known = kind.fields().iter().map(|field| (field.is_needed, field.spellings.to_vec()));
        assert_eq!((table.kind, tested.collect::<Vec<_>>()), (kind.name(), known.collect::<Vec<_>>()));
    }
    assert_eq!(TABLES.len(), Kind::ALL.len());
}
