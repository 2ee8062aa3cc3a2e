"""The model ``run:DIR``: a trained network.

It answers the task that it was trained for; a network trained to name methods answers every task
that requires names. A folder with several networks, as ``codeacumen train network NETWORK -t
gluecode@DIR`` makes, is one model that answers all their tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
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


# Libraries that extract features and compute with the network.
LIBRARIES = ("torch", "tree-sitter", "tree-sitter-java")


class NetworkModel:
    """A model of one network. Subclasses add the capabilities that its training gives it."""

    # Inputs of a call: many, so that all cores extract features and batches have inputs of similar
    # length. The network computes ``batch`` of them together.
    batch_size = 8192

    def __init__(self, folder: Path, device: str, batch: int) -> None:
        from codeacumen.models.neural.catalogue import hash_network_code
        from codeacumen.models.neural.training.batches import choose_device
        from codeacumen.models.neural.training.checkpoints import (
            check_weights_exist,
            plan_from_model_json,
            read_model_json,
        )

        self.folder, self.batch = folder, batch
        self.device = choose_device(device)
        self.about = read_model_json(folder)
        check_weights_exist(folder)
        self.plan = plan_from_model_json(self.about)
        self.purpose = self.plan.purpose
        # The network's module is loaded by name, so the hash of this module's imports lacks it.
        # Another device or release computes other digits, and rarely another answer; the setting
        # of the device may be "auto".
        self.fingerprint = " ".join(
            (
                str(self.about["weights_sha256"]),
                hash_network_code(self.plan.name),
                self.device,
                *(f"{name} {version(name)}" for name in LIBRARIES),
            )
        )
        self.code_context: CodeContext | None = None

    @property
    def supervision(self) -> str:
        """Supervision: "before", because it learned from labels; "none" after pre-training only."""
        from codeacumen.models.neural.training.prepare import PRETRAIN

        return "none" if self.purpose.task == PRETRAIN else "before"

    @cached_property
    def loaded_network(self) -> tuple[Architecture, Any]:
        """Architecture, and network on its device; loaded at the first use."""
        from codeacumen.models.neural.training.checkpoints import load_network

        architecture, network = load_network(self.folder)
        return architecture, network.to(self.device)

    def use_context(self, context: CodeContext | None) -> None:
        self.code_context = context

    def extract_features(self, inputs: Sequence[Input]) -> list[Any]:
        """Return the features of each input, None for an input without features."""
        from codeacumen.models.neural.predict import extract_all_features

        architecture = self.loaded_network[0]
        # A code context is an open corpus, which other processes cannot share.
        if architecture.needs_context and self.code_context is not None:
            return [architecture.extract_features(item, self.code_context) for item in inputs]
        return list(extract_all_features(self.plan, inputs))

    def predict_answers(self, inputs: Sequence[Input]) -> list[str | None]:
        """Return the network's answer to each input, None where it has none."""
        from codeacumen.models.neural.predict import predict_answers

        architecture, network = self.loaded_network
        features = self.extract_features(inputs)
        return predict_answers(
            architecture, network, features, batch_size=self.batch, device=self.device
        )


class ClassifyingModel(NetworkModel):
    """A network with the capability ``classify``."""

    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        answers = self.predict_answers(questions)
        return [
            answer if answer in question.choices else None
            for answer, question in zip(answers, questions, strict=True)
        ]


class GeneratingModel(NetworkModel):
    """A network with the capability ``generate``."""

    def generate(self, prompts: Sequence[Prompt]) -> list[str | None]:
        return self.predict_answers(prompts)


class NamingModel(NetworkModel):
    """A network with the capability ``name``."""

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        return self.predict_answers(methods)


class JudgingModel(NetworkModel):
    """A network with the capability ``judge``."""

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.neural.predict import compute_vectors

        architecture, network = self.loaded_network
        features = self.extract_features([named_method.method for named_method in methods])
        vectors = compute_vectors(
            architecture, network, features, batch_size=self.batch, device=self.device
        )
        scores: list[float | None] = architecture.judge_names(
            network, vectors, [named_method.name for named_method in methods]
        )
        return scores


