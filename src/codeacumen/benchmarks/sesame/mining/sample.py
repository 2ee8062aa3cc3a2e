"""Sample diverse similar pairs by Maximal Marginal Relevance (Carbonell and Goldstein 1998).

``codeacumen similar mine`` calls it, with SeSaMe's formulas (Kamp, Kreutzer and Philippsen, MSR
2019, section II-C). docsim is the similarity of two methods' JavaDoc, toksim that of their bodies'
tokens, msim combines both. The candidates are the pairs whose methods come from different projects;
each step chooses the candidate d that maximises

    λ · msim(d) − (1 − λ) · max over the choices j of Sim2(d, j),
    msim(a, b)  = μ · docsim(a, b) + (1 − μ) · (1 − toksim(a, b)),
    Sim2(d, j)  = σ(cross(d, j) + projects(d) + files(d)),  σ(x) = 2 / (1 + e^−x) − 1.

``cross`` adds the msims of each method of d with each of j (four terms): 1 for the same method, 0
where the docsim is unknown or not above ``min_similarity``, the bound on docsim; here pairs within
a project count too. ``projects`` is the share of the choices with the same project on the left and
the same on the right; ``files`` is the share with the same file on the left, plus that on the
right. Before the first choice the maximum is 0, so the first choice follows the same rule.

Every choice is the exact maximum. The search skips only candidates that cannot win:

1. ``projects`` and ``files`` do not depend on j, and σ is monotonic. So the largest Sim2 is σ of
   the largest cross similarity plus these two.
2. The largest cross similarity never falls while choices are added. Its value up to an earlier
   choice is a lower bound.
3. Neither share is negative, so ``files`` can be left out. ``projects``, which may fall, is counted
   for each pair of projects and is always up to date. So λ · msim − (1 − λ) · σ(an earlier cross +
   projects) is an upper bound of the score.
4. toksim is not negative, so msim is at most μ · docsim + (1 − μ). Candidates are scanned in
   decreasing order of this ceiling; once λ times it is below the best score, the scan stops.
5. The bound of 3 also uses this ceiling until the msim is needed: a toksim is computed only where
   the bound reaches the best score, and for the pairs of a chosen method.

The scan stops by a bound of the whole score. The published tool scans in the order of docsim and
stops at the first msim below the best score, and so misses pairs. Scores are rounded to 12
decimals, and a hash of the seed and the methods' ids breaks ties: neither the order of the pairs,
nor the batch size of the toksims, nor the number of workers changes the sample.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining import sample_kernel as kernels
from codeacumen.benchmarks.sesame.mining.sample_kernel import (
    UNIT,
    ChosenPairs,
    Floats,
    Ints,
    PairCandidates,
    Rule,
)

# Computes the token similarity, from 0 to 1, of the pairs of two lists of rows.
Toksim = Callable[[Ints, Ints], NDArray[np.floating]]

# Number of pairs, bound on docsim, μ and λ.
DEFAULT_PAIRS, DEFAULT_BOUND, MU, LAMBDA = 900, 0.01, 0.75, 0.6
# Candidates whose toksims are computed at a time.
BATCH = 4096
# Paths that the published tool never samples from.
_SKIPPED_PATHS = re.compile(r"/(?:examples?|android|test\d+)/")


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Pairs of rows with a docsim; each pair occurs once, with the smaller row on the left."""

    left: Ints
    right: Ints
    sim: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class MethodColumns:
    """Id, project and file of each row; projects and files may be any hashable values."""

    ids: Sequence[str]
    project: Sequence[object]
    file: Sequence[object]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """Sampling settings.

    The sample has ``pair_count`` pairs with a docsim above ``min_similarity``, or all of them if
    there are fewer. ``mu`` (μ) weighs docsim against the difference of the tokens, ``relevance``
    (λ) weighs relevance against diversity. ``seed`` breaks ties.
    """

    pair_count: int = DEFAULT_PAIRS
    min_similarity: float = DEFAULT_BOUND
    mu: float = MU
    relevance: float = LAMBDA
    seed: int = 0

    def check_values(self) -> None:
        for name, value in (("μ", self.mu), ("λ", self.relevance)):
            if not 0 <= value <= 1:
                raise CodeacumenError(f"{name} is {value}, which is not between 0 and 1")
        if self.min_similarity < 0:
            raise CodeacumenError(
                f"the minimum similarity is {self.min_similarity}, which is negative"
            )
        if self.pair_count < 0:
            raise CodeacumenError(f"cannot choose {self.pair_count} pairs")


