"""The models ``codeacumen-naming``, ``naming-taught`` and ``antipatterns``.

They judge whether a method's name fits, and the first also proposes a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import (
    CodeacumenError,
    CodeContext,
    Example,
    Json,
    Method,
    NamedMethod,
    Supervision,
)
from codeacumen.metrics import target
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.models.ensemble import Predict
    from codeacumen.models.method_naming.background import Background
    from codeacumen.models.method_naming.facts import Facts


class _OnText:
    """Base of models that read facts from the text of a method, in which its name is masked."""

    batch_size = 256

    def __init__(self) -> None:
        self._code_context: CodeContext | None = None
        self._facts: dict[tuple[str, str], Facts | None] = {}

    def use_context(self, context: CodeContext | None) -> None:
        self._code_context = context
        self._facts.clear()

    def facts(self, method: Method) -> Facts | None:
        """Return the facts of a method, cached; None if the text contains no method with a body."""
        from codeacumen.models.method_naming.facts import facts_of_text

        key = (method.id, method.text)
        if key not in self._facts:
            found = facts_of_text(method.text)
            owner = self._context(method).get("type")
            self._facts[key] = replace(found, owner=str(owner)) if found and owner else found
        return self._facts[key]

    def _context(self, method: Method) -> Mapping[str, Json]:
        return self._code_context.describe(method.id) if self._code_context else {}


class Naming(_OnText):
    """Model that judges names by all signals; it proposes the likeliest verb and the body's topic.

    Its prior is 0.5: half of the names in a task are expected to be wrong.
    """

    def __init__(self, background: Background) -> None:
        from codeacumen.models.method_naming.combined import Combined

        super().__init__()
        self.background = background
        self.combined = Combined(background, prior=0.5)
        self.fingerprint = str(background.about.get("files_sha256", ""))

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.method_naming.combined import signals

        answers: list[float | None] = [None] * len(methods)
        known = [(i, found) for i, one in enumerate(methods) if (found := self.facts(one.method))]
        named = [facts.named(methods[i].name) for i, facts in known]
        every = signals(named, self.background, self.combined.conventions)
        for (i, _), seen in zip(known, every, strict=True):
            answers[i] = self.combined.fitness(seen)
        return answers

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        from codeacumen.models.method_naming.combined import name_for

        known = [(i, found) for i, one in enumerate(methods) if (found := self.facts(one))]
        odds = self.background.log_probabilities([facts for _, facts in known])
        answers: list[str | None] = [None] * len(methods)
        for (i, facts), row in zip(known, odds, strict=True):
            answers[i] = name_for(facts, row, self.background)
        return answers


class Taught(Naming):
    """Model with the signals of ``NamingModel``, weighted by a regression on labelled names."""

    supervision: Supervision = "leave-one-out"

    def __init__(self, background: Background, learner: str) -> None:
        super().__init__(background)
        self.learner = learner
        self._rows: dict[tuple[str, str], list[float] | None] = {}
        self._regression: Predict | None = None

    def use_context(self, context: CodeContext | None) -> None:
        super().use_context(context)
        self._rows.clear()

    def fit(self, examples: Sequence[Example]) -> None:
        import numpy as np

        from codeacumen.models.ensemble import trained

        # Examples without a name have no label that says whether the name fits.
        judged = [one for one in examples if isinstance(one.input, NamedMethod)]
        rows = self._inputs([one.input for one in judged])  # type: ignore[misc]
        known = [
            (row, float(target(one.truth)))
            for row, one in zip(rows, judged, strict=True)
            if row is not None
        ]
        self._regression = None
        if known:
            inputs, right = zip(*known, strict=True)
            self._regression = trained(self.learner, np.array(inputs), np.array(right))

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        import numpy as np

        if self._regression is None:
            return [None] * len(methods)
        rows = self._inputs(methods)
        known = [row for row in rows if row is not None]
        found = self._regression(np.array(known)) if known else np.empty(0)
        values = iter(np.clip(found, 0.0, 1.0).tolist())
        return [None if row is None else next(values) for row in rows]

    def _inputs(self, methods: Sequence[NamedMethod]) -> list[list[float] | None]:
        """Return a row of features for each method, or None if its text cannot be read.

        Rows are cached, because each fold of leave-one-out needs nearly all of them again.
        """
        from codeacumen.models.method_naming.combined import dense, signals

        new = {(one.method.id, one.name): one for one in methods}
        new = {key: one for key, one in new.items() if key not in self._rows}
        facts = {key: self.facts(one.method) for key, one in new.items()}
        named = {key: found.named(key[1]) for key, found in facts.items() if found is not None}
        seen = signals(list(named.values()), self.background, self.combined.conventions)
        rows = {
            key: dense(found, one, self.background)
            for (key, found), one in zip(named.items(), seen, strict=True)
        }
        self._rows |= {key: rows.get(key) for key in new}
        return [self._rows[one.method.id, one.name] for one in methods]


class Antipatterns(_OnText):
    """Model that judges by the antipattern rules alone: each broken rule lowers the score."""

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.method_naming.antipatterns import findings

        answers: list[float | None] = []
        for one in methods:
            facts = self.facts(one.method)
            if facts is None:
                answers.append(None)
                continue
            against = sum(found.weight for found in findings(facts.named(one.name)))
            # A name that breaks any rule scores less than 0.5.
            answers.append(1.0 / (1.0 + against) if not against else 0.5 / (1.0 + against))
        return answers


@model("codeacumen-naming")
def make_naming(background: str = "") -> Any:
    """Rules, conventions and how methods are named elsewhere, together"""
    from codeacumen.models.method_naming.background import read_background, shipped

    return Naming(read_background(Path(background)) if background else shipped())


@model("naming-taught")
def make_taught(background: str = "", learner: str = "trees") -> Any:
    """The signals of codeacumen-naming, weighed by the labels of other projects' cases"""
    from codeacumen.models.ensemble import LEARNERS
    from codeacumen.models.method_naming.background import read_background, shipped

    if learner not in LEARNERS:
        raise CodeacumenError(
            f"there is no learner {learner!r}", f"choose one of {', '.join(LEARNERS)}"
        )
    return Taught(read_background(Path(background)) if background else shipped(), learner)


@model("antipatterns")
def make_antipatterns() -> Any:
    """Linguistic antipatterns: a `get` that returns nothing, and the like"""
    return Antipatterns()
