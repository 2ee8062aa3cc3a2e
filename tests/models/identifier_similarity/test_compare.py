"""The compiled comparison against the same one in plain Python, written from its description
(docs/names.md): words and names one at a time, strings instead of numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import Pair
from codeacumen.models.identifier_similarity.lexicon import Lexicon, arrays_of
from codeacumen.models.identifier_similarity.model import Names
from codeacumen.models.identifier_similarity.split import Splitter


def distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]


def spelling(a: str, b: str) -> float:
    return 1 - distance(a, b) / max(len(a), len(b)) if a or b else 1.0


def looks(u: str, v: str, english: set[str]) -> float | None:
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
    rest = iter(long)
    if (
        short not in english
        and len(short) < len(long)
        and short[0] == long[0]
        and all(char in rest for char in short)
    ):
        return 0.85
    return None


class Slowly:
    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.english = {w for w, e in zip(lexicon.words, lexicon.english, strict=True) if e}
        self.table: dict[frozenset[str], float] = {}
        for u in range(len(lexicon.words)):
            for at in range(lexicon.row[u], lexicon.row[u + 1]):
                pair = frozenset({lexicon.words[u], lexicon.words[lexicon.second[at]]})
                self.table[pair] = float(lexicon.value[at]) / 255

    def vector(self, word: str, half: int) -> list[float]:
        lexicon = self.lexicon
        width = lexicon.vectors.shape[1] // 2
        place = lexicon.place.get(word)
        if place is None:
            return [0.0] * width
        numbers = lexicon.vectors[place, half * width : (half + 1) * width].tolist()
        return [number * float(lexicon.scale[place, half]) for number in numbers]

    def close(self, u: str, v: str) -> float:
        seen = looks(u, v, self.english)
        if seen is not None:
            return seen
        if u not in self.lexicon.place or v not in self.lexicon.place:
            return self.lexicon.floor * spelling(u, v)
        if frozenset({u, v}) in self.table:
            return self.table[frozenset({u, v})]
        likely = float(self.lexicon.fallback[0])
        for half in (0, 1):
            product = sum(
                a * b for a, b in zip(self.vector(u, half), self.vector(v, half), strict=True)
            )
            likely += float(self.lexicon.fallback[half + 1]) * product
        return min(max(likely, 0.0), 1.0)

    def weight(self, word: str) -> float:
        place = self.lexicon.place.get(word)
        return 1e-3 / (1e-3 + (float(self.lexicon.frequency[place]) if place is not None else 0.0))

    def cosine(self, a: list[str], b: list[str]) -> float:
        if a == b:
            return 1.0
        total = 0.0
        for half in (0, 1):
            one, two = (
                [
                    sum(column)
                    for column in zip(
                        *(
                            [x * self.weight(word) for x in self.vector(word, half)]
                            for word in words
                        ),
                        strict=True,
                    )
                ]
                for words in (a, b)
            )
            sizes = math.sqrt(sum(x * x for x in one) * sum(x * x for x in two))
            if sizes:
                total += sum(x * y for x, y in zip(one, two, strict=True)) / sizes
        return total / 2

    def answer(self, left: str, right: str, a: list[str], b: list[str], similar: bool) -> float:
        if left == right:
            return 1.0
        best = [max(self.close(u, v) for v in b) for u in a]
        tseb = [max(self.close(u, v) for u in a) for v in b]
        if similar:
            floor = self.lexicon.floor
            weakest = max((min(best + tseb) - floor) / (1 - floor), 0.0)
            return (weakest + 0.1 * (self.cosine(a, b) + 1) + 0.1 * spelling(left, right)) / 1.3
        weights = [self.weight(word) for word in a + b]
        mean = sum(w * s for w, s in zip(weights, best + tseb, strict=True)) / sum(weights)
        return (mean + self.cosine(a, b) + 1 + spelling(left, right)) / 4


WORDS = ["a", "s", "ab", "abc", "abcs", "by", "bies", "byes", "cab", "cba", "bb", "aabb", "cc"]
ENGLISH = {"cab", "by", "ab"}
UNIT = st.floats(-1, 1).map(lambda x: round(x, 3))


@st.composite
def lexicons(draw: st.DrawFn) -> Lexicon:
    words = draw(st.lists(st.sampled_from(WORDS), unique=True, max_size=10))
    shares = draw(st.lists(st.floats(1e-7, 0.2), min_size=len(words), max_size=len(words)))
    known = [pair for pair in itertools.combinations(words, 2) if draw(st.booleans())]
    row = st.lists(UNIT, min_size=6, max_size=6)
    return Lexicon(
        arrays_of(
            dict(zip(words, shares, strict=True)),
            ENGLISH,
            {word: draw(row) for word in words},
            {pair: draw(st.floats(0, 1)) for pair in known},
            (draw(UNIT), draw(UNIT), draw(UNIT)),
            draw(st.floats(0, 0.9)),
        )
    )


NAMES = st.lists(
    st.sampled_from([*WORDS, "1", "23", "zq", "zqab", "é", "λ", "_", "$"]), max_size=5
).map("_".join)


def model_of(lexicon: Lexicon) -> Names:
    found = Names.__new__(Names)
    found.shapes, found.weakest, found.answer = True, True, "asked"
    found.__dict__["lexicon"] = lexicon
    return found


@settings(deadline=None)
@given(lexicons(), st.lists(st.tuples(NAMES, NAMES, st.booleans()), min_size=1, max_size=6))
def test_the_compiled_model_is_the_plain_one(
    lexicon: Lexicon, asked: list[tuple[str, str, bool]]
) -> None:
    plain, splitter = Slowly(lexicon), Splitter(lexicon)
    pairs = [Pair(a, b, "similar" if similar else "related") for a, b, similar in asked]
    expected = [
        plain.answer(a, b, splitter.words(a), splitter.words(b), similar) for a, b, similar in asked
    ]
    assert model_of(lexicon).similarity(pairs) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_single_words_are_as_close_as_in_the_plain_one(seed: int) -> None:
    """All pairs of many words of the lexicon, most of which looks do not settle."""
    rng = np.random.default_rng(seed)
    words = sorted({"".join(rng.choice(list("abcdefgh"), 4)) for _ in range(60)})
    known = words[:40]
    arrays = arrays_of(
        {word: float(rng.uniform(1e-6, 1e-2)) for word in known},
        known,
        {
            word: (rng.normal(size=8) * np.repeat(rng.uniform(0.1, 2, 2), 4)).tolist()
            for word in known
        },
        {
            pair: float(rng.uniform())
            for pair in itertools.combinations(known, 2)
            if rng.uniform() < 0.3
        },
        (0.3, 0.05, 0.1),
        0.25,
    )
    lexicon = Lexicon(arrays)
    plain = Slowly(lexicon)
    asked = list(itertools.combinations(words, 2))
    for similar, relation in ((True, "similar"), (False, "related")):
        found = model_of(lexicon).similarity([Pair(a, b, relation) for a, b in asked])
        expected = [plain.answer(a, b, [a], [b], similar) for a, b in asked]
        assert found == pytest.approx(expected, abs=2e-6)
