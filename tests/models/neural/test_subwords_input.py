"""Tests of text split by a byte-level BPE: it is trained from counts, nothing is lost, and the mask
stays in the window."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import Capability, CodeacumenError, Method
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.inputs.subwords import (
    METHOD_NAME,
    ROBERTA_SPECIALS,
    TOKENIZER_FILE,
    SubwordArchitecture,
    SubwordLabels,
    Subwords,
    fold_text,
)
from models.neural.small_networks import list_methods


@dataclass(frozen=True)
class Settings:
    vocabulary: int = 600
    length: int = 100_000
    comments: bool = False


class SmallSubwordNetwork(SubwordArchitecture):
    name = "reader"
    Settings = Settings

    def make_labels(self) -> Any:
        return SubwordLabels(8)

    def build_network(self) -> Any:
        raise NotImplementedError


def make_reader(subwords: Subwords | None = None, **settings: Any) -> SmallSubwordNetwork:
    architecture = SmallSubwordNetwork(
        Settings(**settings), Purpose("gluecode/naming", Capability.NAME)
    )
    if subwords is not None:
        architecture.set_subwords(subwords)
    return architecture


def count_chunks(model: SmallSubwordNetwork, texts: list[str]) -> Counter[str]:
    chunk_counts: Counter[str] = Counter()
    for text in texts:
        for _, words in model.iter_words(model.extract_text_features(text) or {"chunks": []}):
            chunk_counts.update(words)
    return chunk_counts


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [text for text, _ in list_methods()[:120]]


@pytest.fixture(scope="module")
def bpe(texts: list[str]) -> Subwords:
    return Subwords.from_counts(count_chunks(make_reader(), texts), 600)


# --------------------------------------------------------------------------------------


def test_bpe_from_counts_equals_bpe_from_texts(texts: list[str], bpe: Subwords) -> None:
    """Oracle: the library's own training on the texts themselves."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    other = Tokenizer(models.BPE(unk_token="<unk>"))
    other.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        min_frequency=2,
        show_progress=False,
        special_tokens=[*ROBERTA_SPECIALS, METHOD_NAME],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    parts = [part for text in texts for part in fold_text(text) if part != METHOD_NAME]
    other.train_from_iterator(parts, trainer)
    assert bpe.tokenizer.get_vocab() == other.get_vocab()
    assert len(bpe) == 600


def test_bpe_does_not_depend_on_order_of_counts(texts: list[str], bpe: Subwords) -> None:
    shuffled_counts = list(count_chunks(make_reader(), texts).items())
    random.Random(0).shuffle(shuffled_counts)
    assert (
        Subwords.from_counts(dict(shuffled_counts), 600).tokenizer.to_str()
        == bpe.tokenizer.to_str()
    )


@pytest.mark.parametrize(
    "text", ["int a = b;", 's = "naïve 漢字 𝒳";', "<s> is </s> <mask> <pad> <unk>", "é\u0301"]
)
def test_encoding_is_lossless(bpe: Subwords, text: str) -> None:
    """Unknown characters are encoded as bytes; text that looks like a special token stays text."""
    model = make_reader(bpe)
    numbers = model.encode(model.extract_features(Method("", text)) or {})["tokens"].tolist()
    assert (numbers[0], numbers[-1]) == (bpe.begin, bpe.end)
    assert not set(numbers[1:-1]) & set(bpe.specials)
    assert bpe.decode_text(numbers[1:-1]) == text


def test_each_mask_is_one_number(bpe: Subwords) -> None:
    model = make_reader(bpe)
    text = 'int METHOD_NAME(int METHOD_NAME2) { return "<MASK>" + METHOD_NAME(1 <MASK> 2); }'
    numbers = model.encode(model.extract_text_features(text) or {})["tokens"].tolist()
    assert numbers.count(bpe.name) == 2
    assert numbers.count(bpe.mask) == 1
    assert bpe.decode_text(numbers[: numbers.index(bpe.mask)]).endswith("(1")


