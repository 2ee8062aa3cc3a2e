"""The words of a JavaDoc comment, without its markup.

The description, ``@param`` blocks (after the word "parameter") and ``@return`` blocks (after
"returns") are kept, other blocks dropped. Inline links and code keep their content unchanged, a
reference as ``Type#member``; other inline tags are dropped. The rest is prose: HTML tags are
removed, entities decoded, trailing punctuation is cut, words are put into lower case unless a
capital follows the first letter (``hashCode``), and contractions are expanded.

These are the rules of the tool that made SeSaMe (Kamp et al., 2019), corrected where they fail
their purpose; ``compat="sesame-tools"`` follows that tool exactly, which processes one line at a
time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from html.entities import name2codepoint

from codeacumen.api import CodeacumenError

# Values of ``compat``: the default rules of this module, and those of the tool that made SeSaMe.
SESAME_TOOLS = "sesame-tools"
COMPATS = ("", SESAME_TOOLS)

# Blocks that are kept, and the word put before each.
_BLOCKS = {"": "", "param": "parameter", "return": "returns"}
_LINKS = frozenset(("link", "linkplain", "value"))
_LITERAL = frozenset(("code", "literal"))
# Inline tags whose content is prose (Java 10, 16). The tool is older and drops them.
_PROSE = frozenset(("return", "summary"))
# Inline tags of which the first word is shown (Java 9, 12).
_SHOWN = frozenset(("index", "systemProperty"))

# Block tags that end an inline code whose brace is missing; other words after an @ are annotations.
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
    """Part of a line: prose, or the content of the inline tag named ``inside``.

    The first piece of each inline tag is empty.
    """

    text: str
    inside: str = ""


@dataclass(slots=True)
class Block:
    """A block of a comment; ``tag`` is empty for the description, which comes first."""

    tag: str
    pieces: list[Piece] = field(default_factory=list)


def extract_words(comment: str, compat: str = "") -> str:
    """Return the words of a comment (as in the source, with its signs), joined by spaces.

    ``compat`` is one of COMPATS.
    """
    check_compat(compat)
    parts: list[str] = []
    for block in split_blocks(comment):
        prefix = _BLOCKS.get(block.tag)
        if prefix is None:
            continue
        if prefix:
            parts.append(prefix)
        parts += _render_block(block, compat)
    return " ".join(_split_at_spaces(" ".join(parts), compat))


def check_compat(compat: str) -> None:
    """Raise an error unless ``compat`` names known rules."""
    if compat not in COMPATS:
        raise CodeacumenError(
            f"unknown JavaDoc rules {compat!r}",
            f"use {SESAME_TOOLS!r}, or '' for the default rules",
        )


def list_block_tags(comment: str) -> list[str]:
    """Return the names of a comment's block tags, in order."""
    return [block.tag for block in split_blocks(comment) if block.tag]


def extract_first_line(comment: str) -> str:
    """Return the first non-empty line of the description, up to its first inline tag."""
    pieces = split_blocks(comment)[0].pieces
    return pieces[0].text if pieces and not pieces[0].inside else ""


def split_blocks(comment: str) -> list[Block]:
    """Return a comment's blocks, from one walk over its characters. An inline tag without a
    closing brace ends with its block."""
    blocks = [Block("")]
    inside, depth = "", 0
    for line in _split_lines(comment):
        tag = _BLOCK_TAG.match(line)
        start = 0
        if tag and (inside not in _LITERAL or tag[1] in _STANDARD):
            blocks.append(Block(tag[1]))
            inside, depth, start = "", 0, tag.end()
        pieces = blocks[-1].pieces
        for brace in _BRACE.finditer(line, start):
            if not inside:
                if brace[1]:
                    _add_piece(pieces, line[start : brace.start()], "")
                    inside, depth, start = brace[1], 1, brace.end()
                    # An empty piece marks the start of the tag.
                    pieces.append(Piece("", inside))
            elif brace[0] == "}":
                depth -= 1
                if not depth:
                    _add_piece(pieces, line[start : brace.start()], inside)
                    inside, start = "", brace.end()
            else:
                depth += 1
        _add_piece(pieces, line[start:], inside)
    return blocks


def _add_piece(pieces: list[Piece], text: str, inside: str) -> None:
    if text.strip():
        pieces.append(Piece(text, inside))


def _split_lines(comment: str) -> Iterator[str]:
    """Yield the lines without the comment's signs and indentation."""
    text = comment.removeprefix("/**").removesuffix("*/").rstrip("*")
    for line in _LINE_END.split(text):
        yield line.lstrip().lstrip("*").strip()


# ---------------------------------------------------------------- blocks and inline tags


def _render_block(block: Block, compat: str, inner: bool = False) -> Iterator[str]:
    """Yield a block's texts; ``inner`` is set inside an inline tag whose content is prose."""
    pieces = block.pieces
    position = 0
    if block.tag == "param" and pieces and not pieces[0].inside:
        # The parameter's name is kept unchanged.
        match = _PARAMETER.match(pieces[0].text)
        if match:
            yield match[2] or (f"< {match[1]} >" if compat == SESAME_TOOLS else match[1])
            pieces = [Piece(pieces[0].text[match.end() :]), *pieces[1:]]
    while position < len(pieces):
        inside = pieces[position].inside
        # The pieces of one inline tag, or adjacent prose; an empty piece begins the next tag.
        stop = position + 1
        while stop < len(pieces) and pieces[stop].inside == inside and pieces[stop].text:
            stop += 1
        texts = [piece.text for piece in pieces[position:stop]]
        position = stop
        if not inside:
            yield from _render_prose(texts, compat)
        elif inside in _LITERAL:
            yield from texts
        elif inside in _LINKS:
            yield _render_link(" ".join(texts))
        elif compat != SESAME_TOOLS:
            yield from _render_new_tag(inside, texts, inner)


