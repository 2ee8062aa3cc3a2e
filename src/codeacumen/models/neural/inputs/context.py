"""What a method's text and its surroundings tell about its name, in words.

The text is parsed once, on its own; the class around it, its callers and its callees come from the
``CodeContext``, which masks the name in all of them. Where there is none, the text has to do. The
mask is no word: it is left out, wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError, CodeContext, Input, Json, Method, NamedMethod
from codeacumen.languages.java import language
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile, parse_snippet
from codeacumen.languages.java.syntax.grammar import among, name_of
from codeacumen.languages.syntax import SYMBOLS
from codeacumen.models.lexer import KEYWORDS, MASK, is_name, tokens
from codeacumen.models.method_naming.syntax import nearest
from codeacumen.models.neural.architecture import (
    LABELS,
    SPOKEN,
    Architecture,
    InPieces,
    Labels,
    Vocabulary,
)
from codeacumen.models.neural.inputs.tokens import text_of
from codeacumen.text.subtokens import context_words
from codeacumen.views.masking.files import MASKED_CALL
from codeacumen.views.paths import METHOD_NAME

# The place a word stands in, by number. Those of a body are the statements around it.
STATEMENTS: Mapping[str, str] = {
    "expression_statement": "expression",
    "explicit_constructor_invocation": "expression",
    "local_variable_declaration": "local",
    "assert_statement": "assert",
    "while_statement": "while",
    "if_statement": "if",
    "try_statement": "try",
    "try_with_resources_statement": "try",
    "catch_clause": "try",
    "throw_statement": "throw",
    "switch_expression": "switch",
    "switch_label": "case",
    "return_statement": "return",
    "yield_statement": "return",
    "do_statement": "do",
    "for_statement": "for",
    "enhanced_for_statement": "for",
    "synchronized_statement": "synchronized",
    "field_declaration": "field",
}
_OUTSIDE = (
    "class",
    "returns",
    "parameter",
    "caller returns",
    "caller parameter",
    "callee",
    "callee returns",
    "callee parameter",
)
PLACES = ("<pad>", "other", *dict.fromkeys(STATEMENTS.values()), *_OUTSIDE)
PLACE = {name: number for number, name in enumerate(PLACES)}

_MASKS = frozenset((METHOD_NAME, MASKED_CALL, MASK))
_MOST_CHARACTERS = 100_000
_WORD = re.compile(r"[^\W\d][\w$]*")
_CLASS = re.compile(r"\b(?:class|interface|enum|record|new)\s+([\w$.]+)")
_TAG = re.compile(r"(?m)^[\s*]*@\w")
_MARKS = re.compile(r"\{@\w+|<[^<>]{0,100}>|&\w+;")
# Leaves that are words besides names and keywords.
_WORDS = (
    "identifier",
    "type_identifier",
    "void_type",
    "boolean_type",
    "null_literal",
    "this",
    "super",
    "true",
    "false",
)

Row = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Seen:
    """``body`` are its names and keywords as written, with the number of each one's place. Rows of
    methods are those of ``CodeContext.owner``."""

    returns: str = ""
    parameters: Sequence[tuple[str, str]] = ()
    modifiers: Sequence[str] = ()
    body: Sequence[str] = ()
    places: Sequence[int] = ()
    doc: str = ""
    header: str = ""
    fields: Sequence[str] = ()
    imports: Sequence[str] = ()
    methods: Sequence[Row] = ()
    callers: Sequence[Row] = ()
    callees: Sequence[Row] = ()

    @property
    def owner(self) -> str:
        found = _CLASS.search(self.header)
        return found[1] if found else ""


@lru_cache(maxsize=1 << 16)
def pieces(word: str) -> tuple[str, ...]:
    """The words of a name, as labels are cut, without single letters and numbers.

    >>> pieces("toHTMLPage_2"), pieces("METHOD_NAME"), pieces("i")
    (('to', 'html', 'page'), (), ())
    """
    if word in _MASKS:
        return ()
    return context_words(word)


def in_pieces(words: Iterable[str]) -> list[str]:
    return [piece for word in words for piece in pieces(word)]


@lru_cache(maxsize=1 << 14)
def type_words(type_: str) -> tuple[str, ...]:
    """The names in a type; arrays say that they are some.

    >>> type_words("Map<String, int[]>")
    ('Map', 'String', 'int', 'array')
    """
    array = ("array",) if "[" in type_ or "..." in type_ else ()
    return (*_WORD.findall(type_), *array)


# --------------------------------------------------------------------------------------
# Looking
# --------------------------------------------------------------------------------------


def look(asked: Input, context: CodeContext | None = None) -> Seen:
    """What there is to see. A text that is no method is a body without statements."""
    about = around(asked, context)
    seen = Seen(
        doc=str(about.get("doc") or ""),
        header=str(about.get("header") or ""),
        fields=about.get("fields") or (),
        imports=about.get("imports") or (),
        methods=about.get("methods") or (),
        callers=about.get("callers") or (),
        callees=about.get("callees") or (),
    )
    text = text_of(asked)[:_MOST_CHARACTERS]
    file, method = _parsed(text)
    if method is None:
        words = [one for one in tokens(text) if is_name(one)]
        return replace(seen, body=words, places=[PLACE["other"]] * len(words))
    body, places = _body(file, method)
    own = file.syntax.text(method.javadoc) if method.javadoc != NONE else ""
    return replace(
        seen,
        returns=method.returns,
        parameters=[(one.type, one.name) for one in method.parameters],
        modifiers=sorted(method.modifiers),
        body=body,
        places=places,
        doc=own or seen.doc,
    )


def around(asked: Input, context: CodeContext | None) -> Mapping[str, Json]:
    """What ``CodeContext.owner`` tells; nothing where nobody knows the method."""
    if isinstance(asked, NamedMethod):
        asked = asked.method
    method = asked.id if isinstance(asked, Method) else getattr(asked, "method", "")
    if context is None or not method:
        return {}
    try:
        return context.owner(method)
    except CodeacumenError:
        # A method that this context knows nothing of.
        return {}


def _parsed(text: str) -> tuple[JavaFile, MethodDeclaration | None]:
    """A class around the text, and the first method in it that is no other class's."""
    file = parse_snippet(text, leading_newline=True, trailing_newline=True).file
    own = (one for one in file.declarations.methods if one.type in (0, NONE))
    return file, next(own, None)


