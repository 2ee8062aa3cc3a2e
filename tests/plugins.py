"""A model and a plug-in file that registers one, shared by tests of the registry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from codeacumen.api import Pair


class Same:
    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return [float(pair.left == pair.right) for pair in pairs]


GOOD = '''
from codeacumen.registry import model

class Same:
    def similarity(self, pairs):
        return [1.0] * len(pairs)

@model("NAME")
def make():
    """All alike

    and more about it.
    """
    return Same()
'''


def write_plugin(tmp_path: Path, name: str = "same", file: str = "plugin.py") -> Path:
    path = tmp_path / file
    path.write_text(GOOD.replace("NAME", name))
    return path
