"""Options of the verbs that make variants of methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer


def complete_kind(incomplete: str) -> list[str]:
    from acumen.transforms.variants import KINDS, PUBLISHED

    known = [*KINDS, "all", "published", *PUBLISHED]
    return [name for name in known if name.startswith(incomplete)]


Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", "-k", metavar="NAME", autocompletion=complete_kind,
        help="rename, permute, unused, loop, switch, boolean (or VN, PS, UN, LX, SF, BX); "
        "several in a row: rename+loop. All six by default; published: as the study's own tool "
        "makes them, marked, not dropped, where they are wrong. Repeatable.",
    ),
]  # fmt: skip
ClassPath = Annotated[
    str, typer.Option(metavar="PATHS", help="Libraries javac needs to compile the projects.")
]
CERTIFY = "How far each variant is checked; each level holds the former."


def where_option(default: str) -> Any:
    return typer.Option(
        "--where", "-w", metavar="MODE",
        help="single: one program a place; all: every place of a method at once; 25%: that "
        f"share of the places, where there are four or more. Repeatable. Default: {default}.",
    )  # fmt: skip


def asked_kinds(kind: Sequence[str] | None) -> tuple[str, ...]:
    """The transformations that are meant, each once."""
    from acumen.transforms.variants import KINDS, PUBLISHED, kind_of

    groups = {"all": [*KINDS], "published": [*PUBLISHED]}
    asked = [one for name in kind or ["all"] for one in groups.get(name, [name])]
    return tuple(dict.fromkeys(kind_of(one) for one in asked))


def asked_modes(where: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """The modes that are meant, each once; an error if there is no such mode."""
    from acumen.transforms.location import share_of

    modes = tuple(dict.fromkeys(where or default))
    for mode in modes:
        share_of(mode)
    return modes
