"""Tests of the rating pages. Oracles: Python's HTML parser, which is independent of the code that
writes the pages, and a browser."""

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
from codeacumen.benchmarks.sesame.mining.rating_pages import (
    ShownPair,
    Side,
    highlight_code,
    list_page_names,
    write_pages,
)
from codeacumen.benchmarks.sesame.survey import clean_ratings, is_sesame

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


class PageParser(HTMLParser):
    """Collects text and elements of a page, and asserts that elements are properly nested."""

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

    def text_inside(self, tag: str) -> str:
        return "".join(text for path, text in self.texts if tag in path)


def make_side(text: str, name: str = "m") -> Side:
    return Side("project", "a/A.java", f"A.{name}()", text)


def make_shown_pairs(*ids: str) -> list[ShownPair]:
    return [
        ShownPair(pair_id, make_side(CODE, "first"), make_side("void f() {}", "second"))
        for pair_id in ids
    ]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_marked_code_keeps_its_text(text: str) -> None:
    parsed = PageParser(f"<pre>{highlight_code(text)}</pre>")
    assert parsed.open == []
    assert {tag for tag, _ in parsed.elements} <= {"pre", "span"}
    expected = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    expected = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "�", expected)
    assert parsed.text_inside("pre") == expected


def test_marked_parts_of_code() -> None:
    html = highlight_code(CODE)
    texts_by_class = {
        kind: re.findall(f'<span class="{kind}">(.*?)</span>', html) for kind in "ksnctm"
    }
    assert texts_by_class == {
        "k": ["import", "class", "public", "int", "return", "int"],
        "s": ["&quot;a &lt; b &amp;&amp; c&quot;", "&#x27;x&#x27;"],
        "n": ["0x1F", "1.5e3"],
        "c": ["/** Sells &lt;b&gt;it&lt;/b&gt;. */", "// &quot;no string&quot;"],
        "t": ["Shop", "T", "T"],
        "m": ["sell", "count"],
    }
    assert '<span class="subject">    <span class="c">/** Sells' in html
    assert re.search(r"\}\n</span>\n    <span class=\"k\">int</span> count", html)


def test_pages_and_their_links(tmp_path: Path) -> None:
    paths = write_pages(
        tmp_path / "out", make_shown_pairs("7", "8", "9"), rater="Ann", title="Shops"
    )
    assert [path.name for path in paths] == ["index.html", *list_page_names(3)]
    for path in paths:
        parsed = PageParser(path.read_text())
        assert parsed.open == []
        links = [attributes["href"] for tag, attributes in parsed.elements if tag == "a"]
        assert links
        assert all((path.parent / str(link)).is_file() for link in links)
        for tag, attributes in parsed.elements:
            # Nothing is loaded from elsewhere, and no attribute contains a script.
            assert tag not in ("img", "link", "iframe", "object")
            assert "src" not in attributes
            assert not any(name.startswith("on") for name in attributes)
    page = PageParser(paths[1].read_text())
    radios = [
        (attributes["name"], attributes["value"])
        for tag, attributes in page.elements
        if attributes.get("type") == "radio"
    ]
    names = [
        f"{flavour}{suffix}"
        for flavour in ("goals", "operations", "effects")
        for suffix in ("", "-confidence")
    ]
    assert radios == [(name, value) for name in names for value in "210"]
    assert page.text_inside("pre") == CODE + "void f() {}"


def test_swapped_pair_shows_the_second_method_first(tmp_path: Path) -> None:
    pair = ShownPair("1", make_side("first"), make_side("second"), swapped=True)
    paths = write_pages(tmp_path, [pair])
    assert PageParser(paths[1].read_text()).text_inside("pre") == "secondfirst"
    texts = PageParser(paths[0].read_text()).texts
    data = json.loads(next(text for path, text in texts if path[-1:] == ("script",)))
    assert data["pairs"][0]["first"]["method"] == "A.m()"


