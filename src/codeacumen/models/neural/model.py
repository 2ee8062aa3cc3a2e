"""A trained network as a model like any other: ``run:DIR``.

It answers the task it was trained for, and where it was taught names, every task that asks for one.
A folder with several of them, as ``codeacumen train network NETWORK -t gluecode@DIR`` makes, is one
model of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from codeacumen.api import (
    Capability,
    CodeacumenError,
    CodeContext,
    Input,
    Method,
    NamedMethod,
    Prompt,
    Question,
    TaskCard,
)
from codeacumen.registry import model


class Trained:
    """One network. Its capabilities are added below, by what it was trained for."""

    # Many at once: they are read by all cores, and answered in batches of like length.
    batch_size = 8192

    def __init__(self, folder: Path, device: str, batch: int) -> None:
        from codeacumen.models.neural.catalogue import hash_network_code
        from codeacumen.models.neural.training.checkpoints import (
            must_have_weights,
            plan_of,
            read_about,
        )

        self.folder, self.batch = folder, batch
        self.wanted_device = device
        self.about = read_about(folder)
        must_have_weights(folder)
        self.plan = plan_of(self.about)
        self.purpose = self.plan.purpose
        # The network's module is loaded by name, so it is not among this module's imports.
        self.fingerprint = f"{self.about['weights_sha256']} {hash_network_code(self.plan.name)}"
        self.code_context: CodeContext | None = None
        if device != "auto":
            from codeacumen.models.neural.training.batches import device_of

            device_of(device)

    @property
    def supervision(self) -> str:
        """It learned before, from labels of what it was trained for; they are not shown to it."""
        from codeacumen.models.neural.training.preparing import PRETRAIN

        return "none" if self.purpose.task == PRETRAIN else "before"

    @cached_property
    def loaded(self) -> tuple[Any, Any, str]:
        """Architecture, network and where it computes, when it is first needed."""
        from codeacumen.models.neural.training.batches import device_of
        from codeacumen.models.neural.training.checkpoints import load

        architecture, network = load(self.folder)
        device = device_of(self.wanted_device)
        return architecture, network.to(device), device

    def use_context(self, context: CodeContext | None) -> None:
        self.code_context = context

    def features(self, asked: Sequence[Input]) -> list[Any]:
        from codeacumen.models.neural.answering import read_all

        architecture = self.loaded[0]
        # A context is an open corpus, which cannot be handed to other processes.
        if architecture.looks and self.code_context is not None:
            return [architecture.read(one, self.code_context) for one in asked]
        return list(read_all(self.plan, asked))

    def answers(self, asked: Sequence[Input]) -> list[str | None]:
        from codeacumen.models.neural.answering import answers

        architecture, network, device = self.loaded
        read = self.features(asked)
        return answers(architecture, network, read, batch=self.batch, device=device)


class Classifies(Trained):
    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        found = self.answers(questions)
        return [a if a in q.choices else None for a, q in zip(found, questions, strict=True)]


class Generates(Trained):
    def generate(self, prompts: Sequence[Prompt]) -> list[str | None]:
        return self.answers(prompts)


class Names(Trained):
    def name(self, methods: Sequence[Method]) -> list[str | None]:
        return self.answers(methods)


class Judges(Trained):
    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.neural.answering import vectors

        architecture, network, device = self.loaded
        read = self.features([one.method for one in methods])
        found = vectors(architecture, network, read, batch=self.batch, device=device)
        fits: list[float | None] = architecture.judge(network, found, [m.name for m in methods])
        return fits


class Embeds(Trained):
    def embed(self, items: Sequence[str]) -> list[list[float] | None]:
        from codeacumen.models.neural.answering import vectors

        architecture, network, device = self.loaded
        read = [architecture.read_text(one) for one in items]
        return vectors(architecture, network, read, batch=self.batch, device=device)


_CAPABILITIES: dict[Capability, type[Trained]] = {
    Capability.CLASSIFY: Classifies,
    Capability.GENERATE: Generates,
    Capability.NAME: Names,
}


def _trained(folder: Path, device: str, batch: int) -> Trained:
    from codeacumen.models.neural.catalogue import architecture
    from codeacumen.models.neural.training.checkpoints import plan_of, read_about
    from codeacumen.models.neural.training.preparing import PRETRAIN

    plan = plan_of(read_about(folder))
    kinds: list[type[Trained]] = []
    joint = bool(architecture(plan.name).joint)
    if joint:
        kinds += _CAPABILITIES.values()
    elif plan.purpose.task != PRETRAIN:
        kinds.append(_CAPABILITIES[plan.purpose.capability])
    if architecture(plan.name).judges and plan.purpose.capability is Capability.NAME:
        kinds.append(Judges)
    if architecture(plan.name).embeds:
        kinds.append(Embeds)
    made: Trained = type("Trained", tuple(kinds), {})(folder, device, batch)
    if (
        not joint
        and plan.purpose.capability is not Capability.NAME
        and plan.purpose.task != PRETRAIN
    ):
        # Its labels are of that task: it can say nothing else. Vectors it has for anybody.
        made.only = (plan.purpose.task,)  # type: ignore[attr-defined]
    return made


class Several:
    """A network for each of several tasks."""

    batch_size = Trained.batch_size
    supervision = "before"

    def __init__(self, parts: dict[str, Trained]) -> None:
        self.parts = parts
        self.only = tuple(parts)
        self.fingerprint = " ".join(part.fingerprint for part in parts.values())
        self.asked: Any = None

    def start_task(self, card: TaskCard) -> None:
        self.asked = self.parts[card.name]

    def use_context(self, context: CodeContext | None) -> None:
        self.asked.use_context(context)

    def classify(self, questions: Sequence[Question]) -> Sequence[str | None]:
        found: Sequence[str | None] = self.asked.classify(questions)
        return found

    def generate(self, prompts: Sequence[Prompt]) -> Sequence[str | None]:
        found: Sequence[str | None] = self.asked.generate(prompts)
        return found

    def name(self, methods: Sequence[Method]) -> Sequence[str | None]:
        found: Sequence[str | None] = self.asked.name(methods)
        return found


@model("run", needs="DIR")
def make_run(folder: str = "", device: str = "auto", batch: int = 128) -> Trained | Several:
    """A network that `codeacumen train network` trained: run:DIR"""
    from codeacumen.models.neural.training.checkpoints import ABOUT

    if not folder:
        raise CodeacumenError("run needs the folder of a trained network", "run:DIR")
    if int(batch) < 1:
        raise CodeacumenError(f"run cannot have batch={batch}", "how many are answered together")
    path = Path(str(folder)).expanduser()
    parts = sorted(path.glob(f"*/{ABOUT}"))
    if (path / ABOUT).is_file() or not parts:
        return _trained(path, str(device), int(batch))
    made = [_trained(part.parent, str(device), int(batch)) for part in parts]
    return Several({one.purpose.task: one for one in made})
