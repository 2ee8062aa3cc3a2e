"""The contract that every network of the catalogue keeps, checked for each of them.

A network learns its training examples; saved and loaded, or run with other inputs in the batch, it
returns the same answers; killed and resumed, it ends with the weights of an undisturbed training;
and it reads any text. Tests of one network's own behaviour are in that network's file.

Networks are as small as possible and are trained once per purpose. A network added to the catalogue
is checked here without a change, in its ``small`` configuration.
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
from codeacumen.models.neural.architecture import Architecture, Purpose
from codeacumen.models.neural.catalogue import CATALOGUE, NetworkPlan, load_architecture
from codeacumen.models.neural.predict import compute_vectors, predict_answers
from codeacumen.models.neural.training import checkpoints
from codeacumen.models.neural.training.fit import LAST, TrainingResult
from codeacumen.models.neural.training.prepare import ReadJob, extract_part
from codeacumen.models.neural.training.settings import (
    CONFIGS,
    TrainingSettings,
    fill_settings,
    read_config,
)
from models.neural import small_networks
from models.neural.base_questions import ALL, make_mixed_examples
from models.neural.small_networks import COMPLETION, NAMING, NPATH, PRETRAIN

TRAINING = {"epochs": 3, "batch": 8}
EXAMPLES = 32
KILLED_AT = 10  # of 12 steps: in the last of three rounds

# Smaller than ``small``. Contexts are fewer than a method has, and dropout is on, so that a
# resumed training must sample what the undisturbed one sampled.
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
    """Settings with which a network memorizes a few examples."""

    epochs: int = 80
    training: dict[str, Any] = field(default_factory=dict)
    network: dict[str, Any] = field(default_factory=dict)
    share_right: float = 0.9
    few: int = 12  # examples in a run that is not thorough


# Seq2seq has no attention and memorizes a name slowly.
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
    # With the nearest method alone, each method gets its training name.
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
        return load_architecture(network)


def list_purposes(network: str) -> list[Purpose]:
    """Return the purposes for which a network can be trained and for which there are examples."""
    kind = network_class(network)
    if kind.task_column:
        return [ALL]
    return [
        purpose
        for purpose in (NAMING, NPATH, COMPLETION)
        if purpose.task.startswith(kind.task_prefixes)
    ]


@dataclass(frozen=True)
class Case:
    network: str
    purpose: Purpose

    def __str__(self) -> str:
        return f"{self.network}-{self.purpose.task.removeprefix('gluecode/')}"

    def make_examples(self, count: int) -> list[Example]:
        return (
            make_mixed_examples(count)
            if self.purpose is ALL
            else small_networks.make_examples(self.purpose, count)
        )

    def train_case(
        self, folder: Path, step: Progress = ignore_progress, workers: int = 0
    ) -> Trained:
        examples = self.make_examples(EXAMPLES)
        model, plan, taught = small_networks.train_small_on(
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
    plan: NetworkPlan
    taught: TrainingResult
    examples: list[Example]

    @property
    def features(self) -> list[Any]:
        return [self.model.extract_features(example.input) for example in self.examples]

    def last_weights(self) -> dict[str, torch.Tensor]:
        path = self.folder / "checkpoints" / LAST
        state: dict[str, torch.Tensor] = torch.load(path, weights_only=False)["state_dict"]
        return state


CASES = [Case(network, purpose) for network in CATALOGUE for purpose in list_purposes(network)]
# One case for each network, with its first purpose.
FIRST_CASES = list({case.network: case for case in reversed(CASES)}.values())[::-1]
PRETRAINED = [
    Case(name, PRETRAIN) for name in CATALOGUE if network_class(name).supports_pretraining
]


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    case: Case = request.param
    return case.train_case(tmp_path_factory.mktemp(str(case)))


def for_each(cases: list[Case]) -> Any:
    return pytest.mark.parametrize("trained", cases, indirect=True, ids=str)


# ------------------------------------------------------------------------------------ training


@pytest.mark.parametrize("case", FIRST_CASES, ids=str)
def test_network_memorizes_few_examples(case: Case, tmp_path: Path) -> None:
    check_learned(case, LESSONS.get(case.network, Lesson()).few, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=str)
def test_network_memorizes_many_examples(case: Case, tmp_path: Path) -> None:
    check_learned(case, 32, tmp_path)


def check_learned(case: Case, count: int, folder: Path) -> None:
    lesson = LESSONS.get(case.network, Lesson())
    examples = case.make_examples(count)
    training = {
        "epochs": lesson.epochs,
        "round": lesson.epochs // 4,
        "batch": 32,
        **lesson.training,
    }
    model, _, taught = small_networks.train_small_on(
        case.network, case.purpose, examples, folder, training, **lesson.network
    )
    assert taught.history[-1]["loss"] < 0.5 * taught.history[0]["loss"]
    predicted = predict_answers(
        model, taught.network, [model.extract_features(example.input) for example in examples]
    )
    expected = [expected_answer(model, example) for example in examples]
    right = sum(a == b for a, b in zip(predicted, expected, strict=True))
    assert right >= lesson.share_right * len(examples), list(zip(predicted, expected, strict=True))


def expected_answer(model: Architecture, example: Example) -> str | None:
    """Return the true answer in the network's words; a small vocabulary may lack some."""
    if model.task_column:
        return str(example.truth)
    features = model.extract_features(example.input)
    assert features is not None
    target = model.encode_target(str(example.truth), features) or {}
    numbers = target.get("label", target.get("target", np.zeros(1, np.int32)))
    return model.decode_answer([int(number) for number in numbers])


@for_each(FIRST_CASES + PRETRAINED)
def test_killed_and_resumed_has_the_same_weights(trained: Trained, tmp_path: Path) -> None:
    check_resumed(trained, tmp_path)