@dataclass(frozen=True, slots=True)
class PairSample:
    """Indices into the candidate pairs, in the order of choice, with the values of each choice.

    ``sim`` is the docsim; ``toksim`` is NaN if μ is 1, because no toksim is computed then;
    ``score`` is the maximised value. ``candidate_count`` is the number of pairs to choose from,
    ``toksim_count`` that of the computed toksims.
    """

    pair_indices: NDArray[np.int64]
    sim: Floats
    toksim: Floats
    msim: Floats
    score: Floats
    candidate_count: int
    toksim_count: int

    def __len__(self) -> int:
        return len(self.pair_indices)


def is_skipped_path(path: str) -> bool:
    """Return whether the published tool skips a file: examples, Android, numbered tests."""
    return _SKIPPED_PATHS.search("/" + path.replace("\\", "/")) is not None


def sample_pairs(
    pairs: CandidatePairs,
    methods: MethodColumns,
    toksim: Toksim | None = None,
    settings: SamplingSettings | None = None,
    *,
    eligible: NDArray[np.bool_] | None = None,
    batch: int = BATCH,
    workers: int = 1,
) -> PairSample:
    """Return a sample of diverse pairs.

    Any similarity may take the place of docsim; with μ = 1 it alone is the relevance, and no toksim
    is needed. ``eligible`` marks the rows that take part, None means all. ``batch`` and ``workers``
    affect the speed only.
    """
    checked_settings = settings or SamplingSettings()
    checked_settings.check_values()
    if toksim is None and checked_settings.mu < 1:
        raise CodeacumenError(
            "μ is below 1, but there is no token similarity", "pass toksim, or set μ = 1"
        )
    pair_indices = _select_pairs(pairs, checked_settings.min_similarity, eligible)
    work = _Sampler(
        pairs, pair_indices, methods, toksim, checked_settings, max(1, batch), max(1, workers)
    )
    try:
        return work.run()
    finally:
        work.close()


