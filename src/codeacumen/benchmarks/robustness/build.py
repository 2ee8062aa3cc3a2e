"""Build a robustness data set from a corpus: methods and variants that keep their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from codeacumen.api import Json
from codeacumen.core.progress import Progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.splits import SPLITS
from codeacumen.datasets.built import check_choice, list_method_ids
from codeacumen.datasets.variants.build import build_variant_dataset
from codeacumen.datasets.variants.shards import Recipe
from codeacumen.engines import start_engine
from codeacumen.transforms.certify import LEVELS
from codeacumen.transforms.certify.projects import CertificationTools
from codeacumen.transforms.location import parse_modes
from codeacumen.transforms.variants import parse_kinds

FAMILY = "robustness"


def build_from_corpus(
    corpus: str | Path | Corpus,
    out: Path,
    report: Progress,
    *,
    kinds: Sequence[str] | None = None,
    where: Sequence[str] | None = None,
    seed: int = 0,
    certify: str = "parses",
    class_path: str = "",
    split: str = "test",
    limit: int = 0,
    methods: str | Path | None = None,
    engine: str = "local",
    workers: int = 0,
) -> dict[str, Json]:
    """Build a data set from a corpus and return the content of its ``dataset.json``.

    ``kinds`` are transformations, by default the six of ``transforms.variants.KINDS``. ``where``
    are modes: each location alone (single), all together (all), or a share such as 25%; by default
    single and all. ``certify`` is the level to which variants are checked: none, parses, binds or
    compiles, with ``class_path`` for the compiler. ``limit`` is the maximum number of variants for
    each kind and mode; 0 for no limit. ``methods`` is the folder of a built data set; if it is set,
    only its methods are transformed. ``report`` is called with the progress.
    """
    check_choice("certify", certify, LEVELS)
    check_choice("split", split, (*SPLITS, "all"))
    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    recipe = Recipe(
        kinds=parse_kinds(kinds),
        where=parse_modes(where, ("single", "all")),
        seed=seed,
        split=split,
        certify=certify,
        most=limit,
    )
    chosen = list_method_ids(Path(methods)) if methods is not None else None
    about: dict[str, Json] = build_variant_dataset(
        FAMILY,
        opened,
        recipe,
        out,
        start_engine(engine, workers),
        CertificationTools(class_path),
        report,
        chosen,
    )
    return about
