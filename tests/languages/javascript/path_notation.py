"""Paths in PigeonJS's notation: that of ``a + 1`` is
``(identifier0)^(binary_expression+)_(number1)``."""

from __future__ import annotations

import numpy as np

from codeacumen.languages.javascript import load_grammar
from codeacumen.languages.javascript.paths import Paths


class PathNotation:
    """Texts of the paths of a file."""

    def __init__(self, paths: Paths) -> None:
        self.paths, tree, grammar = paths, paths.tree, load_grammar()
        symbols = paths.syntax.kind[tree.node].tolist()
        self.kind = [
            f"{grammar.node_kind_for_id(symbol)}"
            f"{grammar.node_kind_for_id(operator) if operator else ''}"
            for symbol, operator in zip(symbols, tree.operator.tolist(), strict=True)
        ]
        place = np.where(paths.shows_place, tree.child_index, -1).tolist()
        self.label = [
            f"{name}{where}" if where >= 0 else name
            for name, where in zip(self.kind, place, strict=True)
        ]
        self.parent, self.depth = tree.parent.tolist(), tree.depth.tolist()

    def format_path(self, index: int) -> str:
        """Return a path of the file from left to right."""
        return self.format_path_between(int(self.paths.left[index]), int(self.paths.right[index]))

    def format_path_between(self, source: int, target: int) -> str:
        """Return the path from one leaf to another, of any length."""
        a, b = int(self.paths.tree.leaf[source]), int(self.paths.tree.leaf[target])
        rising: list[str] = []
        falling: list[str] = []
        while a != b:
            if self.depth[a] >= self.depth[b]:
                rising.append(f"({self.label[a]})^")
                a = self.parent[a]
            else:
                falling.append(f"_({self.label[b]})")
                b = self.parent[b]
        return "".join((*rising, f"({self.kind[a]})", *reversed(falling)))
