"""Tests of building a robustness data set from a corpus.

Expected results are computed in another way: methods by SQL, variants file by file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace as replaced
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.robustness import RobustnessTask
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import SCHEMA, read_built
from codeacumen.datasets.variants.build import build_variant_dataset
from codeacumen.datasets.variants.shards import Recipe
from codeacumen.engines import WorkerLost
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code
from codeacumen.transforms.edits import Rewrite, replace_range
from codeacumen.transforms.location import Location
from codeacumen.transforms.variants import KINDS
from corpora import build_corpus_at, build_single_file_corpus, read_files, shared_engine
from support import iterate_variants

build_dataset = partial(build_variant_dataset, "robustness")

MODES = ("single", "all", "25%")
RECIPE = Recipe(("rename",), MODES, split="all")
# Without certification, for the larger corpus, where the tests do not look at certificates.
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


class InProcessEngine:
    """An engine that works in this process, last item first, because order must not matter."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for index in reversed(range(len(items))):
            yield index, work(items[index])


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build_single_file_corpus(tmp_path_factory.mktemp("till"), "a/Till.java", SOURCE)


def read_rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_build_of_a_small_class(till: Corpus, tmp_path: Path) -> None:
    """Constructors, empty methods and methods of classes inside methods are skipped."""
    about = build_dataset(till, RECIPE, tmp_path, InProcessEngine())
    originals = {row["id"]: row for row in read_rows(tmp_path, "originals.jsonl")}
    assert [(row["name"], row["line"], row["statements"]) for row in originals.values()] == [
        ("add", 10, 2),
        ("addAll", 12, 5),
        ("later", 18, 5),
    ]
    summaries = [
        (originals[row["method"]]["name"], row["where"], row["locations"])
        for row in read_rows(tmp_path, "variants.jsonl")
    ]
    assert summaries == [
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
        # A quarter of four locations; with fewer than four locations there is no such variant.
        ("addAll", "25%", summaries[6][2]),
        ("later", "single", ["rename:amount:0"]),
    ]
    assert len(summaries[6][2]) == 1
    assert about["counts"]["methods"] == 3
    assert about["counts"]["methods_examined"] == 3
    assert about["counts"]["variants"] == {"rename": {"single": 6, "all": 1, "25%": 1}}
    first = read_rows(tmp_path, "variants.jsonl")[0]
    assert first["id"] == f"{first['method']}/rename/single/rename:amount:0"
    assert first["text"] == "int METHOD_NAME(int var0) { return sum += var0; }"
    assert first["certificate"] == {"level": "parses"}
    assert originals[first["method"]]["text"] == (
        "int METHOD_NAME(int amount) { return sum += amount; }"
    )


def test_build_for_chosen_methods(till: Corpus, tmp_path: Path) -> None:
    """Chosen methods have the same variants as in a full build, and training can sample them."""
    from codeacumen.models.neural.training.prepare import add_variants, get_variants_hash

    build_dataset(till, RECIPE, tmp_path / "all", InProcessEngine())
    ids = [row["id"] for row in read_rows(tmp_path / "all", "originals.jsonl")]
    about = build_dataset(till, RECIPE, tmp_path / "some", InProcessEngine(), methods=ids[:2])
    assert about["chosen_methods"] == 2
    assert [row["id"] for row in read_rows(tmp_path / "some", "originals.jsonl")] == ids[:2]
    expected = [
        row for row in read_rows(tmp_path / "all", "variants.jsonl") if row["method"] != ids[2]
    ]
    assert read_rows(tmp_path / "some", "variants.jsonl") == expected
    inputs = add_variants(None, tmp_path / "some")  # type: ignore[arg-type]
    texts = {row["text"] for row in expected if row["method"] == ids[1]}
    assert inputs.get_variant(ids[1]) in texts
    assert inputs.get_variant(ids[2]) == ""
    assert get_variants_hash(tmp_path / "some") == about["files"]["variants.jsonl"]


