"""Oracles: the excerpts that SeSaMe's raters saw, made by Eclipse's compiler; javac's parser."""

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

from codeacumen.benchmarks.sesame.mining.surroundings import excerpt, surroundings
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


def place(file: JavaFile, name: str) -> int:
    return [one.name for one in file.declarations.methods].index(name)


def names(file: JavaFile, method: str) -> tuple[list[str], list[str]]:
    found, declared = surroundings(file, place(file, method)), file.declarations
    return (
        [declared.methods[one].name for one in found.methods],
        [declared.fields[one].name for one in found.fields],
    )


def test_an_excerpt_by_hand() -> None:
    file = JavaFile(SOURCE)
    assert excerpt(file, place(file, "sell")) == EXPECTED


def test_who_belongs_to_a_method() -> None:
    file = JavaFile(SOURCE)
    methods, fields = names(file, "sell")
    assert methods[0] == "sell"
    assert sorted(methods) == ["Till", "count", "helper", "run", "sell", "sum", "value"]
    # own is part of sell; high comes along in the same declaration; unused is not used.
    assert sorted(fields) == ["coin", "goods", "low", "worth"]


def test_overloads_whose_types_are_elsewhere_all_belong() -> None:
    file = JavaFile(
        b"class A { void f(Some x) { g(x.y()); } void g(Here h) {} void g(There t) {} void g() {} }"
    )
    methods, _ = names(file, "f")
    assert methods == ["f", "g", "g"]
    found = surroundings(file, 0)
    assert {len(file.declarations.methods[one].parameters) for one in found.methods[1:]} == {1}


