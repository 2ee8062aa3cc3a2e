"""``codeacumen train``: a network for a task, or an embedding of identifiers from code."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._options import AsJson, Workers
from codeacumen.cli._show import print_json, progress_bar, say
from codeacumen.models.neural.catalogue import CATALOGUE, names


class Technique(StrEnum):
    W2V_CBOW = "w2v-cbow"
    W2V_SG = "w2v-sg"
    FT_CBOW = "ft-cbow"
    FT_SG = "ft-sg"
    PATHS = "paths"


class Device(StrEnum):
    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def _known(incomplete: str) -> list[str]:
    return [one for one in (*Technique, *names()) if one.startswith(incomplete)]


class Reading(StrEnum):
    """Which tokens are read."""

    ALL = "all"
    WORDS = "words"
    NAMES = "names"


_LEARNING = "Of embeddings"
_OF_NETWORKS = "Of networks"


def train(
    what: Annotated[
        str,
        typer.Argument(
            metavar="TECHNIQUE|NETWORK",
            help=f"{', '.join(Technique)}; or a network: {', '.join(CATALOGUE)}.",
            show_default=False, autocompletion=_known,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of what is trained.")
    ],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CORPUS]...",
            help="Of embeddings: corpora, or what a corpus is built from.",
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            "--task", "-t", metavar="TASK",
            help="What it learns to answer, or several by how they begin; pretrain: to guess "
            "masked tokens. Repeatable.",
            rich_help_panel=_OF_NETWORKS,
        ),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Data set that the tasks are in. Repeatable.",
            rich_help_panel=_OF_NETWORKS,
        ),
    ] = None,
    config: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE", help="small, another of its configurations, or a TOML file; "
            "the published one by default.",
            rich_help_panel=_OF_NETWORKS,
        ),
    ] = "",
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change one value: training.epochs=3. Repeatable.",
            rich_help_panel=_OF_NETWORKS,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="DIR",
            help="Begin from a pre-trained network's weights; for transformer also a local "
            "Hugging Face checkpoint.",
            rich_help_panel=_OF_NETWORKS,
        ),
    ] = None,
    variants: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Certified variants of methods to learn from (codeacumen-base): a data set of "
            "`codeacumen dataset robustness --split train`.",
            rich_help_panel=_OF_NETWORKS,
        ),
    ] = None,
    most: Annotated[
        int,
        typer.Option(
            min=0, help="Examples of a task at most, drawn; 0: all.", rich_help_panel=_OF_NETWORKS
        ),
    ] = 0,
    device: Annotated[
        Device, typer.Option(help="Where it computes.", rich_help_panel=_OF_NETWORKS)
    ] = Device.AUTO,
    size: Annotated[
        int | None, typer.Option(min=1, help="Dimensions.", rich_help_panel=_LEARNING)
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="How often all is read.", rich_help_panel=_LEARNING)
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option(
            min=0, help="Read a sample of files of so many tokens; 0: all.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    least: Annotated[
        int | None,
        typer.Option(min=2, help="How often a word occurs at least.", rich_help_panel=_LEARNING),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(min=1, help="Words to each side; not of paths.", rich_help_panel=_LEARNING),
    ] = None,
    reading: Annotated[
        Reading | None,
        typer.Option(
            help="Tokens: all; words (no punctuation); names (identifiers); not of paths.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    negative: Annotated[
        int | None,
        typer.Option(min=1, help="Negative samples for each word.", rich_help_panel=_LEARNING),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(min=1e-6, max=1.0, help="Learning rate, at first.", rich_help_panel=_LEARNING),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="Seed of all that is drawn: 0, or what a network's configuration says."
        ),
    ] = None,
    hurry: Annotated[
        bool, typer.Option("--hurry", help="Learn on all cores; no two runs give the same then.")
    ] = False,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    r"""Train a network for a task, or an embedding of identifiers on corpora.

    Networks are the models of the papers: they learn from a data set's training projects, stop
    when they get no better on its dev projects, and are asked as the model run:DIR. Killed and
    started again, a training goes on to the same weights. They need
    pip install 'codeacumen\[neural]'

    Embeddings learn from the Java and JavaScript of corpora.

    word2vec and FastText read streams of tokens; paths learns from syntax paths between leaves.
    What is not said is as in IdBench's study. Each distinct file counts once;
    minified, generated and vendored ones do not. The same corpora and seed give the same bytes,
    unless --hurry.

    All but paths need gensim: pip install 'codeacumen\[embeddings]'

    Example: codeacumen train ft-cbow corpus --out embeddings/ft-cbow

    Example: codeacumen train w2v-sg jquery=npm:jquery@1.12.4 --out small --epochs 5

    Example: codeacumen train cnn --task gluecode --data gluecode --config small --out runs/cnn

    Example: codeacumen train transformer -t gluecode/naming --data gluecode --from base -o runs/t
    """
    from codeacumen.core.machine import processors
    from codeacumen.models.embeddings.train import check_embedding_folder, train_embedding

    of_networks = {
        "--task": task, "--data": data, "--config": config, "--set": change, "--from": start,
        "--most": most, "--variants": variants,
    }  # fmt: skip
    learning = {
        "--size": size, "--epochs": epochs, "--tokens": tokens, "--least": least,
        "--window": window, "--reading": reading, "--negative": negative, "--alpha": alpha,
        "--hurry": hurry,
    }  # fmt: skip
    if what in names():
        _refuse({**learning, "CORPUS": sources}, what)

        if not task:
            raise CodeacumenError(
                f"{what} learns for a task", "say which: --task gluecode --data DIR"
            )
        train_network(
            what,
            task,
            data or [],
            out,
            config=config,
            changes=change or [],
            start=start,
            seed=seed,
            most=most,
            device=device.value,
            variants=variants,
            workers=workers,
            as_json=as_json,
        )
        return
    if what not in list(Technique):
        known = ", ".join([*Technique, *names()])
        raise CodeacumenError(f"nothing to train is called {what!r}", f"choose of {known}")
    technique = Technique(what)
    seed = seed or 0
    _refuse(of_networks, what)
    if not sources:
        raise CodeacumenError(f"{what} learns from corpora", "name at least one")
    check_embedding_folder(out)
    if technique is Technique.PATHS:
        for name, value in (("--window", window), ("--reading", reading), ("--hurry", hurry)):
            if value:
                raise CodeacumenError(f"{name} is not for paths")
    changes: dict[str, Any] = {
        "size": size, "epochs": epochs, "tokens": tokens, "least": least, "negative": negative,
        "alpha": alpha, "seed": seed,
    }  # fmt: skip
    if technique is not Technique.PATHS:
        changes |= {"window": window, "reading": reading and reading.value}
    began = time.monotonic()
    with progress_bar() as progress:
        vectors, left_out = train_embedding(
            technique,
            sources,
            changes,
            workers or processors(),
            progress,
            threads=processors() if hurry else 1,
        )
    if left_out:
        say(f"{left_out:,} files left out: they end any process that reads them")
    vectors.save(out)
    counts = vectors.metadata["data"]["files"]
    files = ", ".join(f"{count:,} {language}" for language, count in counts.items())
    said = f"{len(vectors.names):,} names, {vectors.matrix.shape[1]} dimensions"
    say(f"{said}, from {files} files, in {time.monotonic() - began:.0f} s: {out}")


def _refuse(options: dict[str, Any], what: str) -> None:
    for name, value in options.items():
        if value:
            raise CodeacumenError(f"{name} is not for {what}")


def train_network(
    name: str, tasks: list[str], data: list[Path], out: Path, *, config: str,
    changes: list[str], start: Path | None, seed: int | None, most: int, device: str,
    workers: int, as_json: bool, variants: Path | None = None,
) -> None:  # fmt: skip
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine as make_engine
    from codeacumen.models.neural.training.requests import make_requests, parse_changes
    from codeacumen.models.neural.training.train import train

    requests = make_requests(
        name, tasks, data, config=config, changes=parse_changes(changes), start=start, seed=seed,
        most=most, device=device, variants=variants,
    )  # fmt: skip
    engine = make_engine("local", workers or processors())
    results: dict[str, Any] = {}
    for one in requests:
        folder = out / one.task.card.name.rpartition("/")[2] if len(requests) > 1 else out
        with progress_bar() as step:
            about = train(one, folder, engine, step)
        results[one.task.card.name] = about
        if not as_json:
            say(_line(about, folder))
    if as_json:
        print_json(results)


def _line(about: dict[str, Any], folder: Path) -> str:
    best, sizes = about["best"], about["data"]["sizes"]
    score = (
        f"dev {best['dev_score']:.3f}" if best["dev_score"] else f"dev loss {best['dev_loss']:.3f}"
    )
    return (
        f"{about['network']} for {about['purpose']['task']}: {score} after "
        f"{int(best['round']) + 1} of {about['rounds']} rounds, {about['parameters']:,} weights, "
        f"{sizes['train']['kept']:,} examples, {about['seconds']:.0f} s: {folder}"
    )
