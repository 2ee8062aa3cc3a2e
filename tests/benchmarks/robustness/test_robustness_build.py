"""From a corpus to a robustness data set. What is expected is found by another way: the corpus by
SQL, variants file by file."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace as replaced
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.robustness import Robustness
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import SCHEMA, read_built
from codeacumen.datasets.variants.build import build
from codeacumen.datasets.variants.make import Recipe
from codeacumen.engines import WorkerLost
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code
from codeacumen.transforms.edits import Rewrite, replace
from codeacumen.transforms.location import Location
from codeacumen.transforms.variants import KINDS, variants
from corpora import build_at, contents, project_of, shared_engine

MODES = ("single", "all", "25%")
RECIPE = Recipe(("rename",), MODES, split="all")
# Unchecked, for the larger corpus: what is looked at is not what a level finds.
QUICK = Recipe(("rename",), MODES, split="all", certify="none")

SOURCE = """package a;

class Till {
    private int sum;

    Till(int start) { int first = start; sum = first; }

    void empty(int unused) { }

    int add(int amount) { return sum += amount; }

    int addAll(int[] amounts, int times) {
        int before = sum;
        for (int amount : amounts) add(amount * times);
        return sum - before;
    }

    Runnable later(int amount) {
        return new Runnable() { public void run() { int twice = 2 * amount; add(twice); } };
    }
}
"""


class Here:
    """Does the work in this process, last item first: order must not matter."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for place in reversed(range(len(items))):
            yield place, work(items[place])


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return project_of(tmp_path_factory.mktemp("till"), "a/Till.java", SOURCE)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_a_small_class_in_full(till: Corpus, tmp_path: Path) -> None:
    """No constructor, no empty method, none of a class inside a method."""
    about = build(till, RECIPE, tmp_path, Here())
    originals = {row["id"]: row for row in lines(tmp_path, "originals.jsonl")}
    assert [(row["name"], row["line"], row["statements"]) for row in originals.values()] == [
        ("add", 10, 2),
        ("addAll", 12, 5),
        ("later", 18, 5),
    ]
    told = [
        (originals[row["method"]]["name"], row["where"], row["locations"])
        for row in lines(tmp_path, "variants.jsonl")
    ]
    assert told == [
        ("add", "single", ["rename:amount:0"]),
        ("addAll", "single", ["rename:amounts:0"]),
        ("addAll", "single", ["rename:times:0"]),
        ("addAll", "single", ["rename:before:0"]),
        ("addAll", "single", ["rename:amount:0"]),
        (
            "addAll",
            "all",
            ["rename:amounts:0", "rename:times:0", "rename:before:0", "rename:amount:0"],
        ),
        # A quarter of four places; of fewer than four there is no quarter.
        ("addAll", "25%", told[6][2]),
        ("later", "single", ["rename:amount:0"]),
    ]
    assert len(told[6][2]) == 1
    assert about["counts"]["methods"] == 3
    assert about["counts"]["methods_looked_at"] == 3
    assert about["counts"]["variants"] == {"rename": {"single": 6, "all": 1, "25%": 1}}
    first = lines(tmp_path, "variants.jsonl")[0]
    assert first["id"] == f"{first['method']}/rename/single/rename:amount:0"
    assert first["text"] == "int METHOD_NAME(int var0) { return sum += var0; }"
    assert first["certificate"] == {"level": "parses"}
    assert originals[first["method"]]["text"] == (
        "int METHOD_NAME(int amount) { return sum += amount; }"
    )


def test_only_some_methods(till: Corpus, tmp_path: Path) -> None:
    """Their variants are those that they have among all; and a network may learn from one each."""
    from codeacumen.models.neural.training.preparing import variants_hash, with_variants

    build(till, RECIPE, tmp_path / "all", Here())
    ids = [row["id"] for row in lines(tmp_path / "all", "originals.jsonl")]
    about = build(till, RECIPE, tmp_path / "some", Here(), methods=ids[:2])
    assert about["chosen_methods"] == 2
    assert [row["id"] for row in lines(tmp_path / "some", "originals.jsonl")] == ids[:2]
    wanted = [row for row in lines(tmp_path / "all", "variants.jsonl") if row["method"] != ids[2]]
    assert lines(tmp_path / "some", "variants.jsonl") == wanted
    told = with_variants(None, tmp_path / "some")  # type: ignore[arg-type]
    texts = {row["text"] for row in wanted if row["method"] == ids[1]}
    assert told.variant(ids[1]) in texts
    assert told.variant(ids[2]) == ""
    assert variants_hash(tmp_path / "some") == about["files"]["variants.jsonl"]


