"""A benchmark of renames: who is in it, and that nothing leaks from test into training.

Oracles: records made by hand; the leak rule is looked for in the written files by other means than
those that made them (white space taken out of the text, sets of paths); the published lengths are
those of ReName4J's section 3.2 and of Liu et al.'s own file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.datasets.built import ABOUT, BuiltDataset
from codeacumen.renames.dataset import Choice, Settings, build, read_cases, text_key
from codeacumen.renames.dataset_card import PUBLISHED, lengths
from codeacumen.renames.records import RENAMES, STABLE, Rename, Review, StableMethod, write_lines
from support import ROOT, SHARED, Codeacumen


def method(name: str, key: str) -> str:
    return (
        f"/** About {key}. */\nint {name}(int a) {{\n    return a + {key}.size() * {name}(a);\n}}"
    )


def rename(
    project: str, path: str, key: str, review: Review | None = None, **more: object
) -> Rename:
    old, new = f"get{key}", f"compute{key}Total"
    made = Rename(
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
        method(new, key),
        method(old, key),
        review=review,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def reviewed(*features: str) -> Review:
    return Review("compute it", "https://example.org", "bob", 7, True, features)


def stable(project: str, path: str, key: str, **more: object) -> StableMethod:
    made = StableMethod(
        f"s/{project}/{path}/{key}",
        project,
        "c1",
        path,
        "A",
        f"keep{key}",
        ("int",),
        "int",
        method(f"keep{key}", key),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def mined(folder: Path, renames: list[Rename], others: list[StableMethod]) -> Path:
    write_lines(folder / RENAMES, renames)
    write_lines(folder / STABLE, others)
    return folder


def many(folder: Path) -> Path:
    """Twenty projects of five files, with near-duplicates between projects."""
    renames, others = [], []
    for p in range(20):
        for f in range(5):
            project, path = f"p{p}", f"src/F{f}.java"
            renames.append(rename(project, path, f"K{p}x{f}"))
            others += [stable(project, path, f"S{p}x{f}x{i}") for i in range(3)]
            others.append(stable(project, path, f"Twin{f}"))
    renames.append(rename("p0", "src/F0.java", "Same"))
    renames.append(rename("p1", "src/F9.java", "Same", old_name="other"))
    return mined(folder, renames, others)


@pytest.mark.parametrize("by", ["project", "file"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_file_and_no_text_of_a_test_method_is_in_training(
    tmp_path: Path, by: str, seed: int
) -> None:
    build([many(tmp_path / "in")], {}, tmp_path / "out", Settings((60, 10, 30), by, seed))
    found = read_cases(tmp_path / "out")
    files: dict[tuple[str, str], set[str]] = {}
    texts: dict[str, set[str]] = {}
    rows = [
        (one.split, one.rename.project, one.rename.path, one.rename.code, one.rename.new_name)
        for one in found.cases
    ]
    rows += [
        (one.split, one.method.project, one.method.path, one.method.code, one.method.name)
        for one in found.stable
    ]
    for split, project, path, code, name in rows:
        whole = (project, "" if by == "project" else path)
        files.setdefault(whole, set()).add(split)
        bare = re.sub(r"/\*.*?\*/|\s", "", re.sub(rf"\b{name}\b", "", code), flags=re.DOTALL)
        texts.setdefault(bare, set()).add(split)
    assert all(len(splits) == 1 for splits in files.values())
    assert all(len(splits) == 1 for splits in texts.values())
    counts = Counter(one.split for one in found.cases)
    assert counts["train"] == pytest.approx(60, abs=8)
    assert counts["test"] == pytest.approx(30, abs=8)
    assert found.about["counts"]["dropped"]["stable, with a near-duplicate in a later split"] > 0
    # Nothing is left out of the test split: for each file three stable methods and one
    # near-duplicate.
    tested = {(one.rename.project, one.rename.path) for one in found.cases if one.split == "test"}
    tested.discard(("p1", "src/F9.java"))
    assert sum(one.split == "test" for one in found.stable) == 4 * len(tested)


def test_a_moved_file_stays_in_one_split(tmp_path: Path) -> None:
    chain = [
        rename("p", f"src/M{i + 1}.java", f"M{i}", path_before=f"src/M{i}.java") for i in range(9)
    ]
    lone = [rename("p", f"src/L{i}.java", f"L{i}") for i in range(30)]
    folder = mined(tmp_path / "in", chain + lone, [])
    build([folder], {}, tmp_path / "out", Settings((50, 0, 50), "file"))
    found = read_cases(tmp_path / "out").cases
    assert {one.split for one in found} == {"train", "test"}
    assert len({one.split for one in found if "/M" in one.rename.path}) == 1


def test_the_same_records_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    folder = many(tmp_path / "in")
    lines = [(name, (folder / name).read_bytes().splitlines()) for name in (RENAMES, STABLE)]
    about = build([folder], {}, tmp_path / "one", Settings((60, 10, 30), seed=3))
    other = tmp_path / "in-reversed" / "in"
    other.mkdir(parents=True)
    for name, found in lines:
        (other / name).write_bytes(b"\n".join(reversed(found)) + b"\n")
    build([other], {}, tmp_path / "two", Settings((60, 10, 30), seed=3))
    for name in about["files"]:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    drawn = build([folder], {}, tmp_path / "three", Settings((60, 10, 30), seed=4))
    assert drawn["files"] != about["files"]


def test_decisions_come_first(tmp_path: Path) -> None:
    clear = reviewed("accepted", "suggested")
    renames = [
        rename("p", "A.java", "Clear", clear),
        rename("p", "A.java", "Open", reviewed("accepted", "inspired")),
        rename("p", "A.java", "Yes", reviewed("accepted")),
        rename("p", "A.java", "No", clear),
        rename("p", "A.java", "Typo", reviewed("accepted", "suggested", "typo")),
        rename("p", "A.java", "TypoYes", reviewed("typo")),
        rename("p", "A.java", "Own", reviewed("accepted", "suggested", "by the author")),
        rename("p", "A.java", "Plain"),
        rename("p", "A.java", "Bodyless", tags=("no-body",)),
        rename("p", "A.java", "Sample", tags=("example",)),
    ]
    folder = mined(tmp_path / "in", renames, [])
    said = {
        "p/A.java/Yes": "include",
        "p/A.java/No": "exclude",
        "p/A.java/TypoYes": "include",
        "p/A.java/Nobody": "include",
    }

    def kept(**choice: object) -> list[str]:
        settings = Settings(choice=Choice(**choice))  # type: ignore[arg-type]
        about = build([folder], said, tmp_path / "out", settings)
        total = sum(about["counts"]["dropped"].values()) + about["counts"]["cases"]["test"]
        assert total == len(renames)
        found = read_cases(tmp_path / "out").cases
        return sorted(one.rename.id.rpartition("/")[2] for one in found)

    assert kept() == ["Clear", "Plain", "TypoYes", "Yes"]
    assert kept(undecided="include") == ["Clear", "Open", "Own", "Plain", "TypoYes", "Yes"]
    assert kept(undecided="exclude") == ["Plain", "TypoYes", "Yes"]
    assert kept(tags=("typo",)) == ["Bodyless", "Clear", "Plain", "Sample", "TypoYes", "Yes"]
    found = {one.rename.id: one.rename.review for one in read_cases(tmp_path / "out").cases}
    yes = found["p/A.java/Yes"]
    assert yes is not None
    assert yes.decision == "include"


def test_a_rename_that_two_sources_tell_of_is_one(tmp_path: Path) -> None:
    plain = rename("widgets", "A.java", "K")
    better = rename("acme/widgets", "A.java", "K", reviewed("accepted", "suggested"))
    one, two = mined(tmp_path / "1", [plain], []), mined(tmp_path / "2", [better], [])
    about = build([one, two], {}, tmp_path / "out", Settings())
    (case,) = read_cases(tmp_path / "out").cases
    assert case.rename.project == "acme/widgets"
    assert about["counts"]["dropped"] == {"told twice": 1}


def test_no_two_records_have_one_id(tmp_path: Path) -> None:
    renames = [rename("p", "A.java", "K"), rename("p", "B.java", "L", id="p/A.java/K")]
    others = [stable("p", "A.java", "S"), stable("p", "A.java", "T", id="s/p/A.java/S")]
    build([mined(tmp_path / "in", renames, others)], {}, tmp_path / "out", Settings())
    found = read_cases(tmp_path / "out")
    assert (len(found.cases), len(found.stable)) == (1, 1)


def test_stable_methods_are_of_the_cases_files_and_were_never_renamed(tmp_path: Path) -> None:
    case = rename("p", "A.java", "K")
    dropped = rename("p", "A.java", "T", tags=("typo",))
    others = [
        stable("p", "A.java", "S"),
        stable("p", "A.java", "S", commit="c2", id="later"),
        stable("p", "B.java", "S"),
        stable("q", "A.java", "S"),
        stable("p", "A.java", "X", name=case.new_name),
        stable("p", "A.java", "Y", name=dropped.new_name),
        stable("p", "A.java", "Z", tags=("generated",)),
    ]
    build([mined(tmp_path / "in", [case, dropped], others)], {}, tmp_path / "out", Settings())
    (kept,) = read_cases(tmp_path / "out").stable
    assert (kept.method.id, kept.split) == ("later", "test")


def test_the_folder_is_a_data_set_like_others(tmp_path: Path) -> None:
    build([many(tmp_path / "in")], {}, tmp_path / "out", Settings((60, 10, 30)))
    about = json.loads((tmp_path / "out" / ABOUT).read_bytes())
    assert (about["family"], about["schema"], about["format"]) == (
        "renames",
        3,
        "codeacumen.renames/1",
    )
    built = BuiltDataset(tmp_path / "out", "names", about)
    rows = list(built.rows("cases.jsonl"))
    assert len(rows) == len(read_cases(tmp_path / "out").cases)
    assert {row["split"] for row in rows} == {"train", "dev", "test"}
    held = {(row["project"], row["path"]): row["split"] for row in built.rows("files.jsonl")}
    assert all(held[row["project"], row["path"]] == row["split"] for row in rows)
    (tmp_path / "out" / "cases.jsonl").write_bytes(b"")
    with pytest.raises(CodeacumenError, match="damaged"):
        read_cases(tmp_path / "out")


def test_the_lengths_of_names_are_counted_as_the_papers_did() -> None:
    """Liu et al.'s names: ReName4J gives 13.18 characters and 2.52 subtokens for them."""
    path = SHARED / "liu2019" / "methods.jsonl"
    if not path.is_file():
        pytest.skip(f"Liu et al.'s data are not in {path.parent}")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    split = [row["name_under_test"] for row in rows]
    names = ["".join([one[0], *(part.capitalize() for part in one[1:])]) for one in split]
    assert lengths(names) == PUBLISHED["Liu et al. 2019"]
    assert lengths([]) == {"characters": None, "subtokens": None}


