"""Weigh the signals: logistic regression of right names against wrong names.

The right name is that of a method of a held-out project. The wrong name has another verb: that of a
method of the same project with the same shape (kind of return type, parameters), so it is plausible
until the body is read. There are as many right as wrong names, so the weights do not depend on how
many names are wrong in practice.

A Gaussian prior pulls the weights of rules towards 1, their own estimate. A rule that hardly ever
applies keeps that estimate, and no rule gets less than half of it: where the background agrees with
a rule, the rule is the better explanation. A signal against a name cannot become a signal for it.

The projects are not those of the regression, which has memorized its own projects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.models.method_naming import antipatterns, conventions
from codeacumen.models.method_naming.background import ALWAYS, TEMPERATURE, Background
from codeacumen.models.method_naming.combined import Signals, compute_signals
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.shapes import join_camel_case
from codeacumen.models.method_naming.traits import describe_shape, split_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Most methods of a project, so that a large project does not dominate.
MOST_METHODS = 4000
DIGITS = 4
# Standard deviations of the prior: around 1 for rules, around 0 for all other signals.
_RULE_DEVIATION, _OTHER_DEVIATION = 0.5, 10.0
_LEAST_RULE_WEIGHT = 0.5


def weigh_signals(
    projects: Mapping[str, Sequence[Facts]],
    background: Background,
    seed: int,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> dict[str, float]:
    """Return the weight of each signal that occurs, and of ``ALWAYS``, in log-odds."""
    background.combination[TEMPERATURE] = _fit_temperature(projects, background)
    signal_rows: list[Signals] = []
    labels: list[int] = []
    for done, (name, methods) in enumerate(sorted(projects.items())):
        step("weighing", done, len(projects))
        right, wrong = _sample_names(methods, np.random.default_rng([seed, *name.encode()]))
        if not right:
            continue
        project_conventions = Conventions()
        project_conventions.learn_methods(list(methods))
        for label, named_methods in enumerate((right, wrong)):
            method_signals = compute_signals(named_methods, background, project_conventions)
            signal_rows += method_signals
            labels += [label] * len(method_signals)
    if not signal_rows:
        return {}
    weights = _fit_weights(signal_rows, np.array(labels, float))
    return {TEMPERATURE: background.temperature, **weights}


def _fit_temperature(projects: Mapping[str, Sequence[Facts]], background: Background) -> float:
    """Return the temperature that maximizes the likelihood of the methods' own verbs."""
    from scipy.optimize import minimize_scalar

    methods = [
        method
        for _, project_methods in sorted(projects.items())
        for method in project_methods[:MOST_METHODS]
    ]
    log_probabilities = background.compute_log_probabilities(methods)
    own_log_probabilities = log_probabilities[
        np.arange(len(methods)), [background.find_column(method, method.name) for method in methods]
    ]

    def compute_loss(temperature: float) -> float:
        return float(
            (
                np.logaddexp.reduce(log_probabilities / temperature, axis=1)
                - own_log_probabilities / temperature
            ).sum()
        )

    return round(float(minimize_scalar(compute_loss, bounds=(1, 10), method="bounded").x), 2)


def _sample_names(
    methods: Sequence[Facts], rng: np.random.Generator
) -> tuple[list[Facts], list[Facts]]:
    """Return sampled methods with their own names, and the same methods with another verb."""
    by_shape: dict[str, list[str]] = {}
    for facts in methods:
        by_shape.setdefault(describe_shape(facts), []).append(facts.name)
    sampled = rng.permutation(len(methods))[:MOST_METHODS]
    right, wrong = [], []
    for method_number in sorted(sampled.tolist()):
        facts = methods[method_number]
        names = by_shape[describe_shape(facts)]
        own_verb, *rest = split_words(facts.name) or ("",)
        sampled_verbs = [
            split_words(names[index])[:1] for index in rng.integers(len(names), size=8).tolist()
        ]
        other_verb = next((verb for verb in sampled_verbs if verb and verb != (own_verb,)), None)
        if other_verb is not None:
            right.append(facts)
            wrong.append(facts.with_name(join_camel_case((*other_verb, *rest))))
    return right, wrong


def guess_rule_weights() -> dict[str, float]:
    """Return the prior mean of each rule's weight."""
    rules = [*(rule.id for rule in antipatterns.RULES), *conventions.RULES]
    return dict.fromkeys((f"rule {name}" for name in rules), 1.0)


def _fit_weights(signal_rows: Sequence[Signals], labels: NDArray[np.float64]) -> dict[str, float]:
    from scipy.optimize import minimize
    from scipy.special import expit
    from sklearn.feature_extraction import DictVectorizer

    guesses = guess_rule_weights()
    vectorizer = DictVectorizer()
    # Every rule has a column, also a rule that never applies here.
    rows = [method_signals.values for method_signals in signal_rows]
    vectorizer.fit([dict.fromkeys([*guesses, ALWAYS], 1.0), *rows])
    inputs = vectorizer.transform([{ALWAYS: 1.0, **row} for row in rows])
    names = vectorizer.get_feature_names_out().tolist()
    expected = np.array([guesses.get(name, 0.0) for name in names])
    deviation = np.array(
        [_RULE_DEVIATION if name in guesses else _OTHER_DEVIATION for name in names]
    )

    def compute_loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_odds = inputs @ weights
        distance = (weights - expected) / deviation
        value = float(
            np.logaddexp(0, log_odds).sum() - labels @ log_odds + 0.5 * (distance**2).sum()
        )
        return value, inputs.T @ (expit(log_odds) - labels) + distance / deviation

    bounds = [
        (None if name == ALWAYS else _LEAST_RULE_WEIGHT if name in guesses else 0.0, None)
        for name in names
    ]
    optimum = minimize(
        compute_loss, np.maximum(expected, 0), jac=True, method="L-BFGS-B", bounds=bounds
    )
    return dict(zip(names, np.round(optimum.x, DIGITS).tolist(), strict=True))
