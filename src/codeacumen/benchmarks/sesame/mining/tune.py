"""Search for the vector space whose cosines best match human labels, with a particle swarm.

``codeacumen similar tune`` calls ``tune_space``. The objective is that of SeSaMe's authors, over
pairs of comments that people label as similar or not. A similar pair is found if its cosine is
above 0.8, and missed otherwise; a dissimilar pair is wrong unless its cosine is below 0.2. The
swarm maximises precision, found / (found + wrong), 0 where both are 0. Among spaces of equal
precision, the one with the greater recall, found / (found + missed), wins.

The swarm has 20 particles; each moves towards its own best position and the best of all, with Clerc
and Kennedy's constriction as in Bratton and Kennedy (SIS 2007): v ← 0.729 · (v + 2.05 r₁ · (own
best − x) + 2.05 r₂ · (best of all − x)), with r₁ and r₂ random. Each coordinate of x chooses from a
list of settings. The search ends after 25 rounds without an improvement. SeSaMe's swarm was a ring,
in which a particle sees its two neighbours only; in pymoo's, which we use, it sees all. Settings
that make the same space are evaluated once.
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

# Bounds of the cosine, constants of the swarm, and rounds without improvement; see above.
SIMILAR, DISSIMILAR = 0.8, 0.2
INERTIA, PULL = 0.729, 2.05
PARTICLES, STAGNANT = 20, 25

# The two headers of a file of labels: with texts, or with methods' ids.
_TEXTS, _IDS = ("left", "right", "similar"), ("left_id", "right_id", "similar")


@dataclass(frozen=True, slots=True)
class Label:
    """Two texts, and whether people labelled them as similar."""

    left: str
    right: str
    similar: bool


@dataclass(frozen=True, slots=True)
class SearchChoices:
    """Settings to search, as ``mining/spaces.py`` defines them; some matter only for some kinds.

    ``kinds`` may have ``ppmi``, ``tfidf``, ``bm25``, ``counts``, ``word2vec`` and ``doc2vec``. Size
    0 means no reduction (100 dimensions for ``word2vec`` and ``doc2vec``), other sizes are
    dimensions: LSI then reduces the n-grams that the kind weighs. ``alphas`` smooth ``ppmi``,
    ``variances`` drop n-grams that vary little over the texts. ``seed`` is that of LSI.
    """

    kinds: tuple[str, ...] = ("ppmi", "tfidf", "bm25")
    alphas: tuple[float, ...] = (0.75, 1.0)
    sizes: tuple[int, ...] = (0, 50, 100, 200, 300, 500)
    ngrams: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3))
    lower: tuple[bool, ...] = (False, True)
    max_df: tuple[float, ...] = (0.7, 0.8, 0.9, 1.0)
    variances: tuple[float, ...] = (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
    seed: int = 0

    def list_options(self) -> tuple[tuple[Any, ...], ...]:
        """Return the options of each coordinate of a position."""
        return (
            self.kinds,
            self.alphas,
            self.sizes,
            self.ngrams,
            self.lower,
            self.max_df,
            self.variances,
        )

    def make_space(self, position: Sequence[float]) -> Space:
        """Return the space at a position, a point of the unit cube."""
        # The last option also covers a coordinate of exactly 1.
        kind, alpha, size, ngrams, lower, max_df, variance = (
            options[min(int(coordinate * len(options)), len(options) - 1)]
            for coordinate, options in zip(position, self.list_options(), strict=True)
        )
        if kind in ("word2vec", "doc2vec"):
            return Space.parse(f"{kind}:size={size or 100},lower={str(lower).lower()}")
        # Settings that do not matter get their defaults, so that equal spaces have equal texts.
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
    """A space in its text form, and its numbers of found (``correct``), wrong and missed pairs."""

    space: str
    correct: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.correct / (self.correct + self.wrong) if self.correct else 0.0

    @property
    def recall(self) -> float:
        return self.correct / (self.correct + self.missed) if self.correct else 0.0


@dataclass(frozen=True, slots=True)
class Tuned:
    """Result of a search.

    ``best`` is the best of all ``trials``, which are in the order of evaluation; ``history`` has
    the best after each round; ``visited`` is the number of positions that the particles visited.
    """

    best: Trial
    trials: tuple[Trial, ...]
    history: tuple[Trial, ...] = field(repr=False)
    visited: int

    def to_json(self) -> dict[str, Any]:
        """Return the result for a JSON file."""

        def format_trial(trial: Trial) -> dict[str, Any]:
            return {
                "space": trial.space,
                "precision": trial.precision,
                "recall": trial.recall,
                "correct": trial.correct,
                "wrong": trial.wrong,
                "missed": trial.missed,
            }

        return {
            **format_trial(self.best),
            "evaluations": len(self.trials),
            "visited": self.visited,
            "history": [format_trial(trial) for trial in self.history],
            "trials": [format_trial(trial) for trial in self.trials],
        }


def read_labels(path: Path, texts: Mapping[str, str] | None = None) -> list[Label]:
    """Return the labelled pairs of a CSV file.

    Its columns are ``similar``, 0 or 1, and either ``left`` and ``right`` with the texts, or
    ``left_id`` and ``right_id`` with keys of ``texts`` (methods' ids).
    """
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            names = tuple(reader.fieldnames or ())
            columns = next(
                (candidate for candidate in (_TEXTS, _IDS) if set(candidate) <= set(names)), None
            )
            if columns is None:
                raise CodeacumenError(
                    f"{path}: its columns are {', '.join(names) or 'none'}",
                    f"it needs the columns {', '.join(_TEXTS)}, or {', '.join(_IDS)}",
                )
            return [
                _parse_label(row, columns, texts or {}, f"{path}, line {reader.line_num}")
                for row in reader
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CodeacumenError(f"{path} cannot be read: {error}") from error


def _parse_label(
    row: Mapping[str, Any], columns: Sequence[str], texts: Mapping[str, str], where: str
) -> Label:
    left, right, similar = (row[name] for name in columns)
    if similar is None or similar.strip() not in ("0", "1"):
        raise CodeacumenError(f"{where}: similar is {similar!r}", "use 0 or 1")
    if columns == _IDS:
        for text_id in (left, right):
            if text_id not in texts:
                raise CodeacumenError(
                    f"{where}: no method has the id {text_id!r}", "use the ids of methods.parquet"
                )
        left, right = texts[left], texts[right]
    return Label(left, right, similar.strip() == "1")


def try_space(space: Space, labels: Sequence[Label], texts: Sequence[str]) -> Trial:
    """Fit a space to ``texts`` and the labelled texts, and return its quality.

    The labelled texts take part because a fitted space ignores n-grams that it was not fitted to.
    """
    corpus_texts = set(texts)
    label_texts = dict.fromkeys(
        text for label in labels for text in (label.left, label.right) if text not in corpus_texts
    )
    fitted = space.fit([*texts, *label_texts])
    left, right = (
        fitted.embed_texts([getattr(label, side) for label in labels]) for side in ("left", "right")
    )
    if isinstance(left, np.ndarray):
        cosine = np.einsum("ij,ij->i", left, right, dtype=np.float64)
    else:
        cosine = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    similar = np.array([label.similar for label in labels])
    found_count = int(np.count_nonzero(similar & (cosine > SIMILAR)))
    wrong_count = int(np.count_nonzero(~similar & ~(cosine < DISSIMILAR)))
    return Trial(str(space), found_count, wrong_count, int(np.count_nonzero(similar)) - found_count)


def tune_space(
    labels: Sequence[Label],
    texts: Sequence[str] = (),
    choices: SearchChoices | None = None,
    *,
    seed: int = 0,
    particles: int = PARTICLES,
    stagnant: int = STAGNANT,
    rounds: int = 1000,
    step: Progress = ignore_progress,
) -> Tuned:
    """Return the best space that the swarm finds, and the history of the search.

    Spaces are fitted to ``texts``, the comments of the corpus, and to the labelled texts. The
    search ends after ``stagnant`` rounds without an improvement, or ``rounds`` in all. ``seed`` is
    that of the swarm; the same seed repeats the search.
    """
    if len({label.similar for label in labels}) < 2:
        raise CodeacumenError(
            "all labels are equal", "label some pairs as similar and some as not similar"
        )
    choices = choices or SearchChoices()
    swarm = _Swarm(len(choices.list_options()), particles, seed)
    trials: dict[str, Trial] = {}
    history: list[Trial] = []
    visited = unchanged = 0

    def compute_worth(trial: Trial) -> float:
        # Unequal precisions differ by more than 1 / n², so recall only breaks ties.
        return trial.precision + trial.recall / (len(labels) + 1) ** 2

    while unchanged < stagnant and len(history) < rounds:
        spaces = [choices.make_space(position) for position in swarm.ask().tolist()]
        for space in spaces:
            if str(space) not in trials:
                step(str(space), len(trials), 0)
                trials[str(space)] = try_space(space, labels, texts)
        visited += len(spaces)
        swarm.tell(np.array([compute_worth(trials[str(space)]) for space in spaces]))
        # Of equally good trials, max returns the first.
        best = max(trials.values(), key=compute_worth)
        unchanged = unchanged + 1 if history and best == history[-1] else 0
        history.append(best)
        if best.precision == best.recall == 1.0:
            break
    return Tuned(history[-1], tuple(trials.values()), tuple(history), visited)


class _Swarm:
    """pymoo's particle swarm over the unit cube, with an ask-and-tell interface."""

    def __init__(self, dimensions: int, particles: int, seed: int) -> None:
        self._problem = _import_pymoo("core.problem").Problem(
            n_var=dimensions, n_obj=1, xl=0.0, xu=1.0
        )
        self._swarm = _import_pymoo("algorithms.soo.nonconvex.pso").PSO(
            pop_size=particles,
            w=INERTIA,
            c1=INERTIA * PULL,
            c2=INERTIA * PULL,
            adaptive=False,
            pertube_best=False,
            max_velocity_rate=1.0,
        )
        endless = _import_pymoo("core.termination").NoTermination()
        self._swarm.setup(self._problem, termination=endless, seed=seed, verbose=False)
        self._points: Any = None

    def ask(self) -> NDArray[np.float64]:
        """Return the next positions, particles by dimensions."""
        self._points = self._swarm.ask()
        return np.asarray(self._points.get("X"))

    def tell(self, worth: NDArray[np.float64]) -> None:
        """Move the particles by the worth of the last positions; greater is better."""
        # pymoo minimises.
        evaluated_problem = _import_pymoo("problems.static").StaticProblem(
            self._problem, F=-worth[:, None]
        )
        _import_pymoo("core.evaluator").Evaluator().eval(evaluated_problem, self._points)
        self._swarm.tell(infills=self._points)


def _import_pymoo(module: str) -> Any:
    try:
        return import_module(f"pymoo.{module}")
    except ImportError as error:
        raise CodeacumenError(
            "the search for a vector space needs pymoo, which is not installed",
            "pip install 'codeacumen[tune]'",
        ) from error