def _body(file: JavaFile, method: MethodDeclaration) -> tuple[list[str], list[int]]:
    """The words of a method's body, each with the statement it stands in."""
    if method.body == NONE:
        return [], []
    syntax, kind = file.syntax, file.syntax.kind
    inside = slice(method.body, int(syntax.stop[method.body]))
    leaves = np.flatnonzero(syntax.is_leaf[inside] & _wordlike()[kind[inside]]) + method.body
    around = nearest(_placed()[kind] > 0, syntax.parent)[leaves]
    places = np.where(around < 0, PLACE["other"], _placed()[kind[around]])
    source = syntax.source
    spans = zip(syntax.start[leaves].tolist(), syntax.end[leaves].tolist(), strict=True)
    return [source[at:end].decode("utf-8", "replace") for at, end in spans], places.tolist()


@cache
def _wordlike() -> NDArray[np.bool_]:
    """For any symbol, whether it is a name or a keyword."""
    made = np.zeros(SYMBOLS, np.bool_)
    wanted = KEYWORDS.union(_WORDS)
    made[[one for one in range(language().node_kind_count) if name_of(one) in wanted]] = True
    return made


@cache
def _placed() -> NDArray[np.int64]:
    """For any symbol the place that it makes, 0 for none."""
    made = np.zeros(SYMBOLS, np.int64)
    for kind, place in STATEMENTS.items():
        made[among(kind)] = PLACE[place]
    return made


# --------------------------------------------------------------------------------------
# What the two models read of it
# --------------------------------------------------------------------------------------