def test_rare_kinds_of_variants_are_sampled_more_often(tmp_path: Path) -> None:
    """A kind with half as many variants is sampled twice as often.

    Of 2,000 methods with one variant of each kind, two thirds are switches, within four standard
    deviations.
    """
    from codeacumen.models.neural.training.prepare import add_variants

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
    inputs = add_variants(None, tmp_path)  # type: ignore[arg-type]
    switch_count = sum(inputs.get_variant(str(method)) == "switch" for method in range(2000))
    assert abs(switch_count - 2000 * 2 / 3) < 4 * (2000 * 2 / 9) ** 0.5
    assert {inputs.get_variant(str(method)) for method in range(2000, 4000)} == {"rename"}


def test_built_folder_is_a_task(till: Corpus, tmp_path: Path) -> None:
    build_dataset(till, RECIPE, tmp_path, InProcessEngine())
    task = RobustnessTask(read_built(tmp_path), "rename")
    assert [evaluation_set.name for evaluation_set in task.card.evaluation_sets] == list(MODES)
    assert len(task.instances()) == 3 + 8


@pytest.fixture(scope="module")
def examples(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("examples") / "data"
    build_dataset(examples_corpus, QUICK, out, shared_engine(2))
    return out


def test_originals_and_variants_match_an_sql_query(examples_corpus: Corpus, examples: Path) -> None:
    """The originals are all methods with a variant, in corpus order, and the number of variants
    equals that of a walk over the files."""
    rows = examples_corpus.query(
        "select cast(method_id as varchar) as id, m.path, m.place, name, f.source "
        "from methods m join files f using (file_id) "
        "where kind = 'method' and body and not nested"
    ).to_pylist()
    expected: Counter[str] = Counter()
    files: dict[str, JavaFile] = {}
    for row in rows:
        file = files.setdefault(row["source"], JavaFile(row["source"].encode()))
        body = file.declarations.methods[row["place"]].body
        if "".join(file.syntax.text(body).split()) == "{}":
            continue
        for where in MODES:
            for variant in iterate_variants(file, "rename", where, 0, [row["place"]]):
                if where != "all" or len(variant.locations) > 1:
                    expected[row["id"]] += 1
    variant_counts = Counter(row["method"] for row in read_rows(examples, "variants.jsonl"))
    assert variant_counts == expected
    originals = read_rows(examples, "originals.jsonl")
    assert len(originals) > 400
    assert {row["id"] for row in originals} == set(expected)
    names = {row["id"]: row["name"] for row in rows}
    assert all(row["name"] == names[row["id"]] for row in originals)
    ordered_ids = examples_corpus.query(
        "select cast(method_id as varchar) as id from numbers order by number"
    )["id"].to_pylist()
    assert [row["id"] for row in originals] == [id_ for id_ in ordered_ids if id_ in expected]


@pytest.mark.thorough
def test_engines_build_the_same_bytes(
    examples_corpus: Corpus, examples: Path, tmp_path: Path
) -> None:
    build_dataset(examples_corpus, QUICK, tmp_path / "here", InProcessEngine())
    assert read_files(tmp_path / "here") == read_files(examples)
    assert set(read_files(examples)) == {"dataset.json", "originals.jsonl", "variants.jsonl"}


def list_variant_ids(folder: Path, where: str) -> list[str]:
    return [row["id"] for row in read_rows(folder, "variants.jsonl") if row["where"] == where]


@pytest.mark.thorough
def test_limited_variants_are_spread_over_the_methods(
    examples_corpus: Corpus, examples: Path, tmp_path: Path
) -> None:
    def build_limited(out: str, **changes: Any) -> Path:
        build_dataset(
            examples_corpus,
            replaced(QUICK, where=("single", "all"), **changes),
            tmp_path / out,
            shared_engine(2) if out == "b" else InProcessEngine(),
        )
        return tmp_path / out

    limited = build_limited("a", most=200)
    assert read_files(limited) == read_files(build_limited("b", most=200))
    assert {len(list_variant_ids(limited, where)) for where in ("single", "all")} == {200}
    all_variants = read_rows(examples, "variants.jsonl")
    position_by_id = {row["id"]: position for position, row in enumerate(all_variants)}
    positions = [position_by_id[id_] for id_ in list_variant_ids(limited, "single")]
    assert positions == sorted(positions)
    # 200 variants are fewer than the 923 methods, so each method occurs at most once.
    assert len({id_.partition("/")[0] for id_ in list_variant_ids(limited, "single")}) == 200
    other = build_limited("c", most=200, seed=1)
    assert list_variant_ids(other, "single") != list_variant_ids(limited, "single")
    # With more variants than methods, each method has one before any method has a second.
    sampled_per_method = Counter(
        id_.partition("/")[0] for id_ in list_variant_ids(build_limited("d", most=1200), "single")
    )
    available_per_method = Counter(
        row["method"] for row in all_variants if row["where"] == "single"
    )
    assert sum(sampled_per_method.values()) == 1200
    assert set(sampled_per_method) == set(available_per_method)
    assert all(
        sampled_per_method[method] == 1
        for method, count in available_per_method.items()
        if count == 1
    )
    assert max(sampled_per_method.values()) == 2
    # A larger sample contains the smaller one.
    assert set(list_variant_ids(limited, "single")) <= set(
        list_variant_ids(tmp_path / "d", "single")
    )
    about = json.loads((limited / "dataset.json").read_text())
    assert about["counts"]["variants"] == {"rename": {"single": 200, "all": 200}}
    assert about["counts"]["variants_found"]["rename"]["single"] == sum(
        available_per_method.values()
    )
    assert about["counts"]["methods"] == len(read_rows(limited, "originals.jsonl"))


@pytest.mark.usefixtures("javac_program")
def test_enum_of_another_file_is_resolved(tmp_path: Path) -> None:
    """The enum of the switch is declared in another file; javac confirms the constant."""
    for name, text in {
        "a/b/Light.java": "package a.b; public enum Light { RED, GREEN }",
        "a/Lamp.java": "package a; class Lamp { a.b.Light light() { return null; } }",
        "Crossing.java": "package a; class Crossing { int wait(Lamp lamp) { "
        "switch (lamp.light()) { case RED: return 30; default: return 0; } } }",
    }.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "src")], workers=1, views=["text"])
    corpus = Corpus.open(tmp_path / "corpus")
    recipe = Recipe(("switch",), ("single",), split="all", certify="compiles")
    about = build_dataset(corpus, recipe, tmp_path / "here", InProcessEngine())
    assert (about["counts"]["refused"], about["counts"]["dropped"]) == ({}, {})
    (row,) = read_rows(tmp_path / "here", "variants.jsonl")
    assert "a.b.Light.RED" in row["text"]
    assert row["certificate"] == {"level": "compiles"}
    build_dataset(corpus, recipe, tmp_path / "there", shared_engine(1))
    assert read_files(tmp_path / "here") == read_files(tmp_path / "there")


