"""Tests of the data set of renames: which records it contains, and that no test data leaks.

The oracles are records written by hand; a check for leaks in the written files that uses other
means than the builder (texts without white space, sets of paths); and the published lengths in
section 3.2 of ReName4J and in Liu et al.'s file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.rename4j import read_published_lengths
from codeacumen.datasets.built import ABOUT, BuiltDataset
from codeacumen.renames.dataset import (
    RenameDatasetSettings,
    SelectionRules,
    build_rename_dataset,
    read_cases,
    text_key,
)
from codeacumen.renames.dataset_card import compute_name_lengths
from codeacumen.renames.records import RENAMES, STABLE, Rename, Review, StableMethod, write_lines
from support import ROOT, SHARED, Codeacumen


def method_code(name: str, key: str) -> str:
    return (
        f"/** About {key}. */\nint {name}(int a) {{\n    return a + {key}.size() * {name}(a);\n}}"
    )


def make_rename(
    project: str, path: str, key: str, review: Review | None = None, **changes: object
) -> Rename:
    old, new = f"get{key}", f"compute{key}Total"
    default = Rename(
        f"{project}/{path}/{key}",
        project,
        "c1",
        "c0",
        5,
        path,
        path,
        "A",
        old,
        new,
        ("int",),
        "int",
        method_code(new, key),
        method_code(old, key),
        review=review,
    )
    return replace(default, **changes)  # type: ignore[arg-type]


def make_review(*features: str) -> Review:
    return Review("compute it", "https://example.org", "bob", 7, True, features)


def make_stable_method(project: str, path: str, key: str, **changes: object) -> StableMethod:
    default = StableMethod(
        f"s/{project}/{path}/{key}",
        project,
        "c1",
        path,
        "A",
        f"keep{key}",
        ("int",),
        "int",
        method_code(f"keep{key}", key),
    )
    return replace(default, **changes)  # type: ignore[arg-type]


def write_records(folder: Path, renames: list[Rename], stable_methods: list[StableMethod]) -> Path:
    write_lines(folder / RENAMES, renames)
    write_lines(folder / STABLE, stable_methods)
    return folder


def write_sample_records(folder: Path) -> Path:
    """Write records of twenty projects of five files, with near-duplicates between projects."""
    renames, stable_methods = [], []
    for project_number in range(20):
        for file_number in range(5):
            project, path = f"p{project_number}", f"src/F{file_number}.java"
            renames.append(make_rename(project, path, f"K{project_number}x{file_number}"))
            stable_methods += [
                make_stable_method(
                    project, path, f"S{project_number}x{file_number}x{method_number}"
                )
                for method_number in range(3)
            ]
            stable_methods.append(make_stable_method(project, path, f"Twin{file_number}"))
    renames.append(make_rename("p0", "src/F0.java", "Same"))
    renames.append(make_rename("p1", "src/F9.java", "Same", old_name="other"))
    return write_records(folder, renames, stable_methods)


@pytest.mark.parametrize("by", ["project", "file"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_test_files_and_texts_are_not_in_training(tmp_path: Path, by: str, seed: int) -> None:
    build_rename_dataset(
        [write_sample_records(tmp_path / "in")],
        {},
        tmp_path / "out",
        RenameDatasetSettings((60, 10, 30), by, seed),
    )
    built = read_cases(tmp_path / "out")
    splits_of_group: dict[tuple[str, str], set[str]] = {}
    splits_of_text: dict[str, set[str]] = {}
    rows = [
        (case.split, case.rename.project, case.rename.path, case.rename.code, case.rename.new_name)
        for case in built.cases
    ]
    rows += [
        (
            method.split,
            method.method.project,
            method.method.path,
            method.method.code,
            method.method.name,
        )
        for method in built.stable
    ]
    for split, project, path, code, name in rows:
        group = (project, "" if by == "project" else path)
        splits_of_group.setdefault(group, set()).add(split)
        bare_code = re.sub(r"/\*.*?\*/|\s", "", re.sub(rf"\b{name}\b", "", code), flags=re.DOTALL)
        splits_of_text.setdefault(bare_code, set()).add(split)
    assert all(len(splits) == 1 for splits in splits_of_group.values())
    assert all(len(splits) == 1 for splits in splits_of_text.values())
    counts = Counter(case.split for case in built.cases)
    assert counts["train"] == pytest.approx(60, abs=8)
    assert counts["test"] == pytest.approx(30, abs=8)
    assert built.about["counts"]["dropped"]["stable, with a near-duplicate in a later split"] > 0
    # The test split is complete: each file has three stable methods and one near-duplicate.
    test_files = {
        (case.rename.project, case.rename.path) for case in built.cases if case.split == "test"
    }
    test_files.discard(("p1", "src/F9.java"))
    assert sum(method.split == "test" for method in built.stable) == 4 * len(test_files)


def test_a_moved_file_stays_in_one_split(tmp_path: Path) -> None:
    moved_renames = [
        make_rename("p", f"src/M{i + 1}.java", f"M{i}", path_before=f"src/M{i}.java")
        for i in range(9)
    ]
    other_renames = [make_rename("p", f"src/L{i}.java", f"L{i}") for i in range(30)]
    folder = write_records(tmp_path / "in", moved_renames + other_renames, [])
    build_rename_dataset([folder], {}, tmp_path / "out", RenameDatasetSettings((50, 0, 50), "file"))
    cases = read_cases(tmp_path / "out").cases
    assert {case.split for case in cases} == {"train", "test"}
    assert len({case.split for case in cases if "/M" in case.rename.path}) == 1


def test_the_same_records_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    folder = write_sample_records(tmp_path / "in")
    lines_of_files = [
        (name, (folder / name).read_bytes().splitlines()) for name in (RENAMES, STABLE)
    ]
    about = build_rename_dataset(
        [folder], {}, tmp_path / "one", RenameDatasetSettings((60, 10, 30), seed=3)
    )
    reversed_folder = tmp_path / "in-reversed" / "in"
    reversed_folder.mkdir(parents=True)
    for name, lines_of_file in lines_of_files:
        (reversed_folder / name).write_bytes(b"\n".join(reversed(lines_of_file)) + b"\n")
    build_rename_dataset(
        [reversed_folder], {}, tmp_path / "two", RenameDatasetSettings((60, 10, 30), seed=3)
    )
    for name in about["files"]:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    other_about = build_rename_dataset(
        [folder], {}, tmp_path / "three", RenameDatasetSettings((60, 10, 30), seed=4)
    )
    assert other_about["files"] != about["files"]


def test_decisions_override_the_choice_by_features(tmp_path: Path) -> None:
    clear = make_review("accepted", "suggested")
    renames = [
        make_rename("p", "A.java", "Clear", clear),
        make_rename("p", "A.java", "Open", make_review("accepted", "inspired")),
        make_rename("p", "A.java", "Yes", make_review("accepted")),
        make_rename("p", "A.java", "No", clear),
        make_rename("p", "A.java", "Typo", make_review("accepted", "suggested", "typo")),
        make_rename("p", "A.java", "TypoYes", make_review("typo")),
        make_rename("p", "A.java", "Own", make_review("accepted", "suggested", "by the author")),
        make_rename("p", "A.java", "Plain"),
        make_rename("p", "A.java", "Bodyless", tags=("no-body",)),
        make_rename("p", "A.java", "Sample", tags=("example",)),
    ]
    folder = write_records(tmp_path / "in", renames, [])
    decisions = {
        "p/A.java/Yes": "include",
        "p/A.java/No": "exclude",
        "p/A.java/TypoYes": "include",
        "p/A.java/Nobody": "include",
    }

    def list_kept_keys(**choice: object) -> list[str]:
        settings = RenameDatasetSettings(rules=SelectionRules(**choice))  # type: ignore[arg-type]
        about = build_rename_dataset([folder], decisions, tmp_path / "out", settings)
        case_count = sum(about["counts"]["dropped"].values()) + about["counts"]["cases"]["test"]
        assert case_count == len(renames)
        cases = read_cases(tmp_path / "out").cases
        return sorted(case.rename.id.rpartition("/")[2] for case in cases)

    assert list_kept_keys() == ["Clear", "Plain", "TypoYes", "Yes"]
    assert list_kept_keys(undecided="include") == [
        "Clear",
        "Open",
        "Own",
        "Plain",
        "TypoYes",
        "Yes",
    ]
    assert list_kept_keys(undecided="exclude") == ["Plain", "TypoYes", "Yes"]
    assert list_kept_keys(tags=("typo",)) == [
        "Bodyless",
        "Clear",
        "Plain",
        "Sample",
        "TypoYes",
        "Yes",
    ]
    review_of_case = {
        case.rename.id: case.rename.review for case in read_cases(tmp_path / "out").cases
    }
    yes = review_of_case["p/A.java/Yes"]
    assert yes is not None
    assert yes.decision == "include"


def test_a_rename_from_two_sources_is_one_case(tmp_path: Path) -> None:
    plain = make_rename("widgets", "A.java", "K")
    reviewed_rename = make_rename(
        "acme/widgets", "A.java", "K", make_review("accepted", "suggested")
    )
    first_folder, second_folder = (
        write_records(tmp_path / "1", [plain], []),
        write_records(tmp_path / "2", [reviewed_rename], []),
    )
    about = build_rename_dataset(
        [first_folder, second_folder], {}, tmp_path / "out", RenameDatasetSettings()
    )
    (case,) = read_cases(tmp_path / "out").cases
    assert case.rename.project == "acme/widgets"
    assert about["counts"]["dropped"] == {"repeated": 1}


def test_ids_of_records_are_unique(tmp_path: Path) -> None:
    renames = [make_rename("p", "A.java", "K"), make_rename("p", "B.java", "L", id="p/A.java/K")]
    others = [
        make_stable_method("p", "A.java", "S"),
        make_stable_method("p", "A.java", "T", id="s/p/A.java/S"),
    ]
    build_rename_dataset(
        [write_records(tmp_path / "in", renames, others)],
        {},
        tmp_path / "out",
        RenameDatasetSettings(),
    )
    built = read_cases(tmp_path / "out")
    assert (len(built.cases), len(built.stable)) == (1, 1)


def test_stable_methods_are_in_files_of_cases_and_never_renamed(tmp_path: Path) -> None:
    case = make_rename("p", "A.java", "K")
    dropped = make_rename("p", "A.java", "T", tags=("typo",))
    others = [
        make_stable_method("p", "A.java", "S"),
        make_stable_method("p", "A.java", "S", commit="c2", id="later"),
        make_stable_method("p", "B.java", "S"),
        make_stable_method("q", "A.java", "S"),
        make_stable_method("p", "A.java", "X", name=case.new_name),
        make_stable_method("p", "A.java", "Y", name=dropped.new_name),
        make_stable_method("p", "A.java", "Z", tags=("generated",)),
    ]
    build_rename_dataset(
        [write_records(tmp_path / "in", [case, dropped], others)],
        {},
        tmp_path / "out",
        RenameDatasetSettings(),
    )
    (kept_method,) = read_cases(tmp_path / "out").stable
    assert (kept_method.method.id, kept_method.split) == ("later", "test")


def test_the_folder_is_a_built_dataset(tmp_path: Path) -> None:
    build_rename_dataset(
        [write_sample_records(tmp_path / "in")],
        {},
        tmp_path / "out",
        RenameDatasetSettings((60, 10, 30)),
    )
    about = json.loads((tmp_path / "out" / ABOUT).read_bytes())
    assert (about["family"], about["schema"], about["format"]) == (
        "renames",
        4,
        "codeacumen.renames/2",
    )
    built = BuiltDataset(tmp_path / "out", "names", about)
    rows = list(built.read_rows("cases.jsonl"))
    assert len(rows) == len(read_cases(tmp_path / "out").cases)
    assert {row["split"] for row in rows} == {"train", "dev", "test"}
    split_of_file = {
        (row["project"], row["path"]): row["split"] for row in built.read_rows("files.jsonl")
    }
    assert all(split_of_file[row["project"], row["path"]] == row["split"] for row in rows)
    (tmp_path / "out" / "cases.jsonl").write_bytes(b"")
    with pytest.raises(CodeacumenError, match="damaged"):
        read_cases(tmp_path / "out")


def test_lengths_of_names_agree_with_the_papers() -> None:
    """ReName4J reports 13.18 characters and 2.52 subtokens for Liu et al.'s names."""
    path = SHARED / "liu2019" / "methods.jsonl"
    if not path.is_file():
        pytest.skip(f"Liu et al.'s data are not in {path.parent}")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    split_names = [row["name_under_test"] for row in rows]
    names = [
        "".join([subtokens_of_name[0], *(part.capitalize() for part in subtokens_of_name[1:])])
        for subtokens_of_name in split_names
    ]
    assert compute_name_lengths(names) == read_published_lengths()["Liu et al. 2019"]
    assert compute_name_lengths([]) == {"characters": None, "subtokens": None}


