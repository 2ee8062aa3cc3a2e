"""Benchmark all single-place variants of the whole JDK source, on one core.

    python bench/transforms.py             a table
    python bench/transforms.py --json

Part of ``make bench``. It parses files, finds and refuses locations, and makes the edits and the
text of a variant at every accepted location; it certifies nothing. The project's declarations are
loaded from its corpus before the clock starts.
"""

from __future__ import annotations

import time
from collections import Counter

from jdk import Jdk, Rows, Told, alone


def transforms(jdk: Jdk) -> Told:
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.link import load_world
    from codeacumen.languages.java.resolve.static_types import StaticTypes
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.transforms.edits import apply_edits
    from codeacumen.transforms.run import iterate_java_files
    from codeacumen.transforms.variants import KINDS, find_locations, variants_of_method

    found, refused, made = Counter[str](), Counter[tuple[str, str]](), Counter[str]()
    spent: Counter[str] = Counter()
    corpus = Corpus.open(jdk.corpus)
    world, _ = load_world(corpus.folder, corpus.shards)
    began = time.perf_counter()
    size = 0
    for shard in corpus.shards:
        for read in iterate_java_files(corpus.folder / "shards" / shard):
            file = JavaFile(read.text.encode())
            file.store_result(StaticTypes, StaticTypes(file, world, read.path))
            for kind in KINDS:
                clock = time.perf_counter()
                for method in file.bodies:
                    places = find_locations(file, kind, method)
                    found[kind] += len(places)
                    for one in places:
                        if one.refused:
                            refused[kind, one.refused] += 1
                    for variant in variants_of_method(file, places, kind, "single", 0):
                        size += len(apply_edits(file.source, variant.edits))
                        made[kind] += 1
                spent[kind] += int(1e6 * (time.perf_counter() - clock))
    wall = time.perf_counter() - began
    total = sum(made.values())
    rows: Rows = [
        ("transforms: whole JDK, one core", wall, jdk.parse, "bare parsing"),
        ("transforms: variants a second", total / wall, 3000.0, "3,000; at least 1"),
    ]
    told = [
        f"{total:,} variants, {size / 1e9:.1f} GB of changed files, in {wall:.0f} s: "
        f"{total / wall:,.0f} a second"
    ]
    for kind in KINDS:
        lost = sum(n for (one, _), n in refused.items() if one == kind)
        share = 1 - lost / found[kind] if found[kind] else 0.0
        told.append(
            f"{kind}: {found[kind]:,} places, {share:.2%} changed, {made[kind]:,} variants, "
            f"{spent[kind] / max(1, found[kind]):.0f} µs a place"
        )
        reasons = Counter({why: n for (one, why), n in refused.items() if one == kind})
        told += [f"    refused {n:,}: {why}" for why, n in reasons.most_common(8)]
    return rows, told


if __name__ == "__main__":
    alone(transforms)
