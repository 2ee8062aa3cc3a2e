"""Build and read the rename benchmark, a folder that ``codeacumen eval`` can load.

``cases.jsonl`` holds renames (``records.Rename``) and ``stable.jsonl`` the other methods of their
files (``records.StableMethod``), each with its ``split``; ``files.jsonl`` maps files to splits, for
people who train on other copies of these projects; ``dataset.json`` describes the folder.

A person's decision on a rename comes first, then its tags and features. Splits share no file and no
method text: a project (or a file, with all paths it had) goes to one split as a whole, and a
training method whose text equals that of a test method, up to its own name, is left out. The same
records, decisions and settings give the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.corpus.splits import SPLITS
from codeacumen.datasets.built import ABOUT, SCHEMA, require_dataset_folder
from codeacumen.renames.dataset_card import PublishedLengths, count_cases, format_card
from codeacumen.renames.records import (
    RENAMES,
    STABLE,
    Rename,
    StableMethod,
    read_renames,
    read_stable,
)
from codeacumen.renames.reviews.comments import is_clear

INCLUDE, EXCLUDE = "include", "exclude"
CLEAR = "clear"
# ReName4J leaves out typos and examples. Names that differ only in case have the same subtokens. A
# method without a body offers nothing to compare its name with. Generated code, reverted renames
# and uncertain matches are no evidence about names.
DROPPED_TAGS = (
    "typo",
    "case",
    "example",
    "generated",
    "reverted",
    "ambiguous",
    "no-body",
    "empty",
)


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """Rules that select the renames of the benchmark.

    ``undecided`` applies to reviewed renames without a decision: ``clear`` includes those whose new
    name stands in the comment and was accepted, ``include`` all, ``exclude`` none. A rename with
    one of ``tags`` is dropped unless a person included it."""

    undecided: str = CLEAR
    tags: tuple[str, ...] = DROPPED_TAGS


def choose_renames(
    renames: Iterable[Rename],
    decisions: Mapping[str, str],
    rules: SelectionRules,
    dropped: Counter[str],
) -> list[Rename]:
    """Return the selected renames, sorted by project and file.

    ``decisions`` are by the ids of renames; they replace the decision in a rename's record. The
    function adds the other renames to ``dropped``, counted by reason.
    """
    if rules.undecided not in (CLEAR, INCLUDE, EXCLUDE):
        raise CodeacumenError(f"--undecided {rules.undecided}", "it is clear, include or exclude")
    selected: list[Rename] = []
    for rename in _drop_repeated(renames, dropped):
        review = rename.review
        decision = decisions.get(rename.id, review.decision if review else "")
        reason = _find_exclusion_reason(rename, decision, rules)
        if reason:
            dropped[reason] += 1
        elif review is not None:
            selected.append(replace(rename, review=replace(review, decision=decision)))
        else:
            selected.append(rename)
    return selected


def _find_exclusion_reason(rename: Rename, decision: str, rules: SelectionRules) -> str:
    """Return the reason to leave a rename out; empty if it is included."""
    if decision == EXCLUDE:
        return "excluded by a reviewer"
    if decision == INCLUDE:
        return ""
    for tag in rules.tags:
        if tag in rename.tags or (rename.review is not None and tag in rename.review.features):
            return f"tagged {tag}"
    if rename.review is not None and rules.undecided != INCLUDE:
        clear = rules.undecided == CLEAR and is_clear(rename.review.features)
        return "" if clear else "undecided"
    return ""


def _drop_repeated(renames: Iterable[Rename], dropped: Counter[str]) -> list[Rename]:
    """Return each rename once; the review's record wins over the history's, since it holds more."""
    rename_by_content: dict[tuple[object, ...], Rename] = {}
    ids: set[str] = set()
    for rename in sorted(
        renames, key=lambda rename: (rename.review is None, rename.project, rename.path, rename.id)
    ):
        # The project is not part of the key: a clone's folder may have another name.
        key = (
            rename.path,
            rename.owner,
            rename.old_name,
            rename.new_name,
            rename.parameters,
            rename.code,
        )
        if key in rename_by_content or rename.id in ids:
            dropped["repeated"] += 1
        else:
            rename_by_content[key] = rename
            ids.add(rename.id)
    return sorted(
        rename_by_content.values(),
        key=lambda rename: (rename.project, rename.path, rename.owner, rename.id),
    )


def choose_stable_methods(
    stable: Iterable[StableMethod],
    renames: Sequence[Rename],
    cases: Sequence[Rename],
    rules: SelectionRules,
    dropped: Counter[str],
) -> list[StableMethod]:
    """Return the stable methods of the cases' files, each once, without those in ``renames``.

    ``cases`` are the selected renames, ``renames`` all. Of several records of a method, the one
    with the greatest commit hash is kept, so that the choice does not depend on their order.
    """
    files = {(case.project, case.path) for case in cases}
    renamed = {
        (rename.project, rename.path, rename.owner, name, rename.parameters)
        for rename in renames
        for name in (rename.old_name, rename.new_name)
    }
    method_by_key: dict[tuple[object, ...], StableMethod] = {}
    for method in sorted(stable, key=lambda method: (method.commit, method.id)):
        key = (method.project, method.path, method.owner, method.name, method.parameters)
        if (method.project, method.path) not in files:
            dropped["stable, in a file without a case"] += 1
        elif key in renamed:
            dropped["stable, but renamed elsewhere"] += 1
        elif any(tag in method.tags for tag in rules.tags):
            dropped["stable, with a dropped tag"] += 1
        else:
            dropped["stable, repeated"] += key in method_by_key
            method_by_key[key] = method
    method_by_id = {method.id: method for method in method_by_key.values()}
    dropped["stable, repeated"] += len(method_by_key) - len(method_by_id)
    return sorted(
        method_by_id.values(),
        key=lambda method: (method.project, method.path, method.owner, method.id),
    )


FAMILY, FORMAT = "renames", "codeacumen.renames/2"
CASES, FILES, CARD = "cases.jsonl", "files.jsonl", "card.md"


@dataclass(frozen=True, slots=True)
class RenameDatasetSettings:
    """Settings of the built data set.

    ``shares`` are the shares of training, development and test, in any unit; ``by`` is what is
    assigned to a split as a whole: ``project`` or ``file``."""

    shares: tuple[int, int, int] = (0, 0, 100)
    by: str = "project"
    seed: int = 0
    rules: SelectionRules = field(default_factory=SelectionRules)


@dataclass(frozen=True, slots=True)
class RenameCase:
    """A selected rename and its split, one of SPLITS."""

    split: str
    rename: Rename


@dataclass(frozen=True, slots=True)
class StableCase:
    """A selected stable method and its split, one of SPLITS."""

    split: str
    method: StableMethod


@dataclass(frozen=True, slots=True)
class RenameBenchmark:
    """Content of a data set folder; ``about`` is its ``dataset.json``."""

    about: Mapping[str, Json]
    cases: tuple[RenameCase, ...]
    stable: tuple[StableCase, ...]


def read_cases(folder: Path) -> RenameBenchmark:
    """Read a data set folder and check its files against their hashes."""
    path = folder / ABOUT
    hint = "build it again with `codeacumen dataset build renames`"
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CodeacumenError(f"{path} cannot be read: {error}", hint) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise CodeacumenError(f"{folder} is not a data set of renames", hint)
    for name in (CASES, STABLE):
        exists = (folder / name).is_file()
        if not exists or sha256_of(folder / name) != about["files"].get(name):
            raise CodeacumenError(f"{folder / name} is missing or damaged", hint)
    return RenameBenchmark(
        about,
        tuple(
            RenameCase(split, rename)
            for split, rename in zip(
                _read_splits(folder / CASES), read_renames(folder / CASES), strict=True
            )
        ),
        tuple(
            StableCase(split, method)
            for split, method in zip(
                _read_splits(folder / STABLE), read_stable(folder / STABLE), strict=True
            )
        ),
    )


def _read_splits(path: Path) -> list[str]:
    return [str(json.loads(line)["split"]) for line in path.read_bytes().splitlines()]


def build_rename_dataset(
    folders: Sequence[Path],
    decisions: Mapping[str, str],
    out: Path,
    settings: RenameDatasetSettings,
    published_lengths: PublishedLengths | None = None,
) -> dict[str, Json]:
    """Write the data set to ``out`` and return the content of its ``dataset.json``.

    ``folders`` are those that ``renames mine`` or ``renames reviews`` wrote; ``decisions`` are by
    the ids of renames (``include``, ``exclude`` or empty). ``published_lengths`` are mean lengths
    of names, which the card shows next to those of this data set.
    """
    # The cases are written first: a folder with them is the rest of an interrupted run, and may be
    # overwritten although it has no description.
    if not (out / CASES).is_file():
        require_dataset_folder(out)
    if sum(settings.shares) <= 0 or settings.by not in ("project", "file"):
        raise CodeacumenError("the splits have no share at all", "give them as in 60/10/30")
    renames, stable, sources = _read_sources(folders)
    dropped: Counter[str] = Counter()
    cases = choose_renames(renames, decisions, settings.rules, dropped)
    if not cases:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items()))
        raise CodeacumenError(
            f"no rename is left for a benchmark{': ' if reasons else ''}{reasons}",
            "decide on the cases in the review file, or include all with --undecided include",
        )
    stable_methods = choose_stable_methods(stable, renames, cases, settings.rules, dropped)
    split_of = assign_splits(cases, settings.by, settings.shares, settings.seed)
    rename_cases = [RenameCase(split_of[rename.project, rename.path], rename) for rename in cases]
    stable_cases = [
        StableCase(split_of[method.project, method.path], method) for method in stable_methods
    ]
    rename_cases, stable_cases = without_near_duplicates(rename_cases, stable_cases, dropped)
    files = sorted(
        {
            (case.rename.project, path, case.split)
            for case in rename_cases
            for path in (case.rename.path, case.rename.path_before)
        }
    )
    lines = {
        CASES: [{**asdict(case.rename), "split": case.split} for case in rename_cases],
        STABLE: [{**asdict(case.method), "split": case.split} for case in stable_cases],
        FILES: [
            {"project": project, "path": path, "split": split} for project, path, split in files
        ],
    }
    counts = count_cases(rename_cases, stable_cases, dropped, published_lengths or {})
    about: dict[str, Json] = {
        "family": FAMILY,
        "schema": SCHEMA,
        "format": FORMAT,
        "codeacumen": __version__,
        "kinds": {
            "check": "check whether a method's name fits",
            "recommend": "recommend a name for a method",
        },
        "settings": _settings_to_json(settings),
        "sources": sources,
        "decisions": len(decisions),
        "counts": counts,
    }
    for name, rows in lines.items():
        write_atomically(out / name, _encode_lines(rows))
    write_atomically(out / CARD, format_card(about).encode())
    about["files"] = {name: sha256_of(out / name) for name in (*lines, CARD)}
    text = json.dumps(about, indent=1, ensure_ascii=True) + "\n"
    write_atomically(out / ABOUT, text.encode())
    return about


def _read_sources(folders: Sequence[Path]) -> tuple[list[Rename], list[StableMethod], list[Json]]:
    renames: list[Rename] = []
    stable: list[StableMethod] = []
    sources: list[Json] = []
    for folder in folders:
        renames_path, stable_path = folder / RENAMES, folder / STABLE
        if not renames_path.is_file():
            raise CodeacumenError(
                f"{folder} holds no {RENAMES}",
                "name a folder that `codeacumen renames mine` or `renames reviews` wrote",
            )
        folder_renames = _list_records(renames_path, Rename, read_renames(renames_path))
        folder_stable = (
            _list_records(stable_path, StableMethod, read_stable(stable_path))
            if stable_path.is_file()
            else []
        )
        renames += folder_renames
        stable += folder_stable
        source: dict[str, Json] = {"folder": folder.name, "renames": len(folder_renames)}
        source |= {"stable": len(folder_stable), "sha256": {RENAMES: sha256_of(renames_path)}}
        if stable_path.is_file():
            source["sha256"][STABLE] = sha256_of(stable_path)
        sources.append(source)
    return renames, stable, sources


def _list_records(path: Path, record_type: type, records: Iterable[Json]) -> list[Json]:
    """Return the records as a list; if fields are missing, raise an error that names the file."""
    try:
        return list(records)
    except TypeError as error:
        names = ", ".join(attribute.name for attribute in fields(record_type))
        raise CodeacumenError(f"{path}: {error}", f"each line has {names}") from error


def _settings_to_json(settings: RenameDatasetSettings) -> dict[str, Json]:
    shares = dict(zip(SPLITS, settings.shares, strict=True))
    rules = asdict(settings.rules)
    return {"shares": shares, "by": settings.by, "seed": settings.seed, **rules}


def _encode_lines(rows: Sequence[Json]) -> bytes:
    return "".join(
        json.dumps(row, ensure_ascii=True, sort_keys=True) + "\n" for row in rows
    ).encode()


# A project and a path in it; with an empty path, the whole project.
FileKey = tuple[str, str]
# Tokens of Java; a match of a comment has no group 1, so ``text_key`` skips it. An unclosed comment
# or string ends at the end of the text, so the pattern never backtracks over the text.
_TOKEN = re.compile(
    r'''/\*.*?(?:\*/|\Z)|//[^\n]*|("""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?'''
    r"""|'(?:\\.|[^'\\\n])*'?|[\w$]+|[^\w\s])""",
    re.DOTALL,
)


def assign_splits(
    cases: Sequence[Rename], by: str, shares: tuple[int, int, int], seed: int
) -> dict[FileKey, str]:
    """Return the split of each file.

    Groups (projects, or files with all paths they had) are visited in an order that depends on the
    seed; each goes to the split that lacks the largest part of its share of the cases."""
    groups = _group_files(cases, by)
    sizes = Counter(groups[case.project, case.path] for case in cases)
    total_share = sum(shares)
    target_counts = {
        split: len(cases) * share / total_share
        for split, share in zip(SPLITS, shares, strict=True)
        if share
    }
    case_counts = dict.fromkeys(target_counts, 0)
    split_of: dict[FileKey, str] = {}
    for group in sorted(sizes, key=lambda group: _compute_sampling_key(seed, group)):
        # The split that lacks the largest part of its target; the last split, test, among equals.
        split = max(
            target_counts,
            key=lambda name: (1 - case_counts[name] / target_counts[name], SPLITS.index(name)),
        )
        case_counts[split] += sizes[group]
        split_of[group] = split
    return {file: split_of[group] for file, group in groups.items() if group in split_of}


def _group_files(cases: Sequence[Rename], by: str) -> dict[FileKey, FileKey]:
    """Return the group of each file, named by the smallest key in it (union-find).

    A file's path before and after a rename are in one group; by project, all paths of the project.
    """
    parent: dict[FileKey, FileKey] = {}

    def find_root(file: FileKey) -> FileKey:
        while parent.setdefault(file, file) != file:
            # Path halving.
            parent[file] = parent[parent[file]]
            file = parent[file]
        return file

    for case in cases:
        old_file = (case.project, case.path_before or case.path)
        group_key = (case.project, "") if by == "project" else old_file
        for other in (old_file, group_key):
            first, second = sorted((find_root((case.project, case.path)), find_root(other)))
            parent[second] = first
    return {file: find_root(file) for file in list(parent)}


def _compute_sampling_key(seed: int, group: FileKey) -> bytes:
    text = f"{seed}\0{group[0]}\0{group[1]}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def without_near_duplicates(
    cases: Sequence[RenameCase], stable: Sequence[StableCase], dropped: Counter[str]
) -> tuple[list[RenameCase], list[StableCase]]:
    """Drop methods whose text equals that of a method in a later split.

    Test keeps all its methods, development loses those in test, training those in either.
    ``dropped`` counts the losses."""
    case_keys = [text_key(case.rename.code, case.rename.new_name) for case in cases]
    stable_keys = [text_key(case.method.code, case.method.name) for case in stable]
    # Indices in SPLITS by text key.
    latest_split: dict[bytes, int] = {}
    splits = [*(case.split for case in cases), *(case.split for case in stable)]
    for key, split in zip([*case_keys, *stable_keys], splits, strict=True):
        latest_split[key] = max(latest_split.get(key, 0), SPLITS.index(split))
    kept_cases = [
        case
        for case, key in zip(cases, case_keys, strict=True)
        if SPLITS.index(case.split) == latest_split[key]
    ]
    kept_stable = [
        case
        for case, key in zip(stable, stable_keys, strict=True)
        if SPLITS.index(case.split) == latest_split[key]
    ]
    dropped["cases with a near-duplicate in a later split"] += len(cases) - len(kept_cases)
    dropped["stable, with a near-duplicate in a later split"] += len(stable) - len(kept_stable)
    return kept_cases, kept_stable


def text_key(code: str, name: str) -> bytes:
    """Return a hash of a method's tokens without comments and the method's own ``name``."""
    tokens = [match[1] for match in _TOKEN.finditer(code) if match[1] is not None]
    text = "\n".join("" if token == name else token for token in tokens)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
