"""A variable gets another name, and with it everything else that is written so."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import Code
from acumen.transforms.edits import Rewrite, replace
from acumen.transforms.location import Doubt, Location, Numbered
from acumen.transforms.published.names import by_text, declared, method_node


class PublishedRename:
    name = "published-rename"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why = method_node(code, method), code.unreadable(method)
        numbered, written = Numbered(self.name), by_text(code, top)
        return [
            Location(
                numbered.id(code.text(node)), method, *code.span(node), why, node,
                doubt=_doubt(code, written[code.bytes(node)]),
            )
            for node in declared(code, top)
        ]  # fmt: skip

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        written = by_text(code, method_node(code, chosen[0].method))
        new: dict[bytes, bytes] = {}
        number = 0
        for location in chosen:
            while b"var%d" % number in written:
                number += 1
            # A second variable of the same name is renamed again, and so is the first one.
            new[code.bytes(location.detail)] = b"var%d" % number
            number += 1
        return [
            replace(*code.span(node), text) for old, text in new.items() for node in written[old]
        ]


def _doubt(code: Code, nodes: Sequence[int]) -> Doubt | None:
    """Whether one of the names is not a variable that is declared, and so renamed, here."""
    renamed = set(nodes)
    for node in nodes:
        if code.declaration.get(node, NONE) not in renamed:
            role = code.role.get(node, "unknown")
            article = "an" if role[0] in "aeiou" else "a"
            told = "something else" if role == "unknown" else f"{article} {role}"
            return Doubt(f"it renames {told} of that name, too", role != "unknown")
    return None
