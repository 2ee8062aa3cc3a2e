"""Tests of the Python API: names and objects, results, and that importing the package loads
nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import codeacumen
from codeacumen.api import Capability, CodeacumenError, Pair
from codeacumen.registry import load_plugin
from codeacumen.registry.entries import ENTRIES
from codeacumen.runs.results import read_run
from docs_console import SESSION as GUIDE
from docs_console import SESSION_BLOCK, Sandbox, run_session
from toy_task import ToyTask

MATCH = "abbreviations/match"


class Lengths:
    """Similarity of lengths."""

    def __init__(self, fingerprint: str = "") -> None:
        self.question_count = 0
        if fingerprint:
            self.fingerprint = fingerprint

    def similarity(self, pairs: list[Pair]) -> list[float]:
        self.question_count += len(pairs)
        return [-abs(len(pair.left) - len(pair.right)) for pair in pairs]


def test_import_loads_no_other_module() -> None:
    code = (
        "import sys, codeacumen\n"
        "ours = [name for name in sys.modules if name.split('.')[0] == 'codeacumen']\n"
        "print(*ours, 'numpy' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert process.stdout.split() == ["codeacumen", "False"]


def test_public_names_exist_and_are_documented() -> None:
    from codeacumen import api

    for name in codeacumen.__all__:
        public_object = getattr(codeacumen, name)
        assert name == "__version__" or public_object.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = codeacumen.nothing
    namespace: dict[str, Any] = {}
    exec("from codeacumen.api import *", namespace)
    assert set(api.__all__) <= set(namespace)


def test_scores_equal_those_of_the_command(home: Path, tmp_path: Path) -> None:
    results = codeacumen.evaluate(["levenshtein", "random"], "abbreviations", tmp_path / "api")
    command = [
        "-m",
        "codeacumen",
        "eval",
        "-m",
        "levenshtein",
        "-m",
        "random",
        "-t",
        "abbreviations",
        "-o",
        "cli",
    ]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=tmp_path)
    theirs = json.loads((tmp_path / "cli" / "results.json").read_text())
    ours = json.loads((tmp_path / "api" / "results.json").read_text())
    scores = [[cell["scores"] for cell in run["cells"]] for run in (ours, theirs)]
    assert scores[0] == scores[1]
    assert read_run(tmp_path / "api") == results.run
    assert [row["value"] for row in results.to_rows()] == [
        score["value"] for cell in theirs["cells"] for score in cell["scores"]
    ]


def test_object_without_fingerprint_is_not_cached(home: Path) -> None:
    model = Lengths()
    for calls in (1, 2):
        codeacumen.evaluate(model, "abbreviations/match", progress=False)
        assert model.question_count == 475 * calls


def test_fingerprint_determines_cached_answers(home: Path) -> None:
    first, same, other = Lengths("one"), Lengths("one"), Lengths("two")
    for model in (first, same, other):
        codeacumen.evaluate(model, "abbreviations/match", progress=False)
    assert (first.question_count, same.question_count, other.question_count) == (475, 0, 475)


def test_task_can_be_an_object(home: Path) -> None:
    task = ToyTask(capability=Capability.SIMILARITY)
    results = codeacumen.evaluate(Lengths(), task, progress=False)
    (row,) = results.to_rows()
    assert (row["task"], row["model"], row["answered"]) == ("toy", "Lengths", 12)
    assert "Toy (toy), evaluation set all" in str(results)


def test_invalid_model_and_duplicate_names_are_refused(home: Path) -> None:
    with pytest.raises(CodeacumenError, match="int has no capability"):
        codeacumen.evaluate(7, "abbreviations/match")  # type: ignore[arg-type]
    with pytest.raises(CodeacumenError, match="several models are called Lengths"):
        codeacumen.compare([Lengths(), Lengths()], "abbreviations/match")
    named = [codeacumen.load_model(Lengths(), name) for name in ("a", "b")]
    (comparison,) = codeacumen.compare(named, "abbreviations/match", progress=False)
    assert [(test.first, test.second) for test in comparison.tests] == [("a", "b")]
    assert not comparison.tests[0].different


def test_left_out_models_are_reported(home: Path) -> None:
    models = ["levenshtein", "codeacumen-naming"]
    with pytest.raises(CodeacumenError, match="codeacumen-naming cannot answer"):
        codeacumen.evaluate(models, "abbreviations/match")
    results = codeacumen.evaluate(models, "abbreviations/match", skip_unfit=True, progress=False)
    assert len(results.notes) == 1
    assert {row["model"] for row in results.to_rows()} == {"levenshtein"}


def test_html_is_escaped(home: Path) -> None:
    hostile = codeacumen.load_model(Lengths(), "<script>alert(1)</script>")
    results = codeacumen.evaluate(hostile, "abbreviations/match", progress=False)
    assert "<script>" not in results._repr_html_()
    assert "&lt;script&gt;" in results._repr_html_()


def test_files_of_run_without_folder_are_removed_with_the_results(home: Path) -> None:
    results = codeacumen.evaluate("random", "abbreviations/match", limit=None, progress=False)
    folder = results.folder
    assert (folder / "results.json").is_file()
    del results
    assert not folder.exists()


def test_plot_shows_the_named_task(home: Path) -> None:
    results = codeacumen.evaluate("levenshtein", "abbreviations", progress=False)
    chart = results.plot("abbreviations/expand").to_dict()
    assert "Abbreviations: expand" in json.dumps(chart)
    with pytest.raises(CodeacumenError, match="no task 'nothing'"):
        results.plot("nothing")


def test_transform_returns_the_changed_files(home: Path, tmp_path: Path) -> None:
    """Files in other encodings than UTF-8 work too: the edits count bytes of the file on disk."""
    text = "class A { /* äöü */ int f(int größe) { return größe; } }\n"
    for name, data in {
        "latin": text.encode("latin-1"),
        "marked": b"\xef\xbb\xbf" + text.encode(),
        "wide": b"\xff\xfe" + text.encode("utf-16-le"),
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "A.java").write_bytes(data)
    folders = [tmp_path / name for name in ("latin", "marked", "wide")]
    out = tmp_path / "variants.jsonl"
    transformation = codeacumen.transform(folders, out, kinds=["rename"], workers=1)
    variants = list(transformation)
    assert [variant.project for variant in variants] == ["latin", "marked", "wide"]
    assert len(out.read_text(encoding="utf-8").splitlines()) == transformation.line_count == 3
    for variant in variants:
        assert variant.original == text
        assert variant.changed == text.replace("größe", "var0")
    assert transformation.counts["kinds"]["rename"]["variants"] == {"single": 3}
    assert not transformation.has_failures


def test_transformation_without_file_keeps_its_variants(home: Path, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int f(int n) { return n; } }\n")
    transformation = codeacumen.transform(tmp_path / "A.java", kinds=["rename"], workers=1)
    folder = transformation.out.parent
    assert len(list(transformation)) == len(list(transformation)) == 1
    del transformation
    assert not folder.exists()


def test_corpus_object_can_be_transformed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int f(int n) { return n; } }\n")
    corpus = codeacumen.build_corpus(tmp_path / "A.java", tmp_path / "corpus", workers=1)
    (variant,) = codeacumen.transform(corpus, kinds=["rename"], workers=1, certify="binds")
    assert variant.changed == "class A { int f(int var0) { return var0; } }\n"
    assert variant.certificate == {"level": "binds"}
    with pytest.raises(CodeacumenError, match="tests can be run for one project"):
        codeacumen.transform(corpus, certify="tests", test_command="true")


def test_report_of_several_runs(home: Path, tmp_path: Path) -> None:
    first = codeacumen.evaluate("levenshtein", "abbreviations/match", tmp_path / "one")
    codeacumen.evaluate("random", "abbreviations/expand", tmp_path / "two")
    page = codeacumen.write_report([first, tmp_path / "two"], tmp_path / "both.html")
    text = page.read_text(encoding="utf-8")
    assert "abbreviations/match" in text
    assert "abbreviations/expand" in text


def test_guide_shows_the_printed_output(tmp_path: Path, idbench_source: Path) -> None:
    """Run all blocks of the page in one session, in an empty folder."""
    printed = run_session(Sandbox(tmp_path))
    expected = [
        (match["output"] or "").strip("\n") for match in SESSION_BLOCK.finditer(GUIDE.read_text())
    ]
    assert len(expected) >= 10
    assert printed == expected


def test_results_of_objects_can_be_compared(home: Path) -> None:
    """Neither the models nor the task are registered."""
    models = [codeacumen.load_model(Lengths(), name) for name in ("a", "b")]
    pairs = codeacumen.load_task(MATCH).instances()
    results = codeacumen.evaluate(models, ToyTask(pairs, "own/pairs"), progress=False)
    (comparison,) = codeacumen.compare(results, progress=False)
    assert comparison.task == "own/pairs"
    assert comparison.values.keys() == {"a", "b"}
    with pytest.raises(CodeacumenError, match="a run is named twice"):
        codeacumen.compare([results, results], progress=False)


def test_folder_may_have_the_name_of_a_model(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levenshtein").mkdir()
    models = ["levenshtein", "jaro-winkler"]
    (comparison,) = codeacumen.compare(models, "abbreviations/match", progress=False)
    assert comparison.values.keys() == set(models)


PREFIX = {"m": {"abs~abstract": 1.0}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: codeacumen.score({}, MATCH), "there are no answers"),
        (lambda: codeacumen.score([], MATCH), "there are no answers"),
        (lambda: codeacumen.score({"abs~abstract": 1.0}, MATCH), "the answers of 'abs~abstract'"),
        (lambda: codeacumen.score(PREFIX, [MATCH]), "is not a task"),
        (lambda: codeacumen.score("nowhere.jsonl", MATCH), "No such file"),
        (lambda: codeacumen.load_task(3), "3 is not a task"),
        (lambda: codeacumen.load_task("idbench"), "is a group of"),
        (lambda: codeacumen.evaluate([], MATCH), "no model is named"),
        (lambda: codeacumen.evaluate("random", []), "no task is named"),
        (lambda: codeacumen.evaluate(Lengths, MATCH), "is a class"),
        (lambda: codeacumen.evaluate("random", ToyTask), "is not a task"),
        (lambda: codeacumen.evaluate("random", ToyTask(name="../../x")), "cannot be called"),
        (
            lambda: codeacumen.evaluate("random", [MATCH, ToyTask(name=MATCH)]),
            "two tasks are called",
        ),
        (lambda: codeacumen.evaluate("random", MATCH, limit=-1), "the limit is -1"),
        (lambda: codeacumen.evaluate("random", MATCH, confidence=2), "confidence level is 2"),
        (lambda: codeacumen.evaluate("random", MATCH, resamples=0), "number of resamples is 0"),
        (lambda: codeacumen.evaluate("random", MATCH, seed=-1), "the seed is -1"),
        (lambda: codeacumen.evaluate("random", MATCH, __file__), "is a file"),
        (lambda: codeacumen.write_report([]), "no run is named"),
        (lambda: codeacumen.check_names(threshold=2), "the threshold is 2"),
        (lambda: codeacumen.measure_npath(".", rules="nope"), "rules: no such value 'nope'"),
        (lambda: codeacumen.build_corpus(".", "x", splits=(0, 0, 0)), "the shares of train"),
        (lambda: codeacumen.build_dataset("gluecode", ".", "x", nope=1), "has no option nope"),
        (lambda: codeacumen.build_dataset("gluecode", ".", "x", rules="pmd99"), "'pmd99'"),
        (lambda: codeacumen.build_dataset("robustness", ".", "x", split="x"), "split: no such"),
        (lambda: codeacumen.build_dataset("nope", ".", "x"), "no data set 'nope'"),
    ],
)
def test_wrong_arguments_are_errors_with_a_hint(
    home: Path, call: Callable[[], object], message: str
) -> None:
    with pytest.raises(CodeacumenError, match=message) as caught:
        call()
    assert caught.value.hint


def test_report_refuses_a_folder_as_file(home: Path, tmp_path: Path) -> None:
    results = codeacumen.evaluate("random", MATCH, limit=5, progress=False)
    with pytest.raises(CodeacumenError, match="is a folder"):
        results.report(tmp_path)


def test_models_and_tasks_can_be_generators(home: Path) -> None:
    models, tasks = (name for name in ["random"]), (ToyTask() for _ in range(1))
    results = codeacumen.evaluate(models, tasks, progress=False)  # type: ignore[arg-type]
    assert [cell.task for cell in results.run.cells] == ["toy"]


def test_arrow_columns_do_not_depend_on_the_values(home: Path) -> None:
    schemas = []
    for answer in (0.5, None):
        ids = {instance.id: answer for instance in codeacumen.load_task(MATCH).instances()}
        schemas.append(codeacumen.score({"m": ids}, MATCH).to_arrow().schema)
    assert schemas[0] == schemas[1]


def test_descriptions_are_plain_json(home: Path, idbench: Path) -> None:
    model = codeacumen.describe_model("levenshtein:decimals=2")
    assert model["settings"] == {"decimals": 2}
    assert "abbreviations/match" in model["tasks"]
    task = codeacumen.describe_task("abbreviations/match")
    assert (task["instances"], len(task["examples"])) == (475, 3)
    data = codeacumen.describe_dataset("idbench")
    assert data["installed"]
    for described in (model, task, data):
        json.dumps(described, allow_nan=False)


BROKEN_METRICS = """
import codeacumen

