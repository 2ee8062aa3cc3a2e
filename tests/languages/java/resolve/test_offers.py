"""What could be called: the true name must be among it. The calls that were linked, by a linker
that javac itself checks (test_javac), are the oracle on real code; JLS 15.12 by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codeacumen.languages.java.resolve import Project, facts, platform
from codeacumen.languages.java.resolve.link import AvailableNames, Offers
from codeacumen.languages.java.syntax.file import JavaFile

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus


def offers_of(*sources: str) -> dict[str, AvailableNames]:
    """For each word ``callN`` in the files what could be called there."""
    files = {f"{place}.java": JavaFile(text.encode()) for place, text in enumerate(sources)}
    made = {path: facts(file) for path, file in files.items()}
    project = Project([(path, one.declared) for path, one in made.items()], platform())
    offers = Offers(project)
    found: dict[str, AvailableNames] = {}
    for path, file in files.items():
        text = file.source.decode()
        places = [text.index(f"call{n}") for n in range(20) if f"call{n}" in text]
        for start, offer in offers.of(path, made[path].sites, places).items():
            found[text[start:].split("(")[0]] = offer
    return found


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


def test_by_hand() -> None:
    found = offers_of(ABOVE, BELOW)
    assert found["call1"].receiver == "b.Below"
    assert {"open", "shared", "hashCode"} <= set(found["call1"].names)
    assert not {"inside", "own", "compareTo"} & set(found["call1"].names), "not seen, or arguments"
    assert {"count", "compareTo", "requireNonNull"} <= set(found["call0"].names)
    assert found["call2"].receiver == "a.Above"
    assert "open" in found["call2"].names
    assert not {"own", "inside", "look"} & set(found["call2"].names)
    assert {"substring", "charAt", "repeat"} <= set(found["call3"].names)
    assert "length" not in found["call3"].names
    assert found["call4"] == AvailableNames("a.Above", 2, True, ("make",))
    assert found["call5"].receiver == "[]"
    assert {"count"} <= set(found["call6"].names)
    assert "compareTo" not in found["call6"].names
    assert found["call7"].names == ()
    assert "max" in found["call8"].names, "imported by its name"
    assert {"deep", "shared", "open"} <= set(found["call9"].names), "of the classes around, too"
    assert {"map", "filter", "forEach"} <= set(found["call10"].names)
    assert found["call11"].receiver == "java.lang.String"


def test_the_name_itself_plays_no_part() -> None:
    """Whatever the call is called, the same is offered."""
    one, other = (
        offers_of(ABOVE, BELOW.replace("call3(2)", f"call3(2 + {n})"))["call3"] for n in range(2)
    )
    named = BELOW.replace("call3", "substring").replace("text.substring", "text.call3")
    assert one == other == offers_of(ABOVE, named)["call3"]


def test_true_names_are_offered(examples_corpus: Corpus) -> None:
    """In projects without libraries, each call that names a known method is offered that name."""
    import pyarrow.parquet as pq

    from codeacumen.corpus.facts import read_sites
    from codeacumen.corpus.link import world_of

    corpus, seen = examples_corpus, 0
    for project, shards in corpus.manifest.shards.items():
        offers = Offers(world_of(corpus.folder, tuple(shards))[0])
        for shard in shards:
            calls: dict[str, dict[int, str]] = {}
            for row in pq.read_table(corpus.calls_of(project, shard)).to_pylist():
                if not row["reference"] and "<init>" not in row["callee"]:
                    calls.setdefault(row["path"], {})[row["start_byte"]] = row["callee"]
            for path, sites, _ in read_sites(corpus.folder / "shards" / shard):
                mine = calls.get(path, {})
                found = offers.of(path, sites, mine)
                for start, callee in mine.items():
                    name = callee.partition("(")[0].partition("/")[0].rpartition(".")[2]
                    assert name in found[start].names, (callee, found[start])
                    seen += 1
    assert seen > 4000


@pytest.mark.parametrize("source", ["class A { void f() { call0( } }", "call0();", "class A { {{"])
def test_broken_sources(source: str) -> None:
    assert all(isinstance(one, AvailableNames) for one in offers_of(source).values())