def test_text_key_ignores_comments_layout_and_the_own_name() -> None:
    first = "/** Doc */ int getA(int b) { return getA(b) + 1; }"
    second = "int\n  computeA(int b) {\n // what\n return computeA(b)+1; }"
    assert text_key(first, "getA") == text_key(second, "computeA")
    assert text_key(first, "getA") != text_key(first.replace("+ 1", "+ 2"), "getA")
    assert text_key("} { broken \ud800", "x") != text_key("}", "x")
    for endless in ("/*", '"""', '"', "'", "(", "\\"):
        assert text_key("int a() {" + endless * 50_000, "a")


def test_text_keys_agree_with_the_grammars_tokens() -> None:
    """The oracle is the tokens of the tree-sitter grammar, for all methods of the examples."""
    from codeacumen.languages.java.syntax.file import JavaFile

    texts_of_key: dict[bytes, set[bytes]] = {}
    keys_of_text: dict[bytes, set[bytes]] = {}
    for path in sorted((ROOT / "examples").rglob("*.java")):
        file = JavaFile(path.read_bytes())
        for body_index in file.bodies:
            method = file.declarations.methods[body_index]
            start, end = int(file.syntax.start[method.node]), int(file.syntax.end[method.node])
            tokens = file.tokens
            spans = zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
            token_text = b" ".join(
                file.source[token_start:token_end]
                for token_start, token_end in spans
                if start <= token_start and token_end <= end
            )
            key = text_key(file.source[start:end].decode(), "")
            texts_of_key.setdefault(key, set()).add(token_text)
            keys_of_text.setdefault(token_text, set()).add(key)
    assert len(texts_of_key) > 1000
    assert max(len(token_texts) for token_texts in texts_of_key.values()) == 1
    assert max(len(keys) for keys in keys_of_text.values()) == 1


