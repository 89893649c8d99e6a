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

// kinds
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
