"""Tests of path contexts of a single method text. Oracle: the lines that the views print for the
whole file; for a batch, the lists from which it is made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.neural.inputs.paths import (
    PathContexts,
    PathLimits,
    extract_code2seq_contexts,
    extract_code2vec_contexts,
    is_identifier,
)
from codeacumen.text.columns import Ragged
from codeacumen.views.paths import (
    build_paths,
    format_code2seq_line,
    format_code2vec_line,
    paths_of_method,
)
from codeacumen.views.paths.leaves import code2seq_leaf_parts, code2vec_leaf_name

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ALL = PathLimits(keep=1_000_000)
# A method with thousands of contexts.
LONG = (
    "void METHOD_NAME() {"
    + "".join(f" take(a{i}, b{i}, c{i} + d{i}); x.put(e{i}, f{i});" for i in range(80))
    + "}"
)


def lines_of(contexts: PathContexts | None) -> Counter[str]:
    """Return the contexts in the extractors' output format."""
    if contexts is None:
        return Counter()
    path_texts, at = contexts.hashes, 0
    if not path_texts:
        path_texts = []
        for size in contexts.sizes:
            path_texts.append("|".join(contexts.nodes[at : at + size]))
            at += size
    columns = (contexts.left.tolist(), contexts.path.tolist(), contexts.right.tolist())
    return Counter(
        f"{contexts.words[left]},{path_texts[path]},{contexts.words[right]}"
        for left, path, right in zip(*columns, strict=True)
    )


def test_contexts_equal_those_of_the_views() -> None:
    """Compare all methods of the examples, read inside their files by the views and as single texts
    here."""
    nonempty_count = 0
    for source in sorted(EXAMPLES.glob("*/src/**/*.java"))[::3]:
        file = JavaFile(source.read_bytes())
        for body in file.bodies:
            method = file.declarations.methods[body]
            if method.kind != "method":
                continue
            view_paths = paths_of_method(build_paths(file, [body], max_contexts=None), 0)
            text = file.syntax.text(method.node)
            for contexts, line in (
                (extract_code2vec_contexts(text, ALL), format_code2vec_line(view_paths)),
                (extract_code2seq_contexts(text, ALL), format_code2seq_line(view_paths)),
            ):
                assert lines_of(contexts) == Counter(line.split(" ")[1:]), text
            nonempty_count += len(view_paths.path) > 0
    assert nonempty_count > 100


def test_name_of_the_method_does_not_occur() -> None:
    """The name is hidden, masked by the task or not, in its declaration and in recursive calls; in
    calls of other methods it is hidden if the task masks it."""
    masked_text = "int METHOD_NAME(Node n) { return n == null ? 0 : 1 + METHOD_NAME(n.next()); }"
    named_text = masked_text.replace("METHOD_NAME", "countNodes")
    for extract in (extract_code2vec_contexts, extract_code2seq_contexts):
        masked_lines = lines_of(extract(masked_text, ALL))
        unmasked = extract(named_text, ALL)
        assert masked_lines == lines_of(unmasked)
        assert unmasked is not None
        assert not any("count" in word for word in unmasked.words)
        assert "METHOD_NAME" in " ".join(masked_lines)
        other = extract("int METHOD_NAME(Node n) { return n.METHOD_NAME() + METHOD_NAMES; }", ALL)
        assert other is not None
        # One for the declaration, one for the call; a constant of a similar name is not masked.
        assert other.words.count("METHOD_NAME") == 2
        assert not any("codeacumen" in word for word in other.words)
        assert {"methodnames", "method|names"} & {*other.words}


def test_masked_call_is_a_word() -> None:
    contexts = extract_code2seq_contexts("void f(List xs) { xs.<MASK>(1); done(xs); }", ALL)
    assert contexts is not None
    assert "<MASK>" in contexts.words
    assert "1,IntEx2|Cal|Nm3,<MASK>" in lines_of(contexts)


