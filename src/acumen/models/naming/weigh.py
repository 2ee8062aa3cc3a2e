"""What each signal is worth: right names against wrong ones.

Right is the name that a method of a kept project has. Wrong is, for the same method, the name of
another method of its project that looks alike from outside (sort of return type, parameters) and
begins with another word: a name that is plausible until the body is read. Half and half, so that
nothing is said about how many names are wrong.

The projects are others than those of which the background was learned: it knows those too well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from acumen.models.naming.background import Background
from acumen.models.naming.conventions import Conventions
from acumen.models.naming.facts import Facts
from acumen.models.naming.signals import signals
from acumen.models.naming.traits import shape, words

# Methods of a project at most: a large one should not decide alone.
MOST = 4000
DIGITS = 4
ALWAYS = "always"


def weigh(
    projects: Mapping[str, Sequence[Facts]],
    background: Background,
    seed: int,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> dict[str, float]:
    """The weight of each signal that occurs, and of ``ALWAYS``, in log-odds."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    rows: list[Mapping[str, float]] = []
    labels: list[int] = []
    for done, (name, methods) in enumerate(sorted(projects.items())):
        step("weighing", done, len(projects))
        right, wrong = _drawn(methods, np.random.default_rng([seed, *name.encode()]))
        if not right:
            continue
        conventions = Conventions()
        conventions.learn(list(methods))
        for label, asked in enumerate((right, wrong)):
            found = signals(asked, background, conventions)
            rows += [one.values for one in found]
            labels += [label] * len(found)
    if not rows:
        return {}
    vectorizer = DictVectorizer()
    inputs = vectorizer.fit_transform(rows)
    regression = LogisticRegression(C=1.0, max_iter=2000).fit(inputs, labels)
    names = vectorizer.get_feature_names_out().tolist()
    weights = dict(zip(names, np.round(regression.coef_[0], DIGITS).tolist(), strict=True))
    return {ALWAYS: round(float(regression.intercept_[0]), DIGITS), **weights}


def _drawn(methods: Sequence[Facts], draw: np.random.Generator) -> tuple[list[Facts], list[Facts]]:
    """Methods as they are, and the same under names of others."""
    by_shape: dict[str, list[str]] = {}
    for facts in methods:
        by_shape.setdefault(shape(facts), []).append(facts.name)
    chosen = draw.permutation(len(methods))[:MOST]
    right, wrong = [], []
    for place in sorted(chosen.tolist()):
        facts = methods[place]
        names = by_shape[shape(facts)]
        first = words(facts.name)[:1]
        tried = (names[one] for one in draw.integers(len(names), size=8).tolist())
        other = next((name for name in tried if words(name)[:1] != first), None)
        if other is not None:
            right.append(facts)
            wrong.append(facts.named(other))
    return right, wrong
