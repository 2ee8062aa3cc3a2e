"""Tests of last writes. The oracle is javac's rule of definite assignment (JLS 16).

javac compiled the source of the JDK, so a write precedes every read of a local variable there on
each path, and our flow must show the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.flow.graph import BIND, DECLARE, READ, build_flow
from codeacumen.languages.java.syntax.file import JavaFile
from javac import JAVAC


def find_unwritten_reads(file: JavaFile) -> tuple[int, list[str]]:
    """Return the number of reads in the body that declares the variable, and the unwritten ones.

    A read is unwritten if some path reaches it without a write.
    """
    file_flow = build_flow(file)
    unit = file_flow.unit_of
    symbols = len(file_flow.local)
    is_declaration = np.isin(file_flow.event, (DECLARE, BIND))
    own_variables = np.unique(unit[is_declaration] * symbols + file_flow.variable[is_declaration])
    point, earlier = file_flow.last_write.T
    is_local_read = (file_flow.event[point] == READ) & np.isin(
        unit[point] * symbols + file_flow.variable[point], own_variables
    )
    point, earlier = point[is_local_read], earlier[is_local_read]
    unwritten = point[(earlier < 0) | (file_flow.event[earlier] == DECLARE)]
    lines = [
        f"{file.source[: file.syntax.start[node]].count(10) + 1}: {file.syntax.text(int(node))}"
        for node in file_flow.node[unwritten].tolist()
    ]
    return len(np.unique(point)), lines


def test_all_reads_in_java_util_follow_a_write(part_of_java_util: list[Path]) -> None:
    total, unwritten = 0, []
    for path in part_of_java_util:
        count, lines = find_unwritten_reads(JavaFile(path.read_bytes()))
        total += count
        unwritten += [f"{path.name}:{line}" for line in lines]
    assert unwritten == []
    assert total > 5_000


# Bodies, and whether a write precedes the read of the variable in g(…) on each path: examples like
# those of JLS 16, and some with finally.
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
def test_small_examples_of_definite_assignment(body: str, assigned: bool) -> None:
    file = JavaFile(f"class T {{ void m(int n) {{ {body} }} }}".encode())
    assert (find_unwritten_reads(file)[1] == []) is assigned


def test_javac_agrees_with_the_examples(tmp_path: Path) -> None:
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    # All methods are in one class, one per line: javac stops at the first class with errors.
    methods = [f"void m{index}(int n) {{ {body} }}" for index, (body, _) in enumerate(EXAMPLES)]
    head = "abstract class T { abstract int f(); abstract void g(int k); abstract void h();"
    path = tmp_path / "T.java"
    path.write_text("\n".join([head, *methods, "}"]))
    compilation = subprocess.run(
        [javac, *JAVAC, "-d", str(tmp_path), str(path)], capture_output=True, text=True
    )
    errors = re.findall(r"T\.java:(\d+): error: (.*)", compilation.stderr)
    assert {text for _, text in errors} == {"variable k might not have been initialized"}
    rejected = {int(line) - 2 for line, _ in errors}
    assert rejected == {index for index, (_, assigned) in enumerate(EXAMPLES) if not assigned}
