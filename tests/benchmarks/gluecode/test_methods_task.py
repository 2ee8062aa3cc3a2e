"""The five tasks of a data set: what is asked, what may be learned from, what may be seen."""

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
from codeacumen.runs.plan import PlannedTask, why_not
from codeacumen.runs.scoring import Settings, score
from datasets_by_hand import tasks_forgotten
from methods_by_hand import TEST, write_methods

__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")

NAMES = [f"gluecode/{one}" for one in ("npath", "operators", "naming", "completion", "nulltoken")]


def method_task(folder: Path, kind: str, split: str = "test") -> MethodTask:
    return MethodTask(read_built(write_methods(folder)), kind, split)


def test_naming_the_folder_makes_the_five_tasks_known(tmp_path: Path) -> None:
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


def test_what_resembles_a_number_of_paths_is_not_asked(tmp_path: Path) -> None:
    """A measure of likeness can choose among words, but not among numbers and operators."""
    load_data(write_methods(tmp_path))
    alike, oracle = make_model("levenshtein"), make_model("oracle")
    unfit = [name for name in NAMES[:2] if why_not(alike, make_task(name).card)]
    assert unfit == NAMES[:2]
    assert [why_not(oracle, make_task(name).card) for name in NAMES] == [""] * 5
    assert why_not(alike, make_task("abbreviations/match").card) == ""


def test_a_task_without_its_file_is_not_there(tmp_path: Path) -> None:
    built = read_built(write_methods(tmp_path))
    files = {name: hash_ for name, hash_ in built.about["files"].items() if "null" not in name}
    assert load_data(write_methods(tmp_path, files=files)) == NAMES[:-1]


@pytest.mark.parametrize("kind", [name.partition("/")[2] for name in NAMES])
def test_what_is_asked_is_the_test_split_and_what_is_learned_the_training_split(
    tmp_path: Path, kind: str
) -> None:
    task = method_task(tmp_path, kind)
    rows = [json.loads(line) for line in (tmp_path / f"{kind}.jsonl").read_text().splitlines()]
    asked = [row for row in rows if row["split"] == "test"]
    assert [(one.id, one.truth, one.input.text) for one in task.instances()] == [  # type: ignore[union-attr]
        (row["id"], row["label"], row["text"]) for row in asked
    ]
    shown = [(row["text"], row["label"]) for row in rows if row["split"] == "train"]
    assert [(one.input.text, one.truth) for one in task.training()] == shown  # type: ignore[union-attr]
    assert {one.id for one in MethodTask(task.built, kind, "dev").instances()} == {
        row["id"] for row in rows if row["split"] == "dev"
    }
    assert len(PlannedTask(task).data_sha256) == 64


def test_questions_name_their_method_and_say_in_words_what_they_ask(tmp_path: Path) -> None:
    for kind, noun in (("npath", Question), ("operators", Question), ("completion", Prompt)):
        for instance in method_task(tmp_path, kind).instances():
            assert isinstance(instance.input, noun)
            assert instance.input.method == instance.id
            assert "Java method" in instance.input.ask
            assert instance.truth not in instance.input.ask.split()
    for instance in method_task(tmp_path, "naming").instances():
        assert isinstance(instance.input, Method)
        assert instance.input.id == instance.id


def test_choices_are_the_twelve_of_the_paper(tmp_path: Path) -> None:
    bins = ["1", "2", "3", "4", "5-6", "7-8", "9-10", "11-15", "16-20", "21-30", "31-50", "51-100"]
    operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "="]
    for kind, choices in (("npath", bins), ("operators", operators)):
        (found,) = {one.input.choices for one in method_task(tmp_path, kind).instances()}  # type: ignore[union-attr]
        assert sorted(found) == sorted(choices)


def test_slices_say_where_the_called_method_is_from_and_whether_there_is_a_warning(
    tmp_path: Path,
) -> None:
    task = method_task(tmp_path, "completion")
    assert task.card.slices == tuple(
        f"origin:{one}" for one in ("class", "package", "project", "library")
    )
    tags = {one.id: one.tags for one in task.instances()}
    assert "origin:library" in tags["completion-zeta-0"]
    assert "origin:project" in tags["completion-zeta-own"]
    null = method_task(tmp_path, "nulltoken")
    assert null.card.slices == ("warning", "no-warning")
    assert {one.truth for one in null.instances() if "no-warning" in one.tags} == {"<none>"}


