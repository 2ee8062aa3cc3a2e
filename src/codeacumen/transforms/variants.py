"""Variants of a method: programs of the same meaning, as edits of the method's file.

The module maps names to transformations; the abbreviations of the generalizability study
(docs/networks-robustness.md), here "the paper", are names too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from codeacumen.api import CodeacumenError
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.edits import Edit, apply_edits, compose_edits, flatten_rewrites
from codeacumen.transforms.location import (
    Doubt,
    Location,
    Transform,
    seeded_random,
    select_locations,
    worst_doubt,
)

# By name: the module and the class, the abbreviation in the paper, a description.
KINDS = {
    "rename": ("rename", "Rename", "VN", "a variable is renamed"),
    "permute": ("permute", "Permute", "PS", "two independent statements are swapped"),
    "unused": ("unused", "Unused", "UN", "an unused declaration is inserted"),
    "loop": ("loops", "Loop", "LX", "for becomes while, while becomes for"),
    "switch": ("switches", "SwitchToIf", "SF", "a switch becomes a chain of ifs"),
    "boolean": ("booleans", "BooleanExchange", "BX", "a boolean variable is negated"),
}
# The same six as the published tool applies them, correctly or not. By name: the module, the class
# and a description; without an abbreviation.
PUBLISHED = {
    f"published-{name}": (
        f"published.{module}",
        f"Published{class_name}",
        f"{description}, as published",
    )
    for name, module, class_name, description in (
        (
            "rename",
            "variables",
            "Rename",
            "every word equal to a variable's name is renamed",
        ),
        ("permute", "statements", "Permute", "two statements that share no word are swapped"),
        ("unused", "variables", "Unused", "an unused declaration is inserted"),
        ("loop", "statements", "Loop", "for becomes while, while becomes for"),
        ("switch", "statements", "Switch", "a switch becomes a chain of ifs, label by label"),
        (
            "boolean",
            "variables",
            "Boolean",
            "a boolean variable is negated where the tool notices it",
        ),
    )
}
_NAME_BY_ABBREVIATION = {paper: name for name, (_, _, paper, _) in KINDS.items()}


def _find_kind(name: str) -> tuple[str, ...] | None:
    """Return the table row of a transformation; None for an unknown name."""
    return KINDS.get(name) or PUBLISHED.get(name)


@cache
def load_transform(name: str) -> Transform:
    """Return the transformation with this name or abbreviation."""
    kind_row = _find_kind(_NAME_BY_ABBREVIATION.get(name, name))
    if kind_row is None:
        raise CodeacumenError(
            f"there is no transformation {name!r}",
            f"choose from {', '.join(KINDS)}, or the paper's "
            f"{', '.join(_NAME_BY_ABBREVIATION)}, or "
            "published-rename and so on for the edits of the published tool",
        )
    instance: Transform = getattr(
        import_module(f"codeacumen.transforms.{kind_row[0]}"), kind_row[1]
    )()
    return instance


def is_published(kind: str) -> bool:
    """Return whether a kind, or one in a sequence, is the published tool's and may be wrong."""
    return any(name in PUBLISHED for name in kind.split("+"))


def describe_kind(kind: str) -> str:
    """Return a description of a kind, or of a sequence of kinds."""
    rows = [_find_kind(name) for name in kind.split("+")]
    return ", then ".join(row[-1] for row in rows if row)


def canonical_kind(text: str) -> str:
    """Return the canonical form of a sequence: ``VN+LX`` becomes ``rename+loop``."""
    return "+".join(load_transform(name).name for name in text.split("+"))


