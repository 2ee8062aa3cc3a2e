"""Tests of finding the sources named on the command line or in a recipe, and their errors."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pygit2
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import Project, find_projects
from codeacumen.corpus.sources.git import remove_password, split_url_and_revision
from codeacumen.corpus.sources.paths import matches_patterns

JAVA = (".java",)


def write_files(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("class A { }")
    return root


def list_paths(source: Project) -> list[str]:
    return [entry.path for entry in source.list_entries(JAVA)]


@pytest.fixture
def working_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change into a folder with a project and an archive, and return it."""
    write_files(tmp_path / "lib", "A.java", "b/B.java")
    with zipfile.ZipFile(tmp_path / "more-1.0.jar", "w") as archive:
        archive.writestr("C.java", "class C { }")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sources_keep_their_order_and_have_names(working_dir: Path) -> None:
    found_projects = find_projects(
        ["more-1.0.jar", "./lib", "mine=lib/b", str(working_dir / "lib" / "b")], working_dir
    )
    assert [(project.name, project.source) for project in found_projects] == [
        ("more-1.0", "more-1.0.jar"),
        ("lib", "lib"),
        ("mine", "b"),
        ("b", "b"),
    ]
    assert list_paths(found_projects[2]) == list_paths(found_projects[3]) == ["B.java"]


@pytest.mark.parametrize("text", [".", "../{name}", "lib/..", ""])
def test_folder_project_has_the_name_of_the_folder(working_dir: Path, text: str) -> None:
    if not text:
        with pytest.raises(CodeacumenError, match="no such folder"):
            find_projects([text], working_dir)
        return
    (project,) = find_projects([text.format(name=working_dir.name)], working_dir)
    assert project.name == working_dir.name


def test_folder_name_with_equals_sign(working_dir: Path) -> None:
    write_files(working_dir / "a=lib", "Equal.java")
    (project,) = find_projects(["a=lib"], working_dir)
    assert (project.name, list_paths(project)) == ("a=lib", ["Equal.java"])


def test_equal_names_are_rejected(working_dir: Path) -> None:
    write_files(working_dir / "other" / "lib", "D.java")
    with pytest.raises(CodeacumenError, match="the name lib: lib and other/lib") as caught:
        find_projects(["lib", "other/lib"], working_dir)
    assert "other-lib=SOURCE" in caught.value.hint
    found_projects = find_projects(["lib", "other-lib=other/lib"], working_dir)
    assert [project.name for project in found_projects] == ["lib", "other-lib"]


def test_repeated_source_is_rejected(working_dir: Path) -> None:
    with pytest.raises(CodeacumenError, match="the name lib: lib, twice"):
        find_projects(["lib", "lib"], working_dir)


@pytest.mark.parametrize("name", ["Alone.java", "alone.js", "alone.MJS"])
def test_single_file_is_a_project(working_dir: Path, name: str) -> None:
    write_files(working_dir / "lib", name)
    alone, named = find_projects([f"lib/{name}", f"mine=lib/{name}"], working_dir)
    assert (alone.name, alone.source, named.name) == (name[:5], name, "mine")
    suffixes = (".java", ".js", ".mjs")
    # Other files in the folder are not part of the project.
    assert [entry.path for entry in alone.list_entries(suffixes)] == [name]
    assert alone.read_file(name) == b"class A { }"
    assert alone.list_licence_files() == []
    assert alone.list_entries((".cjs",)) == []
    (working_dir / name).symlink_to(working_dir / "lib" / name)
    (linked,) = find_projects([name], working_dir)
    assert linked.read_file(name) == b"class A { }"
    (working_dir / "lib" / name).unlink()
    (problem,) = alone.list_entries(suffixes)
    assert isinstance(problem, Problem)
    assert (problem.path, problem.kind) == (name, "unreadable")
    assert isinstance(alone.read_file(name), Problem)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("absent", "there is no such folder or archive"),
        ("svn:https://example.org/a", "there is no such folder or archive"),
        ("text", "neither a folder, a zip nor a source file"),
        ("cut.zip", "a damaged zip, or none"),
        ("x" * 5000, "there is no such folder or archive"),
        ("debian:No_Name", "not a name of a Debian package"),
        ("debian:hello=", "not a name of a Debian package"),
        ("debian:--help", "not a name of a Debian package"),
        ("npm:../folder", "not a name of an npm package"),
        ("npm:name@https://example.org/a.tgz", "not a name of an npm package"),
        ("npm:name@file:a.tgz", "not a name of an npm package"),
        ("npm:user/repository", "not a name of an npm package"),
        ("npm:--help", "not a name of an npm package"),
        ("git:", "names no repository"),
        ("git:" + "x" * 5000, "there is no"),
        ("x" * 5000 + ".toml", "there is no such folder or archive"),
        ("a\0b", "there is no such folder or archive"),
    ],
)
def test_invalid_source_is_rejected_before_the_build(
    working_dir: Path, text: str, message: str
) -> None:
    (working_dir / "text").write_text("hello")
    (working_dir / "cut.zip").write_bytes((working_dir / "more-1.0.jar").read_bytes()[:40])
    with pytest.raises(CodeacumenError, match=message):
        find_projects(["lib", text], working_dir / "cache")
    assert not (working_dir / "cache").exists()