def cognac_words(seen: Seen) -> Iterator[tuple[str, Iterable[str]]]:
    """Places and the words that stand there, in the paper's order, without the body."""
    yield "class", (seen.owner,)
    yield "returns", type_words(seen.returns)
    for type_, _ in seen.parameters:
        yield "parameter", type_words(type_)
    for row in seen.callers:
        yield "caller returns", type_words(str(row["returns"]))
        for one in row["parameters"]:
            yield "caller parameter", type_words(_split(one)[0])
    for row in seen.callees:
        yield "callee", (str(row["name"]),)
        yield "callee returns", type_words(str(row["returns"]))
        for one in row["parameters"]:
            yield "callee parameter", type_words(_split(one)[0])


def cognac_features(seen: Seen, length: int) -> dict[str, list[str] | list[int]]:
    """``pieces``, the first ``length``, and their ``places``."""
    found: list[str] = []
    places: list[int] = []
    for place, words in cognac_words(seen):
        some = in_pieces(words)
        found += some
        places += [PLACE[place]] * len(some)
    for word, number in zip(seen.body, seen.places, strict=True):
        if len(found) >= length:
            break
        some_pieces = pieces(word)
        found += some_pieces
        places += [number] * len(some_pieces)
    return {"pieces": found[:length], "places": places[:length]}


def _split(parameter: str) -> tuple[str, str]:
    """A parameter's type and name."""
    type_, _, name = parameter.rpartition(" ")
    return type_, name


def local_words(seen: Seen) -> list[str]:
    """GTNM's local context: the signature without the name, then the identifiers of the body."""
    found = [*seen.modifiers, *type_words(seen.returns)]
    for type_, name in seen.parameters:
        found += (*type_words(type_), name)
    return found + [word for word in seen.body if word not in KEYWORDS]


def project_words(seen: Seen) -> list[str]:
    """GTNM's project context, in the paper's order: what is called in the project, what is
    imported, the class with its fields, and the signatures of its other methods."""
    found: list[str] = []
    for row in seen.callees:
        found += _signature(row)
    for one in seen.imports:
        found += _WORD.findall(one.rpartition(".")[2])
    found += _WORD.findall(seen.header)
    for one in seen.fields:
        found += _WORD.findall(one)
    for row in seen.methods:
        found += _signature(row)
    return found


def _signature(row: Row) -> list[str]:
    found = [*type_words(str(row["returns"])), str(row["name"])]
    for one in row["parameters"]:
        found += _WORD.findall(one)
    return found


def doc_words(doc: str) -> list[str]:
    """The words of a documentation comment before its first tag.

    >>> doc_words("/** Gives {@code null} for <b>none</b>.\\n * @return it */")
    ['gives', 'null', 'for', 'none']
    """
    text = doc.removeprefix("/**").removesuffix("*/")
    tag = _TAG.search(text)
    text = _MARKS.sub(" ", text[: tag.start()] if tag else text)
    return [word.lower() for word in _WORD.findall(text) if word not in _MASKS]


def gtnm_features(
    seen: Seen, *, local: int, project: int, doc: int
) -> dict[str, list[str] | list[int]]:
    """``local`` and ``project``, the last so many pieces of each; ``invoked``, 1 for the pieces of
    the project that are in the method too; ``doc``, the first words of the comment."""
    own = in_pieces(local_words(seen))[-local:]
    around = in_pieces(project_words(seen))[-project:]
    here = set(own)
    return {
        "local": own,
        "project": around,
        "invoked": [int(piece in here) for piece in around],
        "doc": doc_words(seen.doc)[:doc],
    }


# --------------------------------------------------------------------------------------


class ReadsContexts(Architecture):
    """What the two share: one vocabulary for what is read and what is said, so that a word is the
    same in both. ``settings`` has ``vocabulary``, ``least`` and ``longest``."""

    looks = True
    serves = ("gluecode/naming", "names", "renames")

    def make_labels(self) -> Labels:
        return InPieces(self.settings.vocabulary, self.settings.longest, lower=True)

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        together = Counter(counts[LABELS])
        together.update(counts.get("pieces", {}))
        self.labels.vocabulary = self.vocabularies[LABELS] = Vocabulary.counted(
            together, self.settings.vocabulary, least=self.settings.least, specials=SPOKEN
        )

    @property
    def spoken(self) -> Vocabulary:
        return self.labels.vocabulary
