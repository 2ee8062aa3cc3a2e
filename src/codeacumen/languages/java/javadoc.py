"""The words of a JavaDoc comment: what it says, without how it is marked up.

Of its blocks count the description, ``@param`` (after the word "parameter") and ``@return`` (after
"returns"); others are dropped. Of inline tags, links and code keep what stands in them as it is,
a reference as ``Type#member``; others are dropped. The rest is prose: tags of HTML are gone,
entities are characters, words lose the punctuation that ends them and are in lower case unless a
capital stands further on in them (``hashCode``), and contractions are spelt out.

These are the rules of the tool that made SeSaMe (Kamp et al., 2019), mended where they miss what
they are for; ``compat="sesame-tools"`` is that tool, which looks at one line at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from html.entities import name2codepoint

from codeacumen.api import CodeacumenError

SESAME_TOOLS = "sesame-tools"
COMPATS = ("", SESAME_TOOLS)

# Blocks that are kept, and what is said before them.
_BLOCKS = {"": "", "param": "parameter", "return": "returns"}
_LINKS = frozenset(("link", "linkplain", "value"))
_LITERAL = frozenset(("code", "literal"))
# Inline tags whose content is prose (Java 10, 16). The tool drops them: it is older.
_PROSE = frozenset(("return", "summary"))
# Their first word is shown (Java 9, 12).
_SHOWN = frozenset(("index", "systemProperty"))

# Blocks that end code whose brace was never closed; other words after an @ are annotations there.
_STANDARD = frozenset(
    (
        "author",
        "deprecated",
        "exception",
        "param",
        "return",
        "see",
        "serial",
        "since",
        "throws",
        "version",
    )
)

_LINE_END = re.compile(r"\r\n|[\r\n]")
_BLOCK_TAG = re.compile(r"@([\w.:-]+)")
_BRACE = re.compile(r"\{@([\w.:-]+)|[{}]")
_NESTED = re.compile(r"\{@[\w.:-]+|\}")
_REFERENCE = re.compile(r"\s*(?P<type>[\w.$]*)(?P<member>#\s*(?P<name>[\w$]+))?")
_SPACES = re.compile(r"[ \t\n\x0b\f\r]+")
_PARAMETER = re.compile(r"\s*(?:<\s*([\w$]+)\s*>|([\w$]+))")


@dataclass(slots=True)
class Piece:
    """A stretch of one line: prose, or the content of an inline tag (``inside``)."""

    text: str
    inside: str = ""


@dataclass(slots=True)
class Block:
    """``tag`` is empty for the description, which comes first."""

    tag: str
    pieces: list[Piece] = field(default_factory=list)


def words(comment: str, compat: str = "") -> str:
    """The words of a comment, as it stands in the source, with one space between two."""
    known(compat)
    found: list[str] = []
    for block in blocks(comment):
        prefix = _BLOCKS.get(block.tag)
        if prefix is None:
            continue
        if prefix:
            found.append(prefix)
        found += _said(block, compat)
    return " ".join(_tokens(" ".join(found), compat))


def known(compat: str) -> None:
    """Refuse a tool whose rules nobody knows."""
    if compat not in COMPATS:
        raise CodeacumenError(
            f"there are no rules of a tool called {compat!r} for JavaDoc",
            f"there are those of {SESAME_TOOLS}, and ours, which need no name",
        )


def tags(comment: str) -> list[str]:
    """The names of a comment's block tags, in order."""
    return [block.tag for block in blocks(comment) if block.tag]


def opening(comment: str) -> str:
    """The first line that says something in the description, up to its first inline tag."""
    pieces = blocks(comment)[0].pieces
    return pieces[0].text if pieces and not pieces[0].inside else ""


