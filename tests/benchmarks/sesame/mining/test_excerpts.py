"""Tests of excerpts. Oracles: the excerpts shown to SeSaMe's raters, made with Eclipse's compiler,
and javac's parser."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import zipfile
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.benchmarks.sesame.mining.excerpts import (
    find_surroundings,
    format_method_excerpt,
)
from codeacumen.languages.java.syntax.file import JavaFile
from javac import JAVAC, jdk_source
from support import ROOT, SHARED

SOURCE = b"""\
package a;

import java.util.List;
import java.util.Map;
import java.io.*;
import static java.lang.Math.max;
import static java.lang.Math.min;

/** Not shown. */
@Deprecated
public final class Shop<T extends Comparable<T>> extends Base
        implements Runnable, /* and */ Cloneable {
    /** All that is sold. */
    private List<T> goods;
    int low = 1, high = 2;
    private int unused;

    Shop(int low) {
        this.low = low;
    }

    /**
     * Sells.
     *
     * @return how many
     */
    public int sell(T what) {
\tint many = max(count(what), low);
        Till till = new Till(Coin.CENT);
        Runnable later = new Runnable() {
            int own = 3;
            public void run() { helper(own); }
        };
        return many + till.sum();
    }

    private int count(T what) {
        return goods.indexOf(what);
    }

    void helper(int x) { run(); }

    @Override public void run() { sell(null); }

    void other(Map<T, T> map) { new Shop<T>(min(1, 2)); }

    enum Coin { CENT(1), EURO(100) { int value() { return 0; } };
        private final int worth;
        Coin(int worth) { this.worth = worth; }
        int value() { return worth; }
    }

    static class Till {
        /** In it. */
        private final Coin coin;

        Till(Coin coin) { this.coin = coin; }

        int sum() { return coin.value(); }
    }
}
"""

EXPECTED = """\
import java.util.List;
import java.io.*;
import static java.lang.Math.max;

class Shop<T extends Comparable<T>> extends Base implements Runnable, Cloneable {
    /**
     * Sells.
     *
     * @return how many
     */
    public int sell(T what) {
        int many = max(count(what), low);
        Till till = new Till(Coin.CENT);
        Runnable later = new Runnable() {
            int own = 3;
            public void run() { helper(own); }
        };
        return many + till.sum();
    }

    int low = 1, high = 2;
    /** All that is sold. */
    private List<T> goods;

    private int count(T what) {
        return goods.indexOf(what);
    }

    void helper(int x) { run(); }

    @Override public void run() { sell(null); }

    static class Till {
        /** In it. */
        private final Coin coin;

        Till(Coin coin) { this.coin = coin; }

        int sum() { return coin.value(); }
    }

    enum Coin {
        CENT;

        private final int worth;

