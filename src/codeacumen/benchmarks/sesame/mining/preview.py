"""Write the pages on which people rate pairs: one page for each pair, and an index of all.

They are static files that work from a folder, without a server or network. The browser stores the
ratings; the pages also pass them on in their addresses, because a browser may separate the storage
of each file. The index saves them as JSON in SeSaMe's form, which ``codeacumen survey clean``
reads, or as CSV.

All shown text is escaped, and each page's content security policy permits our script only. Our own
scanner highlights the Java, so it works for any text and needs no library.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from codeacumen.api import CodeacumenError
from codeacumen.core.files import write_atomically
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, symbols
from codeacumen.languages.java.syntax.lexical import KEYWORDS
from codeacumen.languages.java.syntax.tokens import KINDS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

KEYWORD, TEXT, NUMBER, COMMENT, TYPE, METHOD = "k", "s", "n", "c", "t", "m"
# Replacement for characters that HTML cannot represent.
_UNSHOWN = str.maketrans({chr(code): "�" for code in [*range(9), 11, 12, *range(14, 32), 127]})


@lru_cache(maxsize=1)
def _classes() -> tuple[str, ...]:
    """Return the CSS class of each kind of token, "" for none."""
    words = {word.upper() for word in KEYWORDS}
    found = []
    for kind in KINDS:
        if kind in ("CHARLITERAL", "STRINGLITERAL"):
            found.append(TEXT)
        elif kind.endswith("LITERAL"):
            found.append(NUMBER)
        else:
            found.append(KEYWORD if kind in words else "")
    return tuple(found)


def marked(text: str) -> str:
    """Return the text as highlighted HTML; a ``subject`` span encloses the first method."""
    file = JavaFile(text.encode("utf-8", errors="replace"))
    source = file.source
    edges = _subject(file)
    parts: list[str] = []
    position = 0

    def plain(until: int) -> None:
        """Append text without a highlight up to a byte, with the edges of the subject in it."""
        nonlocal position
        while edges and edges[0][0] <= until:
            edge, tag = edges.pop(0)
            parts.append(_escaped(source[position:edge]) + tag)
            position = max(position, edge)
        parts.append(_escaped(source[position:until]))
        position = until

    for start, stop, name in _marks(file):
        # Marks overlap only in a broken file.
        if start >= position:
            plain(start)
            parts.append(f'<span class="{name}">{_escaped(source[start:stop])}</span>')
            position = stop
    plain(len(source))
    return "".join(parts)


def _escaped(piece: bytes) -> str:
    text = piece.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return escape(text).translate(_UNSHOWN)


def _subject(file: JavaFile) -> list[tuple[int, str]]:
    """Return the positions and tags that open and close the element around the first method."""
    methods = file.declarations.methods
    if not methods:
        return []
    first = methods[0]
    begin = int(file.syntax.start[first.node if first.javadoc < 0 else first.javadoc])
    end = int(file.syntax.end[first.node])
    # The element spans whole lines if nothing else stands on them.
    line = file.source.rfind(b"\n", 0, begin) + 1
    if not file.source[line:begin].strip():
        begin = line
    end += file.source.startswith(b"\n", end)
    return [(begin, '<span class="subject">'), (end, "</span>")]


def _marks(file: JavaFile) -> list[tuple[int, int, str]]:
    syntax, tokens = file.syntax, file.tokens
    comments = np.flatnonzero(among("line_comment", "block_comment")[syntax.kind])
    spans = zip(syntax.start[comments].tolist(), syntax.end[comments].tolist(), strict=True)
    found = [(start, end, COMMENT) for start, end in spans]
    classes, types = _classes(), symbols("type_identifier")
    called = symbols("method_declaration", "constructor_declaration", "method_invocation")
    declared = symbols(
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    )
    columns = (tokens.kind, tokens.start, tokens.end, tokens.node)
    for kind, start, end, node in zip(*(one.tolist() for one in columns), strict=True):
        name = classes[kind]
        if not name and KINDS[kind] == "IDENTIFIER":
            if int(syntax.kind[node]) in types:
                name = TYPE
            elif syntax.field[node] == field("name"):
                mother = int(syntax.kind[syntax.parent[node]])
                name = METHOD if mother in called else TYPE if mother in declared else ""
        if name and start < end:
            found.append((start, end, name))
    return sorted(found)


INDEX, MARK = "index.html", "codeacumen-rating"
FOLDER = "templates"


@dataclass(frozen=True, slots=True)
class Side:
    """A method as a page shows it, and its origin."""

    project: str
    file: str
    method: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A pair on a page; with ``swapped``, the second method is on the left."""

    id: str
    first: Side
    second: Side
    swapped: bool = False

    @property
    def sides(self) -> tuple[Side, Side]:
        return (self.second, self.first) if self.swapped else (self.first, self.second)


