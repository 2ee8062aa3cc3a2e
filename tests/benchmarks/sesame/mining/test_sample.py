"""Tests of pair sampling. Oracle: a second, slow and dense implementation of the formulas."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining import sample_kernel as kernels
from codeacumen.benchmarks.sesame.mining.sample import (
    CandidatePairs,
    MethodColumns,
    SamplingSettings,
    _hash_text,
    is_skipped_path,
    sample_pairs,
)


@dataclass
class Case:
    """Projects and files of methods, docsims of some pairs, and toksims of all pairs."""

    project: list[int]
    file: list[int]
    sim: dict[tuple[int, int], float]
    tok: np.ndarray

    @property
    def methods(self) -> MethodColumns:
        return MethodColumns(
            [f"method {i}" for i in range(len(self.file))], self.project, self.file
        )

    @property
    def pairs(self) -> CandidatePairs:
        keys = sorted(self.sim)
        left, right = ([key[side] for key in keys] for side in (0, 1))
        values = np.array([self.sim[key] for key in keys], dtype=np.float64)
        return CandidatePairs(
            np.array(left, dtype=np.int32), np.array(right, dtype=np.int32), values
        )

    def compute_toksim(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self.tok[left, right]


def sample_slowly(case: Case, sampling_settings: SamplingSettings) -> list[tuple[int, int]]:
    """Recompute the scores of all candidates against all chosen pairs after each choice."""

    def compute_msim(first: int, second: int) -> float:
        if first == second:
            return 1.0
        docsim = case.sim.get((min(first, second), max(first, second)), 0.0)
        if docsim <= sampling_settings.min_similarity:
            return 0.0
        return sampling_settings.mu * docsim + (1 - sampling_settings.mu) * (
            1 - float(case.tok[first, second])
        )

    def compute_redundancy(candidate: tuple[int, int], chosen_pair: tuple[int, int]) -> float:
        exponent = sum(
            compute_msim(method, chosen_method)
            for method in candidate
            for chosen_method in chosen_pair
        )
        same = [
            all(
                case.project[first] == case.project[second]
                for first, second in zip(candidate, other_pair, strict=True)
            )
            for other_pair in chosen
        ]
        exponent += sum(same) / len(chosen)
        files = sum(
            case.file[first] == case.file[second]
            for other_pair in chosen
            for first, second in zip(candidate, other_pair, strict=True)
        )
        exponent += files / len(chosen)
        return 2 / (1 + math.exp(-exponent)) - 1

    def score_pair(candidate: tuple[int, int]) -> float:
        redundancy = max(
            (compute_redundancy(candidate, chosen_pair) for chosen_pair in chosen), default=0.0
        )
        return round(
            sampling_settings.relevance * compute_msim(*candidate)
            - (1 - sampling_settings.relevance) * redundancy,
            12,
        )

    remaining = [
        (first, second)
        for (first, second), value in case.sim.items()
        if value > sampling_settings.min_similarity and case.project[first] != case.project[second]
    ]
    chosen: list[tuple[int, int]] = []
    while remaining and len(chosen) < sampling_settings.pair_count:
        scores = {candidate: score_pair(candidate) for candidate in remaining}
        best = max(scores.values())
        tied = [candidate for candidate in remaining if abs(scores[candidate] - best) < 1.5e-12]
        chosen.append(
            min(tied, key=lambda candidate: _sampling_key(sampling_settings.seed, *candidate))
        )
        remaining.remove(chosen[-1])
    return chosen


def _sampling_key(seed: int, first: int, second: int) -> int:
    return int(
        kernels.hash_pair(
            _hash_text(str(seed)), _hash_text(f"method {first}"), _hash_text(f"method {second}")
        )
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw cases with few distinct values, and so many ties, or with many distinct values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    method_count = draw(st.integers(2, 10))
    project = np.sort(rng.integers(0, draw(st.integers(2, 4)), method_count))
    file = project * 10 + rng.integers(0, draw(st.integers(1, 3)), method_count)
    steps = draw(st.sampled_from([2, 4, 1000003]))
    tok = rng.integers(0, steps + 1, (method_count, method_count)) / steps
    tok = np.triu(tok, 1) + np.triu(tok, 1).T + np.eye(method_count)
    density = draw(st.sampled_from([0.3, 0.7, 1.0]))
    sim = {
        (first, second): float(rng.integers(0, steps + 1) / steps)
        for first in range(method_count)
        for second in range(first + 1, method_count)
        if rng.random() < density
    }
    return Case(project.tolist(), file.tolist(), sim, tok)


@st.composite
def settings_strategy(draw: st.DrawFn) -> SamplingSettings:
    return SamplingSettings(
        pair_count=draw(st.sampled_from([1, 3, 8, 25])),
        min_similarity=draw(st.sampled_from([0.0, 0.01, 0.3])),
        mu=draw(st.sampled_from([0.0, 0.5, 0.75, 1.0])),
        relevance=draw(st.sampled_from([0.0, 0.25, 0.6, 1.0])),
        seed=draw(st.integers(0, 3)),
    )


def sample_as_tuples(
    case: Case, sampling_settings: SamplingSettings, **options: int
) -> list[tuple[int, int]]:
    pairs = case.pairs
    sampled = sample_pairs(pairs, case.methods, case.compute_toksim, sampling_settings, **options)
    return [(int(pairs.left[i]), int(pairs.right[i])) for i in sampled.pair_indices]


@pytest.mark.thorough
@settings(max_examples=2000, deadline=None)
@given(cases(), settings_strategy(), st.sampled_from([1, 2, 7, 4096]))
def test_sample_equals_the_slow_implementation(
    case: Case, sampling_settings: SamplingSettings, batch: int
) -> None:
    assert sample_as_tuples(case, sampling_settings, batch=batch) == sample_slowly(
        case, sampling_settings
    )


@settings(max_examples=150, deadline=None)
@given(cases(), settings_strategy(), st.randoms(use_true_random=False))
def test_sample_does_not_depend_on_batch_workers_or_pair_order(
    case: Case, sampling_settings: SamplingSettings, random: np.random.Generator
) -> None:
    expected = sample_as_tuples(case, sampling_settings)
    for batch, workers in ((1, 1), (3, 2), (64, 4)):
        assert sample_as_tuples(case, sampling_settings, batch=batch, workers=workers) == expected
    pairs = case.pairs
    order = list(range(len(pairs.left)))
    random.shuffle(order)  # type: ignore[arg-type]
    shuffled = CandidatePairs(pairs.left[order], pairs.right[order], pairs.sim[order])
    sampled = sample_pairs(shuffled, case.methods, case.compute_toksim, sampling_settings)
    assert (
        list(
            zip(
                shuffled.left[sampled.pair_indices],
                shuffled.right[sampled.pair_indices],
                strict=True,
            )
        )
        == expected
    )


def test_scores_of_sampled_pairs() -> None:
    """With two projects of one file each, both redundancy shares are 1 after the first choice."""
    tok = np.array([[1, 0.5, 0.25], [0.5, 1, 0.75], [0.25, 0.75, 1]])
    case = Case([0, 1, 1], [0, 1, 1], {(0, 1): 0.8, (0, 2): 0.4, (1, 2): 0.6}, tok)
    sampled = sample_pairs(case.pairs, case.methods, case.compute_toksim)
    assert sampled.pair_indices.tolist() == [0, 1]
    first, second = 0.75 * 0.8 + 0.25 * 0.5, 0.75 * 0.4 + 0.25 * 0.75
    within_second = 0.75 * 0.6 + 0.25 * 0.25
    # Similarity of both methods to both methods of the first choice, and the two shares.
    exponent = (1 + first) + (second + within_second) + 1 + 2
    expected = 0.6 * second - 0.4 * (2 / (1 + math.exp(-exponent)) - 1)
    assert sampled.msim == pytest.approx([first, second])
    assert sampled.score == pytest.approx([0.6 * first, expected], abs=1e-11)
    assert sampled.toksim.tolist() == [0.5, 0.25]
    assert sampled.sim == pytest.approx([0.8, 0.4])


def test_search_does_not_stop_at_the_first_low_msim() -> None:
    """A pair further down in docsim order may have a higher msim.

    The published tool stops at the first msim below the best score and misses that pair.
    """
    project = [0, 1] * 3
    tok = np.ones((6, 6))
    tok[4, 5] = tok[5, 4] = 0
    case = Case(project, list(range(6)), {(0, 1): 0.9, (2, 3): 0.5, (4, 5): 0.45}, tok)
    assert sample_as_tuples(case, SamplingSettings()) == [(0, 1), (4, 5), (2, 3)]


def _sample_tied_pairs(seed: int) -> list[tuple[int, int]]:
    case = Case([0] * 6 + [1] * 6, list(range(12)), {}, np.full((12, 12), 0.5))
    case.sim = {(a, a + 6): 0.5 for a in range(6)}
    return sample_as_tuples(case, SamplingSettings(pair_count=1, seed=seed))


def test_seed_breaks_ties() -> None:
    first = [_sample_tied_pairs(seed)[0] for seed in range(200)]
    assert first == [_sample_tied_pairs(seed)[0] for seed in range(200)]
    counts = np.bincount([a for a, _ in first], minlength=6)
    # A fair die: 200 / 6 is 33, and 12 is four standard deviations below.
    assert counts.min() > 12


def test_docsim_alone_with_mu_one() -> None:
    """With μ = 1 no toksim is computed, and docsims above 1 are allowed."""
    sim = {(0, 1): 7.5, (2, 3): 9.0}
    case = Case([0, 1, 0, 1], [0, 1, 2, 3], sim, np.eye(4))
    sampled = sample_pairs(case.pairs, case.methods, None, SamplingSettings(mu=1))
    assert sampled.pair_indices.tolist() == [1, 0]
    assert np.isnan(sampled.toksim).all()
    assert sampled.toksim_count == 0


def test_toksims_are_computed_only_if_needed() -> None:
    rng = np.random.default_rng(0)
    method_count = 400
    project = np.sort(rng.integers(0, 5, method_count)).tolist()
    sim = {
        (int(first), int(second)): float(rng.random() ** 4)
        for first, second in np.sort(rng.integers(0, method_count, (2000, 2)))
        if first < second
    }
    tok = rng.random((method_count, method_count))
    case = Case(project, rng.integers(0, 60, method_count).tolist(), sim, np.minimum(tok, tok.T))
    sampled = sample_pairs(
        case.pairs, case.methods, case.compute_toksim, SamplingSettings(pair_count=8), batch=16
    )
    assert sample_as_tuples(case, SamplingSettings(pair_count=8)) == sample_slowly(
        case, SamplingSettings(pair_count=8)
    )
    assert 8 <= sampled.toksim_count < sampled.candidate_count / 2


def test_ineligible_methods_are_not_sampled() -> None:
    case = Case([0, 1, 0, 1], [0, 1, 2, 3], {(0, 1): 0.9, (2, 3): 0.5}, np.eye(4))
    eligible = np.array([False, True, True, True])
    sampled = sample_pairs(case.pairs, case.methods, case.compute_toksim, eligible=eligible)
    assert sampled.pair_indices.tolist() == [1]


def test_toksim_function_may_use_a_pool() -> None:
    case = Case([0, 1, 0, 1], [0, 1, 2, 3], {(0, 1): 0.9, (2, 3): 0.5}, np.eye(4))
    with ThreadPoolExecutor(2) as pool:
        sampled = sample_pairs(
            case.pairs, case.methods, lambda a, b: pool.submit(case.compute_toksim, a, b).result()
        )
    assert sampled.pair_indices.tolist() == [0, 1]


def test_sample_without_candidates_is_empty() -> None:
    same_project = Case([0, 0], [0, 0], {(0, 1): 0.9}, np.eye(2))
    assert (
        len(sample_pairs(same_project.pairs, same_project.methods, same_project.compute_toksim))
        == 0
    )
    no_methods = Case([], [], {}, np.eye(0))
    assert len(sample_pairs(no_methods.pairs, no_methods.methods, no_methods.compute_toksim)) == 0
    single_pair = Case([0, 1], [0, 1], {(0, 1): 0.9}, np.eye(2))
    assert (
        len(
            sample_pairs(
                single_pair.pairs,
                single_pair.methods,
                single_pair.compute_toksim,
                SamplingSettings(pair_count=0),
            )
        )
        == 0
    )


@pytest.mark.parametrize(
    "invalid_settings",
    [
        {"mu": 1.5},
        {"relevance": -0.1},
        {"min_similarity": -1.0},
        {"pair_count": -1},
        {"mu": math.nan},
    ],
)
def test_invalid_settings_are_rejected(invalid_settings: dict[str, float]) -> None:
    case = Case([0, 1], [0, 1], {(0, 1): 0.9}, np.eye(2))
    with pytest.raises(CodeacumenError):
        sample_pairs(
            case.pairs, case.methods, case.compute_toksim, SamplingSettings(**invalid_settings)
        )  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1.0, 2.0, math.nan])
def test_invalid_token_similarity_is_rejected(value: float) -> None:
    case = Case([0, 1], [0, 1], {(0, 1): 0.9}, np.full((2, 2), value))
    with pytest.raises(CodeacumenError):
        sample_pairs(case.pairs, case.methods, case.compute_toksim)
    with pytest.raises(CodeacumenError):
        sample_pairs(case.pairs, case.methods)


def test_files_skipped_by_the_published_tool() -> None:
    for path in ("examples/A.java", "a/example/A.java", "a/android/B.java", "x/test12/C.java"):
        assert is_skipped_path(path)
    for path in ("a/test/A.java", "a/Examples/A.java", "src/exampleA/B.java", "test1.java"):
        assert not is_skipped_path(path)
