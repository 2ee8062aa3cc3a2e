"""The probability that a name is wrong, from all signals combined, and better names.

A logistic regression, trained on right and wrong names, weighs the signals; its weights are in the
background's file (module ``background`` defines columns and families of verbs). The prior of a
model replaces the share of wrong names in the training data, because in real code few names are
wrong. The checker and the models in ``model`` call this module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import CodeacumenError
from codeacumen.models.method_naming.antipatterns import find_antipatterns
from codeacumen.models.method_naming.background import (
    ALWAYS,
    FAMILY_OF,
    OPPOSED,
    OTHERS,
    PROMISES,
    Background,
)
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts, is_named_freely
from codeacumen.models.method_naming.shapes import join_camel_case
from codeacumen.models.method_naming.traits import COLLECTIONS, simple_owner, split_words
from codeacumen.models.method_naming.verdict import Evidence, Suggestion, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Points of the hinge functions max(0, doubt - point), which make a small doubt count nothing. A
# doubt is in log-odds, at most ``_MAX_DOUBT``.
HINGE_POINTS = (1.0, 3.0, 5.0)
_MAX_DOUBT = 10.0
# The convention verb-of-shape counts only if the background doubts the verb more than this, or does
# not know the verb: a project's habit alone is weak evidence.
_VERB_OF_SHAPE, _MIN_DOUBT = "verb-of-shape", 1.0
# Minimum log-probability of the opposed family. If no other family is likely, the method does
# something else than any family promises, and its verb is not doubted.
_MIN_LOG_PROBABILITY = math.log(0.1)
# Families that promise a result. A void method breaks this promise even if no other family is
# likely.
_FAMILIES_WITH_RESULT = frozenset(("get", "ask"))
# Maximum number of suggestions for a name, and the minimum probability of each.
_MAX_SUGGESTIONS, _MIN_PROBABILITY = 3, 0.05
# Share of wrong names among the names with evidence against them, from our reading of three
# libraries (docs/naming-models.md). Names without evidence get no verdict.
SHARE_WRONG = 0.235
# Names of the signals of the background, which together form one reason of a verdict.
_VERB_SIGNALS = tuple(f"verb above {bend:g}" for bend in HINGE_POINTS)
# Minimum weight of a reported reason, in log-odds.
_MIN_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Signals:
    """Signals for and against a method's name.

    ``values`` are the signals by name (``rule ID``, ``verb above POINT``), ``evidence`` is the
    findings of rules and conventions. ``log_probs`` are the log-probabilities of all columns of the
    background, ``own_column`` is the column of the name's first word. ``families`` are two families
    of verbs with their log-probabilities: the verb's own, then the likeliest opposed one; empty if
    the verb is not doubted.
    """

    values: Mapping[str, float]
    evidence: tuple[Evidence, ...]
    own_column: int
    log_probs: NDArray[np.float32]
    families: tuple[tuple[str, float], ...]


def compute_signals(
    methods: Sequence[Facts], background: Background, conventions: Conventions
) -> list[Signals]:
    """Return the signals for and against each method's name.

    Rules and conventions contribute their weight if they have a finding. The background contributes
    its doubt of the verb's family in log-odds, the minimum of two differences: how much likelier an
    opposed family is for this method, and how much less likely this family is than on average.
    """
    rows = background.compute_log_probabilities(methods)
    return [
        _compute_method_signals(facts, row, background, conventions)
        for facts, row in zip(methods, rows, strict=True)
    ]


def _compute_method_signals(
    facts: Facts, log_probs: NDArray[np.float32], background: Background, conventions: Conventions
) -> Signals:
    own_column = background.find_column(facts, facts.name)
    doubt, families = _compute_doubt(facts, own_column, log_probs, background)
    # The last column is that of first words that are no verb and occur nowhere in the method.
    is_unknown = own_column == len(log_probs) - 1
    evidence = tuple(
        reason
        for reason in (*find_antipatterns(facts), *conventions.collect_evidence(facts))
        if reason.rule != _VERB_OF_SHAPE or doubt > _MIN_DOUBT or is_unknown
    )
    values = {f"rule {reason.rule}": reason.weight for reason in evidence}
    values |= {f"verb above {hinge:g}": max(0.0, doubt - hinge) for hinge in HINGE_POINTS}
    return Signals(values, evidence, own_column, log_probs, families)


def _compute_doubt(
    facts: Facts, own_column: int, log_probs: NDArray[np.float32], background: Background
) -> tuple[float, tuple[tuple[str, float], ...]]:
    """Return the doubt of the verb, 0 if there is none, and ``Signals.families``."""
    family = FAMILY_OF.get(background.get_title(own_column), "")
    if not family:
        return 0.0, ()
    # A method with parameters may do something with them and return whether it succeeded.
    opposed = OPPOSED[family] - ({"ask"} if facts.parameters else set())
    family_log_probs = {
        candidate: float(np.logaddexp.reduce(log_probs[background.list_columns(candidate)]))
        for candidate in (family, *sorted(opposed))
    }
    best = max(
        (candidate for candidate in family_log_probs if candidate != family),
        key=lambda candidate: family_log_probs[candidate],
    )
    usual_log_prob = float(np.logaddexp.reduce(background.shares[background.list_columns(family)]))
    breaks_promise = family in _FAMILIES_WITH_RESULT and facts.returned == "void"
    if family_log_probs[best] < _MIN_LOG_PROBABILITY and not breaks_promise:
        return 0.0, ()
    doubt = min(
        family_log_probs[best] - family_log_probs[family],
        usual_log_prob - family_log_probs[family],
        _MAX_DOUBT,
    )
    return max(0.0, doubt), ((family, family_log_probs[family]), (best, family_log_probs[best]))


def find_far_words(facts: Facts) -> list[str]:
    """Return the words of the name, after the first, that occur neither in the method nor in its
    owner's name."""
    near = set(split_words(facts.returned)) | set(split_words(simple_owner(facts)))
    for type_, name in facts.parameters:
        near.update(split_words(type_), split_words(name))
    for name in (*facts.identifiers, *facts.created):
        near.update(split_words(name))
    return [word for word in split_words(facts.name)[1:] if word not in near]


