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
from codeacumen.models.lexer import MASK, classify_token, split_tokens
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.api import Floats

# Number of columns that features are hashed into.
_COLUMNS = 1 << 18
# Number of tokens on either side of a mask that are features, by their offset from it.
_REACH = 6
# Offsets from a mask whose tokens form one feature together, and offsets whose kinds do.
_OFFSET_PAIRS: tuple[tuple[int, ...], ...] = ((-1, 1), (-2, -1), (1, 2), (-2, 1), (-1, 2))
_OFFSET_GROUPS: tuple[tuple[int, ...], ...] = (
    (-2, -1, 1, 2),
    (-3, -2, -1, 1),
    (-1, 1, 2, 3),
    (-3, -2, -1, 1, 2, 3),
)
# Tokens of a text that are read, and the depth of braces from which on depths count as one.
_MAX_TOKENS = 4000
_MAX_DEPTH = 6
# Tokens that ``count_control_structures`` counts.
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
# Keywords that tell the statement of a mask, if they come before its first token.
_STATEMENTS = ("if", "while", "for", "return", "case", "assert")
# Default number of trees of a forest.
_TREES = 300


class LinearClassifier:
    """A linear support vector machine, one label against the rest, on tf-idf of hashed features.

    ``features`` returns the features of a text. With a single label in the training split, that
    label is the answer wherever it is among the choices.
    """

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

        texts, labels = _split_examples(examples)
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
            return [_answer_only_label(self._labels, question) for question in questions]
        scores = self._pipeline.decision_function([question.text for question in questions])
        return [
            _choose_label(self._labels, row, question)
            for row, question in zip(scores, questions, strict=True)
        ]


class StructureForest:
    """A forest of ``trees`` decision trees on counts of control structures."""

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

        texts, labels = _split_examples(examples)
        self._labels = sorted(set(labels))
        if not self._labels:
            return
        self._forest = RandomForestClassifier(self.trees, random_state=self.seed)
        self._forest.fit([count_control_structures(text) for text in texts], labels)

    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        if not self._labels:
            return [None] * len(questions)
        rows = self._forest.predict_proba(
            [count_control_structures(question.text) for question in questions]
        )
        return [
            _choose_label(self._labels, row, question)
            for row, question in zip(rows, questions, strict=True)
        ]


def _split_examples(examples: Sequence[Example]) -> tuple[list[str], list[str]]:
    """Return the texts of the questions, and their labels."""
    labelled = [
        (example.input.text, example.truth)
        for example in examples
        if isinstance(example.input, Question)
    ]
    return [text for text, _ in labelled], [label for _, label in labelled]


def _answer_only_label(labels: Sequence[str], question: Question) -> str | None:
    """Return the only label of the training data, if it is among the choices."""
    return labels[0] if labels and labels[0] in question.choices else None


def _choose_label(labels: Sequence[str], scores: Floats, question: Question) -> str | None:
    """Return the choice with the highest score; None if no choice is a label of the training data.

    With two labels scikit-learn returns one score, that of the second label.
    """
    score_list = (-float(scores), float(scores)) if scores.ndim == 0 else scores.tolist()
    offered_scores = {
        label: score
        for label, score in zip(labels, score_list, strict=True)
        if label in question.choices
    }
    return max(offered_scores, key=lambda label: offered_scores[label]) if offered_scores else None


# --------------------------------------------------------------------------------------
# Features of a text.
# --------------------------------------------------------------------------------------


def extract_tokens(text: str) -> list[str]:
    """Return the tokens of a text, up to a maximum number."""
    return split_tokens(text)[:_MAX_TOKENS]


def extract_ngrams(text: str, longest: int) -> list[str]:
    """Return the n-grams of a text's tokens for n up to ``longest``, and features of its masks."""
    method_tokens = split_tokens(text)[:_MAX_TOKENS]
    features = [
        " ".join(method_tokens[index : index + size])
        for size in range(1, longest + 1)
        for index in range(len(method_tokens) - size + 1)
    ]
    for index, token in enumerate(method_tokens):
        if token == MASK:
            features += _extract_mask_features(method_tokens, index)
    return features


def _extract_mask_features(method_tokens: Sequence[str], mask: int) -> Iterator[str]:
    """Yield features of the tokens around a mask and of their kinds, by offset from the mask."""
    sides = {
        offset: method_tokens[mask + offset] if 0 <= mask + offset < len(method_tokens) else ""
        for offset in range(-_REACH, _REACH + 1)
        if offset
    }
    kinds = {offset: classify_token(token) if token else "" for offset, token in sides.items()}
    for offset, token in sides.items():
        yield f"@{offset} {token}"
        yield f"@{offset} kind {kinds[offset]}"
    for offsets in _OFFSET_PAIRS:
        yield f"@{offsets} {' '.join(sides[offset] for offset in offsets)}"
    for offsets in _OFFSET_GROUPS:
        yield f"@{offsets} kinds {' '.join(kinds[offset] for offset in offsets)}"
    yield f"@statement {_find_statement(method_tokens, mask)}"


def _find_statement(method_tokens: Sequence[str], mask: int) -> str:
    """Return the keyword of a mask's statement, or the kind of the statement's first token.

    Return an empty string if the text begins with the statement and it has no such keyword.
    """
    for index in range(mask - 1, -1, -1):
        if method_tokens[index] in (";", "{", "}"):
            return classify_token(method_tokens[index + 1])
        if method_tokens[index] in _STATEMENTS:
            return method_tokens[index]
    return ""


def count_control_structures(text: str) -> list[int]:
    """Return the number of tokens, the maximum depth of braces, and for each token of ``_CONTROL``
    its number in total and at each depth."""
    counts: Counter[tuple[str, int]] = Counter()
    depth, max_depth, token_count = 0, 0, 0
    for token in split_tokens(text)[:_MAX_TOKENS]:
        token_count += 1
        if token == "{":
            depth += 1
            max_depth = max(max_depth, depth)
        elif token == "}":
            depth -= 1
        elif token in _CONTROL:
            counts[token, max(0, min(depth, _MAX_DEPTH))] += 1
    row = [token_count, max_depth]
    for token in _CONTROL:
        # The token's counts at each depth of braces.
        levels = [counts[token, level] for level in range(_MAX_DEPTH + 1)]
        row += [sum(levels), *levels]
    return row


# --------------------------------------------------------------------------------------
# Models.
# --------------------------------------------------------------------------------------


@model("bag-of-tokens")
def make_bag_of_tokens(seed: int = 0) -> LinearClassifier:
    """A linear classifier on the tokens of a method, learned from the training split"""
    return LinearClassifier(extract_tokens, seed)


@model("ngrams")
def make_ngrams(longest: int = 3, seed: int = 0) -> LinearClassifier:
    """A linear classifier on n-grams of tokens and on what is around a mask"""
    if not isinstance(longest, int) or not 1 <= longest <= 8:
        raise CodeacumenError(
            f"ngrams cannot have longest={longest!r}", "choose a whole number from 1 to 8"
        )
    return LinearClassifier(lambda text: extract_ngrams(text, longest), seed)


@model("structure")
def make_structure(trees: int = _TREES, seed: int = 0) -> StructureForest:
    """Decision trees on counts of control structures, for complexity"""
    if not isinstance(trees, int) or not 1 <= trees <= 10_000:
        raise CodeacumenError(
            f"structure cannot have trees={trees!r}", "choose a whole number from 1 to 10000"
        )
    return StructureForest(trees, seed)