@pytest.mark.parametrize("bad", HOSTILE)
def test_hostile_text_is_escaped(tmp_path: Path, bad: str) -> None:
    hostile = Side(bad, bad, bad, bad)
    paths = write_pages(tmp_path, [ShownPair(bad, hostile, hostile)], rater=bad, title=bad)
    harmless = Side("p", "f", "m", "x")
    plain = write_pages(
        tmp_path / "plain", [ShownPair("p", harmless, harmless)], rater="r", title="t"
    )
    for path, other in zip(paths, plain, strict=True):
        parsed, expected = PageParser(path.read_bytes().decode()), PageParser(other.read_text())
        assert parsed.open == []
        tags = [tag for tag, _ in parsed.elements if tag != "span"]
        assert tags == [tag for tag, _ in expected.elements if tag != "span"]
        names = [sorted(attributes) for tag, attributes in parsed.elements if tag != "span"]
        assert names == [
            sorted(attributes) for tag, attributes in expected.elements if tag != "span"
        ]


def test_pages_replace_only_their_own_folder(tmp_path: Path) -> None:
    write_pages(tmp_path / "out", make_shown_pairs("1", "2", "3"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    write_pages(tmp_path / "out", make_shown_pairs("1", "2", "3"))
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    write_pages(tmp_path / "out", make_shown_pairs("1"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "index.html",
        "pair-0001.html",
    ]
    write_pages(tmp_path / "none", [])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("my own")
    with pytest.raises(CodeacumenError):
        write_pages(tmp_path / "mine", make_shown_pairs("1"))
    with pytest.raises(CodeacumenError):
        write_pages(tmp_path / "twice", make_shown_pairs("1", "1"))


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """Yield a page; then assert that it logged nothing and requested nothing from a network."""
    context = browser.new_context(accept_downloads=True)
    page, noise = context.new_page(), []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: (noise.append("dialog"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: request.url.startswith(("file:", "blob:")) or noise.append(request.url),
    )
    yield page
    context.close()
    assert noise == []


def cast_votes(page: Any, **votes: int) -> None:
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
    """Votes persist across pages and are saved in SeSaMe's format, which can be cleaned; also
    without local storage."""
    if not storage:
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
        )
    paths = write_pages(tmp_path / "pages", make_shown_pairs("7", 'b"8', "9"), rater="Ann B.")
    page.goto(paths[0].as_uri())
    assert page.inner_text("#state") == "0 of 3 rated"
    page.click("#next")
    cast_votes(page, **ALL)
    assert page.inner_text("#state").startswith("Rated")
    page.click("a.go")
    cast_votes(page, goals=0)
    page.click("a[rel=prev]")
    assert page.locator("input:checked").count() == 6
    cast_votes(page, goals=1)
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
    assert [entry["pairid"] for entry in entries] == ["7", 'b"8', "9"]
    assert entries[0]["goals"] == [{"rating": 1, "confidence": 2}]
    # A vote without all six answers is not saved.
    assert entries[1]["goals"] == [{"rating": -1, "confidence": -1}]
    assert entries[0]["second"]["method"] == "A.second()"
    assert is_sesame(votes)
    assert clean_ratings(votes, tmp_path / "clean")["pairs"] == {"before": 3, "after": 3}
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


def test_hostile_text_in_a_browser(page: Any, tmp_path: Path) -> None:
    pairs = [
        ShownPair(f"{bad}{number}", Side(bad, bad, bad, bad), Side(bad, bad, bad, CODE))
        for number, bad in enumerate(HOSTILE)
    ]
    paths = write_pages(tmp_path, pairs, rater=HOSTILE[0], title=HOSTILE[3])
    for path in paths[1:]:
        page.goto(path.as_uri())
        cast_votes(page, **ALL)
    page.goto(paths[0].as_uri())
    assert page.inner_text("#state") == f"{len(HOSTILE)} of {len(HOSTILE)} rated"
    assert page.locator("#next").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_in_narrow_windows_and_dark_mode(page: Any, tmp_path: Path, scheme: str) -> None:
    wide = ShownPair("1", make_side("class " + "A" * 500 + " {}"), make_side(CODE, "n" * 300))
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
