"""Tests of learning a complete lexicon from an example's code, a small WordNet and random text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import Pair
from codeacumen.models.identifier_similarity.lexicon import Lexicon
from codeacumen.models.identifier_similarity.model import IdentifierSimilarity
from support import ROOT

pytest.importorskip("gensim")
# Parts of an example that are large enough for these tests.
SOME = [str(ROOT / "examples" / "quill" / "src" / "quill" / name) for name in ("text", "syntax")]


def learn_lexicon(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "research.lexicon", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.fixture
def resources(tmp_path: Path, make_wordnet: Callable[..., Path]) -> tuple[Path, Path]:
    """Return a WordNet and a text in which similar words of SimLex share meanings and sentences."""
    gensim_spec = find_spec("gensim")
    assert gensim_spec
    assert gensim_spec.submodule_search_locations
    data = Path(gensim_spec.submodule_search_locations[0]) / "test" / "test_data" / "simlex999.txt"
    rows = [line.split("\t") for line in data.read_text().splitlines() if line[:1] != "#"][:80]
    meanings: list[object] = [("n", ["entity"], [], "what is")]
    sentences: list[str] = []
    rng = np.random.default_rng(0)
    for row_number, (first_word, second_word, score) in enumerate(rows):
        is_similar = float(score) > 5
        above = [("@", 0, 0, 0)]
        meanings += [
            ("n", group, above, "a thing of some kind")
            for group in (
                [[first_word, second_word]] if is_similar else [[first_word], [second_word]]
            )
        ]
        for word in (first_word, second_word):
            kind = row_number if is_similar else int(rng.integers(1000, 2000))
            sentences += [
                f"the {word} with {_spell_number(kind)} and {_spell_number(int(companion))}"
                for companion in rng.integers(2000, 2030, size=6)
            ]
    text = tmp_path / "text.txt"
    text.write_text(".\n".join(sentences))
    return make_wordnet(tmp_path / "wordnet", meanings), text


def _spell_number(number: int) -> str:
    return "w" + "".join("abcdefghij"[int(digit)] for digit in str(number))


def test_lexicon_does_not_depend_on_workers(
    home: Path,
    tmp_path: Path,
    resources: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wordnet, text = resources
    for workers in ("1", "2"):
        completed = learn_lexicon(
            *SOME,
            "--wordnet",
            wordnet,
            "--text",
            text,
            "--words",
            "500",
            "--out",
            tmp_path / workers,
            "-j",
            workers,
        )
        assert completed.returncode == 0, completed.stderr
        assert "500 words" in completed.stdout
        # Remove the cache, so that the second run reads the code itself.
        for file in (home / "names").glob("*.npz"):
            file.unlink()
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    one_worker, two_workers = (
        (tmp_path / workers / "names.npz").read_bytes() for workers in ("1", "2")
    )
    assert one_worker == two_workers
    lexicon = Lexicon.load(tmp_path / "1" / "names.npz")
    assert lexicon.words[0] == "the"
    assert lexicon.about["data"]["code"]["files"]["java"] > 10
    assert lexicon.about["data"]["texts"]["files"] == 1
    assert lexicon.about["settings"]["words"] == 500
    assert "licence" in lexicon.about["licence"]
    assert json.dumps(lexicon.about["learned"]["simlex999"])
    model = IdentifierSimilarity(tmp_path / "1" / "names.npz")
    synonyms, antonyms = model.similarity(
        [Pair("smartThing", "intelligentThing"), Pair("smart", "hard")]
    )
    assert synonyms > antonyms


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--wordnet", ".", "--out", "x"), "no WordNet in"),
        (("--wordnet", "x", "--without", "luck", "--out", "x"), "luck"),
        (("--wordnet", "x", "--out", "full"), "holds other files"),
    ],
)
def test_wrong_arguments_are_reported(
    home: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("all of it")
    paths = [
        "luck"
        if argument == "luck"
        else argument
        if argument[0] == "-"
        else str(tmp_path / argument)
        for argument in arguments
    ]
    completed = learn_lexicon(SOME[0], *paths)
    assert completed.returncode == 2, completed.stderr
    assert message in completed.stderr
    assert (tmp_path / "full" / "thesis.txt").is_file()
