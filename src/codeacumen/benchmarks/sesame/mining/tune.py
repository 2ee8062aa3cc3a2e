"""Which vector space tells similar comments from others: a particle swarm looks for it.

As SeSaMe's authors did: pairs of comments that people have called similar or not; a space is good
if it is right about what it calls similar. A pair that people call similar is found if its cosine
is above 0.8, and missed if not; a pair that they do not is wrong unless its cosine is below 0.2.
Precision is found / (found + wrong), 0 where neither is any, and that alone is optimised. Among
spaces of one precision the one with the greater recall is better, found / (found + missed).

The swarm: 20 particles, each drawn to where it was best itself and to where all were best, with
Clerc and Kennedy's constriction as in Bratton and Kennedy (SIS 2007): v ← 0.729 · (v + 2.05 r · …
+ 2.05 r · …). A coordinate chooses one of a list of settings. It ends when nothing has become
better for 25 rounds. SeSaMe's swarm was a ring, in which a particle knows its two neighbours only;
pymoo's, which is used here, is not. Settings that make the same space are worked out once.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.core.progress import Progress, ignore_progress

SIMILAR, DISSIMILAR = 0.8, 0.2
INERTIA, PULL = 0.729, 2.05
PARTICLES, STAGNANT = 20, 25

_TEXTS, _IDS = ("left", "right", "similar"), ("left_id", "right_id", "similar")


@dataclass(frozen=True, slots=True)
class Label:
    """Two texts and whether people call them similar."""

    left: str
    right: str
    similar: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """What a space may be. Not all settings matter for all spaces; ``kinds`` are ``ppmi``,
    ``tfidf``, ``bm25``, ``counts`` and, with ``sizes``, ``word2vec`` and ``doc2vec``; size 0 is no
    reduction, others are dimensions of LSI."""

    kinds: tuple[str, ...] = ("ppmi", "tfidf", "bm25")
    alphas: tuple[float, ...] = (0.75, 1.0)
    sizes: tuple[int, ...] = (0, 50, 100, 200, 300, 500)
    ngrams: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3))
    lower: tuple[bool, ...] = (False, True)
    max_df: tuple[float, ...] = (0.7, 0.8, 0.9, 1.0)
    variances: tuple[float, ...] = (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
    seed: int = 0

    def lists(self) -> tuple[tuple[Any, ...], ...]:
        return (
            self.kinds,
            self.alphas,
            self.sizes,
            self.ngrams,
            self.lower,
            self.max_df,
            self.variances,
        )

    def space(self, position: Sequence[float]) -> Space:
        """The space at a point of the unit cube."""
        kind, alpha, size, ngrams, lower, max_df, variance = (
            of[min(int(x * len(of)), len(of) - 1)]
            for x, of in zip(position, self.lists(), strict=True)
        )
        if kind in ("word2vec", "doc2vec"):
            return Space.parse(f"{kind}:size={size or 100},lower={str(lower).lower()}")
        weights = kind if size else "tfidf"
        return Space(
            kind="lsi" if size else kind,
            ngrams=ngrams,
            lower=lower,
            max_df=max_df,
            variance=variance,
            alpha=alpha if kind == "ppmi" else 0.75,
            weights=weights,
            size=size or 100,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """How good a space was. ``found``, ``wrong`` and ``missed``: numbers of pairs."""

    space: str
    found: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong) if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found else 0.0


@dataclass(frozen=True, slots=True)
class Tuned:
    """``best`` of all ``trials``, which stand in the order in which they were made; ``history`` is
    the best after each round, ``asked`` how often particles asked for a space."""

    best: Trial
    trials: tuple[Trial, ...]
    history: tuple[Trial, ...] = field(repr=False)
    asked: int

    def record(self) -> dict[str, Any]:
        """For a JSON file."""

        def row(trial: Trial) -> dict[str, Any]:
            return {
                "space": trial.space,
                "precision": trial.precision,
                "recall": trial.recall,
                "found": trial.found,
                "wrong": trial.wrong,
                "missed": trial.missed,
            }

        return {
            **row(self.best),
            "evaluations": len(self.trials),
            "asked": self.asked,
            "history": [row(trial) for trial in self.history],
            "trials": [row(trial) for trial in self.trials],
        }


def read_labels(path: Path, texts: Mapping[str, str] | None = None) -> list[Label]:
    """Labelled pairs of a CSV file: columns ``left``, ``right`` with the texts themselves, or
    ``left_id``, ``right_id`` with keys of ``texts`` (methods' ids), and ``similar``, 0 or 1."""
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            names = tuple(reader.fieldnames or ())
            columns = next((want for want in (_TEXTS, _IDS) if set(want) <= set(names)), None)
            if columns is None:
                raise CodeacumenError(
                    f"{path}: its columns are {', '.join(names) or 'none'}",
                    f"needed are {', '.join(_TEXTS)}, or {', '.join(_IDS)}",
                )
            return [
                _label(row, columns, texts or {}, f"{path}, line {reader.line_num}")
                for row in reader
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CodeacumenError(f"{path} cannot be read: {error}") from error


def _label(
    row: Mapping[str, Any], columns: Sequence[str], texts: Mapping[str, str], where: str
) -> Label:
    left, right, similar = (row[name] for name in columns)
    if similar is None or similar.strip() not in ("0", "1"):
        raise CodeacumenError(f"{where}: similar is {similar!r}", "it is 0 or 1")
    if columns == _IDS:
        for one in (left, right):
            if one not in texts:
                raise CodeacumenError(
                    f"{where}: no method has the id {one!r}", "ids are those of methods.parquet"
                )
        left, right = texts[left], texts[right]
    return Label(left, right, similar.strip() == "1")


def try_space(space: Space, labels: Sequence[Label], texts: Sequence[str]) -> Trial:
    """How good a space is that is fitted to ``texts`` and those of the labels which are not among
    them: n-grams of a text that a space was not fitted to count for nothing."""
    known = set(texts)
    more = dict.fromkeys(
        text for label in labels for text in (label.left, label.right) if text not in known
    )
    fitted = space.fit([*texts, *more])
    left, right = (
        fitted.of([getattr(label, side) for label in labels]) for side in ("left", "right")
    )
    if isinstance(left, np.ndarray):
        cosine = np.einsum("ij,ij->i", left, right, dtype=np.float64)
    else:
        cosine = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    similar = np.array([label.similar for label in labels])
    found = int(np.count_nonzero(similar & (cosine > SIMILAR)))
    wrong = int(np.count_nonzero(~similar & ~(cosine < DISSIMILAR)))
    return Trial(str(space), found, wrong, int(np.count_nonzero(similar)) - found)


def tune(
    labels: Sequence[Label],
    texts: Sequence[str] = (),
    choices: Choices | None = None,
    *,
    seed: int = 0,
    particles: int = PARTICLES,
    stagnant: int = STAGNANT,
    rounds: int = 1000,
    step: Progress = ignore_progress,
) -> Tuned:
    """The best space that the swarm has found. ``texts``: the corpus; ``rounds``: the most there
    may be. The same seed gives the same search."""
    if len({label.similar for label in labels}) < 2:
        raise CodeacumenError("all labels are alike", "some pairs must be similar, and some not")
    choices = choices or Choices()
    swarm = _Swarm(len(choices.lists()), particles, seed)
    trials: dict[str, Trial] = {}
    history: list[Trial] = []
    asked = unchanged = 0

    def worth(trial: Trial) -> float:
        # Two precisions differ by more than 1 / n², so recall decides between equal ones alone.
        return trial.precision + trial.recall / (len(labels) + 1) ** 2

    while unchanged < stagnant and len(history) < rounds:
        spaces = [choices.space(position) for position in swarm.ask().tolist()]
        for space in spaces:
            if str(space) not in trials:
                step(str(space), len(trials), 0)
                trials[str(space)] = try_space(space, labels, texts)
        asked += len(spaces)
        swarm.tell(np.array([worth(trials[str(space)]) for space in spaces]))
        # The first among equals.
        best = max(trials.values(), key=worth)
        unchanged = unchanged + 1 if history and best == history[-1] else 0
        history.append(best)
        if best.precision == best.recall == 1.0:
            break
    return Tuned(history[-1], tuple(trials.values()), tuple(history), asked)


class _Swarm:
    """pymoo's particle swarm over the unit cube, which is told how good its points are."""

    def __init__(self, dimensions: int, particles: int, seed: int) -> None:
        self._problem = _pymoo("core.problem").Problem(n_var=dimensions, n_obj=1, xl=0.0, xu=1.0)
        self._swarm = _pymoo("algorithms.soo.nonconvex.pso").PSO(
            pop_size=particles,
            w=INERTIA,
            c1=INERTIA * PULL,
            c2=INERTIA * PULL,
            adaptive=False,
            pertube_best=False,
            max_velocity_rate=1.0,
        )
        endless = _pymoo("core.termination").NoTermination()
        self._swarm.setup(self._problem, termination=endless, seed=seed, verbose=False)
        self._points: Any = None

    def ask(self) -> NDArray[np.float64]:
        self._points = self._swarm.ask()
        return np.asarray(self._points.get("X"))

    def tell(self, worth: NDArray[np.float64]) -> None:
        # It looks for the least.
        known = _pymoo("problems.static").StaticProblem(self._problem, F=-worth[:, None])
        _pymoo("core.evaluator").Evaluator().eval(known, self._points)
        self._swarm.tell(infills=self._points)


def _pymoo(module: str) -> Any:
    try:
        return import_module(f"pymoo.{module}")
    except ImportError as error:
        raise CodeacumenError(
            "looking for a vector space needs pymoo, which is not installed",
            "pip install 'codeacumen[tune]'",
        ) from error
