"""Variants of a method: programs of the same meaning, as edits of the method's file.

The module maps names to transformations; the abbreviations of the paper are names too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from codeacumen.api import CodeacumenError
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.edits import Edit, apply, flatten, then
from codeacumen.transforms.location import Doubt, Location, Transform, chosen, seeded, worst

# Name: the module and the class, the abbreviation in the paper, a description.
KINDS = {
    "rename": ("rename", "Rename", "VN", "a variable gets another name"),
    "permute": ("permute", "Permute", "PS", "two independent statements change places"),
    "unused": ("unused", "Unused", "UN", "an unused declaration is put in"),
    "loop": ("loops", "Loop", "LX", "for becomes while, while becomes for"),
    "switch": ("switches", "SwitchToIf", "SF", "a switch becomes a chain of ifs"),
    "boolean": ("booleans", "BooleanExchange", "BX", "a boolean holds the opposite"),
}
# The same six as the published tool applies them, correctly or not.
PUBLISHED = {
    f"published-{name}": (f"published.{module}", f"Published{made}", f"{told}, as published")
    for name, module, made, told in (
        (
            "rename",
            "variables",
            "Rename",
            "every word that a variable is called by becomes another",
        ),
        ("permute", "statements", "Permute", "two statements that share no word change places"),
        ("unused", "variables", "Unused", "an unused declaration is put in"),
        ("loop", "statements", "Loop", "for becomes while, while becomes for"),
        ("switch", "statements", "Switch", "a switch becomes a chain of ifs, label by label"),
        ("boolean", "variables", "Boolean", "a boolean holds the opposite, where it is noticed"),
    )
}
_BY_PAPER = {paper: name for name, (_, _, paper, _) in KINDS.items()}


def _row(name: str) -> tuple[str, ...] | None:
    """Return the table row of a transformation; None for an unknown name."""
    return KINDS.get(name) or PUBLISHED.get(name)


@cache
def transform(name: str) -> Transform:
    """Return the transformation with this name or abbreviation."""
    known = _row(_BY_PAPER.get(name, name))
    if known is None:
        raise CodeacumenError(
            f"there is no transformation {name!r}",
            f"choose from {', '.join(KINDS)}, or the paper's {', '.join(_BY_PAPER)}, or "
            "published-rename and so on for the edits of the published tool",
        )
    found: Transform = getattr(import_module(f"codeacumen.transforms.{known[0]}"), known[1])()
    return found


def is_published(kind: str) -> bool:
    """Return whether a kind, or one in a sequence, is the published tool's and may be wrong."""
    return any(one in PUBLISHED for one in kind.split("+"))


def meaning(kind: str) -> str:
    """Return a description of a kind, or of a sequence of kinds."""
    rows = [_row(one) for one in kind.split("+")]
    return ", then ".join(row[-1] for row in rows if row)


def kind_of(text: str) -> str:
    """Return the canonical form of a sequence: ``VN+LX`` becomes ``rename+loop``."""
    return "+".join(transform(one).name for one in text.split("+"))


def parse_kinds(kinds: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of transformations without duplicates. ``all`` and an empty list select the
    six, ``published`` those of the study's own tool."""
    groups = {"all": [*KINDS], "published": [*PUBLISHED]}
    listed = [name for kind in kinds or ["all"] for name in groups.get(kind, [kind])]
    return tuple(dict.fromkeys(kind_of(name) for name in listed))


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed method.

    ``method`` is the index in ``declarations.methods``. ``kind`` is a transformation's name, or
    several names joined by ``+`` that are applied in that order. ``locations`` are the ids of the
    changed locations, in the same order. ``doubt`` is the worst doubt about them.
    """

    method: int
    kind: str
    where: str
    locations: tuple[str, ...]
    edits: tuple[Edit, ...]
    doubt: Doubt | None = None


def locations(file: JavaFile, kind: str, method: int, seed: int = 0) -> list[Location]:
    """Return the locations of a transformation in a method; refused ones have a reason."""
    code = code_of(file)
    try:
        return transform(kind).locations(code, method, seed)
    except RecursionError:
        start, end = code.span(file.declarations.methods[method].node)
        return [Location(f"{kind}:?:0", method, start, end, "it is nested too deep")]


def variants(
    file: JavaFile,
    kind: str,
    where: str = "single",
    seed: int = 0,
    methods: Sequence[int] | None = None,
) -> Iterator[Variant]:
    """Yield all variants of a file's methods."""
    first = kind.split("+")[0]
    for method in file.bodies if methods is None else methods:
        yield from variants_of(file, locations(file, first, method, seed), kind, where, seed)


def tried(
    file: JavaFile, kind: str, modes: Sequence[str], method: int, seed: int
) -> tuple[list[Location], list[Variant], str]:
    """Return a method's locations, its variants in these modes, and an error message.

    An exception in a transformation must not stop other methods, so it becomes the message; then
    there are no variants.
    """
    found: list[Location] = []
    try:
        found = locations(file, kind.split("+")[0], method, seed)
        made = [one for where in modes for one in variants_of(file, found, kind, where, seed)]
    except Exception as error:
        return found, [], f"{type(error).__name__}: {error}"
    return found, made, ""


def variants_of(
    file: JavaFile, found: Sequence[Location], kind: str, where: str, seed: int
) -> Iterator[Variant]:
    """Yield the variants of one method with these locations.

    In a sequence of kinds, the first transformation changes the sets of locations that the mode
    selects. With ``single``, each further transformation changes one location, sampled with the
    seed.
    """
    if not found:
        return
    first, *rest = kind.split("+")
    code, made, method = code_of(file), transform(first), found[0].method
    for together in chosen(found, where, seeded(seed, first, where, code.key(method))):
        edits = flatten(code.source, made.rewrites(code, together))
        ids, doubt = tuple(one.id for one in together), worst(one.doubt for one in together)
        variant = Variant(method, kind, where, ids, edits, doubt)
        if not rest:
            yield variant
        elif (whole := _further(file, rest, variant, seed)) is not None:
            yield whole


def _further(file: JavaFile, kinds: Sequence[str], variant: Variant, seed: int) -> Variant | None:
    """Return the variant with further transformations applied; None where one of them has no
    location."""
    edits, ids, doubt = variant.edits, list(variant.locations), variant.doubt
    for kind in kinds:
        # Parse the changed text, because no transformation takes the others into account.
        code = code_of(JavaFile(apply(file.source, edits)))
        made = transform(kind)
        random = seeded(seed, kind, *ids, code.key(variant.method))
        sets = chosen(made.locations(code, variant.method, seed), variant.where, random)
        if not sets:
            return None
        together = sets[random.randrange(len(sets))]
        edits = then(file.source, edits, flatten(code.source, made.rewrites(code, together)))
        ids += [one.id for one in together]
        doubt = worst((doubt, *(one.doubt for one in together)))
    return Variant(variant.method, variant.kind, variant.where, tuple(ids), edits, doubt)
