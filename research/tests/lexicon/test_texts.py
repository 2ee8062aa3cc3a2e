"""Sentences of texts in several formats, against expected values written by hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from corpora import shared_engine
from research.lexicon.texts import Texts, list_files, read_texts, strip_markup
from research.lexicon.words import END, split_sentences


def list_sentences(texts: Texts) -> list[str]:
    words = [texts.words[code] if code != END else "." for code in texts.codes.tolist()]
    return [part.strip() for part in " ".join(words).split(".") if part.strip()]


def test_html_page() -> None:
    page = (
        "<html><head><title>The page</title><style>p { color: red }</style></head>"
        "<body><p>Opens a <code>readLine</code> &amp; more</p><pre>int x = 1;</pre>"
        "<p>a &lt; b holds</p><script>if (a < b) go(there)</script>done now</body>"
    )
    assert list(split_sentences(strip_markup(page, "page"))) == [
        ["the", "page"],
        ["opens", "a", "read", "line", "more"],
        ["a", "b", "holds"],
        ["done", "now"],
    ]


def test_man_page() -> None:
    page = ".TH LS 1\n.SH NAME\nls \\- list \\fBdirectory\\fP contents\n"
    assert list(split_sentences(strip_markup(page, "man"))) == [
        ["ls", "list", "directory", "contents"]
    ]


def test_dictionary() -> None:
    entry = 'Abase \\A*base"\\, v. t. [imp. & p. p.]\n   To {lower} or depress'
    assert ["to", "lower", "or", "depress"] in list(
        split_sentences(strip_markup(entry, "dictionary"))
    )


@given(st.text(alphabet="<>/pre scipt&;\"'ab\n", max_size=60))
def test_strip_markup_accepts_any_page(text: str) -> None:
    strip_markup(text, "page")


@pytest.fixture
def manuals(tmp_path: Path) -> Path:
    folder = tmp_path / "manuals"
    (folder / "html" / "_sources" / "part").mkdir(parents=True)
    (folder / "html" / "part").mkdir()
    (folder / "html" / "part" / "one.html").write_text("<p>From the page</p>")
    (folder / "html" / "part" / "two.html").write_text("<p>Only a page</p>")
    (folder / "html" / "_sources" / "part" / "one.rst.txt").write_text("From the source")
    (folder / "ls.1.gz").write_bytes(gzip.compress(b"list of files"))
    (folder / "cut.txt.gz").write_bytes(gzip.compress(b"kept in part " * 9000)[:-9])
    (folder / "broken.txt.gz").write_bytes(b"not packed at all")
    (folder / "odd.txt").write_bytes(b"\xff\xfe strange bytes")
    (folder / "picture.png").write_bytes(b"no text here")
    (folder / "words.dict.dz").write_bytes(gzip.compress(b"entry of {words}"))
    return folder


def test_read_texts_reads_sources_and_skips_pages_and_pictures(manuals: Path) -> None:
    sentences_read = list_sentences(read_texts([manuals], shared_engine(1)))
    assert "from the source" in sentences_read
    assert "from the page" not in sentences_read
    assert {"only a page", "list of files", "strange bytes", "entry of words"} <= set(
        sentences_read
    )
    assert not any("text here" in sentence for sentence in sentences_read)


def test_texts_do_not_depend_on_workers(manuals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research.lexicon.texts.BATCH", 10)
    one_worker, two_workers = (read_texts([manuals], shared_engine(workers)) for workers in (1, 2))
    assert one_worker.words == two_workers.words
    assert one_worker.codes.tolist() == two_workers.codes.tolist()
    assert one_worker.sha256 == two_workers.sha256
    (manuals / "odd.txt").write_text("other bytes")
    assert read_texts([manuals], shared_engine(1)).sha256 != one_worker.sha256


def test_list_files_of_single_file_and_missing_folder(manuals: Path) -> None:
    assert list_files([manuals / "odd.txt"]) == [manuals / "odd.txt"]
    with pytest.raises(CodeacumenError, match="no such file"):
        list_files([manuals / "nothing"])
    assert read_texts([], shared_engine(1)).codes.tolist() == []
