"""Tests of references and settings: errors are reported by name, before anything runs."""

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
        # Not valid JSON, so these become strings: results files must be valid JSON.
        ("m:k=NaN,l=-Infinity", [], {"k": "NaN", "l": "-Infinity"}),
    ],
)
def test_reference_is_parsed_into_name_words_and_settings(
    reference: str, words: list[str], settings: dict[str, Any]
) -> None:
    parsed = parse_reference(reference)
    assert parsed == ("m", words, settings)
    assert [type(value) for value in parsed[2].values()] == [*map(type, settings.values())]


def test_defaults_are_filled_in() -> None:
    assert make_model("random").settings == {"seed": 0}
    assert make_model("random:seed=7").settings == {"seed": 7}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("random:sede=1", "unexpected keyword argument 'sede'"),
        ("random:1,2", "too many positional arguments"),
        ("random:1,seed=2", "multiple values for argument 'seed'"),
        ("random:=1", "unexpected keyword argument ''"),
        ("levenshtein:k=1", "unexpected keyword argument 'k'"),
    ],
)
def test_invalid_setting_is_reported(reference: str, message: str) -> None:
    with pytest.raises(CodeacumenError, match=message) as caught:
        make_model(reference)
    assert reference in str(caught.value)
    assert f"codeacumen models show {reference.split(':')[0]}" in caught.value.hint


def test_missing_required_setting_is_reported() -> None:
    @model("from-file")
    def from_file(weights: str) -> Same:
        return Same()

    with pytest.raises(CodeacumenError, match="missing a required argument: 'weights'"):
        make_model("from-file")
    assert make_model("from-file:weights=w.bin").settings == {"weights": "w.bin"}


@pytest.mark.parametrize(
    ("unknown_name", "suggested"),
    [("levenstein", "levenshtein"), ("ftcbow", "ft-cbow"), ("Random", "random")],
)
def test_unknown_model_is_reported_with_similar_names(unknown_name: str, suggested: str) -> None:
    with pytest.raises(CodeacumenError, match=f"no model '{unknown_name}'") as caught:
        make_model(unknown_name)
    assert suggested in caught.value.hint
    assert "codeacumen models list" in caught.value.hint


def test_dissimilar_name_is_reported_with_the_list_command() -> None:
    with pytest.raises(CodeacumenError) as caught:
        make_model("qqqqqqqq")
    assert caught.value.hint.startswith("`codeacumen models list` shows all")


def test_prefix_selects_all_tasks_of_a_group() -> None:
    assert select_tasks(["abbreviations"]) == ["abbreviations/match", "abbreviations/expand"]
    assert select_tasks(["abbreviations/"]) == select_tasks(["abbreviations"])
    assert select_tasks(["idbench/similarity"]) == [
        f"idbench/similarity/{size}" for size in ("small", "medium", "large")
    ]
    assert len(select_tasks(["idbench"])) == 9


def test_repeated_tasks_are_selected_once_in_order() -> None:
    assert select_tasks(["abbreviations/expand", "abbreviations", "abbreviations/expand"]) == [
        "abbreviations/expand",
        "abbreviations/match",
    ]


@pytest.mark.parametrize("wrong", ["idbench/sim", "idb", "", "/", "abbreviations/match/more"])
def test_partial_words_are_not_prefixes(wrong: str) -> None:
    with pytest.raises(CodeacumenError, match="no task "):
        select_tasks(["abbreviations", wrong])


def test_unknown_task_is_reported_with_similar_names_and_groups() -> None:
    with pytest.raises(CodeacumenError) as caught:
        select_tasks(["idbench/similarty"])
    assert "idbench/similarity" in caught.value.hint
    with pytest.raises(CodeacumenError) as caught:
        select_tasks(["abreviations"])
    assert "abbreviations" in caught.value.hint


