"""Train small networks on methods of the examples, for the tests of networks."""

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
from codeacumen.models.lexer import split_tokens
from codeacumen.models.neural.architecture import LABELS, Architecture, Purpose
from codeacumen.models.neural.catalogue import NetworkPlan, load_architecture
from codeacumen.models.neural.training import encoded_file
from codeacumen.models.neural.training.fit import TrainingResult, fit_network
from codeacumen.models.neural.training.prepare import learn_and_save_vocabularies
from codeacumen.models.neural.training.settings import TrainingSettings, fill_settings, read_config

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMING = Purpose("gluecode/naming", Capability.NAME)
NPATH = Purpose("gluecode/npath", Capability.CLASSIFY)
COMPLETION = Purpose("gluecode/completion", Capability.GENERATE)
PRETRAIN = Purpose("pretrain", Capability.GENERATE)


@lru_cache(maxsize=1)
def list_methods() -> list[tuple[str, str]]:
    """Return the methods of the example projects with masked names, and their names."""
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.views.masking.text import mask_snippet

    masked_methods: list[tuple[str, str]] = []
    for path in sorted(EXAMPLES.glob("*/src/**/*.java")):
        file = JavaFile(path.read_bytes())
        for method in file.declarations.methods:
            text = file.syntax.text(method.node)
            if method.kind == "method" and method.body >= 0 and len(split_tokens(text)) > 12:
                masked_methods.append((mask_snippet(text, method.name), method.name))
    return masked_methods


def make_examples(purpose: Purpose, most: int) -> list[Example]:
    """Return examples for a purpose. The class is whether a method branches or loops; a call's
    label is the next called name."""
    examples: list[Example] = []
    for text, name in list_methods():
        if purpose.capability is Capability.NAME:
            if name[0].isupper():
                continue  # constructors have no path contexts, and no task asks for their names
            examples.append(Example(Method("", text), name))
        elif purpose.capability is Capability.CLASSIFY:
            label = "branches" if "if (" in text else "loops" if "for (" in text else "plain"
            examples.append(Example(Question(text, ("branches", "loops", "plain")), label))
        else:
            call = next(
                (
                    token
                    for token in split_tokens(text)[5:]
                    if token.isidentifier() and f"{token}(" in text
                ),
                "",
            )
            if call:
                examples.append(Example(Prompt(text.replace(f"{call}(", "<MASK>(", 1)), call))
    return examples[:most]


def make_small(name: str, purpose: Purpose, **network: Any) -> tuple[Architecture, NetworkPlan]:
    """Return an architecture in its small configuration, and its plan."""
    architecture_class = load_architecture(name)
    table = {**read_config(name, "small")["network"], **network}
    settings = fill_settings(architecture_class.Settings, table, name)
    plan = NetworkPlan(name, asdict(settings), purpose)
    return plan.build_architecture(), plan


def small_training(name: str, **changes: Any) -> TrainingSettings:
    table = {**read_config(name, "small")["training"], "patience": 0, **changes}
    return fill_settings(TrainingSettings, table, name)


def prepare_examples(
    model: Architecture, examples: Sequence[Example], folder: Path
) -> encoded_file.EncodedFile:
    """Learn the vocabularies of some examples and encode them, without worker processes."""
    counts: dict[str, Counter[str]] = {LABELS: Counter()}
    features_and_labels = [
        (model.extract_features(example.input), example.truth) for example in examples
    ]
    readable = [
        (features, label) for features, label in features_and_labels if features is not None
    ]
    assert len(readable) > 0.9 * len(examples)
    for features, label in readable:
        for vocabulary, words in model.iter_words(features):
            counts.setdefault(vocabulary, Counter()).update(words)
        counts[LABELS].update(model.labels.split_label(label))
    learn_and_save_vocabularies(model, counts, folder / "vocabulary")
    rows = [
        ({**model.encode(features), **(model.encode_target(label, features) or {})}, label)
        for features, label in readable
    ]
    file = folder / "train.arrow"
    encoded_file.write_batches(
        [encoded_file.make_record_batch([row for row, _ in rows], [answer for _, answer in rows])],
        file,
    )
    return encoded_file.EncodedFile(file)


def train_small(
    name: str,
    purpose: Purpose,
    folder: Path,
    *,
    most: int = 64,
    training: dict[str, Any] | None = None,
    **network: Any,
) -> tuple[Architecture, NetworkPlan, TrainingResult, list[Example]]:
    examples = make_examples(purpose, most)
    return *train_small_on(name, purpose, examples, folder, training or {}, **network), examples


def train_small_on(
    name: str,
    purpose: Purpose,
    examples: Sequence[Example],
    folder: Path,
    training: dict[str, Any],
    *,
    step: Progress = ignore_progress,
    **network: Any,
) -> tuple[Architecture, NetworkPlan, TrainingResult]:
    """Train a network of the small configuration, with the given changes, as ``train`` does. A
    killed training is resumed from its checkpoints in ``folder``."""
    torch.set_num_threads(1)
    model, plan = make_small(name, purpose, **network)
    file = prepare_examples(model, examples, folder)
    settings, checkpoints = small_training(name, **training), folder / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    model.before_training(file, settings, checkpoints, "cpu")
    taught = fit_network(model, file, file, settings, checkpoints, device="cpu", step=step)
    model.after_training(taught.network, file, settings, "cpu")
    return model, plan, taught