def test_name_that_is_not_utf8(working_dir: Path) -> None:
    write_files(working_dir / os.fsdecode(b"b\xfccher"), "A.java")
    (project,) = find_projects([os.fsdecode(b"b\xfccher")], working_dir)
    assert (project.name, project.source, list_paths(project)) == (
        "b�FCcher",
        "b�FCcher",
        ["A.java"],
    )


def test_sources_deleted_after_discovery_are_problems(working_dir: Path) -> None:
    repository = pygit2.init_repository(str(working_dir / "repo"), bare=True)
    tree = pygit2.Index().write_tree(repository)
    repository.create_commit("HEAD", *[pygit2.Signature("A", "a@b")] * 2, "all", tree, [])
    found_projects = find_projects(["lib", "more-1.0.jar", "git:repo"], working_dir)
    for folder in (working_dir / "lib", working_dir / "repo"):
        shutil.rmtree(folder)
    (working_dir / "more-1.0.jar").unlink()
    for source in found_projects:
        (problem,) = source.list_entries(JAVA)
        assert isinstance(problem, Problem)
        assert (problem.path, problem.kind) == (".", "unreadable")
        assert isinstance(source.read_file("A.java"), Problem)


def test_no_source_is_rejected(working_dir: Path) -> None:
    with pytest.raises(CodeacumenError, match="no source is given"):
        find_projects([], working_dir)


# --------------------------------------------------------------------------------------
# URLs of git repositories.
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.org/a/b", ("https://example.org/a/b", "")),
        ("https://example.org/a/b.git@v1", ("https://example.org/a/b.git", "v1")),
        ("https://me:token@example.org/a/b", ("https://me:token@example.org/a/b", "")),
        ("https://me@example.org/a/b@feature/x", ("https://me@example.org/a/b", "feature/x")),
        ("https://example.org/a/b@pkg@1.0", ("https://example.org/a/b", "pkg@1.0")),
        ("https://example.org/a/b@@s/pkg@1.0", ("https://example.org/a/b", "@s/pkg@1.0")),
        ("https://example.org/@a/b@v1", ("https://example.org/@a/b", "v1")),
        ("ssh://git@example.org:22/a/b.git", ("ssh://git@example.org:22/a/b.git", "")),
        ("git@example.org:a/b.git", ("git@example.org:a/b.git", "")),
        ("git@example.org:a/b.git@0123abcd", ("git@example.org:a/b.git", "0123abcd")),
        ("example.org:a/b@v1", ("example.org:a/b", "v1")),
    ],
)
def test_url_and_revision_are_split(text: str, expected: tuple[str, str]) -> None:
    assert split_url_and_revision(text) == expected


def test_existing_path_wins_over_a_revision(tmp_path: Path) -> None:
    (tmp_path / "me@home" / "repo@2").mkdir(parents=True)
    for text, revision in (("me@home/repo@2", ""), ("me@home/repo@2@v1", "v1"), ("me@home", "")):
        assert split_url_and_revision(text, tmp_path) == (
            text.removesuffix(f"@{revision}"),
            revision,
        )
        url = f"file://{tmp_path}/{text}"
        assert split_url_and_revision(url) == (url.removesuffix(f"@{revision}"), revision)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://me:token@example.org/a/b", "https://example.org/a/b"),
        ("https://token@example.org:8443/a", "https://example.org:8443/a"),
        ("ssh://git:secret@example.org/a", "ssh://git@example.org/a"),
        ("git@example.org:a/b", "git@example.org:a/b"),
        ("https://example.org/a", "https://example.org/a"),
    ],
)
def test_passwords_are_removed_from_urls(url: str, expected: str) -> None:
    assert remove_password(url) == expected


# --------------------------------------------------------------------------------------
# Recipes.
# --------------------------------------------------------------------------------------


def write_recipe(folder: Path, text: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "corpus.toml").write_text(text)
    return str(folder / "corpus.toml")


