"""The models ``codeacumen-naming``, ``naming-taught`` and ``antipatterns``.

They judge whether a method's name fits, and the first also proposes a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import (
    CodeContext,
    Example,
    Json,
    Method,
    NamedMethod,
    Supervision,
)
from codeacumen.metrics import target_value
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.models.ensemble import Predict
    from codeacumen.models.method_naming.background import Background
    from codeacumen.models.method_naming.facts import Facts


class _FactsFromText:
    """Base of models that read facts from the text of a method, in which its name is masked.

    If the task offers a code context, the declaring type comes from there.
    """

    batch_size = 256

    def __init__(self) -> None:
        self._code_context: CodeContext | None = None
        self._facts: dict[tuple[str, str], Facts | None] = {}

    def use_context(self, context: CodeContext | None) -> None:
        self._code_context = context
        self._facts.clear()

    def read_facts(self, method: Method) -> Facts | None:
        """Return the facts of a method, cached; None if the text contains no method with a body."""
        from codeacumen.models.method_naming.facts import read_facts_from_text

        key = (method.id, method.text)
        if key not in self._facts:
            facts = read_facts_from_text(method.text)
            owner = self._describe_method(method).get("type")
            self._facts[key] = replace(facts, owner=str(owner)) if facts and owner else facts
        return self._facts[key]

    def _describe_method(self, method: Method) -> Mapping[str, Json]:
        return self._code_context.describe(method.id) if self._code_context else {}


class NamingModel(_FactsFromText):
    """Model that judges names by all signals; it proposes the likeliest verb and the body's topic.

    Its prior is 0.5: half of the names in a task are expected to be wrong.
    """

    def __init__(self, background: Background) -> None:
        from codeacumen.models.method_naming.combined import CombinedNamingModel

        super().__init__()
        self.background = background
        self.combined = CombinedNamingModel(background, prior=0.5)
        self.fingerprint = str(background.about.get("files_sha256", ""))

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.method_naming.combined import compute_signals

        answers: list[float | None] = [None] * len(methods)
        readable = [
            (i, method_facts)
            for i, named_method in enumerate(methods)
            if (method_facts := self.read_facts(named_method.method))
        ]
        named = [facts.with_name(methods[i].name) for i, facts in readable]
        all_signals = compute_signals(named, self.background, self.combined.conventions)
        for (i, _), method_signals in zip(readable, all_signals, strict=True):
            answers[i] = self.combined.compute_fitness(method_signals)
        return answers

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        from codeacumen.models.method_naming.combined import propose_name

        readable = [
            (i, method_facts)
            for i, method in enumerate(methods)
            if (method_facts := self.read_facts(method))
        ]
        log_probs = self.background.compute_log_probabilities([facts for _, facts in readable])
        answers: list[str | None] = [None] * len(methods)
        for (i, facts), row in zip(readable, log_probs, strict=True):
            answers[i] = propose_name(facts, row, self.background)
        return answers


class TrainedNamingModel(NamingModel):
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

        from codeacumen.models.ensemble import fit_regression

        # Only examples with a name have a label that says if the name fits.
        labelled_examples = [
            example for example in examples if isinstance(example.input, NamedMethod)
        ]
        rows = self._compute_rows([example.input for example in labelled_examples])  # type: ignore[misc]
        labelled_rows = [
            (row, float(target_value(example.truth)))
            for row, example in zip(rows, labelled_examples, strict=True)
            if row is not None
        ]
        self._regression = None
        if labelled_rows:
            inputs, labels = zip(*labelled_rows, strict=True)
            self._regression = fit_regression(self.learner, np.array(inputs), np.array(labels))

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        import numpy as np

        if self._regression is None:
            return [None] * len(methods)
        rows = self._compute_rows(methods)
        known_rows = [row for row in rows if row is not None]
        predictions = self._regression(np.array(known_rows)) if known_rows else np.empty(0)
        values = iter(np.clip(predictions, 0.0, 1.0).tolist())
        return [None if row is None else next(values) for row in rows]

    def _compute_rows(self, methods: Sequence[NamedMethod]) -> list[list[float] | None]:
        """Return a row of features for each method; None if its text has no method with a body.

        Rows are cached by method id and name, because each fold of leave-one-out needs nearly all
        of them again.
        """
        from codeacumen.models.method_naming.combined import build_feature_row, compute_signals

        new_methods = {
            (named_method.method.id, named_method.name): named_method for named_method in methods
        }
        new_methods = {
            key: named_method for key, named_method in new_methods.items() if key not in self._rows
        }
        facts_by_key = {
            key: self.read_facts(named_method.method) for key, named_method in new_methods.items()
        }
        renamed_facts = {
            key: method_facts.with_name(key[1])
            for key, method_facts in facts_by_key.items()
            if method_facts is not None
        }
        all_signals = compute_signals(
            list(renamed_facts.values()), self.background, self.combined.conventions
        )
        rows = {
            key: build_feature_row(method_facts, method_signals, self.background)
            for (key, method_facts), method_signals in zip(
                renamed_facts.items(), all_signals, strict=True
            )
        }
        self._rows |= {key: rows.get(key) for key in new_methods}
        return [self._rows[named_method.method.id, named_method.name] for named_method in methods]


class AntipatternModel(_FactsFromText):
    """Model that judges by the antipattern rules alone: each broken rule lowers the score."""

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from codeacumen.models.method_naming.antipatterns import find_antipatterns

        answers: list[float | None] = []
        for named_method in methods:
            facts = self.read_facts(named_method.method)
            if facts is None:
                answers.append(None)
                continue
            total_weight = sum(
                finding.weight for finding in find_antipatterns(facts.with_name(named_method.name))
            )
            # A name that breaks any rule scores less than 0.5.
            answers.append(
                1.0 / (1.0 + total_weight) if not total_weight else 0.5 / (1.0 + total_weight)
            )
        return answers


@model("codeacumen-naming")
def make_naming(background: str = "") -> Any:
    """Rules, conventions and naming habits of other projects, combined"""
    from codeacumen.models.method_naming.background import load_shipped_background, read_background

    return NamingModel(
        read_background(Path(background)) if background else load_shipped_background()
    )


@model("naming-taught")
def make_taught(background: str = "", learner: str = "trees") -> Any:
    """The signals of codeacumen-naming, weighted by labels of cases from other projects"""
    from codeacumen.models.ensemble import check_learner
    from codeacumen.models.method_naming.background import load_shipped_background, read_background

    check_learner(learner)
    return TrainedNamingModel(
        read_background(Path(background)) if background else load_shipped_background(), learner
    )


@model("antipatterns")
def make_antipatterns() -> Any:
    """Linguistic antipatterns: a `get` that returns nothing, and the like"""
    return AntipatternModel()
