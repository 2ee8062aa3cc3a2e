"""Tests of matching the methods of two versions of a file.

javac is the oracle for the methods that a file declares.
"""

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
from codeacumen.languages.java.syntax.grammar import symbol_mask
from codeacumen.renames.match import FilePair, match_methods
from codeacumen.renames.versions import FileVersion, mask_method_names, parse_version
from renames.events import JOIN_BODY, SUM_BODY, java_file, method_source
from support import ROOT

EXAMPLES = sorted((ROOT / "examples").rglob("*.java"))


def parse_java(text: str | bytes) -> FileVersion:
    parsed = parse_version("A.java", text.encode() if isinstance(text, str) else text)
    assert isinstance(parsed, FileVersion), parsed
    return parsed


def pair_versions(old: str | bytes, new: str | bytes) -> list[FilePair]:
    return [FilePair("A.java", "A.java", parse_java(old), parse_java(new))]


def find_renames(old: str | bytes, new: str | bytes) -> list[tuple[str, str]]:
    return [
        (rename.old.name, rename.new.name)
        for rename in match_methods(pair_versions(old, new)).renames
    ]


def test_a_version_matches_itself() -> None:
    for path in EXAMPLES:
        data = path.read_bytes()
        result = match_methods(pair_versions(data, data))
        assert len(result.unchanged) == len(parse_java(data).methods)
        assert (
            []
            == result.renames
            == result.changed
            == result.removed
            == result.added
            == result.followed
        )


def test_a_version_without_its_file_reparses_single_methods() -> None:
    for path in EXAMPLES:
        complete, without_file = parse_java(path.read_bytes()), parse_java(path.read_bytes())
        without_file.drop_syntax()
        for method in complete.methods:
            assert without_file.parse_body(method) == complete.parse_body(method)
            assert without_file.parse_header_words(method) == complete.parse_header_words(method)


def test_renaming_all_methods_of_a_file_is_matched() -> None:
    """All methods of a file and their calls are renamed in the text at once."""
    file_count = method_count = 0
    for path in EXAMPLES:
        text = path.read_text()
        original = parse_java(text)
        names = {method.name for method in original.methods}
        syntax, is_method_name = original.file.syntax, mask_method_names(original.file)
        is_other_leaf = (
            syntax.is_leaf
            & ~is_method_name
            & ~symbol_mask("line_comment", "block_comment")[syntax.kind]
        )
        other_words = {
            word
            for node in np.flatnonzero(is_other_leaf).tolist()
            for word in re.findall(r"[\w$]+", syntax.text(node))
        }
        # Replacing a name that also occurs in a field or string would change that, too.
        renamable = sorted(names - other_words)
        if not renamable:
            continue
        renamed_text = text
        for name in renamable:
            renamed_text = _replace_word(renamed_text, name, f"{name}Anew")
        result = match_methods(pair_versions(text, renamed_text))
        expected = sorted(
            (method.name, f"{method.name}Anew")
            for method in original.methods
            if method.name in renamable
        )
        assert (
            sorted((rename.old.name, rename.new.name) for rename in result.renames) == expected
        ), path
        assert [] == result.changed == result.removed == result.added
        file_count, method_count = file_count + 1, method_count + len(expected)
    assert file_count >= 20
    assert method_count >= 200


def _replace_word(text: str, word: str, replacement: str) -> str:
    return re.sub(rf"(?<![\w$]){re.escape(word)}(?![\w$])", replacement, text)


def test_javac_declares_the_same_methods(tmp_path: Path) -> None:
    """Compare owners, names and numbers of parameters with those that javap lists."""
    javac, javap = shutil.which("javac"), shutil.which("javap")
    if javac is None or javap is None:
        pytest.skip("no JDK here: javac is the oracle")
    source = java_file(
        "Plan",
        method_source("compute"),
        method_source("compute", JOIN_BODY, parameters="java.util.List<String> n, int... more"),
        "static <T> T[] all(T[] some) { return some; }",
        "interface Inner { void run(); default int f(int[][] n) { return 1; } }",
    )
    (tmp_path / "Plan.java").write_text(source)
    subprocess.run([javac, "-d", str(tmp_path), str(tmp_path / "Plan.java")], check=True)
    listed: set[tuple[str, str, int]] = set()
    for name in ("Plan", "Plan$Inner"):
        javap_output = subprocess.run(
            [javap, "-p", "-cp", str(tmp_path), name], check=True, capture_output=True, text=True
        ).stdout
        for line in javap_output.splitlines()[2:-1]:
            head, _, rest = line.partition("(")
            method_name = head.split()[-1]
            parameters = rest.partition(")")[0]
            if method_name != name:
                listed.add(
                    (name.replace("$", "."), method_name, parameters.count(", ") + bool(parameters))
                )
    declared = {
        (method.owner, method.name, len(method.parameter_types))
        for method in parse_java(source).methods
    }
    assert declared == listed


def test_many_equal_methods_are_matched_quickly() -> None:
    old = "class A {" + "".join(f"int get{i}() {{ return x; }}" for i in range(1500)) + "}"
    new = old.replace("get", "fetch")
    result = match_methods(pair_versions(old, new))
    assert len(result.renames) == 1500
    assert all(rename.ambiguous for rename in result.renames)
    assert [rename.new.name for rename in result.renames[:2]] == ["fetch0", "fetch1"]


def test_the_order_of_methods_does_not_matter() -> None:
    old_methods = [method_source(f"f{i}", f"return {i} * n + g{i}(n) + {i};") for i in range(20)]
    new_methods = [source.replace(f"f{i}(", f"h{i}(") for i, source in enumerate(old_methods)]
    random.Random(3).shuffle(new_methods)
    assert sorted(
        find_renames(java_file("A", *old_methods), java_file("A", *new_methods))
    ) == sorted((f"f{i}", f"h{i}") for i in range(20))


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_are_a_version_or_a_problem(seed: int) -> None:
    random_source = random.Random(seed)
    source = java_file(
        "A", method_source("compute", SUM_BODY), method_source("join", JOIN_BODY)
    ).encode()
    data = bytearray(source)
    for _ in range(random_source.randrange(1, 30)):
        position = random_source.randrange(len(data))
        data[position : position + random_source.randrange(3)] = random_source.choice(
            [
                b"",
                b"{",
                b"}",
                bytes([random_source.randrange(256)]),
                random_source.choice(string.ascii_letters).encode(),
            ]
        )
    parsed = parse_version("A.java", bytes(data))
    assert isinstance(parsed, FileVersion | Problem)
    if isinstance(parsed, FileVersion):
        match_methods([FilePair("A.java", "A.java", parse_java(source), parsed)])
        match_methods([FilePair("A.java", "A.java", parsed, parse_java(source))])


def test_deep_nesting_does_not_recurse() -> None:
    deep = "{" * 10_000 + "}" * 10_000
    assert find_renames(
        java_file("A", method_source("f", deep, head="void")),
        java_file("A", method_source("g", deep, head="void")),
    ) == [("f", "g")]
    classes = "class A { int f() { return 1; } " * 10_000 + "}" * 10_000
    assert isinstance(parse_version("A.java", classes.encode()), Problem)
