"""Tests of the marks for what is known about null at a method's names."""

from __future__ import annotations

import pytest

from codeacumen.models.neural.inputs.codeacumen_base import tokenize_method
from codeacumen.models.neural.inputs.codeacumen_base_nulls import MARKS, RETURN_KINDS, VALUE_KINDS

# Kinds of return values of some methods.
KNOWN = {
    "find": RETURN_KINDS.index("null"),
    "size": RETURN_KINDS.index("other"),
    "pass": RETURN_KINDS.index("passed"),
}


def mark_tokens(body: str) -> str:
    """Return the tokens of a body, each variable followed by its mark: N for null, G for null from
    a call, P for a passed value, U for an unknown value; lower case if it is guarded, and ! if it
    is dereferenced."""
    token_columns, _ = tokenize_method(f"void f(Object o) {{ {body} }}", flags=KNOWN)
    words = iter(token_columns.words)
    tokens = ["".join(next(words) for _ in range(size)) for size in token_columns.sizes]
    marked_tokens = [
        f"{token}{format_mark(MARKS[flag])}"
        for token, flag in zip(tokens, token_columns.flag, strict=True)
    ]
    return "".join(marked_tokens[marked_tokens.index("{") + 1 : -1])


def format_mark(mark: str) -> str:
    value_kind, *usages = mark.split(", ")
    if value_kind not in VALUE_KINDS:
        return ""
    sign = "NGPU"[VALUE_KINDS.index(value_kind)]
    return ":" + (sign.lower() if "guarded" in usages else sign) + "!" * ("dereferenced" in usages)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # A null literal, null from a call, or null from a call that passes it on.
        ("String s = null; s.a();", "Strings=null;s:N!.a();"),
        ("String s = find(); s.a();", "Strings=find();s:G!.a();"),
        ("String s = (String) (pass()); s.a();", "Strings=(String)(pass());s:P!.a();"),
        ("String s = size(); s.a();", "Strings=size();s.a();"),
        ("String s = find().trim(); s.a();", "Strings=find().trim();s:U!.a();"),
        ("String s = find() + o.x; s.a();", "Strings=find()+o.x;s.a();"),
        ("Object s = b ? o.get() : pass(); s.a();", "Objects=b?o.get():pass();s:P!.a();"),
        # The last write counts; of several possible ones, the worst.
        ("s = null; s = o; s.a();", "s=null;s=o;s.a();"),
        ("Object s = o; s = null; s.a();", "Objects=o;s=null;s:N!.a();"),
        ("Object s = null; s = o; s.a();", "Objects=null;s=o;s.a();"),
        ("Object s = o; if (b) s = find(); s.a();", "Objects=o;if(b)s=find();s:G!.a();"),
        ("Object s = pass(); if (b) s = null; s.a();", "Objects=pass();if(b)s=null;s:N!.a();"),
        ("Object s = b ? find() : o; s.a();", "Objects=b?find():o;s:G!.a();"),
        ("Object s = null; while (b) { s.a(); s = o; }", "Objects=null;while(b){s:N!.a();s=o;}"),
        ("String s = null; s += o; s.a();", "Strings=null;s:N+=o;s.a();"),
        # In a branch whose condition tests the variable.
        (
            "Object s = find(); while (t(s)) { s.a(); } s.a();",
            "Objects=find();while(t(s:G)){s:g!.a();}s:G!.a();",
        ),
        # After a comparison with null.
        (
            "Object s = find(); s.a(); if (s == null) { return; } s.a(); use(s);",
            "Objects=find();s:G!.a();if(s:G==null){return;}s:g!.a();use(s:g);",
        ),
        ("Object s = null; if (null != s && s.a()) { }", "Objects=null;if(null!=s:N&&s:n!.a()){}"),
        # Dereferenced.
        (
            "Object[] s = find(); s[0] = ((A) s).b; for (Object t : s) { }",
            "Object[]s=find();s:G![0]=((A)s:G!).b;for(Objectt:s:G!){}",
        ),
        (
            "Object s = find(); use(s, s + 1, (A) s); o.s.a();",
            "Objects=find();use(s:G,s:G+1,(A)s:G);o.s.a();",
        ),
        # Nothing is known about parameters, loop variables and fields.
        ("o.a(); for (Object s : find()) { s.a(); }", "o.a();for(Objects:find()){s.a();}"),
        ("this.s = null; this.s.a(); s.a();", "this.s=null;this.s.a();s.a();"),
    ],
)
def test_marks_of_variables(body: str, expected: str) -> None:
    assert mark_tokens(body) == expected


def test_calls_and_variables_have_different_marks() -> None:
    token_columns, _ = tokenize_method("void f() { String s = find(); s.a(); }", flags=KNOWN)
    marks = [MARKS[flag] for flag in token_columns.flag if flag]
    assert marks == ["null", "holds returned null, dereferenced"]
    token_columns, _ = tokenize_method(
        "void f() { find().a(); (pass()).b.c(); o.get()[1] = size(); }", flags=KNOWN
    )
    assert [MARKS[flag] for flag in token_columns.flag if flag] == [
        "null, dereferenced",
        "passed, dereferenced",
        ", dereferenced",
        "other",
    ]
    assert len(MARKS) == len(set(MARKS)) == 26


def test_masked_call_and_operator_leak_nothing() -> None:
    """Nothing is known about the result of a masked call, and a masked operator is no
    assignment."""
    token_columns, _ = tokenize_method("void f() { String s = <MASK>(); s.a(); }", flags=KNOWN)
    assert [MARKS[flag] for flag in token_columns.flag if flag] == [
        "holds returned value, dereferenced"
    ]
    for operator in ("==", "!=", "<MASK>"):
        text = f"void f(Object s) {{ s = null; if (s {operator} null) {{ s.a(); }} }}"
        token_columns, _ = tokenize_method(text, hides_operator=True)
        first, second = (MARKS[flag] for flag in token_columns.flag if flag)
        assert (first, second) == ("holds null", "holds null, guarded, dereferenced")