@codeacumen.metric("failing", tasks=["abbreviations"])
def make_failing():
    raise RuntimeError("no licence")

@codeacumen.metric("misnamed", tasks=["abbreviations"])
def make_misnamed():
    return 0.5
"""


def test_broken_metrics_are_left_out_with_a_note(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They must not prevent any other score."""
    monkeypatch.setitem(ENTRIES, "metric", dict(ENTRIES["metric"]))
    plugin = tmp_path / "broken_metrics.py"
    plugin.write_text(BROKEN_METRICS)
    load_plugin(plugin)
    results = codeacumen.evaluate("random", MATCH, progress=False)
    assert results.run.cells[0].scores[0].value is not None
    assert len(results.notes) == 2
    assert "no licence" in results.notes[0]
    assert "misnamed" in results.notes[1]


@pytest.mark.parametrize("answer", [float("nan"), "0.5"])
def test_invalid_similarity_of_names_is_an_error(answer: object) -> None:
    model = Lengths()
    model.similarity = lambda pairs: [answer] * len(pairs)  # type: ignore
    with pytest.raises(CodeacumenError, match="Lengths failed on size, length") as caught:
        codeacumen.compare_names(["size", "length"], model)
    assert caught.value.hint


class Stateful(Lengths):
    """A model with an attribute that distinguishes it, which is not always JSON."""

    fingerprint = "the same"

    def __init__(self, state: object) -> None:
        self.state = state

    def similarity(self, pairs: list[Pair]) -> list[float]:
        self.__class__.pair_count += len(pairs)
        return [0.0] * len(pairs)

    pair_count = 0


