"""Small trainings as the verb asks for them: a task of the examples' methods, and no processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from codeacumen.api import Capability, Example, Instance, Method, TaskCard
from codeacumen.models.neural.training.settings import changed, read_config
from codeacumen.models.neural.training.train import Request, request
from models.neural.checks import methods


class Naming:
    """A task of its own: the examples' methods, some of them held back."""

    card = TaskCard("gluecode/naming", "Naming", "1", Capability.NAME, "character_bleu")
    fingerprint = "of the examples"

    def examples(self, split: str) -> list[Example]:
        found = [
            Example(Method(str(n), text), name) for n, (text, name) in enumerate(methods()[:160])
        ]
        return found[:120] if split == "train" else found[120:140]

    def instances(self) -> list[Instance]:
        shown = [*methods()[120:140], ("", "nothing to read")]
        return [
            Instance(f"m{n}", Method(f"m{n}", text), name) for n, (text, name) in enumerate(shown)
        ]


def asked(name: str = "cnn", **changes: object) -> Request:
    torch.set_num_threads(1)
    quick = {"training.epochs": 2, **{key.replace("__", "."): v for key, v in changes.items()}}
    return request(name, changed(read_config(name, "small"), quick), Naming(), device="cpu")  # type: ignore[arg-type]


class Here:
    """An engine without processes: starting one costs more than all that is read here."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for place, item in enumerate(items):
            yield place, work(item)


def nothing(what: str, done: int, total: int) -> None:
    pass
