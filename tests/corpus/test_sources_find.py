"""What a person names on the command line or in a recipe, and what is wrong with it."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pygit2
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import Project, projects
from codeacumen.corpus.sources.git import split, without_password
from codeacumen.corpus.sources.paths import fits

JAVA = (".java",)


def write(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("class A { }")
    return root


def paths(source: Project) -> list[str]:
    return [one.path for one in source.entries(JAVA)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, with a project and an archive."""
    write(tmp_path / "lib", "A.java", "b/B.java")
    with zipfile.ZipFile(tmp_path / "more-1.0.jar", "w") as archive:
        archive.writestr("C.java", "class C { }")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sources_keep_their_order_and_have_names(here: Path) -> None:
    found = projects(["more-1.0.jar", "./lib", "mine=lib/b", str(here / "lib" / "b")], here)
    assert [(one.name, one.source) for one in found] == [
        ("more-1.0", "more-1.0.jar"),
        ("lib", "lib"),
        ("mine", "b"),
        ("b", "b"),
    ]
    assert paths(found[2]) == paths(found[3]) == ["B.java"]


@pytest.mark.parametrize("text", [".", "../{name}", "lib/..", ""])
def test_a_folder_is_called_what_it_is_called(here: Path, text: str) -> None:
    if not text:
        with pytest.raises(CodeacumenError, match="no such folder"):
            projects([text], here)
        return
    (found,) = projects([text.format(name=here.name)], here)
    assert found.name == here.name


def test_an_equals_sign_in_the_name_of_a_folder(here: Path) -> None:
    write(here / "a=lib", "Equal.java")
    (found,) = projects(["a=lib"], here)
    assert (found.name, paths(found)) == ("a=lib", ["Equal.java"])


def test_two_sources_of_one_name(here: Path) -> None:
    write(here / "other" / "lib", "D.java")
    with pytest.raises(CodeacumenError, match="the name lib: lib and other/lib") as caught:
        projects(["lib", "other/lib"], here)
    assert "other-lib=SOURCE" in caught.value.hint
    found = projects(["lib", "other-lib=other/lib"], here)
    assert [one.name for one in found] == ["lib", "other-lib"]


def test_a_source_that_is_named_twice(here: Path) -> None:
    with pytest.raises(CodeacumenError, match="the name lib: lib, twice"):
        projects(["lib", "lib"], here)


@pytest.mark.parametrize("name", ["Alone.java", "alone.js", "alone.MJS"])
def test_one_source_file_is_a_project(here: Path, name: str) -> None:
    write(here / "lib", name)
    alone, named = projects([f"lib/{name}", f"mine=lib/{name}"], here)
    assert (alone.name, alone.source, named.name) == (name[:5], name, "mine")
    every = (".java", ".js", ".mjs")
    # Its neighbours are none of it.
    assert [one.path for one in alone.entries(every)] == [name]
    assert alone.read(name) == b"class A { }"
    assert alone.licences() == []
    assert alone.entries((".cjs",)) == []
    (here / name).symlink_to(here / "lib" / name)
    (linked,) = projects([name], here)
    assert linked.read(name) == b"class A { }"
    (here / "lib" / name).unlink()
    (problem,) = alone.entries(every)
    assert isinstance(problem, Problem)
    assert (problem.path, problem.kind) == (name, "unreadable")
    assert isinstance(alone.read(name), Problem)


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
def test_what_is_no_source_is_told_before_any_work(here: Path, text: str, message: str) -> None:
    (here / "text").write_text("hello")
    (here / "cut.zip").write_bytes((here / "more-1.0.jar").read_bytes()[:40])
    with pytest.raises(CodeacumenError, match=message):
        projects(["lib", text], here / "cache")
    assert not (here / "cache").exists()


def test_a_name_that_is_no_utf8(here: Path) -> None:
    write(here / os.fsdecode(b"b\xfccher"), "A.java")
    (found,) = projects([os.fsdecode(b"b\xfccher")], here)
    assert (found.name, found.source, paths(found)) == ("b�FCcher", "b�FCcher", ["A.java"])


def test_what_went_away_since(here: Path) -> None:
    repository = pygit2.init_repository(str(here / "repo"), bare=True)
    tree = pygit2.Index().write_tree(repository)
    repository.create_commit("HEAD", *[pygit2.Signature("A", "a@b")] * 2, "all", tree, [])
    found = projects(["lib", "more-1.0.jar", "git:repo"], here)
    for place in (here / "lib", here / "repo"):
        shutil.rmtree(place)
    (here / "more-1.0.jar").unlink()
    for source in found:
        (problem,) = source.entries(JAVA)
        assert isinstance(problem, Problem)
        assert (problem.path, problem.kind) == (".", "unreadable")
        assert isinstance(source.read("A.java"), Problem)


def test_no_source_at_all(here: Path) -> None:
    with pytest.raises(CodeacumenError, match="no source is given"):
        projects([], here)


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
def test_where_the_url_ends_and_the_revision_begins(text: str, expected: tuple[str, str]) -> None:
    assert split(text) == expected


def test_of_a_path_as_much_as_exists(tmp_path: Path) -> None:
    (tmp_path / "me@home" / "repo@2").mkdir(parents=True)
    for text, rev in (("me@home/repo@2", ""), ("me@home/repo@2@v1", "v1"), ("me@home", "")):
        assert split(text, tmp_path) == (text.removesuffix(f"@{rev}"), rev)
        url = f"file://{tmp_path}/{text}"
        assert split(url) == (url.removesuffix(f"@{rev}"), rev)


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
def test_no_password_reaches_the_books(url: str, expected: str) -> None:
    assert without_password(url) == expected


# --------------------------------------------------------------------------------------
# Recipes.
# --------------------------------------------------------------------------------------


def recipe(folder: Path, text: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "corpus.toml").write_text(text)
    return str(folder / "corpus.toml")


def test_a_recipe_lists_projects(here: Path) -> None:
    repository = pygit2.init_repository(str(here / "repo"), bare=True)
    repository.create_commit(
        "HEAD",
        *[pygit2.Signature("A", "a@b")] * 2,
        "all",
        pygit2.Index().write_tree(repository),
        [],
    )
    write(here / "lib", "src/main/M.java", "src/main/gen/G.java", "src/test/T.java")
    file = recipe(
        here / "recipes",
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
    found = projects([file, "lib"], here / "cache")
    assert [(one.name, one.source) for one in found] == [
        ("ours", "lib"),
        ("more-1.0", "more-1.0.jar"),
        ("repo", "git:repo@HEAD"),
        ("lib", "lib"),
    ]
    assert paths(found[0]) == ["src/main/M.java"]
    assert len(paths(found[3])) == 5


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
def test_what_is_wrong_in_a_recipe_and_where(here: Path, text: str, message: str) -> None:
    file = here / "corpus.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CodeacumenError, match=message):
        projects([str(file)], here)


def test_a_recipe_has_no_name_of_its_own(here: Path) -> None:
    with pytest.raises(CodeacumenError, match="a recipe names its projects itself"):
        projects(["mine=" + recipe(here, "[[project]]\nsource = 'lib'")], here)


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
def test_patterns(pattern: str, fitting: list[str], others: list[str]) -> None:
    assert [path for path in fitting if not fits(path, (pattern,))] == []
    assert [path for path in others if fits(path, (pattern,))] == []
