"""Which methods are worth comparing, as far as their rows in the store tell.

The paper's rules (SeSaMe, section II-A) are ours. Those of the published tool are stricter:
``compat="sesame-tools"`` leaves out what is private too, and looks for tests by other signs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from acumen.lang.java.javadoc import SESAME_TOOLS, opening, tags

Row = Mapping[str, Any]

# JDT's nodes that a body must have, unless an infix operator or a conditional is in it.
LEAST_NODES = 10
# In the order in which they are asked: a method is counted where it is dropped first.
UNDOCUMENTED, BODILESS, CONSTRUCTORS, OBJECT_METHODS, TESTS, HIDDEN, PRIVATE = (
    "undocumented", "without a body", "constructors", "equals, hashCode, toString", "tests",
    "in types that are left out", "private",
)  # fmt: skip
UNREAD, SMALL, THROWING, BLANK = "not read as Java", "small", "only throw", "say nothing"
FILTERS = (
    UNDOCUMENTED, BODILESS, CONSTRUCTORS, OBJECT_METHODS, TESTS, HIDDEN, PRIVATE, UNREAD, SMALL,
    THROWING, BLANK,
)  # fmt: skip

_OF_OBJECT = frozenset((
    "equals(Object)", "equals(java.lang.Object)", "hashCode()", "toString()",
))  # fmt: skip
_TEST_FOLDERS = frozenset(("test", "tests"))
_TEST_ENDS = ("Test", "Tests")
_TOOL_TEST_ENDS = ("Test.java", "TestCase.java", "Tests.java")
_TOOL_FOLDERS = frozenset(("branches", "tags"))
# Types that the tool does not enter; nor local ones.
_NOT_ENTERED = frozenset(("annotation", "anonymous", "enum constant"))


def dropped(row: Row, compat: str, hidden: Callable[[Row], str]) -> str:
    """The filter that drops a method; none if it is worth reading. ``hidden`` tells the same of
    the types around it."""
    if not row["javadoc"]:
        return UNDOCUMENTED
    if row["kind"] != "method":
        return CONSTRUCTORS if row["body"] else BODILESS
    if not row["body"]:
        return BODILESS
    if signature(row) in _OF_OBJECT:
        return OBJECT_METHODS
    if compat == SESAME_TOOLS:
        if is_tool_test(row["path"]):
            return TESTS
        around = hidden(row)
        return around or (PRIVATE if "private" in row["modifiers"] else "")
    return TESTS if is_test(row["path"], row["type"]) else ""


def is_test(path: str, types: str) -> bool:
    """In a folder of tests, in a class whose name starts or ends with Test or Tests."""
    *folders, file = path.split("/")
    names = (file.rsplit(".", 1)[0], *types.split("."))
    return not _TEST_FOLDERS.isdisjoint(folders) and any(
        name.startswith("Test") or name.endswith(_TEST_ENDS) for name in names
    )


def is_tool_test(path: str) -> bool:
    *folders, file = path.split("/")
    if not _TOOL_FOLDERS.isdisjoint(folders):
        return True
    named = file.startswith("Test") or file.endswith(_TOOL_TEST_ENDS)
    return named and not _TEST_FOLDERS.isdisjoint(folders)


def types_left_out(types: Mapping[bytes, Row], paths: Mapping[bytes, str]) -> dict[bytes, str]:
    """Why the tool does not enter a type, itself or one around it; all types of whole files."""
    found: dict[bytes, str] = {}
    for start in types:
        chain: list[bytes] = []
        at: bytes | None = start
        while at is not None and at in types and at not in found:
            chain.append(at)
            at = types[at]["owner_id"]
        why = found.get(at, "") if at is not None else ""
        for one in reversed(chain):
            why = why or _left_out(types[one], paths[types[one]["file_id"]])
            found[one] = why
    return found


def _left_out(row: Row, path: str) -> str:
    if "private" in row["modifiers"] or row["kind"] in _NOT_ENTERED or row["method_id"] is not None:
        return HIDDEN
    comment = row["javadoc"]
    if not comment:
        return ""
    in_tests = not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])
    if "test" in tags(comment) or (in_tests and opening(comment).startswith("Test ")):
        return TESTS
    return ""


# ---------------------------------------------------------------- names


def signature(row: Row) -> str:
    """``name(type, type)``, types as they are written; the bounds of wildcards are left out."""
    types = ", ".join(written_type(one["type"]) for one in row["parameters"])
    return f"{row['name']}({types})"


def written_type(type_: str) -> str:
    """A type as SeSaMe spells it: ``Map<String,? extends T>...`` is ``Map<String, ?>[]``."""
    found: list[str] = []
    depth, bound = 0, -1  # the depth at which a wildcard's bound is being left out
    for sign in type_.replace("...", "[]"):
        if sign == ">":
            depth -= 1
            if depth < bound:
                bound = -1
        elif sign == "," and depth == bound:
            bound = -1
        if bound < 0:
            found.append(", " if sign == "," else sign)
        if sign == "<":
            depth += 1
        elif sign == "?" and bound < 0:
            bound = depth
    return "".join(found)
