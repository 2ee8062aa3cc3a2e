"""Tests of the names that could be called at a call, which must contain the called name.

On real code the oracle is the linker, which test_javac compares with javac; small programs follow
JLS 15.12 by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codeacumen.languages.java.resolve import JavaProject, extract_facts, load_platform
from codeacumen.languages.java.resolve.link import AvailableNames, AvailableNamesFinder
from codeacumen.languages.java.syntax.file import JavaFile

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus


def find_available_names(*sources: str) -> dict[str, AvailableNames]:
    """Return for each word ``callN`` in the sources the names that could be called there."""
    files = {f"{index}.java": JavaFile(text.encode()) for index, text in enumerate(sources)}
    facts_by_path = {path: extract_facts(file) for path, file in files.items()}
    project = JavaProject(
        [(path, file_facts.declared) for path, file_facts in facts_by_path.items()], load_platform()
    )
    offers = AvailableNamesFinder(project)
    names_by_call: dict[str, AvailableNames] = {}
    for path, file in files.items():
        text = file.source.decode()
        call_offsets = [text.index(f"call{n}") for n in range(20) if f"call{n}" in text]
        for start, available in offers.find_names(
            path, facts_by_path[path].sites, call_offsets
        ).items():
            names_by_call[text[start:].split("(")[0]] = available
    return names_by_call


ABOVE = """
package a;
public class Above {
    public void open() {} protected int count(int x) { return x; } void inside() {}
    private void own() {} public static Above make(String... parts) { return null; }
}
"""
BELOW = """
package b;
import static java.util.Objects.*;
import static java.lang.Math.max;
class Below extends a.Above implements Comparable<Below> {
    public int compareTo(Below other) { return call0(1); }
    void look(a.Above above, String text, int[] numbers) {
        call1(); above.call2(); text.call3(2); a.Above.call4("x", "y"); numbers.call5();
        super.call6(3); unknown().call7(); call8(1, 2);
        new Object() { void deep() { call9(); } };
        java.util.List<String> list = null;
        list.stream().call10(one -> one); list.forEach(one -> one.call11(1));
    }
    static void shared() {}
}
"""


def test_available_names_by_hand() -> None:
    names_by_call = find_available_names(ABOVE, BELOW)
    assert names_by_call["call1"].receiver == "b.Below"
    assert {"open", "shared", "hashCode"} <= set(names_by_call["call1"].names)
    assert not {"inside", "own", "compareTo"} & set(names_by_call["call1"].names), (
        "not seen, or arguments"
    )
    assert {"count", "compareTo", "requireNonNull"} <= set(names_by_call["call0"].names)
    assert names_by_call["call2"].receiver == "a.Above"
    assert "open" in names_by_call["call2"].names
    assert not {"own", "inside", "look"} & set(names_by_call["call2"].names)
    assert {"substring", "charAt", "repeat"} <= set(names_by_call["call3"].names)
    assert "length" not in names_by_call["call3"].names
    assert names_by_call["call4"] == AvailableNames("a.Above", 2, True, ("make",))
    assert names_by_call["call5"].receiver == "[]"
    assert {"count"} <= set(names_by_call["call6"].names)
    assert "compareTo" not in names_by_call["call6"].names
    assert names_by_call["call7"].names == ()
    assert "max" in names_by_call["call8"].names, "imported by its name"
    assert {"deep", "shared", "open"} <= set(names_by_call["call9"].names), (
        "of the classes around, too"
    )
    assert {"map", "filter", "forEach"} <= set(names_by_call["call10"].names)
    assert names_by_call["call11"].receiver == "java.lang.String"


def test_available_names_do_not_depend_on_the_called_name() -> None:
    """The same names are available whatever name the call has."""
    first, second = (
        find_available_names(ABOVE, BELOW.replace("call3(2)", f"call3(2 + {n})"))["call3"]
        for n in range(2)
    )
    renamed_source = BELOW.replace("call3", "substring").replace("text.substring", "text.call3")
    assert first == second == find_available_names(ABOVE, renamed_source)["call3"]


def test_available_names_contain_the_called_name(examples_corpus: Corpus) -> None:
    """In projects without libraries, the name of each linked call is available at that call."""
    import pyarrow.parquet as pq

    from codeacumen.corpus.facts import read_sites
    from codeacumen.corpus.link import load_world

    corpus, checked = examples_corpus, 0
    for project, shards in corpus.manifest.shards.items():
        offers = AvailableNamesFinder(load_world(corpus.folder, tuple(shards))[0])
        for shard in shards:
            calls: dict[str, dict[int, str]] = {}
            for row in pq.read_table(corpus.calls_path(project, shard)).to_pylist():
                if not row["reference"] and "<init>" not in row["callee"]:
                    calls.setdefault(row["path"], {})[row["start_byte"]] = row["callee"]
            for path, sites, _ in read_sites(corpus.folder / "shards" / shard):
                callees = calls.get(path, {})
                names_by_offset = offers.find_names(path, sites, callees)
                for start, callee in callees.items():
                    name = callee.partition("(")[0].partition("/")[0].rpartition(".")[2]
                    assert name in names_by_offset[start].names, (callee, names_by_offset[start])
                    checked += 1
    assert checked > 4000


@pytest.mark.parametrize("source", ["class A { void f() { call0( } }", "call0();", "class A { {{"])
def test_broken_sources(source: str) -> None:
    assert all(
        isinstance(available, AvailableNames) for available in find_available_names(source).values()
    )