class Slotted(Stateful):
    __slots__ = ("other",)

    def __init__(self, state: object) -> None:
        self.other = state


@pytest.mark.parametrize("kind", [Stateful, Slotted])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2),
        (Path("a"), Path("b")),
        (np.zeros(2), np.ones(2)),
        (np.zeros(2), np.zeros((1, 2))),
        ({1, 2}, {3}),
        (Lengths(), Lengths()),
    ],
)
def test_objects_with_other_attributes_are_evaluated_again(
    home: Path, kind: type[Stateful], first: object, second: object
) -> None:
    for count, state in enumerate((first, second), 1):
        kind.pair_count = 0 if count == 1 else kind.pair_count
        codeacumen.evaluate(kind(state), MATCH, limit=4, progress=False)
        assert kind.pair_count == 4 * count


@pytest.mark.parametrize("fingerprint", [None, lambda: "x", 7])
def test_fingerprint_that_is_no_text_identifies_nothing(home: Path, fingerprint: object) -> None:
    model = Lengths()
    model.fingerprint = fingerprint  # type: ignore[assignment]
    if fingerprint is None:
        assert not codeacumen.load_model(model).is_reusable
    else:
        with pytest.raises(CodeacumenError, match="the fingerprint of Lengths is"):
            codeacumen.load_model(model)


