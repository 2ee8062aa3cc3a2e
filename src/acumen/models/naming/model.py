"""``acumen-naming``, ``antipatterns``: is this name right, and what would be?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.api import AcumenError, Json, Method, NamedMethod, Sight
from acumen.registry import model

if TYPE_CHECKING:
    from acumen.models.naming.background import Background
    from acumen.models.naming.facts import Facts


class _OnText:
    """Facts of methods that are given as text, their names masked."""

    batch_size = 256

    def __init__(self) -> None:
        self._sight: Sight | None = None
        self._facts: dict[tuple[str, str], Facts | None] = {}

    def look(self, sight: Sight | None) -> None:
        self._sight = sight
        self._facts.clear()

    def facts(self, method: Method) -> Facts | None:
        from acumen.models.naming.facts import facts_of_text

        key = (method.id, method.text)
        if key not in self._facts:
            found = facts_of_text(method.text)
            owner = self._context(method).get("type")
            self._facts[key] = replace(found, owner=str(owner)) if found and owner else found
        return self._facts[key]

    def _context(self, method: Method) -> Mapping[str, Json]:
        return self._sight.context(method.id) if self._sight else {}


class Naming(_OnText):
    """Judges by all signals together, as often wrong as right; names by the likeliest verb and what
    the method is about."""

    def __init__(self, background: Background) -> None:
        from acumen.models.naming.combined import Combined

        super().__init__()
        self.background = background
        self.combined = Combined(background, prior=0.5)
        self.fingerprint = str(background.about.get("files_sha256", ""))

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from acumen.models.naming.signals import signals

        answers: list[float | None] = [None] * len(methods)
        known = [(i, found) for i, one in enumerate(methods) if (found := self.facts(one.method))]
        named = [facts.named(methods[i].name) for i, facts in known]
        every = signals(named, self.background, self.combined.conventions)
        for (i, _), seen in zip(known, every, strict=True):
            answers[i] = self.combined.fitness(seen)
        return answers

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        from acumen.models.naming.suggest import name_for

        known = [(i, found) for i, one in enumerate(methods) if (found := self.facts(one))]
        odds = self.background.log_probabilities([facts for _, facts in known])
        answers: list[str | None] = [None] * len(methods)
        for (i, facts), row in zip(known, odds, strict=True):
            answers[i] = name_for(facts, row, self.background)
        return answers


class Antipatterns(_OnText):
    """The rules alone: a name fits less the more of them it breaks."""

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        from acumen.models.naming.antipatterns import findings

        answers: list[float | None] = []
        for one in methods:
            facts = self.facts(one.method)
            if facts is None:
                answers.append(None)
                continue
            against = sum(found.weight for found in findings(facts.named(one.name)))
            # One rule broken is below the middle.
            answers.append(1.0 / (1.0 + against) if not against else 0.5 / (1.0 + against))
        return answers


@model("acumen-naming")
def make_naming(background: str = "") -> Any:
    """Rules, conventions and how methods are named elsewhere, together"""
    from acumen.models.naming.background import read_background, shipped

    found = read_background(Path(background)) if background else shipped()
    if not found.combination:
        raise AcumenError(
            f"{background} does not say what signals are worth",
            "`acumen names learn` needs several projects to tell that",
        )
    return Naming(found)


@model("antipatterns")
def make_antipatterns() -> Any:
    """Linguistic antipatterns: a `get` that returns nothing, and the like"""
    return Antipatterns()
