"""Write the pages on which people rate pairs: one page for each pair, and an index of all.

``pipeline`` calls ``write_pages``. The pages are static files that work from a folder, without a
server or network. The browser stores the ratings; the pages also pass the ratings on in their
addresses, because a browser may separate the storage of each file. The index saves the ratings as
JSON in SeSaMe's form, which ``codeacumen survey clean`` reads, or as CSV.

All shown text is escaped, and each page's content security policy permits our script only. Our own
tokenizer highlights the Java, so this works for any text and needs no library. The subject is the
method to judge, the first method of an excerpt (see ``excerpts``).
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
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_mask
from codeacumen.languages.java.syntax.lexical import KEYWORDS
from codeacumen.languages.java.syntax.tokens import KINDS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# CSS classes of highlighted tokens, as in templates/style.css.
KEYWORD, STRING, NUMBER, COMMENT, TYPE, METHOD = "k", "s", "n", "c", "t", "m"
# Replacement for characters that HTML cannot represent.
_REPLACED_CHARACTERS = str.maketrans(
    {chr(code): "�" for code in [*range(9), 11, 12, *range(14, 32), 127]}
)


@lru_cache(maxsize=1)
def _list_css_classes() -> tuple[str, ...]:
    """Return the CSS class of each kind of token, in the order of ``KINDS``; "" for none."""
    words = {word.upper() for word in KEYWORDS}
    classes = []
    for kind in KINDS:
        if kind in ("CHARLITERAL", "STRINGLITERAL"):
            classes.append(STRING)
        elif kind.endswith("LITERAL"):
            classes.append(NUMBER)
        else:
            classes.append(KEYWORD if kind in words else "")
    return tuple(classes)


def highlight_code(text: str) -> str:
    """Return Java as highlighted HTML; a span of class ``subject`` encloses the first method."""
    file = JavaFile(text.encode("utf-8", errors="replace"))
    source = file.source
    edges = _find_subject_edges(file)
    parts: list[str] = []
    position = 0

    def append_plain(until: int) -> None:
        """Append text without a highlight up to a byte offset, and the subject's tags in it."""
        nonlocal position
        while edges and edges[0][0] <= until:
            edge, tag = edges.pop(0)
            parts.append(_escape_html(source[position:edge]) + tag)
            position = max(position, edge)
        parts.append(_escape_html(source[position:until]))
        position = until

    for start, stop, name in _find_marks(file):
        # Marks overlap only in a broken file.
        if start >= position:
            append_plain(start)
            parts.append(f'<span class="{name}">{_escape_html(source[start:stop])}</span>')
            position = stop
    append_plain(len(source))
    return "".join(parts)


def _escape_html(piece: bytes) -> str:
    """Return a part of a source as HTML, with line feeds only and without control characters."""
    text = piece.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return escape(text).translate(_REPLACED_CHARACTERS)


def _find_subject_edges(file: JavaFile) -> list[tuple[int, str]]:
    """Return the offsets and tags that open and close the element around the first method."""
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


def _find_marks(file: JavaFile) -> list[tuple[int, int, str]]:
    """Return start, end and CSS class of each highlighted token, in source order."""
    syntax, tokens = file.syntax, file.tokens
    comments = np.flatnonzero(symbol_mask("line_comment", "block_comment")[syntax.kind])
    spans = zip(syntax.start[comments].tolist(), syntax.end[comments].tolist(), strict=True)
    marks = [(start, end, COMMENT) for start, end in spans]
    classes, types = _list_css_classes(), find_symbols("type_identifier")
    call_kinds = find_symbols("method_declaration", "constructor_declaration", "method_invocation")
    type_kinds = find_symbols(
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    )
    columns = (tokens.kind, tokens.start, tokens.end, tokens.node)
    for kind, start, end, node in zip(*(column.tolist() for column in columns), strict=True):
        name = classes[kind]
        if not name and KINDS[kind] == "IDENTIFIER":
            if int(syntax.kind[node]) in types:
                name = TYPE
            elif syntax.field[node] == field_number("name"):
                parent_kind = int(syntax.kind[syntax.parent[node]])
                name = (
                    METHOD
                    if parent_kind in call_kinds
                    else TYPE
                    if parent_kind in type_kinds
                    else ""
                )
        if name and start < end:
            marks.append((start, end, name))
    return sorted(marks)


# MARK identifies our pages: only a folder with our index is overwritten.
INDEX, MARK = "index.html", "codeacumen-rating"
# Folder of the templates, the script and the style, beside this file.
FOLDER = "templates"


@dataclass(frozen=True, slots=True)
class Side:
    """A method on a page: its origin, its key (``Type.name(types)``) and its excerpt, ``text``."""

    project: str
    file: str
    method: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownPair:
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
    """A statement that raters judge: its key in the results, its text, and an explanation."""

    key: str
    text: str
    meaning: str


