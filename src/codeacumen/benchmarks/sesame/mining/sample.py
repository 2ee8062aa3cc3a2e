"""Sample diverse similar pairs by Maximal Marginal Relevance (Carbonell and Goldstein 1998).

``codeacumen similar mine`` calls it, with SeSaMe's formulas (Kamp, Kreutzer and Philippsen, MSR
2019, section II-C). Of the pairs whose methods come from different projects, each step chooses the
pair that maximises

    λ · msim(d) − (1 − λ) · max over the choices j of Sim2(d, j),
    msim(a, b)  = μ · docsim(a, b) + (1 − μ) · (1 − toksim(a, b)),
    Sim2(d, j)  = σ(cross(d, j) + projects(d) + files(d)),  σ(x) = 2 / (1 + e^−x) − 1.

``cross`` adds the msims of each method of d with each of j: 1 for the same method, 0 where the
docsim is unknown or not above the bound; pairs within a project count. ``projects`` is the share of
the choices with the same project on the left and the same on the right; ``files`` is the share with
the same file on the left, plus that on the right. Before the first choice the maximum is 0, so the
first choice follows the same rule.

Every choice is the exact maximum. The search skips only candidates that cannot win:

1. ``projects`` and ``files`` do not depend on j, and σ is monotonic. So the largest Sim2 is σ of
   the largest cross similarity plus these two.
2. The largest cross similarity never falls while choices are added. Its value up to an earlier
   choice is a lower bound.
3. Neither share is negative; ``projects``, which may fall, is counted for each pair of projects
   and always up to date. So λ · msim − (1 − λ) · σ(an earlier cross + projects) is an upper bound
   of the score.
4. toksim is not negative, so msim is at most μ · docsim + (1 − μ). Candidates are scanned in
   decreasing order of this ceiling; once λ times it is below the best score, the scan stops.
5. The bound of 3 also uses this ceiling until the msim is needed: a toksim is computed only where
   the bound reaches the best score, and for the pairs of a chosen method.

Bounds are compared with the best score, of which the msim is only a part. The published tool stops
at the first msim below the best score in an order by docsim, and so misses pairs. Scores are
rounded to 12 decimals, and a hash of the seed and the methods' ids breaks ties: neither the order
of the pairs, nor the batch size of the toksims, nor the number of workers changes the sample.
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
    Candidates,
    Chosen,
    Floats,
    Ints,
    Rule,
)

# Computes the token similarity, from 0 to 1, of the pairs of two lists of rows.
Toksim = Callable[[Ints, Ints], NDArray[np.floating]]

MANY, LEAST, MU, LAMBDA = 900, 0.01, 0.75, 0.6
# Toksims to compute at a time.
BATCH = 4096
# Paths that the published tool never samples from.
_LEFT_OUT = re.compile(r"/(?:examples?|android|test\d+)/")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of rows with a similarity; each pair occurs once, with the smaller row on the left."""

    left: Ints
    right: Ints
    sim: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Methods:
    """Id, project and file of each row; projects and files may be numbers or words."""

    ids: Sequence[str]
    project: Sequence[object]
    file: Sequence[object]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Settings:
    """Sampling settings.

    The sample has ``pair_count`` pairs with a docsim above ``min_similarity``. μ weighs docsim
    against the difference of the tokens, λ weighs relevance against diversity.
    """

    many: int = MANY
    least: float = LEAST
    mu: float = MU
    relevance: float = LAMBDA
    seed: int = 0

    def check(self) -> None:
        for name, value in (("μ", self.mu), ("λ", self.relevance)):
            if not 0 <= value <= 1:
                raise CodeacumenError(f"{name} is {value}, which is not between 0 and 1")
        if self.least < 0:
            raise CodeacumenError(f"the minimum similarity is {self.least}, which is negative")
        if self.many < 0:
            raise CodeacumenError(f"cannot choose {self.many} pairs")


@dataclass(frozen=True, slots=True)
class Sample:
    """Indices into the given pairs, in the order of choice, with the values of each choice.

    ``toksim`` is NaN where μ is 1, because no toksim is computed then.
    """

    place: NDArray[np.int64]
    sim: Floats
    toksim: Floats
    msim: Floats
    score: Floats
    candidates: int
    compared: int

    def __len__(self) -> int:
        return len(self.place)


