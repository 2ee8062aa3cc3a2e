"""The contract that every network of the catalogue keeps, checked for each of them.

A network learns what it is shown; saved and loaded, or asked beside other inputs, it gives the
same answers; killed and resumed, it ends with the weights of an undisturbed training; and it reads
any text. What is particular to one network is tested in the file of that network.

Networks are as small as they can be and are trained once per purpose; a network that is added to
the catalogue is checked without a change here, in its ``small`` configuration.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

pytest.importorskip("torch")

import torch

from codeacumen.api import Example, Method
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.models.neural.answering import answers, vectors
from codeacumen.models.neural.architecture import Architecture, Purpose
from codeacumen.models.neural.catalogue import CATALOGUE, Plan, architecture
from codeacumen.models.neural.training import checkpoints
from codeacumen.models.neural.training.preparing import ReadJob, read_part
from codeacumen.models.neural.training.settings import CONFIGS, Training, filled, read_config
from codeacumen.models.neural.training.teaching import LAST, Taught
from models.neural import checks
from models.neural.base_examples import ALL, mixed
from models.neural.checks import COMPLETION, NAMING, NPATH, PRETRAIN

TRAINING = {"epochs": 3, "batch": 8}
EXAMPLES = 32
KILLED_AT = 10  # of 12 steps: in the last of three rounds

# Smaller than ``small``. Contexts are fewer than a method has, and dropout is on, so that a
# resumed training has to draw what the undisturbed one drew.
TINY_TOKENS: dict[str, Any] = {"vocabulary": 500, "length": 40, "embedding": 8, "hidden": 8}
TINY: dict[str, dict[str, Any]] = {
    "mlp": TINY_TOKENS,
    "cnn": {**TINY_TOKENS, "channels": 8},
    "bilstm": TINY_TOKENS,
    "seq2seq": TINY_TOKENS,
    "transformer": {
        "length": 60, "width": 16, "heads": 2, "inner": 32, "layers": 1, "vocabulary": 500,
        "dropout": 0.1,
    },
    "code2vec": {"contexts": 10, "keep": 40, "embedding": 8, "code": 12},
    "code2seq": {"contexts": 10, "keep": 40, "embedding": 8, "state": 8, "hidden": 16},
    "ggnn": {"nodes": 60, "embedding": 8, "steps": 2, "decoder": 16},
    "cognac": {"length": 60, "embedding": 8, "hidden": 8},
    "codeacumen-base": {
        "length": 64, "around": 16, "layers": 1, "width": 16, "inner": 32, "pretrain": 0.5,
        "dropout": 0.1,
    },
    "gtnm": {
        "local": 40, "project": 20, "size": 16, "inner": 16, "blocks": 1, "heads": 2, "beam": 3,
    },
    "spot-cnn": {"longest": 80, "size": 8, "epochs": 3, "name_size": 8, "name_epochs": 3,
                 "maps": 4, "second_maps": 6, "feature": 8},
}  # fmt: skip


@dataclass(frozen=True)
class Lesson:
    """What a network needs to know a few examples by heart."""

    epochs: int = 80
    training: dict[str, Any] = field(default_factory=dict)
    network: dict[str, Any] = field(default_factory=dict)
    share_right: float = 0.9
    few: int = 12  # examples in a run that is not thorough


# Seq2seq has no attention and learns a name by heart slowly.
LESSONS = {
    "bilstm": Lesson(80, {}, {"length": 48}),
    "seq2seq": Lesson(160, {"rate": 0.01}, {"embedding": 64, "length": 48}),
    "transformer": Lesson(60, {"rate": 0.004}, {"length": 48}),
    "code2vec": Lesson(30),
    "code2seq": Lesson(40),
    "ggnn": Lesson(60, {"batch": 8}, {"nodes": 60, "dropout": 0.0}),
    "cognac": Lesson(80, {"rate": 0.02}),
    "codeacumen-base": Lesson(
        160, {"rate": 0.003, "round": 80}, {"pretrain": 0.05, "alone": 0.0}, share_right=0.85
    ),
    "gtnm": Lesson(80, {"rate": 0.005}),
    # By the nearest method alone, each has the name that it was taught.
    "spot-cnn": Lesson(80, {"rate": 0.0005}, {"rank": "r1"}, few=32),
}

# Half a surrogate pair, as a character and as its escape: in names, strings, characters and
# comments; characters that end a text in C, marks of byte order and of direction.
ODD_METHODS = (
    "boolean METHOD_NAME(char c) { return c == '\\uD800' || c == '\\udfff'; }",
    "boolean METHOD_NAME(char c) { /* \ud800 */ return c == '\ud83d' || \"\udc00\".isEmpty(); }",
    'String METHOD_NAME() { String \\uD835\\uDD38 = "\\uD800 a\\uDC00b"; return \\uD835\\uDD38; }',
    "int METHOD_NAME(int \ud835) { return \ud835 + x\ud835.y\udc00(); }",
    "void METHOD_NAME() { char a = '\\0', b = '\0', c = '\ufeff', d = '\u202e', e = '\uffff'; }",
)
NO_METHODS = ("}{", "\ud800\0", "é" * 50, "class X {", "a" * 300_000, "((((" * 5000)
UNKNOWN_WORDS = "Qzxv METHOD_NAME(Wvkj qqzj) { return qqzj.vvxq(); }"


def network_class(network: str) -> type[Architecture]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return architecture(network)


def purposes(network: str) -> list[Purpose]:
    """Every purpose that a network can be trained for, of those that the examples have."""
    kind = network_class(network)
    if kind.joint:
        return [ALL]
    return [one for one in (NAMING, NPATH, COMPLETION) if one.task.startswith(kind.serves)]


@dataclass(frozen=True)
class Case:
    network: str
    purpose: Purpose

    def __str__(self) -> str:
        return f"{self.network}-{self.purpose.task.removeprefix('gluecode/')}"

    def examples(self, count: int) -> list[Example]:
        return mixed(count) if self.purpose is ALL else checks.taught_examples(self.purpose, count)

    def train(self, folder: Path, step: Progress = ignore_progress, workers: int = 0) -> Trained:
        examples = self.examples(EXAMPLES)
        model, plan, taught = checks.train_on(
            self.network,
            self.purpose,
            examples,
            folder,
            {**TRAINING, "workers": workers},
            step=step,
            **TINY.get(self.network, {}),
        )
        return Trained(self, folder, model, plan, taught, examples)


@dataclass(frozen=True)
class Trained:
    case: Case
    folder: Path
    model: Architecture
    plan: Plan
    taught: Taught
    examples: list[Example]

    @property
    def features(self) -> list[Any]:
        return [self.model.read(example.input) for example in self.examples]

    def last_weights(self) -> dict[str, torch.Tensor]:
        path = self.folder / "checkpoints" / LAST
        state: dict[str, torch.Tensor] = torch.load(path, weights_only=False)["state_dict"]
        return state


CASES = [Case(network, purpose) for network in CATALOGUE for purpose in purposes(network)]
# One case for each network, by the purpose that it serves first.
FIRST_CASES = list({case.network: case for case in reversed(CASES)}.values())[::-1]
PRETRAINED = [Case(name, PRETRAIN) for name in CATALOGUE if network_class(name).may_pretrain]


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    case: Case = request.param
    return case.train(tmp_path_factory.mktemp(str(case)))


def for_each(cases: list[Case]) -> Any:
    return pytest.mark.parametrize("trained", cases, indirect=True, ids=str)


# ------------------------------------------------------------------------------------ training


@pytest.mark.parametrize("case", FIRST_CASES, ids=str)
def test_learns_a_few_by_heart(case: Case, tmp_path: Path) -> None:
    check_learned(case, LESSONS.get(case.network, Lesson()).few, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=str)
def test_learns_many_by_heart(case: Case, tmp_path: Path) -> None:
    check_learned(case, 32, tmp_path)


def check_learned(case: Case, count: int, folder: Path) -> None:
    lesson = LESSONS.get(case.network, Lesson())
    examples = case.examples(count)
    training = {
        "epochs": lesson.epochs,
        "round": lesson.epochs // 4,
        "batch": 32,
        **lesson.training,
    }
    model, _, taught = checks.train_on(
        case.network, case.purpose, examples, folder, training, **lesson.network
    )
    assert taught.history[-1]["loss"] < 0.5 * taught.history[0]["loss"]
    given = answers(model, taught.network, [model.read(example.input) for example in examples])
    expected = [expected_answer(model, example) for example in examples]
    right = sum(a == b for a, b in zip(given, expected, strict=True))
    assert right >= lesson.share_right * len(examples), list(zip(given, expected, strict=True))


def expected_answer(model: Architecture, example: Example) -> str | None:
    """The true answer in the words that the network has: a small vocabulary may lack some."""
    if model.joint:
        return str(example.truth)
    features = model.read(example.input)
    assert features is not None
    target = model.target(str(example.truth), features) or {}
    numbers = target.get("label", target.get("target", np.zeros(1, np.int32)))
    return model.answer([int(number) for number in numbers])


@for_each(FIRST_CASES + PRETRAINED)
def test_killed_and_resumed_has_the_same_weights(trained: Trained, tmp_path: Path) -> None:
    check_resumed(trained, tmp_path)


def test_batches_made_ahead_are_those_of_the_resumed_round(tmp_path: Path) -> None:
    """Worker processes of the loader begin before anybody tells them which round it is."""
    undisturbed = Case("cnn", NAMING).train(tmp_path / "undisturbed", workers=2)
    check_resumed(undisturbed, tmp_path / "killed", workers=2)


class KilledError(Exception):
    """Like a kill: nothing after it is done."""


def check_resumed(undisturbed: Trained, folder: Path, workers: int = 0) -> None:
    """Prepare and train again, kill that, resume it, and compare everything with the first."""

    def kill(what: str, done: int, total: int) -> None:
        if done == KILLED_AT:
            raise KilledError

    case = undisturbed.case
    checkpoints = folder / "checkpoints"
    with pytest.raises(KilledError):
        case.train(folder, kill, workers)
    assert (checkpoints / LAST).is_file()
    torch.manual_seed(12345)
    (checkpoints / f"{LAST}.part").write_bytes(b"half a checkpoint")
    resumed = case.train(folder, workers=workers)
    assert [row["round"] for row in resumed.taught.history] == [0, 1, 2]
    for name in ("train.arrow", *(f"vocabulary/{one.name}" for one in vocabulary_of(folder))):
        assert (folder / name).read_bytes() == (undisturbed.folder / name).read_bytes(), name
    assert_equal_weights(resumed.last_weights(), undisturbed.last_weights())
    assert_equal_weights(
        resumed.taught.network.state_dict(), undisturbed.taught.network.state_dict()
    )


def vocabulary_of(folder: Path) -> list[Path]:
    return sorted((folder / "vocabulary").iterdir())


def assert_equal_weights(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert left
    assert list(left) == list(right)
    for key, value in left.items():
        assert torch.equal(value, right[key]), key


@for_each(FIRST_CASES)
def test_training_changes_the_weights(trained: Trained) -> None:
    """Otherwise equal weights after a resumed training would say nothing."""
    torch.manual_seed(0)
    first: Any = trained.model.network()
    state = trained.taught.network.state_dict()
    moved = [not torch.equal(value, state[key]) for key, value in first.named_parameters()]
    assert sum(moved) > len(moved) / 2


# ------------------------------------------------------------------------------------ answers


@for_each(CASES)
def test_saved_and_loaded_gives_the_same_answers(trained: Trained, tmp_path: Path) -> None:
    """And the same vectors, to the last bit."""
    model, network = trained.model, trained.taught.network
    checkpoints.save(tmp_path, trained.plan, model, network, {})
    loaded_model, loaded_network = checkpoints.load(tmp_path)
    features = trained.features
    assert answers(loaded_model, loaded_network, features) == answers(model, network, features)
    if model.embeds:
        rows = vectors(model, network, features)
        assert vectors(loaded_model, loaded_network, features) == rows
        assert len({tuple(np.round(row or [], 4)) for row in rows}) > len(rows) // 2


@for_each(CASES)
def test_answers_are_independent_of_the_batch(trained: Trained) -> None:
    """Of the other inputs in it, and of the padding that these bring."""
    model, network, features = trained.model, trained.taught.network, trained.features
    together = answers(model, network, features, batch=len(features))
    assert answers(model, network, features, batch=1) == together
    if model.embeds:
        rows = vectors(model, network, features, batch=len(features))
        single = vectors(model, network, features, batch=1)
        np.testing.assert_allclose(rows, single, rtol=1e-3, atol=1e-4)


# ------------------------------------------------------------------------------------ texts


@for_each(FIRST_CASES)
def test_empty_input_has_no_answer(trained: Trained) -> None:
    model, network = trained.model, trained.taught.network
    assert model.read(Method("", "")) is None
    assert model.read_text("") is None
    known = trained.features[0]
    given = answers(model, network, [None, known, None])
    assert given == [None, *answers(model, network, [known]), None]


@for_each(FIRST_CASES)
def test_any_text_is_answered_or_refused(trained: Trained) -> None:
    model, network = trained.model, trained.taught.network
    for text in (*ODD_METHODS, *NO_METHODS):
        features = model.read(Method("", text))
        if features is not None:
            assert len(answers(model, network, [features])) == 1
        features = model.read_text(text)
        if features is not None and model.embeds:
            (row,) = vectors(model, network, [features])
            assert np.isfinite(row or [0.0]).all()


@for_each(FIRST_CASES)
def test_unknown_words_are_no_obstacle(trained: Trained) -> None:
    """A method whose words were never seen changes no answer beside it."""
    model, network = trained.model, trained.taught.network
    unknown = model.read(Method("", UNKNOWN_WORDS))
    assert unknown is not None
    known = trained.features[:5]
    assert answers(model, network, [*known, unknown])[:5] == answers(model, network, known)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_odd_methods_are_read_and_written(case: Case, tmp_path: Path) -> None:
    network_class(case.network)
    _, plan = checks.made(case.network, case.purpose)
    chunk: list[tuple[Method, str]] = [(Method("", text), "name") for text in ODD_METHODS]
    job = ReadJob(plan, chunk, None, tmp_path / "part.parquet")  # type: ignore[arg-type]
    counts, read = read_part(job)
    # Half a pair in a name is no Java: some networks read nothing of that method.
    assert len(ODD_METHODS) - 1 <= read == pq.read_table(tmp_path / "part.parquet").num_rows
    for words in counts.values():
        for word in words:
            word.encode()


# ------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_configurations_are_valid(path: Path) -> None:
    network = path.name.split(".")[0]
    tables = read_config(network, str(path))
    filled(network_class(network).Settings, tables["network"], path.name)
    filled(Training, tables["training"], path.name)


def test_every_network_has_a_small_configuration() -> None:
    assert [name for name in CATALOGUE if not (CONFIGS / f"{name}.small.toml").is_file()] == []
    assert set(TINY) | set(LESSONS) <= set(CATALOGUE)
