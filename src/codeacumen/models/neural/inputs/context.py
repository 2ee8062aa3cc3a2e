"""Features of Cognac and GTNM: words of a method and of its class, callers and callees.

The method's text is parsed on its own. Class, callers and callees come from the ``CodeContext``,
which masks the method's name in them; without a context only the text is read. Masks are left out
of the words.

The *place* of a word is the statement around it, or outside the body the part of the signature or
context that it belongs to. A *piece* is a subtoken in lower case. A *row* describes another method:
its ``name``, the type that it ``returns``, and its ``parameters``, such as "int count".
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
from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile, parse_method
from codeacumen.languages.java.syntax.grammar import symbol_mask, symbol_name
from codeacumen.languages.syntax import SYMBOLS
from codeacumen.models.lexer import KEYWORDS, MASK, is_name, split_tokens
from codeacumen.models.method_naming.syntax import find_nearest_ancestors
from codeacumen.models.neural.architecture import (
    LABELS,
    SEQUENCE_SPECIALS,
    Architecture,
    Labels,
    PieceLabels,
    Vocabulary,
)
from codeacumen.models.neural.inputs.tokens import get_text
from codeacumen.text.subtokens import context_words
from codeacumen.views.masking.files import MASKED_CALL
from codeacumen.views.paths import METHOD_NAME

# Kinds of statements, and the name of the place of words inside them. Outside a body, the place is
# the part of the context (_OUTSIDE). Features and trained networks contain indices of PLACE_NAMES.
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
PLACE_NAMES = ("<pad>", "other", *dict.fromkeys(STATEMENTS.values()), *_OUTSIDE)
NUMBER_OF_PLACE = {name: number for number, name in enumerate(PLACE_NAMES)}

_MASKS = frozenset((METHOD_NAME, MASKED_CALL, MASK))
# Longer texts are cut off.
_MAX_CHARACTERS = 100_000
_WORD = re.compile(r"[^\W\d][\w$]*")
# The name of a class in its header, or of an anonymous class's supertype.
_CLASS = re.compile(r"\b(?:class|interface|enum|record|new)\s+([\w$.]+)")
# The first tag of a documentation comment, such as @param; and its markup, HTML and inline tags.
_TAG = re.compile(r"(?m)^[\s*]*@\w")
_MARKS = re.compile(r"\{@\w+|<[^<>]{0,100}>|&\w+;")
# Kinds of leaves that count as words, besides keywords.
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
class MethodContext:
    """A method's signature, body and code around it; without its name, which is the answer.

    ``parameters`` are pairs of type and name. ``body`` has the names and keywords of the body as
    written, ``places`` the index in ``PLACE_NAMES`` of each. The fields from ``doc`` on are those
    of ``CodeContext.owner``; ``doc`` is the comment in the text if it has one.
    """

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
    def class_name(self) -> str:
        """The name of the method's class, "" if unknown."""
        match = _CLASS.search(self.header)
        return match[1] if match else ""


@lru_cache(maxsize=1 << 16)
def split_name(word: str) -> tuple[str, ...]:
    """Return the subtokens of a name in lower case, without single letters and numbers.

    >>> split_name("toHTMLPage_2"), split_name("METHOD_NAME"), split_name("i")
    (('to', 'html', 'page'), (), ())
    """
    if word in _MASKS:
        return ()
    return context_words(word)


def split_names(words: Iterable[str]) -> list[str]:
    """Return the subtokens of all words, in order."""
    return [piece for word in words for piece in split_name(word)]


@lru_cache(maxsize=1 << 14)
def split_type(type_: str) -> tuple[str, ...]:
    """Return the names in a type, and "array" for an array type.

    >>> split_type("Map<String, int[]>")
    ('Map', 'String', 'int', 'array')
    """
    array = ("array",) if "[" in type_ or "..." in type_ else ()
    return (*_WORD.findall(type_), *array)


# --------------------------------------------------------------------------------------
# Reading a method and its context
# --------------------------------------------------------------------------------------