class ContextTask(ToyTask):
    """A task whose code context nothing identifies."""

    def __init__(self, context: object) -> None:
        super().__init__()
        self.context = context

    def code_context(self) -> object:
        return self.context


class ContextReader(Lengths):
    """Answers what the context is."""

    fingerprint = "reader"

    def use_context(self, context: Any) -> None:
        self.context = context

    def similarity(self, pairs: list[Pair]) -> list[float]:
        return [self.context] * len(pairs)


def test_other_context_without_fingerprint_is_evaluated_again(home: Path, tmp_path: Path) -> None:
    for context in (1.0, 2.0):
        out = tmp_path / str(context)
        run = codeacumen.evaluate(ContextReader(), ContextTask(context), out, progress=False).run
        lines = (out / run.cells[0].answers).read_text().splitlines()
        assert {json.loads(line)["answer"] for line in lines} == {context}


def test_iterable_model_is_one_model(home: Path) -> None:
    class Layers(list[int]):
        def similarity(self, pairs: list[Pair]) -> list[float]:
            return [float(sum(self))] * len(pairs)

    results = codeacumen.evaluate(Layers([1, 2]), MATCH, limit=5, progress=False)
    assert list(results.run.models) == ["Layers"]


def test_supervision_without_fit_is_an_error(home: Path) -> None:
    model = Lengths()
    model.supervision = "all"  # type: ignore[attr-defined]
    with pytest.raises(CodeacumenError, match="no method fit"):
        codeacumen.load_model(model)


def test_cell_of_a_notebook_can_be_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, "model", dict(ENTRIES["model"]))
    code = "import codeacumen\n@codeacumen.model('again')\ndef make():\n    return None\n"
    for name in ("/tmp/ipykernel_1/1.py", "/tmp/ipykernel_1/2.py"):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})


def test_uncaught_error_shows_its_hint() -> None:
    error = CodeacumenError("no model is named", "`codeacumen models list` shows all")
    assert "hint: `codeacumen models list` shows all" in "".join(traceback.format_exception(error))
