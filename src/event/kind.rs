//! The kinds of events: one table of their fields, from which the types, their parsing and the lake's columns are made.

#[macro_use]
mod define;

use std::sync::LazyLock;

use super::field::{
    Adapters, AgentDecisions, ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, Count, CurationAction, EvidenceLevel,
    FailureType, Field, Flag, Holds, Json, Label, Labels, Lack, Name, Number, ObservationType, Passed, Quality, Rating, RawScore,
    RepoName, Retries, Risk, RunResult, Sayings, TaskName, Text, Texts, Unit, Vector, Verdict, fill,
};
use super::member::{Layout, Members, NameTable, Unknown};
use super::parse::Envelope;
use super::rejection::{Code, Rejection};
use super::rule::Consistent;

/// A field as the table knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// Its name in the lake.
    pub name: &'static str,
    /// How a line may spell it, its name first.
    pub spellings: &'static [&'static str],
    pub holds: Holds,
    /// Whether an event of the kind must have it.
    pub is_needed: bool,
    /// Whether `null` counts as absent.
    pub takes_null: bool,
}

/// What every event carries, whatever its kind: `kind`, `ts`, `project`, `id`. The parser counts on this order.
pub static ENVELOPE: [FieldSpec; 4] = [
    carried(&["kind"]),
    carried(&["ts", "timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"]),
    carried(&["project", "project_id", "projectId"]),
    carried(&["id", "event_id", "eventId"]),
];

const fn carried(spellings: &'static [&'static str]) -> FieldSpec {
    FieldSpec { name: spellings[0], spellings, holds: Holds::Special, is_needed: false, takes_null: true }
}

