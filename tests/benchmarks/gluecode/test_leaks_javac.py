"""javac is the oracle for the mask of a name: in a file without it, javac finds no method of that
name declared, called, referred to or imported, and no comment or string holds it as a word; and all
other tokens are those of the file as it was."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.masking import text as masked
from corpora import EXAMPLES
from javac import EXPORTS, JAVA
from leaks import without_name
from support import some

# How often each is there: a kind of thing and its text.
Told = Counter[tuple[str, str]]

# Each line tells the name in another way; the last ones only seem to.
NASTY = r"""
package p;
import static p.Nasty.getKey;
/** {@link #getKey}, {@link Nasty#getKey()}, {@code getKey} and "getKey". */
class Nasty<K> extends Base<K> implements Keyed {
    int getKey; Nasty<K> other; java.util.function.Supplier<K> s; String label = "of getKey";
    @Override @Named("getKey") public K getKey() { return super.getKey(); }
    K getKey(int times) { return times == 0 ? this.getKey() : other.<K>getKey(times - 1); }
    static int getKey(String text) { return "getKey".length() + text.indexOf("\tgetKey\n"); }
    void references() { s = this::getKey; s = super::getKey; f(Nasty::<String>getKey); }
    void calls() { other.other./* getKey */getKey(); Nasty.getKey(""); Nasty.super.toString(); }
    Object inner() { return new Keyed() { public K getKey() { return Nasty.this.getKey(); } }; }
    void escaped() { log("get\u004bey", "\147etKey", "getKe\171 (getKey)"); /* \u0067etKey */ }
    void block() { log('''
        calls getKey() of \
        getKey '''); }
    // Comment at the end: getKey
    int variables(int getKey) { this.getKey = getKey; getKey: for (;;) { break getKey; } }
    void longer() { getKeys(); forgetKey(); getKey2(); $getKey(); getKey_(); log("getKeys"); }
    Object type(getKey g) { return new getKey<getKey>((getKey) g).getKeyOf(); }
}
interface Keyed { Object getKey(); default String text() { return "" + getKey(); } }
enum E { getKey { int getKey() { return 1; } }; int getKey() { return getKey.getKey(); } }
record R(int getKey) { R { use(getKey); } public int getKey() { return this.getKey; } }
""".replace("'''", '"""')


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Iterable[bytes]], list[Told]]:
    """What javac finds in each of some sources."""
    java = shutil.which("java")
    if java is None or shutil.which("javac") is None:
        pytest.skip("no JDK here: javac is the oracle")
    folder = tmp_path_factory.mktemp("names")
    program = Path(__file__).with_name("JavacNames.java")

    def run(sources: Iterable[bytes]) -> list[Told]:
        paths: list[Path] = []
        for number, source in enumerate(sources):
            paths.append(folder / f"{number}" / "T.java")
            paths[-1].parent.mkdir(exist_ok=True)
            paths[-1].write_bytes(source)
        listed = folder / "paths.txt"
        listed.write_text("".join(f"{path}\n" for path in paths))
        command = [java, *JAVA, *EXPORTS, str(program), str(listed)]
        done = subprocess.run(command, check=True, capture_output=True, timeout=300)
        parts = f"\n{done.stdout.decode()}".split("\n= ")[1:]
        assert [part.partition("\n")[0] for part in parts] == [str(path) for path in paths]
        return [
            Counter(
                {
                    (line.partition(" ")[0], line.partition(" ")[2]): count
                    for line, count in Counter(part.split("\n")[1:]).items()
                    if line
                }
            )
            for part in parts
        ]

    return run


def word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def leaks(found: Told, name: str) -> list[tuple[str, str]]:
    """Where the name is told, that must not be."""
    pattern = word(name)
    return [
        (what, text)
        for what, text in found.elements()
        if name in text
        and (
            (what == "method" and text == name)
            or (what in ("string", "between") and pattern.search(text))
        )
    ]


def rest(found: Told, name: str) -> Told:
    """All tokens and comments but those that tell the name, or its mask."""
    pattern = word(name)
    told = found.copy()
    for text in (name, "METHOD_NAME"):
        # Of the identifiers, as many as name methods; of the others, none.
        told["name", text] -= told.pop(("method", text), 0)
    for what, text in [key for key in told if key[0] in ("string", "between") and name in key[1]]:
        count = told.pop((what, text))
        told[what, pattern.sub("METHOD_NAME", text)] += count
    return +told


def test_a_nasty_file_tells_nothing(told: Callable[[Iterable[bytes]], list[Told]]) -> None:
    source = NASTY.encode()
    hidden = without_name(JavaFile(source), "getKey").source
    before, after = told([source, hidden])
    assert not any(what == "!" for what, _ in [*before, *after])
    assert len(leaks(before, "getKey")) > 25
    assert leaks(after, "getKey") == []
    assert rest(after, "getKey") == rest(before, "getKey")
    # What only seems to tell it stays: variables, fields, types, labels, constants, components.
    assert after["name", "getKey"] == 15


@pytest.mark.thorough
def test_the_examples_tell_nothing(told: Callable[[Iterable[bytes]], list[Told]]) -> None:
    """A name of a method with a body (in a thorough run each), in every file that holds the
    word."""
    cases: list[tuple[bytes, bytes, str]] = []
    for project in EXAMPLES:
        files = [JavaFile(path.read_bytes()) for path in sorted(Path(project).rglob("*.java"))]
        names = {
            file.declarations.methods[place].name
            for file in files
            for place in file.bodies
            if file.declarations.methods[place].kind == "method"
        }
        for name in some(sorted(names)):
            pattern = word(name)
            cases += [
                (file.source, without_name(file, name).source, name)
                for file in files
                if pattern.search(file.source.decode())
            ]
    assert len(cases) > 250
    originals = sorted({source for source, _, _ in cases})
    before = dict(zip(originals, told(originals), strict=True))
    after = told(hidden for _, hidden, _ in cases)
    told_before = 0
    for (source, _, name), found in zip(cases, after, strict=True):
        assert leaks(found, name) == [], name
        assert rest(found, name) == rest(before[source], name), name
        told_before += bool(leaks(before[source], name))
    assert told_before > 250


@pytest.mark.parametrize("part", ["_TOLD", "_NAMED", "all"])
def test_a_mask_with_a_hole_is_noticed(
    part: str, told: Callable[[Iterable[bytes]], list[Told]], monkeypatch: pytest.MonkeyPatch
) -> None:
    if part == "all":
        monkeypatch.setattr(masked, "words", lambda text, name: [])
    else:
        monkeypatch.setattr(masked, part, ("template_expression",))
    hidden = without_name(JavaFile(NASTY.encode()), "getKey").source
    (found,) = told([hidden])
    assert leaks(found, "getKey")
