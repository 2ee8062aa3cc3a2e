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
MOST = 4000
DIGITS = 4
# Standard deviations of the prior: around 1 for rules, around 0 for all other signals.
_NEAR, _ANYWHERE = 0.5, 10.0
_LEAST = 0.5


def weigh(
    projects: Mapping[str, Sequence[Facts]],
    background: Background,
    seed: int,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> dict[str, float]:
    """Return the weight of each signal that occurs, and of ``ALWAYS``, in log-odds."""
    background.combination[TEMPERATURE] = _temperature(projects, background)
    seen: list[Signals] = []
    labels: list[int] = []
    for done, (name, methods) in enumerate(sorted(projects.items())):
        step("weighing", done, len(projects))
        right, wrong = _drawn(methods, np.random.default_rng([seed, *name.encode()]))
        if not right:
            continue
        ways = Conventions()
        ways.learn_methods(list(methods))
        for label, asked in enumerate((right, wrong)):
            found = compute_signals(asked, background, ways)
            seen += found
            labels += [label] * len(found)
    if not seen:
        return {}
    weights = _fitted(seen, np.array(labels, float))
    return {TEMPERATURE: background.temperature, **weights}


def _temperature(projects: Mapping[str, Sequence[Facts]], background: Background) -> float:
    """Return the temperature that maximizes the likelihood of the methods' own verbs."""
    from scipy.optimize import minimize_scalar

    methods = [one for _, every in sorted(projects.items()) for one in every[:MOST]]
    odds = background.compute_log_probabilities(methods)
    own = odds[np.arange(len(methods)), [background.find_column(one, one.name) for one in methods]]

    def loss(temperature: float) -> float:
        return float((np.logaddexp.reduce(odds / temperature, axis=1) - own / temperature).sum())

    return round(float(minimize_scalar(loss, bounds=(1, 10), method="bounded").x), 2)


def _drawn(methods: Sequence[Facts], draw: np.random.Generator) -> tuple[list[Facts], list[Facts]]:
    """Return sampled methods with their own names, and the same methods with another verb."""
    by_shape: dict[str, list[str]] = {}
    for facts in methods:
        by_shape.setdefault(describe_shape(facts), []).append(facts.name)
    chosen = draw.permutation(len(methods))[:MOST]
    right, wrong = [], []
    for place in sorted(chosen.tolist()):
        facts = methods[place]
        names = by_shape[describe_shape(facts)]
        first, *rest = split_words(facts.name) or ("",)
        tried = [split_words(names[one])[:1] for one in draw.integers(len(names), size=8).tolist()]
        other = next((verb for verb in tried if verb and verb != (first,)), None)
        if other is not None:
            right.append(facts)
            wrong.append(facts.named(join_camel_case((*other, *rest))))
    return right, wrong


def first_guesses() -> dict[str, float]:
    """Return the prior mean of each rule's weight."""
    rules = [*(one.id for one in antipatterns.RULES), *conventions.RULES]
    return dict.fromkeys((f"rule {name}" for name in rules), 1.0)


def _fitted(seen: Sequence[Signals], labels: NDArray[np.float64]) -> dict[str, float]:
    from scipy.optimize import minimize
    from scipy.special import expit
    from sklearn.feature_extraction import DictVectorizer

    guesses = first_guesses()
    vectorizer = DictVectorizer()
    # Every rule has a column, also a rule that never applies here.
    rows = [one.values for one in seen]
    vectorizer.fit([dict.fromkeys([*guesses, ALWAYS], 1.0), *rows])
    inputs = vectorizer.transform([{ALWAYS: 1.0, **one} for one in rows])
    names = vectorizer.get_feature_names_out().tolist()
    centre = np.array([guesses.get(name, 0.0) for name in names])
    width = np.array([_NEAR if name in guesses else _ANYWHERE for name in names])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = inputs @ weights
        away = (weights - centre) / width
        value = float(np.logaddexp(0, odds).sum() - labels @ odds + 0.5 * (away**2).sum())
        return value, inputs.T @ (expit(odds) - labels) + away / width

    bounds = [
        (None if name == ALWAYS else _LEAST if name in guesses else 0.0, None) for name in names
    ]
    found = minimize(loss, np.maximum(centre, 0), jac=True, method="L-BFGS-B", bounds=bounds)
    return dict(zip(names, np.round(found.x, DIGITS).tolist(), strict=True))
