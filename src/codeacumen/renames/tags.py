"""Tag renames by kind, so that a benchmark can select among them.

From the names: ``typo``, ``case``, ``first-subtoken``. From the method: ``accessor``, ``override``,
``anonymous``, ``no-body``, ``empty``. From its file: ``test``, ``example``, ``generated``. From
other changes of the commit: ``visibility``, ``signature``, ``moved``, ``overload``,
``all-overloads``, ``joins``, ``hierarchy``, ``mass``, ``swap``, ``ambiguous``, ``merge``. From
later commits: ``again``, ``reverted``, ``reverts``. ``docs/mining-renames.md`` defines each.

``tag_commit`` returns all but ``mass``, ``merge`` and those from later commits, which its callers
add.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from codeacumen.renames.match import MatchedRename
from codeacumen.renames.versions import VISIBILITY, FileVersion, MethodVersion
from codeacumen.text.english import is_english
from codeacumen.text.subtokens import split_subtokens

# A typo changes at most MAX_TYPO_LETTERS letters of a word. Short words are no evidence: the longer
# of the two spellings has at least MIN_TYPO_LENGTH letters, the other at least one less.
MAX_TYPO_LETTERS = 2
MIN_TYPO_LENGTH = 4

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
# The body of an accessor: its words, joined by blanks.
_ACCESSOR = re.compile(
    r"\{ return (?:this \. )?\w+ ; \}|\{ (?:this \. )?\w+ = \w+ ; (?:return this ; )?\}"
)


def tag_names(old: str, new: str) -> list[str]:
    """Return the tags from the two names: ``case`` or ``typo``, and ``first-subtoken``."""
    tags = []
    if _join_subtokens(old) == _join_subtokens(new):
        tags.append("case")
    elif is_typo(old, new):
        tags.append("typo")
    old_first, new_first = split_subtokens(old)[:1], split_subtokens(new)[:1]
    if [subtoken.lower() for subtoken in old_first] != [subtoken.lower() for subtoken in new_first]:
        tags.append("first-subtoken")
    return tags


def _join_subtokens(name: str) -> str:
    return "".join(split_subtokens(name)).lower()


def is_typo(old: str, new: str) -> bool:
    """Return True if the rename corrects typos only.

    Each changed word differs by at most two letters (inserted, left out, replaced or two neighbours
    exchanged); the old word is in no English dictionary and the new one is."""
    before, after = split_subtokens(old), split_subtokens(new)
    if len(before) != len(after):
        return False
    changed_words = [
        (old_word.lower(), new_word.lower())
        for old_word, new_word in zip(before, after, strict=True)
        if old_word.lower() != new_word.lower()
    ]
    is_near = all(
        min(len(old_word), len(new_word)) >= MIN_TYPO_LENGTH - 1
        and max(len(old_word), len(new_word)) >= MIN_TYPO_LENGTH
        and OSA.distance(old_word, new_word) <= MAX_TYPO_LETTERS
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


def tag_location(path: str, version: FileVersion, method: MethodVersion) -> list[str]:
    """Return the tags from path and annotations: test, example, generated."""
    folders = path.lower().split("/")[:-1]
    stem = path.rpartition("/")[2].removesuffix(".java")
    annotations = {annotation.rpartition(".")[2] for annotation in method.declaration.annotations}
    tags = []
    if (
        not _TEST_FOLDERS.isdisjoint(folders)
        or _TEST_FILE.search(stem)
        or annotations & _TEST_MARKS
    ):
        tags.append("test")
    words = split_subtokens(stem, lower=True)
    is_in_example_folder = any(
        not _EXAMPLE_FOLDERS.isdisjoint(re.split(r"\W|_", folder)) for folder in folders
    )
    if is_in_example_folder or not _EXAMPLE_WORDS.isdisjoint((*words[:1], *words[-1:])):
        tags.append("example")
    if version.is_generated or "Generated" in annotations:
        tags.append("generated")
    return tags


def tag_method(version: FileVersion, method: MethodVersion) -> list[str]:
    """Return the tags from the method itself: its owner, and whether its body is trivial."""
    tags = []
    declaration = method.declaration
    is_interface_method = method.owner_kind == "interface" and not declaration.modifiers & {
        "static",
        "private",
    }
    if "Override" in declaration.annotations or is_interface_method:
        tags.append("override")
    if method.owner_kind in ("anonymous", "enum constant"):
        tags.append("anonymous")
    body = version.parse_body(method)
    if body is None:
        tags.append("no-body")
    elif len(body.words) == 2:  # the braces
        tags.append("empty")
    elif len(body.words) <= 10 and _ACCESSOR.fullmatch(" ".join(body.words)):
        tags.append("accessor")
    return tags


def tag_declaration(rename: MatchedRename) -> list[str]:
    """Return the tags for other changes of the declaration: visibility, signature."""
    old, new = rename.old.method.declaration, rename.new.method.declaration
    tags = []
    if old.modifiers & VISIBILITY != new.modifiers & VISIBILITY:
        tags.append("visibility")
    has_other_modifiers = (old.modifiers - VISIBILITY, old.type_parameters) != (
        new.modifiers - VISIBILITY,
        new.type_parameters,
    )
    if has_other_modifiers or rename.old.version.parse_header_words(
        rename.old.method
    ) != rename.new.version.parse_header_words(rename.new.method):
        tags.append("signature")
    return tags


def tag_overloads(
    rename: MatchedRename, rename_counts: Counter[tuple[str, str, str, str]]
) -> list[str]:
    """Return the tags from methods of the same name, before and after.

    ``rename_counts`` counts the renames of the commit by old path, old owner, old and new name.
    """
    old, new = rename.old, rename.new
    old_names = [method.name for method in old.version.methods_by_owner.get(old.method.owner, ())]
    new_names = [method.name for method in new.version.methods_by_owner.get(new.method.owner, ())]
    tags = []
    overload_count = old_names.count(old.name)
    if old.name in new_names:
        tags.append("overload")
    elif overload_count > 1 and (
        rename_counts[old.path, old.method.owner, old.name, new.name] == overload_count
    ):
        tags.append("all-overloads")
    if new.name in old_names:
        tags.append("joins")
    return tags


def tag_commit(renames: Sequence[MatchedRename]) -> list[set[str]]:
    """Return the tags of each rename of a commit, including those that depend on other renames."""
    rename_counts = Counter(
        (rename.old.path, rename.old.method.owner, rename.old.name, rename.new.name)
        for rename in renames
    )
    owners_by_rename: dict[object, set[tuple[str, str]]] = {}
    virtual_renames: set[object] = set()
    certain_names: set[tuple[str, str]] = set()
    for rename in renames:
        key = (rename.old.name, rename.new.name, len(rename.new.method.parameter_types))
        owners_by_rename.setdefault(key, set()).add((rename.new.path, rename.new.method.owner))
        if "override" in tag_method(rename.old.version, rename.old.method):
            virtual_renames.add(key)
        if rename.new.word_count > 2:
            certain_names.add((rename.old.name, rename.new.name))
    tags_by_rename = []
    for rename in renames:
        key = (rename.old.name, rename.new.name, len(rename.new.method.parameter_types))
        tags = {
            *tag_names(rename.old.name, rename.new.name),
            *tag_location(rename.new.path, rename.new.version, rename.new.method),
            *tag_method(rename.old.version, rename.old.method),
            *tag_method(rename.new.version, rename.new.method),
            *tag_declaration(rename),
        }
        if not rename.swapped:
            tags.update(tag_overloads(rename, rename_counts))
        if len(owners_by_rename[key]) > 1 and key in virtual_renames:
            tags.add("hierarchy")
        # An empty or missing body is no evidence, unless a method with a body was renamed alike.
        is_weak = (
            rename.new.word_count <= 2 and (rename.old.name, rename.new.name) not in certain_names
        )
        if rename.ambiguous or (
            is_weak and not _are_related_names(rename.old.name, rename.new.name)
        ):
            tags.add("ambiguous")
        if rename.swapped:
            tags.add("swap")
        if rename.old.path != rename.new.path or rename.old.method.owner != rename.new.method.owner:
            tags.add("moved")
        tags_by_rename.append(tags)
    return tags_by_rename


def _are_related_names(old: str, new: str) -> bool:
    """Return True if two names share a word or differ in at most ``MAX_TYPO_LETTERS`` letters."""
    before, after = (set(split_subtokens(name, lower=True)) for name in (old, new))
    return (
        not before.isdisjoint(after) or OSA.distance(old.lower(), new.lower()) <= MAX_TYPO_LETTERS
    )


def find_replaced_words(old: str, new: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that were replaced and their replacements, without common prefix and suffix.

    >>> find_replaced_words("getUserName", "getAccountName")
    (('user',), ('account',))
    """
    before = split_subtokens(old, lower=True)
    after = split_subtokens(new, lower=True)
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    return before, after


def mark_mass_renames(names: Sequence[tuple[str, str]], min_count: int) -> list[bool]:
    """Mark renames that replace the same words as at least ``min_count`` renames of the commit."""
    replacements = [find_replaced_words(*name_pair) for name_pair in names]
    counts = Counter(replacements)
    return [counts[replacement] >= min_count for replacement in replacements]