def blocks(comment: str) -> list[Block]:
    """A comment's blocks. One walk over its characters: what opens and never closes ends where
    its block does."""
    found = [Block("")]
    inside, depth = "", 0
    for line in _lines(comment):
        tag = _BLOCK_TAG.match(line)
        at = 0
        if tag and (inside not in _LITERAL or tag[1] in _STANDARD):
            found.append(Block(tag[1]))
            inside, depth, at = "", 0, tag.end()
        pieces = found[-1].pieces
        for brace in _BRACE.finditer(line, at):
            if not inside:
                if brace[1]:
                    _add(pieces, line[at : brace.start()], "")
                    inside, depth, at = brace[1], 1, brace.end()
                    # An empty piece tells where the tag begins.
                    pieces.append(Piece("", inside))
            elif brace[0] == "}":
                depth -= 1
                if not depth:
                    _add(pieces, line[at : brace.start()], inside)
                    inside, at = "", brace.end()
            else:
                depth += 1
        _add(pieces, line[at:], inside)
    return found


def _add(pieces: list[Piece], text: str, inside: str) -> None:
    if text.strip():
        pieces.append(Piece(text, inside))


def _lines(comment: str) -> Iterator[str]:
    """Lines without the comment's signs and without what indents them."""
    text = comment.removeprefix("/**").removesuffix("*/").rstrip("*")
    for line in _LINE_END.split(text):
        yield line.lstrip().lstrip("*").strip()


# ---------------------------------------------------------------- what is said


def _said(block: Block, compat: str, inner: bool = False) -> Iterator[str]:
    pieces = block.pieces
    place = 0
    if block.tag == "param" and pieces and not pieces[0].inside:
        # The parameter's name is no prose.
        match = _PARAMETER.match(pieces[0].text)
        if match:
            yield match[2] or (f"< {match[1]} >" if compat == SESAME_TOOLS else match[1])
            pieces = [Piece(pieces[0].text[match.end() :]), *pieces[1:]]
    while place < len(pieces):
        inside = pieces[place].inside
        stop = place + 1
        while stop < len(pieces) and pieces[stop].inside == inside and pieces[stop].text:
            stop += 1
        texts = [piece.text for piece in pieces[place:stop]]
        place = stop
        if not inside:
            yield from _prose(texts, compat)
        elif inside in _LITERAL:
            yield from texts
        elif inside in _LINKS:
            yield _linked(" ".join(texts))
        elif compat != SESAME_TOOLS:
            yield from _newer(inside, texts, inner)


def _newer(tag: str, texts: Sequence[str], inner: bool) -> Iterator[str]:
    if tag in _PROSE and not inner:
        if tag == "return":
            yield "returns"
        # There may be tags in it; not again of this kind, so this goes no deeper.
        for block in blocks(" ".join(texts)):
            yield from _said(block, "", inner=True)
    elif tag in _SHOWN:
        yield from " ".join(texts).split()[:1]


def _linked(content: str) -> str:
    """A reference without the types of its parameters, and the label after it, in which there may
    be code."""
    content = _NESTED.sub(" ", content)
    match = _REFERENCE.match(content)
    if match is None or not match[0].strip():
        return content
    end = match.end()
    if content[end : end + 1] == "(":
        closing = content.find(")", end)
        end = len(content) if closing < 0 else closing + 1
    name = f"#{match['name']}" if match["member"] else ""
    return f"{match['type']}{name} {content[end:]}"


def _prose(texts: Sequence[str], compat: str) -> Iterator[str]:
    tool = compat == SESAME_TOOLS
    for text in texts if tool else ("\n".join(texts),):
        if "<" in text:
            text = _without_tags(text) if tool else _without_markup(text)
        if "&" in text:
            text = _ENTITY.sub(_character, text) if tool else unescape(_NUMBER.sub(" ", text))
        word_of = _tool_word if tool else _word
        tokens = _tokens(text, compat)
        place = 0
        while place < len(tokens):
            word = word_of(tokens[place])
            place += 1
            if word == "can" and place < len(tokens) and tokens[place].rstrip(_ENDS) == "not":
                word = "cannot"
                place += 1
            if word:
                yield word


def _tokens(text: str, compat: str) -> list[str]:
    """What stands between white space; for the tool, a space that no line breaks at is none."""
    return [one for one in _SPACES.split(text) if one] if compat == SESAME_TOOLS else text.split()


# ---------------------------------------------------------------- markup