def _select_pairs(
    pairs: CandidatePairs, min_similarity: float, eligible: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Return the indices of the pairs above the bound whose methods are eligible and distinct."""
    sim = pairs.sim
    # The bound has the type of the similarities, so that float32(0.3) is not above 0.3.
    selected = sim > sim.dtype.type(min_similarity)
    selected &= np.isfinite(sim) & (pairs.left != pairs.right)
    if eligible is not None:
        selected &= eligible[pairs.left] & eligible[pairs.right]
    return np.flatnonzero(selected)


class _Sampler:
    """State of one sampling: the candidates, and the choices so far.

    ``left``, ``right`` and ``sim`` are the columns of the selected pairs, ``pair_indices`` their
    indices among all pairs; ``order`` has the indices of the candidates among the selected pairs,
    by decreasing ceiling of the msim. ``offsets``, ``neighbour`` and ``neighbour_pair`` list each
    row's partners. ``link_count`` is the number of used links in ``chosen``.
    """

    def __init__(
        self,
        pairs: CandidatePairs,
        pair_indices: NDArray[np.int64],
        methods: MethodColumns,
        toksim: Toksim | None,
        settings: SamplingSettings,
        batch: int,
        workers: int,
    ) -> None:
        self.settings, self.pair_indices = settings, pair_indices
        self.toksim = toksim if settings.mu < 1 else None
        self.batch, self.workers, self.toksim_count = batch, workers, 0
        self.pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self.left = pairs.left[pair_indices].astype(np.int32, copy=False)
        self.right = pairs.right[pair_indices].astype(np.int32, copy=False)
        self.sim = pairs.sim[pair_indices]
        self.offsets, self.neighbour, self.neighbour_pair = kernels.list_neighbours(
            self.left, self.right, len(methods)
        )
        project, file = _number_values(methods.project), _number_values(methods.file)
        self.order, self.candidates = self._make_candidates(project)
        self.rule = Rule(
            settings.relevance,
            0,
            # From 16 on, σ is 1 up to 10⁻⁶.
            kernels.make_sigmoid_table(16.0),
            _hash_text(str(settings.seed)),
            np.array([_hash_text(method_id) for method_id in methods.ids], dtype=np.uint64),
            file,
        )
        self.chosen = _make_empty_choices(len(methods), self.candidates.group, file)
        self.link_count = 0
        # Only methods of candidates need cross similarities.
        self.is_candidate_method = np.zeros(len(methods), dtype=np.bool_)
        self.is_candidate_method[self.candidates.left] = self.is_candidate_method[
            self.candidates.right
        ] = True

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def _make_candidates(self, project: Ints) -> tuple[NDArray[np.int64], PairCandidates]:
        """Return the candidates' indices among the selected pairs, and their columns."""
        order = np.flatnonzero(project[self.left] != project[self.right])
        mu = self.settings.mu
        # The msim at the smallest possible toksim, 0.
        ceiling = mu * self.sim[order].astype(np.float64) + (1 - mu)
        descending = np.argsort(-ceiling, kind="stable")
        order, ceiling = order[descending], ceiling[descending]
        del descending
        left, right = self.left[order], self.right[order]
        projects = int(project.max(initial=0)) + 1
        _, group = np.unique(
            project[left].astype(np.int64) * projects + project[right], return_inverse=True
        )
        count = len(order)
        return order, PairCandidates(
            left,
            right,
            group.astype(np.int32),
            ceiling,
            ceiling.copy(),
            # With μ = 1 the ceiling is the msim itself.
            np.full(count, self.toksim is None),
            np.zeros(count, dtype=np.bool_),
            np.zeros(count, dtype=np.float64),
            np.zeros(count, dtype=np.int32),
        )

    def run(self) -> PairSample:
        pair_count = min(self.settings.pair_count, len(self.order))
        selected, scores = (
            np.empty(pair_count, dtype=np.int64),
            np.empty(pair_count, dtype=np.float64),
        )
        for choice in range(pair_count):
            selected[choice], scores[choice] = self._choose_next(choice)
            if choice + 1 < pair_count:
                self._add_choice(int(selected[choice]), choice)
        selected_pairs = self.order[selected]
        msim, sim = self.candidates.msim[selected], self.sim[selected_pairs].astype(np.float64)
        toksims = np.full(pair_count, np.nan)
        if self.toksim is not None and pair_count:
            toksims = self._compute_toksims(self.left[selected_pairs], self.right[selected_pairs])
        return PairSample(
            self.pair_indices[selected_pairs],
            sim,
            toksims,
            msim,
            scores / UNIT,
            len(self.order),
            self.toksim_count,
        )

    def _choose_next(self, choice: int) -> tuple[int, float]:
        """Return the best candidate's index and its score, multiplied by UNIT.

        ``choice`` is the number of choices so far.
        """
        rule = self.rule._replace(choice_count=choice)
        requested = np.empty(self.batch, dtype=np.int32)
        begin, best, best_index = 0, -np.inf, -1
        while begin >= 0:
            begin, requested_count, best, best_index = kernels.scan_candidates(
                self.candidates, self.chosen, rule, begin, best, best_index, requested
            )
            if requested_count:
                self._store_msims(requested[:requested_count])
                best, best_index = kernels.score_requested(
                    self.candidates,
                    self.chosen,
                    rule,
                    requested[:requested_count],
                    best,
                    best_index,
                )
        return best_index, best

    def _store_msims(self, indices: Ints) -> None:
        candidates = self.candidates
        sim = self.sim[self.order[indices]]
        candidates.msim[indices] = self._compute_msim(
            sim, candidates.left[indices], candidates.right[indices]
        )
        candidates.is_known[indices] = True

    def _add_choice(self, index: int, choice: int) -> None:
        """Record a choice, and link it to its methods and to the methods that are similar to them.

        ``index`` is that of the candidate, ``choice`` the number of choices before it.
        """
        candidates, chosen = self.candidates, self.chosen
        candidates.is_taken[index] = True
        left, right = int(candidates.left[index]), int(candidates.right[index])
        chosen.project_counts[candidates.group[index]] += 1
        chosen.left_file_counts[self.rule.file[left]] += 1
        chosen.right_file_counts[self.rule.file[right]] += 1
        weight = np.zeros(len(self.is_candidate_method), dtype=np.float64)
        for method in (left, right):
            weight[method] += 1.0
            span = slice(self.offsets[method], self.offsets[method + 1])
            neighbour, neighbour_pair = self.neighbour[span], self.neighbour_pair[span]
            is_relevant = self.is_candidate_method[neighbour]
            neighbour, neighbour_pair = neighbour[is_relevant], neighbour_pair[is_relevant]
            weight[neighbour] += self._compute_msim(
                self.sim[neighbour_pair], self.left[neighbour_pair], self.right[neighbour_pair]
            )
        similar_methods = np.flatnonzero(weight).astype(np.int32)
        self._grow_links(self.link_count + len(similar_methods))
        kernels.link_choice(
            self.chosen, similar_methods, weight[similar_methods], choice, self.link_count
        )
        self.link_count += len(similar_methods)

    def _grow_links(self, needed: int) -> None:
        """Make room for this many links, at least doubling the columns."""
        if needed > len(self.chosen.choice):
            more = max(needed, 2 * len(self.chosen.choice)) - len(self.chosen.choice)
            longer_columns = {
                name: np.concatenate([old, np.empty(more, dtype=old.dtype)])
                for name, old in self.chosen._asdict().items()
                if name in ("choice", "weight", "after")
            }
            self.chosen = self.chosen._replace(**longer_columns)

    def _compute_msim(self, sim: NDArray[np.floating], left: Ints, right: Ints) -> Floats:
        relevance = self.settings.mu * sim.astype(np.float64)
        # Without toksim, μ is 1 and the second term is 0.
        if self.toksim is None or not len(sim):
            return relevance + (1 - self.settings.mu)
        return relevance + (1 - self.settings.mu) * (1 - self._compute_toksims(left, right))

    def _compute_toksims(self, left: Ints, right: Ints) -> Floats:
        """Return the toksims of pairs of rows, with all workers, and count them."""
        assert self.toksim is not None
        self.toksim_count += len(left)
        if self.pool is None:
            parts = [self.toksim(left, right)]
        else:
            spans = list(_split_evenly(len(left), self.workers))
            parts = list(
                self.pool.map(
                    self.toksim, [left[span] for span in spans], [right[span] for span in spans]
                )
            )
        values = np.concatenate(parts).astype(np.float64)
        if len(values) != len(left) or not ((values >= 0) & (values <= 1)).all():
            raise CodeacumenError("a token similarity is not a number from 0 to 1 for every pair")
        return values


def _split_evenly(count: int, parts: int) -> Iterator[slice]:
    for part in range(parts):
        yield slice(count * part // parts, count * (part + 1) // parts)


def _hash_text(text: str) -> np.uint64:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _number_values(values: Sequence[object]) -> Ints:
    """Return a number from 0 for each value; equal values get equal numbers."""
    numbers: dict[object, int] = {}
    return np.fromiter(
        (numbers.setdefault(value, len(numbers)) for value in values),
        dtype=np.int32,
        count=len(values),
    )


def _make_empty_choices(methods: int, group: Ints, file: Ints) -> ChosenPairs:
    groups, files = int(group.max(initial=-1)) + 1, int(file.max(initial=-1)) + 1
    return ChosenPairs(
        np.zeros(groups, dtype=np.int64),
        np.zeros(files, dtype=np.int64),
        np.zeros(files, dtype=np.int64),
        np.full(methods, -1, dtype=np.int32),
        np.empty(1024, dtype=np.int32),
        np.empty(1024, dtype=np.float64),
        np.empty(1024, dtype=np.int32),
    )
