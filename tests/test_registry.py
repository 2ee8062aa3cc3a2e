"""Names, settings and plug-ins: what is wrong is said by name, before anything runs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from acumen.api import AcumenError, Pair
from acumen.registry import (
    Entry,
    Made,
    entries,
    entry,
    fingerprint,
    listing,
    load_plugin,
    make_model,
    make_task,
    model,
    names,
    parse_reference,
    select_tasks,
    task,
)


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    names("model")
    names("task")
    copy = {kind: dict(known) for kind, known in entries.ENTRIES.items()}
    monkeypatch.setattr(entries, "ENTRIES", copy)


class Same:
    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return [float(pair.left == pair.right) for pair in pairs]


# --------------------------------------------------------------------------------------
# References.
# --------------------------------------------------------------------------------------


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
    with pytest.raises(AcumenError, match=told) as caught:
        make_model(reference)
    assert reference in str(caught.value)
    assert f"acumen models show {reference.split(':')[0]}" in caught.value.hint


def test_a_setting_that_must_be_given_is_asked_for() -> None:
    @model("from-file")
    def from_file(weights: str) -> Same:
        return Same()

    with pytest.raises(AcumenError, match="missing a required argument: 'weights'"):
        make_model("from-file")
    assert make_model("from-file:weights=w.bin").settings == {"weights": "w.bin"}


@pytest.mark.parametrize(
    ("wanted", "suggested"),
    [("levenstein", "levenshtein"), ("ftcbow", "ft-cbow"), ("Random", "random")],
)
def test_an_unknown_model_is_met_with_near_names(wanted: str, suggested: str) -> None:
    with pytest.raises(AcumenError, match=f"there is no model called '{wanted}'") as caught:
        make_model(wanted)
    assert suggested in caught.value.hint
    assert "acumen models list" in caught.value.hint


def test_a_name_like_no_other_is_met_with_the_list() -> None:
    with pytest.raises(AcumenError) as caught:
        make_model("qqqqqqqq")
    assert caught.value.hint.startswith("`acumen models list` shows all")


# --------------------------------------------------------------------------------------
# Tasks by name and by beginning.
# --------------------------------------------------------------------------------------


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
    with pytest.raises(AcumenError, match="there is no task called"):
        select_tasks(["abbreviations", wrong])


def test_an_unknown_task_is_met_with_near_names_and_groups() -> None:
    with pytest.raises(AcumenError) as caught:
        select_tasks(["idbench/similarty"])
    assert "idbench/similarity" in caught.value.hint
    with pytest.raises(AcumenError) as caught:
        select_tasks(["abreviations"])
    assert "abbreviations" in caught.value.hint


def test_a_task_that_calls_itself_otherwise_is_refused() -> None:
    """A run finds a task again by the name on its card."""
    match = make_task("abbreviations/match")
    task("mine/match")(lambda: match)
    with pytest.raises(AcumenError, match="'mine/match' calls itself 'abbreviations/match'"):
        make_task("mine/match")


# --------------------------------------------------------------------------------------
# Models that would go wrong later.
# --------------------------------------------------------------------------------------


def test_a_factory_that_fails_is_named() -> None:
    @model("broken")
    def broken(path: str = "weights.bin") -> Same:
        Path("/nowhere", path).read_bytes()
        return Same()

    with pytest.raises(AcumenError, match=r"model 'broken' .* FileNotFoundError: .*weights\.bin"):
        make_model("broken")
    task("broken/task")(lambda: 1 / 0)
    with pytest.raises(AcumenError, match=r"task 'broken/task' .* ZeroDivisionError"):
        make_task("broken/task")


def test_a_factorys_own_message_and_hint_stay_as_they_are() -> None:
    @model("careful")
    def careful() -> Same:
        raise AcumenError("no weights here", "download them")

    with pytest.raises(AcumenError, match=r"^no weights here$") as caught:
        make_model("careful")
    assert caught.value.hint == "download them"


@pytest.mark.parametrize("default", [Path("weights"), object(), float("nan"), {1, 2}, len])
def test_a_setting_that_cannot_be_written_down_is_refused(default: Any) -> None:
    """It could neither be recorded nor tell one model from another."""

    @model("odd")
    def odd(option: Any = default) -> Same:
        return Same()

    with pytest.raises(AcumenError, match=r"its setting option=.* cannot be written down"):
        make_model("odd")
    assert make_model("odd:option=3").settings == {"option": 3}


@pytest.mark.parametrize("size", [0, -1, None, "8", 2.0])
def test_a_batch_size_must_be_a_number_of_instances(size: Any) -> None:
    class Batched(Same):
        batch_size = size

    model("batched")(Batched)
    with pytest.raises(AcumenError, match=f"its batch_size is {size!r}"):
        make_model("batched")


@pytest.mark.parametrize("supervision", ["other", "none", None])
def test_a_learner_must_say_which_labels_it_sees(supervision: Any) -> None:
    """A slip here would show a model the very label it is asked for."""

    class Learning(Same):
        def __init__(self) -> None:
            self.supervision = supervision

        def fit(self, examples: Sequence[Any]) -> None: ...

    model("learning")(Learning)
    with pytest.raises(AcumenError, match=f"its supervision is {supervision!r}"):
        make_model("learning")


# --------------------------------------------------------------------------------------
# Plug-in files.
# --------------------------------------------------------------------------------------

GOOD = '''
from acumen.registry import model

class Same:
    def similarity(self, pairs):
        return [1.0] * len(pairs)

@model("NAME")
def make():
    """All alike

    and more about it.
    """
    return Same()
'''


def plugin(tmp_path: Path, name: str = "same", file: str = "plugin.py") -> Path:
    path = tmp_path / file
    path.write_text(GOOD.replace("NAME", name))
    return path


def test_a_file_is_a_plug_in(tmp_path: Path) -> None:
    path = plugin(tmp_path)
    load_plugin(path)
    load_plugin(path)
    assert ("same", "All alike", "plugin.py") in list(listing("model"))
    assert make_model("same").model.similarity([Pair("a", "b")]) == [1.0]  # type: ignore[union-attr]


def test_plug_ins_of_one_file_name_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        load_plugin(plugin(tmp_path / folder, folder))
    assert make_model("a").entry.factory is not make_model("b").entry.factory


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def broken(:", r"SyntaxError: .*line 1"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("\0", "(SyntaxError|ValueError): .*null bytes"),
    ],
)
def test_a_plug_in_that_fails_is_named_with_the_reason(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(AcumenError, match=told) as caught:
        load_plugin(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["missing.py", "folder", "folder.py", "text.txt", "plugin"])
def test_what_is_no_python_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "text.txt").write_text("")
    (tmp_path / "plugin").write_text("")
    with pytest.raises(AcumenError, match="not a Python file") as caught:
        load_plugin(tmp_path / name)
    assert ".py file" in caught.value.hint


def test_a_plug_in_that_failed_half_way_can_be_mended_and_loaded(tmp_path: Path) -> None:
    path = plugin(tmp_path)
    whole = path.read_text()
    path.write_text(whole + "\n1 / 0\n")
    with pytest.raises(AcumenError, match="ZeroDivisionError"):
        load_plugin(path)
    path.write_text(whole)
    load_plugin(path)
    assert make_model("same").entry.summary == "All alike"


# --------------------------------------------------------------------------------------
# Two of one name.
# --------------------------------------------------------------------------------------


def test_two_files_with_one_name_are_told_apart_by_refusing(tmp_path: Path) -> None:
    load_plugin(plugin(tmp_path, file="one.py"))
    two = plugin(tmp_path, file="two.py")
    with pytest.raises(AcumenError, match="two models are called 'same'") as caught:
        load_plugin(two)
    assert str(caught.value).startswith(f"{two}: ")
    assert "one from one.py, one from two.py" in str(caught.value)
    assert "rename" in caught.value.hint


def test_one_file_cannot_use_a_name_twice(tmp_path: Path) -> None:
    """A copied function whose decorator was forgotten must not silently win."""
    path = plugin(tmp_path)
    path.write_text(path.read_text() + '\n@model("same")\ndef another():\n    return Same()\n')
    with pytest.raises(AcumenError, match="two models are called 'same'"):
        load_plugin(path)


def test_a_plug_in_cannot_take_the_place_of_what_we_ship(tmp_path: Path) -> None:
    with pytest.raises(AcumenError, match=r"one from acumen, one from plugin\.py"):
        load_plugin(plugin(tmp_path, "levenshtein"))


def test_a_model_and_a_task_may_share_a_name(tmp_path: Path) -> None:
    path = plugin(tmp_path, "abbreviations/match")
    load_plugin(path)
    assert make_model("abbreviations/match").entry.kind == "model"
    assert make_task("abbreviations/match").card.version == "1"


def pretend_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, module: str, entry_points: str
) -> None:
    """Lay out a distribution as an installer does, without one (tests/test_third_party.py
    installs for real)."""
    (folder / f"{package}.py").write_text(module)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(folder))


def test_two_packages_with_one_name_are_refused_when_used_and_listed_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("reg_alpha", "reg_beta"):
        points = f"[acumen.models]\nclash = {package}:make\n"
        pretend_installed(tmp_path, monkeypatch, package, "make = None", points)
    assert ("clash", "", "reg_alpha 1.0, reg_beta 1.0") in list(listing("model"))
    with pytest.raises(AcumenError, match="two models are called 'clash'") as caught:
        make_model("clash")
    assert "one from reg_alpha 1.0, one from reg_beta 1.0" in str(caught.value)


def test_a_package_cannot_take_the_place_of_what_we_ship_unnoticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = "[acumen.models]\nlevenshtein = reg_gamma:make\n"
    pretend_installed(tmp_path, monkeypatch, "reg_gamma", "make = None", points)
    with pytest.raises(AcumenError, match=r"one from acumen, one from reg_gamma 1\.0"):
        make_model("levenshtein")


@pytest.mark.parametrize("value", ["reg_delta:number", "reg_delta", "reg_delta:nothing"])
def test_an_entry_point_that_makes_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    points = f"[acumen.models]\nodd = {value}\n[acumen.tasks]\nodd = {value}\n"
    pretend_installed(tmp_path, monkeypatch, "reg_delta", "number = 5", points)
    with pytest.raises(AcumenError, match="odd"):
        make_model("odd")
    with pytest.raises(AcumenError, match="odd"):
        make_task("odd")


# --------------------------------------------------------------------------------------
# What identifies a model.
# --------------------------------------------------------------------------------------

TWO_IN_ONE = """
from acumen.registry import model