class Wreck:
    """A transformation that drops a brace of each method with the word ``before``, and refuses
    all others."""

    name = "wreck"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        node = code.file.declarations.methods[method].node
        reason = "" if "before" in code.text(node) else "it says nothing of before"
        return [Location("wreck:0", method, *code.span(node), reason)]

    def make_rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [replace_range(location.end - 1, location.end, b"") for location in chosen]


class Stumble(Wreck):
    """A transformation that raises for methods with the word ``before``, and renames others."""

    name = "stumble"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        (location,) = super().find_locations(code, method, seed)
        if not location.refused:
            raise LookupError("before what?")
        return [replaced(location, refused="")]

    def make_rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        names = [
            code.child(code.file.declarations.methods[location.method].node, "name")
            for location in chosen
        ]
        return [replace_range(*code.span(name), b"another") for name in names]


@pytest.fixture
def wreck(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("codeacumen.transforms.wreck")
    module.Wreck, module.Stumble = Wreck, Stumble  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(KINDS, "wreck", ("wreck", "Wreck", "XX", "it breaks"))
    monkeypatch.setitem(KINDS, "stumble", ("wreck", "Stumble", "XY", "it stumbles"))


@pytest.mark.usefixtures("wreck")
def test_variants_that_fail_a_level_are_dropped_and_counted(till: Corpus, tmp_path: Path) -> None:
    recipe = Recipe(("rename", "wreck"), ("single",), split="all")
    about = build_dataset(till, recipe, tmp_path, InProcessEngine())
    assert about["counts"]["dropped"] == {"wreck": {"parses": {"it does not parse": 1}}}
    assert about["counts"]["refused"] == {"wreck": {"it says nothing of before": 2}}
    assert about["counts"]["variants"] == {"rename": {"single": 6}}
    assert about["counts"]["variants_found"]["wreck"] == {"single": 1}
    assert {row["kind"] for row in read_rows(tmp_path, "variants.jsonl")} == {"rename"}


@pytest.mark.usefixtures("wreck")
@pytest.mark.parametrize("most", [0, 100])
def test_failing_transformation_does_not_stop_the_build(
    till: Corpus, tmp_path: Path, most: int
) -> None:
    recipe = Recipe(("stumble", "rename"), ("single",), split="all", most=most)
    about = build_dataset(till, recipe, tmp_path, InProcessEngine())
    dropped = about["counts"]["dropped"]["stumble"]
    assert dropped["made"] == {"LookupError: before what?": 1}
    assert dropped["parses"] == {"ValueError: the edit changes the method's name": 2}
    assert about["counts"]["variants"] == {"rename": {"single": 6}}


@pytest.mark.usefixtures("javac_program")
def test_variants_are_compiled_on_request(till: Corpus, tmp_path: Path) -> None:
    recipe = Recipe(("rename",), ("single", "all"), split="all", certify="compiles")
    build_dataset(till, recipe, tmp_path, InProcessEngine())
    rows = read_rows(tmp_path, "variants.jsonl")
    assert len(rows) == 7
    assert {row["certificate"]["level"] for row in rows} == {"compiles"}
    assert all(list(row) == list(rows[0]) and "_" not in row for row in rows)


def test_split_without_methods_is_rejected_with_a_hint(till: Corpus, tmp_path: Path) -> None:
    (split,) = till.query("select distinct split from methods")["split"].to_pylist()
    other = next(name for name in ("train", "dev", "test") if name != split)
    with pytest.raises(CodeacumenError, match=f"no method of the split {other}") as error:
        build_dataset(till, Recipe(("rename",), split=other), tmp_path / "data", InProcessEngine())
    assert f"{split} 6" in error.value.hint
    assert "--split all" in error.value.hint
    assert not (tmp_path / "data" / "dataset.json").exists()


def test_folder_with_other_files_is_left_unchanged(till: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(CodeacumenError, match="is not empty and holds no data set"):
        build_dataset(till, RECIPE, tmp_path, InProcessEngine())
    assert read_files(tmp_path) == {"thesis.txt": b"all of it"}


def test_data_set_is_rebuilt_in_place(till: Corpus, tmp_path: Path) -> None:
    build_dataset(till, RECIPE, tmp_path, InProcessEngine())
    build_dataset(till, Recipe(("rename",), ("single",), split="all"), tmp_path, InProcessEngine())
    assert len(read_rows(tmp_path, "variants.jsonl")) == 6
    assert read_built(tmp_path).about["settings"]["where"] == ["single"]


def test_lost_worker_is_reported(till: Corpus, tmp_path: Path) -> None:
    class LosingEngine(InProcessEngine):
        def run(self, work: Any, items: Sequence[Any], limit: float) -> Iterator[tuple[int, Any]]:
            yield 0, WorkerLost("it was killed")

    with pytest.raises(CodeacumenError, match="cannot be transformed: it was killed"):
        build_dataset(till, RECIPE, tmp_path / "data", LosingEngine())
    assert not list((tmp_path / "data").iterdir())
