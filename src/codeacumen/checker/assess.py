"""Who judges the names: a model that has learned from a project, behind a small interface."""

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
# So that one strong rule is enough to speak, and one weak rule is not. The combination with a
# background is measured; this is not.
PRIOR = -1.5
SUGGESTIONS = 3


class Assessor(Protocol):
    """It can be pickled: what it has learned is kept.

    A method must not vouch for itself: it is learned from before it is judged, so what was learned
    from a method of the same path, owner, name and parameters says nothing about it.
    """

    def learn(self, facts: Sequence[Facts]) -> None:
        """From the methods of a project's files. May be called again, with more files."""
        ...

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        """A verdict on each, or None where there is too little to go by. All methods of a file are
        handed over together, in order, so that what stands beside a method is there."""
        ...

    def suggest(self, facts: Facts, limit: int) -> NameSuggestions:
        """Return names for a method, best first, whether or not its own is right."""
        ...


class RuleAssessor:
    """Antipatterns and conventions, their weights added to the prior's log-odds: what there is
    without a background."""

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
    """The calibrated combination, with what is known of other projects. Of that only the name is
    kept when it is pickled."""

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
    return logistic(prior + math.fsum(one.weight for one in evidence))


def logistic(odds: float) -> float:
    """
    >>> logistic(0.0), round(logistic(2.0), 3), logistic(-1e9)
    (0.5, 0.881, 0.0)
    """
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def without(verdict: Verdict, rules: Sequence[str]) -> Verdict:
    """The verdict if some rules did not exist; ``*`` is all of them."""
    gone = [one for one in verdict.evidence if one.rule in rules or "*" in rules]
    if not gone:
        return verdict
    share = min(max(verdict.wrong, 1e-12), 1 - 1e-12)
    odds = math.log(share / (1 - share)) - math.fsum(one.weight for one in gone)
    left = tuple(one for one in verdict.evidence if one not in gone)
    # What was wrong for a reason that does not count is not wrong for none.
    wrong = logistic(odds) if any(one.weight > 0 for one in left) else 0.0
    return Verdict(wrong, left, verdict.suggestions)


def assessor(background: str) -> Assessor:
    """A model that has learned nothing of the project yet. The background is a file, ``none``, or
    empty for the one of the package, where there is one."""
    if background == NO_BACKGROUND or (not background and not _is_shipped()):
        return RuleAssessor()
    return BackgroundAssessor(background)


def _is_shipped() -> bool:
    return files("codeacumen.models.method_naming").joinpath("data", "background.npz").is_file()


def background_key(background: str) -> str:
    """What tells one background from another, whatever it is called."""
    if background in ("", NO_BACKGROUND):
        return background
    try:
        return sha256_of(Path(background))
    except OSError as error:
        raise CodeacumenError(
            f"{background}: {error.strerror or error}",
            "research/naming_background of the repository makes one",
        ) from error