class Same:
    def similarity(self, pairs):
        return [1.0] * len(pairs)

@model("reg-first")
def first():
    return Same()

@model("reg-second")
def second():
    return Same()
"""


def test_the_order_of_loading_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two decorated models in one module: loading the first registers the second as well,
    which must keep its release, or an update would find the old release's answers."""
    points = "[acumen.models]\nreg-first = reg_two:first\nreg-second = reg_two:second\n"
    pretend_installed(tmp_path, monkeypatch, "reg_two", TWO_IN_ONE, points)
    make_model("reg-first")
    late = make_model("reg-second")
    assert late.entry.origin == "reg_two 1.0"
    entries.ENTRIES["model"].pop("reg-first")
    entries.ENTRIES["model"].pop("reg-second")
    monkeypatch.delitem(sys.modules, "reg_two")
    assert fingerprint(make_model("reg-second")) == fingerprint(late)


class CallableFactory:
    """A factory that is an object"""

    def __call__(self, scale: float = 1.0) -> Same:
        return Same()


def test_factories_of_every_make_are_identified_by_their_code() -> None:
    """Without the hash of its file, an edited model would find its old answers."""

    def function(scale: float = 1.0) -> Same:
        """A plain function"""
        return Same()

    @functools.wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Same:
        return function(*arguments, **options)

    makers = [function, wrapper, functools.partial(function, scale=2.0), CallableFactory(), Same]
    for i, factory in enumerate(makers):
        model(f"made-{i}")(factory)
    found = [entry("model", f"made-{i}") for i in range(len(makers))]
    assert len({one.code_sha256 for one in found}) == 1
    assert all(len(one.code_sha256) == 64 for one in found)
    assert found[2].summary == "A plain function"
    assert found[3].summary == "A factory that is an object"
    assert make_model("made-2").settings == {"scale": 2.0}


