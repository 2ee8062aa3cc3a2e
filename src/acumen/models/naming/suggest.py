"""Better names: what the project's own ways would give, then verbs that such methods have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from acumen.models.naming._conventions_shapes import joined
from acumen.models.naming.background import OTHERS, Background
from acumen.models.naming.facts import Facts
from acumen.models.naming.traits import COLLECTIONS, words
from acumen.models.naming.verdict import Suggestion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from acumen.models.naming.conventions import Conventions
    from acumen.models.naming.signals import Signals

MOST = 3
LEAST = 0.05


def suggested(
    facts: Facts, seen: Signals, background: Background, conventions: Conventions
) -> tuple[Suggestion, ...]:
    """The likeliest first, each name once, never the method's own."""
    best: dict[str, float] = {}
    for one in conventions.suggest(facts):
        best[one.name] = max(one.confidence, best.get(one.name, 0.0))
    for name, confidence in by_verbs(facts, seen, background):
        best[name] = max(confidence, best.get(name, 0.0))
    best.pop(facts.name, None)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Suggestion(name, round(sure, 3)) for name, sure in ranked[:MOST] if sure >= LEAST)


def by_verbs(facts: Facts, seen: Signals, background: Background) -> list[tuple[str, float]]:
    """The name with its first word changed to what is likelier there."""
    found = []
    for place in (-seen.odds).argsort()[: MOST + 1].tolist():
        title = background.title(place)
        sure = math.exp(float(seen.odds[place]))
        if place == seen.own or sure < LEAST:
            continue
        rest = _without(title, topic(facts, background))
        if title == OTHERS[0] and facts.returned_names:
            found.append((facts.returned_names[0], sure))
        elif title not in OTHERS:
            found.append((joined((title, *rest)), sure))
    return found


def _without(verb: str, about: list[str]) -> list[str]:
    """Of ``getxAxis``, whose first word is ``getx``, ``x`` and ``axis`` are left."""
    if about and about[0].startswith(verb):
        return [one for one in (about[0].removeprefix(verb), *about[1:]) if one]
    return about


def name_for(facts: Facts, odds: NDArray[np.float32], background: Background) -> str:
    """A name for a method that has none: the likeliest verb, then what the method is about."""
    title = background.title(int(odds.argmax()))
    about = _about(facts)
    if title in OTHERS:
        return joined(tuple(about) or ("run",))
    return joined((title, *(word for word in about if word != title)))


def _about(facts: Facts) -> list[str]:
    """Words of what is stored, returned, created or asked for, whichever there is first."""
    for name in (
        *(field for _, field in facts.stored[:1]),
        *facts.returned_names[:1],
        *([facts.returned] if facts.returned in facts.created else []),
    ):
        return list(words(name))
    if len(facts.calls) == 1:
        return list(words(facts.calls[0][1]))[1:] or list(words(facts.calls[0][0]))
    return list(words(facts.returned)) if _is_telling(facts.returned) else []


def _is_telling(returned: str) -> bool:
    return returned[:1].isupper() and returned not in COLLECTIONS and returned != "String"


def topic(facts: Facts, background: Background) -> list[str]:
    """What the name is about: its words without a leading verb; else what is stored or returned."""
    own = list(words(facts.name))
    if own and own[0] in background.verbs:
        own = own[1:]
    if own:
        return own
    if facts.stored:
        return list(words(facts.stored[0][1]))
    if len(facts.returned_names) == 1:
        return list(words(facts.returned_names[0]))
    return []