/// Hands the table of kinds to a macro. A field is `need` or `may`, its Rust name, its type, its name in the lake, and
/// the spellings of other systems.
#[macro_export]
macro_rules! with_kinds {
    ($emit:ident) => { $emit! {
        /// A pattern that was shown to an agent, used by it, or held back from it.
        Application "application" {
            need run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            may role: Name<'a> = "role",
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            may trigger: Text<'a> = "trigger" | "pattern_trigger" | "patternTrigger",
            need status: ApplicationStatus = "status",
            may citations: Texts<'a> = "citations",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may tool: Label<'a> = "tool" | "tool_name" | "toolName",
            may application_id: Label<'a> = "application_id" | "applicationId",
            may acted: Flag = "acted",
            may touched_relevance: Unit = "touched_relevance" | "touchedRelevance",
            may propensity: Unit = "propensity",
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
            may salt_id: Name<'a> = "salt_id" | "saltId",
        }
        /// The coin of a unit of work, a task or a run: whether it is shown anything at all, or which arm of an experiment it is in.
        Assignment "assignment" {
            need run_id: Name<'a> = "run_id" | "runId",
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
            need arm: Arm = "arm",
            need propensity: Unit = "propensity",
            may salt_id: Name<'a> = "salt_id" | "saltId",
            may experiment: Label<'a> = "experiment",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
        }
        /// A file that an agent was seen to read or change, or a command that it was seen to run.
        Touch "touch" {
            need run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            need tool: Label<'a> = "tool" | "tool_name" | "toolName",
            may path: Label<'a> = "path" | "file",
            may lines: Labels<'a> = "lines",
            may command: Text<'a> = "command",
            may failed: Flag = "failed",
            may exit_code: Count = "exit_code" | "exitCode",
            may output_hash: Name<'a> = "output_hash" | "outputHash",
        }
        /// How relevant a pattern was to what a run, an iteration or an application changed.
        Relevance "relevance" {
            may run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may application_id: Label<'a> = "application_id" | "applicationId",
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            may trigger: Text<'a> = "trigger" | "pattern_trigger" | "patternTrigger",
            need score: Unit = "score" | "relevance",
            may method: Label<'a> = "method",
            may matched_concepts: Labels<'a> = "matched_concepts" | "matchedConcepts",
            may raw_score: RawScore = "raw_score" | "raw",
        }
        /// Whether a run or an iteration reached its goal.
        Goal "goal" {
            need run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may application_id: Label<'a> = "application_id" | "applicationId",
            need goal: Label<'a> = "goal" | "goal_name" | "goalName",
            need success: Flag = "success" | "goal_success" | "goalSuccess",
            may score: Number = "score" | "goal_score" | "goalScore",
            may metrics: Json<'a> = "metrics",
            may details: Text<'a> = "details",
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
        }
        /// Whether the build of an iteration passed.
        Build "build" {
            need run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            need passed: Passed = "passed" | "status",
            may details: Text<'a> = "details",
        }
        /// Whether a citation that an agent gave as evidence holds.
        Citation "citation" {
            may run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may application_id: Label<'a> = "application_id" | "applicationId",
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            may trigger: Text<'a> = "trigger" | "pattern_trigger" | "patternTrigger",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            may path: Label<'a> = "path" | "file",
            may cited_line: Count = "cited_line" | "line",
            need verified: Flag = "verified",
            may reason: Text<'a> = "reason",
        }
        /// A finished run.
        Run "run" {
            need run_id: Name<'a> = "run_id" | "runId",
            may result: RunResult = "result" | "status",
            may success: Flag = "success",
            may quality: Quality = "quality" | "qualityScore" | "quality_score" | "postExecutionScore" | "post_execution_score",
            may retries: Retries = "retries" | "retryCount" | "retry_count",
            may rollback: Flag = "rollback" | "rollbackOccurred" | "rollback_occurred",
            may human_override: Flag = "human_override" | "humanOverride",
            may risk: Risk = "risk" | "riskLevel" | "risk_level",
            may adapters: Adapters<'a> = "adapters" | "adaptersUsed" | "adapters_used",
            may failure_type: FailureType<'a> = "failure_type" | "dominantFailureType" | "dominant_failure_type" | "failureDetails" | "failureType",
            may skills: Labels<'a> = "skills" | "selectedSkills" | "selected_skills",
            may agent_decisions: AgentDecisions<'a> = "agent_decisions" | "agentDecisions",
            may issues: Texts<'a> = "issues",
            may tokens: Count = "tokens" | "total_tokens" | "totalTokens",
            may duration_ms: Count = "duration_ms" | "durationMs" | "timeTakenMs" | "time_taken_ms",
            may iterations: Count = "iterations",
            may command: Label<'a> = "command",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may rating: Rating = "rating" | "userRating" | "user_rating" | "operatorRating",
            may feedback: Text<'a> = "feedback" | "userFeedback" | "user_feedback",
            may notes: Text<'a> = "notes",
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
        }
        /// A lesson that an agent or a person captured.
        Learning "learning" {
            may run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may what: Text<'a> = "what" | "what_happened" | "whatHappened",
            may why: Text<'a> = "why",
            may fix: Text<'a> = "fix" | "fix_applied" | "fixApplied",
            may summary: Text<'a> = "summary" | "pattern_to_remember" | "patternToRemember",
            may detail: Text<'a> = "detail",
            may trigger: Text<'a> = "trigger",
            may category: Label<'a> = "category",
            may scope: Label<'a> = "scope",
            may repo: Label<'a> = "repo" | "repo_scope" | "repoScope",
            may confidence: Label<'a> = "confidence",
            may applies_to: Labels<'a> = "applies_to" | "appliesTo",
            may tags: Labels<'a> = "tags",
            may citations: Texts<'a> = "citations",
            may context: Json<'a> = "context",
            may no_learnings: Flag = "no_learnings" | "noLearnings",
            may reason: Text<'a> = "reason",
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            may seen_count: Count = "seen_count" | "seenCount",
            may success_rate: Unit = "success_rate" | "successRate",
            may pending: Flag = "pending",
            may source_project: Label<'a> = "source_project" | "sourceProject",
            may source_id: Label<'a> = "source_id" | "sourceId",
            may shared_id: Label<'a> = "shared_id" | "sharedId",
            may repo_name: RepoName<'a> = "repo_name" | "repoName",
        }
        /// A classifier's answer about a pending lesson.
        Classification "classification" {
            need learning_id: Label<'a> = "learning_id" | "learningId",
            need status: ClassificationStatus = "status",
            may classifier: Label<'a> = "classifier",
            may scope: Label<'a> = "scope",
            may category: Label<'a> = "category",
            may repo: Label<'a> = "repo" | "repo_scope" | "repoScope",
            may summary: Text<'a> = "summary",
            may original_summary: Text<'a> = "original_summary" | "originalSummary",
            may trigger: Text<'a> = "trigger",
            may applies_to: Labels<'a> = "applies_to" | "appliesTo",
            may tags: Labels<'a> = "tags",
            may reason: Text<'a> = "reason",
        }
        /// The files and lines that an iteration changed.
        Change "change" {
            need run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            may base: Label<'a> = "base" | "start_sha" | "startSha",
            may head: Label<'a> = "head",
            may repo: Label<'a> = "repo",
            may files: Labels<'a> = "files",
            may added_lines: Count = "added_lines" | "addedLines",
            may removed_lines: Count = "removed_lines" | "removedLines",
            may details: Json<'a> = "details",
        }
        /// How long a part of a run took.
        Timing "timing" {
            need run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            need event: Label<'a> = "event",
            may step: Number = "step",
            may step_name: Label<'a> = "step_name" | "parent_step_name",
            may sub_step: Number = "sub_step",
            may sub_step_name: Label<'a> = "sub_step_name",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            may phase: Label<'a> = "phase",
            may status: Label<'a> = "status",
            may started: Label<'a> = "started" | "started_at",
            may ended: Label<'a> = "ended" | "ended_at",
            may seconds: Number = "seconds" | "duration_s",
            may exit_code: Number = "exit_code",
            may skipped: Flag = "skipped",
            may command: Label<'a> = "command",
        }
        /// A recurring thing observed in a transcript.
        Observation "observation" {
            may observation_id: Name<'a> = "observation_id" | "observationId",
            need observation_type: ObservationType = "type" | "observation_type" | "observationType",
            need pattern: Text<'a> = "pattern",
            may evidence: Texts<'a> = "evidence",
            may details: Text<'a> = "details",
            may quality_ok: Flag = "quality_ok" | "qualityOk",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may prior: Json<'a> = "prior",
            may meaning: Texts<'a> = "meaning",
            may lacks: Lack = "lacks",
        }
        /// A change of an artifact: rendered, edited, deleted, cited or used.
        Artifact "artifact" {
            need action: ArtifactAction = "action",
            may observation_id: Name<'a> = "observation_id" | "observationId",
            may observation_type: ObservationType = "type" | "observation_type" | "observationType",
            may path: Label<'a> = "path",
            may anchor: Name<'a> = "anchor" | "anchor_id" | "anchorId",
            may content_hash: Name<'a> = "content_hash" | "contentHash",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may reason: Text<'a> = "reason",
        }
        /// What one role wrote in a pipeline.
        Deliberation "deliberation" {
            may run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            need role: Name<'a> = "role",
            may phase: Label<'a> = "phase",
            may issue: Label<'a> = "issue",
            may pull_request: Label<'a> = "pull_request" | "pr",
            may labels: Labels<'a> = "labels",
            may files: Labels<'a> = "files",
            may evidence_level: EvidenceLevel = "evidence_level" | "evidenceLevel",
            may status: Label<'a> = "status",
            may verdict: Verdict = "verdict",
            need text: Text<'a> = "text" | "response",
            may model: Label<'a> = "model",
            may command: Label<'a> = "command",
            may tokens: Count = "tokens",
            may duration_ms: Count = "duration_ms" | "durationMs",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may patterns: Sayings<'a> = "patterns",
            may prior: Json<'a> = "prior",
            may evidence_by: Label<'a> = "evidence_by" | "evidenceBy",
        }
        /// A validator's verdict on what another role wrote.
        VerdictGiven "verdict" {
            may run_id: Name<'a> = "run_id" | "runId",
            may iteration: Count = "iteration" | "iter",
            need role: Name<'a> = "role" | "validator_role" | "validatorRole",
            may adversarial_role: Name<'a> = "adversarial_role" | "adversarialRole",
            may deliberation_id: Label<'a> = "deliberation_id" | "deliberationId",
            need verdict: Verdict = "verdict",
            may false_positives: Texts<'a> = "false_positives" | "falsePositives",
            may must_fix: Texts<'a> = "must_fix" | "mustFix",
            may issues: Json<'a> = "issues",
            may phase: Label<'a> = "phase",
            may issue: Label<'a> = "issue",
            may labels: Labels<'a> = "labels",
            may files: Labels<'a> = "files",
            may evidence_level: EvidenceLevel = "evidence_level" | "evidenceLevel",
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            may validator_id: Label<'a> = "validator_id" | "validatorId",
            may validator_level: EvidenceLevel = "validator_level" | "validatorLevel",
            may rejected: Texts<'a> = "rejected",
            may reinforced: Labels<'a> = "reinforced",
            may evidence_by: Label<'a> = "evidence_by" | "evidenceBy",
        }
        /// The later result of a run's work.
        Aftermath "aftermath" {
            need run_id: Name<'a> = "run_id" | "runId",
            need passed: Passed = "passed" | "status",
            may reason: Text<'a> = "reason" | "note",
        }
        /// What a gate decided before an adapter was used.
        Gate "gate" {
            need adapter: Label<'a> = "adapter" | "adapterId" | "adapter_id",
            may run_id: Name<'a> = "run_id" | "runId",
            may risk: Risk = "risk" | "riskLevel" | "risk_level",
            need approval: Flag = "approval" | "requireApproval" | "require_approval",
            may multiplier: Number = "multiplier" | "riskMultiplier" | "risk_multiplier",
            may retries: Count = "retries",
            may reason: Text<'a> = "reason",
        }
        /// A short form of a set of patterns, for contexts in which the patterns do not fit.
        Summary "summary" {
            need set_hash: Name<'a> = "set_hash" | "setHash" | "set",
            need text: Text<'a> = "text" | "summary",
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            may role: Name<'a> = "role",
            may author: Label<'a> = "author" | "model",
        }
        /// The embedding vector of a text.
        Embedding "embedding" {
            need text_hash: Name<'a> = "text_hash" | "textHash",
            may model: Label<'a> = "model",
            need vector: Vector = "vector" | "embedding",
        }
        /// A person's decision about a pattern or a policy.
        Curation "curation" {
            need action: CurationAction = "action" | "decision",
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            may target: Label<'a> = "target" | "adapter" | "adapterId",
            need actor: Label<'a> = "actor",
            may reason: Text<'a> = "reason" | "note",
            may value: Json<'a> = "value",
        }
    }};
}
with_kinds!(define_kinds);

impl Kind {
    /// The field that a line of this kind spells so. None where no field is; what every event carries is none of its fields.
    #[must_use]
    pub fn field(self, spelling: &str) -> Option<&'static FieldSpec> {
        let number = self.names().find(spelling)?.checked_sub(Envelope::FIELDS)?;
        self.fields().get(usize::from(number))
    }

    /// The field that a line of any kind spells so: one of `kind`, `ts`, `project` and `id`.
    #[must_use]
    pub fn carried(spelling: &str) -> Option<&'static FieldSpec> {
        ENVELOPE.iter().find(|field| field.spellings.contains(&spelling))
    }

    /// The numbers of all spellings: first those that every event carries, then its own.
    fn names(self) -> &'static NameTable {
        static NAMES: LazyLock<Vec<NameTable>> = LazyLock::new(|| {
            let table = |kind: &Kind| NameTable::of(ENVELOPE.iter().chain(kind.fields()).map(|field| field.spellings));
            Kind::ALL.iter().map(table).collect()
        });
        &NAMES[self as usize]
    }
}

fn missing(field: &'static str) -> Rejection {
    Rejection::new(Code::MissingField, format!("`{field}` is missing"), format!("add `{field}`"))
}
