"""How many statements a method has, counted as the paper's tool does.

It counts the nodes that JavaParser calls statements, everywhere below the method, lambdas and
classes inside it too. Blocks are statements, the method's body among them: an empty method has one
statement, ``{ return x; }`` two. The body of a lambda that is an expression is one; what stands
between the parentheses of a ``for``, and the cases of a ``switch``, are none.
"""

from __future__ import annotations

from acumen.transforms.code import BLOCKS, LAMBDA, STATEMENTS, SWITCH, Code

# As the paper takes them: methods with a body that is not empty.
FEWEST = 2

# Kinds of nodes that are statements or something else, as their place tells.
_HERE_OR_THERE = frozenset(
    (";", SWITCH, "class_declaration", "interface_declaration", "enum_declaration",
     "record_declaration", "local_variable_declaration")
)  # fmt: skip
_ALWAYS = (STATEMENTS | BLOCKS) - _HERE_OR_THERE
_HOLD_STATEMENTS = BLOCKS | {"switch_block_statement_group", "labeled_statement"}
_BODIES = frozenset(("body", "consequence", "alternative"))


def count_statements(code: Code, method: int) -> int:
    """Of a method, by the node of its declaration."""
    kind, field, parent = code.kind, code.field, code.parent
    count = 0
    for node in range(method + 1, code.stop[method]):
        word = kind[node]
        if word in _ALWAYS:
            count += 1
        elif word in _HERE_OR_THERE:
            inside = kind[parent[node]]
            count += inside in _HOLD_STATEMENTS or (field[node] in _BODIES and inside != LAMBDA)
        elif word == LAMBDA:
            count += kind[code.child(node, "body")] not in BLOCKS
    return count