def test_comments_are_dropped_or_kept() -> None:
    text = 'int a; // a "b\n  String c = "// no"; /* d\n * e */ int f;'
    assert fold_text(text) == ['int a; String c = "// no"; int f;']
    assert fold_text(text, keep_comments=True) == [
        'int a; /* a "b */ String c = "// no"; /* d * e */ int f;'
    ]
    assert fold_text("a = 'x <MASK> 1; // don't") == ["a = 'x", "<MASK>", " 1;"]


@pytest.mark.parametrize("length", [8, 21, 64])
@pytest.mark.parametrize("at", [0, 5, 40, 150, 299])
def test_mask_stays_in_the_window(bpe: Subwords, length: int, at: int) -> None:
    """Truncation by `extract_features` changes nothing. Oracle: the whole text is encoded and then
    cut."""
    words = [f"name{i} +" for i in range(300)]
    words[at] = "<MASK>"
    unlimited, limited = make_reader(bpe), make_reader(bpe, length=length)
    text = " ".join(words)
    all_tokens = unlimited.encode(unlimited.extract_text_features(text) or {})["tokens"].tolist()[
        1:-1
    ]
    tokens = limited.encode(limited.extract_text_features(text) or {})["tokens"].tolist()[1:-1]
    room = length - 2
    assert len(tokens) == room
    assert bpe.mask in tokens
    place = all_tokens.index(bpe.mask)
    start = 0 if place < room else min(place - room // 2, len(all_tokens) - room)
    assert tokens == all_tokens[start : start + room]


@pytest.mark.parametrize("text", ["", "  \n\t", "// only a comment"])
def test_empty_text_has_no_features(text: str) -> None:
    assert make_reader().extract_text_features(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "\ud800\udfff",
        "a" * 300_000,
        '"' * 50_000,
        "(" * 50_000,
        "/* <MASK> " * 9_000,
        "\x00\u2028{",
    ],
    ids=["surrogates", "long", "quotes", "nested", "masks", "odd"],
)
def test_long_and_unusual_texts_are_supported(bpe: Subwords, text: str) -> None:
    model = make_reader(bpe, length=64)
    features = model.extract_text_features(text)
    assert features is not None
    assert 3 <= len(model.encode(features)["tokens"]) <= 64


@given(st.text(max_size=60))
def test_folding_accepts_any_text(text: str) -> None:
    for part in fold_text(text):
        assert part
        assert "  " not in part


def test_mask_far_inside_huge_text_is_kept(bpe: Subwords) -> None:
    model = make_reader(bpe, length=32)
    features = model.extract_text_features("int a; " * 60_000 + "b <MASK> c;" + " int d;" * 60_000)
    assert bpe.mask in model.encode(features or {})["tokens"]


def test_saved_pickled_and_loaded_is_the_same(bpe: Subwords, tmp_path: Path) -> None:
    bpe.save(tmp_path)
    text = "<s> getFooBar 漢 METHOD_NAME"
    for other in (Subwords.load(tmp_path), pickle.loads(pickle.dumps(bpe))):
        assert other.encode_text(text) == bpe.encode_text(text)
        assert other.specials == bpe.specials == (0, 1, 2, 3, 4, 5)


def test_missing_or_damaged_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="cannot be read"):
        Subwords.load(tmp_path)
    (tmp_path / TOKENIZER_FILE).write_text("{}")
    with pytest.raises(CodeacumenError, match="damaged"):
        Subwords.load(tmp_path)


def test_any_label_can_be_encoded_and_decoded(bpe: Subwords) -> None:
    labels = SubwordLabels(30)
    labels.subwords = bpe
    for label in ("getFooBar", "<none>", "größe_2", "x"):
        numbers = (labels.encode_target(label) or {})["target"].tolist()
        assert numbers[-1] == bpe.end
        assert labels.decode_answer([*numbers, 77]) == label
    assert labels.encode_target("") is None
    assert labels.decode_answer([bpe.end]) is None
    short = SubwordLabels(2)
    short.subwords = bpe
    assert len((short.encode_target("aVeryLongNameIndeed") or {})["target"]) == 3
