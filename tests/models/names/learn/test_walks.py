"""Walks over a small WordNet: where they may go, how often, and what space they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from acumen.models.embeddings.files import Chosen
from acumen.models.names.learn import build, spaces, walks
from acumen.models.names.learn._pairs import keys_of
from acumen.models.names.learn._streams import Streams
from acumen.models.names.learn.relations import Evidence
from acumen.models.names.learn.texts import Texts
from acumen.models.names.learn.wordnet import WordNet, read_wordnet

# Of the WordNet in conftest, without "entity"; "truck_farm" is a compound.
KNOWN = ["vehicle", "car", "auto", "truck", "open", "close", "shut", "big", "large", "huge"]


@pytest.fixture
def wordnet(wordnet_folder: Path) -> WordNet:
    return read_wordnet(wordnet_folder)


def sentences(stream: np.ndarray, known: list[str]) -> list[list[str]]:
    """The last end closes the last sentence."""
    assert stream[-1] == -1
    parts = np.split(stream, np.flatnonzero(stream == -1) + 1)[:-1]
    return [[known[code] for code in part[:-1].tolist()] for part in parts]


def test_walks_stay_in_the_graph(wordnet: WordNet) -> None:
    found = sentences(walks.walked(wordnet, KNOWN, 0), KNOWN)
    assert len(found) == walks.WALKS * len(KNOWN)
    assert Counter(one[0] for one in found) == dict.fromkeys(KNOWN, walks.WALKS)
    assert max(map(len, found)) <= walks.LONGEST
    # What hangs together, by hand. The opposite of "open" is "close", and no walk goes there.
    together = [{"vehicle", "car", "auto", "truck"}, {"open"}, {"close", "shut"},
                {"big", "large", "huge"}]  # fmt: skip
    for one in found:
        assert any(set(one) <= group for group in together), one
    # A meaning that nothing is linked to has synonyms all the same.
    assert ["close", "shut"] in found


def test_how_often_a_walk_goes_on(
    tmp_path: Path, make_wordnet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ring of three meanings: a walk of n words has gone on n - 2 times, each time with the same
    chance. Both ways round are as likely."""
    ring = [("n", [word], [("@", (i + 1) % 3, 0, 0)], "a thing") for i, word in enumerate("abc")]
    monkeypatch.setattr(walks, "WALKS", 3000)
    found = sentences(
        walks.walked(read_wordnet(make_wordnet(tmp_path, ring)), ["a", "b", "c"], 0),
        ["a", "b", "c"],
    )
    length = np.array([len(one) for one in found])
    assert length.min() == 2
    assert np.mean(length == 2) == pytest.approx(walks.STOP, abs=0.02)
    assert length.mean() == pytest.approx(1 + 1 / walks.STOP, rel=0.03)
    after = Counter(one[2] for one in found if one[0] == "a" and len(one) > 2)
    assert set(after) == {"b", "c"}
    assert after["b"] / after.total() == pytest.approx(0.5, abs=0.05)


def test_frequent_meanings_are_taken_more_often(
    tmp_path: Path, make_wordnet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second meaning of a word weighs half of the first: of three walks, two go to that."""
    meanings = [("n", ["bank", "shore"], [], "land"), ("n", ["bank", "lender"], [], "money")]
    monkeypatch.setattr(walks, "WALKS", 6000)
    wordnet = read_wordnet(make_wordnet(tmp_path, meanings))
    known = ["bank", "shore", "lender"]
    found = Counter(map(tuple, sentences(walks.walked(wordnet, known, 0), known)))
    # For "land" both words have it as their first meaning; for "money" it is the second of "bank".
    total = walks.WALKS
    assert found["bank", "shore"] / total == pytest.approx(2 / 3 * 1 / 2, abs=0.03)
    assert found["bank", "lender"] / total == pytest.approx(1 / 3 * 2 / 3, abs=0.03)
    assert found["lender", "bank"] / total == pytest.approx(1 / 3, abs=0.03)


def test_the_same_seed_gives_the_same_bytes(wordnet: WordNet) -> None:
    one, two, other = (walks.walked(wordnet, KNOWN, seed).tobytes() for seed in (3, 3, 4))
    assert one == two
    assert one != other
    rows = [walks.walk_space(wordnet, KNOWN, 4, 3).tobytes() for _ in range(2)]
    assert rows[0] == rows[1]


def test_synonyms_are_near(
    tmp_path: Path, make_wordnet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty families of three meanings of two words each, below one: a word's synonym is nearer
    than its cousins, and these are nearer than other words."""
    monkeypatch.setattr(spaces, "SAMPLE", 1.0)  # of so few words, all are frequent
    letters = "abcdefghij"
    meanings: list[object] = [("n", ["thing"], [], "what is")]
    for family in range(40):
        name = letters[family // 10] + letters[family % 10]
        meanings.append(("n", [f"{name}above"], [("@", 0, 0, 0)], "a family"))
        head = len(meanings) - 1
        meanings += [
            ("n", [f"{name}{kind}one", f"{name}{kind}two"], [("@", head, 0, 0)], "a member")
            for kind in "xyz"
        ]
    wordnet = read_wordnet(make_wordnet(tmp_path, meanings))
    words = [word for word in sorted(wordnet.meanings) if word != "thing"]
    rows = walks.walk_space(wordnet, [*words, "aaxones", "nowhere"], 60, 0)
    assert np.sqrt(np.square(rows[:-1]).sum(axis=1)) == pytest.approx(1, abs=1e-5)
    place = {word: i for i, word in enumerate(words)}
    cosine = rows[:-2] @ rows[:-2].T
    firsts = [word for word in words if word.endswith("one")]
    twins = np.mean([cosine[place[word], place[word[:-3] + "two"]] for word in firsts])
    cousins = np.mean([
        cosine[place[word], place[word[:2] + ("y" if word[2] == "x" else "x") + "one"]]
        for word in firsts
    ])  # fmt: skip
    others = np.mean([
        cosine[place[word], place[other]] for word in firsts for other in firsts
        if word[:2] != other[:2]
    ])  # fmt: skip
    assert twins > cousins + 0.1 > others + 0.3
    # An inflected word stands where its base does; an unknown one nowhere.
    assert rows[-2] == pytest.approx(rows[place["aaxone"]], abs=1e-6)
    assert not rows[-1].any()


def test_words_that_are_all_unknown(wordnet: WordNet) -> None:
    assert not walks.walk_space(wordnet, ["foo", "bar"], 4, 0).any()


@pytest.mark.parametrize(
    ("without", "walked", "asked"),
    [((), True, True), (("walks",), False, True), (("wordnet",), False, False)],
)
def test_they_may_be_left_out(
    wordnet: WordNet, monkeypatch: pytest.MonkeyPatch, without: tuple[str, ...], walked: bool,
    asked: bool,
) -> None:  # fmt: skip
    class SeenError(Exception):
        pass

    def seen(evidence: Evidence, *rest: object) -> None:
        assert (evidence.walks is not None) == walked
        assert (evidence.senses is not None) == asked
        raise SeenError

    monkeypatch.setattr(build, "learned", seen)
    none = np.zeros(0, dtype=np.int32)
    text = Streams(KNOWN, np.ones(len(KNOWN), dtype=np.int64), len(KNOWN), none, none, none)
    files = Chosen("", (), (), {})
    sources = build.Sources("", Texts("", [], none, 0), wordnet, files)
    assert set(without) <= set(build.INGREDIENTS)
    with pytest.raises(SeenError):
        build.lexicon_of(text, {}, keys_of(none, none), {}, sources, build.Settings(), without)
