/**
 * Writes events of Outerloop, with a type for each field. No dependencies; Node 18 or later.
 *
 * Made by `outerloop schema --format typescript`. Copy it into your pipeline:
 *
 *     import { Inbox } from "./outerloop";
 *
 *     const inbox = new Inbox(".outerloop", { project: "shop" });
 *     inbox.run({ run_id: "r1", result: "success", adapters: ["terminal"], duration_ms: 5300 });
 *
 * Texts that may hold secrets belong into `outerloop record`, which redacts them before anything is written. Lines that are written here
 * are redacted when a job takes them.
 */

import { closeSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What every event may carry. */
export interface Envelope {
  /** When it happened, as RFC 3339 with its zone. Without it, now. */
  ts?: string;
  /** Counts once, however often it is delivered. */
  id?: string;
  /** The project. Without it, that of the inbox. */
  project?: string;
}

/** What one agent of a run decided. */
export interface Decision {
  agent: string;
  decision?: "approve" | "needs-review" | "reject";
  confidence: number;
}

/** A pattern that was shown to an agent, used by it, or held back from it. */
export interface Application extends Envelope {
  /** The run. */
  run_id: string;
  /** What became of the pattern: used, shown, or held back. */
  status: "applied" | "injected" | "withheld";
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The agent. */
  agent?: string;
  /** The reviewing role. */
  role?: string;
  /** The pattern, by its id. */
  pattern_id?: string;
  /** The pattern, by its text. */
  trigger?: string;
  /** Where the agent says it used the pattern, as `path:line`. */
  citations?: readonly string[];
  /** The session of the agents' client. */
  session?: string;
  /** The tool call that it was shown beside. */
  tool?: string;
  /** An earlier application whose place this one takes. */
  application_id?: string;
  /** Whether the agent was seen to change a file or run a command. */
  acted?: boolean;
  /** How relevant the pattern is to what the agent touched. */
  touched_relevance?: number;
  /** The chance of being shown, where a coin was tossed. */
  propensity?: number;
  /** The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own. */
  unit?: string;
  /** Which salt of the workspace the coin was tossed with. */
  salt_id?: string;
}

/** The coin of a unit of work, a task or a run: whether it is shown anything at all, or which arm of an experiment it is in. */
export interface Assignment extends Envelope {
  /** The run. */
  run_id: string;
  /** Which way the coin fell. */
  arm: "on" | "off";
  /** The chance of `on`, as it was when the coin was tossed. */
  propensity: number;
  /** The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own. */
  unit?: string;
  /** Which salt of the workspace the coin was tossed with. */
  salt_id?: string;
  /** The experiment; without it, the coin is about the whole loop. */
  experiment?: string;
  /** The session of the agents' client. */
  session?: string;
  /** The agent. */
  agent?: string;
}

/** A file that an agent was seen to read or change, or a command that it was seen to run. */
export interface Touch extends Envelope {
  /** The run. */
  run_id: string;
  /** The tool that was called. */
  tool: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The agent. */
  agent?: string;
  /** The session of the agents' client. */
  session?: string;
  /** The file that was read or changed. */
  path?: string;
  /** The lines that were changed, as `first-last`. */
  lines?: readonly string[];
  /** The command that was run. */
  command?: string;
  /** Whether the call failed. */
  failed?: boolean;
  /** The exit code. */
  exit_code?: number;
  /** Hash of the output. */
  output_hash?: string;
}

/** How relevant a pattern was to what a run, an iteration or an application changed. */
export interface Relevance extends Envelope {
  /** How relevant the pattern was. */
  score: number;
  /** The run. */
  run_id?: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The application that it is about. */
  application_id?: string;
  /** The pattern, by its id. */
  pattern_id?: string;
  /** The pattern, by its text. */
  trigger?: string;
  /** How that was found out. */
  method?: string;
  /** Words that the pattern and the changes share. */
  matched_concepts?: readonly string[];
  /** The value that another tool wrote, before it was clamped. */
  raw_score?: number;
}

/** Whether a run or an iteration reached its goal. */
export interface Goal extends Envelope {
  /** The run. */
  run_id: string;
  /** The goal. */
  goal: string;
  /** Whether it was met. */
  success: boolean;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The application that it is about. */
  application_id?: string;
  /** How well. */
  score?: number;
  /** The measurements behind it. */
  metrics?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** More about it. */
  details?: string;
  /** The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own. */
  unit?: string;
}

/** Whether the build of an iteration passed. */
export interface Build extends Envelope {
  /** The run. */
  run_id: string;
  /** Whether the build passed. */
  passed: boolean;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The agent. */
  agent?: string;
  /** More about it. */
  details?: string;
}

/** Whether a citation that an agent gave as evidence holds. */
export interface Citation extends Envelope {
  /** Whether the citation holds. */
  verified: boolean;
  /** The run. */
  run_id?: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The application that it is about. */
  application_id?: string;
  /** The pattern, by its id. */
  pattern_id?: string;
  /** The pattern, by its text. */
  trigger?: string;
  /** The agent. */
  agent?: string;
  /** The cited file. */
  path?: string;
  /** The cited line. */
  cited_line?: number;
  /** Why. */
  reason?: string;
}

/** A finished run. */
export interface Run extends Envelope {
  /** The run. */
  run_id: string;
  /** The adapters that it used: tools, services, models. */
  adapters: readonly string[];
  /** How the run ended. */
  result?: "success" | "partial" | "failure";
  /** The same in short; `result` goes before it. */
  success?: boolean;
  /** How good the result is. */
  quality?: number;
  /** How often it was tried again. */
  retries?: number;
  /** Whether its work was rolled back. */
  rollback?: boolean;
  /** Whether a person overruled it. */
  human_override?: boolean;
  /** How much could go wrong. */
  risk?: "low" | "medium" | "high";
  /** What made it fail, such as `timeout`. */
  failure_type?: string;
  /** The skills that it used. */
  skills?: readonly string[];
  /** What its agents decided, and how sure they were. */
  agent_decisions?: readonly Decision[];
  /** Problems that were found. */
  issues?: readonly string[];
  /** Tokens used. */
  tokens?: number;
  /** How long it took, in milliseconds. */
  duration_ms?: number;
  /** How many iterations it took. */
  iterations?: number;
  /** The command that started it. */
  command?: string;
  /** The session of the agents' client. */
  session?: string;
  /** A person's rating. */
  rating?: number;
  /** A person's words about it. */
  feedback?: string;
  /** Notes. */
  notes?: string;
  /** The task or issue that the run works on; runs of one task count as one. Without it, each run is a task of its own. */
  unit?: string;
}

/** A lesson that an agent or a person captured. */
export interface Learning extends Envelope {
  /** The run. */
  run_id?: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The agent. */
  agent?: string;
  /** The session of the agents' client. */
  session?: string;
  /** What happened. */
  what?: string;
  /** Why it happened. */
  why?: string;
  /** What was done about it. */
  fix?: string;
  /** The lesson in one line. */
  summary?: string;
  /** More about it. */
  detail?: string;
  /** When it applies. */
  trigger?: string;
  /** The category, such as `mistake`, `pattern`, `convention` or `insight`. */
  category?: string;
  /** Where it applies. */
  scope?: string;
  /** The repository that it is about. */
  repo?: string;
  /** How sure the agent is. */
  confidence?: string;
  /** Agents that it is for; `*` stands for all. */
  applies_to?: readonly string[];
  /** Tags, which decide at which tools it is shown. */
  tags?: readonly string[];
  /** Places that support it, as `path:line`. */
  citations?: readonly string[];
  /** Where it was learned. */
  context?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Whether the agent says that there was nothing to learn. */
  no_learnings?: boolean;
  /** Why there was nothing to learn. */
  reason?: string;
  /** The id that another system gave it. */
  pattern_id?: string;
  /** How often another system had seen it. */
  seen_count?: number;
  /** The rate that another system had counted. */
  success_rate?: number;
  /** Whether it has to be classified before it becomes a pattern. */
  pending?: boolean;
  /** The project that it comes from. */
  source_project?: string;
  /** Its id there. */
  source_id?: string;
  /** Its id in the organisation's store. */
  shared_id?: string;
  /** The name of the repository. */
  repo_name?: string;
}

/** A classifier's answer about a pending lesson. */
export interface Classification extends Envelope {
  /** The lesson. */
  learning_id: string;
  /** What became of the lesson. */
  status: "approved" | "reworded" | "rejected";
  /** Who answered. */
  classifier?: string;
  /** Where it applies. */
  scope?: string;
  /** The category, such as `mistake`, `pattern`, `convention` or `insight`. */
  category?: string;
  /** The repository. */
  repo?: string;
  /** The lesson in one line. */
  summary?: string;
  /** The lesson as it was captured. */
  original_summary?: string;
  /** When it applies. */
  trigger?: string;
  /** Agents that it is for; `*` stands for all. */
  applies_to?: readonly string[];
  /** Tags, which decide at which tools it is shown. */
  tags?: readonly string[];
  /** Why. */
  reason?: string;
}

/** The files and lines that an iteration changed. */
export interface Change extends Envelope {
  /** The run. */
  run_id: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The commit before. */
  base?: string;
  /** The commit after. */
  head?: string;
  /** The repository. */
  repo?: string;
  /** The files that changed. */
  files?: readonly string[];
  /** Lines added. */
  added_lines?: number;
  /** Lines removed. */
  removed_lines?: number;
  /** More about it. */
  details?: Readonly<Record<string, unknown>> | readonly unknown[];
}

/** How long a part of a run took. */
export interface Timing extends Envelope {
  /** The run. */
  run_id: string;
  /** What was timed. */
  event: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The number of the step. */
  step?: number;
  /** The step. */
  step_name?: string;
  /** The number of the part. */
  sub_step?: number;
  /** The part of the step. */
  sub_step_name?: string;
  /** The agent. */
  agent?: string;
  /** The phase. */
  phase?: string;
  /** How it ended. */
  status?: string;
  /** When it began. */
  started?: string;
  /** When it ended. */
  ended?: string;
  /** How long it took, in seconds. */
  seconds?: number;
  /** The exit code. */
  exit_code?: number;
  /** Whether it was skipped. */
  skipped?: boolean;
  /** The command. */
  command?: string;
}

/** A recurring thing observed in a transcript. */
export interface Observation extends Envelope {
  /** What kind of recurring work it is. */
  type: "workflow" | "procedural" | "decision" | "pitfall";
  /** What recurs, in one sentence. */
  pattern: string;
  /** The observation, by its id. */
  observation_id?: string;
  /** The words of the session that support it. */
  evidence?: readonly string[];
  /** More about it. */
  details?: string;
  /** Whether a model finds it good enough for an artifact. */
  quality_ok?: boolean;
  /** The session of the agents' client. */
  session?: string;
  /** What another system had counted before its data was imported. */
  prior?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** What it is about, word for word the same however it is phrased. */
  meaning?: readonly string[];
  /** What it lacks to become an artifact. */
  lacks?: "recurrence" | "session" | "reason" | "content" | "quotation" | "judgement";
}

/** A change of an artifact: rendered, edited, deleted, cited, used, or better words for it. */
export interface Artifact extends Envelope {
  /** What became of it. */
  action: "rendered" | "adopted" | "edited" | "deleted" | "stale" | "fresh" | "blocked" | "cited" | "used" | "authored";
  /** The observation, by its id. */
  observation_id?: string;
  /** What kind of recurring work it is. */
  type?: "workflow" | "procedural" | "decision" | "pitfall";
  /** The file that it stands in. */
  path?: string;
  /** Its entry in the file, such as `ADR-001`. */
  anchor?: string;
  /** Hash of its text. */
  content_hash?: string;
  /** The session of the agents' client. */
  session?: string;
  /** Why. */
  reason?: string;
  /** The title in the words of a command. */
  title?: string;
  /** What it says, in the words of a command. */
  details?: string;
}

/** What one role wrote in a pipeline. */
export interface Deliberation extends Envelope {
  /** The reviewing role. */
  role: string;
  /** What the role wrote. */
  text: string;
  /** The run. */
  run_id?: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The phase of the pipeline. */
  phase?: string;
  /** The issue that it belongs to. */
  issue?: string;
  /** The pull request that it belongs to. */
  pull_request?: string;
  /** Labels of the issue. */
  labels?: readonly string[];
  /** The files that it is about. */
  files?: readonly string[];
  /** How strong the evidence is: 1 output of a program, 2 a quotation with its place, 3 reasoning. */
  evidence_level?: 1 | 2 | 3;
  /** What the role reports, such as `approved`. */
  status?: string;
  /** The verdict, where the role gives one. */
  verdict?: "PASS" | "FAIL";
  /** The model that wrote it. */
  model?: string;
  /** The command. */
  command?: string;
  /** Tokens used. */
  tokens?: number;
  /** How long it took, in milliseconds. */
  duration_ms?: number;
  /** The session of the agents' client. */
  session?: string;
  /** The patterns that it reports. */
  patterns?: readonly string[];
  /** What another system had counted before its data was imported. */
  prior?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Who gave the level of the evidence, if not the text itself. */
  evidence_by?: string;
}

/** A validator's verdict on what another role wrote. */
export interface Verdict extends Envelope {
  /** The validator. */
  role: string;
  /** The verdict. */
  verdict: "PASS" | "FAIL";
  /** The run. */
  run_id?: string;
  /** The iteration of the run, from 1. */
  iteration?: number;
  /** The role that it judges. */
  adversarial_role?: string;
  /** The text that it judges. */
  deliberation_id?: string;
  /** Findings that it rejects. */
  false_positives?: readonly string[];
  /** What has to be fixed before it passes. */
  must_fix?: readonly string[];
  /** What it found. */
  issues?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** The phase of the pipeline. */
  phase?: string;
  /** The issue that it belongs to. */
  issue?: string;
  /** Labels of the issue. */
  labels?: readonly string[];
  /** The files that it is about. */
  files?: readonly string[];
  /** How strong the evidence is: 1 output of a program, 2 a quotation with its place, 3 reasoning. */
  evidence_level?: 1 | 2 | 3;
  /** The session of the agents' client. */
  session?: string;
  /** The validator's own text. */
  validator_id?: string;
  /** How strong the validator's evidence is. */
  validator_level?: 1 | 2 | 3;
  /** Patterns that it rejects. */
  rejected?: readonly string[];
  /** Patterns that it confirms. */
  reinforced?: readonly string[];
  /** Who gave the level of the evidence, if not the text itself. */
  evidence_by?: string;
}

/** The later result of a run's work. */
export interface Aftermath extends Envelope {
  /** The run. */
  run_id: string;
  /** Whether the work held. */
  passed: boolean;
  /** Why. */
  reason?: string;
}

/** What a gate decided before an adapter was used. */
export interface Gate extends Envelope {
  /** The adapter. */
  adapter: string;
  /** Whether a person must approve. */
  approval: boolean;
  /** The run. */
  run_id?: string;
  /** How much could go wrong. */
  risk?: "low" | "medium" | "high";
  /** The factor of the risk. */
  multiplier?: number;
  /** How often it may be tried again. */
  retries?: number;
  /** Why. */
  reason?: string;
}

/** A short form of a set of patterns, for contexts in which the patterns do not fit. */
export interface Summary extends Envelope {
  /** Hash of the patterns that it stands for. */
  set_hash: string;
  /** The short form. */
  text: string;
  /** The agent. */
  agent?: string;
  /** The reviewing role. */
  role?: string;
  /** Who wrote it. */
  author?: string;
}

/** The embedding vector of a text. */
export interface Embedding extends Envelope {
  /** Hash of the text. */
  text_hash: string;
  /** The vector. */
  vector: readonly number[];
  /** The model that wrote it. */
  model?: string;
}

/** A person's decision about a pattern or a policy. */
export interface Curation extends Envelope {
  /** What was decided. */
  action: "promote" | "retire" | "reject" | "restore" | "clear" | "annotate" | "retest";
  /** Who decided. */
  actor: string;
  /** The pattern, by its id. */
  pattern_id?: string;
  /** What it is about, where that is no pattern. */
  target?: string;
  /** Why. */
  reason?: string;
  /** The value that was set. */
  value?: Readonly<Record<string, unknown>> | readonly unknown[];
}

/** The inbox of a workspace. Each process appends whole lines to a file of its own, and each line is durable when a call returns. */
export class Inbox {
  private readonly folder: string;
  private readonly project: string | undefined;

  constructor(workspace: string, options: { project?: string } = {}) {
    this.folder = join(workspace, "inbox");
    this.project = options.project;
    if (!existsSync(this.folder)) {
      throw new Error(`there is no inbox ${this.folder}; create the workspace with \`outerloop init\``);
    }
  }

  /** Appends an event of any kind. Fields that are undefined are left out. */
  append(kind: string, fields: object): void {
    const ts = new Date().toISOString();
    const line = `${JSON.stringify({ kind, ts, project: this.project, ...fields })}\n`;
    const file = openSync(join(this.folder, `emit-${ts.slice(0, 10)}-${process.pid}.jsonl`), "a", 0o600);
    try {
      let rest: Buffer = Buffer.from(line, "utf8");
      while (rest.length > 0) {
        rest = rest.subarray(writeSync(file, rest));
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** A pattern that was shown to an agent, used by it, or held back from it. */
  application(event: Application): void {
    this.append("application", event);
  }

  /** The coin of a unit of work, a task or a run: whether it is shown anything at all, or which arm of an experiment it is in. */
  assignment(event: Assignment): void {
    this.append("assignment", event);
  }

  /** A file that an agent was seen to read or change, or a command that it was seen to run. */
  touch(event: Touch): void {
    this.append("touch", event);
  }

  /** How relevant a pattern was to what a run, an iteration or an application changed. */
  relevance(event: Relevance): void {
    this.append("relevance", event);
  }

  /** Whether a run or an iteration reached its goal. */
  goal(event: Goal): void {
    this.append("goal", event);
  }

  /** Whether the build of an iteration passed. */
  build(event: Build): void {
    this.append("build", event);
  }

  /** Whether a citation that an agent gave as evidence holds. */
  citation(event: Citation): void {
    this.append("citation", event);
  }

  /** A finished run. */
  run(event: Run): void {
    this.append("run", event);
  }

  /** A lesson that an agent or a person captured. */
  learning(event: Learning): void {
    this.append("learning", event);
  }

  /** A classifier's answer about a pending lesson. */
  classification(event: Classification): void {
    this.append("classification", event);
  }

  /** The files and lines that an iteration changed. */
  change(event: Change): void {
    this.append("change", event);
  }

  /** How long a part of a run took. */
  timing(event: Timing): void {
    this.append("timing", event);
  }

  /** A recurring thing observed in a transcript. */
  observation(event: Observation): void {
    this.append("observation", event);
  }

  /** A change of an artifact: rendered, edited, deleted, cited, used, or better words for it. */
  artifact(event: Artifact): void {
    this.append("artifact", event);
  }

  /** What one role wrote in a pipeline. */
  deliberation(event: Deliberation): void {
    this.append("deliberation", event);
  }

  /** A validator's verdict on what another role wrote. */
  verdict(event: Verdict): void {
    this.append("verdict", event);
  }

  /** The later result of a run's work. */
  aftermath(event: Aftermath): void {
    this.append("aftermath", event);
  }

  /** What a gate decided before an adapter was used. */
  gate(event: Gate): void {
    this.append("gate", event);
  }

  /** A short form of a set of patterns, for contexts in which the patterns do not fit. */
  summary(event: Summary): void {
    this.append("summary", event);
  }

  /** The embedding vector of a text. */
  embedding(event: Embedding): void {
    this.append("embedding", event);
  }

  /** A person's decision about a pattern or a policy. */
  curation(event: Curation): void {
    this.append("curation", event);
  }
}