def test_prefetched_batches_belong_to_the_resumed_round(tmp_path: Path) -> None:
    """Worker processes of the loader start before they know the round."""
    undisturbed = Case("cnn", NAMING).train_case(tmp_path / "undisturbed", workers=2)
    check_resumed(undisturbed, tmp_path / "killed", workers=2)


class KilledError(Exception):
    """Simulates a kill: nothing runs after it."""


def check_resumed(undisturbed: Trained, folder: Path, workers: int = 0) -> None:
    """Prepare and train again, kill that training, resume it, and compare everything with the
    first."""

    def kill_training(what: str, done: int, total: int) -> None:
        if done == KILLED_AT:
            raise KilledError

    case = undisturbed.case
    checkpoints = folder / "checkpoints"
    with pytest.raises(KilledError):
        case.train_case(folder, kill_training, workers)
    assert (checkpoints / LAST).is_file()
    torch.manual_seed(12345)
    (checkpoints / f"{LAST}.part").write_bytes(b"half a checkpoint")
    resumed = case.train_case(folder, workers=workers)
    assert [row["round"] for row in resumed.taught.history] == [0, 1, 2]
    for name in (
        "train.arrow",
        *(f"vocabulary/{vocabulary_file.name}" for vocabulary_file in vocabulary_of(folder)),
    ):
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
    """Without changes, equal weights after a resumed training would prove nothing."""
    torch.manual_seed(0)
    first: Any = trained.model.build_network()
    state = trained.taught.network.state_dict()
    moved = [not torch.equal(value, state[key]) for key, value in first.named_parameters()]
    assert sum(moved) > len(moved) / 2


# ------------------------------------------------------------------------------------ answers


@for_each(CASES)
def test_saved_and_loaded_gives_the_same_answers(trained: Trained, tmp_path: Path) -> None:
    """The vectors are equal too, to the last bit."""
    model, network = trained.model, trained.taught.network
    checkpoints.save_network(tmp_path, trained.plan, model, network, {})
    loaded_model, loaded_network = checkpoints.load_network(tmp_path)
    features = trained.features
    assert predict_answers(loaded_model, loaded_network, features) == predict_answers(
        model, network, features
    )
    if model.has_vectors:
        rows = compute_vectors(model, network, features)
        assert compute_vectors(loaded_model, loaded_network, features) == rows
        assert len({tuple(np.round(row or [], 4)) for row in rows}) > len(rows) // 2


@for_each(CASES)
def test_answers_are_independent_of_the_batch(trained: Trained) -> None:
    """Answers depend neither on other inputs of the batch nor on the padding that these cause."""
    model, network, features = trained.model, trained.taught.network, trained.features
    together = predict_answers(model, network, features, batch_size=len(features))
    assert predict_answers(model, network, features, batch_size=1) == together
    if model.has_vectors:
        rows = compute_vectors(model, network, features, batch_size=len(features))
        single = compute_vectors(model, network, features, batch_size=1)
        np.testing.assert_allclose(rows, single, rtol=1e-3, atol=1e-4)


# ------------------------------------------------------------------------------------ texts


@for_each(FIRST_CASES)
def test_empty_input_has_no_answer(trained: Trained) -> None:
    model, network = trained.model, trained.taught.network
    assert model.extract_features(Method("", "")) is None
    assert model.extract_text_features("") is None
    readable = trained.features[0]
    predicted = predict_answers(model, network, [None, readable, None])
    assert predicted == [None, *predict_answers(model, network, [readable]), None]


@for_each(FIRST_CASES)
def test_any_text_is_answered_or_refused(trained: Trained) -> None:
    model, network = trained.model, trained.taught.network
    for text in (*ODD_METHODS, *NO_METHODS):
        features = model.extract_features(Method("", text))
        if features is not None:
            assert len(predict_answers(model, network, [features])) == 1
        features = model.extract_text_features(text)
        if features is not None and model.has_vectors:
            (row,) = compute_vectors(model, network, [features])
            assert np.isfinite(row or [0.0]).all()


@for_each(FIRST_CASES)
def test_unknown_words_do_not_change_other_answers(trained: Trained) -> None:
    """A method of unknown words does not change the answers for other methods."""
    model, network = trained.model, trained.taught.network
    unknown = model.extract_features(Method("", UNKNOWN_WORDS))
    assert unknown is not None
    readable = trained.features[:5]
    assert predict_answers(model, network, [*readable, unknown])[:5] == predict_answers(
        model, network, readable
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_unusual_methods_are_read_and_written(case: Case, tmp_path: Path) -> None:
    network_class(case.network)
    _, plan = small_networks.make_small(case.network, case.purpose)
    chunk: list[tuple[Method, str]] = [(Method("", text), "name") for text in ODD_METHODS]
    job = ReadJob(plan, chunk, None, tmp_path / "part.parquet")  # type: ignore[arg-type]
    counts, read = extract_part(job)
    # A lone surrogate in a name is not valid Java: some networks skip that method.
    assert len(ODD_METHODS) - 1 <= read == pq.read_table(tmp_path / "part.parquet").num_rows
    for words in counts.values():
        for word in words:
            word.encode()


# ------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_configurations_are_valid(path: Path) -> None:
    network = path.name.split(".")[0]
    tables = read_config(network, str(path))
    fill_settings(network_class(network).Settings, tables["network"], path.name)
    fill_settings(TrainingSettings, tables["training"], path.name)


def test_every_network_has_a_small_configuration() -> None:
    assert [name for name in CATALOGUE if not (CONFIGS / f"{name}.small.toml").is_file()] == []
    assert set(TINY) | set(LESSONS) <= set(CATALOGUE)
