"""Tests of name masking with javac as the oracle.

In a masked file, javac finds no method of that name declared, called, referenced or imported, and
no comment or string contains it as a word. All other tokens equal those of the original file.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from answer_leaks import hide_name
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.masking import text as masked
from corpora import EXAMPLES
from javac import EXPORTS, JAVA
from support import take_every

# Counts of pairs (kind of token, text).
TokenCounts = Counter[tuple[str, str]]

# Each line leaks the name in another way; the last lines contain it without a leak.
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
def count_tokens(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Iterable[bytes]], list[TokenCounts]]:
    """Return a function that counts the tokens that javac finds in each source."""
    java = shutil.which("java")
    if java is None or shutil.which("javac") is None:
        pytest.skip("no JDK here: javac is the oracle")
    folder = tmp_path_factory.mktemp("names")
    program = Path(__file__).with_name("JavacNames.java")

    def run_javac(sources: Iterable[bytes]) -> list[TokenCounts]:
        paths: list[Path] = []
        for number, source in enumerate(sources):
            paths.append(folder / f"{number}" / "T.java")
            paths[-1].parent.mkdir(exist_ok=True)
            paths[-1].write_bytes(source)
        path_list = folder / "paths.txt"
        path_list.write_text("".join(f"{path}\n" for path in paths))
        command = [java, *JAVA, *EXPORTS, str(program), str(path_list)]
        completed = subprocess.run(command, check=True, capture_output=True, timeout=300)
        parts = f"\n{completed.stdout.decode()}".split("\n= ")[1:]
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

    return run_javac


def word_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def find_leaks(counts: TokenCounts, name: str) -> list[tuple[str, str]]:
    """Return the (kind, text) pairs that leak the name."""
    pattern = word_pattern(name)
    return [
        (kind, text)
        for kind, text in counts.elements()
        if name in text
        and (
            (kind == "method" and text == name)
            or (kind in ("string", "between") and pattern.search(text))
        )
    ]


def remaining_tokens(counts: TokenCounts, name: str) -> TokenCounts:
    """Return the counts without the tokens that leak the name, and without its mask."""
    pattern = word_pattern(name)
    remaining = counts.copy()
    for text in (name, "METHOD_NAME"):
        # "name" counts all identifiers; subtract those that name methods.
        remaining["name", text] -= remaining.pop(("method", text), 0)
    for kind, text in [
        key for key in remaining if key[0] in ("string", "between") and name in key[1]
    ]:
        count = remaining.pop((kind, text))
        remaining[kind, pattern.sub("METHOD_NAME", text)] += count
    return +remaining


def test_name_is_masked_in_a_file_with_unusual_syntax(
    count_tokens: Callable[[Iterable[bytes]], list[TokenCounts]],
) -> None:
    source = NASTY.encode()
    hidden = hide_name(JavaFile(source), "getKey").source
    before, after = count_tokens([source, hidden])
    assert not any(kind == "!" for kind, _ in [*before, *after])
    assert len(find_leaks(before, "getKey")) > 25
    assert find_leaks(after, "getKey") == []
    assert remaining_tokens(after, "getKey") == remaining_tokens(before, "getKey")
    # Variables, fields, types, labels, constants and components with that name stay.
    assert after["name", "getKey"] == 15


@pytest.mark.thorough
def test_names_are_masked_in_the_examples(
    count_tokens: Callable[[Iterable[bytes]], list[TokenCounts]],
) -> None:
    """Mask names of methods with a body in every file that contains the word; a thorough run
    masks each such name."""
    cases: list[tuple[bytes, bytes, str]] = []
    for project in EXAMPLES:
        files = [JavaFile(path.read_bytes()) for path in sorted(Path(project).rglob("*.java"))]
        names = {
            file.declarations.methods[index].name
            for file in files
            for index in file.bodies
            if file.declarations.methods[index].kind == "method"
        }
        for name in take_every(sorted(names)):
            pattern = word_pattern(name)
            cases += [
                (file.source, hide_name(file, name).source, name)
                for file in files
                if pattern.search(file.source.decode())
            ]
    assert len(cases) > 250
    originals = sorted({source for source, _, _ in cases})
    before = dict(zip(originals, count_tokens(originals), strict=True))
    after = count_tokens(hidden for _, hidden, _ in cases)
    leaks_before = 0
    for (source, _, name), counts in zip(cases, after, strict=True):
        assert find_leaks(counts, name) == [], name
        assert remaining_tokens(counts, name) == remaining_tokens(before[source], name), name
        leaks_before += bool(find_leaks(before[source], name))
    assert leaks_before > 250


@pytest.mark.parametrize("part", ["_TEXT_KINDS", "_NAMED_BY_METHOD", "all"])
def test_incomplete_mask_leaks_the_name(
    part: str,
    count_tokens: Callable[[Iterable[bytes]], list[TokenCounts]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if part == "all":
        monkeypatch.setattr(masked, "find_words", lambda text, name: [])
    else:
        monkeypatch.setattr(masked, part, ("template_expression",))
    hidden = hide_name(JavaFile(NASTY.encode()), "getKey").source
    (counts,) = count_tokens([hidden])
    assert find_leaks(counts, "getKey")
