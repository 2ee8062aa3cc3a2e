"""Classifiers on token counts, trained on the training split.

``bag-of-tokens`` counts the tokens of a method. ``ngrams`` adds n-grams of tokens, and the tokens
around a mask by their offset from it. ``structure`` uses no words, only the number of each control
structure at each depth, which determines the complexity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError, Example, Question, Supervision
from codeacumen.models.lexer import MASK, kind, tokens
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.api import Floats

# Number of columns that features are hashed into.
_COLUMNS = 1 << 18
# Number of tokens on either side of a mask that are features, by their offset from it.
_REACH = 6
_PAIRS: tuple[tuple[int, ...], ...] = ((-1, 1), (-2, -1), (1, 2), (-2, 1), (-1, 2))
_GROUPS: tuple[tuple[int, ...], ...] = (
    (-2, -1, 1, 2),
    (-3, -2, -1, 1),
    (-1, 1, 2, 3),
    (-3, -2, -1, 1, 2, 3),
)
_MOST_TOKENS = 4000
_DEEPEST = 6
_CONTROL = (
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "try",
    "catch",
    "finally",
    "return",
    "throw",
    "break",
    "continue",
    "&&",
    "||",
    "?",
    "->",
)
_STATEMENTS = ("if", "while", "for", "return", "case", "assert")
_TREES = 300


class Linear:
    """A linear support vector machine, one label against the rest, on tf-idf of hashed features."""

    batch_size = 512
    supervision: Supervision = "train"

    def __init__(self, features: Callable[[str], list[str]], seed: int) -> None:
        self.features = features
        self.seed = seed
        self._pipeline: Any = None
        self._labels: list[str] = []

    def fit(self, examples: Sequence[Example]) -> None:
        import warnings

        from sklearn.exceptions import ConvergenceWarning
        from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        texts, labels = _shown(examples)
        self._labels = sorted(set(labels))
        if len(self._labels) < 2:
            return
        self._pipeline = make_pipeline(
            HashingVectorizer(
                analyzer=self.features, n_features=_COLUMNS, alternate_sign=False, norm=None
            ),
            TfidfTransformer(sublinear_tf=True),
            LinearSVC(C=0.3, random_state=self.seed),
        )
        with warnings.catch_warnings():
            # A classifier that has not quite converged is still deterministic.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._pipeline.fit(texts, labels)

    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        if len(self._labels) < 2:
            return [_only(self._labels, question) for question in questions]
        scores = self._pipeline.decision_function([question.text for question in questions])
        return [
            _best(self._labels, row, question)
            for row, question in zip(scores, questions, strict=True)
        ]


class Structure:
    """A forest of decision trees on counts of control structures."""

    batch_size = 512
    supervision: Supervision = "train"
    only = ("gluecode/npath",)

    def __init__(self, trees: int, seed: int) -> None:
        self.trees = trees
        self.seed = seed
        self._forest: Any = None
        self._labels: list[str] = []

    def fit(self, examples: Sequence[Example]) -> None:
        from sklearn.ensemble import RandomForestClassifier

        texts, labels = _shown(examples)
        self._labels = sorted(set(labels))
        if not self._labels:
            return
        self._forest = RandomForestClassifier(self.trees, random_state=self.seed)
        self._forest.fit([structure(text) for text in texts], labels)

    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        if not self._labels:
            return [None] * len(questions)
        rows = self._forest.predict_proba([structure(question.text) for question in questions])
        return [
            _best(self._labels, row, question)
            for row, question in zip(rows, questions, strict=True)
        ]


def _shown(examples: Sequence[Example]) -> tuple[list[str], list[str]]:
    """Return the texts of the questions, and their labels."""
    labelled = [
        (example.input.text, example.truth)
        for example in examples
        if isinstance(example.input, Question)
    ]
    return [text for text, _ in labelled], [label for _, label in labelled]


def _only(labels: Sequence[str], question: Question) -> str | None:
    """Return the only label of the training data, if it is among the choices."""
    return labels[0] if labels and labels[0] in question.choices else None


def _best(labels: Sequence[str], scores: Floats, question: Question) -> str | None:
    """Return the choice with the highest score.

    With two labels scikit-learn returns one score, that of the second label.
    """
    score_list = (-float(scores), float(scores)) if scores.ndim == 0 else scores.tolist()
    known = {
        label: score
        for label, score in zip(labels, score_list, strict=True)
        if label in question.choices
    }
    return max(known, key=lambda label: known[label]) if known else None


# --------------------------------------------------------------------------------------
# Features of a text.
# --------------------------------------------------------------------------------------


def bag(text: str) -> list[str]:
    """Return the tokens of a text, up to a maximum number."""
    return tokens(text)[:_MOST_TOKENS]


def ngrams(text: str, longest: int) -> list[str]:
    """Return the n-grams of a text's tokens for n up to ``longest``, and features of its masks."""
    found = tokens(text)[:_MOST_TOKENS]
    features = [
        " ".join(found[at : at + n])
        for n in range(1, longest + 1)
        for at in range(len(found) - n + 1)
    ]
    for at, token in enumerate(found):
        if token == MASK:
            features += _around(found, at)
    return features


