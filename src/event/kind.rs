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
    /// What it tells, in a sentence.
    pub about: &'static str,
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
    carried(&["kind"], "The kind of event.", Holds::Label),
    carried(
        &["ts", "timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"],
        "When it happened, with its time zone. `outerloop record` adds the time where it is missing.",
        Holds::Time,
    ),
    carried(
        &["project", "project_id", "projectId"],
        "The project. `outerloop record` adds the one that the repository names; without any it is `default`.",
        Holds::Name,
    ),
    carried(
        &["id", "event_id", "eventId"],
        "Counts once, however often it is delivered. Without it, a hash of the line; of a run, `<project>/<run_id>`.",
        Holds::Label,
    ),
];

const fn carried(spellings: &'static [&'static str], about: &'static str, holds: Holds) -> FieldSpec {
    FieldSpec { name: spellings[0], about, spellings, holds, is_needed: false, takes_null: true }
}

/// Hands the table of kinds to a macro. A field is `need` or `may`, its Rust name, its type, its name in the lake, and
/// the spellings of other systems.
#[macro_export]
macro_rules! with_kinds {
    ($emit:ident) => { $emit! {
        /// A pattern that was shown to an agent, used by it, or held back from it.
        Application "application" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// The reviewing role.
            may role: Name<'a> = "role",
            /// The pattern, by its id.
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            /// The pattern, by its text.
            may trigger: Text<'a> = "trigger" | "pattern_trigger" | "patternTrigger",
            /// What became of the pattern: used, shown, or held back.
            need status: ApplicationStatus = "status",
            /// Where the agent says it used the pattern, as `path:line`.
            may citations: Texts<'a> = "citations",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// The tool call that it was shown beside.
            may tool: Label<'a> = "tool" | "tool_name" | "toolName",
            /// An earlier application whose place this one takes.
            may application_id: Label<'a> = "application_id" | "applicationId",
            /// Whether the agent was seen to change a file or run a command.
            may acted: Flag = "acted",
            /// How relevant the pattern is to what the agent touched.
            may touched_relevance: Unit = "touched_relevance" | "touchedRelevance",
            /// The chance of being shown, where a coin was tossed.
            may propensity: Unit = "propensity",
            /// The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own.
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
            /// Which salt of the workspace the coin was tossed with.
            may salt_id: Name<'a> = "salt_id" | "saltId",
        }
        /// The coin of a unit of work, a task or a run: whether it is shown anything at all, or which arm of an experiment it is in.
        Assignment "assignment" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own.
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
            /// Which way the coin fell.
            need arm: Arm = "arm",
            /// The chance of `on`, as it was when the coin was tossed.
            need propensity: Unit = "propensity",
            /// Which salt of the workspace the coin was tossed with.
            may salt_id: Name<'a> = "salt_id" | "saltId",
            /// The experiment; without it, the coin is about the whole loop.
            may experiment: Label<'a> = "experiment",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
        }
        /// A file that an agent was seen to read or change, or a command that it was seen to run.
        Touch "touch" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// The tool that was called.
            need tool: Label<'a> = "tool" | "tool_name" | "toolName",
            /// The file that was read or changed.
            may path: Label<'a> = "path" | "file",
            /// The lines that were changed, as `first-last`.
            may lines: Labels<'a> = "lines",
            /// The command that was run.
            may command: Text<'a> = "command",
            /// Whether the call failed.
            may failed: Flag = "failed",
            /// The exit code.
            may exit_code: Count = "exit_code" | "exitCode",
            /// Hash of the output.
            may output_hash: Name<'a> = "output_hash" | "outputHash",
        }
        /// How relevant a pattern was to what a run, an iteration or an application changed.
        Relevance "relevance" {
            /// The run.
            may run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The application that it is about.
            may application_id: Label<'a> = "application_id" | "applicationId",
            /// The pattern, by its id.
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            /// The pattern, by its text.
            may trigger: Text<'a> = "trigger" | "pattern_trigger" | "patternTrigger",
            /// How relevant the pattern was.
            need score: Unit = "score" | "relevance",
            /// How that was found out.
            may method: Label<'a> = "method",
            /// Words that the pattern and the changes share.
            may matched_concepts: Labels<'a> = "matched_concepts" | "matchedConcepts",
            /// The value that another tool wrote, before it was clamped.
            may raw_score: RawScore = "raw_score" | "raw",
        }
        /// Whether a run or an iteration reached its goal.
        Goal "goal" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The application that it is about.
            may application_id: Label<'a> = "application_id" | "applicationId",
            /// The goal.
            need goal: Label<'a> = "goal" | "goal_name" | "goalName",
            /// Whether it was met.
            need success: Flag = "success" | "goal_success" | "goalSuccess",
            /// Whether it could be measured. What could not says nothing.
            may measured: Flag = "measured",
            /// How well.
            may score: Number = "score" | "goal_score" | "goalScore",
            /// The measurements behind it.
            may metrics: Json<'a> = "metrics",
            /// More about it.
            may details: Text<'a> = "details",
            /// The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own.
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
        }
        /// Whether the build of an iteration passed.
        Build "build" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// Whether the build passed.
            need passed: Passed = "passed" | "status",
            /// The application that it judges alone.
            may application_id: Label<'a> = "application_id" | "applicationId",
            /// More about it.
            may details: Text<'a> = "details",
        }
        /// Whether a citation that an agent gave as evidence holds.
        Citation "citation" {
            /// The run.
            may run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The application that it is about.
            may application_id: Label<'a> = "application_id" | "applicationId",
            /// The pattern, by its id.
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            /// The pattern, by its text.
            may trigger: Text<'a> = "trigger" | "pattern_trigger" | "patternTrigger",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// The cited file.
            may path: Label<'a> = "path" | "file",
            /// The cited line.
            may cited_line: Count = "cited_line" | "line",
            /// Whether the citation holds.
            need verified: Flag = "verified",
            /// Why.
            may reason: Text<'a> = "reason",
        }
        /// A finished run.
        Run "run" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// How the run ended.
            may result: RunResult = "result" | "status",
            /// The same in short; `result` goes before it.
            may success: Flag = "success",
            /// How good the result is.
            may quality: Quality = "quality" | "qualityScore" | "quality_score" | "postExecutionScore" | "post_execution_score",
            /// How often it was tried again.
            may retries: Retries = "retries" | "retryCount" | "retry_count",
            /// Whether its work was rolled back.
            may rollback: Flag = "rollback" | "rollbackOccurred" | "rollback_occurred",
            /// Whether a person overruled it.
            may human_override: Flag = "human_override" | "humanOverride",
            /// How much could go wrong.
            may risk: Risk = "risk" | "riskLevel" | "risk_level",
            /// The adapters that it used: tools, services, models.
            may adapters: Adapters<'a> = "adapters" | "adaptersUsed" | "adapters_used",
            /// What made it fail, such as `timeout`.
            may failure_type: FailureType<'a> = "failure_type" | "dominantFailureType" | "dominant_failure_type" | "failureDetails" | "failureType",
            /// The skills that it used.
            may skills: Labels<'a> = "skills" | "selectedSkills" | "selected_skills",
            /// What its agents decided, and how sure they were.
            may agent_decisions: AgentDecisions<'a> = "agent_decisions" | "agentDecisions",
            /// Problems that were found.
            may issues: Texts<'a> = "issues",
            /// Tokens used.
            may tokens: Count = "tokens" | "total_tokens" | "totalTokens",
            /// How long it took, in milliseconds.
            may duration_ms: Count = "duration_ms" | "durationMs" | "timeTakenMs" | "time_taken_ms",
            /// How many iterations it took.
            may iterations: Count = "iterations",
            /// The command that started it.
            may command: Label<'a> = "command",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// A person's rating.
            may rating: Rating = "rating" | "userRating" | "user_rating" | "operatorRating",
            /// A person's words about it.
            may feedback: Text<'a> = "feedback" | "userFeedback" | "user_feedback",
            /// Notes.
            may notes: Text<'a> = "notes",
            /// The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own.
            may unit: TaskName<'a> = "unit" | "task" | "task_id" | "taskId",
        }
        /// A lesson that an agent or a person captured.
        Learning "learning" {
            /// The run.
            may run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// What happened.
            may what: Text<'a> = "what" | "what_happened" | "whatHappened",
            /// Why it happened.
            may why: Text<'a> = "why",
            /// What was done about it.
            may fix: Text<'a> = "fix" | "fix_applied" | "fixApplied",
            /// The lesson in one line.
            may summary: Text<'a> = "summary" | "pattern_to_remember" | "patternToRemember",
            /// More about it.
            may detail: Text<'a> = "detail",
            /// When it applies.
            may trigger: Text<'a> = "trigger",
            /// The category, such as `mistake`, `pattern`, `convention` or `insight`.
            may category: Label<'a> = "category",
            /// Where it applies.
            may scope: Label<'a> = "scope",
            /// The repository that it is about.
            may repo: Label<'a> = "repo" | "repo_scope" | "repoScope",
            /// How sure the agent is.
            may confidence: Label<'a> = "confidence",
            /// Agents that it is for; `*` stands for all.
            may applies_to: Labels<'a> = "applies_to" | "appliesTo",
            /// Tags, which decide at which tools it is shown.
            may tags: Labels<'a> = "tags",
            /// Places that support it, as `path:line`.
            may citations: Texts<'a> = "citations",
            /// Where it was learned.
            may context: Json<'a> = "context",
            /// Whether the agent says that there was nothing to learn.
            may no_learnings: Flag = "no_learnings" | "noLearnings",
            /// Why there was nothing to learn.
            may reason: Text<'a> = "reason",
            /// The id that another system gave it.
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            /// How often another system had seen it.
            may seen_count: Count = "seen_count" | "seenCount",
            /// The rate that another system had counted.
            may success_rate: Unit = "success_rate" | "successRate",
            /// Whether it has to be classified before it becomes a pattern.
            may pending: Flag = "pending",
            /// The project that it comes from.
            may source_project: Label<'a> = "source_project" | "sourceProject",
            /// Its id there.
            may source_id: Label<'a> = "source_id" | "sourceId",
            /// Its id in the organisation's store.
            may shared_id: Label<'a> = "shared_id" | "sharedId",
            /// The name of the repository.
            may repo_name: RepoName<'a> = "repo_name" | "repoName",
            /// The file of another store that it was read from.
            may origin: RepoName<'a> = "origin",
            /// The flag that another store gave it.
            may flags: RepoName<'a> = "flags",
        }
        /// A classifier's answer about a pending lesson.
        Classification "classification" {
            /// The lesson.
            need learning_id: Label<'a> = "learning_id" | "learningId",
            /// What became of the lesson.
            need status: ClassificationStatus = "status",
            /// Who answered.
            may classifier: Label<'a> = "classifier",
            /// Where it applies.
            may scope: Label<'a> = "scope",
            /// The category, such as `mistake`, `pattern`, `convention` or `insight`.
            may category: Label<'a> = "category",
            /// The repository.
            may repo: Label<'a> = "repo" | "repo_scope" | "repoScope",
            /// The lesson in one line.
            may summary: Text<'a> = "summary",
            /// The lesson as it was captured.
            may original_summary: Text<'a> = "original_summary" | "originalSummary",
            /// When it applies.
            may trigger: Text<'a> = "trigger",
            /// Agents that it is for; `*` stands for all.
            may applies_to: Labels<'a> = "applies_to" | "appliesTo",
            /// Tags, which decide at which tools it is shown.
            may tags: Labels<'a> = "tags",
            /// Why.
            may reason: Text<'a> = "reason",
        }
        /// The files and lines that an iteration changed.
        Change "change" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The commit before.
            may base: Label<'a> = "base" | "start_sha" | "startSha",
            /// The commit after.
            may head: Label<'a> = "head",
            /// The repository.
            may repo: Label<'a> = "repo",
            /// The files that changed.
            may files: Labels<'a> = "files",
            /// Lines added.
            may added_lines: Count = "added_lines" | "addedLines",
            /// Lines removed.
            may removed_lines: Count = "removed_lines" | "removedLines",
            /// More about it.
            may details: Json<'a> = "details",
        }
        /// How long a part of a run took.
        Timing "timing" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// What was timed.
            need event: Label<'a> = "event",
            /// The number of the step.
            may step: Number = "step",
            /// The step.
            may step_name: Label<'a> = "step_name" | "parent_step_name",
            /// The number of the part.
            may sub_step: Number = "sub_step",
            /// The part of the step.
            may sub_step_name: Label<'a> = "sub_step_name",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// The phase.
            may phase: Label<'a> = "phase",
            /// How it ended.
            may status: Label<'a> = "status",
            /// When it began.
            may started: Label<'a> = "started" | "started_at",
            /// When it ended.
            may ended: Label<'a> = "ended" | "ended_at",
            /// How long it took, in seconds.
            may seconds: Number = "seconds" | "duration_s",
            /// The exit code.
            may exit_code: Number = "exit_code",
            /// Whether it was skipped.
            may skipped: Flag = "skipped",
            /// The command.
            may command: Label<'a> = "command",
        }
        /// A recurring thing observed in a transcript.
        Observation "observation" {
            /// The observation, by its id.
            may observation_id: Name<'a> = "observation_id" | "observationId",
            /// What kind of recurring work it is.
            need observation_type: ObservationType = "type" | "observation_type" | "observationType",
            /// What recurs, in one sentence.
            need pattern: Text<'a> = "pattern",
            /// The words of the session that support it.
            may evidence: Texts<'a> = "evidence",
            /// More about it.
            may details: Text<'a> = "details",
            /// Whether a model finds it good enough for an artifact.
            may quality_ok: Flag = "quality_ok" | "qualityOk",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// What another system had counted before its data was imported.
            may prior: Json<'a> = "prior",
            /// What it is about, word for word the same however it is phrased.
            may meaning: Texts<'a> = "meaning",
            /// What it lacks to become an artifact.
            may lacks: Lack = "lacks",
        }
        /// A change of an artifact: rendered, edited, deleted, cited, used, or better words for it.
        Artifact "artifact" {
            /// What became of it.
            need action: ArtifactAction = "action",
            /// The observation, by its id.
            may observation_id: Name<'a> = "observation_id" | "observationId",
            /// What kind of recurring work it is.
            may observation_type: ObservationType = "type" | "observation_type" | "observationType",
            /// The file that it stands in.
            may path: Label<'a> = "path",
            /// Its entry in the file, such as `ADR-001`.
            may anchor: Name<'a> = "anchor" | "anchor_id" | "anchorId",
            /// Hash of its text.
            may content_hash: Name<'a> = "content_hash" | "contentHash",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// Why.
            may reason: Text<'a> = "reason",
            /// The title in the words of a command.
            may title: Text<'a> = "title",
            /// What it says, in the words of a command.
            may details: Text<'a> = "details",
        }
        /// What one role wrote in a pipeline.
        Deliberation "deliberation" {
            /// The run.
            may run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The reviewing role.
            need role: Name<'a> = "role",
            /// The phase of the pipeline.
            may phase: Label<'a> = "phase",
            /// The issue that it belongs to.
            may issue: Label<'a> = "issue",
            /// The pull request that it belongs to.
            may pull_request: Label<'a> = "pull_request" | "pr",
            /// Labels of the issue.
            may labels: Labels<'a> = "labels",
            /// The files that it is about.
            may files: Labels<'a> = "files",
            /// How strong the evidence is: 1 output of a program, 2 a quotation with its place, 3 reasoning.
            may evidence_level: EvidenceLevel = "evidence_level" | "evidenceLevel",
            /// What the role reports, such as `approved`.
            may status: Label<'a> = "status",
            /// The verdict, where the role gives one.
            may verdict: Verdict = "verdict",
            /// What the role wrote.
            need text: Text<'a> = "text" | "response",
            /// The model that wrote it.
            may model: Label<'a> = "model",
            /// The command.
            may command: Label<'a> = "command",
            /// Tokens used.
            may tokens: Count = "tokens",
            /// How long it took, in milliseconds.
            may duration_ms: Count = "duration_ms" | "durationMs",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// The patterns that it reports.
            may patterns: Sayings<'a> = "patterns",
            /// What another system had counted before its data was imported.
            may prior: Json<'a> = "prior",
            /// Who gave the level of the evidence, if not the text itself.
            may evidence_by: Label<'a> = "evidence_by" | "evidenceBy",
        }
        /// A validator's verdict on what another role wrote.
        VerdictGiven "verdict" {
            /// The run.
            may run_id: Name<'a> = "run_id" | "runId",
            /// The iteration of the run, from 1.
            may iteration: Count = "iteration" | "iter",
            /// The validator.
            need role: Name<'a> = "role" | "validator_role" | "validatorRole",
            /// The role that it judges.
            may adversarial_role: Name<'a> = "adversarial_role" | "adversarialRole",
            /// The text that it judges.
            may deliberation_id: Label<'a> = "deliberation_id" | "deliberationId",
            /// The verdict.
            need verdict: Verdict = "verdict",
            /// Findings that it rejects.
            may false_positives: Texts<'a> = "false_positives" | "falsePositives",
            /// What has to be fixed before it passes.
            may must_fix: Texts<'a> = "must_fix" | "mustFix",
            /// What it found.
            may issues: Json<'a> = "issues",
            /// The phase of the pipeline.
            may phase: Label<'a> = "phase",
            /// The issue that it belongs to.
            may issue: Label<'a> = "issue",
            /// Labels of the issue.
            may labels: Labels<'a> = "labels",
            /// The files that it is about.
            may files: Labels<'a> = "files",
            /// How strong the evidence is: 1 output of a program, 2 a quotation with its place, 3 reasoning.
            may evidence_level: EvidenceLevel = "evidence_level" | "evidenceLevel",
            /// The session of the agents' client.
            may session: Name<'a> = "session" | "session_id" | "sessionId",
            /// The validator's own text.
            may validator_id: Label<'a> = "validator_id" | "validatorId",
            /// How strong the validator's evidence is.
            may validator_level: EvidenceLevel = "validator_level" | "validatorLevel",
            /// Patterns that it rejects.
            may rejected: Texts<'a> = "rejected",
            /// Patterns that it confirms.
            may reinforced: Labels<'a> = "reinforced",
            /// Who gave the level of the evidence, if not the text itself.
            may evidence_by: Label<'a> = "evidence_by" | "evidenceBy",
        }
        /// The later result of a run's work.
        Aftermath "aftermath" {
            /// The run.
            need run_id: Name<'a> = "run_id" | "runId",
            /// Whether the work held.
            need passed: Passed = "passed" | "status",
            /// Why.
            may reason: Text<'a> = "reason" | "note",
        }
        /// What a gate decided before an adapter was used.
        Gate "gate" {
            /// The adapter.
            need adapter: Label<'a> = "adapter" | "adapterId" | "adapter_id",
            /// The run.
            may run_id: Name<'a> = "run_id" | "runId",
            /// How much could go wrong.
            may risk: Risk = "risk" | "riskLevel" | "risk_level",
            /// Whether a person must approve.
            need approval: Flag = "approval" | "requireApproval" | "require_approval",
            /// The factor of the risk.
            may multiplier: Number = "multiplier" | "riskMultiplier" | "risk_multiplier",
            /// How often it may be tried again.
            may retries: Count = "retries",
            /// Why.
            may reason: Text<'a> = "reason",
        }
        /// A short form of a set of patterns, for contexts in which the patterns do not fit.
        Summary "summary" {
            /// Hash of the patterns that it stands for.
            need set_hash: Name<'a> = "set_hash" | "setHash" | "set",
            /// The short form.
            need text: Text<'a> = "text" | "summary",
            /// The agent.
            may agent: Name<'a> = "agent" | "agentName" | "agent_name",
            /// The reviewing role.
            may role: Name<'a> = "role",
            /// Who wrote it.
            may author: Label<'a> = "author" | "model",
        }
        /// The embedding vector of a text.
        Embedding "embedding" {
            /// Hash of the text.
            need text_hash: Name<'a> = "text_hash" | "textHash",
            /// The model that wrote it.
            may model: Label<'a> = "model",
            /// The vector.
            need vector: Vector = "vector" | "embedding",
        }
        /// A person's decision about a pattern or a policy.
        Curation "curation" {
            /// What was decided.
            need action: CurationAction = "action" | "decision",
            /// The pattern, by its id.
            may pattern_id: Name<'a> = "pattern_id" | "patternId",
            /// What it is about, where that is no pattern.
            may target: Label<'a> = "target" | "adapter" | "adapterId",
            /// Who decided.
            need actor: Label<'a> = "actor",
            /// Why.
            may reason: Text<'a> = "reason" | "note",
            /// The value that was set.
            may value: Json<'a> = "value",
        }
    }};
}
with_kinds!(define_kinds);

impl Kind {
    /// Two fields of which an event of the kind must have one.
    #[must_use]
    pub const fn either(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Application => Some(("pattern_id", "trigger")),
            Self::Relevance | Self::Citation => Some(("application_id", "run_id")),
            Self::Curation => Some(("pattern_id", "target")),
            // Unless it says `no_learnings`.
            Self::Learning => Some(("summary", "what")),
            Self::Run => Some(("result", "success")),
            _ => None,
        }
    }

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
