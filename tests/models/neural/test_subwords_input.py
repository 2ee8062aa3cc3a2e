"""Text cut by a byte-level BPE: learned from counts, nothing lost, the mask in context."""

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
    FILE,
    METHOD_NAME,
    ROBERTA,
    InSubwords,
    ReadsSubwords,
    Subwords,
    folded,
)
from models.neural.checks import methods


@dataclass(frozen=True)
class Settings:
    vocabulary: int = 600
    length: int = 100_000
    comments: bool = False


class Reader(ReadsSubwords):
    name = "reader"
    Settings = Settings

    def make_labels(self) -> Any:
        return InSubwords(8)

    def network(self) -> Any:
        raise NotImplementedError


def reader(subwords: Subwords | None = None, **settings: Any) -> Reader:
    made = Reader(Settings(**settings), Purpose("gluecode/naming", Capability.NAME))
    if subwords is not None:
        made.take(subwords)
    return made


def counts(model: Reader, texts: list[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        for _, words in model.words(model.read_text(text) or {"chunks": []}):
            found.update(words)
    return found


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [text for text, _ in methods()[:120]]


@pytest.fixture(scope="module")
def bpe(texts: list[str]) -> Subwords:
    return Subwords.learned(counts(reader(), texts), 600)


# --------------------------------------------------------------------------------------


def test_learned_from_counts_is_learned_from_texts(texts: list[str], bpe: Subwords) -> None:
    """Oracle: the library's own training, which is shown the texts themselves."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    other = Tokenizer(models.BPE(unk_token="<unk>"))
    other.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        min_frequency=2,
        show_progress=False,
        special_tokens=[*ROBERTA, METHOD_NAME],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    parts = [part for text in texts for part in folded(text) if part != METHOD_NAME]
    other.train_from_iterator(parts, trainer)
    assert bpe.tokenizer.get_vocab() == other.get_vocab()
    assert len(bpe) == 600


def test_the_order_of_the_counts_changes_nothing(texts: list[str], bpe: Subwords) -> None:
    found = list(counts(reader(), texts).items())
    random.Random(0).shuffle(found)
    assert Subwords.learned(dict(found), 600).tokenizer.to_str() == bpe.tokenizer.to_str()


@pytest.mark.parametrize(
    "text", ["int a = b;", 's = "naïve 漢字 𝒳";', "<s> is </s> <mask> <pad> <unk>", "é\u0301"]
)
def test_nothing_is_lost(bpe: Subwords, text: str) -> None:
    """What was never seen is read in bytes; what looks like a special token is text."""
    model = reader(bpe)
    numbers = model.encode(model.read(Method("", text)) or {})["tokens"].tolist()
    assert (numbers[0], numbers[-1]) == (bpe.begin, bpe.end)
    assert not set(numbers[1:-1]) & set(bpe.specials)
    assert bpe.text(numbers[1:-1]) == text


def test_what_is_masked_is_one_number_each(bpe: Subwords) -> None:
    model = reader(bpe)
    text = 'int METHOD_NAME(int METHOD_NAME2) { return "<MASK>" + METHOD_NAME(1 <MASK> 2); }'
    numbers = model.encode(model.read_text(text) or {})["tokens"].tolist()
    assert numbers.count(bpe.name) == 2
    assert numbers.count(bpe.mask) == 1
    assert bpe.text(numbers[: numbers.index(bpe.mask)]).endswith("(1")


def test_comments_are_left_out_or_kept() -> None:
    text = 'int a; // a "b\n  String c = "// no"; /* d\n * e */ int f;'
    assert folded(text) == ['int a; String c = "// no"; int f;']
    assert folded(text, comments=True) == [
        'int a; /* a "b */ String c = "// no"; /* d * e */ int f;'
    ]
    assert folded("a = 'x <MASK> 1; // don't") == ["a = 'x", "<MASK>", " 1;"]


@pytest.mark.parametrize("length", [8, 21, 64])
@pytest.mark.parametrize("at", [0, 5, 40, 150, 299])
def test_the_mask_stays_in_sight(bpe: Subwords, length: int, at: int) -> None:
    """What `read` leaves out changes nothing: oracle, all of the text in numbers, and then cut."""
    words = [f"name{i} +" for i in range(300)]
    words[at] = "<MASK>"
    whole, cut = reader(bpe), reader(bpe, length=length)
    text = " ".join(words)
    every = whole.encode(whole.read_text(text) or {})["tokens"].tolist()[1:-1]
    found = cut.encode(cut.read_text(text) or {})["tokens"].tolist()[1:-1]
    room = length - 2
    assert len(found) == room
    assert bpe.mask in found
    place = every.index(bpe.mask)
    start = 0 if place < room else min(place - room // 2, len(every) - room)
    assert found == every[start : start + room]


@pytest.mark.parametrize("text", ["", "  \n\t", "// only a comment"])
def test_where_nothing_is_to_be_read(text: str) -> None:
    assert reader().read_text(text) is None


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
def test_any_text_is_survived(bpe: Subwords, text: str) -> None:
    model = reader(bpe, length=64)
    features = model.read_text(text)
    assert features is not None
    assert 3 <= len(model.encode(features)["tokens"]) <= 64


@given(st.text(max_size=60))
def test_any_text_at_all(text: str) -> None:
    for part in folded(text):
        assert part
        assert "  " not in part


def test_a_far_mask_of_a_huge_text_is_found(bpe: Subwords) -> None:
    model = reader(bpe, length=32)
    features = model.read_text("int a; " * 60_000 + "b <MASK> c;" + " int d;" * 60_000)
    assert bpe.mask in model.encode(features or {})["tokens"]


def test_saved_pickled_and_loaded_is_the_same(bpe: Subwords, tmp_path: Path) -> None:
    bpe.save(tmp_path)
    text = "<s> getFooBar 漢 METHOD_NAME"
    for other in (Subwords.load(tmp_path), pickle.loads(pickle.dumps(bpe))):
        assert other.numbers(text) == bpe.numbers(text)
        assert other.specials == bpe.specials == (0, 1, 2, 3, 4, 5)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="cannot be read"):
        Subwords.load(tmp_path)
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(CodeacumenError, match="damaged"):
        Subwords.load(tmp_path)


def test_any_answer_can_be_said(bpe: Subwords) -> None:
    labels = InSubwords(30)
    labels.subwords = bpe
    for label in ("getFooBar", "<none>", "größe_2", "x"):
        numbers = (labels.target(label) or {})["target"].tolist()
        assert numbers[-1] == bpe.end
        assert labels.answer([*numbers, 77]) == label
    assert labels.target("") is None
    assert labels.answer([bpe.end]) is None
    short = InSubwords(2)
    short.subwords = bpe
    assert len((short.target("aVeryLongNameIndeed") or {})["target"]) == 3
