"""The published data sets, each pinned to a commit and to the SHA-256 of every file.

``fetch`` downloads them; benchmarks call ``require_dataset`` for the folder on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.core.home import codeacumen_home


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set, downloaded from the data set's address under its name.

    If ``archive`` is a URL, the file is not downloaded; the function ``made_by``
    (``MODULE:FUNCTION``) returns its content, given the path of the downloaded archive and the
    folder of the files before this one.
    """

    name: str
    sha256: str
    archive: str = ""
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A published data set.

    The URL of a file is ``base_url`` and the name of the file; ``{commit}`` stands for ``commit``.
    """

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

TNPA = Dataset(
    name="tnpa",
    title="Result tables of the generalizability study of neural program models",
    repository="github.com/mdrafiqulrabin/tnpa-generalizability",
    commit="26f3f4fd3eb0756a3c74f34e1f489ae3bf8bb0fa",
    base_url=(
        "https://raw.githubusercontent.com/mdrafiqulrabin/tnpa-generalizability/{commit}/"
        "NPM-IST21/results/data/"
    ),
    licence="MIT",
    citation=(
        "M. R. I. Rabin, N. D. Q. Bui, K. Wang, Y. Yu, L. Jiang, M. A. Alipour. On the "
        "Generalizability of Neural Program Models with respect to Semantic-Preserving Program "
        "Transformations. Information and Software Technology 135, 2021."
    ),
    files=(
        DataFile(
            "pcp_summary.csv",
            "360f3f22c4bc023924a500f0dfe7ec99d618abbe0f54d873e96239e562f958ec",
        ),
        DataFile(
            "pcp_details.csv",
            "c2080861ffc25a298b93a41cc7ee14b8051a19949eb150c871f56e020cbaea2e",
        ),
        DataFile(
            "single_vs_all.csv",
            "231f52f7bba220c62fd1e2889ff4dfdd334fd7395f093aa54b2c88b9ca37a426",
        ),
        DataFile(
            "correct_vs_incorrect.csv",
            "3674ef679137314761dd6b8ec847c96d3a6ab121aefefdd3967679a0e2153c0d",
        ),
        DataFile(
            "pcp_xpercent.csv",
            "7d9e38cba5295ef9811d650e2ac92b0fdb3b021309f1d3a7299b6de4595ec57a",
        ),
        DataFile(
            "num_of_stmt.csv",
            "28dcaabcda83b15e53bc1eeace0d611864b978b9b519e6a3aec26738abaf8637",
        ),
        DataFile(
            "prf1_subtoken.csv",
            "c51759491718e11b9e20ce148c1ea81db88723e693afc88c821ca467153bdff4",
        ),
    ),
)

SESAME = Dataset(
    name="sesame",
    title="SeSaMe: pairs of Java methods rated for goals, operations and effects",
    repository="github.com/FAU-Inf2/sesame",
    commit="e0ea5444584745bfdd71a9180b552b5355cd67eb",
    base_url="https://raw.githubusercontent.com/FAU-Inf2/sesame/{commit}/",
    licence=(
        "CC BY 4.0; methods.jsonl, put together from github.com/yura-hb/sesame-sampled-pairs: MIT, "
        "and the methods' own"
    ),
    citation=(
        "M. Kamp, P. Kreutzer, M. Philippsen. SeSaMe: A Data Set of Semantically Similar Java "
        "Methods. MSR 2019."
    ),
    files=(
        DataFile(
            "dataset.json",
            "a8644026384914f298cee602dbbf9c1ae2a727e2b652873872053732c787fb32",
        ),
        DataFile(
            "dataset-unfiltered.json",
            "8faded7b01326e07629788a385f07deec60f68c8c388dc6fce80cd82e3644ce6",
        ),
        DataFile(
            "sampled-pairs.csv",
            "80d2004bc3a74a2fddd09dd0e3cf18e2887ad1075501a3f2414c4b441aff47c0",
        ),
        DataFile(
            "methods.jsonl",
            "da9def5770dc8c99d53fa5a8fd30de11d6c4be2f8ac58ac3e75b9847f90fe314",
            archive=(
                "https://codeload.github.com/yura-hb/sesame-sampled-pairs/tar.gz/"
                "33b061e3612a7b26198c17245c2835193f861151"
            ),
            made_by="codeacumen.benchmarks.sesame.pairs:build_methods_file",
        ),
    ),
)

LIU2019 = Dataset(
    name="liu2019",
    title="Java methods under a name that was changed, or under the new one (from a copy: --from)",
    repository="github.com/TruX-DTF/debug-method-name",
    commit="fb1f87ffd923ef987aad8521ab9be8b747ca50c5",
    base_url="https://raw.githubusercontent.com/TruX-DTF/debug-method-name/{commit}/",
    licence="Apache-2.0",
    citation=(
        "K. Liu, D. Kim, T. F. Bissyandé, T. Kim, K. Kim, A. Koyuncu, S. Kim, Y. Le Traon. "
        "Learning to Spot and Refactor Inconsistent Method Names. ICSE 2019."
    ),
    files=(
        DataFile(
            "methods.jsonl",
            "4011fa58f345c9c11201cc74fc2f61237cf83713bafe6b1d0e980765bf57858b",
        ),
    ),
)

CATALOGUE: dict[str, Dataset] = {data.name: data for data in (IDBENCH, TNPA, SESAME, LIU2019)}


def find_dataset(name: str) -> Dataset:
    """Return the data set of the catalogue with that name; raise an error if there is none."""
    try:
        return CATALOGUE[name]
    except KeyError:
        raise CodeacumenError(
            f"there is no data set called {name!r}", f"choose from {', '.join(sorted(CATALOGUE))}"
        ) from None


def dataset_folder(data: Dataset) -> Path:
    """Return the folder of a data set; its name has the commit, so that versions never mix."""
    return codeacumen_home() / "data" / f"{data.name}-{data.commit[:12]}"


def missing_files(data: Dataset) -> list[str]:
    """Return the names of files that are missing or have another hash than pinned."""
    folder = dataset_folder(data)
    return [file.name for file in data.files if not _is_right(folder / file.name, file.sha256)]


def _is_right(path: Path, sha256: str) -> bool:
    """Return whether a file exists and has this hash."""
    try:
        state = path.stat()
    except OSError:
        return False
    return _cached_sha256(path, state.st_size, state.st_mtime_ns) == sha256


@lru_cache(maxsize=256)
def _cached_sha256(path: Path, size: int, modified_ns: int) -> str:
    """Return the SHA-256 of a file; size and modification time are part of the cache key."""
    return sha256_of(path)


def require_dataset(name: str) -> Path:
    """Return the folder of a data set; if it is incomplete, raise an error with the command."""
    data = find_dataset(name)
    missing = missing_files(data)
    if missing:
        raise CodeacumenError(
            f"the data set {name} is not on this machine, or incomplete: {len(missing)} of "
            f"{len(data.files)} files are missing or damaged",
            f"run `codeacumen dataset get {name}`, or `codeacumen dataset get {name} --from DIR` "
            "if you have a copy",
        )
    return dataset_folder(data)
