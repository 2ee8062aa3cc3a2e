"""Oracles: Python's HTML parser, which shares nothing with what writes the pages; a browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.preview import Shown, Side, marked, page_names, write_pages
from codeacumen.benchmarks.sesame.survey import clean, is_sesame

CODE = """\
import java.util.List;

class Shop<T> {
    /** Sells <b>it</b>. */
    @Override
    public int sell(T what) {
        return count("a < b && c", 'x', 0x1F) + 1.5e3; // "no string"
    }

    int count;
}
"""
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=1>',
    "{{ 7 * 7 }}",
    "'; alert(1); '",
    "</code></pre>",
    "&lt;",
    "\u2028",
    "\ud800",
    "\0",
    "__proto__",
]
PIECES = [*HOSTILE, CODE, "{", "/*", '"', "\r\n"]


class Reader(HTMLParser):
    """The text and the elements of a page; elements must close in the order they opened."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self.open), data))

    def inside(self, tag: str) -> str:
        return "".join(text for path, text in self.texts if tag in path)


def side(text: str, name: str = "m") -> Side:
    return Side("project", "a/A.java", f"A.{name}()", text)


def shown(*ids: str) -> list[Shown]:
    return [Shown(one, side(CODE, "first"), side("void f() {}", "second")) for one in ids]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_marked_code_says_what_the_code_says(text: str) -> None:
    read = Reader(f"<pre>{marked(text)}</pre>")
    assert read.open == []
    assert {tag for tag, _ in read.elements} <= {"pre", "span"}
    expected = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    expected = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "�", expected)
    assert read.inside("pre") == expected


def test_which_parts_are_marked() -> None:
    html = marked(CODE)
    found = {kind: re.findall(f'<span class="{kind}">(.*?)</span>', html) for kind in "ksnctm"}
    assert found == {
        "k": ["import", "class", "public", "int", "return", "int"],
        "s": ["&quot;a &lt; b &amp;&amp; c&quot;", "&#x27;x&#x27;"],
        "n": ["0x1F", "1.5e3"],
        "c": ["/** Sells &lt;b&gt;it&lt;/b&gt;. */", "// &quot;no string&quot;"],
        "t": ["Shop", "T", "T"],
        "m": ["sell", "count"],
    }
    assert '<span class="subject">    <span class="c">/** Sells' in html
    assert re.search(r"\}\n</span>\n    <span class=\"k\">int</span> count", html)


def test_pages_and_what_they_link(tmp_path: Path) -> None:
    paths = write_pages(tmp_path / "out", shown("7", "8", "9"), rater="Ann", title="Shops")
    assert [one.name for one in paths] == ["index.html", *page_names(3)]
    for path in paths:
        read = Reader(path.read_text())
        assert read.open == []
        links = [a["href"] for tag, a in read.elements if tag == "a"]
        assert links
        assert all((path.parent / str(link)).is_file() for link in links)
        for tag, attributes in read.elements:
            # Nothing is loaded from anywhere, and no script stands in an attribute.
            assert tag not in ("img", "link", "iframe", "object")
            assert "src" not in attributes
            assert not any(name.startswith("on") for name in attributes)
    page = Reader(paths[1].read_text())
    radios = [(a["name"], a["value"]) for tag, a in page.elements if a.get("type") == "radio"]
    names = [
        f"{flavour}{what}"
        for flavour in ("goals", "operations", "effects")
        for what in ("", "-confidence")
    ]
    assert radios == [(name, value) for name in names for value in "210"]
    assert page.inside("pre") == CODE + "void f() {}"


def test_the_second_may_stand_on_the_left(tmp_path: Path) -> None:
    pair = Shown("1", side("first"), side("second"), swapped=True)
    paths = write_pages(tmp_path, [pair])
    assert Reader(paths[1].read_text()).inside("pre") == "secondfirst"
    texts = Reader(paths[0].read_text()).texts
    data = json.loads(next(text for path, text in texts if path[-1:] == ("script",)))
    assert data["pairs"][0]["first"]["method"] == "A.m()"


@pytest.mark.parametrize("bad", HOSTILE)
def test_hostile_words_stay_words(tmp_path: Path, bad: str) -> None:
    hostile = Side(bad, bad, bad, bad)
    paths = write_pages(tmp_path, [Shown(bad, hostile, hostile)], rater=bad, title=bad)
    harmless = Side("p", "f", "m", "x")
    plain = write_pages(tmp_path / "plain", [Shown("p", harmless, harmless)], rater="r", title="t")
    for path, other in zip(paths, plain, strict=True):
        read, expected = Reader(path.read_bytes().decode()), Reader(other.read_text())
        assert read.open == []
        tags = [tag for tag, _ in read.elements if tag != "span"]
        assert tags == [tag for tag, _ in expected.elements if tag != "span"]
        names = [sorted(a) for tag, a in read.elements if tag != "span"]
        assert names == [sorted(a) for tag, a in expected.elements if tag != "span"]