@dataclass(frozen=True, slots=True)
class Statement:
    key: str
    text: str
    meaning: str


STATEMENTS = (
    Statement("goals", "Their goals are similar.", "The purpose of calling them."),
    Statement("operations", "Their operations are similar.", "The abstract steps to the goal."),
    Statement("effects", "Their effects are similar.", "Their results, and what they change."),
)
RATINGS = ((2, "agree"), (1, "conditionally"), (0, "disagree"))
CONFIDENCES = ((2, "high"), (1, "medium"), (0, "low"))


def write_pages(
    out: Path, pairs: Sequence[Shown], *, rater: str = "", title: str = "Similar methods"
) -> list[Path]:
    """Write the pages in the order of the pairs, and return their paths, the index first."""
    index = out / INDEX
    if out.is_dir() and any(out.iterdir()) and not _is_ours(index):
        raise CodeacumenError(
            f"{out} is not empty and has no rating pages",
            "choose an empty or new folder",
        )
    if len({one.id for one in pairs}) != len(pairs):
        raise CodeacumenError("two pairs have the same id")
    names = page_names(len(pairs))
    for old in out.glob("pair-*.html"):
        if old.name not in names:
            old.unlink()
    paths = [out / name for name in names]
    for path, text in zip(paths, _pages(pairs, names, rater, title), strict=True):
        write_atomically(path, text)
    write_atomically(index, _index(pairs, names, rater, title))
    return [index, *paths]


def page_names(many: int) -> list[str]:
    """Return numbered file names, because a pair's id may be any text."""
    width = max(4, len(str(many)))
    return [f"pair-{place:0{width}}.html" for place in range(1, many + 1)]


def _is_ours(index: Path) -> bool:
    return index.is_file() and MARK.encode() in index.read_bytes()[:2000]


def _pages(pairs: Sequence[Shown], names: Sequence[str], rater: str, title: str) -> Iterator[bytes]:
    environment = _environment()
    template = environment.get_template("pair.html")
    around = ["", *names, ""]
    common = _common(_store(pairs, rater), rater, title)
    for place, pair in enumerate(pairs):
        yield _bytes(
            template.render(
                **common,
                place=place + 1,
                many=len(pairs),
                before=around[place],
                after=around[place + 2],
                sides=[(side, marked(side.text)) for side in pair.sides],
                statements=STATEMENTS,
                ratings=RATINGS,
                confidences=CONFIDENCES,
                data={"pair": pair.id, "store": common["store"]},
            )
        )


def _index(pairs: Sequence[Shown], names: Sequence[str], rater: str, title: str) -> bytes:
    store = _store(pairs, rater)
    data = {
        "store": store,
        "rater": rater,
        "pairs": [
            {"id": one.id, "first": _described(one.first), "second": _described(one.second)}
            for one in pairs
        ],
    }
    template = _environment().get_template("index.html")
    return _bytes(
        template.render(**_common(store, rater, title), listed=names, many=len(pairs), data=data)
    )


def _described(side: Side) -> dict[str, str]:
    return {"project": side.project, "file": side.file, "method": side.method}


def _store(pairs: Sequence[Shown], rater: str) -> str:
    """Return the browser's storage key of the votes, unique per set of pairs and rater."""
    text = json.dumps([rater, sorted(one.id for one in pairs)]).encode()
    return f"{MARK}-{hashlib.blake2b(text, digest_size=8).hexdigest()}"


def _common(store: str, rater: str, title: str) -> dict[str, Any]:
    from markupsafe import Markup

    script = _asset("rate.js")
    return {
        "store": store,
        "rater": rater,
        "title": title,
        "mark": MARK,
        "style": Markup(_asset("style.css")),
        "script": Markup(script),
        "policy": _policy(script),
    }


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("codeacumen.benchmarks.sesame.mining", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["json"] = embedded
    return environment


def _asset(name: str) -> str:
    return (
        files("codeacumen.benchmarks.sesame.mining")
        .joinpath(FOLDER, name)
        .read_text(encoding="utf-8")
    )


def embedded(value: object) -> Markup:
    """Return JSON that is safe between script tags.

    Without ``<`` no tag and no comment begins.
    """
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _bytes(text: str) -> bytes:
    """Encode a page; a name may hold a lone surrogate, which UTF-8 cannot represent."""
    return text.encode("utf-8", errors="backslashreplace")