def read_method_context(item: Input, context: CodeContext | None = None) -> MethodContext:
    """Return a method's signature, body and context.

    Of a text that is not a method, the body has all names, with the place "other".
    """
    owner_facts = get_owner_facts(item, context)
    method_context = MethodContext(
        doc=str(owner_facts.get("doc") or ""),
        header=str(owner_facts.get("header") or ""),
        fields=owner_facts.get("fields") or (),
        imports=owner_facts.get("imports") or (),
        methods=owner_facts.get("methods") or (),
        callers=owner_facts.get("callers") or (),
        callees=owner_facts.get("callees") or (),
    )
    text = get_text(item)[:_MAX_CHARACTERS]
    file, method = parse_method(text)
    if method is None:
        words = [token for token in split_tokens(text) if is_name(token)]
        return replace(method_context, body=words, places=[NUMBER_OF_PLACE["other"]] * len(words))
    body, places = _read_body(file, method)
    own = file.syntax.text(method.javadoc) if method.javadoc != NONE else ""
    return replace(
        method_context,
        returns=method.returns,
        parameters=[(parameter.type, parameter.name) for parameter in method.parameters],
        modifiers=sorted(method.modifiers),
        body=body,
        places=places,
        doc=own or method_context.doc,
    )


def get_owner_facts(item: Input, context: CodeContext | None) -> Mapping[str, Json]:
    """Return the facts of ``CodeContext.owner``; {} without a context or for a method not in it."""
    if isinstance(item, NamedMethod):
        item = item.method
    method = item.id if isinstance(item, Method) else getattr(item, "method", "")
    if context is None or not method:
        return {}
    try:
        return context.owner(method)
    except CodeacumenError:
        # The context does not contain this method.
        return {}


def _read_body(file: JavaFile, method: MethodDeclaration) -> tuple[list[str], list[int]]:
    """Return the words of a method's body, and the index in ``PLACE_NAMES`` of each word's place.

    The place is that of the innermost statement around the word.
    """
    if method.body == NONE:
        return [], []
    syntax, kind = file.syntax, file.syntax.kind
    body_nodes = slice(method.body, int(syntax.stop[method.body]))
    leaves = (
        np.flatnonzero(syntax.is_leaf[body_nodes] & _flag_word_symbols()[kind[body_nodes]])
        + method.body
    )
    # The innermost statement around each word, -1 for none.
    statements = find_nearest_ancestors(_place_of_symbols()[kind] > 0, syntax.parent)[leaves]
    places = np.where(
        statements < 0, NUMBER_OF_PLACE["other"], _place_of_symbols()[kind[statements]]
    )
    source = syntax.source
    spans = zip(syntax.start[leaves].tolist(), syntax.end[leaves].tolist(), strict=True)
    return [source[start:end].decode("utf-8", "replace") for start, end in spans], places.tolist()


@cache
def _flag_word_symbols() -> NDArray[np.bool_]:
    """Return for each grammar symbol whether it is a name or a keyword."""
    is_word = np.zeros(SYMBOLS, np.bool_)
    word_kinds = KEYWORDS.union(_WORDS)
    is_word[
        [
            symbol
            for symbol in range(load_grammar().node_kind_count)
            if symbol_name(symbol) in word_kinds
        ]
    ] = True
    return is_word


@cache
def _place_of_symbols() -> NDArray[np.int64]:
    """Return for each grammar symbol the index in ``PLACE_NAMES`` of its statement, 0 for none."""
    places = np.zeros(SYMBOLS, np.int64)
    for kind, place in STATEMENTS.items():
        places[symbol_mask(kind)] = NUMBER_OF_PLACE[place]
    return places


# --------------------------------------------------------------------------------------
# Features of Cognac and of GTNM
# --------------------------------------------------------------------------------------


