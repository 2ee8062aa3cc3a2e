"""Methods: the five tasks of GLUECode (2020) on a data set that was made of a corpus.

Each asks one thing of a method: its number of paths (``npath``), an operator that was taken out
(``operators``), its name (``naming``), the name of a call (``completion``), and the token at which
it may dereference null (``nulltoken``). The data set's rows are the questions, masked where the
answer stood; the training projects' rows are what a model may learn from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codeacumen.benchmarks.gluecode.specs import SPECS
from codeacumen.benchmarks.gluecode.task import MethodTask
from codeacumen.datasets.built import Built

__all__ = ["MethodTask", "tasks"]


@dataclass(frozen=True, slots=True)
class _Factory:
    built: Built
    kind: str

    def __call__(self) -> MethodTask:
        return MethodTask(self.built, self.kind)


def tasks(built: Built) -> Iterator[tuple[str, str, _Factory]]:
    """The tasks of a data set: those that it has a file of."""
    for name, spec in SPECS.items():
        if f"{name}.jsonl" in built.about["files"]:
            yield f"gluecode/{name}", spec.summary, _Factory(built, name)
