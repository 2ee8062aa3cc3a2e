"""What every network must show, on real methods of the examples; each model's tests call these.

No oracle is needed for most of them: a network that learns gets better at what it is shown, one
that is saved is the same when it is loaded, one that is killed ends where it would have ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from acumen.api import Example, Face, Method, Prompt, Question
from acumen.models._lexer import tokens
from acumen.models.neural import encoded, exported
from acumen.models.neural.architecture import LABELS, Architecture, Purpose
from acumen.models.neural.asking import answers, vectors
from acumen.models.neural.catalogue import Plan, architecture
from acumen.models.neural.preparing import learn
from acumen.models.neural.settings import Training, filled, read_config
from acumen.models.neural.training import LAST, Taught, teach

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMING = Purpose("gluecode/naming", Face.NAME)
NPATH = Purpose("gluecode/npath", Face.CLASSIFY)
COMPLETION = Purpose("gluecode/completion", Face.GENERATE)


@lru_cache(maxsize=1)
def methods() -> list[tuple[str, str]]:
    """Methods of the example projects, their names masked, and the names."""
    from acumen.lang.java.file import JavaFile
    from acumen.views.masked import masked

    found: list[tuple[str, str]] = []
    for path in sorted(EXAMPLES.glob("*/src/**/*.java")):
        file = JavaFile(path.read_bytes())
        for one in file.declarations.methods:
            text = file.syntax.text(one.node)
            if one.kind == "method" and one.body >= 0 and len(tokens(text)) > 12:
                found.append((masked(text, one.name), one.name))
    return found


def taught_examples(purpose: Purpose, most: int) -> list[Example]:
    """Examples for a purpose. Classes are whether a method branches, calls the next word."""
    found: list[Example] = []
    for text, name in methods():
        if purpose.face is Face.NAME:
            found.append(Example(Method("", text), name))
        elif purpose.face is Face.CLASSIFY:
            label = "branches" if "if (" in text else "loops" if "for (" in text else "plain"
            found.append(Example(Question(text, ("branches", "loops", "plain")), label))
        else:
            call = next((t for t in tokens(text)[5:] if t.isidentifier() and f"{t}(" in text), "")
            if call:
                found.append(Example(Prompt(text.replace(f"{call}(", "<MASK>(", 1)), call))
    return found[:most]


def made(name: str, purpose: Purpose, **network: Any) -> tuple[Architecture, Plan]:
    """An architecture in its small configuration."""
    kind = architecture(name)
    table = {**read_config(name, "small")["network"], **network}
    settings = filled(kind.Settings, table, name)
    plan = Plan(name, asdict(settings), purpose)
    return plan.make(), plan


def small_training(name: str, **changes: Any) -> Training:
    table = {**read_config(name, "small")["training"], "patience": 0, **changes}
    return filled(Training, table, name)


def prepare(model: Architecture, examples: Sequence[Example], folder: Path) -> encoded.EncodedFile:
    """Vocabularies and numbers of some examples, without worker processes."""
    counts: dict[str, Counter[str]] = {LABELS: Counter()}
    read = [(model.read(one.input), one.truth) for one in examples]
    shown = [(features, label) for features, label in read if features is not None]
    assert len(shown) > 0.9 * len(examples)
    for features, label in shown:
        for vocabulary, words in model.words(features):
            counts.setdefault(vocabulary, Counter()).update(words)
        counts[LABELS].update(model.labels.words(label))
    learn(model, counts, folder / "vocabulary")
    rows = [({**model.encode(f), **(model.target(label, f) or {})}, label) for f, label in shown]
    file = folder / "train.arrow"
    encoded.write([encoded.record_batch([r for r, _ in rows], [a for _, a in rows])], file)
    return encoded.EncodedFile(file)


def train(
    name: str, purpose: Purpose, folder: Path, *, most: int = 64,
    training: dict[str, Any] | None = None, **network: Any,
) -> tuple[Architecture, Plan, Taught, list[Example]]:  # fmt: skip
    torch.set_num_threads(1)
    examples = taught_examples(purpose, most)
    model, plan = made(name, purpose, **network)
    file = prepare(model, examples, folder)
    taught = teach(
        model, file, file, small_training(name, **(training or {})), folder / "checkpoints",
        device="cpu",
    )  # fmt: skip
    return model, plan, taught, examples


# --------------------------------------------------------------------------------------


def check_learns(
    name: str, purpose: Purpose, folder: Path, *, epochs: int = 80, share: float = 0.9,
    training: dict[str, Any] | None = None, **network: Any,
) -> None:  # fmt: skip
    """The loss falls, and 32 examples are known by heart. ``share`` of the answers must be right:
    a name has words that the small vocabulary may lack."""
    model, _, taught, examples = train(
        name, purpose, folder, most=32,
        training={"epochs": epochs, "round": epochs // 4, "batch": 32, **(training or {})},
        **network,
    )  # fmt: skip
    assert taught.history[-1]["loss"] < 0.5 * taught.history[0]["loss"]
    said = answers(model, taught.network, [model.read(one.input) for one in examples])
    wanted = [model.answer(_spoken(model, one)) for one in examples]
    right = sum(a == b for a, b in zip(said, wanted, strict=True))
    assert right >= share * len(examples), f"{right} of {len(examples)}: {said[:5]} {wanted[:5]}"


def _spoken(model: Architecture, example: Example) -> list[int]:
    features = model.read(example.input)
    assert features is not None
    target = model.target(str(example.truth), features) or {}
    numbers = target.get("label", target.get("target", np.zeros(1, np.int32)))
    return [int(one) for one in numbers]


def check_saved(name: str, purpose: Purpose, folder: Path, **network: Any) -> None:
    """What is loaded says what was saved, to the last bit; so do vectors."""
    model, plan, taught, examples = train(name, purpose, folder, training={"epochs": 2}, **network)
    exported.save(folder / "saved", plan, model, taught.network, {})
    again, network_again = exported.load(folder / "saved")
    features = [model.read(one.input) for one in examples]
    assert answers(model, taught.network, features) == answers(again, network_again, features)
    if model.embeds:
        before = vectors(model, taught.network, features)
        after = vectors(again, network_again, features)
        assert before == after
        assert len({tuple(np.round(row or [], 4)) for row in before}) > len(before) // 2


def check_batches(name: str, purpose: Purpose, folder: Path, **network: Any) -> None:
    """An answer does not hang on what is asked beside it, nor on how much padding that brings."""
    model, _, taught, examples = train(name, purpose, folder, training={"epochs": 3}, **network)
    features = [model.read(one.input) for one in examples]
    together = answers(model, taught.network, features, batch=len(features))
    alone = answers(model, taught.network, features, batch=1)
    assert together == alone
    if model.embeds:
        rows = vectors(model, taught.network, features, batch=len(features))
        single = vectors(model, taught.network, features, batch=1)
        np.testing.assert_allclose(rows, single, rtol=1e-3, atol=1e-4)


class KilledError(Exception):
    """As a kill: nothing after it is done."""


def check_resumes(
    name: str, purpose: Purpose, folder: Path, *, workers: int = 0, **network: Any
) -> None:
    """Killed in the third round of four and gone on with, it has the weights of a training that
    was left alone. What was being written when it was killed lies about."""
    torch.set_num_threads(1)
    examples = taught_examples(purpose, 48)
    weights = []
    for way in ("whole", "killed"):
        model, _ = made(name, purpose, **network)
        file = prepare(model, examples, folder / way)
        training = small_training(name, epochs=4, batch=16, workers=workers)
        into = folder / way / "checkpoints"
        if way == "killed":
            with pytest.raises(KilledError):
                teach(model, file, file, training, into, device="cpu", step=_kill_at(7))
            torch.manual_seed(12345)
            (into / f"{LAST}.part").write_bytes(b"half a checkpoint")
            model, _ = made(name, purpose, **network)
            model.load_vocabularies(folder / way / "vocabulary")
        taught = teach(model, file, file, training, into, device="cpu")
        assert [row["round"] for row in taught.history] == [0, 1, 2, 3]
        weights.append(torch.load(into / LAST, weights_only=False)["state_dict"])
    assert weights[0]
    for key, value in weights[0].items():
        assert torch.equal(value, weights[1][key]), key


def _kill_at(wanted: int) -> Any:
    def step(what: str, done: int, total: int) -> None:
        if done == wanted:
            raise KilledError

    return step