def iter_cognac_words(method_context: MethodContext) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield pairs of a place's name and words there, in the order of Cognac's paper.

    The words of the body are not included, nor are names of parameters.
    """
    yield "class", (method_context.class_name,)
    yield "returns", split_type(method_context.returns)
    for type_, _ in method_context.parameters:
        yield "parameter", split_type(type_)
    for row in method_context.callers:
        yield "caller returns", split_type(str(row["returns"]))
        for parameter in row["parameters"]:
            yield "caller parameter", split_type(_split_parameter(parameter)[0])
    for row in method_context.callees:
        yield "callee", (str(row["name"]),)
        yield "callee returns", split_type(str(row["returns"]))
        for parameter in row["parameters"]:
            yield "callee parameter", split_type(_split_parameter(parameter)[0])


def extract_cognac_features(
    method_context: MethodContext, length: int
) -> dict[str, list[str] | list[int]]:
    """Return the columns ``pieces``, the first ``length`` subtokens, and ``places``.

    ``places`` has the index in ``PLACE_NAMES`` of each piece.
    """
    pieces: list[str] = []
    places: list[int] = []
    for place, words in iter_cognac_words(method_context):
        new_pieces = split_names(words)
        pieces += new_pieces
        places += [NUMBER_OF_PLACE[place]] * len(new_pieces)
    for word, number in zip(method_context.body, method_context.places, strict=True):
        if len(pieces) >= length:
            break
        body_pieces = split_name(word)
        pieces += body_pieces
        places += [number] * len(body_pieces)
    return {"pieces": pieces[:length], "places": places[:length]}


def _split_parameter(parameter: str) -> tuple[str, str]:
    """Return the type and the name of a parameter such as "int count"."""
    type_, _, name = parameter.rpartition(" ")
    return type_, name


def collect_local_words(method_context: MethodContext) -> list[str]:
    """Return GTNM's local context: the signature without the name, then the body's identifiers."""
    words = [*method_context.modifiers, *split_type(method_context.returns)]
    for type_, name in method_context.parameters:
        words += (*split_type(type_), name)
    return words + [word for word in method_context.body if word not in KEYWORDS]


def collect_project_words(method_context: MethodContext) -> list[str]:
    """Return GTNM's project context, in the paper's order.

    These are the words of the callees' signatures, the imports, the class and its fields, and the
    signatures of its other methods.
    """
    words: list[str] = []
    for row in method_context.callees:
        words += _collect_signature_words(row)
    for declaration in method_context.imports:
        words += _WORD.findall(declaration.rpartition(".")[2])
    words += _WORD.findall(method_context.header)
    for declaration in method_context.fields:
        words += _WORD.findall(declaration)
    for row in method_context.methods:
        words += _collect_signature_words(row)
    return words


def _collect_signature_words(row: Row) -> list[str]:
    words = [*split_type(str(row["returns"])), str(row["name"])]
    for parameter in row["parameters"]:
        words += _WORD.findall(parameter)
    return words


def split_doc(doc: str) -> list[str]:
    """Return the words of a documentation comment before its first tag, in lower case.

    >>> split_doc("/** Gives {@code null} for <b>none</b>.\\n * @return it */")
    ['gives', 'null', 'for', 'none']
    """
    text = doc.removeprefix("/**").removesuffix("*/")
    tag = _TAG.search(text)
    text = _MARKS.sub(" ", text[: tag.start()] if tag else text)
    return [word.lower() for word in _WORD.findall(text) if word not in _MASKS]


def extract_gtnm_features(
    method_context: MethodContext, *, local: int, project: int, doc: int
) -> dict[str, list[str] | list[int]]:
    """Return GTNM's feature columns; ``local``, ``project`` and ``doc`` are their maximum lengths.

    The columns ``local`` and ``project`` have the last subtokens of these contexts, ``invoked`` has
    for each project subtoken 1 if it occurs in the local context and 0 otherwise, and ``doc`` has
    the first words of the documentation comment.
    """
    local_pieces = split_names(collect_local_words(method_context))[-local:]
    project_pieces = split_names(collect_project_words(method_context))[-project:]
    distinct_local = set(local_pieces)
    return {
        "local": local_pieces,
        "project": project_pieces,
        "invoked": [int(piece in distinct_local) for piece in project_pieces],
        "doc": split_doc(method_context.doc)[:doc],
    }


# --------------------------------------------------------------------------------------


class ContextArchitecture(Architecture):
    """Base of Cognac's and GTNM's architectures: input and output share one vocabulary.

    A copied input word is therefore also an output word. ``settings`` has ``vocabulary``, its
    maximum size, ``least``, the minimum count of a word, and ``longest``, the maximum number of
    subtokens of an answer.
    """

    needs_context = True
    task_prefixes = ("gluecode/naming", "names", "renames")

    def make_labels(self) -> Labels:
        return PieceLabels(self.settings.vocabulary, self.settings.longest, is_lowercase=True)

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        counts_of_words = Counter(counts[LABELS])
        counts_of_words.update(counts.get("pieces", {}))
        self.labels.vocabulary = self.vocabularies[LABELS] = Vocabulary.from_counts(
            counts_of_words,
            self.settings.vocabulary,
            min_count=self.settings.least,
            specials=SEQUENCE_SPECIALS,
        )

    @property
    def shared_vocabulary(self) -> Vocabulary:
        """The vocabulary of input and output words."""
        return self.labels.vocabulary
