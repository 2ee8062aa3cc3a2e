"""Unused statement: a text that nobody reads is declared somewhere in a method.

Each method has one location, drawn by the seed: one of its blocks, then a place in the block. A
declaration of a constant text does nothing, wherever it is reached; so the place must be reachable
(JLS 14.22), the name free in the whole file, and ``String`` must be Java's own.
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

# What holds statements: blocks, and the groups of an old switch.
HOLDERS = (*sorted(BLOCKS), "switch_block_statement_group")
CALLS_CONSTRUCTOR = "explicit_constructor_invocation"
# What a block is called after what it stands in.
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
        written = f'{code.file.once(string_of)} {code.free("timestamp")} = "{moment(drawn)}";'
        detail = (place, model, written.encode())
        return [Location(id_, method, *code.span(place), detail=detail)]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [inserted(code, *location.detail) for location in chosen]


def _kind(code: Code, block: int) -> str:
    if code.field[block] == "alternative":
        return "else"
    return _KINDS.get(code.kind[code.parent[block]], "block")


def places(code: Code, block: int) -> list[tuple[int, int]]:
    """The nodes of a block before which a declaration is reachable, and for each the statement
    whose indentation it gets. Whatever compiles is reachable, so only the end of a block is in
    question; in a constructor nothing stands before the call of another one."""
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
    """The token at which a block ends: its brace, or what follows a group of a switch."""
    if code.kind[block] in BLOCKS:
        return code.children(block)[-1]
    groups = code.children(code.parent[block])
    node = groups[groups.index(block) + 1]
    while code.stop[node] > node + 1:
        node += 1
    return node


def inserted(code: Code, place: int, model: int, written: bytes) -> Rewrite:
    """The declaration before a node, on a line of its own if the node begins its line."""
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
    """Where the line of a byte begins, and the white space before the byte if that is all."""
    line = code.source.rfind(b"\n", 0, at) + 1
    before = code.source[line:at]
    return line, before if line and not before.strip() else None


def moment(drawn: random.Random) -> str:
    """A date and a time of day."""
    year, month, day = drawn.randint(1990, 2029), drawn.randint(1, 12), drawn.randint(1, 28)
    hour, minute, second = drawn.randrange(24), drawn.randrange(60), drawn.randrange(60)
    return f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"


def string_of(file: JavaFile) -> str:
    """How a file can name ``java.lang.String``; empty where it cannot."""
    code = code_of(file)
    if file.declarations.package == "java.lang" or not file.once(Types).hides("String"):
        return "String"
    whole = all(code.role[one] in _NO_MATTER for one in _named(code, "java"))
    return "java.lang.String" if whole else ""


# What does not keep a name before a dot from being a package's (JLS 6.4.2).
_NO_MATTER = frozenset(("package", "method", "label", "annotation element"))


def _named(code: Code, word: str) -> list[int]:
    """The identifiers that read so."""
    if word not in code.words:
        return []
    names = code.file.names
    found: list[int] = names.node[names.word == names.words.index(word)].tolist()
    return found
