"""Tests of the near-duplicates that an audit counts. Oracle: brute force over all pairs of methods,
on the exported tokens."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import codeacumen
from codeacumen.corpus import Corpus
from codeacumen.corpus.audit import EXAMPLES, audit_corpus
from codeacumen.corpus.duplicates import SHINGLE
from codeacumen.corpus.export import iterate_view_values
from codeacumen.corpus.splits import SPLITS

BODY = """
    int {name}(int[] values, int limit) {{
        int sum = 0;
        for (int i = 0; i < values.length && sum < limit; i++) {{
            if (values[i] > {number}) {{ sum += values[i] * 3; }} else {{ sum -= values[i] / 2; }}
        }}
        while (sum > limit) {{ sum = sum - {step}; }}
        return sum < 0 ? -sum : sum + values.length;
    }}
"""


def build_corpus(folder: Path) -> Corpus:
    """Return a corpus of nine projects with copies and near-copies of two methods."""
    sources = []
    for project in range(9):
        source = folder / f"p{project}"
        source.mkdir()
        methods = [
            # The same in all projects, twice in some.
            *[BODY.format(name=f"same{i}", number=7, step=1) for i in range(1 + project % 2)],
            # Another constant in each third project.
            BODY.format(name="near", number=7, step=100 + project % 3),
            f"int other{project}(int a) {{ return a + {project}; }}",
        ]
        (source / "A.java").write_text(f"class A {{ {''.join(methods)} }}")
        sources.append(source)
    return codeacumen.build_corpus(
        sources, folder / "corpus", splits=(1, 1, 1), workers=1, progress=False
    )


def compute_similarity(left: list[str], right: list[str]) -> float:
    left_set, right_set = (
        {tuple(tokens[i : i + SHINGLE]) for i in range(len(tokens) - SHINGLE + 1)}
        for tokens in (left, right)
    )
    return len(left_set & right_set) / len(left_set | right_set)


def test_counts_equal_brute_force(tmp_path: Path) -> None:
    corpus = build_corpus(tmp_path)
    methods = [
        (corpus.method(row["method_id"])["split"], row["project"], row["method_id"], row["value"])
        for row in iterate_view_values(corpus, "tokens")
        if len(row["value"]) >= 25
    ]
    assert len(methods) == 9 + 4 + 9
    pair_counts: Counter[tuple[str, ...]] = Counter()
    methods_by_splits: dict[tuple[str, ...], set[str]] = {}
    across_projects = 0
    for left, right in combinations(methods, 2):
        if compute_similarity(left[3], right[3]) >= 0.8:
            splits = tuple(sorted((left[0], right[0]), key=SPLITS.index))
            pair_counts[splits] += 1
            methods_by_splits.setdefault(splits, set()).update((left[2], right[2]))
            across_projects += left[1] != right[1]
    audit = audit_corpus(corpus)
    expected = [
        (pair_counts[splits], len(methods_by_splits.get(splits, ())))
        for splits in combinations_with_replacement(SPLITS, 2)
    ]
    assert [(finding["pairs"], finding["methods"]) for finding in audit["findings"]] == expected
    assert sum(count > 6 for count, _ in expected) >= 3
    assert audit["across_projects"] == across_projects
    assert audit["methods_in_clusters"] == audit["largest_cluster"] == len(methods)
    for finding, (count, _) in zip(audit["findings"], expected, strict=True):
        examples = [
            (example["similarity"], *(str(method["method_id"]) for method in example["methods"]))
            for example in finding["examples"]
        ]
        assert len(set(examples)) == min(count, EXAMPLES)
        similarities = [similarity for similarity, *_ in examples]
        assert similarities == sorted(similarities, reverse=True)
        assert all(set(pair) <= {method[2] for method in methods} for _, *pair in examples)
