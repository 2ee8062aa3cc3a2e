"""Path contexts of a text alone. Oracle: the lines that the views print of the whole file, and,
for what a batch shares, the lists that it was made of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.neural.inputs.paths import (
    Contexts,
    Reading,
    code2seq_contexts,
    code2vec_contexts,
    is_bare,
)
from codeacumen.text.columns import Ragged
from codeacumen.views.paths import code2seq_line, code2vec_line, method_paths, paths
from codeacumen.views.paths.leaves import name_of, parts_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ALL = Reading(keep=1_000_000)
# A method with thousands of contexts.
LONG = (
    "void METHOD_NAME() {"
    + "".join(f" take(a{i}, b{i}, c{i} + d{i}); x.put(e{i}, f{i});" for i in range(80))
    + "}"
)


def lines_of(found: Contexts | None) -> Counter[str]:
    """As the extractors print them."""
    if found is None:
        return Counter()
    printed, at = found.hashes, 0
    if not printed:
        printed = []
        for size in found.sizes:
            printed.append("|".join(found.nodes[at : at + size]))
            at += size
    columns = (found.left.tolist(), found.path.tolist(), found.right.tolist())
    return Counter(
        f"{found.words[left]},{printed[path]},{found.words[right]}"
        for left, path, right in zip(*columns, strict=True)
    )


def test_contexts_are_those_of_the_views() -> None:
    """Of all methods of the examples, read in their files by the views and alone by us."""
    seen = 0
    for source in sorted(EXAMPLES.glob("*/src/**/*.java"))[::3]:
        file = JavaFile(source.read_bytes())
        for place in file.bodies:
            method = file.declarations.methods[place]
            if method.kind != "method":
                continue
            one = method_paths(paths(file, [place], most=None), 0)
            text = file.syntax.text(method.node)
            for found, line in (
                (code2vec_contexts(text, ALL), code2vec_line(one)),
                (code2seq_contexts(text, ALL), code2seq_line(one)),
            ):
                assert lines_of(found) == Counter(line.split(" ")[1:]), text
            seen += len(one.path) > 0
    assert seen > 100


def test_the_name_asked_for_is_nowhere() -> None:
    """Hidden by the task or not, where the method is declared, where it calls itself, and, once the
    task has hidden it, where it calls another's."""
    hidden = "int METHOD_NAME(Node n) { return n == null ? 0 : 1 + METHOD_NAME(n.next()); }"
    open_ = hidden.replace("METHOD_NAME", "countNodes")
    for read in (code2vec_contexts, code2seq_contexts):
        told = lines_of(read(hidden, ALL))
        shown = read(open_, ALL)
        assert told == lines_of(shown)
        assert shown is not None
        assert not any("count" in word for word in shown.words)
        assert "METHOD_NAME" in " ".join(told)
        other = read("int METHOD_NAME(Node n) { return n.METHOD_NAME() + METHOD_NAMES; }", ALL)
        assert other is not None
        # One of its declaration, one of the call; a constant of a similar name is no mask.
        assert other.words.count("METHOD_NAME") == 2
        assert not any("codeacumen" in word for word in other.words)
        assert {"methodnames", "method|names"} & {*other.words}


def test_a_hidden_call_is_a_word_of_its_own() -> None:
    found = code2seq_contexts("void f(List xs) { xs.<MASK>(1); done(xs); }", ALL)
    assert found is not None
    assert "<MASK>" in found.words
    assert "1,IntEx2|Cal|Nm3,<MASK>" in lines_of(found)


@pytest.mark.parametrize("read", [code2vec_contexts, code2seq_contexts])
def test_few_are_drawn_of_many(read: object) -> None:
    assert callable(read)
    every, some = lines_of(read(LONG, ALL)), lines_of(read(LONG, Reading(keep=100)))
    assert every.total() > 1000
    assert some.total() == 100
    assert not some - every
    assert some == lines_of(read(LONG, Reading(keep=100)))
    assert some != lines_of(read(LONG.replace("take", "give"), Reading(keep=100)))


