"""References and settings: what is wrong is said by name, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeacumen.api import CodeacumenError
from codeacumen.cli import app
from codeacumen.registry import (
    BrokenError,
    make_model,
    make_task,
    model,
    parse_reference,
    select_tasks,
    task,
)
from plugins import Same


@pytest.mark.parametrize(
    ("reference", "words", "settings"),
    [
        ("m", [], {}),
        ("m:", [], {}),
        ("m:a,b", ["a", "b"], {}),
        ("m:a,,b,", ["a", "b"], {}),
        ("m:k=1", [], {"k": 1}),
        ("m:k=1.0", [], {"k": 1.0}),
        ("m:k=1e-3", [], {"k": 0.001}),
        ("m:k=true,l=null", [], {"k": True, "l": None}),
        ("m:k=True", [], {"k": "True"}),
        ('m:k="1"', [], {"k": "1"}),
        ("m:k=text", [], {"k": "text"}),
        ("m:k=", [], {"k": ""}),
        ("m:k=a=b", [], {"k": "a=b"}),
        ("m:url=http://host:80/path", [], {"url": "http://host:80/path"}),
        ("m:word,k=[1]", ["word"], {"k": [1]}),
        # Not JSON, so that no results file ever holds it.
        ("m:k=NaN,l=-Infinity", [], {"k": "NaN", "l": "-Infinity"}),
    ],
)
def test_a_reference_is_a_name_with_words_and_settings(
    reference: str, words: list[str], settings: dict[str, Any]
) -> None:
    found = parse_reference(reference)
    assert found == ("m", words, settings)
    assert [type(value) for value in found[2].values()] == [*map(type, settings.values())]


def test_defaults_are_filled_in() -> None:
    assert make_model("random").settings == {"seed": 0}
    assert make_model("random:seed=7").settings == {"seed": 7}


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("random:sede=1", "unexpected keyword argument 'sede'"),
        ("random:1,2", "too many positional arguments"),
        ("random:1,seed=2", "multiple values for argument 'seed'"),
        ("random:=1", "unexpected keyword argument ''"),
        ("levenshtein:k=1", "unexpected keyword argument 'k'"),
    ],
)
def test_a_wrong_setting_is_named(reference: str, told: str) -> None:
    with pytest.raises(CodeacumenError, match=told) as caught:
        make_model(reference)
    assert reference in str(caught.value)
    assert f"codeacumen models show {reference.split(':')[0]}" in caught.value.hint


def test_a_setting_that_must_be_given_is_asked_for() -> None:
    @model("from-file")
    def from_file(weights: str) -> Same:
        return Same()

    with pytest.raises(CodeacumenError, match="missing a required argument: 'weights'"):
        make_model("from-file")
    assert make_model("from-file:weights=w.bin").settings == {"weights": "w.bin"}


@pytest.mark.parametrize(
    ("wanted", "suggested"),
    [("levenstein", "levenshtein"), ("ftcbow", "ft-cbow"), ("Random", "random")],
)
def test_an_unknown_model_is_met_with_near_names(wanted: str, suggested: str) -> None:
    with pytest.raises(CodeacumenError, match=f"no model '{wanted}'") as caught:
        make_model(wanted)
    assert suggested in caught.value.hint
    assert "codeacumen models list" in caught.value.hint


def test_a_name_like_no_other_is_met_with_the_list() -> None:
    with pytest.raises(CodeacumenError) as caught:
        make_model("qqqqqqqq")
    assert caught.value.hint.startswith("`codeacumen models list` shows all")


def test_a_beginning_means_all_tasks_under_it() -> None:
    assert select_tasks(["abbreviations"]) == ["abbreviations/match", "abbreviations/expand"]
    assert select_tasks(["abbreviations/"]) == select_tasks(["abbreviations"])
    assert select_tasks(["idbench/similarity"]) == [
        f"idbench/similarity/{size}" for size in ("small", "medium", "large")
    ]
    assert len(select_tasks(["idbench"])) == 9


def test_tasks_named_twice_are_meant_once_and_stay_in_order() -> None:
    assert select_tasks(["abbreviations/expand", "abbreviations", "abbreviations/expand"]) == [
        "abbreviations/expand",
        "abbreviations/match",
    ]


@pytest.mark.parametrize("wrong", ["idbench/sim", "idb", "", "/", "abbreviations/match/more"])
def test_half_a_word_is_no_beginning(wrong: str) -> None:
    with pytest.raises(CodeacumenError, match="no task "):
        select_tasks(["abbreviations", wrong])


def test_an_unknown_task_is_met_with_near_names_and_groups() -> None:
    with pytest.raises(CodeacumenError) as caught:
        select_tasks(["idbench/similarty"])
    assert "idbench/similarity" in caught.value.hint
    with pytest.raises(CodeacumenError) as caught:
        select_tasks(["abreviations"])
    assert "abbreviations" in caught.value.hint


def test_a_task_that_calls_itself_otherwise_is_refused() -> None:
    """A run finds a task again by the name on its card."""
    match = make_task("abbreviations/match")
    task("mine/match")(lambda: match)
    with pytest.raises(
        CodeacumenError, match="'mine/match' has a card with the name 'abbreviations/match'"
    ):
        make_task("mine/match")


def test_a_factory_that_fails_is_named() -> None:
    @model("broken")
    def broken(path: str = "weights.bin") -> Same:
        Path("/nowhere", path).read_bytes()
        return Same()

    with pytest.raises(BrokenError, match=r"model 'broken' .* FileNotFoundError: .*weights\.bin"):
        make_model("broken")
    task("broken/task")(lambda: 1 / 0)
    with pytest.raises(CodeacumenError, match=r"task 'broken/task' .* ZeroDivisionError"):
        make_task("broken/task")


def test_a_factorys_own_message_and_hint_stay_as_they_are() -> None:
    @model("careful")
    def careful() -> Same:
        raise CodeacumenError("no weights here", "download them")

    with pytest.raises(CodeacumenError, match=r"^no weights here$") as caught:
        make_model("careful")
    assert caught.value.hint == "download them"
    assert not isinstance(caught.value, BrokenError)


@pytest.mark.parametrize("default", [Path("weights"), object(), float("nan"), {1, 2}, len])
def test_a_setting_that_cannot_be_written_down_is_refused(default: Any) -> None:
    """It could neither be recorded nor tell one model from another."""

    @model("odd")
    def odd(option: Any = default) -> Same:
        return Same()

    with pytest.raises(CodeacumenError, match=r"cannot write its setting option=.* as JSON"):
        make_model("odd")
    assert make_model("odd:option=3").settings == {"option": 3}


@pytest.mark.parametrize("size", [0, -1, None, "8", 2.0])
def test_a_batch_size_must_be_a_number_of_instances(size: Any) -> None:
    class Batched(Same):
        batch_size = size

    model("batched")(Batched)
    with pytest.raises(CodeacumenError, match=f"its batch_size is {size!r}"):
        make_model("batched")


@pytest.mark.parametrize("supervision", ["other", "none", None])
def test_a_learner_must_say_which_labels_it_sees(supervision: Any) -> None:
    """A slip here would show a model the very label it is asked for."""

    class Learning(Same):
        def __init__(self) -> None:
            self.supervision = supervision

        def fit(self, examples: Sequence[Any]) -> None: ...

    model("learning")(Learning)
    with pytest.raises(CodeacumenError, match=f"its supervision is {supervision!r}"):
        make_model("learning")


@pytest.mark.parametrize("name", ["a:b", "a,b"])
def test_a_model_that_could_never_be_named_is_refused(name: str) -> None:
    with pytest.raises(CodeacumenError, match="cannot be called"):
        model(name)(Same)


@pytest.mark.parametrize("name", ["../../outside", "/absolute", "a//b", "a/.", "a\\b", ""])
def test_a_task_whose_name_is_no_plain_path_is_refused(name: str) -> None:
    """Its answers go to a folder of that name."""
    with pytest.raises(CodeacumenError, match="cannot be called"):
        task(name)(Same)


def test_the_name_of_a_group_is_met_with_its_tasks() -> None:
    with pytest.raises(CodeacumenError, match="'abbreviations' is a group of 2 tasks") as caught:
        make_task("abbreviations")
    assert "abbreviations/match" in caught.value.hint


@pytest.mark.parametrize(
    "name",
    [
        "gluecode",
        "gluecode/npath",
        "robustness",
        "similarity/bare",
        "renames/check/balanced",
        "misnamed/check",
        "identifiers",
    ],
)
def test_a_task_of_a_data_set_that_is_not_loaded_is_met_with_how_to_build_it(name: str) -> None:
    with pytest.raises(CodeacumenError, match=f"no task '{name}': .* built from") as caught:
        select_tasks([name])
    command, _, then = caught.value.hint.partition(", then: ")
    folder = name.partition("/")[0]
    assert command.endswith(f"--out {folder}")
    assert then == f"codeacumen eval -t {name}@{folder}"
    # The verb is there.
    verb = command.removeprefix("codeacumen ").split()[:3]
    done = CliRunner().invoke(app, [*verb, "--help"])
    assert done.exit_code == 0, verb


def test_a_typo_in_a_family_whose_tasks_are_known_is_met_with_near_names() -> None:
    with pytest.raises(CodeacumenError, match="no task 'names/liu/chek'") as caught:
        select_tasks(["names/liu/chek"])
    assert "names/liu/check" in caught.value.hint