def _render_new_tag(tag: str, texts: Sequence[str], inner: bool) -> Iterator[str]:
    if tag in _PROSE and not inner:
        if tag == "return":
            yield "returns"
        # The content may have inline tags, but not of this kind, so the recursion stops here.
        for block in split_blocks(" ".join(texts)):
            yield from _render_block(block, "", inner=True)
    elif tag in _SHOWN:
        yield from " ".join(texts).split()[:1]


def _render_link(content: str) -> str:
    """Return a link's reference without parameter types, and its label without nested tags."""
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


def _render_prose(texts: Sequence[str], compat: str) -> Iterator[str]:
    is_tool = compat == SESAME_TOOLS
    for text in texts if is_tool else ("\n".join(texts),):
        if "<" in text:
            text = _remove_tags_like_tool(text) if is_tool else _remove_markup(text)
        if "&" in text:
            text = (
                _ENTITY.sub(_decode_entity, text) if is_tool else unescape(_NUMBER.sub(" ", text))
            )
        word_of = _normalize_word_like_tool if is_tool else _normalize_word
        tokens = _split_at_spaces(text, compat)
        position = 0
        while position < len(tokens):
            word = word_of(tokens[position])
            position += 1
            if word == "can" and position < len(tokens) and tokens[position].rstrip(_ENDS) == "not":
                word = "cannot"
                position += 1
            if word:
                yield word


def _split_at_spaces(text: str, compat: str) -> list[str]:
    """Return the tokens between white space; a no-break space does not separate for the tool."""
    return (
        [token for token in _SPACES.split(text) if token]
        if compat == SESAME_TOOLS
        else text.split()
    )


# ---------------------------------------------------------------- markup


def _remove_tags_like_tool(text: str) -> str:
    """Return the text without anything between ``<`` and the next ``>``.

    The result is that of the tool's regular expression, computed in linear time."""
    parts: list[str] = []
    copied = 0
    while True:
        start = text.find("<", copied)
        end = text.find(">", start + 1) if start >= 0 else -1
        if end < 0:
            return "".join([*parts, text[copied:]])
        if end == start + 1:  # "<>" is kept
            parts.append(text[copied : end + 1])
        else:
            parts += (text[copied:start], " ")
        copied = end + 1


def _remove_markup(text: str) -> str:
    """Return the text without HTML tags and comments; ``i < n`` is not a tag."""
    parts: list[str] = []
    last, last_of_comment = text.rfind(">"), text.rfind("-->")
    copied = 0
    start = text.find("<")
    while 0 <= start < last:
        end = start
        if text.startswith("<!--", start) and start + 4 <= last_of_comment:
            end = text.find("-->", start + 4) + 3
        elif _IS_TAG.match(text, start):
            end = text.find(">", start) + 1
        if end > start:
            parts += (text[copied:start], " ")
            copied = end
        start = text.find("<", max(end, start + 1))
    return "".join([*parts, text[copied:]])


_IS_TAG = re.compile(r"</?[A-Za-z!]")
# Numbers too large for a character; Python refuses to parse those of thousands of digits.
_NUMBER = re.compile(r"&#(?:[0-9]{9,}|[xX][0-9a-fA-F]{9,});?")
_ENTITY = re.compile(r"&(?:#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,7})|([A-Za-z][A-Za-z0-9]*));")
_LARGEST = 0x10FFFF


def _decode_entity(entity: re.Match[str]) -> str:
    """Return the character of an HTML 4 entity; an unknown entity stays as it is."""
    decimal, hexadecimal, name = entity.groups()
    number = int(decimal or 0) or int(hexadecimal or "0", 16)
    code = name2codepoint.get(name, -1) if name else number
    if not 0 <= code <= _LARGEST:
        return entity[0]
    # A lone surrogate cannot be encoded.
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
# The word that a contraction is expanded to, after the first group. The first pattern that matches
# the whole word applies.
_CONTRACTIONS = (
    (re.compile(r"(\w+)'nt", _ASCII), "not"),
    (re.compile(r"(\w+)n't", _ASCII), "not"),
    (re.compile(r"(\w+)'re", _ASCII), "are"),
    (re.compile(r"(\w+)'ll", _ASCII), "will"),
    (re.compile(r"(\w+)'ve", _ASCII), "have"),
    (re.compile(r"(i|you|he|she|it|we|they)'d"), "would"),
)
# Words that begin so and end in n't are expanded only if they are in _WHOLE: the tool leaves
# ``wouldn't`` as it is.
_UNTOUCHED = ("wo", "ca")


@lru_cache(maxsize=1 << 16)
def _normalize_word(token: str) -> str:
    """Return the normalised word, without the brackets and quotes around it that hide contractions
    and capitals: ``(The`` and ``"don't"``."""
    token = token.replace("’", "'").lstrip(_OPENING).rstrip(_ENDS + _CLOSING)
    return _expand_contraction(_lower_plain_word(token))


@lru_cache(maxsize=1 << 16)
def _normalize_word_like_tool(token: str) -> str:
    word = _lower_plain_word(token.rstrip(_ENDS))
    if word.endswith("n't") and word.startswith(_UNTOUCHED):
        return _WHOLE.get(word, word)
    return _expand_contraction(word)


def _lower_plain_word(token: str) -> str:
    return token if _CAPITAL.match(token) else token.lower()


def _expand_contraction(word: str) -> str:
    if "'" not in word and "." not in word:
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    for pattern, second in _CONTRACTIONS:
        match = pattern.fullmatch(word)
        if match:
            return f"{match[1]} {second}"
    return word