STATEMENTS = (
    Statement("goals", "Their goals are similar.", "The purpose of calling them."),
    Statement("operations", "Their operations are similar.", "The abstract steps to the goal."),
    Statement("effects", "Their effects are similar.", "Their results, and what they change."),
)
# Stored numbers and shown words, as in SeSaMe.
RATINGS = ((2, "agree"), (1, "conditionally"), (0, "disagree"))
CONFIDENCES = ((2, "high"), (1, "medium"), (0, "low"))


def write_pages(
    out: Path, pairs: Sequence[ShownPair], *, rater: str = "", title: str = "Similar methods"
) -> list[Path]:
    """Write the pages in the order of the pairs, and return their paths, the index first.

    Pages of an earlier run are overwritten or deleted. Raises an error if the folder has files but
    not our index. ``rater`` is the rater's name, shown and saved with the votes, or empty.
    """
    index = out / INDEX
    if out.is_dir() and any(out.iterdir()) and not _is_ours(index):
        raise CodeacumenError(
            f"{out} is not empty and has no rating pages",
            "choose an empty or new folder",
        )
    if len({pair.id for pair in pairs}) != len(pairs):
        raise CodeacumenError("two pairs have the same id")
    names = list_page_names(len(pairs))
    for old in out.glob("pair-*.html"):
        if old.name not in names:
            old.unlink()
    paths = [out / name for name in names]
    for path, text in zip(paths, _render_pages(pairs, names, rater, title), strict=True):
        write_atomically(path, text)
    write_atomically(index, _render_index(pairs, names, rater, title))
    return [index, *paths]


def list_page_names(count: int) -> list[str]:
    """Return the file names of a number of pages, from ``pair-0001.html`` on.

    They are numbered because a pair's id may be any text.
    """
    width = max(4, len(str(count)))
    return [f"pair-{number:0{width}}.html" for number in range(1, count + 1)]


def _is_ours(index: Path) -> bool:
    return index.is_file() and MARK.encode() in index.read_bytes()[:2000]


def _render_pages(
    pairs: Sequence[ShownPair], names: Sequence[str], rater: str, title: str
) -> Iterator[bytes]:
    environment = _make_environment()
    template = environment.get_template("pair.html")
    # The page at ``index`` links to those at ``index`` and ``index + 2`` of this list; "": no link.
    linked_names = ["", *names, ""]
    common = _make_common_context(_make_storage_key(pairs, rater), rater, title)
    for index, pair in enumerate(pairs):
        yield _encode_page(
            template.render(
                **common,
                place=index + 1,
                many=len(pairs),
                before=linked_names[index],
                after=linked_names[index + 2],
                sides=[(side, highlight_code(side.text)) for side in pair.sides],
                statements=STATEMENTS,
                ratings=RATINGS,
                confidences=CONFIDENCES,
                data={"pair": pair.id, "store": common["store"]},
            )
        )


def _render_index(
    pairs: Sequence[ShownPair], names: Sequence[str], rater: str, title: str
) -> bytes:
    store = _make_storage_key(pairs, rater)
    data = {
        "store": store,
        "rater": rater,
        "pairs": [
            {
                "id": pair.id,
                "first": _describe_side(pair.first),
                "second": _describe_side(pair.second),
            }
            for pair in pairs
        ],
    }
    template = _make_environment().get_template("index.html")
    return _encode_page(
        template.render(
            **_make_common_context(store, rater, title), listed=names, many=len(pairs), data=data
        )
    )


def _describe_side(side: Side) -> dict[str, str]:
    return {"project": side.project, "file": side.file, "method": side.method}


def _make_storage_key(pairs: Sequence[ShownPair], rater: str) -> str:
    """Return the browser's storage key of the votes, unique per set of pairs and rater."""
    text = json.dumps([rater, sorted(pair.id for pair in pairs)]).encode()
    return f"{MARK}-{hashlib.blake2b(text, digest_size=8).hexdigest()}"


def _make_common_context(store: str, rater: str, title: str) -> dict[str, Any]:
    from markupsafe import Markup

    script = _read_asset("rate.js")
    return {
        "store": store,
        "rater": rater,
        "title": title,
        "mark": MARK,
        "style": Markup(_read_asset("style.css")),
        "script": Markup(script),
        "policy": _make_policy(script),
    }


def _make_environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("codeacumen.benchmarks.sesame.mining", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["json"] = embed_json
    return environment


def _read_asset(name: str) -> str:
    return (
        files("codeacumen.benchmarks.sesame.mining")
        .joinpath(FOLDER, name)
        .read_text(encoding="utf-8")
    )


def embed_json(value: object) -> Markup:
    """Return JSON that is safe between script tags: without ``<``, no tag or comment begins."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _make_policy(script: str) -> str:
    """Return the content security policy that permits this script only."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _encode_page(text: str) -> bytes:
    """Return a page as UTF-8; lone surrogates, which a name may have, are written as escapes."""
    return text.encode("utf-8", errors="backslashreplace")
