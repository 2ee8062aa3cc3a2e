"""The schemas of the store's Parquet tables.

Increase ``SCHEMA`` when you change these columns or the meaning of their values. In all tables,
lines are counted from 1, and byte offsets, with exclusive ends, are into ``source`` in UTF-8.
``place`` is the index of a type or a method in the file's declarations.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA = 3
FORMAT = "codeacumen-corpus"
# The format's name before the package was renamed.
FORMER_FORMAT = "acumen-corpus"

ID = pa.uuid()


def list_of(values: pa.DataType) -> pa.ListType:
    """Return a list type whose field is called ``element``, as in tables read from Parquet.

    Otherwise rows that are read and written again would not have the same bytes.
    """
    return pa.list_(pa.field("element", values))


_TEXTS = list_of(pa.string())
_TEXT_LISTS = list_of(_TEXTS)
_NUMBERS = list_of(pa.int32())
_PARAMETERS = list_of(pa.struct([("name", pa.string()), ("type", pa.string())]))

# ``source`` is the user's text (see ``sources.project.SourceSpec``), ``revision`` a commit, a
# version or a hash (see ``Project`` there). ``split`` is train, dev or test; ``files`` and
# ``methods`` are counts.
PROJECTS = pa.schema(
    [
        ("project_id", ID),
        ("project", pa.string()),
        ("source", pa.string()),
        ("revision", pa.string()),
        ("split", pa.string()),
        ("licences", list_of(pa.struct([("path", pa.string()), ("licence", pa.string())]))),
        ("files", pa.int32()),
        ("methods", pa.int32()),
    ]
)
# ``source`` is the decoded text, ``bytes`` its size in UTF-8; ``encoding`` and ``sha256`` are those
# of the original bytes. ``origin`` is written, generated, minified or vendored. ``nodes`` counts
# the nodes of the syntax tree; ``broken``: it has syntax errors. ``package`` may be empty.
FILES = pa.schema(
    [
        ("file_id", ID),
        ("project_id", ID),
        ("project", pa.string()),
        ("path", pa.string()),
        ("language", pa.string()),
        ("package", pa.string()),
        ("encoding", pa.string()),
        ("origin", pa.string()),
        ("bytes", pa.int32()),
        ("lines", pa.int32()),
        ("nodes", pa.int32()),
        ("broken", pa.bool_()),
        ("sha256", pa.string()),
        ("source", pa.string()),
    ]
)
# ``owner_id`` is the enclosing type, ``method_id`` the method that a local or anonymous class is
# in; null if there is none. ``kind`` is class, interface, enum, record, annotation, anonymous or
# enum constant (with a body). ``qualified`` is the name with package and enclosing types. ``line``
# and ``javadoc`` (empty: none) are those of the declaration.
TYPES = pa.schema(
    [
        ("type_id", ID),
        ("file_id", ID),
        ("owner_id", ID),
        ("method_id", ID),
        ("project", pa.string()),
        ("place", pa.int32()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("qualified", pa.string()),
        ("line", pa.int32()),
        ("modifiers", _TEXTS),
        ("annotations", _TEXTS),
        ("type_parameters", _TEXTS),
        ("javadoc", pa.string()),
    ]
)
# ``kind`` is method, constructor, compact constructor or annotation element. ``type`` is the path
# of the declaring type without the package; ``type_id`` is null outside of types. ``signature`` is
# erased (JLS 8.4.2), other types are as written. ``body``: the method has a body; ``nested``: its
# type is inside another method. ``text`` is the declaration from ``start_byte`` to ``end_byte``;
# ``javadoc`` is empty if there is none.
METHODS = pa.schema(
    [
        ("method_id", ID),
        ("type_id", ID),
        ("file_id", ID),
        ("project_id", ID),
        ("project", pa.string()),
        ("split", pa.string()),
        ("path", pa.string()),
        ("place", pa.int32()),
        ("kind", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("signature", pa.string()),
        ("returns", pa.string()),
        ("parameters", _PARAMETERS),
        ("type_parameters", _TEXTS),
        ("modifiers", _TEXTS),
        ("annotations", _TEXTS),
        ("body", pa.bool_()),
        ("nested", pa.bool_()),
        ("start_byte", pa.int32()),
        ("end_byte", pa.int32()),
        ("line", pa.int32()),
        ("end_line", pa.int32()),
        ("javadoc", pa.string()),
        ("text", pa.string()),
    ]
)
# Measures of each method: NPath by each set of rules, null for a method without a body;
# ``readable``: it has no syntax error; its operators in source order, as indexes in ``OPERATORS``
# (``languages.java.measures.operators``), and their byte offsets.
MEASURES = pa.schema(
    [
        ("method_id", ID),
        ("npath_pmd6", pa.int64()),
        ("npath_pmd7", pa.int64()),
        ("npath_pmd7_14", pa.int64()),
        ("readable", pa.bool_()),
        ("operators", list_of(pa.int8())),
        ("operator_starts", _NUMBERS),
    ]
)
# Call facts of each Java file (``languages/java/resolve/facts.py``): the types, methods and fields
# that it declares, with one list per column; then the rows of its calls (``Sites`` of
# ``resolve/call_sites.py``) and the end of each call's name, -1 if there is none.
FACTS = pa.schema(
    [
        ("file_id", ID),
        ("path", pa.string()),
        ("package", pa.string()),
        ("imports", _TEXTS),
        ("type_kind", _TEXTS),
        ("type_name", _TEXTS),
        ("type_owner", _NUMBERS),
        ("type_method", _NUMBERS),
        ("type_member", _NUMBERS),
        ("type_flags", _TEXTS),
        ("type_variables", _TEXT_LISTS),
        ("type_supers", _TEXT_LISTS),
        ("type_components", _TEXT_LISTS),
        ("method_name", _TEXTS),
        ("method_type", _NUMBERS),
        ("method_flags", _TEXTS),
        ("method_variables", _TEXT_LISTS),
        ("method_parameters", _TEXT_LISTS),
        ("method_returns", _TEXTS),
        ("field_name", _TEXTS),
        ("field_type", _NUMBERS),
        ("field_flags", _TEXTS),
        ("field_declared", _TEXTS),
        ("texts", _TEXTS),
        ("code", list_of(pa.uint8())),
        ("size", _NUMBERS),
        ("a", _NUMBERS),
        ("b", _NUMBERS),
        ("name_end", _NUMBERS),
    ]
)
# ``skipped``: the corpus lacks the file because of the problem.
PROBLEMS = pa.schema(
    [
        ("project", pa.string()),
        ("path", pa.string()),
        ("kind", pa.string()),
        ("message", pa.string()),
        ("skipped", pa.bool_()),
    ]
)
# One row per call in the source, sorted by caller in each file; ``caller_id`` is null in
# initializers. ``start_byte`` and ``end_byte`` are those of the called name; the end is null if no
# token begins there. ``kind``, ``ambiguous``, ``inside`` and ``callee``: see ``Call`` in
# ``languages/java/resolve/link.py``; ``reference``: the call is a method reference. ``targets``
# names the set of methods that the call may reach, a row of DISPATCH. It is null for methods
# outside the project and for methods without source, such as default constructors.
CALLS = pa.schema(
    [
        ("caller_id", ID),
        ("caller_type_id", ID),
        ("project", pa.string()),
        ("path", pa.string()),
        ("start_byte", pa.int32()),
        ("end_byte", pa.int32()),
        ("line", pa.int32()),
        ("kind", pa.string()),
        ("reference", pa.bool_()),
        ("ambiguous", pa.bool_()),
        ("inside", pa.bool_()),
        ("callee", pa.string()),
        ("targets", pa.int64()),
    ]
)
# Null facts of each Java file (``languages/java/nulls/facts.py``); if deriving them failed,
# ``failed`` has the error, and is null otherwise.
# ``target_sizes`` cuts ``target_paths`` and ``target_places`` into sets of targets.
_NUMBER_LISTS = list_of(_NUMBERS)
NULLS = pa.schema(
    [
        ("path", pa.string()),
        ("failed", pa.string()),
        ("texts", _TEXTS),
        ("units", _NUMBERS),
        ("code", _NUMBERS),
        ("expressions", _NUMBERS),
        ("calls", _NUMBERS),
        ("lines", _NUMBERS),
        ("target_sizes", _NUMBERS),
        ("target_paths", _TEXTS),
        ("target_places", _NUMBERS),
        ("class_names", _TEXTS),
        ("class_fields", _NUMBER_LISTS),
        ("record_names", _TEXTS),
        ("record_components", _NUMBER_LISTS),
        ("throwing", _NUMBERS),
        ("thrown", _NUMBER_LISTS),
    ]
)
# Methods are numbered in the order of the shards; the numbers change when the corpus grows.
# DISPATCH has the sets of call targets: the name of the set (``ids.name_target_set``), and the
# numbers of its methods.
DISPATCH = pa.schema(
    [("project", pa.string()), ("targets", pa.int64()), ("callees", list_of(pa.int32()))]
)
NUMBERS = pa.schema([("number", pa.int32()), ("method_id", ID)])

# Tables of a shard. MEASURES and the tables of views have one row per row of METHODS, in the same
# order.
SHARD = {
    "files": FILES,
    "types": TYPES,
    "methods": METHODS,
    "measures": MEASURES,
    "facts": FACTS,
    "problems": PROBLEMS,
}