def test_a_text_is_its_tokens_without_the_own_name() -> None:
    one = "/** Doc */ int getA(int b) { return getA(b) + 1; }"
    other = "int\n  computeA(int b) {\n // what\n return computeA(b)+1; }"
    assert text_key(one, "getA") == text_key(other, "computeA")
    assert text_key(one, "getA") != text_key(one.replace("+ 1", "+ 2"), "getA")
    assert text_key("} { broken \ud800", "x") != text_key("}", "x")
    for endless in ("/*", '"""', '"', "'", "(", "\\"):
        assert text_key("int a() {" + endless * 50_000, "a")


def test_texts_are_told_apart_as_the_grammar_tells_them() -> None:
    """The oracle is the tree-sitter grammar's tokens, for every method of the example projects."""
    from codeacumen.languages.java.syntax.file import JavaFile

    groups: dict[bytes, set[bytes]] = {}
    back: dict[bytes, set[bytes]] = {}
    for path in sorted((ROOT / "examples").rglob("*.java")):
        file = JavaFile(path.read_bytes())
        for place in file.bodies:
            found = file.declarations.methods[place]
            start, end = int(file.syntax.start[found.node]), int(file.syntax.end[found.node])
            tokens = file.tokens
            spans = zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
            said = b" ".join(file.source[a:b] for a, b in spans if start <= a and b <= end)
            mine = text_key(file.source[start:end].decode(), "")
            groups.setdefault(mine, set()).add(said)
            back.setdefault(said, set()).add(mine)
    assert len(groups) > 1000
    assert max(len(one) for one in groups.values()) == 1
    assert max(len(one) for one in back.values()) == 1


