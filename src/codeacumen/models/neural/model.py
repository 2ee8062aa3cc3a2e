"""The model ``run:DIR``: a trained network.

It answers the task that it was trained for; a network trained to name methods answers every task
that requires names. A folder with several networks, as ``codeacumen train network NETWORK -t
gluecode@DIR`` makes, is one model that answers all their tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from codeacumen.models.neural.architecture import Architecture


class Trained:
    """A model of one network. Subclasses add the capabilities that its training gives it."""

    # Large, so that all cores extract features and batches have inputs of similar length.
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
        # The network's module is loaded by name, so the hash of this module's imports lacks it.
        self.fingerprint = f"{self.about['weights_sha256']} {hash_network_code(self.plan.name)}"
        self.code_context: CodeContext | None = None
        if device != "auto":
            from codeacumen.models.neural.training.batches import device_of

            device_of(device)

    @property
    def supervision(self) -> str:
        """Return "before": it learned from the labels of the training split of its data set."""
        from codeacumen.models.neural.training.preparing import PRETRAIN

        return "none" if self.purpose.task == PRETRAIN else "before"

    @cached_property
    def loaded(self) -> tuple[Architecture, Any, str]:
        """Architecture, network and device, loaded at the first use."""
        from codeacumen.models.neural.training.batches import device_of
        from codeacumen.models.neural.training.checkpoints import load

        architecture, network = load(self.folder)
        device = device_of(self.wanted_device)
        return architecture, network.to(device), device

    def use_context(self, context: CodeContext | None) -> None:
        self.code_context = context

    def features(self, asked: Sequence[Input]) -> list[Any]:
        """Return the features of each input, None for an input without features."""
        from codeacumen.models.neural.answering import read_all

        architecture = self.loaded[0]
        # A code context is an open corpus, which other processes cannot share.
        if architecture.looks and self.code_context is not None:
            return [architecture.read(one, self.code_context) for one in asked]
        return list(read_all(self.plan, asked))

    def answers(self, asked: Sequence[Input]) -> list[str | None]:
        """Return the network's answer to each input, None where it has none."""
        from codeacumen.models.neural.answering import answers

        architecture, network, device = self.loaded
        read = self.features(asked)
        return answers(architecture, network, read, batch=self.batch, device=device)


class Classifies(Trained):
    """A network with the capability ``classify``."""

    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        found = self.answers(questions)
        return [a if a in q.choices else None for a, q in zip(found, questions, strict=True)]


class Generates(Trained):
    """A network with the capability ``generate``."""

    def generate(self, prompts: Sequence[Prompt]) -> list[str | None]:
        return self.answers(prompts)


class Names(Trained):
    """A network with the capability ``name``."""

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        return self.answers(methods)


class Judges(Trained):
    """A network with the capability ``judge``."""

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.neural.answering import vectors

        architecture, network, device = self.loaded
        read = self.features([one.method for one in methods])
        found = vectors(architecture, network, read, batch=self.batch, device=device)
        fits: list[float | None] = architecture.judge(network, found, [m.name for m in methods])
        return fits


class Embeds(Trained):
    """A network with the capability ``embed``."""

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
    """Return a network as a model with the capabilities that its training gives it."""
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
        # Its labels are those of one task, so it answers that task only. Its vectors serve any.
        made.only = (plan.purpose.task,)  # type: ignore[attr-defined]
    return made


class Several:
    """A model of several networks, one for each task."""

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
        raise CodeacumenError("run needs the folder of a trained network", "write run:DIR")
    if int(batch) < 1:
        raise CodeacumenError(
            f"run cannot have batch={batch}", "batch is the number of inputs computed together"
        )
    path = Path(str(folder)).expanduser()
    parts = sorted(path.glob(f"*/{ABOUT}"))
    if (path / ABOUT).is_file() or not parts:
        return _trained(path, str(device), int(batch))
    made = [_trained(part.parent, str(device), int(batch)) for part in parts]
    return Several({one.purpose.task: one for one in made})
