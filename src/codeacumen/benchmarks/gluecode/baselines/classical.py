"""One model of several: each kind of question goes to the one that is made for it.

So that there is one name, and one overall score, for what can be had without a neural network. It
is not told which task it is asked; what it learns from tells: questions with or without choices,
with or without a mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from codeacumen.api import (
    CodeacumenError,
    Example,
    Face,
    Learner,
    Method,
    Prompt,
    Question,
    Sight,
    Supervision,
)
from codeacumen.models.adapters import faces
from codeacumen.models.lexer import MASK
from codeacumen.registry import Made, fingerprint, make_model, model

_FACES = {
    "npath": Face.CLASSIFY, "operators": Face.CLASSIFY, "naming": Face.NAME,
    "completion": Face.GENERATE, "nulltoken": Face.GENERATE,
}  # fmt: skip


class Classical:
    batch_size = 256
    supervision: Supervision = "train"
    only = ("gluecode",)

    def __init__(self, parts: dict[str, Made]) -> None:
        for task, part in parts.items():
            _check(task, part)
        self.parts = parts
        self.fingerprint = " ".join(fingerprint(part) for part in parts.values())
        self.sight: Sight | None = None
        self.masked = False

    def look(self, sight: Sight | None) -> None:
        self.sight = sight

    def fit(self, examples: Sequence[Example]) -> None:
        self.masked = False
        if not examples:
            return
        asked = [example.input for example in examples]
        # A string in somebody's code may look like a mask; most do not have one.
        marked = sum(isinstance(one, Question | Prompt) and MASK in one.text for one in asked)
        self.masked = 2 * marked > len(asked)
        if isinstance(asked[0], Method):
            part = self.parts["naming"]
        elif isinstance(asked[0], Question):
            part = self._classifier
        else:
            part = self._generator
        look: Callable[[Sight | None], None] | None = getattr(part.model, "look", None)
        if look is not None:
            look(self.sight)
        if isinstance(part.model, Learner):
            part.model.fit(examples)

    @property
    def _classifier(self) -> Made:
        return self.parts["operators" if self.masked else "npath"]

    @property
    def _generator(self) -> Made:
        return self.parts["completion" if self.masked else "nulltoken"]

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


def _check(task: str, part: Made) -> None:
    own = faces(part.model)
    reason = ""
    if _FACES[task] not in own:
        reason = f"it has {', '.join(own) or 'no face'}, but {_FACES[task]} is needed"
    elif isinstance(part.model, Learner) and not part.model.supervision.startswith("train"):
        reason = "it learns from labels that are not of the training split"
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
    """The best model without a network for each of the five tasks on methods, under one name"""
    parts = {
        "npath": npath, "operators": operators, "naming": naming, "completion": completion,
        "nulltoken": nulltoken,
    }  # fmt: skip
    return Classical({task: make_model(str(part)) for task, part in parts.items()})