def test_what_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match=r"holds no renames\.jsonl"):
        build([tmp_path], {}, tmp_path / "out", Settings())
    folder = mined(tmp_path / "in", [rename("p", "A.java", "K", reviewed("inspired"))], [])
    with pytest.raises(CodeacumenError, match="no rename is left for a benchmark: 1 undecided"):
        build([folder], {}, tmp_path / "out", Settings())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(CodeacumenError, match="is no data set, and not empty"):
        build([folder], {}, tmp_path / "mine", Settings())
    (folder / RENAMES).write_text('{"id": "1"}\n')
    with pytest.raises(CodeacumenError, match="missing"):
        build([folder], {}, tmp_path / "out", Settings())


def test_from_the_command_line(tmp_path: Path, codeacumen: Codeacumen) -> None:
    folder = many(tmp_path / "in")
    out = tmp_path / "out"
    done = codeacumen(
        *("dataset", "build", "renames", folder, "--out", out),
        *("--splits", "60/10/30", "--seed", 1),
    )
    assert done.returncode == 0, done.stderr
    assert "24.90" in done.stdout
    assert (out / "card.md").read_text().count("ReName4J") == 1
    for wrong in ("1/2", "a/b/c", "0/0/0"):
        done = codeacumen("dataset", "build", "renames", folder, "-o", out, "--splits", wrong)
        assert done.returncode == 2
        assert "80/10/10" in done.stderr