def build_feature_row(facts: Facts, method_signals: Signals, background: Background) -> list[float]:
    """Return a row of features of a name, on which ``naming-taught`` trains its regression.

    The first five are the log-probability of the own column, its distance from that of the
    likeliest column, the latter's log-probability, the number of likelier columns, and the entropy.
    """
    log_probs = method_signals.log_probs
    probabilities = np.exp(log_probs)
    name_words, column_count = split_words(facts.name), len(log_probs)
    body = {word for name in facts.identifiers for word in split_words(name)}
    returned = set(split_words(facts.returned))
    rest = name_words[1:]
    row = [
        log_probs[method_signals.own_column],
        log_probs.max() - log_probs[method_signals.own_column],
        log_probs.max(),
        float((log_probs > log_probs[method_signals.own_column]).sum()),
        -float((probabilities * log_probs).sum()),
        float(background.shares[method_signals.own_column]),
        float(np.log1p(background.names.get(facts.name, 0))),
        float(len(find_far_words(facts))),
        float(len(name_words)),
        # The last four columns are those of OTHERS.
        *(float(method_signals.own_column == column_count - offset) for offset in (4, 3, 2, 1)),
        float(name_words[:1] == ("get",)),
        float(name_words[:1] == ("is",)),
        float(name_words[:1] == ("set",)),
        float(bool(name_words) and name_words[0] in body),
        float(len(facts.name)),
        sum(word in body for word in rest) / max(1, len(rest)),
        sum(word in returned for word in rest) / max(1, len(rest)),
        float(len(returned - set(name_words))),
        float(np.log1p(facts.statements)),
        float(len(facts.parameters)),
        float(any(split_words(name) == name_words for _, name, _ in facts.calls)),
        float(sum(reason.weight for reason in method_signals.evidence)),
    ]
    return [float(value) for value in row]


def suggest_better_names(
    facts: Facts, method_signals: Signals, background: Background, conventions: Conventions
) -> tuple[Suggestion, ...]:
    """Return distinct better names, the likeliest first, without the method's own name."""
    best: dict[str, float] = {}
    for suggestion in conventions.suggest_names(facts):
        best[suggestion.name] = max(suggestion.confidence, best.get(suggestion.name, 0.0))
    for name, confidence in suggest_other_verbs(facts, method_signals, background):
        best[name] = max(confidence, best.get(name, 0.0))
    best.pop(facts.name, None)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Suggestion(name, round(score, 3))
        for name, score in ranked[:_MAX_SUGGESTIONS]
        if score >= _MIN_PROBABILITY
    )


def suggest_other_verbs(
    facts: Facts, method_signals: Signals, background: Background
) -> list[tuple[str, float]]:
    """Return names with other verbs in place of the own one, with the verbs' probabilities."""
    suggestions = []
    # One more, because the own verb may be among them.
    for column in (-method_signals.log_probs).argsort()[: _MAX_SUGGESTIONS + 1].tolist():
        probability = math.exp(float(method_signals.log_probs[column]))
        if column == method_signals.own_column or probability < _MIN_PROBABILITY:
            continue
        name = change_verb(facts, column, background)
        if name:
            suggestions.append((name, probability))
    return suggestions


def change_verb(facts: Facts, column: int, background: Background) -> str:
    """Return the method's name with the verb of a column of the background in front.

    For the column of returned variables, return the name of the first one. Return an empty string
    if the column is no verb and there is no such variable.
    """
    title = background.get_title(column)
    if title == OTHERS[0] and facts.returned_names:
        return facts.returned_names[0]
    if title in OTHERS:
        return ""
    return join_camel_case((title, *_drop_verb(title, find_name_topic(facts, background))))


def _drop_verb(verb: str, topic_words: list[str]) -> list[str]:
    """Return the words without the verb at the start of the first: ``x`` of ``getx``."""
    if topic_words and topic_words[0].startswith(verb):
        return [word for word in (topic_words[0].removeprefix(verb), *topic_words[1:]) if word]
    return topic_words


