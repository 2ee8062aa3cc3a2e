"""The rule of thumb for null: each idea of it once, and that nothing breaks it."""

from __future__ import annotations

import pytest

from codeacumen.api import Prompt
from codeacumen.benchmarks.gluecode.baselines.last_null import suspected
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
        # What is null for sure is more suspicious than what may be.
        ("Foo f = make(); f.run(); Bar b = null; b.run();", "b"),
        ("Foo f = find(get(1), 2); use(f); f.run();", "f"),
        ('// s = null; s.trim()\n String t = "s = null; s.trim()"; use(t);', "<none>"),
        # Handed on instead of dereferenced.
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
def test_what_is_suspected(body: str, token: str) -> None:
    assert suspected(f"void m() {{ {body} }}") == token


def test_an_annotated_parameter_is_suspected() -> None:
    assert suspected("void m(@Nullable String s) { s.trim(); }") == "s"
    assert suspected("void m(String s) { s.trim(); }") == "<none>"


def test_the_answer_is_a_token_of_the_text_or_the_word_for_none() -> None:
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
    for text, answer in zip(texts, model.generate([Prompt(one) for one in texts]), strict=True):  # type: ignore[union-attr]
        assert answer == "<none>" or answer in text
