"""A text that nobody reads is declared before one of a body's own statements."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import STATEMENTS, Code
from acumen.transforms.edits import Rewrite
from acumen.transforms.location import Doubt, Location, Numbered
from acumen.transforms.published.names import by_text, method_node
from acumen.transforms.unused import CALLS_CONSTRUCTOR, inserted, moment, string_of
from acumen.transforms.where import seeded


class PublishedUnused:
    """The tool writes the time of day: here a moment is drawn by the seed."""

    name = "published-unused"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top = method_node(code, method)
        body = code.child(top, "body")
        if body == NONE or b"timestamp" in by_text(code, top):
            return []
        statements = [one for one in code.children(body) if code.kind[one] in STATEMENTS]
        if not statements:
            return []
        drawn = seeded(seed, self.name, code.key(method))
        place = drawn.choice(statements)
        text = f'String timestamp = "{moment(drawn)}";'.encode()
        doubt = None
        if code.file.once(string_of) != "String":
            doubt = Doubt("String is another type here")
        elif code.kind[place] == CALLS_CONSTRUCTOR:
            doubt = Doubt("it stands before the call of another constructor")
        id_ = Numbered(self.name).id("body")
        why = code.unreadable(method)
        return [Location(id_, method, *code.span(place), why, (place, text), doubt=doubt)]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [inserted(code, place, place, text) for place, text in (c.detail for c in chosen)]
