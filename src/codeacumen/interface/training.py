"""Train embeddings of identifiers and networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from codeacumen.api import CodeacumenError, Json, Task
from codeacumen.core.progress import show_progress
from codeacumen.corpus import Corpus
from codeacumen.engines import start_engine
from codeacumen.interface.catalogue import Tasks, load_tasks
from codeacumen.registry import list_data_families

if TYPE_CHECKING:
    from codeacumen.models.embeddings.vectors import Vectors

# Corpora, their folders, or sources that a corpus is built from; one or several.
Corpora: TypeAlias = "str | Path | Corpus | Sequence[str | Path | Corpus]"


@dataclass(frozen=True)
class TrainedEmbedding:
    """An embedding in a folder, which is the model ``embedding:FOLDER``.

    ``files_left_out`` counts the files that were not read because they crash any process that does.
    """

    folder: Path
    vectors: Vectors
    files_left_out: int


@dataclass(frozen=True)
class TrainedNetwork:
    """A network in a folder, which is the model ``run:FOLDER``; ``about`` is its ``model.json``."""

    task: str
    folder: Path
    about: dict[str, Json]


def train_embedding(
    technique: str,
    corpora: Corpora,
    out: str | Path,
    *,
    size: int | None = None,
    window: int | None = None,
    epochs: int | None = None,
    min_count: int | None = None,
    negative: int | None = None,
    alpha: float | None = None,
    tokens: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    fast: bool = False,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> TrainedEmbedding:
    """Train an embedding of identifiers on corpora, and return it.

    ``technique`` is ``w2v-cbow``, ``w2v-sg``, ``ft-cbow``, ``ft-sg`` or ``paths``. A source that is
    no corpus is built into one, which is deleted afterwards. Settings that are None are those of
    the technique. ``tokens`` is ``all``, ``words`` (without punctuation) or ``names``
    (identifiers only); ``limit`` is the maximum number of tokens, for ``paths`` of pairs, in a
    random sample of the files. The same corpora and settings give the same bytes, unless ``fast``,
    which trains on all cores.
    """
    from codeacumen.core.machine import count_processors
    from codeacumen.corpus.build import open_or_build
    from codeacumen.models.embeddings.train import (
        check_embedding_folder,
        create_settings,
        train_vectors,
    )

    folder = Path(out)
    changes = {
        "size": size,
        "window": window,
        "epochs": epochs,
        "min_count": min_count,
        "negative": negative,
        "alpha": alpha,
        "tokens": tokens,
        "limit": limit,
        "seed": seed,
    }
    settings = create_settings(technique, {**changes, "fast": fast or None})
    several = [corpora] if isinstance(corpora, str | Path | Corpus) else corpora
    if not several:
        raise CodeacumenError("there is no corpus to train on", "name at least one")
    check_embedding_folder(folder)
    started = start_engine(engine, workers)
    with show_progress(progress) as report, ExitStack() as stack:
        opened = [
            corpus
            if isinstance(corpus, Corpus)
            else stack.enter_context(open_or_build([str(corpus)], started, report))
            for corpus in several
        ]
        threads = count_processors() if fast else 1
        vectors, files_left_out = train_vectors(
            technique, opened, settings, started, report, threads=threads
        )
    vectors.save(folder)
    return TrainedEmbedding(folder, vectors, files_left_out)


def train_network(
    network: str,
    tasks: Tasks,
    out: str | Path,
    *,
    config: str | Path = "",
    changes: Mapping[str, Json] | None = None,
    start: str | Path | None = None,
    variants: str | Path | None = None,
    limit: int = 0,
    seed: int | None = None,
    device: str = "auto",
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
    on_trained: Callable[[TrainedNetwork], None] | None = None,
) -> list[TrainedNetwork]:
    """Train a network for tasks, and return a record for each training.

    ``network`` is a name, of a plug-in's network too. ``tasks`` are names such as
    ``gluecode/naming@DIR`` or objects; for several tasks a network is trained for each, in a folder
    of its own in ``out``, but one for all where the network learns tasks jointly. The task
    ``pretrain@DIR`` teaches it to guess masked tokens.

    ``config`` is the name of a configuration or a TOML file, by default the published one;
    ``changes`` are single values of it by their keys (``{"training.epochs": 3}``). ``start`` is the
    folder of a pre-trained network to begin from, ``variants`` that of a robustness data set to
    learn from. ``limit`` is the maximum number of training examples of each task; 0: all. ``seed``
    replaces that of the configuration. ``device`` is ``auto``, ``cpu`` or ``cuda``.

    A training that was interrupted continues, and a finished one is left alone. ``on_trained`` is
    called after each training.
    """
    from codeacumen.models.neural.training.requests import make_requests
    from codeacumen.models.neural.training.train import run_training

    taught, is_pretraining = load_training_tasks(tasks)
    requests = make_requests(
        network,
        taught,
        pretrain=is_pretraining,
        config=str(config),
        changes=changes,
        start=Path(start) if start is not None else None,
        seed=seed,
        limit=limit,
        device=device,
        variants=Path(variants) if variants is not None else None,
    )
    started = start_engine(engine, workers)
    folder = Path(out)
    networks: list[TrainedNetwork] = []
    for request in requests:
        name = request.task.card.name
        own_folder = folder / name.rpartition("/")[2] if len(requests) > 1 else folder
        with show_progress(progress) as report:
            about = run_training(request, own_folder, started, report)
        networks.append(TrainedNetwork(name, own_folder, about))
        if on_trained is not None:
            on_trained(networks[-1])
    return networks


def load_training_tasks(tasks: Tasks) -> tuple[list[Task], bool]:
    """Return the tasks to train for, and True if the network is pre-trained on their methods."""
    from codeacumen.models.neural.training.prepare import PRETRAIN

    several: list[Any] = list(tasks) if isinstance(tasks, list | tuple) else [tasks]
    names = [task.partition("@") for task in several if isinstance(task, str)]
    pretraining = [folder for name, _, folder in names if name == PRETRAIN]
    if not pretraining:
        return load_tasks(several), False
    if len(several) > 1:
        raise CodeacumenError(
            f"{PRETRAIN} is a training of its own",
            "train for the other tasks afterwards, --from its folder",
        )
    # The task that has the most methods: pre-training reads their texts only.
    sources = [family.pretraining_task for family in list_data_families()]
    (source,) = filter(None, sources)  # exactly one family names such a task
    return load_tasks(f"{source}@{pretraining[0]}" if pretraining[0] else source), True
