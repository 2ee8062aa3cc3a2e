"""Models that judge method names after learning from a project, behind a small interface.

``checker.check`` and ``checker.calibrate`` create one with ``create_assessor``. The background of a
model is what it learned from other projects; it is trained once and loaded from a file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.models.method_naming.antipatterns import find_antipatterns
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.suggestions import NameSuggestions, suggest_names
from codeacumen.models.method_naming.verdict import Evidence, Verdict

if TYPE_CHECKING:
    from codeacumen.models.method_naming.combined import CombinedNamingModel

NO_BACKGROUND = "none"
# Log-odds without evidence: one strong rule is enough for a finding, one weak rule is not. This
# value is a choice; the model with a background is calibrated on data instead.
PRIOR = -1.5
# Number of names that a verdict suggests.
SUGGESTIONS = 3


class Assessor(Protocol):
    """A model that judges method names. It can be pickled with what it has learned.

    A method must not vouch for itself. The model learns from a method before it judges it, so it
    must ignore what it learned from a method of the same path, owner, name and parameters.
    """

    def learn_methods(self, facts: Sequence[Facts]) -> None:
        """Learn from the methods of a project's files. A caller may add more files later."""
        ...

    def assess_methods(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        """Return a verdict on each method, or None where there is too little to judge by.

        The caller passes all methods of a file together, in order: a model may compare a method
        with its siblings.
        """
        ...

    def suggest_names(self, facts: Facts, limit: int) -> NameSuggestions:
        """Return names for a method, best first, whether or not its own is right."""
        ...


class RuleAssessor:
    """Assessor without a background: adds the weights of antipatterns and conventions to the
    prior's log-odds."""

    def __init__(self) -> None:
        self._conventions = Conventions()

    def learn_methods(self, facts: Sequence[Facts]) -> None:
        self._conventions.learn_methods(facts)

    def assess_methods(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        return [self._judge_method(method_facts) for method_facts in facts]

    def suggest_names(self, facts: Facts, limit: int) -> NameSuggestions:
        return suggest_names(facts, None, self._conventions, limit)

    def _judge_method(self, facts: Facts) -> Verdict | None:
        evidence = [*find_antipatterns(facts), *self._conventions.collect_evidence(facts)]
        if not any(reason.weight > 0 for reason in evidence):
            return None
        suggestions = tuple(self._conventions.suggest_names(facts)[:SUGGESTIONS])
        return Verdict(compute_probability(evidence), tuple(evidence), suggestions)


class BackgroundAssessor:
    """Assessor with a background: the calibrated combination that includes a model of names in
    other projects. A pickle holds what the model learned and the path of the background, not its
    contents. ``background`` is a file, or empty for the one that the package ships."""

    def __init__(self, background: str) -> None:
        self._background = background
        self._model = _load_combined_model(background)

    def learn_methods(self, facts: Sequence[Facts]) -> None:
        self._model.learn_methods(facts)

    def assess_methods(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        return self._model.assess_methods(facts)

    def suggest_names(self, facts: Facts, limit: int) -> NameSuggestions:
        return suggest_names(facts, self._model.background, self._model.conventions, limit)

    def __getstate__(self) -> dict[str, Any]:
        return {"background": self._background, "conventions": self._model.conventions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["background"])  # type: ignore[misc]
        self._model.conventions = state["conventions"]


def _load_combined_model(background: str) -> CombinedNamingModel:
    from codeacumen.models.method_naming.background import load_shipped_background, read_background
    from codeacumen.models.method_naming.combined import CombinedNamingModel

    return CombinedNamingModel(
        read_background(Path(background)) if background else load_shipped_background()
    )


def compute_probability(evidence: Sequence[Evidence]) -> float:
    """Return the probability that a name is wrong; ``PRIOR`` is its log-odds without evidence."""
    return logistic(PRIOR + math.fsum(reason.weight for reason in evidence))


def logistic(odds: float) -> float:
    """Return the probability for these log-odds.

    >>> logistic(0.0), round(logistic(2.0), 3), logistic(-1e9)
    (0.5, 0.881, 0.0)
    """
    # ``math.exp`` overflows for arguments above about 709.
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def exclude_rules(verdict: Verdict, rules: Sequence[str]) -> Verdict:
    """Return the verdict without the evidence of some rules; ``*`` stands for all rules.

    The weights of the excluded evidence are subtracted from the log-odds of the probability. If
    that leaves no evidence against the name, the probability is 0.
    """
    excluded = [reason for reason in verdict.evidence if reason.rule in rules or "*" in rules]
    if not excluded:
        return verdict
    probability = min(max(verdict.wrong, 1e-12), 1 - 1e-12)
    odds = math.log(probability / (1 - probability)) - math.fsum(
        reason.weight for reason in excluded
    )
    remaining = tuple(reason for reason in verdict.evidence if reason not in excluded)
    # Without any reason left, the prior alone must not make a finding.
    wrong = logistic(odds) if any(reason.weight > 0 for reason in remaining) else 0.0
    return Verdict(wrong, remaining, verdict.suggestions)


def create_assessor(background: str) -> Assessor:
    """Return a model that has not learned from the project yet.

    ``background`` is a file, ``none``, or empty for the one that the package ships, if any.
    """
    if background == NO_BACKGROUND or (not background and not _is_shipped()):
        return RuleAssessor()
    return BackgroundAssessor(background)


def _is_shipped() -> bool:
    return files("codeacumen.models.method_naming").joinpath("data", "background.npz").is_file()


def hash_background(background: str) -> str:
    """Return a key for stored models: the hash of the background's file, whatever its path.

    For no background and for the shipped one, it is the setting itself (``none`` or empty).
    """
    if background in ("", NO_BACKGROUND):
        return background
    try:
        return sha256_of(Path(background))
    except OSError as error:
        raise CodeacumenError(
            f"{background}: {error.strerror or error}",
            "research/naming_background in the repository trains one",
        ) from error