def _around(found: Sequence[str], mask: int) -> Iterator[str]:
    """Yield features of the tokens around a mask and of their kinds, by offset from the mask."""
    sides = {
        distance: found[mask + distance] if 0 <= mask + distance < len(found) else ""
        for distance in range(-_REACH, _REACH + 1)
        if distance
    }
    kinds = {distance: kind(token) if token else "" for distance, token in sides.items()}
    for distance, token in sides.items():
        yield f"@{distance} {token}"
        yield f"@{distance} kind {kinds[distance]}"
    for near in _PAIRS:
        yield f"@{near} {' '.join(sides[one] for one in near)}"
    for near in _GROUPS:
        yield f"@{near} kinds {' '.join(kinds[one] for one in near)}"
    yield f"@statement {_statement(found, mask)}"


def _statement(found: Sequence[str], mask: int) -> str:
    """Return the keyword that begins the statement of the mask, or the kind of its first token."""
    for at in range(mask - 1, -1, -1):
        if found[at] in (";", "{", "}"):
            return kind(found[at + 1])
        if found[at] in _STATEMENTS:
            return found[at]
    return ""


def structure(text: str) -> list[int]:
    """Count tokens, the maximum depth, and each control structure in total and by depth."""
    counts: Counter[tuple[str, int]] = Counter()
    depth, deepest, size = 0, 0, 0
    for token in tokens(text)[:_MOST_TOKENS]:
        size += 1
        if token == "{":
            depth += 1
            deepest = max(deepest, depth)
        elif token == "}":
            depth -= 1
        elif token in _CONTROL:
            counts[token, max(0, min(depth, _DEEPEST))] += 1
    row = [size, deepest]
    for token in _CONTROL:
        levels = [counts[token, level] for level in range(_DEEPEST + 1)]
        row += [sum(levels), *levels]
    return row


# --------------------------------------------------------------------------------------
# Models.
# --------------------------------------------------------------------------------------


@model("bag-of-tokens")
def make_bag_of_tokens(seed: int = 0) -> Linear:
    """A linear classifier on the tokens of a method, learned from the training split"""
    return Linear(bag, seed)


@model("ngrams")
def make_ngrams(longest: int = 3, seed: int = 0) -> Linear:
    """A linear classifier on n-grams of tokens and on what is around a mask"""
    if not isinstance(longest, int) or not 1 <= longest <= 8:
        raise CodeacumenError(
            f"ngrams cannot have longest={longest!r}", "choose a whole number from 1 to 8"
        )
    return Linear(lambda text: ngrams(text, longest), seed)


@model("structure")
def make_structure(trees: int = _TREES, seed: int = 0) -> Structure:
    """Decision trees on counts of control structures, for complexity"""
    if not isinstance(trees, int) or not 1 <= trees <= 10_000:
        raise CodeacumenError(
            f"structure cannot have trees={trees!r}", "choose a whole number from 1 to 10000"
        )
    return Structure(trees, seed)
