"""``codeacumen train``: train an embedding of identifiers, or a network."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import AsJson, EngineName, Plugins, Seed, Workers, load_plugins
from codeacumen.cli._output import print_json, print_note

if TYPE_CHECKING:
    from codeacumen.interface.training import TrainedNetwork

app = create_group("Train an embedding of identifiers, or a network.")


class Technique(StrEnum):
    """Technique to train an embedding with."""

    W2V_CBOW = "w2v-cbow"
    W2V_SG = "w2v-sg"
    FT_CBOW = "ft-cbow"
    FT_SG = "ft-sg"
    PATHS = "paths"


class Tokens(StrEnum):
    """Tokens to train an embedding on."""

    ALL = "all"
    WORDS = "words"
    NAMES = "names"


class Device(StrEnum):
    """Device to train a network on."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def complete_network(incomplete: str) -> list[str]:
    from codeacumen.models.neural.catalogue import list_networks

    return [name for name in list_networks() if name.startswith(incomplete)]


@app.command("embedding", cls=Command)
def train_embedding(
    technique: Annotated[
        Technique,
        typer.Argument(
            metavar="TECHNIQUE",
            help="word2vec (w2v) or FastText (ft), each as continuous bag of words (cbow) or "
            "skip-gram (sg); or skip-gram over syntax paths.",
        ),
    ],
    corpora: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...", help="Corpora, or sources that a corpus is built from."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the embedding.")
    ],
    size: Annotated[int | None, typer.Option(min=1, help="Dimensions of the vectors.")] = None,
    window: Annotated[
        int | None, typer.Option(min=1, help="Context words on each side; not of paths.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Number of passes over the tokens.")
    ] = None,
    min_count: Annotated[
        int | None,
        typer.Option("--min-count", min=2, help="Leave out words that occur less often."),
    ] = None,
    negative: Annotated[
        int | None, typer.Option(min=1, help="Negative samples for each word.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(min=1e-6, max=1.0, help="Initial learning rate.")
    ] = None,
    tokens: Annotated[
        Tokens | None,
        typer.Option(
            help="Tokens to train on: all; words, without punctuation; names, identifiers only. "
            "Not of paths.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Maximum number of tokens (of pairs, for paths), in a random sample of the files; "
            "0: no limit.",
        ),
    ] = None,
    seed: Seed = 0,
    fast: Annotated[
        bool,
        typer.Option("--fast", help="Train on all cores; two trainings then differ. Not of paths."),
    ] = False,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    r"""Train an embedding of identifiers on corpora.

    Settings that are left out are those of the technique, as in IdBench's study where that takes
    minutes. Each distinct file counts once; minified, generated and vendored files do not count.
    The same corpora and seed give the same bytes, unless --fast.

    All techniques but paths need gensim: pip install 'codeacumen\[embeddings]'

    Examples:
        codeacumen train embedding ft-cbow corpus --out embeddings/ft-cbow
        codeacumen train embedding w2v-sg jquery=npm:jquery@1.12.4 --epochs 5 --out small
    """
    from codeacumen.interface import training

    started = time.monotonic()
    trained = training.train_embedding(
        technique.value,
        corpora,
        out,
        size=size,
        window=window,
        epochs=epochs,
        min_count=min_count,
        negative=negative,
        alpha=alpha,
        tokens=tokens.value if tokens is not None else None,
        limit=limit,
        seed=seed,
        fast=fast,
        engine=engine,
        workers=workers,
    )
    if trained.files_left_out:
        print_note(
            f"left out: {trained.files_left_out:,} files that crash the process that reads them"
        )
    vectors = trained.vectors
    names, dimensions = vectors.matrix.shape
    if as_json:
        facts = {"folder": str(out), "names": names, "dimensions": dimensions}
        print_json({**facts, **vectors.metadata})
        return
    counts = vectors.metadata["data"]["files"]
    files = ", ".join(f"{count:,} {language}" for language, count in counts.items())
    seconds = time.monotonic() - started
    typer.echo(
        f"{names:,} names, {dimensions} dimensions, from {files} files, in {seconds:.0f} s: {out}"
    )
    typer.echo(f"next: codeacumen eval -m embedding:{out} -t idbench")


@app.command("network", cls=Command)
def train_network(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK",
            help="mlp, cnn, bilstm, seq2seq, transformer, code2vec, code2seq, ggnn, cognac, gtnm, "
            "spot-cnn, codeacumen-base, or a network of a plug-in.",
            autocompletion=complete_network,
        ),
    ],
    task: Annotated[
        list[str],
        typer.Option(
            "--task",
            "-t",
            metavar="NAME@DIR",
            help="Task of a built data set, or a group of tasks (gluecode@DIR): a network for "
            "each. pretrain@DIR: guess masked tokens. Repeatable.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the network.")],
    config: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="Configuration: small, another one of the network, or a TOML file; by default the "
            "published one.",
        ),
    ] = "",
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a value of the configuration: training.epochs=3. Repeatable.",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Begin from the weights of a pre-trained network; for transformer also of a local "
            "Hugging Face checkpoint.",
        ),
    ] = None,
    variants: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Learn from the variants of a robustness data set, too (codeacumen-base).",
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Maximum number of training examples of each task, an eighth of it for dev; 0: "
            "no limit.",
        ),
    ] = 0,
    device: Annotated[Device, typer.Option(help="Device to train on.")] = Device.AUTO,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Random seed; by default that of the configuration."),
    ] = None,
    plugin: Plugins = None,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    r"""Train a network for tasks of a built data set.

    It learns from the training projects and stops when it gets no better on the dev projects. The
    result is the model run:DIR. Run the same command again to continue an interrupted training;
    it ends with the same weights.

    Networks need torch: pip install 'codeacumen\[neural]'

    Examples:
        codeacumen train network cnn -t gluecode@gluecode --config small --out runs/cnn
        codeacumen train network code2vec -t gluecode/naming@gluecode --out runs/code2vec
        codeacumen train network transformer -t pretrain@gluecode --config pretrain --out base
        codeacumen train network transformer -t gluecode@gluecode --from base --out runs/t
        codeacumen train network mine --plugin mine.py -t gluecode/npath@gluecode --out runs/mine
    """
    from codeacumen.interface import training
    from codeacumen.models.neural.training.requests import parse_changes

    load_plugins(plugin)
    networks = training.train_network(
        name,
        task,
        out,
        config=config,
        changes=parse_changes(change or []),
        start=start,
        variants=variants,
        limit=limit,
        seed=seed,
        device=device.value,
        workers=workers,
        engine=engine,
        on_trained=None if as_json else print_training,
    )
    if as_json:
        print_json({trained.task: trained.about for trained in networks})
    elif all(is_evaluable(trained) for trained in networks):
        options = [f"-t {spec}" for spec in task] + [f"--plugin {path}" for path in plugin or []]
        typer.echo(f"next: codeacumen eval -m run:{out} {' '.join(options)}")


def is_evaluable(trained: TrainedNetwork) -> bool:
    """Return whether the network answers a task; one that was only pre-trained does not."""
    from codeacumen.models.neural.training.prepare import PRETRAIN

    return bool(trained.about["purpose"]["task"] != PRETRAIN)


def print_training(trained: TrainedNetwork) -> None:
    """Print how a training went, in a line; pre-training has no score on dev (0.0)."""
    about = trained.about
    best, sizes = about["best"], about["data"]["sizes"]
    if best["dev_score"]:
        score = f"dev {best['dev_score']:.3f}"
    else:
        score = f"dev loss {best['dev_loss']:.3f}"
    typer.echo(
        f"{about['network']} for {about['purpose']['task']}: {score} after "
        f"{int(best['round']) + 1} of {about['rounds']} rounds, {about['parameters']:,} weights, "
        f"{sizes['train']['kept']:,} examples, {about['seconds']:.0f} s: {trained.folder}"
    )