def test_a_project_is_a_cluster_where_there_are_enough(tmp_path: Path) -> None:
    clusters = {one.cluster for one in method_task(tmp_path, "npath").instances()}
    assert len(clusters) == len(TEST)


def test_the_data_set_alone_shows_text_and_context(tmp_path: Path) -> None:
    context = method_task(tmp_path, "completion").code_context()
    assert context.describe("completion-zeta-own") == {
        "receiver": "zeta.Bell",
        "arguments": 0,
        "candidates": ["ringZeta"],
        "static": False,
    }
    # Of training examples too, and of nobody else.
    assert context.describe("completion-alpha-0")["candidates"] == ["add", "contains", "remove"]
    assert context.describe("nobody") == {}
    assert context.view("completion-zeta-own", "text") == "void m(Bell bell) { bell.<MASK>(); }"
    assert context.view("completion-zeta-own", "ast") is None
    assert context.view_of("completion-zeta-own", "completion-eta-own", "text") is None
    for others in (context.callers, context.callees, context.siblings):
        assert list(others("completion-zeta-own")) == []
    assert method_task(tmp_path, "naming").code_context().describe("naming-zeta-0") == {}


def test_the_fingerprint_is_of_the_rows_and_of_the_corpus_that_can_be_seen(tmp_path: Path) -> None:
    first = method_task(tmp_path / "a", "npath").fingerprint
    assert method_task(tmp_path / "b", "npath").fingerprint == first
    assert method_task(tmp_path / "b", "naming").fingerprint != first
    more = read_built(write_methods(tmp_path / "c", train=("alpha", "beta", "omega")))
    assert MethodTask(more, "npath").fingerprint != first
    corpus = {"folder": "../corpus", "manifest_sha256": "0" * 64}
    (tmp_path / "corpus").mkdir()
    built = read_built(write_methods(tmp_path / "d", corpus=corpus))
    assert MethodTask(built, "npath").fingerprint == first
    (tmp_path / "corpus" / "manifest.json").write_text("{}")
    assert MethodTask(built, "npath").fingerprint != first


def test_damaged_rows_are_told(tmp_path: Path) -> None:
    task = method_task(tmp_path, "npath")
    (tmp_path / "npath.jsonl").write_text("{}\n")
    with pytest.raises(CodeacumenError, match="damaged"):
        task.instances()


def test_the_program_that_made_the_labels_is_the_ceiling(tmp_path: Path) -> None:
    for kind in ("npath", "nulltoken"):
        ceiling = method_task(tmp_path, kind).card.ceiling
        assert ceiling is not None
        assert ceiling.value == 1.0
        assert ceiling.who != "people"
    assert method_task(tmp_path, "naming").card.ceiling is None


def test_names_are_scored_by_their_subtokens_after_the_headline(tmp_path: Path) -> None:
    """The oracle is scikit-learn, over all names together: no name here has a word twice. What
    silence and failures miss counts, as it does in the headline."""
    task = method_task(tmp_path, "naming")
    said = [
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
    answers = {one.id: Answer(one.id, name) for one, name in zip(instances, said, strict=False)}
    failed = instances[len(said)].id
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
    both = binary.fit_transform(
        [
            set(words.get(name, name).split())
            for name in [*(one.truth for one in instances), *said, None]
        ]
    )
    wanted = precision_recall_fscore_support(both[:12], both[12:], average="micro")
    scores, unreadable = score(task, instances, answers, Settings())
    assert [one.metric for one in scores] == [
        "character_bleu",
        "corpus_precision",
        "corpus_recall",
        "corpus_f1",
    ]
    assert [one.value for one in scores[1:]] == pytest.approx(list(wanted[:3]))
    assert {one.n for one in scores} == {12}
    assert not unreadable


def test_of_what_is_no_name_the_answers_are_read_as_they_are(tmp_path: Path) -> None:
    task = method_task(tmp_path, "completion")
    answers = {one.id: Answer(one.id) for one in task.instances()[:3]}
    assert task.postprocess_answers(task.instances(), answers) == answers
