"""Models that judge method names after learning from a project, behind a small interface.

``checker.check`` and ``checker.calibrate`` create one with ``create_assessor``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.models.method_naming.antipatterns import findings
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.suggestions import NameSuggestions, suggest_names
from codeacumen.models.method_naming.verdict import Evidence, Verdict

if TYPE_CHECKING:
    from codeacumen.models.method_naming.combined import Combined

NO_BACKGROUND = "none"
# Log-odds without evidence: one strong rule is enough for a finding, one weak rule is not. This
# value is a choice; the model with a background is calibrated on data instead.
PRIOR = -1.5
SUGGESTIONS = 3


class Assessor(Protocol):
    """A model that judges method names. It can be pickled with what it has learned.

    A method must not vouch for itself. The model learns from a method before it judges it, so it
    must ignore what it learned from a method of the same path, owner, name and parameters.
    """

    def learn(self, facts: Sequence[Facts]) -> None:
        """Learn from the methods of a project's files. A caller may add more files later."""
        ...

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        """Return a verdict on each method, or None where there is too little to judge by.

        The caller passes all methods of a file together, in order: a model may compare a method
        with its siblings.
        """
        ...

    def suggest(self, facts: Facts, limit: int) -> NameSuggestions:
        """Return names for a method, best first, whether or not its own is right."""
        ...


class RuleAssessor:
    """Assessor without a background: adds the weights of antipatterns and conventions to the
    prior's log-odds."""

    def __init__(self) -> None:
        self._conventions = Conventions()

    def learn(self, facts: Sequence[Facts]) -> None:
        self._conventions.learn(facts)

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        return [self._verdict(one) for one in facts]

    def suggest(self, facts: Facts, limit: int) -> NameSuggestions:
        return suggest_names(facts, None, self._conventions, limit)

    def _verdict(self, facts: Facts) -> Verdict | None:
        evidence = [*findings(facts), *self._conventions.evidence(facts)]
        if not any(one.weight > 0 for one in evidence):
            return None
        suggestions = tuple(self._conventions.suggest(facts)[:SUGGESTIONS])
        return Verdict(probable(evidence), tuple(evidence), suggestions)


class BackgroundAssessor:
    """Assessor with a background: the calibrated combination that includes a model of names in
    other projects. A pickle holds only the name of the background, not its contents."""

    def __init__(self, background: str) -> None:
        self._background = background
        self._model = _combined(background)

    def learn(self, facts: Sequence[Facts]) -> None:
        self._model.learn(facts)

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        return self._model.assess(facts)

    def suggest(self, facts: Facts, limit: int) -> NameSuggestions:
        return suggest_names(facts, self._model.background, self._model.conventions, limit)

    def __getstate__(self) -> dict[str, Any]:
        return {"background": self._background, "conventions": self._model.conventions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["background"])  # type: ignore[misc]
        self._model.conventions = state["conventions"]


def _combined(background: str) -> Combined:
    from codeacumen.models.method_naming.background import read_background, shipped
    from codeacumen.models.method_naming.combined import Combined

    return Combined(read_background(Path(background)) if background else shipped())


def probable(evidence: Sequence[Evidence], prior: float = PRIOR) -> float:
    """Return the probability that a name is wrong; ``prior`` is its log-odds without evidence."""
    return logistic(prior + math.fsum(one.weight for one in evidence))


def logistic(odds: float) -> float:
    """Return the probability for these log-odds.

    >>> logistic(0.0), round(logistic(2.0), 3), logistic(-1e9)
    (0.5, 0.881, 0.0)
    """
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def without(verdict: Verdict, rules: Sequence[str]) -> Verdict:
    """Return the verdict without the evidence of some rules; ``*`` stands for all rules."""
    gone = [one for one in verdict.evidence if one.rule in rules or "*" in rules]
    if not gone:
        return verdict
    share = min(max(verdict.wrong, 1e-12), 1 - 1e-12)
    odds = math.log(share / (1 - share)) - math.fsum(one.weight for one in gone)
    left = tuple(one for one in verdict.evidence if one not in gone)
    # Without any reason left, the prior alone must not make a finding.
    wrong = logistic(odds) if any(one.weight > 0 for one in left) else 0.0
    return Verdict(wrong, left, verdict.suggestions)


def assessor(background: str) -> Assessor:
    """Return a model that has not learned from the project yet.

    ``background`` is a file, ``none``, or empty for the one that the package ships, if any.
    """
    if background == NO_BACKGROUND or (not background and not _is_shipped()):
        return RuleAssessor()
    return BackgroundAssessor(background)


def _is_shipped() -> bool:
    return files("codeacumen.models.method_naming").joinpath("data", "background.npz").is_file()


def background_key(background: str) -> str:
    """Return a key for stored models: the hash of the background's file, whatever its path."""
    if background in ("", NO_BACKGROUND):
        return background
    try:
        return sha256_of(Path(background))
    except OSError as error:
        raise CodeacumenError(
            f"{background}: {error.strerror or error}",
            "research/naming_background in the repository trains one",
        ) from error
