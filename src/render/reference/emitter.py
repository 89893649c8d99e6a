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