def test_a_text_block_keeps_what_it_says() -> None:
    source = (
        b'class A {\n        String f() {\n    return """\n        x\n      y\n      """;\n}\n}\n'
    )
    text = excerpt(JavaFile(source), 0)
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
        *[one for one in java_util if one.stem in ("EnumMap", "TreeMap", "Formatter", "Locale")],
    ]
    listed = []
    for file in files:
        java = JavaFile(file.read_bytes())
        for method in range(len(java.declarations.methods)):
            to = tmp_path / str(len(listed)) / "A.java"
            to.parent.mkdir()
            to.write_text(excerpt(java, method), encoding="utf-8")
            listed.append(str(to))
    assert len(listed) > 1000
    (tmp_path / "files").write_text("\n".join(listed))
    stop = [f"-XDshould-stop.if{when}=PARSE" for when in ("Error", "NoError")]
    done = subprocess.run(
        [javac, *JAVAC, "-proc:none", "-encoding", "utf-8", *stop, f"@{tmp_path / 'files'}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
    # It would have told.
    Path(listed[0]).write_text("class A { void f( }")
    done = subprocess.run(
        [javac, *JAVAC, *stop, listed[0]], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_bytes_survive(data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(SOURCE)))
    noise = data.draw(st.binary(max_size=8))
    file = JavaFile(SOURCE[:cut] + noise + SOURCE[cut + data.draw(st.integers(0, 40)) :])
    for method in range(len(file.declarations.methods)):
        excerpt(file, method).encode()


def test_deep_nesting_does_not_recurse() -> None:
    deep = 3000
    file = JavaFile(b"class A {" * deep + b"int x; int f() { return x; }" + b"}" * deep)
    text = excerpt(file, 0)
    assert text.count("class A") == deep
    file = JavaFile(
        b"class A { void f() { " + b"g(" * deep + b")" * deep + b"; } int g(int x) {} }"
    )
    assert "int g" in excerpt(file, 0)


@pytest.mark.thorough
def test_members_are_those_that_sesames_raters_saw() -> None:
    """All methods of JDK 11 among the 857 pairs which, with all that belongs to them, are the same
    tokens in the JDK that is here. Fields count for the classes around the method: of other
    classes the published tool shows none, but once more those of the class around."""
    methods = SHARED / "sesame" / "methods.jsonl"
    source = jdk_source()
    if not methods.is_file() or source is None:
        pytest.skip("SeSaMe's methods or the JDK's source are not here")
    compared = same = 0
    with zipfile.ZipFile(source) as archive:
        files: dict[str, JavaFile] = {}
        for path, key, text in _excerpts(methods, set(archive.namelist())):
            if path not in files:
                files[path] = JavaFile(archive.read(path))
            found = _compared(files[path], JavaFile(text.encode()), key)
            if found is not None:
                compared += 1
                same += found
    assert compared == 400
    # In one, theirs shows the methods of a local class twice; in the other, a constructor has been
    # written that was a default one in JDK 11.
    assert same == 398


def _excerpts(methods: Path, known: set[str]) -> Iterator[tuple[str, str, str]]:
    with (methods.parent / "sampled-pairs.csv").open(newline="") as stream:
        rows = {row["pairid"]: row for row in csv.DictReader(stream)}
    for line in methods.read_text().splitlines():
        entry = json.loads(line)
        for side, number in (("first", "1"), ("second", "2")):
            row = rows[entry["pairid"]]
            at = re.match(
                r"repos/openjdk11/src/([^/]+)/(?:share|unix|linux)/classes/(.*)",
                row["file" + number],
            )
            if at and f"{at[1]}/{at[2]}" in known:
                yield f"{at[1]}/{at[2]}", row["method" + number], entry[side]


def _compared(whole: JavaFile, seen: JavaFile, key: str) -> bool | None:
    """Whether the same members are shown; None where the source has changed."""
    declared = seen.declarations
    inside = [one.node for one in declared.methods]
    shown = [one for one in declared.methods if not _is_inside(seen, one.node, inside)]
    # The same tokens are the same name: no others need to be spelled out.
    names_shown = {one.name for one in shown}
    known: dict[tuple[str, ...], list[int]] = {}
    for i, one in enumerate(whole.declarations.methods):
        if one.name in names_shown:
            known.setdefault(_tokens(whole, one.node), []).append(i)
    path = key.partition("(")[0].split(".")
    start = [one for one in shown if one.name == path[-1]]
    if not start or any(_tokens(seen, one.node) not in known for one in shown):
        return None
    places = known[_tokens(seen, start[0].node)]
    path_of = whole.declarations.path
    exact = [i for i in places if list(path_of(whole.declarations.methods[i].type)) == path[:-1]]
    ours = surroundings(whole, (exact or places)[0])
    # A class without a name in a field's initial value is part of the field.
    fields = [int(seen.syntax.parent[one.node]) for one in declared.fields]
    theirs = {
        (one.name, len(one.parameters)) for one in shown if not _is_inside(seen, one.node, fields)
    }
    theirs_fields = {
        one.name
        for one in declared.fields
        if not _is_inside(seen, one.node, inside)
        and not _is_inside(seen, int(seen.syntax.parent[one.node]), fields)
    }
    of = whole.declarations
    mine = {(of.methods[i].name, len(of.methods[i].parameters)) for i in ours.methods}
    around = _around(whole, ours.methods[0])
    together = {int(whole.syntax.parent[of.fields[i].node]) for i in ours.fields}
    mine_fields = {
        one.name: one.type for one in of.fields if int(whole.syntax.parent[one.node]) in together
    }
    assert theirs_fields <= set(mine_fields), (key, theirs_fields, mine_fields)
    assert {n for n, type_ in mine_fields.items() if type_ in around} <= theirs_fields, key
    return mine == theirs


def _around(file: JavaFile, method: int) -> set[int]:
    type_ = file.declarations.methods[method].type
    found = set()
    while type_ >= 0:
        found.add(type_)
        type_ = file.declarations.types[type_].owner
    return found


def _tokens(file: JavaFile, node: int) -> tuple[str, ...]:
    tokens, syntax = file.tokens, file.syntax
    first = bisect_left(tokens.start, syntax.start[node])
    last = bisect_left(tokens.start, syntax.end[node])
    return tuple(tokens.text(i) for i in range(first, last))


def _is_inside(file: JavaFile, node: int, others: list[int]) -> bool:
    return any(one < node < file.syntax.stop[one] for one in others)