@pytest.mark.parametrize("read", [extract_code2vec_contexts, extract_code2seq_contexts])
def test_contexts_are_sampled_if_there_are_too_many(read: object) -> None:
    assert callable(read)
    all_lines, sampled_lines = lines_of(read(LONG, ALL)), lines_of(read(LONG, PathLimits(keep=100)))
    assert all_lines.total() > 1000
    assert sampled_lines.total() == 100
    assert not sampled_lines - all_lines
    assert sampled_lines == lines_of(read(LONG, PathLimits(keep=100)))
    assert sampled_lines != lines_of(read(LONG.replace("take", "give"), PathLimits(keep=100)))


def test_first_contexts_are_a_fair_sample() -> None:
    """The first contexts come from the whole method, not from its beginning."""
    contexts = extract_code2vec_contexts(LONG, ALL)
    assert contexts is not None
    first = contexts.left[: len(contexts.left) // 4]
    assert abs(first.mean() - contexts.left.mean()) < 0.1 * contexts.left.mean()


def test_length_and_width_are_limited() -> None:
    limited = extract_code2seq_contexts(LONG, PathLimits(length=5, width=1))
    wide = extract_code2seq_contexts(LONG, ALL)
    assert limited is not None
    assert wide is not None
    assert max(limited.sizes) <= 6
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
def test_any_text_is_supported(what: str) -> None:
    for extract in (extract_code2vec_contexts, extract_code2seq_contexts):
        contexts = extract(ODD[what], PathLimits())
        assert contexts is None or 0 < len(contexts.path) <= 1000
    if what == "a class":
        assert contexts is not None
        assert "METHOD_NAME" in contexts.words


def test_is_bare_accepts_identifiers_only() -> None:
    assert is_identifier("maxValue_2")
    assert is_identifier("$größe")
    assert not is_identifier("max value")
    assert not is_identifier("f()")
    assert not is_identifier("")
    assert code2vec_leaf_name("maxValue") == "maxvalue"
    assert code2seq_leaf_parts("maxHTTPValue") == "max|http|value"


# ---------------------------------------------------------------- batches


def test_sampling_of_contexts_in_a_batch() -> None:
    pytest.importorskip("torch")
    from codeacumen.models.neural.networks.code2seq import choose_contexts

    offsets = np.array([0, 3, 13, 13, 20])
    chosen, ends = choose_contexts(offsets, 5, None)
    assert chosen.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 16, 17]
    assert ends.tolist() == [0, 3, 8, 8, 13]
    rng, counts = np.random.default_rng(0), Counter[int]()
    for _ in range(300):
        chosen, ends = choose_contexts(offsets, 5, rng)
        assert ends.tolist() == [0, 3, 8, 8, 13]
        for row in range(4):
            row_chosen = chosen[ends[row] : ends[row + 1]]
            assert len(set(row_chosen.tolist())) == len(row_chosen)
            assert ((row_chosen >= offsets[row]) & (row_chosen < offsets[row + 1])).all()
        counts.update(chosen.tolist())
    # Five of ten contexts are sampled three hundred times.
    assert all(120 <= counts[at] <= 180 for at in range(3, 13))
    chosen, ends = choose_contexts(offsets, 10, rng)
    assert chosen.tolist() == list(range(20))


@pytest.mark.parametrize("collide", [False, True])
def test_lists_of_a_batch_are_stored_once(collide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are distinguished even if all of them have the same key."""
    pytest.importorskip("torch")
    from codeacumen.models.neural.networks import code2seq

    if collide:
        monkeypatch.setattr(code2seq, "mix_bits", np.zeros_like)
    rng = np.random.default_rng(1)
    lists = [rng.integers(1, 3, rng.integers(1, 5)).tolist() for _ in range(200)]
    values = np.array([value for values_of_list in lists for value in values_of_list], np.int32)
    sizes = np.array([len(values_of_list) for values_of_list in lists], np.int32)
    used = rng.permutation(200)[:150]
    rows, lengths, row_of_list = code2seq.find_distinct_rows(
        Ragged(values, np.array([0, len(values)])), Ragged(sizes, np.array([0, 200])), used
    )
    for list_index in used.tolist():
        at = row_of_list[list_index]
        assert rows[at, : lengths[at]].tolist() == lists[list_index]
        assert not rows[at, lengths[at] :].any()
    if not collide:
        assert len(rows) == len({tuple(lists[list_index]) for list_index in used.tolist()})
