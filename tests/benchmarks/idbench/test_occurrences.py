"""Tests of the comparison with IdBench's counts of identifiers. Oracle: Table I of the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.benchmarks.idbench.occurrences import compare_with_idbench
from codeacumen.survey.occurrences import ROLES, IdentifierCounts


def test_published_counts_correlate_perfectly_with_themselves(idbench_source: Path) -> None:
    lines = (idbench_source / "identifier_cross_lang_freq_stats.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    counts = np.zeros((len(rows), 2, len(ROLES)), dtype=np.int64)
    counts[:, 1, 1] = [int(row[1]) for row in rows]
    counts[:, 0, 0] = [int(row[3]) for row in rows]
    names = tuple(row[0].upper() for row in rows)
    comparison = compare_with_idbench(IdentifierCounts(names, counts, {}), idbench_source)
    javascript = comparison["languages"]["javascript"]
    # Table I.
    assert javascript["total"] == 3_697_498
    assert (javascript["min"], javascript["max"]) == (62, 629_413)
    assert round(javascript["mean"]) == 7639
    assert javascript["spearman"] == pytest.approx(1)
    assert comparison["languages"]["java"]["spearman"] == pytest.approx(1)
    assert comparison["roles"]["primary"]["ours"]["property"] == 1
    assert comparison["roles"]["primary"]["published"]["function"] == pytest.approx(0.173, abs=0.01)
