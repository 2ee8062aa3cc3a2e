"""The transformations by name. The papers' abbreviations are names too."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from acumen.api import AcumenError
from acumen.transforms.location import Transform

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
        ("rename", "rename", "Rename", "every word that a variable is called by becomes another"),
        ("permute", "permute", "Permute", "two statements that share no word change places"),
        ("unused", "unused", "Unused", "an unused declaration is put in"),
        ("loop", "loops", "Loop", "for becomes while, while becomes for"),
        ("switch", "switches", "Switch", "a switch becomes a chain of ifs, label by label"),
        ("boolean", "booleans", "Boolean", "a boolean holds the opposite, where it is noticed"),
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
        raise AcumenError(
            f"there is no transformation {name!r}",
            f"there are {', '.join(KINDS)}; the paper's {', '.join(_BY_PAPER)} are names too; "
            "published-rename and so on are the published tool's",
        )
    found: Transform = getattr(import_module(f"acumen.transforms.{known[0]}"), known[1])()
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