def test_invalid_inputs_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match=r"holds no renames\.jsonl"):
        build_rename_dataset([tmp_path], {}, tmp_path / "out", RenameDatasetSettings())
    folder = write_records(
        tmp_path / "in", [make_rename("p", "A.java", "K", make_review("inspired"))], []
    )
    with pytest.raises(CodeacumenError, match="no rename is left for a benchmark: 1 undecided"):
        build_rename_dataset([folder], {}, tmp_path / "out", RenameDatasetSettings())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(CodeacumenError, match="is not empty and holds no data set"):
        build_rename_dataset([folder], {}, tmp_path / "mine", RenameDatasetSettings())
    (folder / RENAMES).write_text('{"id": "1"}\n')
    with pytest.raises(CodeacumenError, match="missing"):
        build_rename_dataset([folder], {}, tmp_path / "out", RenameDatasetSettings())


def test_dataset_build_renames_command(tmp_path: Path, codeacumen: Codeacumen) -> None:
    folder = write_sample_records(tmp_path / "in")
    out = tmp_path / "out"
    result = codeacumen(
        *("dataset", "build", "renames", folder, "--out", out),
        *("--splits", "60/10/30", "--seed", 1),
    )
    assert result.returncode == 0, result.stderr
    assert "24.90" in result.stdout
    assert (out / "card.md").read_text().count("ReName4J") == 1
    for splits in ("1/2", "a/b/c", "0/0/0"):
        result = codeacumen("dataset", "build", "renames", folder, "-o", out, "--splits", splits)
        assert result.returncode == 2
        assert "80/10/10" in result.stderr