def test_a_recipe_lists_projects(working_dir: Path) -> None:
    repository = pygit2.init_repository(str(working_dir / "repo"), bare=True)
    repository.create_commit(
        "HEAD",
        *[pygit2.Signature("A", "a@b")] * 2,
        "all",
        pygit2.Index().write_tree(repository),
        [],
    )
    write_files(working_dir / "lib", "src/main/M.java", "src/main/gen/G.java", "src/test/T.java")
    file = write_recipe(
        working_dir / "recipes",
        """
        [[project]]
        name = "ours"
        source = "../lib"
        include = ["src/**"]
        exclude = ["**/test", "src/main/gen/*.java"]

        [[project]]
        source = "../more-1.0.jar"

        [[project]]
        source = "git:../repo@HEAD"
        """,
    )
    found_projects = find_projects([file, "lib"], working_dir / "cache")
    assert [(project.name, project.source) for project in found_projects] == [
        ("ours", "lib"),
        ("more-1.0", "more-1.0.jar"),
        ("repo", "git:repo@HEAD"),
        ("lib", "lib"),
    ]
    assert list_paths(found_projects[0]) == ["src/main/M.java"]
    assert len(list_paths(found_projects[3])) == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it lists no project"),
        ("project = 3", "it lists no project"),
        ("project = [3]", "project 1: not a table"),
        ("[[project]", r"not a readable recipe .*line 1"),
        ("\udcff", "not a readable recipe"),
        ("[[projects]]\nsource = 'lib'", "unknown key 'projects', is it 'project'?"),
        ("[[project]]\nname = 'a'", r"project 1 \(line 1\): it has no source"),
        ("[[project]]\nsource = 3", r"project 1 \(line 1\): source is a text in quotes, not 3"),
        ("[[project]]\nsource = ''", "source is a text in quotes"),
        (
            "[[project]]\nsource = 'lib'\n\n[[project]]\nsource = 'lib'\nsorce = 'x'",
            r"corpus.toml, project 2 \(line 4\): unknown key 'sorce', is it 'source'\?",
        ),
        ("[[project]]\nsource = 'lib'\ninclude = 'src'", "include is a list of patterns"),
        ("[[project]]\nsource = 'lib'\ninclude = []", "include is a list of patterns"),
        ("[[project]]\nsource = 'lib'\nexclude = [1]", "in exclude, 1 is not a path pattern"),
        ("[[project]]\nsource = 'lib'\nexclude = ['../a']", "'../a' is not a path pattern"),
        ("[[project]]\nsource = 'lib'\nname = ''", "name is a text in quotes"),
        ("[[project]]\nsource = 'absent'", r"project 1 \(line 1\): absent: there is no such"),
        ("[[project]]\nsource = 'git:absent'", r"project 1 \(line 1\): git:absent: there is no"),
        ("[[project]]\nsource = 'git:http://127.0.0.1:9/a'", r"\(line 1\): git:.* cannot be read"),
        ("[[project]]\nsource = 'lib'\nname = \"a\\u0007\"", "name is one line of text"),
        ("[[project]]\nsource = 'corpus.toml'", "is a recipe; a recipe cannot contain recipes"),
        ("[[project]]\nsource = 'lib'\n[[project]]\nsource = 'lib'", "two sources have the name"),
    ],
)
def test_invalid_recipe_is_rejected_with_its_line(
    working_dir: Path, text: str, message: str
) -> None:
    file = working_dir / "corpus.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CodeacumenError, match=message):
        find_projects([str(file)], working_dir)


def test_named_recipe_is_rejected(working_dir: Path) -> None:
    with pytest.raises(CodeacumenError, match="a recipe names its projects itself"):
        find_projects(
            ["mine=" + write_recipe(working_dir, "[[project]]\nsource = 'lib'")], working_dir
        )


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        ("src/**", ["src/A.java", "src/a/b/A.java"], ["src", "A.java", "a/src/A.java"]),
        ("src", ["src/A.java", "src/a/A.java", "src"], ["srcs/A.java", "a/src/A.java"]),
        ("src/", ["src/A.java"], ["srcs/A.java"]),
        ("**/src", ["src/A.java", "a/b/src/A.java"], ["a/srcs/A.java"]),
        ("**/*.java", ["A.java", "a/b/A.java"], ["A.jav"]),
        ("*.java", ["A.java"], ["a/A.java"]),
        ("a?c/[AB]*.java", ["abc/A1.java", "axc/B.java"], ["abc/C.java", "a/c/A.java"]),
        ("[!a-c].java", ["d.java"], ["a.java", "dd.java", "/.java"]),
        ("a/**/b", ["a/b", "a/x/y/b/C.java"], ["ab", "b"]),
        ("**/**/**/a", ["a", "x/a", "x/y/z/a"], ["xa"]),
        ("**", ["A.java", "a/A.java"], []),
        ("a.b+(c)", ["a.b+(c)"], ["aXb+(c)"]),
        ("[", ["["], ["a"]),
        ("./src/*", ["src/A.java"], ["A.java"]),
    ],
)
def test_path_patterns(pattern: str, fitting: list[str], others: list[str]) -> None:
    assert [path for path in fitting if not matches_patterns(path, (pattern,))] == []
    assert [path for path in others if matches_patterns(path, (pattern,))] == []