def propose_name(facts: Facts, log_probs: NDArray[np.float32], background: Background) -> str:
    """Return a name for a method without one: the likeliest verb, then the topic of the body."""
    title = background.get_title(int(log_probs.argmax()))
    topic_words = _find_body_topic(facts)
    if title in OTHERS:
        return join_camel_case(tuple(topic_words) or ("run",))
    return join_camel_case((title, *(word for word in topic_words if word != title)))


def _find_body_topic(facts: Facts) -> list[str]:
    """Return the words of what the body stores, returns, creates or calls, in this order of
    preference."""
    for name in (
        *(field for _, field in facts.stored[:1]),
        *facts.returned_names[:1],
        *([facts.returned] if facts.returned in facts.created else []),
    ):
        return list(split_words(name))
    if len(facts.calls) == 1:
        # The words after the called method's verb, or else those of the receiver.
        return list(split_words(facts.calls[0][1]))[1:] or list(split_words(facts.calls[0][0]))
    returned = facts.returned
    is_telling = returned[:1].isupper() and returned not in COLLECTIONS and returned != "String"
    return list(split_words(returned)) if is_telling else []


def find_name_topic(facts: Facts, background: Background) -> list[str]:
    """Return the words of the name without a leading verb, or else of what the body stores or
    returns."""
    name_words = list(split_words(facts.name))
    if name_words and name_words[0] in background.verbs:
        name_words = name_words[1:]
    if name_words:
        return name_words
    if facts.stored:
        return list(split_words(facts.stored[0][1]))
    if len(facts.returned_names) == 1:
        return list(split_words(facts.returned_names[0]))
    return []


class CombinedNamingModel:
    """Judge of names that combines a project's conventions, the rules and a background.

    ``prior`` is the expected share of wrong names. Callers pass the project's methods to
    ``learn_methods`` first; without them there are no conventions.
    """

    def __init__(self, background: Background, prior: float = SHARE_WRONG) -> None:
        if not background.combination:
            raise CodeacumenError(
                "this background has no weights of the signals",
                "learn it from several projects: the weights come from one held-out project in "
                "seven",
            )
        self.background = background
        self.weights: Mapping[str, float] = background.combination
        self.prior = math.log(prior / (1 - prior))
        self.conventions = Conventions()

    def learn_methods(self, facts: Sequence[Facts]) -> None:
        """Learn the conventions of a project from its methods."""
        self.conventions.learn_methods(list(facts))

    def assess_methods(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        """Return a verdict on each method.

        The verdict is None if the author did not choose the name, or if there is no evidence
        against the name.
        """
        freely_named = [method_facts for method_facts in facts if is_named_freely(method_facts)]
        signals_iterator = iter(compute_signals(freely_named, self.background, self.conventions))
        return [
            self._build_verdict(method_facts, next(signals_iterator))
            if is_named_freely(method_facts)
            else None
            for method_facts in facts
        ]

    def compute_log_odds(self, method_signals: Signals) -> float:
        """Return the log-odds that the name is wrong."""
        weighted = (
            self.weights.get(name, 0.0) * value for name, value in method_signals.values.items()
        )
        return self.prior + self.weights.get(ALWAYS, 0.0) + math.fsum(weighted)

    def compute_fitness(self, method_signals: Signals) -> float:
        """Return the probability that the name is right."""
        return 1 / (1 + math.exp(max(-30.0, min(30.0, self.compute_log_odds(method_signals)))))

    def _build_verdict(self, facts: Facts, method_signals: Signals) -> Verdict | None:
        evidence = self._weigh_evidence(facts, method_signals)
        if not any(reason.weight > 0 for reason in evidence):
            return None
        suggestions = suggest_better_names(facts, method_signals, self.background, self.conventions)
        return Verdict(1 - self.compute_fitness(method_signals), tuple(evidence), suggestions)

    def _weigh_evidence(self, facts: Facts, method_signals: Signals) -> list[Evidence]:
        """Return the reasons of sufficient weight, the weightiest first."""
        reasons = [
            Evidence(reason.kind, reason.rule, reason.text, weight, reason.examples)
            for reason in method_signals.evidence
            if (weight := self.weights.get(f"rule {reason.rule}", 0.0) * reason.weight)
            > _MIN_WEIGHT
        ]
        weight = sum(
            self.weights.get(name, 0.0) * method_signals.values[name] for name in _VERB_SIGNALS
        )
        if weight > _MIN_WEIGHT:
            reasons.append(
                Evidence("background", "verb", self._explain_verb(facts, method_signals), weight)
            )
        return sorted(reasons, key=lambda reason: -reason.weight)

    def _explain_verb(self, facts: Facts, method_signals: Signals) -> str:
        (own_family, own_log_prob), (best_family, best_log_prob) = method_signals.families
        because = ", ".join(self.background.explain_families(facts, best_family, own_family))
        reason = f": {because}" if because else ""
        return (
            f"in other projects, {100 * math.exp(best_log_prob):.0f} % of such methods "
            f"{PROMISES[best_family]}, "
            f"{100 * math.exp(own_log_prob):.1f} % {PROMISES[own_family]}{reason}"
        )
