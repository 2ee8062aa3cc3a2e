"""Tests of the way from words to batches: vocabularies, answers in pieces, encoded files, and
sampling."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.architecture import END, UNKNOWN, PieceLabels, SingleLabel, Vocabulary
from codeacumen.models.neural.inputs.tokens import cut_window
from codeacumen.models.neural.training import encoded_file
from codeacumen.models.neural.training.batches import RoundSampler, draw_batches, group_by_length
from codeacumen.text.columns import Ragged
from codeacumen.text.subtokens import split_lossless

LISTS = st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=5), min_size=1, max_size=30)


@given(st.text())
def test_joined_pieces_are_the_name(name: str) -> None:
    assert "".join(split_lossless(name)) == name


def test_vocabulary_keeps_frequent_words_and_breaks_ties_by_alphabet() -> None:
    vocabulary = Vocabulary.from_counts(Counter("bbbaacd"), max_size=5)
    assert vocabulary.words == ("<pad>", "<unk>", "b", "a", "c")
    assert vocabulary.encode_words(["a", "d", "b"]).tolist() == [3, UNKNOWN, 2]


@settings(deadline=None)
@given(st.lists(st.text(), unique=True))
def test_load_returns_saved_vocabulary(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    path = tmp_path_factory.mktemp("words") / "words.txt"
    vocabulary = Vocabulary(["<pad>", "<unk>", *words])
    vocabulary.save(path)
    assert Vocabulary.load(path).words == vocabulary.words


def test_damaged_vocabulary_is_reported_with_hint(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("no json\n")
    with pytest.raises(CodeacumenError, match="damaged") as caught:
        Vocabulary.load(tmp_path / "w.txt")
    assert "codeacumen train" in caught.value.hint


def test_answers_are_labels_or_pieces() -> None:
    single_label = SingleLabel()
    single_label.learn_vocabulary({"yes": 3, "no": 1})
    target = single_label.encode_target("no")
    assert target is not None
    assert single_label.decode_answer(target["label"].tolist()) == "no"
    assert single_label.encode_target("perhaps") is None
    piece_labels = PieceLabels(max_pieces=3, is_lowercase=True)
    piece_labels.learn_vocabulary(Counter(["get", "http", "page", "of", "the"]))
    target = piece_labels.encode_target("getHTTPPage_x")
    assert target is not None
    assert target["target"][-1] == END
    assert piece_labels.decode_answer(target["target"].tolist()) == "getHttpPage"
    assert piece_labels.encode_target("unheardOf") is not None  # "of" is known
    assert piece_labels.encode_target("unheard") is None
    assert piece_labels.decode_answer([END, 5]) is None


def test_window_contains_the_mask() -> None:
    tokens = [str(n) for n in range(100)]
    assert list(cut_window(tokens, 10)) == tokens[:10]
    masked = [*tokens[:70], "<MASK>", *tokens[70:]]
    assert "<MASK>" in cut_window(masked, 10)
    assert len(cut_window(masked, 10)) == 10
    assert list(cut_window(["<MASK>", *tokens], 10)) == ["<MASK>", *tokens[:9]]


@settings(deadline=None)
@given(LISTS, st.integers(1, 7))
def test_encoded_file_returns_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[int]], size: int
) -> None:
    """The result depends neither on the parts in which the file is written nor on the order of
    rows."""
    path = tmp_path_factory.mktemp("arrow") / "x.arrow"
    rows = [
        {"a": np.array(numbers, np.int32), "b": np.array([len(numbers)], np.int32)}
        for numbers in lists
    ]
    names = [str(numbers) for numbers in lists]
    parts = [
        encoded_file.make_record_batch(rows[at : at + size], names[at : at + size])
        for at in range(0, len(rows), size)
    ]
    assert encoded_file.write_batches(parts, path) == len(rows)
    file = encoded_file.EncodedFile(path)
    order = np.random.default_rng(0).permutation(len(rows))
    columns = file.take_rows(order)
    assert [columns["a"][i] for i in range(len(order))] == [lists[i] for i in order]
    assert file.take_answers(order) == [names[i] for i in order]
    assert np.diff(file.empty_columns()["a"].offsets).tolist() == [
        len(numbers) for numbers in lists
    ]


def test_each_epoch_has_every_example_once_in_batches_of_similar_length() -> None:
    lengths = np.random.default_rng(3).integers(1, 200, 5000)
    batches = draw_batches(lengths, 32, seed=1, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(5000))
    spread = np.mean([np.ptp(lengths[batch]) for batch in batches])
    assert spread < 20  # it would be 199 without sorting
    repeated = draw_batches(lengths, 32, seed=1, epoch=0)
    assert all((a == b).all() for a, b in zip(batches, repeated, strict=True))
    assert any(
        len(a) != len(b) or (a != b).any()
        for a, b in zip(batches, draw_batches(lengths, 32, seed=1, epoch=1), strict=True)
    )


@pytest.mark.parametrize("batches", [0, 3, 7, 1000])
def test_rounds_cover_all_epochs(batches: int) -> None:
    sampler = RoundSampler(np.ones(50, np.int64), 8, seed=0, batches_per_round=batches, epochs=3)
    counts: Counter[int] = Counter()
    for number in range(sampler.round_count):
        sampler.set_epoch(number)
        round_batches = list(sampler)
        assert len(round_batches) == len(sampler)
        counts.update(int(row) for batch in round_batches for row in batch.rows)
    assert counts == Counter(dict.fromkeys(range(50), 3))


def test_prediction_batches_are_sorted_by_length() -> None:
    lengths = np.array([5, 1, 3, 2])
    assert [batch.tolist() for batch in group_by_length(lengths, 2)] == [[1, 3], [2, 0]]


@settings(deadline=None)
@given(LISTS)
def test_padding_appends_zeros(lists: list[list[int]]) -> None:
    pytest.importorskip("torch")
    from codeacumen.models.neural.training.batches import pad_lists

    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])])
    column = Ragged(np.array([number for row in lists for number in row], np.int32), offsets)
    padded = pad_lists(column.values, column.offsets)
    width = max(1, *(len(row) for row in lists))
    assert padded.tolist() == [row + [0] * (width - len(row)) for row in lists]
    assert pad_lists(column.values, column.offsets, 2).tolist() == [
        [*row[:2], 0, 0][: min(2, width)] for row in lists
    ]


def test_repeated_word_does_not_raise_score() -> None:
    pytest.importorskip("torch")
    from codeacumen.api import Capability
    from codeacumen.models.neural.training.fit import score_answers

    assert score_answers(Capability.NAME, ["winner"], ["winner"]) == 1.0
    assert score_answers(Capability.NAME, ["winnerWinner"], ["winner"]) == pytest.approx(2 / 3)
    assert score_answers(Capability.NAME, [None, "getName"], ["getName", "name"]) == pytest.approx(
        2 / 5
    )
    assert score_answers(Capability.CLASSIFY, ["1", None], ["1", "2"]) == 0.5