def _without_tags(text: str) -> str:
    """Without anything between ``<`` and the next ``>``: the tool's regular expression, in time
    that grows with the text."""
    found: list[str] = []
    at = 0
    while True:
        start = text.find("<", at)
        end = text.find(">", start + 1) if start >= 0 else -1
        if end < 0:
            return "".join([*found, text[at:]])
        if end == start + 1:  # nothing in it
            found.append(text[at : end + 1])
        else:
            found += (text[at:start], " ")
        at = end + 1


def _without_markup(text: str) -> str:
    """Without tags and comments of HTML; ``i < n`` is none."""
    found: list[str] = []
    last, last_of_comment = text.rfind(">"), text.rfind("-->")
    at = 0
    start = text.find("<")
    while 0 <= start < last:
        end = start
        if text.startswith("<!--", start) and start + 4 <= last_of_comment:
            end = text.find("-->", start + 4) + 3
        elif _IS_TAG.match(text, start):
            end = text.find(">", start) + 1
        if end > start:
            found += (text[at:start], " ")
            at = end
        start = text.find("<", max(end, start + 1))
    return "".join([*found, text[at:]])


_IS_TAG = re.compile(r"</?[A-Za-z!]")
# Numbers that no character has; Python refuses to read those of thousands of digits.
_NUMBER = re.compile(r"&#(?:[0-9]{9,}|[xX][0-9a-fA-F]{9,});?")
_ENTITY = re.compile(r"&(?:#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,7})|([A-Za-z][A-Za-z0-9]*));")
_LARGEST = 0x10FFFF


def _character(entity: re.Match[str]) -> str:
    """The character that HTML 4 calls so; what it does not know stays."""
    decimal, sixteen, name = entity.groups()
    number = int(decimal or 0) or int(sixteen or "0", 16)
    code = name2codepoint.get(name, -1) if name else number
    if not 0 <= code <= _LARGEST:
        return entity[0]
    # Half a surrogate pair is no character of any encoding.
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


# ---------------------------------------------------------------- words

_ENDS = ".,:;!?"
_OPENING, _CLOSING = "([{\"'“‘«", ")]}\"'”’»"
_CAPITAL = re.compile(r".[^\n]*[A-Z]", re.DOTALL)
_WHOLE = {
    "can't": "cannot",
    "won't": "will not",
    "i'm": "i am",
    "i.e": "that is",
    "e.g": "for example",
    "spec'ed": "specified",
    "exec'ing": "executing",
    "zero'd": "zeroed",
    "add'ing": "adding",
    "remove'ing": "removing",
}
_ASCII = re.ASCII
# In this order: the first that fits a whole word.
_CONTRACTIONS = (
    (re.compile(r"(\w+)'nt", _ASCII), "not"),
    (re.compile(r"(\w+)n't", _ASCII), "not"),
    (re.compile(r"(\w+)'re", _ASCII), "are"),
    (re.compile(r"(\w+)'ll", _ASCII), "will"),
    (re.compile(r"(\w+)'ve", _ASCII), "have"),
    (re.compile(r"(i|you|he|she|it|we|they)'d"), "would"),
)
_UNTOUCHED = ("wo", "ca")


@lru_cache(maxsize=1 << 16)
def _word(token: str) -> str:
    """The word without brackets and quotes around it, which hide contractions and capitals:
    ``(The`` and ``"don't"``."""
    token = token.replace("’", "'").lstrip(_OPENING).rstrip(_ENDS + _CLOSING)
    return _spelt_out(_lower(token))


@lru_cache(maxsize=1 << 16)
def _tool_word(token: str) -> str:
    word = _lower(token.rstrip(_ENDS))
    if word.endswith("n't") and word.startswith(_UNTOUCHED):
        return _WHOLE.get(word, word)
    return _spelt_out(word)


def _lower(token: str) -> str:
    return token if _CAPITAL.match(token) else token.lower()


def _spelt_out(word: str) -> str:
    if "'" not in word and "." not in word:
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    for pattern, second in _CONTRACTIONS:
        match = pattern.fullmatch(word)
        if match:
            return f"{match[1]} {second}"
    return word
