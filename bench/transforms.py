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

from jdk import Jdk, Result, Rows, run_alone


def measure_transforms(jdk: Jdk) -> Result:
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.link import load_world
    from codeacumen.languages.java.resolve.static_types import StaticTypes
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.transforms.edits import apply_edits
    from codeacumen.transforms.run import iterate_java_files
    from codeacumen.transforms.variants import KINDS, find_locations, variants_of_method

    location_counts, refusal_counts, variant_counts = (
        Counter[str](),
        Counter[tuple[str, str]](),
        Counter[str](),
    )
    microseconds: Counter[str] = Counter()
    corpus = Corpus.open(jdk.corpus)
    world, _ = load_world(corpus.folder, corpus.shards)
    start = time.perf_counter()
    byte_count = 0
    for shard in corpus.shards:
        for source_file in iterate_java_files(corpus.folder / "shards" / shard):
            file = JavaFile(source_file.text.encode())
            file.store_result(StaticTypes, StaticTypes(file, world, source_file.path))
            for kind in KINDS:
                kind_start = time.perf_counter()
                for method in file.bodies:
                    candidates = find_locations(file, kind, method)
                    location_counts[kind] += len(candidates)
                    for location in candidates:
                        if location.refused:
                            refusal_counts[kind, location.refused] += 1
                    for variant in variants_of_method(file, candidates, kind, "single", 0):
                        byte_count += len(apply_edits(file.source, variant.edits))
                        variant_counts[kind] += 1
                microseconds[kind] += int(1e6 * (time.perf_counter() - kind_start))
    wall_seconds = time.perf_counter() - start
    total = sum(variant_counts.values())
    rows: Rows = [
        ("transforms: whole JDK, one core", wall_seconds, jdk.parse_seconds, "bare parsing"),
        ("transforms: variants a second", total / wall_seconds, 3000.0, "3,000; at least 1"),
    ]
    remarks = [
        f"{total:,} variants, {byte_count / 1e9:.1f} GB of changed files, in {wall_seconds:.0f} s: "
        f"{total / wall_seconds:,.0f} a second"
    ]
    for kind in KINDS:
        refused_count = sum(
            count for (refused_kind, _), count in refusal_counts.items() if refused_kind == kind
        )
        changed_share = 1 - refused_count / location_counts[kind] if location_counts[kind] else 0.0
        remarks.append(
            f"{kind}: {location_counts[kind]:,} places, {changed_share:.2%} changed, "
            f"{variant_counts[kind]:,} variants, "
            f"{microseconds[kind] / max(1, location_counts[kind]):.0f} µs a place"
        )
        reasons = Counter(
            {
                reason: count
                for (refused_kind, reason), count in refusal_counts.items()
                if refused_kind == kind
            }
        )
        remarks += [f"    refused {count:,}: {reason}" for reason, count in reasons.most_common(8)]
    return rows, remarks


if __name__ == "__main__":
    run_alone(measure_transforms)
