"""Unused statement: declare a string that no code reads, somewhere in a method.

Each method has one location, sampled with the seed: one of its blocks, then a position in the
block. A declaration of a constant string has no effect wherever it is executed. It must however be
reachable (JLS 14.22), its name must be unused in the whole file, and ``String`` must denote Java's
own class.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from codeacumen.languages.java.resolve.static_types import Types
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import BLOCKS, STATEMENTS, Code, code_of
from codeacumen.transforms.completes import completes
from codeacumen.transforms.edits import Rewrite
from codeacumen.transforms.location import Location, Numbered, seeded

# Nodes that contain statements: blocks, and the groups of an old-style switch.
HOLDERS = (*sorted(BLOCKS), "switch_block_statement_group")
CALLS_CONSTRUCTOR = "explicit_constructor_invocation"
# Name of a block in a location's id, by the kind of its parent.
_KINDS = {
    "method_declaration": "body",
    "constructor_declaration": "body",
    "compact_constructor_declaration": "body",
    "lambda_expression": "lambda",
    "for_statement": "for",
    "enhanced_for_statement": "for",
    "while_statement": "while",
    "do_statement": "do",
    "if_statement": "if",
    "switch_rule": "case",
    "switch_block": "case",
    "try_statement": "try",
    "try_with_resources_statement": "try",
    "catch_clause": "catch",
    "finally_clause": "finally",
    "synchronized_statement": "synchronized",
}


class Unused:
    """Insertion of an unused declaration (abbreviated UN in the paper)."""

    name = "unused"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        drawn = seeded(seed, self.name, code.key(method))
        blocks = code.nodes_of(method, *HOLDERS)
        if not blocks:
            return []
        block = drawn.choice(blocks)
        numbered = Numbered(self.name)
        for one in blocks:
            id_ = numbered.id(_kind(code, one))
            if one == block:
                break
        why = code.unreadable(method)
        if not why and not code.file.once(string_of):
            why = "String is another type here"
        if why:
            return [Location(id_, method, *code.span(block), why)]
        place, model = drawn.choice(places(code, block))
        type_, variable = code.file.once(string_of), code.free("timestamp")
        written = f'{type_} {variable} = "{moment(drawn)}";'
        detail = (place, model, written.encode())
        return [Location(id_, method, *code.span(place), detail=detail)]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [inserted(code, *location.detail) for location in chosen]


def _kind(code: Code, block: int) -> str:
    """Return the name of a block in a location's id."""
    if code.field[block] == "alternative":
        return "else"
    return _KINDS.get(code.kind[code.parent[block]], "block")


def places(code: Code, block: int) -> list[tuple[int, int]]:
    """Return the nodes of a block before which a declaration is reachable, each with the statement
    whose indentation it gets.

    All compiled statements are reachable, so only the end of a block needs a check. In a
    constructor nothing may precede the call of another constructor.
    """
    statements = [one for one in code.children(block) if code.kind[one] in STATEMENTS]
    last = statements[-1] if statements else NONE
    for at, one in enumerate(statements):
        if code.kind[one] == CALLS_CONSTRUCTOR:
            statements = statements[at + 1 :]
            break
    found = [(one, one) for one in statements]
    if last == NONE or completes(code, last) is True:
        found.append((_after(code, block), last))
    return found


def _after(code: Code, block: int) -> int:
    """Return the token that ends a block: its closing brace, or the first token after a group of a
    switch."""
    if code.kind[block] in BLOCKS:
        return code.children(block)[-1]
    groups = code.children(code.parent[block])
    node = groups[groups.index(block) + 1]
    while code.stop[node] > node + 1:
        node += 1
    return node


def inserted(code: Code, place: int, model: int, written: bytes) -> Rewrite:
    """Return the rewrite that inserts the declaration before a node, on its own line if the node
    begins its line."""
    start, end = code.span(place)
    line, indent = _indent(code, start)
    if indent is not None:
        newline = b"\r\n" if code.source.endswith(b"\r\n", 0, line) else b"\n"
        deeper = b""
        if model != place:
            like = _indent(code, code.start[model])[1] if model != NONE else None
            if like is None:
                like = indent + (b"\t" if b"\t" in indent else b"    ")
            deeper = like[len(indent) :] if like.startswith(indent) else b""
        text = deeper + written + newline + indent
    else:
        apart = code.source[start - 1 : start].isspace() or model == place
        text = (b"" if apart else b" ") + written + b" "
    return Rewrite(start, end, (text, (start, end)))


def _indent(code: Code, at: int) -> tuple[int, bytes | None]:
    """Return the offset of the line that contains a byte, and the white space before that byte if
    nothing else precedes it."""
    line = code.source.rfind(b"\n", 0, at) + 1
    before = code.source[line:at]
    return line, before if line and not before.strip() else None


def moment(drawn: random.Random) -> str:
    """Return a random date and time of day."""
    year, month, day = drawn.randint(1990, 2029), drawn.randint(1, 12), drawn.randint(1, 28)
    hour, minute, second = drawn.randrange(24), drawn.randrange(60), drawn.randrange(60)
    return f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"


def string_of(file: JavaFile) -> str:
    """Return the name by which a file can refer to ``java.lang.String``; empty if there is none."""
    code = code_of(file)
    if file.declarations.package == "java.lang" or not file.once(Types).hides("String"):
        return "String"
    whole = all(code.role[one] in _NO_MATTER for one in _named(code, "java"))
    return "java.lang.String" if whole else ""


# Roles that do not obscure a package of the same name before a dot (JLS 6.4.2).
_NO_MATTER = frozenset(("package", "method", "label", "annotation element"))


def _named(code: Code, word: str) -> list[int]:
    """Return the identifiers with this text."""
    if word not in code.words:
        return []
    names = code.file.names
    found: list[int] = names.node[names.word == names.words.index(word)].tolist()
    return found
