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
    found = find_spec("gensim")
    assert found
    assert found.submodule_search_locations
    data = Path(found.submodule_search_locations[0]) / "test" / "test_data" / "simlex999.txt"
    rows = [line.split("\t") for line in data.read_text().splitlines() if line[:1] != "#"][:80]
    meanings: list[object] = [("n", ["entity"], [], "what is")]
    sentences: list[str] = []
    rng = np.random.default_rng(0)
    for number, (one, other, score) in enumerate(rows):
        alike = float(score) > 5
        above = [("@", 0, 0, 0)]
        meanings += [
            ("n", group, above, "a thing of some kind")
            for group in ([[one, other]] if alike else [[one], [other]])
        ]
        for word in (one, other):
            kind = number if alike else int(rng.integers(1000, 2000))
            sentences += [
                f"the {word} with {_name(kind)} and {_name(int(n))}"
                for n in rng.integers(2000, 2030, size=6)
            ]
    text = tmp_path / "text.txt"
    text.write_text(".\n".join(sentences))
    return make_wordnet(tmp_path / "wordnet", meanings), text


def _name(number: int) -> str:
    return "w" + "".join("abcdefghij"[int(digit)] for digit in str(number))


def test_the_same_bytes_whatever_the_workers(
    home: Path,
    tmp_path: Path,
    resources: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wordnet, text = resources
    for workers in ("1", "2"):
        done = learn_lexicon(
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
        assert done.returncode == 0, done.stderr
        assert "500 words" in done.stdout
        # Remove the cache, so that the second run reads the code itself.
        for file in (home / "names").glob("*.npz"):
            file.unlink()
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    one, two = ((tmp_path / workers / "names.npz").read_bytes() for workers in ("1", "2"))
    assert one == two
    lexicon = Lexicon.load(tmp_path / "1" / "names.npz")
    assert lexicon.words[0] == "the"
    assert lexicon.about["data"]["code"]["files"]["java"] > 10
    assert lexicon.about["data"]["texts"]["files"] == 1
    assert lexicon.about["settings"]["words"] == 500
    assert "licence" in lexicon.about["licence"]
    assert json.dumps(lexicon.about["learned"]["simlex999"])
    model = IdentifierSimilarity(tmp_path / "1" / "names.npz")
    same, other = model.similarity([Pair("smartThing", "intelligentThing"), Pair("smart", "hard")])
    assert same > other


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
        "luck" if one == "luck" else one if one[0] == "-" else str(tmp_path / one)
        for one in arguments
    ]
    done = learn_lexicon(SOME[0], *paths)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert (tmp_path / "full" / "thesis.txt").is_file()
