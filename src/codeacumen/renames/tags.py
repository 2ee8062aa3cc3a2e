"""Tag renames by kind, so that a benchmark can select among them.

From the names: ``typo``, ``case``, ``first-subtoken``. From the method: ``accessor``, ``override``,
``anonymous``, ``no-body``, ``empty``. From its file: ``test``, ``example``, ``generated``. From
other changes of the commit: ``visibility``, ``signature``, ``moved``, ``overload``,
``all-overloads``, ``joins``, ``hierarchy``, ``mass``, ``swap``, ``ambiguous``, ``merge``. From
later commits: ``again``, ``reverted``, ``reverts``. ``docs/mining-renames.md`` defines each."""

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

# A typo changes at most so many letters of a word; shorter words are no evidence.
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
    tags = []
    if _plain(old) == _plain(new):
        tags.append("case")
    elif is_typo(old, new):
        tags.append("typo")
    old_first, new_first = subtokens(old)[:1], subtokens(new)[:1]
    if [subtoken.lower() for subtoken in old_first] != [subtoken.lower() for subtoken in new_first]:
        tags.append("first-subtoken")
    return tags


def _plain(name: str) -> str:
    return "".join(subtokens(name)).lower()


def is_typo(old: str, new: str) -> bool:
    """Return whether the rename corrects typos only.

    Each changed word differs by at most two letters (inserted, left out, replaced or two neighbours
    exchanged); the old word is in no English dictionary and the new one is."""
    before, after = subtokens(old), subtokens(new)
    if len(before) != len(after):
        return False
    changed_words = [
        (old_word.lower(), new_word.lower())
        for old_word, new_word in zip(before, after, strict=True)
        if old_word.lower() != new_word.lower()
    ]
    is_near = all(
        min(len(old_word), len(new_word)) >= SHORTEST - 1
        and max(len(old_word), len(new_word)) >= SHORTEST
        and OSA.distance(old_word, new_word) <= LETTERS
        for old_word, new_word in changed_words
    )
    return (
        bool(changed_words)
        and is_near
        and all(
            is_english(new_word) and not is_english(old_word)
            for old_word, new_word in changed_words
        )
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
    """Tags from the file's path and the method's annotations."""
    folders = path.lower().split("/")[:-1]
    stem = path.rpartition("/")[2].removesuffix(".java")
    annotations = {annotation.rpartition(".")[2] for annotation in method.declared.annotations}
    tags = []
    if (
        not _TEST_FOLDERS.isdisjoint(folders)
        or _TEST_FILE.search(stem)
        or annotations & _TEST_MARKS
    ):
        tags.append("test")
    words = subtokens(stem, lower=True)
    is_in_example_folder = any(
        not _EXAMPLE_FOLDERS.isdisjoint(re.split(r"\W|_", folder)) for folder in folders
    )
    if is_in_example_folder or not _EXAMPLE_WORDS.isdisjoint((*words[:1], *words[-1:])):
        tags.append("example")
    if version.generated or "Generated" in annotations:
        tags.append("generated")
    return tags


def of_method(version: Version, method: Method) -> list[str]:
    tags = []
    declared = method.declared
    is_interface_method = method.kind == "interface" and not declared.modifiers & {
        "static",
        "private",
    }
    if "Override" in declared.annotations or is_interface_method:
        tags.append("override")
    if method.kind in ("anonymous", "enum constant"):
        tags.append("anonymous")
    body = version.body(method)
    if body is None:
        tags.append("no-body")
    elif len(body.words) == 2:
        tags.append("empty")
    elif len(body.words) <= 10 and _ACCESSOR.fullmatch(" ".join(body.words)):
        tags.append("accessor")
    return tags


def of_heads(one: Renamed) -> list[str]:
    """Tags for other changes of the declaration."""
    old, new = one.old.method.declared, one.new.method.declared
    tags = []
    if old.modifiers & VISIBILITY != new.modifiers & VISIBILITY:
        tags.append("visibility")
    has_other_modifiers = (old.modifiers - VISIBILITY, old.type_parameters) != (
        new.modifiers - VISIBILITY,
        new.type_parameters,
    )
    if has_other_modifiers or one.old.version.heads(one.old.method) != one.new.version.heads(
        one.new.method
    ):
        tags.append("signature")
    return tags


def of_overloads(one: Renamed, renamed: Counter[tuple[str, str, str, str]]) -> list[str]:
    """Tags from overloads; ``renamed`` counts path, owner, old and new name in the commit."""
    old, new = one.old, one.new
    old_names = [method.name for method in old.version.by_owner.get(old.method.owner, ())]
    new_names = [method.name for method in new.version.by_owner.get(new.method.owner, ())]
    tags = []
    overload_count = old_names.count(old.name)
    if old.name in new_names:
        tags.append("overload")
    elif overload_count > 1 and (
        renamed[old.path, old.method.owner, old.name, new.name] == overload_count
    ):
        tags.append("all-overloads")
    if new.name in old_names:
        tags.append("joins")
    return tags


def of_commit(renames: Sequence[Renamed]) -> list[set[str]]:
    """Return the tags of each rename of a commit, including those that depend on other renames."""
    overloads = Counter(
        (rename.old.path, rename.old.method.owner, rename.old.name, rename.new.name)
        for rename in renames
    )
    owners_by_rename: dict[object, set[tuple[str, str]]] = {}
    virtual_renames: set[object] = set()
    certain_names: set[tuple[str, str]] = set()
    for rename in renames:
        key = (rename.old.name, rename.new.name, len(rename.new.method.types))
        owners_by_rename.setdefault(key, set()).add((rename.new.path, rename.new.method.owner))
        if "override" in of_method(rename.old.version, rename.old.method):
            virtual_renames.add(key)
        if rename.new.says > 2:
            certain_names.add((rename.old.name, rename.new.name))
    tags_by_rename = []
    for rename in renames:
        key = (rename.old.name, rename.new.name, len(rename.new.method.types))
        tags = {
            *of_names(rename.old.name, rename.new.name),
            *of_place(rename.new.path, rename.new.version, rename.new.method),
            *of_method(rename.old.version, rename.old.method),
            *of_method(rename.new.version, rename.new.method),
            *of_heads(rename),
        }
        if not rename.swapped:
            tags.update(of_overloads(rename, overloads))
        if len(owners_by_rename[key]) > 1 and key in virtual_renames:
            tags.add("hierarchy")
        is_weak = rename.new.says <= 2 and (rename.old.name, rename.new.name) not in certain_names
        if rename.ambiguous or (is_weak and not _share(rename.old.name, rename.new.name)):
            tags.add("ambiguous")
        if rename.swapped:
            tags.add("swap")
        if rename.old.path != rename.new.path or rename.old.method.owner != rename.new.method.owner:
            tags.add("moved")
        tags_by_rename.append(tags)
    return tags_by_rename


def _share(old: str, new: str) -> bool:
    """Return whether two names share a word or are nearly one word."""
    before, after = (set(subtokens(name, lower=True)) for name in (old, new))
    return not before.isdisjoint(after) or OSA.distance(old.lower(), new.lower()) <= LETTERS


def substitution(old: str, new: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that were replaced and their replacements, without common prefix and suffix.

    >>> replaced_words("getUserName", "getAccountName")
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
    """Mark renames that replace the same words as at least ``min_count`` renames of the commit."""
    kinds = [substitution(*name_pair) for name_pair in names]
    counts = Counter(kinds)
    return [counts[substitution_kind] >= least for substitution_kind in kinds]
