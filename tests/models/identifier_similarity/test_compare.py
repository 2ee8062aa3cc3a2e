"""Test the compiled comparison against a plain Python version that is written from its description
(docs/names.md): it compares one word and one name at a time, as strings instead of numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import Pair
from codeacumen.models.identifier_similarity.lexicon import Lexicon
from codeacumen.models.identifier_similarity.model import IdentifierSimilarity
from codeacumen.models.identifier_similarity.split import Splitter
from lexicons import make_arrays


def edit_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, left_char in enumerate(a, 1):
        next_row = [i]
        for j, right_char in enumerate(b, 1):
            next_row.append(
                min(row[j] + 1, next_row[-1] + 1, row[j - 1] + (left_char != right_char))
            )
        row = next_row
    return row[-1]


def spelling_similarity(a: str, b: str) -> float:
    return 1 - edit_distance(a, b) / max(len(a), len(b)) if a or b else 1.0


def spelling_rule(u: str, v: str, english: set[str]) -> float | None:
    if u == v:
        return 1.0
    short, long = sorted((u, v), key=len)
    if not short:
        return None
    if u[0] in "0123456789" or v[0] in "0123456789":
        return 0.35 if u[0] in "0123456789" and v[0] in "0123456789" else 0.2
    if len(long) == 1:
        return 0.3
    if len(short) == 1:
        return 0.6 if long.startswith(short) else 0.2
    if long in (short + "s", short + "es") or (short[-1] == "y" and long == short[:-1] + "ies"):
        return 0.85
    remaining = iter(long)
    if (
        short not in english
        and len(short) < len(long)
        and short[0] == long[0]
        and all(char in remaining for char in short)
    ):
        return 0.85
    return None


class ReferenceModel:
    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.english = {w for w, e in zip(lexicon.words, lexicon.english, strict=True) if e}
        self.table: dict[frozenset[str], float] = {}
        for u in range(len(lexicon.words)):
            for entry in range(lexicon.row[u], lexicon.row[u + 1]):
                pair = frozenset({lexicon.words[u], lexicon.words[lexicon.second[entry]]})
                self.table[pair] = float(lexicon.value[entry]) / 255

    def get_vector(self, word: str, half: int) -> list[float]:
        lexicon = self.lexicon
        width = lexicon.vectors.shape[1] // 2
        row = lexicon.word_indices.get(word)
        if row is None:
            return [0.0] * width
        numbers = lexicon.vectors[row, half * width : (half + 1) * width].tolist()
        return [number * float(lexicon.scale[row, half]) for number in numbers]

    def word_similarity(self, u: str, v: str) -> float:
        rule_similarity = spelling_rule(u, v, self.english)
        if rule_similarity is not None:
            return rule_similarity
        if u not in self.lexicon.word_indices or v not in self.lexicon.word_indices:
            return self.lexicon.floor * spelling_similarity(u, v)
        if frozenset({u, v}) in self.table:
            return self.table[frozenset({u, v})]
        predicted = float(self.lexicon.fallback[0])
        for half in (0, 1):
            product = sum(
                a * b
                for a, b in zip(self.get_vector(u, half), self.get_vector(v, half), strict=True)
            )
            predicted += float(self.lexicon.fallback[half + 1]) * product
        return min(max(predicted, 0.0), 1.0)

    def word_weight(self, word: str) -> float:
        row = self.lexicon.word_indices.get(word)
        return 1e-3 / (1e-3 + (float(self.lexicon.frequency[row]) if row is not None else 0.0))

    def mean_cosine(self, a: list[str], b: list[str]) -> float:
        if a == b:
            return 1.0
        total = 0.0
        for half in (0, 1):
            left_sum, right_sum = (
                [
                    sum(column)
                    for column in zip(
                        *(
                            [x * self.word_weight(word) for x in self.get_vector(word, half)]
                            for word in words
                        ),
                        strict=True,
                    )
                ]
                for words in (a, b)
            )
            norm_product = math.sqrt(sum(x * x for x in left_sum) * sum(x * x for x in right_sum))
            if norm_product:
                total += sum(x * y for x, y in zip(left_sum, right_sum, strict=True)) / norm_product
        return total / 2

    def compute_similarity(
        self, left: str, right: str, a: list[str], b: list[str], similar: bool
    ) -> float:
        if left == right:
            return 1.0
        left_best = [max(self.word_similarity(u, v) for v in b) for u in a]
        right_best = [max(self.word_similarity(u, v) for u in a) for v in b]
        if similar:
            floor = self.lexicon.floor
            weakest = max((min(left_best + right_best) - floor) / (1 - floor), 0.0)
            return (
                weakest
                + 0.1 * (self.mean_cosine(a, b) + 1)
                + 0.1 * spelling_similarity(left, right)
            ) / 1.3
        weights = [self.word_weight(word) for word in a + b]
        mean = sum(w * s for w, s in zip(weights, left_best + right_best, strict=True)) / sum(
            weights
        )
        return (mean + self.mean_cosine(a, b) + 1 + spelling_similarity(left, right)) / 4


WORDS = ["a", "s", "ab", "abc", "abcs", "by", "bies", "byes", "cab", "cba", "bb", "aabb", "cc"]
ENGLISH = {"cab", "by", "ab"}
UNIT = st.floats(-1, 1).map(lambda x: round(x, 3))


@st.composite
def draw_lexicon(draw: st.DrawFn) -> Lexicon:
    words = draw(st.lists(st.sampled_from(WORDS), unique=True, max_size=10))
    shares = draw(st.lists(st.floats(1e-7, 0.2), min_size=len(words), max_size=len(words)))
    paired = [pair for pair in itertools.combinations(words, 2) if draw(st.booleans())]
    row = st.lists(UNIT, min_size=6, max_size=6)
    return Lexicon(
        make_arrays(
            dict(zip(words, shares, strict=True)),
            ENGLISH,
            {word: draw(row) for word in words},
            {pair: draw(st.floats(0, 1)) for pair in paired},
            (draw(UNIT), draw(UNIT), draw(UNIT)),
            draw(st.floats(0, 0.9)),
        )
    )


NAMES = st.lists(
    st.sampled_from([*WORDS, "1", "23", "zq", "zqab", "é", "λ", "_", "$"]), max_size=5
).map("_".join)


def make_model_of(lexicon: Lexicon) -> IdentifierSimilarity:
    model = IdentifierSimilarity.__new__(IdentifierSimilarity)
    model.shapes, model.weakest, model.answer = True, True, "relation"
    model.__dict__["lexicon"] = lexicon
    return model


@settings(deadline=None)
@given(draw_lexicon(), st.lists(st.tuples(NAMES, NAMES, st.booleans()), min_size=1, max_size=6))
def test_compiled_model_equals_reference(
    lexicon: Lexicon, questions: list[tuple[str, str, bool]]
) -> None:
    reference, splitter = ReferenceModel(lexicon), Splitter(lexicon)
    pairs = [Pair(a, b, "similar" if similar else "related") for a, b, similar in questions]
    expected = [
        reference.compute_similarity(a, b, splitter.split_name(a), splitter.split_name(b), similar)
        for a, b, similar in questions
    ]
    assert make_model_of(lexicon).similarity(pairs) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_similarity_of_single_words_equals_reference(seed: int) -> None:
    """Compare all pairs of many words; the spelling rules decide few of them."""
    rng = np.random.default_rng(seed)
    words = sorted({"".join(rng.choice(list("abcdefgh"), 4)) for _ in range(60)})
    known_words = words[:40]
    arrays = make_arrays(
        {word: float(rng.uniform(1e-6, 1e-2)) for word in known_words},
        known_words,
        {
            word: (rng.normal(size=8) * np.repeat(rng.uniform(0.1, 2, 2), 4)).tolist()
            for word in known_words
        },
        {
            pair: float(rng.uniform())
            for pair in itertools.combinations(known_words, 2)
            if rng.uniform() < 0.3
        },
        (0.3, 0.05, 0.1),
        0.25,
    )
    lexicon = Lexicon(arrays)
    reference = ReferenceModel(lexicon)
    word_pairs = list(itertools.combinations(words, 2))
    for similar, relation in ((True, "similar"), (False, "related")):
        similarities = make_model_of(lexicon).similarity(
            [Pair(a, b, relation) for a, b in word_pairs]
        )
        expected = [reference.compute_similarity(a, b, [a], [b], similar) for a, b in word_pairs]
        assert similarities == pytest.approx(expected, abs=2e-6)
