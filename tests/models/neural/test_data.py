"""From words to batches: vocabularies, answers in pieces, files of numbers, what is drawn when."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.architecture import END, UNKNOWN, InPieces, OneLabel, Vocabulary
from codeacumen.models.neural.inputs.tokens import window
from codeacumen.models.neural.training import encoded
from codeacumen.models.neural.training.batches import Rounds, by_length, drawn
from codeacumen.text.columns import Ragged
from codeacumen.text.subtokens import split_lossless

LISTS = st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=5), min_size=1, max_size=30)


@given(st.text())
def test_pieces_put_together_are_the_name(name: str) -> None:
    assert "".join(split_lossless(name)) == name


def test_the_most_frequent_words_are_known_and_the_alphabet_decides_among_equals() -> None:
    made = Vocabulary.counted(Counter("bbbaacd"), most=5)
    assert made.words == ("<pad>", "<unk>", "b", "a", "c")
    assert made.numbers(["a", "d", "b"]).tolist() == [3, UNKNOWN, 2]


@settings(deadline=None)
@given(st.lists(st.text(), unique=True))
def test_a_vocabulary_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    path = tmp_path_factory.mktemp("words") / "words.txt"
    made = Vocabulary(["<pad>", "<unk>", *words])
    made.save(path)
    assert Vocabulary.load(path).words == made.words


def test_a_damaged_vocabulary_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("no json\n")
    with pytest.raises(CodeacumenError, match="damaged") as found:
        Vocabulary.load(tmp_path / "w.txt")
    assert "codeacumen train" in found.value.hint


def test_answers_are_labels_or_pieces() -> None:
    one = OneLabel()
    one.learn({"yes": 3, "no": 1})
    target = one.target("no")
    assert target is not None
    assert one.answer(target["label"].tolist()) == "no"
    assert one.target("perhaps") is None
    said = InPieces(longest=3, lower=True)
    said.learn(Counter(["get", "http", "page", "of", "the"]))
    target = said.target("getHTTPPage_x")
    assert target is not None
    assert target["target"][-1] == END
    assert said.answer(target["target"].tolist()) == "getHttpPage"
    assert said.target("unheardOf") is not None  # "of" is known
    assert said.target("unheard") is None
    assert said.answer([END, 5]) is None


def test_a_window_holds_the_mask() -> None:
    tokens = [str(n) for n in range(100)]
    assert list(window(tokens, 10)) == tokens[:10]
    masked = [*tokens[:70], "<MASK>", *tokens[70:]]
    assert "<MASK>" in window(masked, 10)
    assert len(window(masked, 10)) == 10
    assert list(window(["<MASK>", *tokens], 10)) == ["<MASK>", *tokens[:9]]


@settings(deadline=None)
@given(LISTS, st.integers(1, 7))
def test_a_file_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[int]], size: int
) -> None:
    """In whatever parts it was written, in whatever order it is asked for."""
    path = tmp_path_factory.mktemp("arrow") / "x.arrow"
    rows = [{"a": np.array(one, np.int32), "b": np.array([len(one)], np.int32)} for one in lists]
    names = [str(one) for one in lists]
    parts = [
        encoded.record_batch(rows[at : at + size], names[at : at + size])
        for at in range(0, len(rows), size)
    ]
    assert encoded.write(parts, path) == len(rows)
    file = encoded.EncodedFile(path)
    order = np.random.default_rng(0).permutation(len(rows))
    taken = file.take(order)
    assert [taken["a"][i] for i in range(len(order))] == [lists[i] for i in order]
    assert file.answers(order) == [names[i] for i in order]
    assert np.diff(file.sizes()["a"].offsets).tolist() == [len(one) for one in lists]


def test_every_example_is_drawn_once_an_epoch_and_lengths_are_alike() -> None:
    lengths = np.random.default_rng(3).integers(1, 200, 5000)
    batches = drawn(lengths, 32, seed=1, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(5000))
    spread = np.mean([np.ptp(lengths[batch]) for batch in batches])
    assert spread < 20  # of 199 if nothing were sorted
    again = drawn(lengths, 32, seed=1, epoch=0)
    assert all((a == b).all() for a, b in zip(batches, again, strict=True))
    assert any(
        len(a) != len(b) or (a != b).any()
        for a, b in zip(batches, drawn(lengths, 32, seed=1, epoch=1), strict=True)
    )


@pytest.mark.parametrize("batches", [0, 3, 7, 1000])
def test_rounds_go_through_all_epochs(batches: int) -> None:
    sampler = Rounds(np.ones(50, np.int64), 8, seed=0, batches=batches, epochs=3)
    seen: Counter[int] = Counter()
    for number in range(sampler.rounds):
        sampler.set_epoch(number)
        found = list(sampler)
        assert len(found) == len(sampler)
        seen.update(int(row) for one in found for row in one.rows)
    assert seen == Counter(dict.fromkeys(range(50), 3))


def test_what_is_answered_is_sorted_by_length() -> None:
    lengths = np.array([5, 1, 3, 2])
    assert [batch.tolist() for batch in by_length(lengths, 2)] == [[1, 3], [2, 0]]


@settings(deadline=None)
@given(LISTS)
def test_padding_is_zeros_behind(lists: list[list[int]]) -> None:
    pytest.importorskip("torch")
    from codeacumen.models.neural.training.batches import filled

    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    column = Ragged(np.array([n for one in lists for n in one], np.int32), offsets)
    made = filled(column.values, column.offsets)
    width = max(1, *(len(one) for one in lists))
    assert made.tolist() == [one + [0] * (width - len(one)) for one in lists]
    assert filled(column.values, column.offsets, 2).tolist() == [
        [*one[:2], 0, 0][: min(2, width)] for one in lists
    ]


def test_who_says_a_word_twice_is_not_better() -> None:
    pytest.importorskip("torch")
    from codeacumen.api import Capability
    from codeacumen.models.neural.training.teaching import score

    assert score(Capability.NAME, ["winner"], ["winner"]) == 1.0
    assert score(Capability.NAME, ["winnerWinner"], ["winner"]) == pytest.approx(2 / 3)
    assert score(Capability.NAME, [None, "getName"], ["getName", "name"]) == pytest.approx(2 / 5)
    assert score(Capability.CLASSIFY, ["1", None], ["1", "2"]) == 0.5
