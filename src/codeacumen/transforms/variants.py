"""Programs of the same meaning: a method's variants, as edits of its file.

The transformations by name. The papers' abbreviations are names too.
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

# Name: the module and the class, the paper's abbreviation, what it does.
KINDS = {
    "rename": ("rename", "Rename", "VN", "a variable gets another name"),
    "permute": ("permute", "Permute", "PS", "two independent statements change places"),
    "unused": ("unused", "Unused", "UN", "an unused declaration is put in"),
    "loop": ("loops", "Loop", "LX", "for becomes while, while becomes for"),
    "switch": ("switches", "SwitchToIf", "SF", "a switch becomes a chain of ifs"),
    "boolean": ("booleans", "BooleanExchange", "BX", "a boolean holds the opposite"),
}
# The same six as the published tool makes them, right or wrong.
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
    return KINDS.get(name) or PUBLISHED.get(name)


@cache
def transform(name: str) -> Transform:
    """The transformation of a name or an abbreviation."""
    known = _row(_BY_PAPER.get(name, name))
    if known is None:
        raise CodeacumenError(
            f"there is no transformation {name!r}",
            f"there are {', '.join(KINDS)}; the paper's {', '.join(_BY_PAPER)} are names too; "
            "published-rename and so on are the published tool's",
        )
    found: Transform = getattr(import_module(f"codeacumen.transforms.{known[0]}"), known[1])()
    return found


def is_published(kind: str) -> bool:
    """Whether a kind, or one of a sequence, is the published tool's: then it may be wrong."""
    return any(one in PUBLISHED for one in kind.split("+"))


def meaning(kind: str) -> str:
    """What is done to a method, in words."""
    rows = [_row(one) for one in kind.split("+")]
    return ", then ".join(row[-1] for row in rows if row)


def kind_of(text: str) -> str:
    """A sequence as it is told: ``VN+LX`` is ``rename+loop``."""
    return "+".join(transform(one).name for one in text.split("+"))


def parse_kinds(kinds: Sequence[str] | None) -> tuple[str, ...]:
    """Return transformations by name, each once: ``all`` and nothing are the six, ``published``
    the edits of the study's own tool."""
    groups = {"all": [*KINDS], "published": [*PUBLISHED]}
    listed = [name for kind in kinds or ["all"] for name in groups.get(kind, [kind])]
    return tuple(dict.fromkeys(kind_of(name) for name in listed))


@dataclass(frozen=True, slots=True)
class Variant:
    """``method`` is the place in ``declarations.methods``; ``kind`` a transformation's name, or
    several joined by ``+``, made one after the other; ``locations`` their ids, in that order.
    ``doubt`` is the worst of theirs."""

    method: int
    kind: str
    where: str
    locations: tuple[str, ...]
    edits: tuple[Edit, ...]
    doubt: Doubt | None = None


def locations(file: JavaFile, kind: str, method: int, seed: int = 0) -> list[Location]:
    """Where a transformation can be made in a method, and where it is refused, with the reason."""
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
    """All variants of a file's methods."""
    first = kind.split("+")[0]
    for method in file.bodies if methods is None else methods:
        yield from variants_of(file, locations(file, first, method, seed), kind, where, seed)


def tried(
    file: JavaFile, kind: str, modes: Sequence[str], method: int, seed: int
) -> tuple[list[Location], list[Variant], str]:
    """A method's locations, and its variants of these modes. A transformation that fails on a
    method must end nothing else: the third is how it failed, and then there are no variants."""
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
    """The variants of one method, whose locations are given. Of a sequence, the first
    transformation is made at each of the places that ``where`` tells; with ``single``, each
    further one at one place, drawn by the seed."""
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
    """The variant with further transformations; None where one of them has no place."""
    edits, ids, doubt = variant.edits, list(variant.locations), variant.doubt
    for kind in kinds:
        # What the edits make is read anew: no transformation knows of the others.
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
