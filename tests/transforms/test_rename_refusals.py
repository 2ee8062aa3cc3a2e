"""Tests of refused variable renamings: a name may refer to something outside this file, or is
required. javac is the oracle where possible: the refused change, if forced, does not compile or
changes behaviour."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.rename import Rename
from javac import JAVA, JAVAC

ELSEWHERE = "a class that uses it may inherit a field of that name"
ESCAPES = "identifiers or comments of this file have Unicode escapes"
BROKEN = "the source is broken here"


def list_refusals(source: str) -> dict[str, str]:
    """Return the reason of every location, by the method's name and parameters and the variable's
    name."""
    code = code_of(JavaFile(source.encode()))
    reasons: dict[str, str] = {}
    for body, _ in code.methods_with_body:
        method = re.sub(r"^.*\.(\w+\()", r"\1", code.method_key(body))
        for location in Rename().find_locations(code, body, 0):
            reasons[f"{method} {location.id.partition(':')[2]}"] = location.refused
    return reasons


def get_reason(source: str) -> str:
    """Return the one reason of a file with one variable."""
    (reason,) = list_refusals(source).values()
    return reason


def test_components_and_canonical_constructors_of_records() -> None:
    source = """
    record Q(int a, int b) {
      Q(int a, int b) { int n = a; this.a = n; this.b = b; }
      Q(int a) { this(a, a + 1); a++; }
      Q(String a, String b) { this(a.length(), b.length()); }
      int sum(int a) { return a + this.a + b(); }
    }
    record P(int a, int... b) { P { if (a < 0) a = -a; b = b.clone(); a++; int k = a; } }
    record S() { S { int k = 1; } }
    """
    canonical, component = "a record's canonical constructor", "it is a component of a record"
    reasons = list_refusals(source)
    assert reasons.pop("Q(int,int) a:0").startswith(canonical)
    assert reasons.pop("Q(int,int) b:0").startswith(canonical)
    assert reasons.pop("P(int,int...) a:0") == component
    assert reasons.pop("P(int,int...) b:0") == component
    assert set(reasons.values()) == {""}
    assert set(reasons) == {
        "Q(int,int) n:0",
        "Q(int) a:0",
        "Q(String,String) a:0",
        "Q(String,String) b:0",
        "sum(int) a:0",
        "P(int,int...) k:0",
        "S() k:0",
    }


# A supertype, and whether unknown fields are possible.
SUPERTYPES = {
    "new Base() { %s }": ELSEWHERE,
    "new pack.age.Base<String>(1) { %s }": ELSEWHERE,
    "new Object() { %s }": "",
    "new java.lang.Object() { %s }": "",
    "new Runnable() { %s }": "",
    "new Map.Entry<String, Integer>() { %s }": "",
    "new Entry<String, Integer>() { %s }": "",
    "new java.util.@A AbstractMap.@B SimpleEntry<K, V>(k, v) { %s }": "",
    "new AbstractSet<@A String>() { %s }": "",
    "new Near() { %s }": "",
    "new Far() { %s }": ELSEWHERE,
    "new Further() { %s }": ELSEWHERE,
    "new Listed() { %s }": "",
    "new Imported() { %s }": ELSEWHERE,
    "new Filter() { %s }": "",
    "o.new Near() { %s }": ELSEWHERE,
    "new Object() { Object p = new Base() { %s }; }": ELSEWHERE,
    "new Base() { Object p = new Object() { %s }; }": ELSEWHERE,
    "new Base() { int x = 1; %s }": "",
    "new Base(x) { }": "",
    "new Base() { void g(int x) { h(x); } }": "",
    "new Base() { int g(Base o) { return o.x + this.x; } }": "",
}
FILE = """
package a.b;
import java.util.*;
import java.util.Map.Entry;
import java.util.logging.Filter;
import pack.age.Imported;
class T {
  static class Near extends Object implements Runnable { }
  static class Far extends Base { }
  static class Further extends Far { }
  static class Listed extends AbstractList<String> { }
  void f(int x, T o) { Object n = %s; }
}
"""


@pytest.mark.parametrize("supertype", SUPERTYPES)
def test_unknown_inherited_fields(supertype: str) -> None:
    source = FILE % (supertype.replace("%s", "int g() { return x; }"))
    assert list_refusals(source)["f(int,T) x:0"] == SUPERTYPES[supertype]


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        ("class L extends Base { int g() { return x; } }", ELSEWHERE),
        ("class L implements Base { int g() { return x; } }", ELSEWHERE),
        ("class L { int g() { return x; } }", ""),
        ("class L implements Comparable<L>, java.io.Serializable { int g() { return x; } }", ""),
        ("@A(x) class L extends Base { }", ""),
        ("class L { class M extends Base { int g() { return x; } } }", ELSEWHERE),
        ("Object l = new Object() { { h(x); } Object m = new Base() { { h(x); } }; };", ELSEWHERE),
        ("Runnable l = () -> new Base() { }.g(x);", ""),
    ],
)
def test_local_classes(type_: str, reason: str) -> None:
    source = f"class T {{ void f(int x) {{ {type_} }} }}"
    assert list_refusals(source)["f(int) x:0"] == reason


def test_package_private_fields_of_the_jdk() -> None:
    """In its own package, a class of the JDK may have more fields than the table lists."""
    file = "package %s; class T { void f(int x) { new Thread() { int g() { return x; } }; } }"
    assert get_reason(file % "a.b") == ""
    assert get_reason(file % "java.lang") == ELSEWHERE
    file = "package java.util; class T { void f(int x) { new Map() { int g() { return x; } }; } }"
    assert get_reason(file) == ""


def test_superclass_in_another_file_is_refused(tmp_path: Path) -> None:
    """javac resolves the name to the superclass' field: renaming the variable changes behaviour."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: javac is the oracle")
    (tmp_path / "Base.java").write_text("class Base { int x = 5; }")
    source = "class T { int f(int x) { return new Base() { int g() { return x; } }.g() + x; } %s }"
    assert get_reason(source % "") == ELSEWHERE
    main = "public static void main(String[] a) { System.out.println(new T().f(1)); }"
    outputs = []
    for text in (source, source.replace(" x", " var0")):
        (tmp_path / "T.java").write_text(text % main)
        subprocess.run([javac, *JAVAC, "T.java"], cwd=tmp_path, check=True)
        ran = subprocess.run(
            [java, *JAVA, "-cp", ".", "T"], cwd=tmp_path, check=True, capture_output=True
        )
        outputs.append(ran.stdout.strip())
    assert outputs == [b"6", b"2"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r"int \u0078 = 1; x++;", BROKEN),
        (r"\u0069nt x = 1;", BROKEN),
        (r"int x = 1; // \u000a x++;", ESCAPES),
        (r"int x = 1; // \u000D x++;", ESCAPES),
        (r"int x = 1; /* \u002a/ x++; /* */", ESCAPES),
        (r"int x = 1; /* *\u002f x++; /* */", ESCAPES),
        (r"int x = 1; /* \*\uuu002F x++; /* */", ESCAPES),
        (r'int x = 1; h("\u0022 + x + \u0022");', ESCAPES),
        (r'int x = 1; h("\u005c" + x + "");', ESCAPES),
        (r"int x = 1; h('\u005c\u005c');", ESCAPES),
        (r"int x = 1; h('\u0022', '\u0041', " + r'"\u0027 \u002a\u002f \u0041");', ""),
        (r"int x = 1; // \\u000a \u0041 \u002a\u002f", ""),
        (r"int x = 1; /* \u000a \u002a \\u002a/ \u002F */", ""),
        (r'int x = 1; h("\\u0022");', ""),
        ("int x = 1; int x\u200b = 2;", BROKEN),
        ("int x = 1; int größe = 2;", ""),
    ],
)
def test_unicode_escapes_are_refused(text: str, reason: str) -> None:
    source = f"class T {{ void f() {{ {text}\n }} }}"
    assert set(list_refusals(source).values()) == {reason}