def test_a_rare_kind_of_variant_is_drawn_oftener(tmp_path: Path) -> None:
    """Twice as often as a kind of which there is twice as much: of 2,000 methods with one of each,
    two thirds, and no more than four standard deviations beside it."""
    from codeacumen.models.neural.training.preparing import with_variants

    rows = [
        {"id": f"{method}/{kind}", "method": str(method), "kind": kind, "text": kind}
        for method in range(4000)
        for kind in ("rename", *(("switch",) if method < 2000 else ()))
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (tmp_path / "variants.jsonl").write_bytes(lines)
    counts = {"variants": {"rename": {"single": 4000}, "switch": {"single": 2000}}}
    about = {
        "family": "robustness",
        "schema": SCHEMA,
        "kinds": {},
        "counts": counts,
        "files": {"variants.jsonl": hashlib.sha256(lines).hexdigest()},
    }
    (tmp_path / "dataset.json").write_text(json.dumps(about))
    told = with_variants(None, tmp_path)  # type: ignore[arg-type]
    drawn = sum(told.variant(str(method)) == "switch" for method in range(2000))
    assert abs(drawn - 2000 * 2 / 3) < 4 * (2000 * 2 / 9) ** 0.5
    assert {told.variant(str(method)) for method in range(2000, 4000)} == {"rename"}


def test_the_folder_is_a_task(till: Corpus, tmp_path: Path) -> None:
    build(till, RECIPE, tmp_path, Here())
    task = Robustness(read_built(tmp_path), "rename")
    assert [one.name for one in task.card.evaluation_sets] == list(MODES)
    assert len(task.instances()) == 3 + 8


@pytest.fixture(scope="module")
def examples(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("examples") / "data"
    build(examples_corpus, QUICK, out, shared_engine(2))
    return out


def test_methods_of_the_corpus_are_those_that_sql_finds(
    examples_corpus: Corpus, examples: Path
) -> None:
    """Every method with a variant, in the order of the store; and a count of variants that a
    walk over the files comes to as well."""
    rows = examples_corpus.query(
        "select cast(method_id as varchar) as id, m.path, m.place, name, f.source "
        "from methods m join files f using (file_id) "
        "where kind = 'method' and body and not nested"
    ).to_pylist()
    wanted: Counter[str] = Counter()
    files: dict[str, JavaFile] = {}
    for row in rows:
        file = files.setdefault(row["source"], JavaFile(row["source"].encode()))
        body = file.declarations.methods[row["place"]].body
        if "".join(file.syntax.text(body).split()) == "{}":
            continue
        for where in MODES:
            for variant in variants(file, "rename", where, 0, [row["place"]]):
                if where != "all" or len(variant.locations) > 1:
                    wanted[row["id"]] += 1
    found = Counter(row["method"] for row in lines(examples, "variants.jsonl"))
    assert found == wanted
    originals = lines(examples, "originals.jsonl")
    assert len(originals) > 400
    assert {row["id"] for row in originals} == set(wanted)
    names = {row["id"]: row["name"] for row in rows}
    assert all(row["name"] == names[row["id"]] for row in originals)
    numbered = examples_corpus.query(
        "select cast(method_id as varchar) as id from numbers order by number"
    )["id"].to_pylist()
    assert [row["id"] for row in originals] == [id_ for id_ in numbered if id_ in wanted]


@pytest.mark.thorough
def test_the_same_bytes_whoever_does_the_work(
    examples_corpus: Corpus, examples: Path, tmp_path: Path
) -> None:
    build(examples_corpus, QUICK, tmp_path / "here", Here())
    assert contents(tmp_path / "here") == contents(examples)
    assert set(contents(examples)) == {"dataset.json", "originals.jsonl", "variants.jsonl"}


def kept(folder: Path, where: str) -> list[str]:
    return [row["id"] for row in lines(folder, "variants.jsonl") if row["where"] == where]


@pytest.mark.thorough
def test_of_many_variants_some_are_drawn_spread_over_the_methods(
    examples_corpus: Corpus, examples: Path, tmp_path: Path
) -> None:
    def drawn(out: str, **changes: Any) -> Path:
        build(
            examples_corpus,
            replaced(QUICK, where=("single", "all"), **changes),
            tmp_path / out,
            shared_engine(2) if out == "b" else Here(),
        )
        return tmp_path / out

    few = drawn("a", most=200)
    assert contents(few) == contents(drawn("b", most=200))
    assert {len(kept(few, where)) for where in ("single", "all")} == {200}
    every = lines(examples, "variants.jsonl")
    order = {row["id"]: place for place, row in enumerate(every)}
    places = [order[id_] for id_ in kept(few, "single")]
    assert places == sorted(places)
    # Two hundred of 923 methods: each at most once.
    assert len({id_.partition("/")[0] for id_ in kept(few, "single")}) == 200
    other = drawn("c", most=200, seed=1)
    assert kept(other, "single") != kept(few, "single")
    # With more than there are methods, each has one before any has a second one.
    many = Counter(id_.partition("/")[0] for id_ in kept(drawn("d", most=1200), "single"))
    at_all = Counter(row["method"] for row in every if row["where"] == "single")
    assert sum(many.values()) == 1200
    assert set(many) == set(at_all)
    assert all(many[method] == 1 for method, n in at_all.items() if n == 1)
    assert max(many.values()) == 2
    # Those kept when fewer are wanted are kept when more are.
    assert set(kept(few, "single")) <= set(kept(tmp_path / "d", "single"))
    about = json.loads((few / "dataset.json").read_text())
    assert about["counts"]["variants"] == {"rename": {"single": 200, "all": 200}}
    assert about["counts"]["variants_found"]["rename"]["single"] == sum(at_all.values())
    assert about["counts"]["methods"] == len(lines(few, "originals.jsonl"))


@pytest.mark.usefixtures("javac_program")
def test_types_of_other_files_are_known(tmp_path: Path) -> None:
    """Which enum a switch is about, only another file tells; javac says that it is that one."""
    for name, text in {
        "a/b/Light.java": "package a.b; public enum Light { RED, GREEN }",
        "a/Lamp.java": "package a; class Lamp { a.b.Light light() { return null; } }",
        "Crossing.java": "package a; class Crossing { int wait(Lamp lamp) { "
        "switch (lamp.light()) { case RED: return 30; default: return 0; } } }",
    }.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    build_at(tmp_path / "corpus", [str(tmp_path / "src")], workers=1, views=["text"])
    corpus = Corpus.open(tmp_path / "corpus")
    recipe = Recipe(("switch",), ("single",), split="all", certify="compiles")
    about = build(corpus, recipe, tmp_path / "here", Here())
    assert (about["counts"]["refused"], about["counts"]["dropped"]) == ({}, {})
    (row,) = lines(tmp_path / "here", "variants.jsonl")
    assert "a.b.Light.RED" in row["text"]
    assert row["certificate"] == {"level": "compiles"}
    build(corpus, recipe, tmp_path / "there", shared_engine(1))
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


class Wreck:
    """A transformation that forgets a brace in every method that says ``before``, and refuses
    the others."""

    name = "wreck"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        node = code.file.declarations.methods[method].node
        why = "" if "before" in code.text(node) else "it says nothing of before"
        return [Location("wreck:0", method, *code.span(node), why)]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [replace(one.end - 1, one.end, b"") for one in chosen]


class Stumble(Wreck):
    """Falls over a method that says ``before``, and gives others a new name."""

    name = "stumble"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        (location,) = super().locations(code, method, seed)
        if not location.refused:
            raise LookupError("before what?")
        return [replaced(location, refused="")]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        names = [
            code.child(code.file.declarations.methods[one.method].node, "name") for one in chosen
        ]
        return [replace(*code.span(name), b"another") for name in names]


@pytest.fixture
def wreck(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("codeacumen.transforms.wreck")
    module.Wreck, module.Stumble = Wreck, Stumble  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(KINDS, "wreck", ("wreck", "Wreck", "XX", "it breaks"))
    monkeypatch.setitem(KINDS, "stumble", ("wreck", "Stumble", "XY", "it stumbles"))


@pytest.mark.usefixtures("wreck")
def test_what_fails_a_level_is_dropped_and_counted(till: Corpus, tmp_path: Path) -> None:
    recipe = Recipe(("rename", "wreck"), ("single",), split="all")
    about = build(till, recipe, tmp_path, Here())
    assert about["counts"]["dropped"] == {"wreck": {"parses": {"it does not parse": 1}}}
    assert about["counts"]["refused"] == {"wreck": {"it says nothing of before": 2}}
    assert about["counts"]["variants"] == {"rename": {"single": 6}}
    assert about["counts"]["variants_found"]["wreck"] == {"single": 1}
    assert {row["kind"] for row in lines(tmp_path, "variants.jsonl")} == {"rename"}


@pytest.mark.usefixtures("wreck")
@pytest.mark.parametrize("most", [0, 100])
def test_a_transformation_that_fails_on_a_method_ends_nothing_else(
    till: Corpus, tmp_path: Path, most: int
) -> None:
    recipe = Recipe(("stumble", "rename"), ("single",), split="all", most=most)
    about = build(till, recipe, tmp_path, Here())
    dropped = about["counts"]["dropped"]["stumble"]
    assert dropped["made"] == {"LookupError: before what?": 1}
    assert dropped["parses"] == {"ValueError: the edit changes the method's name": 2}
    assert about["counts"]["variants"] == {"rename": {"single": 6}}


@pytest.mark.usefixtures("javac_program")
def test_variants_are_compiled_where_that_is_asked_for(till: Corpus, tmp_path: Path) -> None:
    recipe = Recipe(("rename",), ("single", "all"), split="all", certify="compiles")
    build(till, recipe, tmp_path, Here())
    rows = lines(tmp_path, "variants.jsonl")
    assert len(rows) == 7
    assert {row["certificate"]["level"] for row in rows} == {"compiles"}
    assert all(list(row) == list(rows[0]) and "_" not in row for row in rows)


def test_no_method_is_an_error_that_says_where_they_are(till: Corpus, tmp_path: Path) -> None:
    (split,) = till.query("select distinct split from methods")["split"].to_pylist()
    other = next(one for one in ("train", "dev", "test") if one != split)
    with pytest.raises(CodeacumenError, match=f"no method of the split {other}") as error:
        build(till, Recipe(("rename",), split=other), tmp_path / "data", Here())
    assert f"{split} 6" in error.value.hint
    assert "--split all" in error.value.hint
    assert not (tmp_path / "data" / "dataset.json").exists()


def test_a_folder_of_something_else_stays_as_it_is(till: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(CodeacumenError, match="no data set, and not empty"):
        build(till, RECIPE, tmp_path, Here())
    assert contents(tmp_path) == {"thesis.txt": b"all of it"}


def test_a_data_set_is_made_again_in_its_place(till: Corpus, tmp_path: Path) -> None:
    build(till, RECIPE, tmp_path, Here())
    build(till, Recipe(("rename",), ("single",), split="all"), tmp_path, Here())
    assert len(lines(tmp_path, "variants.jsonl")) == 6
    assert read_built(tmp_path).about["settings"]["where"] == ["single"]


def test_a_process_that_is_lost_is_told(till: Corpus, tmp_path: Path) -> None:
    class Lossy(Here):
        def run(self, work: Any, items: Sequence[Any], limit: float) -> Iterator[tuple[int, Any]]:
            yield 0, WorkerLost("it was killed")

    with pytest.raises(CodeacumenError, match="cannot be transformed: it was killed"):
        build(till, RECIPE, tmp_path / "data", Lossy())
    assert not list((tmp_path / "data").iterdir())
