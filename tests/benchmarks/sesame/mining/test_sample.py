"""Oracle: a second implementation, dense and slow, that follows the formulas word by word."""

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
    Methods,
    Pairs,
    Settings,
    _hash,
    is_left_out,
    sample,
)


@dataclass
class Case:
    """A small world: projects and files of methods, docsims of some pairs, toksims of all."""

    project: list[int]
    file: list[int]
    sim: dict[tuple[int, int], float]
    tok: np.ndarray

    @property
    def methods(self) -> Methods:
        return Methods([f"method {i}" for i in range(len(self.file))], self.project, self.file)

    @property
    def pairs(self) -> Pairs:
        keys = sorted(self.sim)
        left, right = ([key[side] for key in keys] for side in (0, 1))
        values = np.array([self.sim[key] for key in keys], dtype=np.float64)
        return Pairs(np.array(left, dtype=np.int32), np.array(right, dtype=np.int32), values)

    def toksim(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self.tok[left, right]


def slowly(case: Case, how: Settings) -> list[tuple[int, int]]:
    """All scores of all candidates against all choices, anew for each choice."""

    def msim(a: int, b: int) -> float:
        if a == b:
            return 1.0
        docsim = case.sim.get((min(a, b), max(a, b)), 0.0)
        if docsim <= how.least:
            return 0.0
        return how.mu * docsim + (1 - how.mu) * (1 - float(case.tok[a, b]))

    def alike(d: tuple[int, int], j: tuple[int, int]) -> float:
        x = sum(msim(one, other) for one in d for other in j)
        same = [
            all(case.project[a] == case.project[b] for a, b in zip(d, c, strict=True))
            for c in chosen
        ]
        x += sum(same) / len(chosen)
        files = sum(case.file[a] == case.file[b] for c in chosen for a, b in zip(d, c, strict=True))
        x += files / len(chosen)
        return 2 / (1 + math.exp(-x)) - 1

    def score(d: tuple[int, int]) -> float:
        most = max((alike(d, j) for j in chosen), default=0.0)
        return round(how.relevance * msim(*d) - (1 - how.relevance) * most, 12)

    left = [
        (a, b)
        for (a, b), value in case.sim.items()
        if value > how.least and case.project[a] != case.project[b]
    ]
    chosen: list[tuple[int, int]] = []
    while left and len(chosen) < how.many:
        scores = {d: score(d) for d in left}
        best = max(scores.values())
        equals = [d for d in left if abs(scores[d] - best) < 1.5e-12]
        chosen.append(min(equals, key=lambda d: _lot(how.seed, *d)))
        left.remove(chosen[-1])
    return chosen


def _lot(seed: int, a: int, b: int) -> int:
    return int(kernels.lot(_hash(str(seed)), _hash(f"method {a}"), _hash(f"method {b}")))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Few different numbers, so that there are many equals, or many."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    many = draw(st.integers(2, 10))
    project = np.sort(rng.integers(0, draw(st.integers(2, 4)), many))
    file = project * 10 + rng.integers(0, draw(st.integers(1, 3)), many)
    steps = draw(st.sampled_from([2, 4, 1000003]))
    tok = rng.integers(0, steps + 1, (many, many)) / steps
    tok = np.triu(tok, 1) + np.triu(tok, 1).T + np.eye(many)
    density = draw(st.sampled_from([0.3, 0.7, 1.0]))
    sim = {
        (a, b): float(rng.integers(0, steps + 1) / steps)
        for a in range(many)
        for b in range(a + 1, many)
        if rng.random() < density
    }
    return Case(project.tolist(), file.tolist(), sim, tok)


@st.composite
def hows(draw: st.DrawFn) -> Settings:
    return Settings(
        many=draw(st.sampled_from([1, 3, 8, 25])),
        least=draw(st.sampled_from([0.0, 0.01, 0.3])),
        mu=draw(st.sampled_from([0.0, 0.5, 0.75, 1.0])),
        relevance=draw(st.sampled_from([0.0, 0.25, 0.6, 1.0])),
        seed=draw(st.integers(0, 3)),
    )


def picks(case: Case, how: Settings, **more: int) -> list[tuple[int, int]]:
    pairs = case.pairs
    found = sample(pairs, case.methods, case.toksim, how, **more)
    return [(int(pairs.left[i]), int(pairs.right[i])) for i in found.place]


@pytest.mark.thorough
@settings(max_examples=2000, deadline=None)
@given(cases(), hows(), st.sampled_from([1, 2, 7, 4096]))
def test_the_same_pairs_in_the_same_order_as_worked_out_slowly(
    case: Case, how: Settings, batch: int
) -> None:
    assert picks(case, how, batch=batch) == slowly(case, how)


@settings(max_examples=150, deadline=None)
@given(cases(), hows(), st.randoms(use_true_random=False))
def test_neither_batch_nor_workers_nor_the_order_of_pairs_matter(
    case: Case, how: Settings, random: np.random.Generator
) -> None:
    expected = picks(case, how)
    for batch, workers in ((1, 1), (3, 2), (64, 4)):
        assert picks(case, how, batch=batch, workers=workers) == expected
    pairs = case.pairs
    order = list(range(len(pairs.left)))
    random.shuffle(order)  # type: ignore[arg-type]
    mixed = Pairs(pairs.left[order], pairs.right[order], pairs.sim[order])
    found = sample(mixed, case.methods, case.toksim, how)
    assert list(zip(mixed.left[found.place], mixed.right[found.place], strict=True)) == expected


def test_what_a_choice_was_made_for() -> None:
    """Two projects, one file each: after the first choice both shares are whole."""
    tok = np.array([[1, 0.5, 0.25], [0.5, 1, 0.75], [0.25, 0.75, 1]])
    case = Case([0, 1, 1], [0, 1, 1], {(0, 1): 0.8, (0, 2): 0.4, (1, 2): 0.6}, tok)
    found = sample(case.pairs, case.methods, case.toksim)
    assert found.place.tolist() == [0, 1]
    first, second = 0.75 * 0.8 + 0.25 * 0.5, 0.75 * 0.4 + 0.25 * 0.75
    inside = 0.75 * 0.6 + 0.25 * 0.25
    # The left method twice (itself and the right one of the first choice), the right one twice.
    x = (1 + first) + (second + inside) + 1 + 2
    expected = 0.6 * second - 0.4 * (2 / (1 + math.exp(-x)) - 1)
    assert found.msim == pytest.approx([first, second])
    assert found.score == pytest.approx([0.6 * first, expected], abs=1e-11)
    assert found.toksim.tolist() == [0.5, 0.25]
    assert found.sim == pytest.approx([0.8, 0.4])


def test_the_published_tool_would_have_stopped_too_early() -> None:
    """In the order of docsim, a pair with the same tokens has a low msim, and one behind it a
    higher one: who stops at the first msim below the best score never sees that."""
    project = [0, 1] * 3
    tok = np.ones((6, 6))
    tok[4, 5] = tok[5, 4] = 0
    case = Case(project, list(range(6)), {(0, 1): 0.9, (2, 3): 0.5, (4, 5): 0.45}, tok)
    assert picks(case, Settings()) == [(0, 1), (4, 5), (2, 3)]


def _equals(seed: int) -> list[tuple[int, int]]:
    case = Case([0] * 6 + [1] * 6, list(range(12)), {}, np.full((12, 12), 0.5))
    case.sim = {(a, a + 6): 0.5 for a in range(6)}
    return picks(case, Settings(many=1, seed=seed))


def test_among_equals_the_seed_decides() -> None:
    first = [_equals(seed)[0] for seed in range(200)]
    assert first == [_equals(seed)[0] for seed in range(200)]
    counts = np.bincount([a for a, _ in first], minlength=6)
    # A fair die: 200 / 6 is 33, and 12 is four standard deviations below.
    assert counts.min() > 12


def test_any_similarity_alone() -> None:
    """With μ = 1 no token is looked at, and values above 1 are as good."""
    sim = {(0, 1): 7.5, (2, 3): 9.0}
    case = Case([0, 1, 0, 1], [0, 1, 2, 3], sim, np.eye(4))
    found = sample(case.pairs, case.methods, None, Settings(mu=1))
    assert found.place.tolist() == [1, 0]
    assert np.isnan(found.toksim).all()
    assert found.compared == 0


def test_toksims_are_worked_out_only_where_needed() -> None:
    rng = np.random.default_rng(0)
    many = 400
    project = np.sort(rng.integers(0, 5, many)).tolist()
    sim = {
        (int(a), int(b)): float(rng.random() ** 4)
        for a, b in np.sort(rng.integers(0, many, (2000, 2)))
        if a < b
    }
    tok = rng.random((many, many))
    case = Case(project, rng.integers(0, 60, many).tolist(), sim, np.minimum(tok, tok.T))
    found = sample(case.pairs, case.methods, case.toksim, Settings(many=8), batch=16)
    assert picks(case, Settings(many=8)) == slowly(case, Settings(many=8))
    assert 8 <= found.compared < found.candidates / 2


def test_methods_that_take_no_part() -> None:
    case = Case([0, 1, 0, 1], [0, 1, 2, 3], {(0, 1): 0.9, (2, 3): 0.5}, np.eye(4))
    eligible = np.array([False, True, True, True])
    found = sample(case.pairs, case.methods, case.toksim, eligible=eligible)
    assert found.place.tolist() == [1]


def test_a_pool_of_our_own_may_be_behind_the_tokens() -> None:
    case = Case([0, 1, 0, 1], [0, 1, 2, 3], {(0, 1): 0.9, (2, 3): 0.5}, np.eye(4))
    with ThreadPoolExecutor(2) as pool:
        found = sample(
            case.pairs, case.methods, lambda a, b: pool.submit(case.toksim, a, b).result()
        )
    assert found.place.tolist() == [0, 1]


def test_nothing_to_choose_from() -> None:
    empty = Case([0, 0], [0, 0], {(0, 1): 0.9}, np.eye(2))
    assert len(sample(empty.pairs, empty.methods, empty.toksim)) == 0
    none = Case([], [], {}, np.eye(0))
    assert len(sample(none.pairs, none.methods, none.toksim)) == 0
    one = Case([0, 1], [0, 1], {(0, 1): 0.9}, np.eye(2))
    assert len(sample(one.pairs, one.methods, one.toksim, Settings(many=0))) == 0


@pytest.mark.parametrize(
    "wrong",
    [{"mu": 1.5}, {"relevance": -0.1}, {"least": -1.0}, {"many": -1}, {"mu": math.nan}],
)
def test_settings_that_make_no_sense(wrong: dict[str, float]) -> None:
    case = Case([0, 1], [0, 1], {(0, 1): 0.9}, np.eye(2))
    with pytest.raises(CodeacumenError):
        sample(case.pairs, case.methods, case.toksim, Settings(**wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1.0, 2.0, math.nan])
def test_a_token_similarity_that_is_none(value: float) -> None:
    case = Case([0, 1], [0, 1], {(0, 1): 0.9}, np.full((2, 2), value))
    with pytest.raises(CodeacumenError):
        sample(case.pairs, case.methods, case.toksim)
    with pytest.raises(CodeacumenError):
        sample(case.pairs, case.methods)


def test_files_that_the_published_tool_passes_over() -> None:
    for path in ("examples/A.java", "a/example/A.java", "a/android/B.java", "x/test12/C.java"):
        assert is_left_out(path)
    for path in ("a/test/A.java", "a/Examples/A.java", "src/exampleA/B.java", "test1.java"):
        assert not is_left_out(path)
