"""Compile every kernel, so that no test waits for another that compiles the same.

python scripts/compile_kernels.py
"""

from __future__ import annotations

import numpy as np

from acumen.api import Pair
from acumen.corpus.compiled import analyse_one_file
from acumen.corpus.duplicates import near_duplicates
from acumen.lang.columns import Ragged
from acumen.lang.java.file import JavaFile
from acumen.lang.java.npath import RULES, npath
from acumen.models.names.model import make_names


def main() -> None:
    analyse_one_file(None)
    file = JavaFile(b"class A { int f(int x) { return x > 0 ? 1 : 2; } }")
    for rules in RULES:
        npath(file, rules)
    near_duplicates(Ragged(np.arange(90) % 7, np.array([0, 30, 60, 90])))
    # A word that no dictionary has, so that it is cut.
    make_names().similarity([Pair("touchmovex", "idx")])


if __name__ == "__main__":
    main()
