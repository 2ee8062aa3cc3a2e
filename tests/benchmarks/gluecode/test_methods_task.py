"""Tests of the five tasks of a data set: instances, training examples and code context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn.metrics import precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from codeacumen.api import Answer, Capability, CodeacumenError, Method, Prompt, Question
from codeacumen.benchmarks.gluecode.task import MethodTask
from codeacumen.datasets.built import load_data, read_built
from codeacumen.registry import make_model, make_task
from codeacumen.runs.plan import PlannedTask, explain_misfit
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from gluecode_dataset import TEST, write_methods
from robustness_dataset import tasks_forgotten

__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")

NAMES = [f"gluecode/{kind}" for kind in ("npath", "operators", "naming", "completion", "nulltoken")]


def method_task(folder: Path, kind: str, split: str = "test") -> MethodTask:
    return MethodTask(read_built(write_methods(folder)), kind, split)


def test_load_data_registers_the_five_tasks(tmp_path: Path) -> None:
    assert load_data(write_methods(tmp_path)) == NAMES
    cards = [make_task(name).card for name in NAMES]
    assert [card.capability for card in cards] == [
        Capability.CLASSIFY,
        Capability.CLASSIFY,
        Capability.NAME,
        Capability.GENERATE,
        Capability.GENERATE,
    ]
    assert [card.metric for card in cards] == [
        "accuracy",
        "accuracy",
        "character_bleu",
        "exact_match",
        "exact_match",
    ]


def test_similarity_models_do_not_fit_numbers_and_operators(tmp_path: Path) -> None:
    """A similarity measure can choose among words, but not among numbers and operators."""
    load_data(write_methods(tmp_path))
    levenshtein, oracle = make_model("levenshtein"), make_model("oracle")
    unfit = [name for name in NAMES[:2] if explain_misfit(levenshtein, make_task(name).card)]
    assert unfit == NAMES[:2]
    assert [explain_misfit(oracle, make_task(name).card) for name in NAMES] == [""] * 5
    assert explain_misfit(levenshtein, make_task("abbreviations/match").card) == ""


def test_task_without_its_file_is_not_registered(tmp_path: Path) -> None:
    built = read_built(write_methods(tmp_path))
    files = {name: hash_ for name, hash_ in built.about["files"].items() if "null" not in name}
    assert load_data(write_methods(tmp_path, files=files)) == NAMES[:-1]


@pytest.mark.parametrize("kind", [name.partition("/")[2] for name in NAMES])
def test_instances_are_the_test_split_and_training_is_the_train_split(
    tmp_path: Path, kind: str
) -> None:
    task = method_task(tmp_path, kind)
    rows = [json.loads(line) for line in (tmp_path / f"{kind}.jsonl").read_text().splitlines()]
    test_rows = [row for row in rows if row["split"] == "test"]
    assert [
        (instance.id, instance.truth, instance.input.text) for instance in task.instances()
    ] == [  # type: ignore[union-attr]
        (row["id"], row["label"], row["text"]) for row in test_rows
    ]
    training_pairs = [(row["text"], row["label"]) for row in rows if row["split"] == "train"]
    assert [(example.input.text, example.truth) for example in task.training()] == training_pairs  # type: ignore[union-attr]
    assert {instance.id for instance in MethodTask(task.built, kind, "dev").instances()} == {
        row["id"] for row in rows if row["split"] == "dev"
    }
    assert len(PlannedTask(task).data_sha256) == 64


def test_inputs_have_method_id_and_instruction(tmp_path: Path) -> None:
    for kind, input_type in (("npath", Question), ("operators", Question), ("completion", Prompt)):
        for instance in method_task(tmp_path, kind).instances():
            assert isinstance(instance.input, input_type)
            assert instance.input.method == instance.id
            assert "Java method" in instance.input.ask
            assert instance.truth not in instance.input.ask.split()
    for instance in method_task(tmp_path, "naming").instances():
        assert isinstance(instance.input, Method)
        assert instance.input.id == instance.id


def test_choices_are_those_of_the_paper(tmp_path: Path) -> None:
    bins = ["1", "2", "3", "4", "5-6", "7-8", "9-10", "11-15", "16-20", "21-30", "31-50", "51-100"]
    operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "="]
    for kind, choices in (("npath", bins), ("operators", operators)):
        (choices_of_task,) = {
            instance.input.choices for instance in method_task(tmp_path, kind).instances()
        }  # type: ignore[union-attr]
        assert sorted(choices_of_task) == sorted(choices)


def test_slices_are_origins_and_warnings(
    tmp_path: Path,
) -> None:
    task = method_task(tmp_path, "completion")
    assert task.card.slices == tuple(
        f"origin:{origin}" for origin in ("class", "package", "project", "library")
    )
    tags = {instance.id: instance.tags for instance in task.instances()}
    assert "origin:library" in tags["completion-zeta-0"]
    assert "origin:project" in tags["completion-zeta-own"]
    null = method_task(tmp_path, "nulltoken")
    assert null.card.slices == ("warning", "no-warning")
    assert {instance.truth for instance in null.instances() if "no-warning" in instance.tags} == {
        "<none>"
    }


def test_clusters_are_projects_if_there_are_enough(tmp_path: Path) -> None:
    clusters = {instance.cluster for instance in method_task(tmp_path, "npath").instances()}
    assert len(clusters) == len(TEST)


def test_data_set_without_corpus_serves_text_and_description(tmp_path: Path) -> None:
    context = method_task(tmp_path, "completion").code_context()
    assert context.describe("completion-zeta-own") == {
        "receiver": "zeta.Bell",
        "arguments": 0,
        "candidates": ["ringZeta"],
        "static": False,
    }
    # Training examples are described too, unknown ids are not.
    assert context.describe("completion-alpha-0")["candidates"] == ["add", "contains", "remove"]
    assert context.describe("nobody") == {}
    assert context.view("completion-zeta-own", "text") == "void m(Bell bell) { bell.<MASK>(); }"
    assert context.view("completion-zeta-own", "ast") is None
    assert context.view_of("completion-zeta-own", "completion-eta-own", "text") is None
    for list_methods in (context.callers, context.callees, context.siblings):
        assert list(list_methods("completion-zeta-own")) == []
    assert method_task(tmp_path, "naming").code_context().describe("naming-zeta-0") == {}


def test_fingerprint_covers_rows_and_visible_corpus(tmp_path: Path) -> None:
    first = method_task(tmp_path / "a", "npath").fingerprint
    assert method_task(tmp_path / "b", "npath").fingerprint == first
    assert method_task(tmp_path / "b", "naming").fingerprint != first
    larger = read_built(write_methods(tmp_path / "c", train=("alpha", "beta", "omega")))
    assert MethodTask(larger, "npath").fingerprint != first
    corpus = {"folder": "../corpus", "manifest_sha256": "0" * 64}
    (tmp_path / "corpus").mkdir()
    built = read_built(write_methods(tmp_path / "d", corpus=corpus))
    assert MethodTask(built, "npath").fingerprint == first
    (tmp_path / "corpus" / "manifest.json").write_text("{}")
    assert MethodTask(built, "npath").fingerprint != first


def test_damaged_rows_are_reported(tmp_path: Path) -> None:
    task = method_task(tmp_path, "npath")
    (tmp_path / "npath.jsonl").write_text("{}\n")
    with pytest.raises(CodeacumenError, match="damaged"):
        task.instances()


def test_ceiling_of_computed_labels_is_one(tmp_path: Path) -> None:
    for kind in ("npath", "nulltoken"):
        ceiling = method_task(tmp_path, kind).card.ceiling
        assert ceiling is not None
        assert ceiling.value == 1.0
        assert ceiling.who != "people"
    assert method_task(tmp_path, "naming").card.ceiling is None


def test_subtoken_scores_follow_the_headline_metric(tmp_path: Path) -> None:
    """scikit-learn, over all names together, is the oracle; no name here has a word twice.

    Missing and failed answers count as wrong, as they do in the headline metric.
    """
    task = method_task(tmp_path, "naming")
    predicted_names = [
        "getSize",
        "close",
        "size",
        "closeStream",
        "getName",
        "run",
        "get_size",
        "Close",
        None,
        None,
        "countSize",
    ]
    instances = task.instances()
    answers = {
        instance.id: Answer(instance.id, name)
        for instance, name in zip(instances, predicted_names, strict=False)
    }
    failed = instances[len(predicted_names)].id
    answers[failed] = Answer(failed, error="ValueError: no")
    words = {
        "getSize": "get size",
        "closeStream": "close stream",
        "getName": "get name",
        "get_size": "get size",
        "Close": "close",
        "countSize": "count size",
        None: "",
    }
    binary = MultiLabelBinarizer()
    indicators = binary.fit_transform(
        [
            set(words.get(name, name).split())
            for name in [*(instance.truth for instance in instances), *predicted_names, None]
        ]
    )
    expected = precision_recall_fscore_support(indicators[:12], indicators[12:], average="micro")
    scores, unreadable = compute_scores(task, instances, answers, ScoringSettings())
    assert [one_score.metric for one_score in scores] == [
        "character_bleu",
        "corpus_precision",
        "corpus_recall",
        "corpus_f1",
    ]
    assert [one_score.value for one_score in scores[1:]] == pytest.approx(list(expected[:3]))
    assert {one_score.n for one_score in scores} == {12}
    assert not unreadable


def test_answers_other_than_names_are_not_postprocessed(tmp_path: Path) -> None:
    task = method_task(tmp_path, "completion")
    answers = {instance.id: Answer(instance.id) for instance in task.instances()[:3]}
    assert task.postprocess_answers(task.instances(), answers) == answers
