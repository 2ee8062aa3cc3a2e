"""Small networks, trained on real methods of the examples, for the tests of networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from codeacumen.api import Capability, Example, Method, Prompt, Question
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.models.lexer import tokens
from codeacumen.models.neural.architecture import LABELS, Architecture, Purpose
from codeacumen.models.neural.catalogue import Plan, architecture
from codeacumen.models.neural.training import encoded
from codeacumen.models.neural.training.preparing import learn
from codeacumen.models.neural.training.settings import Training, filled, read_config
from codeacumen.models.neural.training.teaching import Taught, teach

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMING = Purpose("gluecode/naming", Capability.NAME)
NPATH = Purpose("gluecode/npath", Capability.CLASSIFY)
COMPLETION = Purpose("gluecode/completion", Capability.GENERATE)
PRETRAIN = Purpose("pretrain", Capability.GENERATE)


@lru_cache(maxsize=1)
def methods() -> list[tuple[str, str]]:
    """Methods of the example projects, their names masked, and the names."""
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.views.masking.text import masked

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
        if purpose.capability is Capability.NAME:
            if name[0].isupper():
                continue  # constructors have no path contexts, and no task asks for their names
            found.append(Example(Method("", text), name))
        elif purpose.capability is Capability.CLASSIFY:
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
    name: str,
    purpose: Purpose,
    folder: Path,
    *,
    most: int = 64,
    training: dict[str, Any] | None = None,
    **network: Any,
) -> tuple[Architecture, Plan, Taught, list[Example]]:
    examples = taught_examples(purpose, most)
    return *train_on(name, purpose, examples, folder, training or {}, **network), examples


def train_on(
    name: str,
    purpose: Purpose,
    examples: Sequence[Example],
    folder: Path,
    training: dict[str, Any],
    *,
    step: Progress = ignore_progress,
    **network: Any,
) -> tuple[Architecture, Plan, Taught]:
    """Train a network of the small configuration, with the given changes, as ``train`` does it.
    Checkpoints in ``folder`` of a training that was killed are resumed."""
    torch.set_num_threads(1)
    model, plan = made(name, purpose, **network)
    file = prepare(model, examples, folder)
    settings, checkpoints = small_training(name, **training), folder / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    model.before_teaching(file, settings, checkpoints, "cpu")
    taught = teach(model, file, file, settings, checkpoints, device="cpu", step=step)
    model.after_teaching(taught.network, file, settings, "cpu")
    return model, plan, taught
