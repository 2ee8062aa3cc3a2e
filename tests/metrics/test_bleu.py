"""Character BLEU. Oracle: nltk's sentence BLEU with its first smoothing, a second implementation
by others, on names drawn at random and on names of the platform's own API."""

from __future__ import annotations

import random
import re

import pytest

from codeacumen import metrics
from codeacumen.metrics.bleu import character_bleu_of
from support import some

LETTERS = "abAB_é𝒳"
WORDS = re.findall(
    r"[A-Z]?[a-z]+",
    """get set is add remove index of name value next previous read write line buffer to string
    hash code equals compare size length clear contains put all each if absent compute merge key
    entry iterator stream map filter reduce collect open close flush reset mark skip available""",
)


def nltk_bleu(truth: str, answer: str) -> float:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of orders without a match
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        smoothing = SmoothingFunction().method1
        return float(sentence_bleu([list(truth)], list(answer), smoothing_function=smoothing))


def name(random_: random.Random) -> str:
    words = random_.choices(WORDS, k=random_.randint(1, 4))
    return words[0] + "".join(word.capitalize() for word in words[1:])


def pairs_of_names(n: int) -> list[tuple[str, str]]:
    random_ = random.Random(3)
    pairs = [(name(random_), name(random_)) for _ in range(n)]
    # Names that share most of their words, as a model's answers do.
    near = [(truth, truth[: random_.randint(1, len(truth))] + name(random_)) for truth, _ in pairs]
    return pairs + near


def pairs_of_letters(n: int) -> list[tuple[str, str]]:
    random_ = random.Random(5)

    def text() -> str:
        return "".join(random_.choices(LETTERS, k=random_.randint(0, 7)))

    return [(text() or "a", text()) for _ in range(n)]


@pytest.mark.parametrize(
    "pairs", [pairs_of_names(8000), pairs_of_letters(16000)], ids=["names", "letters"]
)
def test_it_is_what_nltk_says(pairs: list[tuple[str, str]]) -> None:
    for truth, answer in some(pairs):
        assert character_bleu_of(truth, answer) == pytest.approx(
            nltk_bleu(truth, answer), rel=1e-12, abs=1e-15
        ), (truth, answer)


def test_short_names_score_as_they_do_with_nltk_even_where_they_are_right() -> None:
    for truth in ("a", "to", "add"):
        assert character_bleu_of(truth, truth) == pytest.approx(nltk_bleu(truth, truth), rel=1e-12)
        assert character_bleu_of(truth, truth) < 1
    assert character_bleu_of("read", "read") == 1.0


def test_the_metric_is_the_mean_and_silence_counts_nothing() -> None:
    metric = metrics.character_bleu
    assert metric.observe("getName", "getName") == (1.0,)
    assert metric.observe("getName", "") == (0.0,)
    assert metric.unanswered == (0.0,)
    assert not metric.proportion
    with pytest.raises(TypeError):
        metric.observe("getName", 3)
