"""Combine the best models without a neural network under one name, for one overall score.

The model has a part for each task and delegates questions to it. A model is not given the task's
name, so ``fit`` infers the part from the training examples: with or without choices, with or
without a mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codeacumen.api import (
    Capability,
    CodeacumenError,
    CodeContext,
    Example,
    Learner,
    Method,
    Prompt,
    Question,
    Supervision,
    UsesContext,
)
from codeacumen.models.adapters import list_capabilities
from codeacumen.models.lexer import MASK
from codeacumen.registry import LoadedModel, compute_fingerprint, make_model, model

# Capability that the part for a task must have.
_CAPABILITIES = {
    "npath": Capability.CLASSIFY,
    "operators": Capability.CLASSIFY,
    "naming": Capability.NAME,
    "completion": Capability.GENERATE,
    "nulltoken": Capability.GENERATE,
}


class Classical:
    """Model that delegates the questions of a task to the part for this task.

    ``has_masks`` says whether the examples of the last ``fit`` had masks.
    """

    batch_size = 256
    supervision: Supervision = "train"
    only = ("gluecode",)

    def __init__(self, parts: dict[str, LoadedModel]) -> None:
        for task, part in parts.items():
            _check_part(task, part)
        self.parts = parts
        self.fingerprint = " ".join(compute_fingerprint(part) for part in parts.values())
        self.code_context: CodeContext | None = None
        self.has_masks = False

    def use_context(self, context: CodeContext | None) -> None:
        self.code_context = context

    def fit(self, examples: Sequence[Example]) -> None:
        self.has_masks = False
        if not examples:
            return
        inputs = [example.input for example in examples]
        # A string in the code may look like a mask, so the majority of the examples decides.
        masked_count = sum(
            isinstance(item, Question | Prompt) and MASK in item.text for item in inputs
        )
        self.has_masks = 2 * masked_count > len(inputs)
        if isinstance(inputs[0], Method):
            part = self.parts["naming"]
        elif isinstance(inputs[0], Question):
            part = self._classifier
        else:
            part = self._generator
        if isinstance(part.model, UsesContext):
            part.model.use_context(self.code_context)
        if isinstance(part.model, Learner):
            part.model.fit(examples)

    @property
    def _classifier(self) -> LoadedModel:
        return self.parts["operators" if self.has_masks else "npath"]

    @property
    def _generator(self) -> LoadedModel:
        return self.parts["completion" if self.has_masks else "nulltoken"]

    def classify(self, questions: Sequence[Question]) -> Sequence[str | None]:
        model: Any = self._classifier.model
        answers: Sequence[str | None] = model.classify(questions)
        return answers

    def generate(self, prompts: Sequence[Prompt]) -> Sequence[str | None]:
        model: Any = self._generator.model
        answers: Sequence[str | None] = model.generate(prompts)
        return answers

    def name(self, methods: Sequence[Method]) -> Sequence[str | None]:
        model: Any = self.parts["naming"].model
        answers: Sequence[str | None] = model.name(methods)
        return answers


def _check_part(task: str, part: LoadedModel) -> None:
    """Raise an error if a model cannot be the part for a task."""
    capabilities = list_capabilities(part.model)
    reason = ""
    if _CAPABILITIES[task] not in capabilities:
        reason = (
            f"it has {', '.join(capabilities) or 'no capability'}, but needs {_CAPABILITIES[task]}"
        )
    elif isinstance(part.model, Learner) and not part.model.supervision.startswith("train"):
        reason = "it learns from labels outside the training split"
    if reason:
        raise CodeacumenError(f"{part.reference!r} cannot answer {task} in classical: {reason}")


@model("classical")
def make_classical(
    npath: str = "structure",
    operators: str = "ngrams",
    naming: str = "nearest",
    completion: str = "completion:context=project",
    nulltoken: str = "last-null",
) -> Classical:
    """The best model without a neural network for each of the five tasks, under one name"""
    parts = {
        "npath": npath,
        "operators": operators,
        "naming": naming,
        "completion": completion,
        "nulltoken": nulltoken,
    }
    return Classical({task: make_model(str(part)) for task, part in parts.items()})