def parse_kinds(kinds: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of transformations without duplicates. ``all`` and an empty list select
    those in ``KINDS``, ``published`` those in ``PUBLISHED``."""
    groups = {"all": [*KINDS], "published": [*PUBLISHED]}
    listed = [name for kind in kinds or ["all"] for name in groups.get(kind, [kind])]
    return tuple(dict.fromkeys(canonical_kind(name) for name in listed))


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed method.

    ``method`` is the index in ``declarations.methods``. ``kind`` is a transformation's name, or
    several names joined by ``+`` that are applied in that order. ``where`` is the mode that
    selected the locations: ``single``, ``all`` or a share such as ``25%``. ``locations`` are the
    ids of the changed locations, in the order of the kinds. ``doubt`` is the worst doubt about
    them.
    """

    method: int
    kind: str
    where: str
    locations: tuple[str, ...]
    edits: tuple[Edit, ...]
    doubt: Doubt | None = None


def find_locations(file: JavaFile, kind: str, method: int, seed: int = 0) -> list[Location]:
    """Return the locations of a transformation in a method; refused ones have a reason.

    ``kind`` is a single transformation, ``method`` an index into ``declarations.methods``.

    A method that is nested too deep for the recursion limit has one refused location.
    """
    code = code_of(file)
    try:
        return load_transform(kind).find_locations(code, method, seed)
    except RecursionError:
        start, end = code.span(file.declarations.methods[method].node)
        return [Location(f"{kind}:?:0", method, start, end, "it is nested too deep")]


def try_variants(
    file: JavaFile, kind: str, modes: Sequence[str], method: int, seed: int
) -> tuple[list[Location], list[Variant], str]:
    """Return a method's locations, its variants in these modes, and an error message.

    An exception in a transformation must not stop other methods, so it becomes the message; then
    there are no variants.
    """
    locations: list[Location] = []
    try:
        locations = find_locations(file, kind.split("+")[0], method, seed)
        variants = [
            variant
            for mode in modes
            for variant in variants_of_method(file, locations, kind, mode, seed)
        ]
    except Exception as error:
        return locations, [], f"{type(error).__name__}: {error}"
    return locations, variants, ""


def variants_of_method(
    file: JavaFile, locations: Sequence[Location], kind: str, mode: str, seed: int
) -> Iterator[Variant]:
    """Yield the variants of one method with these locations.

    In a sequence of kinds, the first transformation changes the sets of locations that the mode
    selects. With ``single``, each further transformation changes one location, sampled with the
    seed.
    """
    if not locations:
        return
    first_kind, *further_kinds = kind.split("+")
    code, transform, method = code_of(file), load_transform(first_kind), locations[0].method
    for selected in select_locations(
        locations, mode, seeded_random(seed, first_kind, mode, code.method_key(method))
    ):
        edits = flatten_rewrites(code.source, transform.make_rewrites(code, selected))
        ids, doubt = (
            tuple(location.id for location in selected),
            worst_doubt(location.doubt for location in selected),
        )
        variant = Variant(method, kind, mode, ids, edits, doubt)
        if not further_kinds:
            yield variant
        elif (extended := _apply_further(file, further_kinds, variant, seed)) is not None:
            yield extended


def _apply_further(
    file: JavaFile, kinds: Sequence[str], variant: Variant, seed: int
) -> Variant | None:
    """Return the variant with further transformations applied; None where one of them has no
    location."""
    edits, ids, doubt = variant.edits, list(variant.locations), variant.doubt
    for kind in kinds:
        # Parse the changed text, because no transformation takes the others into account.
        code = code_of(JavaFile(apply_edits(file.source, edits)))
        transform = load_transform(kind)
        generator = seeded_random(seed, kind, *ids, code.method_key(variant.method))
        location_sets = select_locations(
            transform.find_locations(code, variant.method, seed), variant.where, generator
        )
        if not location_sets:
            return None
        selected = location_sets[generator.randrange(len(location_sets))]
        edits = compose_edits(
            file.source,
            edits,
            flatten_rewrites(code.source, transform.make_rewrites(code, selected)),
        )
        ids += [location.id for location in selected]
        doubt = worst_doubt((doubt, *(location.doubt for location in selected)))
    return Variant(variant.method, variant.kind, variant.where, tuple(ids), edits, doubt)
