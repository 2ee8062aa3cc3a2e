"""Oracle: javac's definite assignment (JLS 16). It compiled the JDK's source, so every read of a
local variable there is preceded by a write on each path; our paths must say the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.flow.graph import BIND, DECLARE, READ, flow
from codeacumen.languages.java.syntax.file import JavaFile
from javac import JAVAC


def reads(file: JavaFile) -> tuple[int, list[str]]:
    """How many reads of a variable there are in the body that declares it; those of them that
    some path reaches without a write."""
    found = flow(file)
    unit = found.unit_of
    symbols = len(found.local)
    declared = np.isin(found.event, (DECLARE, BIND))
    own = np.unique(unit[declared] * symbols + found.variable[declared])
    point, earlier = found.last_write.T
    asked = (found.event[point] == READ) & np.isin(
        unit[point] * symbols + found.variable[point], own
    )
    point, earlier = point[asked], earlier[asked]
    unwritten = point[(earlier < 0) | (found.event[earlier] == DECLARE)]
    lines = [
        f"{file.source[: file.syntax.start[node]].count(10) + 1}: {file.syntax.text(int(node))}"
        for node in found.node[unwritten].tolist()
    ]
    return len(np.unique(point)), lines


def test_a_part_of_java_util(part_of_java_util: list[Path]) -> None:
    total, wrong = 0, []
    for path in part_of_java_util:
        count, lines = reads(JavaFile(path.read_bytes()))
        total += count
        wrong += [f"{path.name}:{line}" for line in lines]
    assert wrong == []
    assert total > 5_000


# Bodies, and whether the read of the variable in g(…) is preceded by a write on each path: examples
# like those of JLS 16, and what finally does.
EXAMPLES = (
    ("int k; if (n > 2 && (k = f()) >= 0) g(k);", True),
    ("int k; while (true) { k = n; if (k >= 5) break; n = 6; } g(k);", True),
    ("int k; while (n < 4) { k = n; if (k >= 5) break; n = 6; } g(k);", False),
    ("int k; if (n > 2) { k = 3; } g(k);", False),
    ("int k; if (n > 2) { k = 3; } if (n <= 2) { k = 4; } g(k);", False),
    ("int k; try { k = f(); } finally { h(); } g(k);", True),
    ("int k; try { k = f(); } catch (RuntimeException e) { } g(k);", False),
    ("int k; try { k = f(); } catch (RuntimeException e) { return; } g(k);", True),
    ("int k; try { h(); } finally { k = 1; } g(k);", True),
    ("int k; do { if (n > 3) { k = 1; break; } k = f(); } while (k > 2); g(k);", True),
    ("int k; switch (n) { case 1: k = 1; break; case 2: k = 2; } g(k);", False),
    ("int k; switch (n) { case 1: k = 1; break; default: k = 2; } g(k);", True),
    ("int k = switch (n) { case 1 -> 1; default -> { int j; j = 2; yield j; } }; g(k);", True),
    ("int k; boolean b = n > 2 || (k = f()) > 1; g(k);", False),
    ("int k; if (!(n > 2 || (k = f()) > 1)) g(k);", True),
    ("int k; for (;;) { if (n > 2) { k = 1; break; } } g(k);", True),
    ("int k; a: { if (n > 2) break a; k = 1; } g(k);", False),
    ("int k; assert (k = f()) > 0; g(k);", False),
    ("final boolean t = true; int k; if (t) k = 1; g(k);", True),
)  # fmt: skip


@pytest.mark.parametrize(("body", "assigned"), EXAMPLES)
def test_small_examples(body: str, assigned: bool) -> None:
    file = JavaFile(f"class T {{ void m(int n) {{ {body} }} }}".encode())
    assert (reads(file)[1] == []) is assigned


def test_javac_judges_the_examples_so(tmp_path: Path) -> None:
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    # One class with a method a line: javac stops at the first class that is wrong.
    methods = [f"void m{at}(int n) {{ {body} }}" for at, (body, _) in enumerate(EXAMPLES)]
    head = "abstract class T { abstract int f(); abstract void g(int k); abstract void h();"
    path = tmp_path / "T.java"
    path.write_text("\n".join([head, *methods, "}"]))
    told = subprocess.run(
        [javac, *JAVAC, "-d", str(tmp_path), str(path)], capture_output=True, text=True
    )
    errors = re.findall(r"T\.java:(\d+): error: (.*)", told.stderr)
    assert {text for _, text in errors} == {"variable k might not have been initialized"}
    rejected = {int(line) - 2 for line, _ in errors}
    assert rejected == {at for at, (_, assigned) in enumerate(EXAMPLES) if not assigned}
