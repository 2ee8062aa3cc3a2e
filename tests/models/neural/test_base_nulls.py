"""What is known of null at a method's names, before anybody decides anything."""

from __future__ import annotations

import pytest

from codeacumen.models.neural.inputs.base import own_tokens
from codeacumen.models.neural.inputs.base_nulls import GIVES, HOLDS, MARKS

# What some methods give back.
KNOWN = {"find": GIVES.index("null"), "size": GIVES.index("other"), "pass": GIVES.index("passed")}


def marked(body: str) -> str:
    """The tokens of a body, with what is known of variables behind each: (n)ull, (g)iven,
    (p)assed, what is (u)nknown are held; small letters where that is guarded, and ! where it is
    dereferenced."""
    told, _ = own_tokens(f"void f(Object o) {{ {body} }}", flags=KNOWN)
    words = iter(told.words)
    tokens = ["".join(next(words) for _ in range(size)) for size in told.sizes]
    shown = [f"{token}{_sign(MARKS[flag])}" for token, flag in zip(tokens, told.flag, strict=True)]
    return "".join(shown[shown.index("{") + 1 : -1])


def _sign(mark: str) -> str:
    what, *how = mark.split(", ")
    if what not in HOLDS:
        return ""
    sign = "NGPU"[HOLDS.index(what)]
    return ":" + (sign.lower() if "guarded" in how else sign) + "!" * ("dereferenced" in how)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Null as it is written, or given by a call, or given by one that hands it on.
        ("String s = null; s.a();", "Strings=null;s:N!.a();"),
        ("String s = find(); s.a();", "Strings=find();s:G!.a();"),
        ("String s = (String) (pass()); s.a();", "Strings=(String)(pass());s:P!.a();"),
        ("String s = size(); s.a();", "Strings=size();s.a();"),
        ("String s = find().trim(); s.a();", "Strings=find().trim();s:U!.a();"),
        ("String s = find() + o.x; s.a();", "Strings=find()+o.x;s.a();"),
        ("Object s = b ? o.get() : pass(); s.a();", "Objects=b?o.get():pass();s:P!.a();"),
        # The last write counts, whichever that may be; and the worst of them.
        ("s = null; s = o; s.a();", "s=null;s=o;s.a();"),
        ("Object s = o; s = null; s.a();", "Objects=o;s=null;s:N!.a();"),
        ("Object s = null; s = o; s.a();", "Objects=null;s=o;s.a();"),
        ("Object s = o; if (b) s = find(); s.a();", "Objects=o;if(b)s=find();s:G!.a();"),
        ("Object s = pass(); if (b) s = null; s.a();", "Objects=pass();if(b)s=null;s:N!.a();"),
        ("Object s = b ? find() : o; s.a();", "Objects=b?find():o;s:G!.a();"),
        ("Object s = null; while (b) { s.a(); s = o; }", "Objects=null;while(b){s:N!.a();s=o;}"),
        ("String s = null; s += o; s.a();", "Strings=null;s:N+=o;s.a();"),
        # In a branch of a condition that asks for it.
        (
            "Object s = find(); while (t(s)) { s.a(); } s.a();",
            "Objects=find();while(t(s:G)){s:g!.a();}s:G!.a();",
        ),
        # Compared with null before.
        (
            "Object s = find(); s.a(); if (s == null) { return; } s.a(); use(s);",
            "Objects=find();s:G!.a();if(s:G==null){return;}s:g!.a();use(s:g);",
        ),
        ("Object s = null; if (null != s && s.a()) { }", "Objects=null;if(null!=s:N&&s:n!.a()){}"),
        # Taken apart.
        (
            "Object[] s = find(); s[0] = ((A) s).b; for (Object t : s) { }",
            "Object[]s=find();s:G![0]=((A)s:G!).b;for(Objectt:s:G!){}",
        ),
        (
            "Object s = find(); use(s, s + 1, (A) s); o.s.a();",
            "Objects=find();use(s:G,s:G+1,(A)s:G);o.s.a();",
        ),
        # What comes in from elsewhere is not known.
        ("o.a(); for (Object s : find()) { s.a(); }", "o.a();for(Objects:find()){s.a();}"),
        ("this.s = null; this.s.a(); s.a();", "this.s=null;this.s.a();s.a();"),
    ],
)
def test_what_a_variable_may_hold(body: str, expected: str) -> None:
    assert marked(body) == expected


def test_calls_and_variables_have_marks_of_their_own() -> None:
    told, _ = own_tokens("void f() { String s = find(); s.a(); }", flags=KNOWN)
    found = [MARKS[flag] for flag in told.flag if flag]
    assert found == ["null", "holds null given, dereferenced"]
    told, _ = own_tokens(
        "void f() { find().a(); (pass()).b.c(); o.get()[1] = size(); }", flags=KNOWN
    )
    assert [MARKS[flag] for flag in told.flag if flag] == [
        "null, dereferenced",
        "passed, dereferenced",
        ", dereferenced",
        "other",
    ]
    assert len(MARKS) == len(set(MARKS)) == 26


def test_what_is_masked_gives_nothing_away() -> None:
    """Of what a masked call gives nothing is known, and a masked operator is no assignment."""
    told, _ = own_tokens("void f() { String s = <MASK>(); s.a(); }", flags=KNOWN)
    assert [MARKS[flag] for flag in told.flag if flag] == ["holds what is given, dereferenced"]
    for operator in ("==", "!=", "<MASK>"):
        text = f"void f(Object s) {{ s = null; if (s {operator} null) {{ s.a(); }} }}"
        told, _ = own_tokens(text, operator=True)
        first, second = (MARKS[flag] for flag in told.flag if flag)
        assert (first, second) == ("holds null", "holds null, guarded, dereferenced")
