"""Variable renaming; the JVM runs every variant beside its original."""

from __future__ import annotations

from pathlib import Path

from acumen.transforms.rename import Rename
from running import Case, check_all

CASES = [
    Case(
        "a parameter hides a field",
        """
        public class T {
          int x;
          int f(int x) { this.x = x; x: for (;;) { break x; } return this.x + x; }
          public static void run(java.io.PrintStream out) { out.println(new T().f(3)); }
        }
        """,
        accepted=("rename:x:0",),
    ),
]


def test_every_variant_does_the_same(tmp_path: Path) -> None:
    assert check_all(Rename(), CASES, tmp_path) >= len(CASES)