def test_the_first_of_all_are_a_fair_draw() -> None:
    """They come from everywhere in the method, not from its beginning."""
    found = code2vec_contexts(LONG, ALL)
    assert found is not None
    first = found.left[: len(found.left) // 4]
    assert abs(first.mean() - found.left.mean()) < 0.1 * found.left.mean()


def test_bounds_hold() -> None:
    found = code2seq_contexts(LONG, Reading(length=5, width=1))
    wide = code2seq_contexts(LONG, ALL)
    assert found is not None
    assert wide is not None
    assert max(found.sizes) <= 6
    assert 6 < max(wide.sizes) <= 9


ODD = {
    "nothing": "",
    "blanks": "  \n\t ",
    "no body": "void METHOD_NAME();",
    "a constructor": "METHOD_NAME(int a) { this.a = a; }",
    "broken": "int METHOD_NAME( { if (a <MASK> ) return } }} else (",
    "open string": 'String METHOD_NAME() { return "abc; }',
    "masks alone": "<MASK><MASK> METHOD_NAME <MASK>",
    "surrogates": "void METHOD_NAME() { String s = \"\ud800\" + '\udfff'; f(s, 1); }",
    "other scripts": "void METHOD_NAME(int größe, String имя) { 变量(größe, имя); }",
    "no characters": "void METHOD_NAME() { \x00\x01 f(a, \x00 b); }",
    "a class": "class A { int x; A() {} int f(int a) { return a + x; } }",
    "deep": "int METHOD_NAME() { return " + "(" * 5000 + "1" + ")" * 5000 + " + x; }",
    "deeper": "void METHOD_NAME() " + "{" * 20000 + "f(a);" + "}" * 20000,
    "long": "void METHOD_NAME() {" + "f(a, b);" * 60_000 + "}",
    "one long name": "void METHOD_NAME(int " + "aB" * 90_000 + ") { f(x); }",
}


@pytest.mark.parametrize("what", list(ODD))
def test_any_text_can_be_read(what: str) -> None:
    for read in (code2vec_contexts, code2seq_contexts):
        found = read(ODD[what], Reading())
        assert found is None or 0 < len(found.path) <= 1000
    if what == "a class":
        assert found is not None
        assert "METHOD_NAME" in found.words


def test_an_identifier_is_no_code() -> None:
    assert is_bare("maxValue_2")
    assert is_bare("$größe")
    assert not is_bare("max value")
    assert not is_bare("f()")
    assert not is_bare("")
    assert name_of("maxValue") == "maxvalue"
    assert parts_of("maxHTTPValue") == "max|http|value"


# ---------------------------------------------------------------- batches


def test_what_is_drawn_in_a_batch() -> None:
    pytest.importorskip("torch")
    from codeacumen.models.neural.networks.code2seq import chosen_contexts

    offsets = np.array([0, 3, 13, 13, 20])
    place, ends = chosen_contexts(offsets, 5, None)
    assert place.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 16, 17]
    assert ends.tolist() == [0, 3, 8, 8, 13]
    draw, often = np.random.default_rng(0), Counter[int]()
    for _ in range(300):
        place, ends = chosen_contexts(offsets, 5, draw)
        assert ends.tolist() == [0, 3, 8, 8, 13]
        for row in range(4):
            mine = place[ends[row] : ends[row + 1]]
            assert len(set(mine.tolist())) == len(mine)
            assert ((mine >= offsets[row]) & (mine < offsets[row + 1])).all()
        often.update(place.tolist())
    # Five of ten, three hundred times.
    assert all(120 <= often[at] <= 180 for at in range(3, 13))
    place, ends = chosen_contexts(offsets, 10, draw)
    assert place.tolist() == list(range(20))


@pytest.mark.parametrize("collide", [False, True])
def test_lists_of_a_batch_are_held_once(collide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if all of them had the same key."""
    pytest.importorskip("torch")
    from codeacumen.models.neural.networks import code2seq

    if collide:
        monkeypatch.setattr(code2seq, "mixed", np.zeros_like)
    random = np.random.default_rng(1)
    lists = [random.integers(1, 3, random.integers(1, 5)).tolist() for _ in range(200)]
    values = np.array([one for some in lists for one in some], np.int32)
    sizes = np.array([len(some) for some in lists], np.int32)
    used = random.permutation(200)[:150]
    rows, lengths, row = code2seq.distinct_rows(
        Ragged(values, np.array([0, len(values)])), Ragged(sizes, np.array([0, 200])), used
    )
    for one in used.tolist():
        at = row[one]
        assert rows[at, : lengths[at]].tolist() == lists[one]
        assert not rows[at, lengths[at] :].any()
    if not collide:
        assert len(rows) == len({tuple(lists[one]) for one in used.tolist()})
