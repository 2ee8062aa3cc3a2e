"""The data sets acumen knows, each pinned to a commit and to the hash of every file."""

from __future__ import annotations

from dataclasses import dataclass

from acumen.api import AcumenError


@dataclass(frozen=True, slots=True)
class DataFile:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    title: str
    files: tuple[DataFile, ...]
    repository: str
    commit: str
    base_url: str
    licence: str
    citation: str


IDBENCH = Dataset(
    name="idbench",
    title="IdBench: identifier pairs rated by developers",
    repository="github.com/sola-st/IdBench",
    commit="66e0e875a2775aad85386d884618c32b808486a4",
    base_url="https://raw.githubusercontent.com/sola-st/IdBench/{commit}/",
    licence="none stated by its authors: evaluate with it, do not redistribute it",
    citation=(
        "Y. Wainakh, M. Rauf, M. Pradel. IdBench: Evaluating Semantic Representations of "
        "Identifier Names in Source Code. ICSE 2021."
    ),
    files=(
        DataFile(
            "small_pair_wise.csv",
            "d721e97528cd8a19a838c3997421938fdceb635d9519c06f6620fc8e395ae49a",
        ),
        DataFile(
            "medium_pair_wise.csv",
            "c2a458c719c69984f27e15d33e624b696c4a8f0b56c610cf0cf87a8bb018c0fb",
        ),
        DataFile(
            "large_pair_wise.csv",
            "a28420d3db9d93aeeea05b72cc6f977a3d49f6eb1d2f70aed4115bf31d04b8a0",
        ),
        DataFile(
            "interesting_subsets.csv",
            "3f28111766e9b6fbf5d5100d0670fea864ff7d959363a771182af8a9f2fe22d9",
        ),
        DataFile(
            "identifier_role_stats.csv",
            "64c097edfd13b1576711629c1b7def6ae60ff9b1e8ab8af133b0afa33039223a",
        ),
        DataFile(
            "identifier_cross_lang_freq_stats.csv",
            "4386602c4a04f565ac17ef036468f1745c6dc3f40b27990164be9d8307007840",
        ),
    ),
)

CATALOGUE: dict[str, Dataset] = {data.name: data for data in (IDBENCH,)}


def dataset(name: str) -> Dataset:
    try:
        return CATALOGUE[name]
    except KeyError:
        raise AcumenError(
            f"there is no data set called {name!r}", f"known: {', '.join(sorted(CATALOGUE))}"
        ) from None
