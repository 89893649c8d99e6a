"""Writes events of Outerloop, with a type for each field. No dependencies; Python 3.9 or later.

Made by `outerloop schema --format python`. Copy it into your pipeline:

    from outerloop import Inbox

    inbox = Inbox(".outerloop", project="shop")
    inbox.run(run_id="r1", result="success", adapters=["terminal"], duration_ms=5300)

Texts that may hold secrets belong into `outerloop record`, which redacts them before anything is written. Lines that are written here
are redacted when a job takes them.
"""

from __future__ import annotations

import json
import os
from datetime import datetime, timezone
from typing import Any, Literal, Mapping, Optional, Sequence, Union


class Inbox:
    """The inbox of a workspace. Each process appends whole lines to a file of its own, and each line is durable when a call returns."""

    def __init__(self, workspace: Union[str, "os.PathLike[str]"], *, project: Optional[str] = None) -> None:
        self._folder = os.path.join(os.fspath(workspace), "inbox")
        self._project = project
        if not os.path.isdir(self._folder):
            raise FileNotFoundError(f"there is no inbox {self._folder}; create the workspace with `outerloop init`")

    def append(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Appends an event of any kind. Fields that are None are left out."""
        now = datetime.now(timezone.utc)
        event: dict[str, Any] = {"kind": kind, "ts": now.isoformat(timespec="microseconds").replace("+00:00", "Z")}
        if self._project is not None:
            event["project"] = self._project
        event.update((name, value) for name, value in fields.items() if value is not None)
        line = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
        path = os.path.join(self._folder, f"emit-{now:%Y-%m-%d}-{os.getpid()}.jsonl")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            rest = memoryview(line.encode("utf-8"))
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def application(
        self,
        *,
        run_id: str,
        status: Literal["applied", "injected", "withheld"],
        iteration: Optional[int] = None,
        agent: Optional[str] = None,
        role: Optional[str] = None,
        pattern_id: Optional[str] = None,
        trigger: Optional[str] = None,
        citations: Optional[Sequence[str]] = None,
        session: Optional[str] = None,
        tool: Optional[str] = None,
        application_id: Optional[str] = None,
        acted: Optional[bool] = None,
        touched_relevance: Optional[float] = None,
        propensity: Optional[float] = None,
        unit: Optional[str] = None,
        salt_id: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A pattern that was shown to an agent, used by it, or held back from it."""
        self.append(
            "application",
            {
                "run_id": run_id,
                "status": status,
                "iteration": iteration,
                "agent": agent,
                "role": role,
                "pattern_id": pattern_id,
                "trigger": trigger,
                "citations": citations,
                "session": session,
                "tool": tool,
                "application_id": application_id,
                "acted": acted,
                "touched_relevance": touched_relevance,
                "propensity": propensity,
                "unit": unit,
                "salt_id": salt_id,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def assignment(
        self,
        *,
        run_id: str,
        arm: Literal["on", "off"],
        propensity: float,
        unit: Optional[str] = None,
        salt_id: Optional[str] = None,
        experiment: Optional[str] = None,
        session: Optional[str] = None,
        agent: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """The coin of a unit of work, a task or a run: whether it is shown anything at all, or which arm of an experiment it is in."""
        self.append(
            "assignment",
            {
                "run_id": run_id,
                "arm": arm,
                "propensity": propensity,
                "unit": unit,
                "salt_id": salt_id,
                "experiment": experiment,
                "session": session,
                "agent": agent,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def touch(
        self,
        *,
        run_id: str,
        tool: str,
        iteration: Optional[int] = None,
        agent: Optional[str] = None,
        session: Optional[str] = None,
        path: Optional[str] = None,
        lines: Optional[Sequence[str]] = None,
        command: Optional[str] = None,
        failed: Optional[bool] = None,
        exit_code: Optional[int] = None,
        output_hash: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A file that an agent was seen to read or change, or a command that it was seen to run."""
        self.append(
            "touch",
            {
                "run_id": run_id,
                "tool": tool,
                "iteration": iteration,
                "agent": agent,
                "session": session,
                "path": path,
                "lines": lines,
                "command": command,
                "failed": failed,
                "exit_code": exit_code,
                "output_hash": output_hash,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def relevance(
        self,
        *,
        score: float,
        run_id: Optional[str] = None,
        iteration: Optional[int] = None,
        application_id: Optional[str] = None,
        pattern_id: Optional[str] = None,
        trigger: Optional[str] = None,
        method: Optional[str] = None,
        matched_concepts: Optional[Sequence[str]] = None,
        raw_score: Optional[float] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """How relevant a pattern was to what a run, an iteration or an application changed."""
        self.append(
            "relevance",
            {
                "score": score,
                "run_id": run_id,
                "iteration": iteration,
                "application_id": application_id,
                "pattern_id": pattern_id,
                "trigger": trigger,
                "method": method,
                "matched_concepts": matched_concepts,
                "raw_score": raw_score,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def goal(
        self,
        *,
        run_id: str,
        goal: str,
        success: bool,
        iteration: Optional[int] = None,
        application_id: Optional[str] = None,
        score: Optional[float] = None,
        metrics: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        details: Optional[str] = None,
        unit: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """Whether a run or an iteration reached its goal."""
        self.append(
            "goal",
            {
                "run_id": run_id,
                "goal": goal,
                "success": success,
                "iteration": iteration,
                "application_id": application_id,
                "score": score,
                "metrics": metrics,
                "details": details,
                "unit": unit,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def build(
        self,
        *,
        run_id: str,
        passed: bool,
        iteration: Optional[int] = None,
        agent: Optional[str] = None,
        details: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """Whether the build of an iteration passed."""
        self.append(
            "build",
            {
                "run_id": run_id,
                "passed": passed,
                "iteration": iteration,
                "agent": agent,
                "details": details,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def citation(
        self,
        *,
        verified: bool,
        run_id: Optional[str] = None,
        iteration: Optional[int] = None,
        application_id: Optional[str] = None,
        pattern_id: Optional[str] = None,
        trigger: Optional[str] = None,
        agent: Optional[str] = None,
        path: Optional[str] = None,
        cited_line: Optional[int] = None,
        reason: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """Whether a citation that an agent gave as evidence holds."""
        self.append(
            "citation",
            {
                "verified": verified,
                "run_id": run_id,
                "iteration": iteration,
                "application_id": application_id,
                "pattern_id": pattern_id,
                "trigger": trigger,
                "agent": agent,
                "path": path,
                "cited_line": cited_line,
                "reason": reason,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def run(
        self,
        *,
        run_id: str,
        adapters: Sequence[str],
        result: Optional[Literal["success", "partial", "failure"]] = None,
        success: Optional[bool] = None,
        quality: Optional[float] = None,
        retries: Optional[int] = None,
        rollback: Optional[bool] = None,
        human_override: Optional[bool] = None,
        risk: Optional[Literal["low", "medium", "high"]] = None,
        failure_type: Optional[str] = None,
        skills: Optional[Sequence[str]] = None,
        agent_decisions: Optional[Sequence[Mapping[str, Any]]] = None,
        issues: Optional[Sequence[str]] = None,
        tokens: Optional[int] = None,
        duration_ms: Optional[int] = None,
        iterations: Optional[int] = None,
        command: Optional[str] = None,
        session: Optional[str] = None,
        rating: Optional[float] = None,
        feedback: Optional[str] = None,
        notes: Optional[str] = None,
        unit: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A finished run."""
        self.append(
            "run",
            {
                "run_id": run_id,
                "adapters": adapters,
                "result": result,
                "success": success,
                "quality": quality,
                "retries": retries,
                "rollback": rollback,
                "human_override": human_override,
                "risk": risk,
                "failure_type": failure_type,
                "skills": skills,
                "agent_decisions": agent_decisions,
                "issues": issues,
                "tokens": tokens,
                "duration_ms": duration_ms,
                "iterations": iterations,
                "command": command,
                "session": session,
                "rating": rating,
                "feedback": feedback,
                "notes": notes,
                "unit": unit,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def learning(
        self,
        *,
        run_id: Optional[str] = None,
        iteration: Optional[int] = None,
        agent: Optional[str] = None,
        session: Optional[str] = None,
        what: Optional[str] = None,
        why: Optional[str] = None,
        fix: Optional[str] = None,
        summary: Optional[str] = None,
        detail: Optional[str] = None,
        trigger: Optional[str] = None,
        category: Optional[str] = None,
        scope: Optional[str] = None,
        repo: Optional[str] = None,
        confidence: Optional[str] = None,
        applies_to: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        citations: Optional[Sequence[str]] = None,
        context: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        no_learnings: Optional[bool] = None,
        reason: Optional[str] = None,
        pattern_id: Optional[str] = None,
        seen_count: Optional[int] = None,
        success_rate: Optional[float] = None,
        pending: Optional[bool] = None,
        source_project: Optional[str] = None,
        source_id: Optional[str] = None,
        shared_id: Optional[str] = None,
        repo_name: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A lesson that an agent or a person captured."""
        self.append(
            "learning",
            {
                "run_id": run_id,
                "iteration": iteration,
                "agent": agent,
                "session": session,
                "what": what,
                "why": why,
                "fix": fix,
                "summary": summary,
                "detail": detail,
                "trigger": trigger,
                "category": category,
                "scope": scope,
                "repo": repo,
                "confidence": confidence,
                "applies_to": applies_to,
                "tags": tags,
                "citations": citations,
                "context": context,
                "no_learnings": no_learnings,
                "reason": reason,
                "pattern_id": pattern_id,
                "seen_count": seen_count,
                "success_rate": success_rate,
                "pending": pending,
                "source_project": source_project,
                "source_id": source_id,
                "shared_id": shared_id,
                "repo_name": repo_name,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def classification(
        self,
        *,
        learning_id: str,
        status: Literal["approved", "reworded", "rejected"],
        classifier: Optional[str] = None,
        scope: Optional[str] = None,
        category: Optional[str] = None,
        repo: Optional[str] = None,
        summary: Optional[str] = None,
        original_summary: Optional[str] = None,
        trigger: Optional[str] = None,
        applies_to: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        reason: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A classifier's answer about a pending lesson."""
        self.append(
            "classification",
            {
                "learning_id": learning_id,
                "status": status,
                "classifier": classifier,
                "scope": scope,
                "category": category,
                "repo": repo,
                "summary": summary,
                "original_summary": original_summary,
                "trigger": trigger,
                "applies_to": applies_to,
                "tags": tags,
                "reason": reason,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def change(
        self,
        *,
        run_id: str,
        iteration: Optional[int] = None,
        base: Optional[str] = None,
        head: Optional[str] = None,
        repo: Optional[str] = None,
        files: Optional[Sequence[str]] = None,
        added_lines: Optional[int] = None,
        removed_lines: Optional[int] = None,
        details: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """The files and lines that an iteration changed."""
        self.append(
            "change",
            {
                "run_id": run_id,
                "iteration": iteration,
                "base": base,
                "head": head,
                "repo": repo,
                "files": files,
                "added_lines": added_lines,
                "removed_lines": removed_lines,
                "details": details,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def timing(
        self,
        *,
        run_id: str,
        event: str,
        iteration: Optional[int] = None,
        step: Optional[float] = None,
        step_name: Optional[str] = None,
        sub_step: Optional[float] = None,
        sub_step_name: Optional[str] = None,
        agent: Optional[str] = None,
        phase: Optional[str] = None,
        status: Optional[str] = None,
        started: Optional[str] = None,
        ended: Optional[str] = None,
        seconds: Optional[float] = None,
        exit_code: Optional[float] = None,
        skipped: Optional[bool] = None,
        command: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """How long a part of a run took."""
        self.append(
            "timing",
            {
                "run_id": run_id,
                "event": event,
                "iteration": iteration,
                "step": step,
                "step_name": step_name,
                "sub_step": sub_step,
                "sub_step_name": sub_step_name,
                "agent": agent,
                "phase": phase,
                "status": status,
                "started": started,
                "ended": ended,
                "seconds": seconds,
                "exit_code": exit_code,
                "skipped": skipped,
                "command": command,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def observation(
        self,
        *,
        type: Literal["workflow", "procedural", "decision", "pitfall"],
        pattern: str,
        observation_id: Optional[str] = None,
        evidence: Optional[Sequence[str]] = None,
        details: Optional[str] = None,
        quality_ok: Optional[bool] = None,
        session: Optional[str] = None,
        prior: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        meaning: Optional[Sequence[str]] = None,
        lacks: Optional[Literal["recurrence", "session", "reason", "content", "quotation", "judgement"]] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A recurring thing observed in a transcript."""
        self.append(
            "observation",
            {
                "type": type,
                "pattern": pattern,
                "observation_id": observation_id,
                "evidence": evidence,
                "details": details,
                "quality_ok": quality_ok,
                "session": session,
                "prior": prior,
                "meaning": meaning,
                "lacks": lacks,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def artifact(
        self,
        *,
        action: Literal["rendered", "adopted", "edited", "deleted", "stale", "fresh", "blocked", "cited", "used", "authored"],
        observation_id: Optional[str] = None,
        type: Optional[Literal["workflow", "procedural", "decision", "pitfall"]] = None,
        path: Optional[str] = None,
        anchor: Optional[str] = None,
        content_hash: Optional[str] = None,
        session: Optional[str] = None,
        reason: Optional[str] = None,
        title: Optional[str] = None,
        details: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A change of an artifact: rendered, edited, deleted, cited, used, or better words for it."""
        self.append(
            "artifact",
            {
                "action": action,
                "observation_id": observation_id,
                "type": type,
                "path": path,
                "anchor": anchor,
                "content_hash": content_hash,
                "session": session,
                "reason": reason,
                "title": title,
                "details": details,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def deliberation(
        self,
        *,
        role: str,
        text: str,
        run_id: Optional[str] = None,
        iteration: Optional[int] = None,
        phase: Optional[str] = None,
        issue: Optional[str] = None,
        pull_request: Optional[str] = None,
        labels: Optional[Sequence[str]] = None,
        files: Optional[Sequence[str]] = None,
        evidence_level: Optional[Literal[1, 2, 3]] = None,
        status: Optional[str] = None,
        verdict: Optional[Literal["PASS", "FAIL"]] = None,
        model: Optional[str] = None,
        command: Optional[str] = None,
        tokens: Optional[int] = None,
        duration_ms: Optional[int] = None,
        session: Optional[str] = None,
        patterns: Optional[Sequence[str]] = None,
        prior: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        evidence_by: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """What one role wrote in a pipeline."""
        self.append(
            "deliberation",
            {
                "role": role,
                "text": text,
                "run_id": run_id,
                "iteration": iteration,
                "phase": phase,
                "issue": issue,
                "pull_request": pull_request,
                "labels": labels,
                "files": files,
                "evidence_level": evidence_level,
                "status": status,
                "verdict": verdict,
                "model": model,
                "command": command,
                "tokens": tokens,
                "duration_ms": duration_ms,
                "session": session,
                "patterns": patterns,
                "prior": prior,
                "evidence_by": evidence_by,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def verdict(
        self,
        *,
        role: str,
        verdict: Literal["PASS", "FAIL"],
        run_id: Optional[str] = None,
        iteration: Optional[int] = None,
        adversarial_role: Optional[str] = None,
        deliberation_id: Optional[str] = None,
        false_positives: Optional[Sequence[str]] = None,
        must_fix: Optional[Sequence[str]] = None,
        issues: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        phase: Optional[str] = None,
        issue: Optional[str] = None,
        labels: Optional[Sequence[str]] = None,
        files: Optional[Sequence[str]] = None,
        evidence_level: Optional[Literal[1, 2, 3]] = None,
        session: Optional[str] = None,
        validator_id: Optional[str] = None,
        validator_level: Optional[Literal[1, 2, 3]] = None,
        rejected: Optional[Sequence[str]] = None,
        reinforced: Optional[Sequence[str]] = None,
        evidence_by: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A validator's verdict on what another role wrote."""
        self.append(
            "verdict",
            {
                "role": role,
                "verdict": verdict,
                "run_id": run_id,
                "iteration": iteration,
                "adversarial_role": adversarial_role,
                "deliberation_id": deliberation_id,
                "false_positives": false_positives,
                "must_fix": must_fix,
                "issues": issues,
                "phase": phase,
                "issue": issue,
                "labels": labels,
                "files": files,
                "evidence_level": evidence_level,
                "session": session,
                "validator_id": validator_id,
                "validator_level": validator_level,
                "rejected": rejected,
                "reinforced": reinforced,
                "evidence_by": evidence_by,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def aftermath(
        self,
        *,
        run_id: str,
        passed: bool,
        reason: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """The later result of a run's work."""
        self.append(
            "aftermath",
            {
                "run_id": run_id,
                "passed": passed,
                "reason": reason,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def gate(
        self,
        *,
        adapter: str,
        approval: bool,
        run_id: Optional[str] = None,
        risk: Optional[Literal["low", "medium", "high"]] = None,
        multiplier: Optional[float] = None,
        retries: Optional[int] = None,
        reason: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """What a gate decided before an adapter was used."""
        self.append(
            "gate",
            {
                "adapter": adapter,
                "approval": approval,
                "run_id": run_id,
                "risk": risk,
                "multiplier": multiplier,
                "retries": retries,
                "reason": reason,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def summary(
        self,
        *,
        set_hash: str,
        text: str,
        agent: Optional[str] = None,
        role: Optional[str] = None,
        author: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A short form of a set of patterns, for contexts in which the patterns do not fit."""
        self.append(
            "summary",
            {
                "set_hash": set_hash,
                "text": text,
                "agent": agent,
                "role": role,
                "author": author,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def embedding(
        self,
        *,
        text_hash: str,
        vector: Sequence[float],
        model: Optional[str] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """The embedding vector of a text."""
        self.append(
            "embedding",
            {
                "text_hash": text_hash,
                "vector": vector,
                "model": model,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )

    def curation(
        self,
        *,
        action: Literal["promote", "retire", "reject", "restore", "clear", "annotate", "retest"],
        actor: str,
        pattern_id: Optional[str] = None,
        target: Optional[str] = None,
        reason: Optional[str] = None,
        value: Optional[Union[Mapping[str, Any], Sequence[Any]]] = None,
        ts: Optional[str] = None,
        id: Optional[str] = None,
        project: Optional[str] = None,
    ) -> None:
        """A person's decision about a pattern or a policy."""
        self.append(
            "curation",
            {
                "action": action,
                "actor": actor,
                "pattern_id": pattern_id,
                "target": target,
                "reason": reason,
                "value": value,
                "ts": ts,
                "id": id,
                "project": project,
            },
        )