def is_left_out(path: str) -> bool:
    """Return whether the published tool skips a file: examples, Android, numbered tests."""
    return _LEFT_OUT.search("/" + path.replace("\\", "/")) is not None


def sample(
    pairs: Pairs,
    methods: Methods,
    toksim: Toksim | None = None,
    settings: Settings | None = None,
    *,
    eligible: NDArray[np.bool_] | None = None,
    batch: int = BATCH,
    workers: int = 1,
) -> Sample:
    """Return a sample of diverse pairs.

    Any similarity may stand for docsim; with μ = 1 it alone is the relevance, and no toksim is
    needed. ``eligible`` marks the methods that take part.
    """
    given = settings or Settings()
    given.check()
    if toksim is None and given.mu < 1:
        raise CodeacumenError(
            "μ is below 1, but there is no token similarity", "pass toksim, or set μ = 1"
        )
    kept = _known(pairs, given.least, eligible)
    work = _Work(pairs, kept, methods, toksim, given, max(1, batch), max(1, workers))
    try:
        return work.run()
    finally:
        work.close()


def _known(pairs: Pairs, least: float, eligible: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    sim = pairs.sim
    keep = sim > sim.dtype.type(least)
    keep &= np.isfinite(sim) & (pairs.left != pairs.right)
    if eligible is not None:
        keep &= eligible[pairs.left] & eligible[pairs.right]
    return np.flatnonzero(keep)


class _Work:
    """State of one sampling: the candidates, and what the choices so far imply for them."""

    def __init__(
        self,
        pairs: Pairs,
        kept: NDArray[np.int64],
        methods: Methods,
        toksim: Toksim | None,
        settings: Settings,
        batch: int,
        workers: int,
    ) -> None:
        self.settings, self.kept = settings, kept
        self.toksim = toksim if settings.mu < 1 else None
        self.batch, self.workers, self.compared = batch, workers, 0
        self.pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self.left = pairs.left[kept].astype(np.int32, copy=False)
        self.right = pairs.right[kept].astype(np.int32, copy=False)
        self.sim = pairs.sim[kept]
        self.offsets, self.other, self.pair = kernels.neighbours(
            self.left, self.right, len(methods)
        )
        project, file = _numbered(methods.project), _numbered(methods.file)
        self.order, self.of = self._candidates(project)
        self.rule = Rule(
            settings.relevance,
            0,
            kernels.table(16.0),
            _hash(str(settings.seed)),
            np.array([_hash(one) for one in methods.ids], dtype=np.uint64),
            file,
        )
        self.chosen = _nothing_chosen(len(methods), self.of.group, file)
        self.used = 0
        # Only methods of candidates need cross similarities.
        self.matters = np.zeros(len(methods), dtype=np.bool_)
        self.matters[self.of.left] = self.matters[self.of.right] = True

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def _candidates(self, project: Ints) -> tuple[NDArray[np.int64], Candidates]:
        order = np.flatnonzero(project[self.left] != project[self.right])
        mu = self.settings.mu
        # The msim at the smallest possible toksim, 0.
        ceiling = mu * self.sim[order].astype(np.float64) + (1 - mu)
        down = np.argsort(-ceiling, kind="stable")
        order, ceiling = order[down], ceiling[down]
        del down
        left, right = self.left[order], self.right[order]
        projects = int(project.max(initial=0)) + 1
        _, group = np.unique(
            project[left].astype(np.int64) * projects + project[right], return_inverse=True
        )
        count = len(order)
        return order, Candidates(
            left,
            right,
            group.astype(np.int32),
            ceiling,
            ceiling.copy(),
            np.full(count, self.toksim is None),
            np.zeros(count, dtype=np.bool_),
            np.zeros(count, dtype=np.float64),
            np.zeros(count, dtype=np.int32),
        )

    def run(self) -> Sample:
        many = min(self.settings.many, len(self.order))
        found, scores = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.float64)
        for choice in range(many):
            found[choice], scores[choice] = self._next(choice)
            if choice + 1 < many:
                self._add(int(found[choice]), choice)
        kept = self.order[found]
        msim, sim = self.of.msim[found], self.sim[kept].astype(np.float64)
        tokens = np.full(many, np.nan)
        if self.toksim is not None and many:
            tokens = self._compare(self.left[kept], self.right[kept])
        return Sample(
            self.kept[kept], sim, tokens, msim, scores / UNIT, len(self.order), self.compared
        )

    def _next(self, choice: int) -> tuple[int, float]:
        """Return the best candidate's index and its score in units of 1 / UNIT."""
        rule = self.rule._replace(choice_count=choice)
        asked = np.empty(self.batch, dtype=np.int32)
        begin, best, place = 0, -np.inf, -1
        while begin >= 0:
            begin, wanted, best, place = kernels.look(
                self.of, self.chosen, rule, begin, best, place, asked
            )
            if wanted:
                self._learn(asked[:wanted])
                best, place = kernels.weigh(self.of, self.chosen, rule, asked[:wanted], best, place)
        return place, best

    def _learn(self, places: Ints) -> None:
        of = self.of
        sim = self.sim[self.order[places]]
        of.msim[places] = self._msim(sim, of.left[places], of.right[places])
        of.known[places] = True

    def _add(self, place: int, choice: int) -> None:
        """Record a choice and link it to all methods that are similar to one of its methods."""
        of, chosen = self.of, self.chosen
        of.taken[place] = True
        left, right = int(of.left[place]), int(of.right[place])
        chosen.project[of.group[place]] += 1
        chosen.first[self.rule.file[left]] += 1
        chosen.second[self.rule.file[right]] += 1
        weight = np.zeros(len(self.matters), dtype=np.float64)
        for method in (left, right):
            weight[method] += 1.0
            span = slice(self.offsets[method], self.offsets[method + 1])
            other, pair = self.other[span], self.pair[span]
            wanted = self.matters[other]
            other, pair = other[wanted], pair[wanted]
            weight[other] += self._msim(self.sim[pair], self.left[pair], self.right[pair])
        near = np.flatnonzero(weight).astype(np.int32)
        self._make_room(self.used + len(near))
        kernels.link(self.chosen, near, weight[near], choice, self.used)
        self.used += len(near)

    def _make_room(self, needed: int) -> None:
        if needed > len(self.chosen.choice):
            more = max(needed, 2 * len(self.chosen.choice)) - len(self.chosen.choice)
            longer_columns = {
                name: np.concatenate([old, np.empty(more, dtype=old.dtype)])
                for name, old in self.chosen._asdict().items()
                if name in ("choice", "weight", "after")
            }
            self.chosen = self.chosen._replace(**longer_columns)

    def _msim(self, sim: NDArray[np.floating], left: Ints, right: Ints) -> Floats:
        relevance = self.settings.mu * sim.astype(np.float64)
        if self.toksim is None or not len(sim):
            return relevance + (1 - self.settings.mu)
        return relevance + (1 - self.settings.mu) * (1 - self._compare(left, right))

    def _compare(self, left: Ints, right: Ints) -> Floats:
        assert self.toksim is not None
        self.compared += len(left)
        if self.pool is None:
            parts = [self.toksim(left, right)]
        else:
            spans = list(_spans(len(left), self.workers))
            parts = list(
                self.pool.map(self.toksim, [left[s] for s in spans], [right[s] for s in spans])
            )
        values = np.concatenate(parts).astype(np.float64)
        if len(values) != len(left) or not ((values >= 0) & (values <= 1)).all():
            raise CodeacumenError("a token similarity is not a number from 0 to 1 for every pair")
        return values


def _spans(many: int, parts: int) -> Iterator[slice]:
    for part in range(parts):
        yield slice(many * part // parts, many * (part + 1) // parts)


def _hash(text: str) -> np.uint64:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _numbered(values: Sequence[object]) -> Ints:
    """Return a number for each value; equal values get equal numbers."""
    places: dict[object, int] = {}
    return np.fromiter(
        (places.setdefault(one, len(places)) for one in values), dtype=np.int32, count=len(values)
    )


def _nothing_chosen(methods: int, group: Ints, file: Ints) -> Chosen:
    groups, files = int(group.max(initial=-1)) + 1, int(file.max(initial=-1)) + 1
    return Chosen(
        np.zeros(groups, dtype=np.int64),
        np.zeros(files, dtype=np.int64),
        np.zeros(files, dtype=np.int64),
        np.full(methods, -1, dtype=np.int32),
        np.empty(1024, dtype=np.int32),
        np.empty(1024, dtype=np.float64),
        np.empty(1024, dtype=np.int32),
    )