def test_unicode_escape_in_another_name_is_refused() -> None:
    assert get_reason(r"class T { int \u0078; void f(int y) { x = y; } }") == ESCAPES


def test_receiver_parameters_are_refused() -> None:
    """The parser reads an annotated receiver like a parameter."""
    all_reasons = list_refusals(
        "class T { void f(T this, int x) { } void g(@A T this, int x) { h(this, x); } }"
    )
    reasons = {name: reason for name, reason in all_reasons.items() if name.startswith(("f", "g"))}
    assert set(reasons.values()) == {"", "it is the receiver"}
    assert [name for name, reason in reasons.items() if reason] == ["g(T,int) this:0"]


def test_broken_source_is_refused() -> None:
    source = "class T { void f(int x) { x ++ ( ; } void g(int x) { h(x); } }"
    reasons = list_refusals(source)
    assert reasons["f(int) x:0"] == BROKEN
    assert reasons["g(int) x:0"] == ""
    missing = list_refusals("class T { void f(int x) { h(x) } void g(int x) { } }")
    assert missing == {"f(int) x:0": BROKEN, "g(int) x:0": ""}
    around = list_refusals("class T { void f(int x) { } } class U { void g(int x) { ")
    assert around == {"f(int) x:0": "", "g(int) x:0": BROKEN}


def test_file_with_unknown_references() -> None:
    assert list_refusals("") == {}
    assert list_refusals("T(int x) { }") in ({}, {"T(int) x:0": BROKEN}), "in no class"
    assert list_refusals("interface T { int f(int x); int K = 1; }") == {}
    assert list_refusals("class T { int f = h(x -> x); { int y = 1; } }") == {}, "in no method"