class EmbeddingModel(NetworkModel):
    """A network with the capability ``embed``."""

    def embed(self, items: Sequence[str]) -> list[list[float] | None]:
        from codeacumen.models.neural.predict import compute_vectors

        architecture, network = self.loaded_network
        features = [architecture.extract_text_features(text) for text in items]
        return compute_vectors(
            architecture, network, features, batch_size=self.batch, device=self.device
        )


_MODEL_OF_CAPABILITY: dict[Capability, type[NetworkModel]] = {
    Capability.CLASSIFY: ClassifyingModel,
    Capability.GENERATE: GeneratingModel,
    Capability.NAME: NamingModel,
}


def _load_model(folder: Path, device: str, batch: int) -> NetworkModel:
    """Return a model with the capabilities that the training of a folder's network provides."""
    from codeacumen.models.neural.catalogue import load_architecture
    from codeacumen.models.neural.training.checkpoints import plan_from_model_json, read_model_json
    from codeacumen.models.neural.training.prepare import PRETRAIN

    plan = plan_from_model_json(read_model_json(folder))
    bases: list[type[NetworkModel]] = []
    is_joint = bool(load_architecture(plan.name).task_column)
    if is_joint:
        bases += _MODEL_OF_CAPABILITY.values()
    elif plan.purpose.task != PRETRAIN:
        bases.append(_MODEL_OF_CAPABILITY[plan.purpose.capability])
    if load_architecture(plan.name).judges_names and plan.purpose.capability is Capability.NAME:
        bases.append(JudgingModel)
    if load_architecture(plan.name).has_vectors:
        bases.append(EmbeddingModel)
    network_model: NetworkModel = type("Trained", tuple(bases), {})(folder, device, batch)
    if (
        not is_joint
        and plan.purpose.capability is not Capability.NAME
        and plan.purpose.task != PRETRAIN
    ):
        # Its labels are those of one task, so it answers that task only. Its vectors serve any.
        network_model.only = (plan.purpose.task,)  # type: ignore[attr-defined]
    return network_model


class PerTaskModel:
    """A model of several networks, one for each task; ``parts`` has them by the task's name.

    ``only`` has the names of the tasks that it can answer. The runner calls ``start_task`` before
    the questions of each task.
    """

    batch_size = NetworkModel.batch_size
    supervision = "before"

    def __init__(self, parts: dict[str, NetworkModel]) -> None:
        self.parts = parts
        self.only = tuple(parts)
        self.fingerprint = " ".join(network_model.fingerprint for network_model in parts.values())
        self.current_model: Any = None

    def start_task(self, card: TaskCard) -> None:
        self.current_model = self.parts[card.name]

    def use_context(self, context: CodeContext | None) -> None:
        self.current_model.use_context(context)

    def classify(self, questions: Sequence[Question]) -> Sequence[str | None]:
        answers: Sequence[str | None] = self.current_model.classify(questions)
        return answers

    def generate(self, prompts: Sequence[Prompt]) -> Sequence[str | None]:
        answers: Sequence[str | None] = self.current_model.generate(prompts)
        return answers

    def name(self, methods: Sequence[Method]) -> Sequence[str | None]:
        names: Sequence[str | None] = self.current_model.name(methods)
        return names


@model("run", needs="DIR")
def make_run(
    folder: str = "", device: str = "auto", batch: int = 128
) -> NetworkModel | PerTaskModel:
    """A network that `codeacumen train network` trained: run:DIR"""
    from codeacumen.models.neural.training.checkpoints import ABOUT

    if not folder:
        raise CodeacumenError("run needs the folder of a trained network", "write run:DIR")
    if int(batch) < 1:
        raise CodeacumenError(
            f"run cannot have batch={batch}", "batch is the number of inputs computed together"
        )
    path = Path(str(folder)).expanduser()
    files = sorted(path.glob(f"*/{ABOUT}"))
    if (path / ABOUT).is_file() or not files:
        return _load_model(path, str(device), int(batch))
    models = [_load_model(file.parent, str(device), int(batch)) for file in files]
    return PerTaskModel({network_model.purpose.task: network_model for network_model in models})
