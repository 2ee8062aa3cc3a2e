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
_BY_PAPER = {paper: name for name, (_, _, paper, _) in KINDS.items()}


@cache
def transform(name: str) -> Transform:
    """The transformation of a name or an abbreviation."""
    known = KINDS.get(_BY_PAPER.get(name, name))
    if known is None:
        raise AcumenError(
            f"there is no transformation {name!r}",
            f"there are {', '.join(KINDS)}; the paper's {', '.join(_BY_PAPER)} are names too",
        )
    found: Transform = getattr(import_module(f"acumen.transforms.{known[0]}"), known[1])()
    return found


def kind_of(text: str) -> str:
    """A sequence as it is told: ``VN+LX`` is ``rename+loop``."""
    return "+".join(transform(one).name for one in text.split("+"))