def test_a_model_tells_its_weights_apart() -> None:
    class Weighted(Same):
        def __init__(self, path: str) -> None:
            self.fingerprint = f"sha256 of {path}"

    maker = Entry("model", "weighted", Weighted)
    one, two = (Made("weighted", maker, {}, Weighted(path)) for path in "ab")
    assert fingerprint(one) != fingerprint(two)
    assert fingerprint(one) == fingerprint(Made("weighted", maker, {}, Weighted("a")))


@pytest.mark.parametrize("name", ["a:b", "a,b"])
def test_a_model_that_could_never_be_named_is_refused(name: str) -> None:
    with pytest.raises(AcumenError, match="cannot be called"):
        model(name)(Same)


@pytest.mark.parametrize("name", ["../../outside", "/absolute", "a//b", "a/.", "a\\b", ""])
def test_a_task_whose_name_is_no_plain_path_is_refused(name: str) -> None:
    """Its answers go to a folder of that name."""
    with pytest.raises(AcumenError, match="cannot be called"):
        task(name)(Same)


def test_the_name_of_a_group_is_met_with_its_tasks() -> None:
    with pytest.raises(AcumenError, match="'abbreviations' are 2 tasks") as caught:
        make_task("abbreviations")
    assert "abbreviations/match" in caught.value.hint


