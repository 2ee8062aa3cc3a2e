"""Several tasks as one, for a network that is taught them together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from acumen.api import AcumenError, Face, Instance, Metric, Task


class Joint:
    """``parts`` are tasks, each with the data set that it is in. It is never asked itself."""

    metric: Metric

    def __init__(self, parts: Sequence[tuple[Task, Path | None]]) -> None:
        if not parts:
            raise AcumenError("there is no task to be trained for", "--task gluecode")
        self.parts = tuple(parts)
        first = parts[0][0]
        families = {task.card.name.partition("/")[0] for task, _ in parts}
        self.card = replace(first.card, name="+".join(sorted(families)), face=Face.GENERATE)
        self.metric = first.metric

    def instances(self) -> Sequence[Instance]:
        return ()

    @property
    def fingerprint(self) -> str:
        return self._known_by("fingerprint")

    @property
    def whole_fingerprint(self) -> str:
        return self._known_by("whole_fingerprint")

    def _known_by(self, what: str) -> str:
        known = [
            str(getattr(task, what, getattr(task, "fingerprint", ""))) for task, _ in self.parts
        ]
        return hashlib.sha256(" ".join(known).encode()).hexdigest()
