"""Build pairs of a method and a variant of it, or of an unrelated method, from a corpus.

The result is a folder with ``dataset.json`` and ``pairs.jsonl``, the data of the tasks
``similarity/LEVEL``. Variants are those of the robustness benchmark: certified results of the six
transformations, with the methods' own names masked. For each variant there are two pairs. The
similar pair has the original and the variant. The dissimilar pair has the same original and, from
another file, a variant of another method, made by the same transformation, with another name and a
similar length. So neither length nor traces of a transformation reveal the answer.

The bytes depend on the corpus, the recipe and the version, never on the number of workers.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.sesame import BUILT_PAIRS
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.splits import SPLITS
from codeacumen.datasets.built import (
    ABOUT,
    SCHEMA,
    check_choice,
    require_dataset_folder,
)
from codeacumen.datasets.variants import ORIGINALS, VARIANTS
from codeacumen.datasets.variants.build import build_variant_dataset
from codeacumen.datasets.variants.shards import Recipe
from codeacumen.engines import Engine, start_engine
from codeacumen.tasks.base import make_neutral_id
from codeacumen.transforms.certify import LEVELS
from codeacumen.transforms.certify.projects import CertificationTools
from codeacumen.transforms.variants import parse_kinds
from codeacumen.views.masking.levels import BARE, show_level

# Number of unrelated methods nearest in length from which one is sampled, and number of shorter and
# of longer variants that are searched for them. Length is counted in characters.
MOST_CANDIDATES, MOST_SEARCHED = 10, 400

FAMILY = "similarity"

Row = dict[str, Json]


def build_dataset(
    corpus: Corpus,
    recipe: Recipe,
    out: Path,
    engine: Engine,
    means: CertificationTools | None = None,
    step: Progress = ignore_progress,
) -> Json:
    """Write the data set, and return the content of its ``dataset.json``.

    ``means`` are the tools that certify variants.
    """
    require_dataset_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".variants-", dir=out) as variants_dir:
        folder = Path(variants_dir)
        variants_about = build_variant_dataset(FAMILY, corpus, recipe, folder, engine, means, step)
        originals = {row["id"]: row for row in _read_rows(folder / ORIGINALS)}
        variants = list(_read_rows(folder / VARIANTS))
    unmatched: Counter[str] = Counter()
    pairs = list(_make_pairs(originals, variants, recipe.seed, unmatched))
    if not pairs:
        raise CodeacumenError(
            "no variant has an unrelated method of the same kind of transformation",
            "use a corpus with several files, and methods with several names",
        )
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in pairs)
    write_atomically(out / BUILT_PAIRS, lines.encode())
    kinds = Counter(row["tags"][0] for row in pairs if row["label"])
    about = {
        "family": FAMILY,
        "schema": SCHEMA,
        "codeacumen": __version__,
        "kinds": {
            kind: meaning for kind, meaning in variants_about["kinds"].items() if kinds[kind]
        },
        "settings": asdict(recipe),
        "corpus": variants_about["corpus"],
        "counts": {
            "pairs": len(pairs),
            "similar": {kind: kinds[kind] for kind in variants_about["kinds"] if kinds[kind]},
            "unmatched": dict(sorted(unmatched.items())),
            "methods": len({row["cluster"] for row in pairs}),
            "variants": variants_about["counts"],
        },
        "files": {BUILT_PAIRS: sha256_of(out / BUILT_PAIRS)},
    }
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    write_atomically(out / ABOUT, text.encode())
    return about


def _read_rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def _make_pairs(
    originals: Mapping[str, Row], variants: Sequence[Row], seed: int, unmatched: Counter[str]
) -> Iterator[Row]:
    """Yield a similar and a dissimilar pair for each variant, in the order of the variants.

    A variant without an unrelated method is skipped, and counted by kind in ``unmatched``.
    ``originals`` are by id. Neither the ids nor the order of the two pairs show which one is
    similar.
    """
    kinds: dict[str, list[Row]] = {}
    for variant in variants:
        kinds.setdefault(variant["kind"], []).append(variant)
    others = {}
    for kind, variants_of_kind in kinds.items():
        # Ties are broken by id, so that the order of the variants does not matter.
        variants_of_kind.sort(key=lambda row: (len(row["text"]), row["id"]))
        for index, variant in enumerate(variants_of_kind):
            candidates = _find_unrelated(originals, variants_of_kind, index)
            if candidates:
                others[variant["id"]] = _sample_row(candidates, f"{seed}\0{variant['id']}")
            else:
                unmatched[kind] += 1
    for variant in variants:
        other = others.get(variant["id"])
        if other is not None:
            original = originals[variant["method"]]
            pairs = [
                _make_pair(original, right, make_neutral_id(variant["id"], str(label)), label)
                for right, label in ((variant, 1), (other, 0))
            ]
            yield from sorted(pairs, key=lambda pair: str(pair["id"]))


def _make_pair(original: Row, variant: Row, pair_id: str, label: int) -> Row:
    return {
        "id": pair_id,
        "left": original["text"],
        "right": variant["text"],
        "label": label,
        "cluster": original["id"],
        "tags": [variant["kind"], f"where:{variant['where']}"],
    }


def _find_unrelated(
    originals: Mapping[str, Row], sorted_variants: Sequence[Row], position: int
) -> list[Row]:
    """Return variants of unrelated methods, one per method, those nearest in length first.

    ``sorted_variants`` are of one kind and sorted by length; ``position`` is the variant's index.
    """
    original = originals[sorted_variants[position]["method"]]
    length = len(sorted_variants[position]["text"])
    below, above = range(position - 1, -1, -1), range(position + 1, len(sorted_variants))
    candidates = chain(below[:MOST_SEARCHED], above[:MOST_SEARCHED])
    ordered = sorted(
        candidates, key=lambda index: (abs(len(sorted_variants[index]["text"]) - length), index)
    )
    unrelated: list[Row] = []
    methods: set[str] = set()
    for index in ordered:
        other = originals[sorted_variants[index]["method"]]
        if other["id"] not in methods and _are_unrelated(original, other):
            methods.add(other["id"])
            unrelated.append(sorted_variants[index])
            if len(unrelated) == MOST_CANDIDATES:
                break
    return unrelated


def _are_unrelated(method: Row, other: Row) -> bool:
    """Return whether two methods seem to be unrelated.

    They are related if they are in one file, if they have the same name, or if one is a copy of the
    other with other names.
    """
    return (
        (method["project"], method["path"]) != (other["project"], other["path"])
        and method["name"] != other["name"]
        and show_level(method["text"], BARE) != show_level(other["text"], BARE)
    )


def _sample_row(rows: Sequence[Row], key: str) -> Row:
    """Return the row that a hash of the key chooses."""
    digest = hashlib.sha256(key.encode("utf-8", "backslashreplace")).digest()
    return rows[int.from_bytes(digest[:8], "big") % len(rows)]


def build_from_corpus(
    corpus: str | Path | Corpus,
    out: Path,
    report: Progress,
    *,
    kinds: Sequence[str] | None = None,
    seed: int = 0,
    certify: str = "parses",
    class_path: str = "",
    split: str = "all",
    limit: int = 100,
    engine: str = "local",
    workers: int = 0,
) -> dict[str, Json]:
    """Build pairs of methods by construction: a method and its variants, and unrelated methods.

    ``kinds`` are transformations, by default the six. ``certify`` is the level to which variants
    are checked: none, parses, binds or compiles, with ``class_path`` for the compiler. ``limit`` is
    the maximum number of variants for each kind and mode. ``report`` is called with the progress.
    The result is the content of ``dataset.json``.
    """
    check_choice("certify", certify, LEVELS)
    check_choice("split", split, (*SPLITS, "all"))
    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    recipe = Recipe(kinds=parse_kinds(kinds), seed=seed, split=split, certify=certify, most=limit)
    about: dict[str, Json] = build_dataset(
        opened, recipe, out, start_engine(engine, workers), CertificationTools(class_path), report
    )
    return about
