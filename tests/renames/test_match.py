"""Methods of two versions, matched. javac is the oracle for which methods a file declares."""

from __future__ import annotations

import random
import re
import shutil
import string
import subprocess
from pathlib import Path

import numpy as np
import pytest

from codeacumen.corpus.reading import Problem
from codeacumen.languages.java.syntax.grammar import among
from codeacumen.renames.match import Pair, match
from codeacumen.renames.versions import Version, names_of_methods, version_of
from renames.events import JOIN, SUM, java, method
from support import ROOT

EXAMPLES = sorted((ROOT / "examples").rglob("*.java"))


def version(text: str | bytes) -> Version:
    found = version_of("A.java", text.encode() if isinstance(text, str) else text)
    assert isinstance(found, Version), found
    return found


def pair(old: str | bytes, new: str | bytes) -> list[Pair]:
    return [Pair("A.java", "A.java", version(old), version(new))]


def renamed(old: str | bytes, new: str | bytes) -> list[tuple[str, str]]:
    return [(one.old.name, one.new.name) for one in match(pair(old, new)).renames]


def test_a_version_matches_itself() -> None:
    for path in EXAMPLES:
        data = path.read_bytes()
        found = match(pair(data, data))
        assert len(found.same) == len(version(data).methods)
        assert [] == found.renames == found.changed == found.gone == found.fresh == found.followed


def test_what_is_forgotten_is_told_by_the_method_alone() -> None:
    for path in EXAMPLES:
        whole, alone = version(path.read_bytes()), version(path.read_bytes())
        alone.forget()
        for one in whole.methods:
            assert alone.body(one) == whole.body(one)
            assert alone.heads(one) == whole.heads(one)


def test_every_method_of_a_real_file_is_found_again_under_a_new_name() -> None:
    """All methods of a file renamed at once, calls too, by text: as an IDE that renames blindly."""
    files = methods = 0
    for path in EXAMPLES:
        text = path.read_text()
        here = version(text)
        names = {one.name for one in here.methods}
        syntax, named = here.file.syntax, names_of_methods(here.file)
        others = syntax.is_leaf & ~named & ~among("line_comment", "block_comment")[syntax.kind]
        said = {
            word
            for node in np.flatnonzero(others).tolist()
            for word in re.findall(r"[\w$]+", syntax.text(node))
        }
        # A name that is also a field's, or in a string, would be changed there, too.
        clear = sorted(names - said)
        if not clear:
            continue
        other = text
        for name in clear:
            other = _word_replaced(other, name, f"{name}Anew")
        found = match(pair(text, other))
        wanted = sorted((one.name, f"{one.name}Anew") for one in here.methods if one.name in clear)
        assert sorted((one.old.name, one.new.name) for one in found.renames) == wanted, path
        assert [] == found.changed == found.gone == found.fresh
        files, methods = files + 1, methods + len(wanted)
    assert files >= 20
    assert methods >= 200


def _word_replaced(text: str, word: str, other: str) -> str:
    return re.sub(rf"(?<![\w$]){re.escape(word)}(?![\w$])", other, text)


def test_javac_declares_the_same_methods(tmp_path: Path) -> None:
    """Owners, names and numbers of parameters of a compiled file, against what javap lists."""
    javac, javap = shutil.which("javac"), shutil.which("javap")
    if javac is None or javap is None:
        pytest.skip("no JDK here: javac is the oracle")
    source = java(
        "Plan",
        method("compute"),
        method("compute", JOIN, parameters="java.util.List<String> n, int... more"),
        "static <T> T[] all(T[] some) { return some; }",
        "interface Inner { void run(); default int f(int[][] n) { return 1; } }",
    )
    (tmp_path / "Plan.java").write_text(source)
    subprocess.run([javac, "-d", str(tmp_path), str(tmp_path / "Plan.java")], check=True)
    listed: set[tuple[str, str, int]] = set()
    for name in ("Plan", "Plan$Inner"):
        said = subprocess.run(
            [javap, "-p", "-cp", str(tmp_path), name], check=True, capture_output=True, text=True
        ).stdout
        for line in said.splitlines()[2:-1]:
            head, _, rest = line.partition("(")
            called = head.split()[-1]
            inside = rest.partition(")")[0]
            if called != name:
                listed.add((name.replace("$", "."), called, inside.count(", ") + bool(inside)))
    found = {(one.owner, one.name, len(one.types)) for one in version(source).methods}
    assert found == listed


def test_a_thousand_getters_take_no_thousand_times_longer() -> None:
    old = "class A {" + "".join(f"int get{i}() {{ return x; }}" for i in range(1500)) + "}"
    new = old.replace("get", "fetch")
    found = match(pair(old, new))
    assert len(found.renames) == 1500
    assert all(one.ambiguous for one in found.renames)
    assert [one.new.name for one in found.renames[:2]] == ["fetch0", "fetch1"]


def test_the_order_of_methods_does_not_matter() -> None:
    ones = [method(f"f{i}", f"return {i} * n + g{i}(n) + {i};") for i in range(20)]
    others = [one.replace(f"f{i}(", f"h{i}(") for i, one in enumerate(ones)]
    random.Random(3).shuffle(others)
    assert sorted(renamed(java("A", *ones), java("A", *others))) == sorted(
        (f"f{i}", f"h{i}") for i in range(20)
    )


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_are_a_version_or_a_problem(seed: int) -> None:
    lot = random.Random(seed)
    source = java("A", method("compute", SUM), method("join", JOIN)).encode()
    data = bytearray(source)
    for _ in range(lot.randrange(1, 30)):
        place = lot.randrange(len(data))
        data[place : place + lot.randrange(3)] = lot.choice(
            [
                b"",
                b"{",
                b"}",
                bytes([lot.randrange(256)]),
                lot.choice(string.ascii_letters).encode(),
            ]
        )
    found = version_of("A.java", bytes(data))
    assert isinstance(found, Version | Problem)
    if isinstance(found, Version):
        match([Pair("A.java", "A.java", version(source), found)])
        match([Pair("A.java", "A.java", found, version(source))])


def test_deep_nesting_does_not_recurse() -> None:
    deep = "{" * 10_000 + "}" * 10_000
    assert renamed(
        java("A", method("f", deep, head="void")), java("A", method("g", deep, head="void"))
    ) == [("f", "g")]
    classes = "class A { int f() { return 1; } " * 10_000 + "}" * 10_000
    assert isinstance(version_of("A.java", classes.encode()), Problem)
