"""Which renames become cases: a person's decision first, then tags and features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from acumen.api import AcumenError
from acumen.renames.records import Rename, StableMethod
from acumen.renames.reviews.criteria import is_clear

INCLUDE, EXCLUDE = "include", "exclude"
CLEAR = "clear"
# ReName4J leaves out typos and examples. Names that differ in case alone have the same subtokens;
# without a body there is nothing to compare a name with; what a program wrote, what was taken back
# and what cannot be matched with certainty tells nothing about names.
DROPPED_TAGS = (
    "typo", "case", "example", "generated", "reverted", "ambiguous", "no-body", "empty",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """``undecided`` says what becomes of a reviewed rename that nobody decided on: ``clear`` takes
    those whose new name stands in the comment and was accepted, ``include`` all, ``exclude`` none.
    ``tags`` are those with which a rename is not taken, unless a person did."""

    undecided: str = CLEAR
    tags: tuple[str, ...] = DROPPED_TAGS


def chosen(
    renames: Iterable[Rename], decisions: Mapping[str, str], choice: Choice, dropped: Counter[str]
) -> list[Rename]:
    """The cases, in a fixed order; ``dropped`` counts the others by reason."""
    if choice.undecided not in (CLEAR, INCLUDE, EXCLUDE):
        raise AcumenError(f"--undecided {choice.undecided}", "it is clear, include or exclude")
    kept: list[Rename] = []
    for one in _once(renames, dropped):
        decision = decisions.get(one.id, one.review.decision if one.review else "")
        why = _against(one, decision, choice)
        if why:
            dropped[why] += 1
            continue
        if one.review is not None:
            one = replace(one, review=replace(one.review, decision=decision))
        kept.append(one)
    return kept


def _against(one: Rename, decision: str, choice: Choice) -> str:
    if decision == EXCLUDE:
        return "excluded by a person"
    if decision == INCLUDE:
        return ""
    for tag in choice.tags:
        if tag in one.tags or (one.review is not None and tag in one.review.features):
            return f"tagged {tag}"
    if one.review is not None and choice.undecided != INCLUDE:
        clear = choice.undecided == CLEAR and is_clear(one.review.features)
        return "" if clear else "undecided"
    return ""


def _once(renames: Iterable[Rename], dropped: Counter[str]) -> list[Rename]:
    """Each rename once: a history and a review may both tell of it, and the review tells more."""
    found: dict[tuple[object, ...], Rename] = {}
    ids: set[str] = set()
    for one in sorted(renames, key=lambda one: (one.review is None, one.project, one.path, one.id)):
        # Not by project: a clone may be named otherwise than its home.
        key = (one.path, one.owner, one.old_name, one.new_name, one.parameters, one.code)
        if key in found or one.id in ids:
            dropped["told twice"] += 1
        else:
            found[key] = one
            ids.add(one.id)
    return sorted(found.values(), key=lambda one: (one.project, one.path, one.owner, one.id))


def chosen_stable(
    stable: Iterable[StableMethod],
    renames: Sequence[Rename],
    cases: Sequence[Rename],
    choice: Choice,
    dropped: Counter[str],
) -> list[StableMethod]:
    """The other methods of the cases' files, each once; none that was itself renamed, ever."""
    files = {(one.project, one.path) for one in cases}
    renamed = {
        (one.project, one.path, one.owner, name, one.parameters)
        for one in renames
        for name in (one.old_name, one.new_name)
    }
    found: dict[tuple[object, ...], StableMethod] = {}
    for one in sorted(stable, key=lambda one: (one.commit, one.id)):
        key = (one.project, one.path, one.owner, one.name, one.parameters)
        if (one.project, one.path) not in files:
            dropped["stable, in a file without a case"] += 1
        elif key in renamed:
            dropped["stable, but renamed elsewhere"] += 1
        elif any(tag in one.tags for tag in choice.tags):
            dropped["stable, with such a tag"] += 1
        else:
            dropped["stable, told twice"] += key in found
            found[key] = one
    once = {one.id: one for one in found.values()}
    dropped["stable, told twice"] += len(found) - len(once)
    return sorted(once.values(), key=lambda one: (one.project, one.path, one.owner, one.id))