def test_folders(tmp_path: Path) -> None:
    write_pages(tmp_path / "out", shown("1", "2", "3"))
    before = {one.name: one.read_bytes() for one in (tmp_path / "out").iterdir()}
    write_pages(tmp_path / "out", shown("1", "2", "3"))
    assert {one.name: one.read_bytes() for one in (tmp_path / "out").iterdir()} == before
    write_pages(tmp_path / "out", shown("1"))
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        "index.html",
        "pair-0001.html",
    ]
    write_pages(tmp_path / "none", [])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("my own")
    with pytest.raises(CodeacumenError):
        write_pages(tmp_path / "mine", shown("1"))
    with pytest.raises(CodeacumenError):
        write_pages(tmp_path / "twice", shown("1", "1"))


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """At the end it must have said nothing and asked nobody for anything."""
    context = browser.new_context(accept_downloads=True)
    page, noise = context.new_page(), []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: (noise.append("dialog"), dialog.dismiss()))
    page.on("request", lambda one: one.url.startswith(("file:", "blob:")) or noise.append(one.url))
    yield page
    context.close()
    assert noise == []


def rate(page: Any, **votes: int) -> None:
    for name, value in votes.items():
        key = name.replace("_", "-")
        page.locator(f'input[name="{key}"][value="{value}"]').check(force=True)


ALL = {
    "goals": 2,
    "operations": 1,
    "effects": 0,
    "goals_confidence": 2,
    "operations_confidence": 1,
    "effects_confidence": 0,
}


@pytest.mark.parametrize("storage", [True, False])
def test_rating_in_a_browser(page: Any, tmp_path: Path, storage: bool) -> None:
    """Votes survive from page to page and are saved in SeSaMe's form, which can be cleaned; also
    where a browser keeps no storage for files."""
    if not storage:
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
        )
    paths = write_pages(tmp_path / "pages", shown("7", 'b"8', "9"), rater="Ann B.")
    page.goto(paths[0].as_uri())
    assert page.inner_text("#state") == "0 of 3 rated"
    page.click("#next")
    rate(page, **ALL)
    assert page.inner_text("#state").startswith("Rated")
    page.click("a.go")
    rate(page, goals=0)
    page.click("a[rel=prev]")
    assert page.locator("input:checked").count() == 6
    rate(page, goals=1)
    page.click("nav a[href*='index.html']")
    assert page.inner_text("#state") == "1 of 3 rated"
    assert page.locator("a.rated").all_inner_texts() == ["1"]
    assert page.locator("a.begun").all_inner_texts() == ["2"]
    with page.expect_download() as saved:
        page.click("#save-json")
    votes = tmp_path / saved.value.suggested_filename
    assert votes.name == "votes-Ann_B..json"
    saved.value.save_as(votes)
    entries = json.loads(votes.read_text())
    assert [one["pairid"] for one in entries] == ["7", 'b"8', "9"]
    assert entries[0]["goals"] == [{"rating": 1, "confidence": 2}]
    # Half a vote is none.
    assert entries[1]["goals"] == [{"rating": -1, "confidence": -1}]
    assert entries[0]["second"]["method"] == "A.second()"
    assert is_sesame(votes)
    assert clean(votes, tmp_path / "clean")["pairs"] == {"before": 3, "after": 3}
    with page.expect_download() as saved:
        page.click("#save-csv")
    saved.value.save_as(tmp_path / "votes.csv")
    with (tmp_path / "votes.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0] | {"rater": "", "pair": ""} == {
        "rater": "",
        "pair": "",
        "goals": "1",
        "goals_confidence": "2",
        "operations": "1",
        "operations_confidence": "1",
        "effects": "0",
        "effects_confidence": "0",
    }
    assert [(row["rater"], row["pair"]) for row in rows] == [
        ("Ann B.", "7"),
        ("Ann B.", 'b"8'),
        ("Ann B.", "9"),
    ]


def test_hostile_words_in_a_browser(page: Any, tmp_path: Path) -> None:
    pairs = [
        Shown(f"{bad}{place}", Side(bad, bad, bad, bad), Side(bad, bad, bad, CODE))
        for place, bad in enumerate(HOSTILE)
    ]
    paths = write_pages(tmp_path, pairs, rater=HOSTILE[0], title=HOSTILE[3])
    for path in paths[1:]:
        page.goto(path.as_uri())
        rate(page, **ALL)
    page.goto(paths[0].as_uri())
    assert page.inner_text("#state") == f"{len(HOSTILE)} of {len(HOSTILE)} rated"
    assert page.locator("#next").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_dark(page: Any, tmp_path: Path, scheme: str) -> None:
    wide = Shown("1", side("class " + "A" * 500 + " {}"), side(CODE, "n" * 300))
    paths = write_pages(tmp_path, [wide], title="t" * 300)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 800})
    for path in paths:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        colour = "getComputedStyle(document.body).backgroundColor"
        assert (page.evaluate(colour) == "rgb(255, 255, 255)") == (scheme == "light")
        page.click("#theme")
        assert (page.evaluate(colour) == "rgb(255, 255, 255)") != (scheme == "light")
        page.click("#theme")
