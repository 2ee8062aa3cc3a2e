"""Variable renaming: where it is refused, because a name may mean something else than this file
shows, or because a name is demanded. Where javac can tell, it is the oracle: made by force, the
refused change would not compile or not do the same."""

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


def refusals(source: str) -> dict[str, str]:
    """Every location, by the method's name and parameters and the variable's, with the reason."""
    code = code_of(JavaFile(source.encode()))
    found: dict[str, str] = {}
    for place, _ in code.bodies:
        method = re.sub(r"^.*\.(\w+\()", r"\1", code.key(place))
        for one in Rename().locations(code, place, 0):
            found[f"{method} {one.id.partition(':')[2]}"] = one.refused
    return found


def why(source: str) -> str:
    """The one reason of a file with one variable."""
    (found,) = refusals(source).values()
    return found


def test_records() -> None:
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
    found = refusals(source)
    assert found.pop("Q(int,int) a:0").startswith(canonical)
    assert found.pop("Q(int,int) b:0").startswith(canonical)
    assert found.pop("P(int,int...) a:0") == component
    assert found.pop("P(int,int...) b:0") == component
    assert set(found.values()) == {""}
    assert set(found) == {
        "Q(int,int) n:0",
        "Q(int) a:0",
        "Q(String,String) a:0",
        "Q(String,String) b:0",
        "sum(int) a:0",
        "P(int,int...) k:0",
        "S() k:0",
    }


# What a class is made from, and whether its fields are in doubt.
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
def test_fields_from_elsewhere(supertype: str) -> None:
    source = FILE % (supertype.replace("%s", "int g() { return x; }"))
    assert refusals(source)["f(int,T) x:0"] == SUPERTYPES[supertype]


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
    assert refusals(source)["f(int) x:0"] == reason


def test_what_only_the_package_sees() -> None:
    """In its own package a class of the JDK may have more fields than the table shows."""
    file = "package %s; class T { void f(int x) { new Thread() { int g() { return x; } }; } }"
    assert why(file % "a.b") == ""
    assert why(file % "java.lang") == ELSEWHERE
    file = "package java.util; class T { void f(int x) { new Map() { int g() { return x; } }; } }"
    assert why(file) == ""


def test_a_superclass_in_another_file(tmp_path: Path) -> None:
    """javac takes the field of the superclass: with the name changed there, another is meant."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: javac is the oracle")
    (tmp_path / "Base.java").write_text("class Base { int x = 5; }")
    source = "class T { int f(int x) { return new Base() { int g() { return x; } }.g() + x; } %s }"
    assert why(source % "") == ELSEWHERE
    main = "public static void main(String[] a) { System.out.println(new T().f(1)); }"
    told = []
    for text in (source, source.replace(" x", " var0")):
        (tmp_path / "T.java").write_text(text % main)
        subprocess.run([javac, *JAVAC, "T.java"], cwd=tmp_path, check=True)
        ran = subprocess.run(
            [java, *JAVA, "-cp", ".", "T"], cwd=tmp_path, check=True, capture_output=True
        )
        told.append(ran.stdout.strip())
    assert told == [b"6", b"2"]


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
def test_escapes(text: str, reason: str) -> None:
    source = f"class T {{ void f() {{ {text}\n }} }}"
    assert set(refusals(source).values()) == {reason}


def test_an_escape_in_another_name_of_the_file() -> None:
    assert why(r"class T { int \u0078; void f(int y) { x = y; } }") == ESCAPES


def test_receivers() -> None:
    """One with an annotation reads like a parameter to the parser."""
    found = refusals(
        "class T { void f(T this, int x) { } void g(@A T this, int x) { h(this, x); } }"
    )
    reasons = {name: reason for name, reason in found.items() if name.startswith(("f", "g"))}
    assert set(reasons.values()) == {"", "it is the receiver"}
    assert [name for name, reason in reasons.items() if reason] == ["g(T,int) this:0"]


def test_broken_source() -> None:
    source = "class T { void f(int x) { x ++ ( ; } void g(int x) { h(x); } }"
    found = refusals(source)
    assert found["f(int) x:0"] == BROKEN
    assert found["g(int) x:0"] == ""
    missing = refusals("class T { void f(int x) { h(x) } void g(int x) { } }")
    assert missing == {"f(int) x:0": BROKEN, "g(int) x:0": ""}
    around = refusals("class T { void f(int x) { } } class U { void g(int x) { ")
    assert around == {"f(int) x:0": "", "g(int) x:0": BROKEN}


def test_a_file_of_nothing_known() -> None:
    assert refusals("") == {}
    assert refusals("T(int x) { }") in ({}, {"T(int) x:0": BROKEN}), "in no class"
    assert refusals("interface T { int f(int x); int K = 1; }") == {}
    assert refusals("class T { int f = h(x -> x); { int y = 1; } }") == {}, "in no method"