PLUGINS_WITH_A_HELPER = {
    "import above": "from helper_of_it import M\n@model('helped')\ndef make():\n    return M()\n",
    "import when asked": "@model('helped')\ndef make():\n    import helper_of_it\n    return 1\n",
    "a partial": "from helper_of_it import M\nmodel('helped')(functools.partial(M))\n",
    "another's factory": "from helper_of_it import M\nmodel('helped')(M)\n",
}


@pytest.mark.parametrize("edited", ["plugin", "helper"])
@pytest.mark.parametrize("way", PLUGINS_WITH_A_HELPER)
def test_an_edit_of_a_plugin_or_of_what_lies_beside_it_makes_another_model(
    way: str, edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    plugin, helper = tmp_path / "helped.py", tmp_path / "helper_of_it.py"
    found = []
    for remark in ("# one\n", "# two\n"):
        text = "import functools\nfrom acumen.registry import model\n" + PLUGINS_WITH_A_HELPER[way]
        plugin.write_text(text + (remark if edited == "plugin" else ""))
        helper.write_text("class M: ...\n" + (remark if edited == "helper" else ""))
        sys.modules.pop("helper_of_it", None)
        for name in [name for name in sys.modules if name.startswith("acumen_plugin_helped")]:
            del sys.modules[name]
        entries.ENTRIES["model"].pop("helped", None)
        load_plugin(plugin)
        found.append(entry("model", "helped").code_sha256)
    assert found[0] != found[1]


def test_any_file_of_a_package_belongs_to_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The factory in one file, the model in another: an edit of either is another model."""
    from acumen.registry import package_hash

    package = tmp_path / "two_files"
    package.mkdir()
    (package / "__init__.py").write_text("from .inner import make\n")
    (package / "inner.py").write_text("def make():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import two_files  # type: ignore[import-not-found]

    before = package_hash("two_files")
    (package / "inner.py").write_text("def make():\n    return 2\n")
    package_hash.cache_clear()
    assert two_files.make() == 1
    assert package_hash("two_files") != before