        int value() { return worth; }
    }
}
"""


def index_of(file: JavaFile, name: str) -> int:
    return [method.name for method in file.declarations.methods].index(name)


def list_names(file: JavaFile, method: str) -> tuple[list[str], list[str]]:
    members, declarations = find_surroundings(file, index_of(file, method)), file.declarations
    return (
        [declarations.methods[method_index].name for method_index in members.methods],
        [declarations.fields[field_index].name for field_index in members.fields],
    )


def test_excerpt_equals_the_expected_text() -> None:
    file = JavaFile(SOURCE)
    assert format_method_excerpt(file, index_of(file, "sell")) == EXPECTED


def test_members_that_belong_to_a_method() -> None:
    file = JavaFile(SOURCE)
    methods, fields = list_names(file, "sell")
    assert methods[0] == "sell"
    assert sorted(methods) == ["Till", "count", "helper", "run", "sell", "sum", "value"]
    # own is part of sell; high belongs to the declaration of low; unused is not used.
    assert sorted(fields) == ["coin", "goods", "low", "worth"]


def test_all_overloads_with_unknown_types_belong() -> None:
    file = JavaFile(
        b"class A { void f(Some x) { g(x.y()); } void g(Here h) {} void g(There t) {} void g() {} }"
    )
    methods, _ = list_names(file, "f")
    assert methods == ["f", "g", "g"]
    members = find_surroundings(file, 0)
    assert {
        len(file.declarations.methods[method_index].parameters)
        for method_index in members.methods[1:]
    } == {1}


def test_text_block_keeps_its_value() -> None:
    source = (
        b'class A {\n        String f() {\n    return """\n        x\n      y\n      """;\n}\n}\n'
    )
    text = format_method_excerpt(JavaFile(source), 0)
    block = re.search(r'"""\n(.*?)"""', text, re.DOTALL)
    assert block is not None
    lines = block[1].split("\n")
    margin = min(len(line) - len(line.lstrip()) for line in [*lines[:-1], lines[-1] + "x"] if line)
    assert [line[margin:] for line in lines] == ["  x", "y", ""]


@pytest.mark.thorough
def test_javac_parses_every_excerpt(tmp_path: Path, java_util: list[Path]) -> None:
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    files = [
        *sorted((ROOT / "examples").rglob("*.java")),
        *[path for path in java_util if path.stem in ("EnumMap", "TreeMap", "Formatter", "Locale")],
    ]
    excerpt_paths = []
    for file in files:
        java = JavaFile(file.read_bytes())
        for method in range(len(java.declarations.methods)):
            excerpt_path = tmp_path / str(len(excerpt_paths)) / "A.java"
            excerpt_path.parent.mkdir()
            excerpt_path.write_text(format_method_excerpt(java, method), encoding="utf-8")
            excerpt_paths.append(str(excerpt_path))
    assert len(excerpt_paths) > 1000
    (tmp_path / "files").write_text("\n".join(excerpt_paths))
    stop = [f"-XDshould-stop.if{when}=PARSE" for when in ("Error", "NoError")]
    completed = subprocess.run(
        [javac, *JAVAC, "-proc:none", "-encoding", "utf-8", *stop, f"@{tmp_path / 'files'}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr[:2000]
    # javac rejects a broken file, so the check above is effective.
    Path(excerpt_paths[0]).write_text("class A { void f( }")
    completed = subprocess.run(
        [javac, *JAVAC, *stop, excerpt_paths[0]], capture_output=True, text=True, check=False
    )
    assert completed.returncode != 0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_files_have_excerpts(data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(SOURCE)))
    noise = data.draw(st.binary(max_size=8))
    file = JavaFile(SOURCE[:cut] + noise + SOURCE[cut + data.draw(st.integers(0, 40)) :])
    for method in range(len(file.declarations.methods)):
        format_method_excerpt(file, method).encode()


def test_deep_nesting_does_not_recurse() -> None:
    deep = 3000
    file = JavaFile(b"class A {" * deep + b"int x; int f() { return x; }" + b"}" * deep)
    text = format_method_excerpt(file, 0)
    assert text.count("class A") == deep
    file = JavaFile(
        b"class A { void f() { " + b"g(" * deep + b")" * deep + b"; } int g(int x) {} }"
    )
    assert "int g" in format_method_excerpt(file, 0)


@pytest.mark.thorough
def test_members_equal_those_shown_to_raters_of_sesame() -> None:
    """Compare the methods of JDK 11 among the 857 pairs whose members are unchanged in this JDK.

    Fields are compared only for the enclosing classes: for other classes the published tool shows
    no fields, but repeats those of the enclosing class.
    """
    methods = SHARED / "sesame" / "methods.jsonl"
    source = jdk_source()
    if not methods.is_file() or source is None:
        pytest.skip("SeSaMe's methods or the JDK's source are not here")
    compared_count = same_count = 0
    with zipfile.ZipFile(source) as archive:
        files: dict[str, JavaFile] = {}
        for path, key, text in _read_excerpts(methods, set(archive.namelist())):
            if path not in files:
                files[path] = JavaFile(archive.read(path))
            is_same = _has_same_members(files[path], JavaFile(text.encode()), key)
            if is_same is not None:
                compared_count += 1
                same_count += is_same
    assert compared_count == 400
    # In one excerpt, the published tool shows the methods of a local class twice; in the other, a
    # constructor is explicit that was the default one in JDK 11.
    assert same_count == 398


def _read_excerpts(methods: Path, archive_paths: set[str]) -> Iterator[tuple[str, str, str]]:
    with (methods.parent / "sampled-pairs.csv").open(newline="") as stream:
        rows = {row["pairid"]: row for row in csv.DictReader(stream)}
    for line in methods.read_text().splitlines():
        entry = json.loads(line)
        for side, number in (("first", "1"), ("second", "2")):
            row = rows[entry["pairid"]]
            path_match = re.match(
                r"repos/openjdk11/src/([^/]+)/(?:share|unix|linux)/classes/(.*)",
                row["file" + number],
            )
            if path_match and f"{path_match[1]}/{path_match[2]}" in archive_paths:
                yield f"{path_match[1]}/{path_match[2]}", row["method" + number], entry[side]


def _has_same_members(file: JavaFile, excerpt_file: JavaFile, key: str) -> bool | None:
    """Return True if both show the same members, or None if the source has changed."""
    excerpt_declarations = excerpt_file.declarations
    method_nodes = [method.node for method in excerpt_declarations.methods]
    shown_methods = [
        method
        for method in excerpt_declarations.methods
        if not _is_inside(excerpt_file, method.node, method_nodes)
    ]
    # Methods with equal tokens have equal names, so other names need no token texts.
    shown_names = {method.name for method in shown_methods}
    methods_by_tokens: dict[tuple[str, ...], list[int]] = {}
    for i, method in enumerate(file.declarations.methods):
        if method.name in shown_names:
            methods_by_tokens.setdefault(_list_token_texts(file, method.node), []).append(i)
    path = key.partition("(")[0].split(".")
    same_name = [method for method in shown_methods if method.name == path[-1]]
    if not same_name or any(
        _list_token_texts(excerpt_file, method.node) not in methods_by_tokens
        for method in shown_methods
    ):
        return None
    candidates = methods_by_tokens[_list_token_texts(excerpt_file, same_name[0].node)]
    path_of = file.declarations.type_path
    exact = [i for i in candidates if list(path_of(file.declarations.methods[i].type)) == path[:-1]]
    members = find_surroundings(file, (exact or candidates)[0])
    # An anonymous class in a field's initializer is part of the field.
    field_nodes = [
        int(excerpt_file.syntax.parent[field.node]) for field in excerpt_declarations.fields
    ]
    their_methods = {
        (method.name, len(method.parameters))
        for method in shown_methods
        if not _is_inside(excerpt_file, method.node, field_nodes)
    }
    their_fields = {
        field.name
        for field in excerpt_declarations.fields
        if not _is_inside(excerpt_file, field.node, method_nodes)
        and not _is_inside(excerpt_file, int(excerpt_file.syntax.parent[field.node]), field_nodes)
    }
    declarations = file.declarations
    our_methods = {
        (declarations.methods[i].name, len(declarations.methods[i].parameters))
        for i in members.methods
    }
    enclosing_types = _list_enclosing_types(file, members.methods[0])
    field_declarations = {
        int(file.syntax.parent[declarations.fields[i].node]) for i in members.fields
    }
    our_fields = {
        field.name: field.type
        for field in declarations.fields
        if int(file.syntax.parent[field.node]) in field_declarations
    }
    assert their_fields <= set(our_fields), (key, their_fields, our_fields)
    assert {
        name for name, type_ in our_fields.items() if type_ in enclosing_types
    } <= their_fields, key
    return our_methods == their_methods


def _list_enclosing_types(file: JavaFile, method: int) -> set[int]:
    type_ = file.declarations.methods[method].type
    enclosing_types = set()
    while type_ >= 0:
        enclosing_types.add(type_)
        type_ = file.declarations.types[type_].owner
    return enclosing_types


def _list_token_texts(file: JavaFile, node: int) -> tuple[str, ...]:
    tokens, syntax = file.tokens, file.syntax
    first = bisect_left(tokens.start, syntax.start[node])
    last = bisect_left(tokens.start, syntax.end[node])
    return tuple(tokens.text(i) for i in range(first, last))


def _is_inside(file: JavaFile, node: int, others: list[int]) -> bool:
    return any(other < node < file.syntax.stop[other] for other in others)
