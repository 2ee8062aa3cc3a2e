"""Small training requests: a task of the examples' methods, and an engine without processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from codeacumen.api import Capability, Example, Instance, Method, TaskCard
from codeacumen.models.neural.training.settings import apply_changes, read_config
from codeacumen.models.neural.training.train import TrainingRequest, make_request
from models.neural.small_networks import list_methods


class NamingTask:
    """A task of the examples' methods, some of which are held out."""

    card = TaskCard("gluecode/naming", "Naming", "1", Capability.NAME, "character_bleu")
    fingerprint = "of the examples"

    def examples(self, split: str) -> list[Example]:
        examples = [
            Example(Method(str(n), text), name)
            for n, (text, name) in enumerate(list_methods()[:160])
        ]
        return examples[:120] if split == "train" else examples[120:140]

    def instances(self) -> list[Instance]:
        masked_methods = [*list_methods()[120:140], ("", "nothing to read")]
        return [
            Instance(f"m{number}", Method(f"m{number}", text), name)
            for number, (text, name) in enumerate(masked_methods)
        ]


def make_small_request(name: str = "cnn", **changes: object) -> TrainingRequest:
    torch.set_num_threads(1)
    quick = {
        "training.epochs": 2,
        **{key.replace("__", "."): value for key, value in changes.items()},
    }
    return make_request(
        name, apply_changes(read_config(name, "small"), quick), NamingTask(), device="cpu"
    )  # type: ignore[arg-type]


class InlineEngine:
    """An engine without processes: starting one takes longer than reading all the input."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for place, item in enumerate(items):
            yield place, work(item)


def ignore_progress(what: str, done: int, total: int) -> None:
    pass