def test_task_with_another_name_on_its_card_is_refused() -> None:
    """A run identifies a task by the name on its card."""
    match = make_task("abbreviations/match")
    task("mine/match")(lambda: match)
    with pytest.raises(
        CodeacumenError, match="'mine/match' has a card with the name 'abbreviations/match'"
    ):
        make_task("mine/match")


def test_failing_factory_is_reported() -> None:
    @model("broken")
    def broken(path: str = "weights.bin") -> Same:
        Path("/nowhere", path).read_bytes()
        return Same()

    with pytest.raises(BrokenError, match=r"model 'broken' .* FileNotFoundError: .*weights\.bin"):
        make_model("broken")
    task("broken/task")(lambda: 1 / 0)
    with pytest.raises(CodeacumenError, match=r"task 'broken/task' .* ZeroDivisionError"):
        make_task("broken/task")


def test_message_and_hint_of_factory_are_kept() -> None:
    @model("careful")
    def careful() -> Same:
        raise CodeacumenError("no weights here", "download them")

    with pytest.raises(CodeacumenError, match="no weights here") as caught:
        make_model("careful")
    assert str(caught.value) == "no weights here"
    assert caught.value.hint == "download them"
    assert not isinstance(caught.value, BrokenError)


@pytest.mark.parametrize("default", [Path("weights"), object(), float("nan"), {1, 2}, len])
def test_setting_that_is_not_json_is_refused(default: Any) -> None:
    """Such a setting could neither be stored nor distinguish models."""

    @model("odd")
    def odd(option: Any = default) -> Same:
        return Same()

    with pytest.raises(CodeacumenError, match=r"cannot write its setting option=.* as JSON"):
        make_model("odd")
    assert make_model("odd:option=3").settings == {"option": 3}


@pytest.mark.parametrize("size", [0, -1, None, "8", 2.0])
def test_invalid_batch_size_is_refused(size: Any) -> None:
    class Batched(Same):
        batch_size = size

    model("batched")(Batched)
    with pytest.raises(CodeacumenError, match=f"its batch_size is {size!r}"):
        make_model("batched")


@pytest.mark.parametrize("supervision", ["other", "none", None])
def test_learner_without_valid_supervision_is_refused(supervision: Any) -> None:
    """A mistake here would show a model the very label that it must predict."""

    class Learning(Same):
        def __init__(self) -> None:
            self.supervision = supervision

        def fit(self, examples: Sequence[Any]) -> None: ...

    model("learning")(Learning)
    with pytest.raises(CodeacumenError, match=f"its supervision is {supervision!r}"):
        make_model("learning")


@pytest.mark.parametrize("name", ["a:b", "a,b"])
def test_model_name_with_separators_is_refused(name: str) -> None:
    with pytest.raises(CodeacumenError, match="cannot be called"):
        model(name)(Same)


@pytest.mark.parametrize("name", ["../../outside", "/absolute", "a//b", "a/.", "a\\b", ""])
def test_task_name_that_is_no_plain_path_is_refused(name: str) -> None:
    """The task's answers go to a folder of that name."""
    with pytest.raises(CodeacumenError, match="cannot be called"):
        task(name)(Same)


def test_group_name_is_reported_with_its_tasks() -> None:
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
def test_task_of_missing_data_set_is_reported_with_build_command(name: str) -> None:
    with pytest.raises(CodeacumenError, match=f"no task '{name}': .* built from") as caught:
        select_tasks([name])
    command, _, then = caught.value.hint.partition(", then: ")
    folder = name.partition("/")[0]
    assert command.endswith(f"--out {folder}")
    assert then == f"codeacumen eval -t {name}@{folder}"
    # The suggested command exists.
    verb = command.removeprefix("codeacumen ").split()[:3]
    done = CliRunner().invoke(app, [*verb, "--help"])
    assert done.exit_code == 0, verb


def test_typo_in_known_group_is_reported_with_similar_names() -> None:
    with pytest.raises(CodeacumenError, match="no task 'names/liu/chek'") as caught:
        select_tasks(["names/liu/chek"])
    assert "names/liu/check" in caught.value.hint
