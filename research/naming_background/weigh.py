"""What each signal is worth: right names against wrong ones.

Right is the name that a method of a kept project has. Wrong is the same name with another verb:
that of a method of its project that looks alike from outside (sort of return type, parameters), so
it is plausible until the body is read. Half and half, so that nothing is said about how many names
are wrong.

Logistic regression, drawn towards a first guess: that rules are worth what they think. One that
hardly ever holds here keeps that, and none is worth less than half of it: where the background says
the same, the rule is still the better reason. Nothing that speaks against a name can come to speak
for it.

The projects are others than those of which the background was learned: it knows those too well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.models.method_naming import antipatterns, conventions
from codeacumen.models.method_naming.background import ALWAYS, TEMPERATURE, Background
from codeacumen.models.method_naming.combined import Signals, signals
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.shapes import joined
from codeacumen.models.method_naming.traits import shape, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Methods of a project at most: a large one should not decide alone.
MOST = 4000
DIGITS = 4
# How far from the first guess a weight may be expected to be; of the background there is none.
_NEAR, _ANYWHERE = 0.5, 10.0
_LEAST = 0.5


def weigh(
    projects: Mapping[str, Sequence[Facts]],
    background: Background,
    seed: int,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> dict[str, float]:
    """The weight of each signal that occurs, and of ``ALWAYS``, in log-odds."""
    background.combination[TEMPERATURE] = _temperature(projects, background)
    seen: list[Signals] = []
    labels: list[int] = []
    for done, (name, methods) in enumerate(sorted(projects.items())):
        step("weighing", done, len(projects))
        right, wrong = _drawn(methods, np.random.default_rng([seed, *name.encode()]))
        if not right:
            continue
        ways = Conventions()
        ways.learn(list(methods))
        for label, asked in enumerate((right, wrong)):
            found = signals(asked, background, ways)
            seen += found
            labels += [label] * len(found)
    if not seen:
        return {}
    weights = _fitted(seen, np.array(labels, float))
    return {TEMPERATURE: background.temperature, **weights}


def _temperature(projects: Mapping[str, Sequence[Facts]], background: Background) -> float:
    """That at which the methods' own verbs are likeliest."""
    from scipy.optimize import minimize_scalar

    methods = [one for _, every in sorted(projects.items()) for one in every[:MOST]]
    odds = background.log_probabilities(methods)
    own = odds[np.arange(len(methods)), [background.place(one, one.name) for one in methods]]

    def loss(temperature: float) -> float:
        return float((np.logaddexp.reduce(odds / temperature, axis=1) - own / temperature).sum())

    return round(float(minimize_scalar(loss, bounds=(1, 10), method="bounded").x), 2)


def _drawn(methods: Sequence[Facts], draw: np.random.Generator) -> tuple[list[Facts], list[Facts]]:
    """Methods as they are, and the same with others' verbs."""
    by_shape: dict[str, list[str]] = {}
    for facts in methods:
        by_shape.setdefault(shape(facts), []).append(facts.name)
    chosen = draw.permutation(len(methods))[:MOST]
    right, wrong = [], []
    for place in sorted(chosen.tolist()):
        facts = methods[place]
        names = by_shape[shape(facts)]
        first, *rest = words(facts.name) or ("",)
        tried = [words(names[one])[:1] for one in draw.integers(len(names), size=8).tolist()]
        other = next((verb for verb in tried if verb and verb != (first,)), None)
        if other is not None:
            right.append(facts)
            wrong.append(facts.named(joined((*other, *rest))))
    return right, wrong


def first_guesses() -> dict[str, float]:
    """That each rule is worth what it thinks."""
    rules = [*(one.id for one in antipatterns.RULES), *conventions.RULES]
    return dict.fromkeys((f"rule {name}" for name in rules), 1.0)


def _fitted(seen: Sequence[Signals], labels: NDArray[np.float64]) -> dict[str, float]:
    from scipy.optimize import minimize
    from scipy.special import expit
    from sklearn.feature_extraction import DictVectorizer

    guesses = first_guesses()
    vectorizer = DictVectorizer()
    # Every rule has a column, also one that never holds here.
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
