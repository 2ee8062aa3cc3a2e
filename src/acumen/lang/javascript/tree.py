"""The abstract tree of JavaScript.

The grammar's tree is concrete. Limits on paths were published for abstract trees, so what those
do not have is left out here: punctuation, comments, empty statements, the inside of literals;
and parentheses, lists of arguments or parameters and the like are passed through: what they
hold belongs to the node above. What is left has the shape of ESTree's trees, but for a few
nodes that the grammar makes one (``{x}``, ``{x() {}}``, ``for (const x of y)``, ``<x/>``).

Leaves are identifiers, literals, ``this`` and ``super``. A template with substitutions is no
leaf, and its characters are none.

The grammar has its limits: ``await (a, b)()`` is a call of ``await`` in its trees.
"""

from __future__ import annotations

from functools import lru_cache

from acumen.lang.abstract_tree import Treatment, Tree, abstract_tree, treatment
from acumen.lang.javascript import language
from acumen.lang.javascript.grammar import IDENTIFIERS, field, symbols
from acumen.lang.syntax import Syntax

_LITERALS = ("string", "number", "regex", "true", "false", "null", "this", "super")
_PASSED = (
    "parenthesized_expression", "arguments", "formal_parameters", "computed_property_name",
    "template_substitution", "class_heritage", "switch_body", "else_clause", "finally_clause",
    "import_clause", "named_imports", "export_clause",
)  # fmt: skip
_LEFT_OUT = (
    "comment", "html_comment", "hash_bang_line", "empty_statement", "optional_chain", "import",
    "string_fragment", "escape_sequence", "regex_pattern", "regex_flags", "jsx_text",
    "html_character_reference",
)  # fmt: skip


@lru_cache(maxsize=1)
def _treatment() -> Treatment:
    return treatment(
        language(), symbols(*_LEFT_OUT), symbols(*_PASSED), symbols(*IDENTIFIERS, *_LITERALS),
        symbols("template_string"),
    )  # fmt: skip


def tree(syntax: Syntax) -> Tree:
    return abstract_tree(syntax, _treatment(), field("operator"))
