"""Unused statement: declare a string that no code reads, somewhere in a method.

Each method has one location, sampled with the seed: one of its blocks, then a position in the
block. A declaration of a constant string has no effect wherever it is executed. It must however be
reachable (JLS 14.22), its name must be unused in the whole file, and ``String`` must denote Java's
own class.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from codeacumen.languages.java.resolve.static_types import StaticTypes
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import BLOCKS, STATEMENTS, Code, code_of
from codeacumen.transforms.edits import Rewrite
from codeacumen.transforms.location import Location, LocationIds, seeded_random
from codeacumen.transforms.normal_completion import can_complete

# Nodes that contain statements: blocks, and the groups of an old-style switch.
STATEMENT_PARENTS = (*sorted(BLOCKS), "switch_block_statement_group")
CALLS_CONSTRUCTOR = "explicit_constructor_invocation"
# Name of a block in a location's id, by the kind of its parent.
_BLOCK_NAMES = {
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

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        generator = seeded_random(seed, self.name, code.method_key(method))
        blocks = code.nodes_of(method, *STATEMENT_PARENTS)
        if not blocks:
            return []
        block = generator.choice(blocks)
        location_ids = LocationIds(self.name)
        for candidate in blocks:
            id_ = location_ids.next_id(_block_name(code, candidate))
            if candidate == block:
                break
        refusal = code.unreadable_reason(method)
        if not refusal and not code.file.compute_once(string_type_name):
            refusal = "String is another type here"
        if refusal:
            return [Location(id_, method, *code.span(block), refusal)]
        # ``model`` is the statement whose indentation the declaration gets.
        node, model = generator.choice(insertion_points(code, block))
        type_, variable = code.file.compute_once(string_type_name), code.find_free_name("timestamp")
        declaration = f'{type_} {variable} = "{random_timestamp(generator)}";'
        detail = (node, model, declaration.encode())
        return [Location(id_, method, *code.span(node), detail=detail)]

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        return [insert_declaration(code, *location.detail) for location in selected]


def _block_name(code: Code, block: int) -> str:
    """Return the name of a block in a location's id."""
    if code.field[block] == "alternative":
        return "else"
    return _BLOCK_NAMES.get(code.kind[code.parent[block]], "block")


def insertion_points(code: Code, block: int) -> list[tuple[int, int]]:
    """Return the nodes of a block before which a declaration is reachable, each with the statement
    whose indentation it gets (NONE in an empty block).

    All compiled statements are reachable, so only the end of a block needs a check. In a
    constructor nothing may precede the call of another constructor.
    """
    statements = [child for child in code.children(block) if code.kind[child] in STATEMENTS]
    last = statements[-1] if statements else NONE
    for index, statement in enumerate(statements):
        if code.kind[statement] == CALLS_CONSTRUCTOR:
            statements = statements[index + 1 :]
            break
    points = [(statement, statement) for statement in statements]
    if last == NONE or can_complete(code, last) is True:
        points.append((_end_token(code, block), last))
    return points


def _end_token(code: Code, block: int) -> int:
    """Return the token that ends a block: its closing brace, or the first token after a group of a
    switch."""
    if code.kind[block] in BLOCKS:
        return code.children(block)[-1]
    groups = code.children(code.parent[block])
    node = groups[groups.index(block) + 1]
    while code.stop[node] > node + 1:
        node += 1
    return node


def insert_declaration(code: Code, node: int, indent_model: int, declaration: bytes) -> Rewrite:
    """Return the rewrite that inserts the declaration before a node, on its own line if the node
    begins its line. It is then indented like ``indent_model``, or one step deeper than the node if
    that is NONE."""
    start, end = code.span(node)
    line, indent = _line_indent(code, start)
    if indent is not None:
        newline = b"\r\n" if code.source.endswith(b"\r\n", 0, line) else b"\n"
        extra_indent = b""
        if indent_model != node:
            model_indent = (
                _line_indent(code, code.start[indent_model])[1] if indent_model != NONE else None
            )
            if model_indent is None:
                model_indent = indent + (b"\t" if b"\t" in indent else b"    ")
            extra_indent = model_indent[len(indent) :] if model_indent.startswith(indent) else b""
        text = extra_indent + declaration + newline + indent
    else:
        is_separated = code.source[start - 1 : start].isspace() or indent_model == node
        text = (b"" if is_separated else b" ") + declaration + b" "
    return Rewrite(start, end, (text, (start, end)))


def _line_indent(code: Code, offset: int) -> tuple[int, bytes | None]:
    """Return the offset of the line that contains a byte, and the white space before that byte;
    None instead if anything else precedes it, or on the first line of the file."""
    line = code.source.rfind(b"\n", 0, offset) + 1
    before = code.source[line:offset]
    return line, before if line and not before.strip() else None


def random_timestamp(generator: random.Random) -> str:
    """Return a random date and time of day, such as ``2001-02-03 04:05:06``."""
    year, month, day = (
        generator.randint(1990, 2029),
        generator.randint(1, 12),
        generator.randint(1, 28),
    )
    hour, minute, second = generator.randrange(24), generator.randrange(60), generator.randrange(60)
    return f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"


def string_type_name(file: JavaFile) -> str:
    """Return the name by which a file can refer to ``java.lang.String``; empty if there is none."""
    code = code_of(file)
    if file.declarations.package == "java.lang" or not file.compute_once(
        StaticTypes
    ).hides_java_lang_type("String"):
        return "String"
    is_unobscured = all(
        code.role[node] in _NON_OBSCURING_ROLES for node in _identifiers_with_text(code, "java")
    )
    return "java.lang.String" if is_unobscured else ""


# Roles that do not obscure a package of the same name before a dot (JLS 6.4.2).
_NON_OBSCURING_ROLES = frozenset(("package", "method", "label", "annotation element"))


def _identifiers_with_text(code: Code, word: str) -> list[int]:
    """Return the identifiers with this text."""
    if word not in code.identifiers:
        return []
    names = code.file.names
    nodes: list[int] = names.node[names.word == names.words.index(word)].tolist()
    return nodes
