"""Tests of the `last-null` heuristic: each of its rules once, and malformed input."""

from __future__ import annotations

import pytest

from codeacumen.api import Prompt
from codeacumen.benchmarks.gluecode.baselines.last_null import find_suspect
from codeacumen.registry import make_model


@pytest.mark.parametrize(
    ("body", "token"),
    [
        ("String s = null; s.trim();", "s"),
        ("String s = null; s = name(); use(s);", "<none>"),
        ("String s = null; if (s != null) { s.trim(); }", "<none>"),
        ("String s = null; if (null == s) return; s.trim();", "<none>"),
        ("int[] a = null; a[0] = 1;", "a"),
        ("this.s = null; s.trim();", "s"),
        ("other.s = null; s.trim();", "<none>"),
        ("return map.get(key).size();", "get"),
        ("File[] files = folder.listFiles(); files[0].delete();", "files"),
        ("Foo f = new Foo(); f.run();", "<none>"),
        ("Foo f = make(); f.run();", "f"),
        # A certain null outranks a possible null.
        ("Foo f = make(); f.run(); Bar b = null; b.run();", "b"),
        ("Foo f = find(get(1), 2); use(f); f.run();", "f"),
        ('// s = null; s.trim()\n String t = "s = null; s.trim()"; use(t);', "<none>"),
        # Passed as an argument instead of dereferenced.
        ("copy(null, out);", "copy"),
        ("copy((InputStream) null);", "copy"),
        ("assertEquals(null, value);", "<none>"),
        ("URL url = type.getResource(name); read(url);", "url"),
        ("read(type.getResource(name));", "getResource"),
        ("File f = null; copy(f, null); f.delete();", "f"),
        ("assertThrows(NullPointerException.class, () -> a(map.get(1).b(), null));", "a"),
        ("", "<none>"),
    ],
)
def test_suspected_token(body: str, token: str) -> None:
    assert find_suspect(f"void m() {{ {body} }}") == token


def test_nullable_parameter_is_suspected() -> None:
    assert find_suspect("void m(@Nullable String s) { s.trim(); }") == "s"
    assert find_suspect("void m(String s) { s.trim(); }") == "<none>"


def test_answer_is_a_token_of_the_text_or_none() -> None:
    model = make_model("last-null").model
    texts = [
        "",
        "=",
        "a =",
        "a = null",
        "a = null; a.",
        ")))",
        "(((((",
        "a = " * 5000 + "a.b",
        "{" * 10_000,
        "\udcff = null; \udcff.x()",
        "a.get(",
        "a.get().",
        "x = f(" * 3000,
    ]
    for text, answer in zip(
        texts, model.generate([Prompt(prompt_text) for prompt_text in texts]), strict=True
    ):  # type: ignore[union-attr]
        assert answer == "<none>" or answer in text
