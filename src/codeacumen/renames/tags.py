"""What kind of rename it is: tags that a benchmark chooses by.

Of the names: ``typo``, ``case``, ``first-subtoken``. Of the method: ``accessor``, ``override``,
``anonymous``, ``no-body``, ``empty``. Of its file: ``test``, ``example``, ``generated``. Of what
else changed: ``visibility``, ``signature``, ``moved``, ``overload``, ``all-overloads``, ``joins``,
``hierarchy``, ``mass``, ``swap``, ``ambiguous``, ``merge``. Of what came later: ``again``,
``reverted``, ``reverts``. ``docs/mining-renames.md`` says what each means.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rapidfuzz.distance import OSA

from codeacumen.renames.match import Renamed
from codeacumen.renames.versions import VISIBILITY, Method, Version
from codeacumen.text.subtokens import subtokens

# A typo changes at most so many letters of a word, and words shorter than that are no evidence.
LETTERS = 2
SHORTEST = 4

_TEST_FOLDERS = frozenset(
    ("test", "tests", "testing", "androidtest", "testfixtures", "integrationtest")
)
_TEST_FILE = re.compile(r"(?:^Test(?![a-z])|(?:Tests?|TestCase|TestSuite|IT)$)")
_TEST_MARKS = frozenset(
    (
        "Test",
        "ParameterizedTest",
        "RepeatedTest",
        "TestFactory",
        "TestTemplate",
        "Before",
        "After",
        "BeforeEach",
        "AfterEach",
        "BeforeAll",
        "AfterAll",
        "BeforeClass",
        "AfterClass",
        "BeforeMethod",
        "AfterMethod",
        "DataProvider",
    )
)
_EXAMPLE_FOLDERS = frozenset(
    (
        "example",
        "examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "template",
        "templates",
        "tutorial",
        "tutorials",
    )
)
_EXAMPLE_WORDS = frozenset(("example", "examples", "sample", "samples", "demo", "demos"))
_ACCESSOR = re.compile(
    r"\{ return (?:this \. )?\w+ ; \}|\{ (?:this \. )?\w+ = \w+ ; (?:return this ; )?\}"
)


def of_names(old: str, new: str) -> list[str]:
    found = []
    if _plain(old) == _plain(new):
        found.append("case")
    elif is_typo(old, new):
        found.append("typo")
    first, now = subtokens(old)[:1], subtokens(new)[:1]
    if [one.lower() for one in first] != [one.lower() for one in now]:
        found.append("first-subtoken")
    return found


def _plain(name: str) -> str:
    return "".join(subtokens(name)).lower()


def is_typo(old: str, new: str) -> bool:
    """Word by word: those that differ do so by at most two letters (inserted, left out, replaced
    or two neighbours exchanged), the old one is in no English dictionary and the new one is."""
    before, after = subtokens(old), subtokens(new)
    if len(before) != len(after):
        return False
    differ = [
        (one.lower(), other.lower())
        for one, other in zip(before, after, strict=True)
        if one.lower() != other.lower()
    ]
    near = all(
        min(len(one), len(other)) >= SHORTEST - 1
        and max(len(one), len(other)) >= SHORTEST
        and OSA.distance(one, other) <= LETTERS
        for one, other in differ
    )
    return (
        bool(differ)
        and near
        and all(is_english(other) and not is_english(one) for one, other in differ)
    )


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    import warnings

    from spylls.hunspell import Dictionary

    with warnings.catch_warnings():
        # spylls leaves its files to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        return Dictionary.from_files("en_US")


@lru_cache(maxsize=1 << 14)
def is_english(word: str) -> bool:
    return bool(_dictionary().lookup(word))


def of_place(path: str, version: Version, method: Method) -> list[str]:
    """What file and annotations tell."""
    folders = path.lower().split("/")[:-1]
    stem = path.rpartition("/")[2].removesuffix(".java")
    marks = {one.rpartition(".")[2] for one in method.declared.annotations}
    found = []
    if not _TEST_FOLDERS.isdisjoint(folders) or _TEST_FILE.search(stem) or marks & _TEST_MARKS:
        found.append("test")
    words = subtokens(stem, lower=True)
    in_folder = any(not _EXAMPLE_FOLDERS.isdisjoint(re.split(r"\W|_", one)) for one in folders)
    if in_folder or not _EXAMPLE_WORDS.isdisjoint((*words[:1], *words[-1:])):
        found.append("example")
    if version.generated or "Generated" in marks:
        found.append("generated")
    return found


def of_method(version: Version, method: Method) -> list[str]:
    found = []
    declared = method.declared
    inherited = method.kind == "interface" and not declared.modifiers & {"static", "private"}
    if "Override" in declared.annotations or inherited:
        found.append("override")
    if method.kind in ("anonymous", "enum constant"):
        found.append("anonymous")
    body = version.body(method)
    if body is None:
        found.append("no-body")
    elif len(body.words) == 2:
        found.append("empty")
    elif len(body.words) <= 10 and _ACCESSOR.fullmatch(" ".join(body.words)):
        found.append("accessor")
    return found


def of_heads(one: Renamed) -> list[str]:
    """What else of the declaration changed."""
    old, new = one.old.method.declared, one.new.method.declared
    found = []
    if old.modifiers & VISIBILITY != new.modifiers & VISIBILITY:
        found.append("visibility")
    rest = (old.modifiers - VISIBILITY, old.type_parameters) != (
        new.modifiers - VISIBILITY,
        new.type_parameters,
    )
    if rest or one.old.version.heads(one.old.method) != one.new.version.heads(one.new.method):
        found.append("signature")
    return found


def of_overloads(one: Renamed, renamed: Counter[tuple[str, str, str, str]]) -> list[str]:
    """``renamed`` counts old path, owner, old and new name of all renames of the commit."""
    old, new = one.old, one.new
    before = [m.name for m in old.version.by_owner.get(old.method.owner, ())]
    after = [m.name for m in new.version.by_owner.get(new.method.owner, ())]
    found = []
    overloads = before.count(old.name)
    if old.name in after:
        found.append("overload")
    elif overloads > 1 and (renamed[old.path, old.method.owner, old.name, new.name] == overloads):
        found.append("all-overloads")
    if new.name in before:
        found.append("joins")
    return found


def of_commit(renames: Sequence[Renamed]) -> list[set[str]]:
    """What the renames of a commit tell of each other, and of themselves."""
    overloads = Counter(
        (one.old.path, one.old.method.owner, one.old.name, one.new.name) for one in renames
    )
    together: dict[object, set[tuple[str, str]]] = {}
    virtual: set[object] = set()
    sure: set[tuple[str, str]] = set()
    for one in renames:
        key = (one.old.name, one.new.name, len(one.new.method.types))
        together.setdefault(key, set()).add((one.new.path, one.new.method.owner))
        if "override" in of_method(one.old.version, one.old.method):
            virtual.add(key)
        if one.new.says > 2:
            sure.add((one.old.name, one.new.name))
    found = []
    for one in renames:
        key = (one.old.name, one.new.name, len(one.new.method.types))
        tags = {
            *of_names(one.old.name, one.new.name),
            *of_place(one.new.path, one.new.version, one.new.method),
            *of_method(one.old.version, one.old.method),
            *of_method(one.new.version, one.new.method),
            *of_heads(one),
        }
        if not one.swapped:
            tags.update(of_overloads(one, overloads))
        if len(together[key]) > 1 and key in virtual:
            tags.add("hierarchy")
        weak = one.new.says <= 2 and (one.old.name, one.new.name) not in sure
        if one.ambiguous or (weak and not _share(one.old.name, one.new.name)):
            tags.add("ambiguous")
        if one.swapped:
            tags.add("swap")
        if one.old.path != one.new.path or one.old.method.owner != one.new.method.owner:
            tags.add("moved")
        found.append(tags)
    return found


def _share(old: str, new: str) -> bool:
    """Whether two names have a word in common, or are nearly one word."""
    before, after = (set(subtokens(one, lower=True)) for one in (old, new))
    return not before.isdisjoint(after) or OSA.distance(old.lower(), new.lower()) <= LETTERS


def substitution(old: str, new: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that were replaced, and by which: names without what they begin and end with.

    >>> substitution("getUserName", "getAccountName")
    (('user',), ('account',))
    """
    before = subtokens(old, lower=True)
    after = subtokens(new, lower=True)
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    return before, after


def mass(names: Sequence[tuple[str, str]], least: int) -> list[bool]:
    """Which renames of a commit replace the same words as at least ``least`` of them do."""
    kinds = [substitution(*one) for one in names]
    counts = Counter(kinds)
    return [counts[one] >= least for one in kinds]
