"""Kinds of events in a history, each with what it is, written by hand.

Each event has a folder of its own; what it starts with is in the first commit of all. Its steps
are commits, or merges. ``Found`` is a rename that is to be found, with all of its tags; ``counts``
what else is to be told of its commits' methods, 0 where it is not named.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pygit2.enums import FileMode

from renames.repositories import Files

SUM = "int sum = 0; for (int i = 0; i < n; i++) { sum += i; } return sum;"
JOIN = "StringBuilder all = new StringBuilder(); all.append(n).append(','); return all.length();"
KEEP = "int keep(int n) { return n * 3 + 1; }"


def java(name: str, *members: str, kind: str = "class", head: str = "") -> str:
    """A file with one type. ``keep`` stays as it is in all of them."""
    inner = "\n\n".join(f"    {one}" for one in (*members, KEEP if kind == "class" else ""))
    return f"{head}{kind} {name} {{\n{inner}\n}}\n"


def method(name: str, body: str = SUM, head: str = "int", parameters: str = "int n") -> str:
    return f"{head} {name}({parameters}) {{ {body} }}"


@dataclass(frozen=True)
class Found:
    old: str
    new: str
    tags: str = "first-subtoken"
    name_stable: bool | None = True
    body_stable: bool | None = True


@dataclass(frozen=True)
class Merge:
    """Two branches from here, and what the merge of them changes."""

    side: list[Files]
    main: list[Files]
    own: Files = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    name: str
    start: Files
    steps: list[Files | Merge]
    found: list[Found] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    stable: bool | None = None  # whether KEEP of its file is a stable method; None: not asked


def simple(
    name: str,
    before: str,
    after: str,
    *found: Found,
    path: str = "A.java",
    counts: dict[str, int] | None = None,
    stable: bool | None = None,
    later: list[Files] | None = None,
) -> Event:
    """One file, one commit; more may follow."""
    steps: list[Files | Merge] = [{path: after}, *(later or [])]
    return Event(name, {path: before}, steps, list(found), counts or {}, stable)


A = java("A", method("compute"))
B = java("A", method("total"))
RENAMED = Found("compute", "total")

NAMES = [
    simple("plain", A, B, RENAMED, stable=True),
    simple(
        "first subtoken kept",
        java("A", method("getUserCount")),
        java("A", method("getAllCount")),
        Found("getUserCount", "getAllCount", ""),
    ),
    simple(
        "typo",
        java("A", method("recieveAll")),
        java("A", method("receiveAll")),
        Found("recieveAll", "receiveAll", "typo first-subtoken"),
    ),
    simple(
        "typo, letters exchanged",
        java("A", method("getLenght")),
        java("A", method("getLength")),
        Found("getLenght", "getLength", "typo"),
    ),
    simple(
        "no typo: two words",
        java("A", method("readFirst")),
        java("A", method("loadFirst")),
        Found("readFirst", "loadFirst", "first-subtoken"),
    ),
    simple(
        "no typo: an abbreviation",
        java("A", method("calcSum")),
        java("A", method("calculateSum")),
        Found("calcSum", "calculateSum", "first-subtoken"),
    ),
    simple(
        "case",
        java("A", method("getURL")),
        java("A", method("getUrl")),
        Found("getURL", "getUrl", "case"),
    ),
    simple(
        "underscore",
        java("A", method("get_count")),
        java("A", method("getCount")),
        Found("get_count", "getCount", "case"),
    ),
    simple(
        "letters of no English",
        java("A", method("größe")),
        java("A", method("zählung")),
        Found("größe", "zählung"),
    ),
]

SELF = "return n < 1 ? 0 : n + {}(n - 1);"
BODIES = [
    simple(
        "recursion",
        java("A", method("compute", SELF.format("compute"))),
        java("A", method("total", SELF.format("total"))),
        RENAMED,
    ),
    simple(
        "reference to itself",
        java("A", method("compute", "return all(n, this::compute);")),
        java("A", method("total", "return all(n, this::total);")),
        RENAMED,
    ),
    simple(
        "delegate keeps the name",
        java("A", method("compute", "return other.compute(n);")),
        java("A", method("total", "return other.compute(n);")),
        RENAMED,
    ),
    simple(
        "delegate goes along",
        java("A", method("compute", "return other.compute(n);")),
        java("A", method("total", "return other.total(n);")),
        RENAMED,
    ),
    simple("comment in the body", A, java("A", method("total", "/* all */ " + SUM)), RENAMED),
    simple(
        "white space", A, B.replace("{ int sum", "{\n\n\t\tint sum").replace("; ", ";\n"), RENAMED
    ),
    simple(
        "JavaDoc",
        java("A", f"/** Computes. */ {method('compute')}"),
        java("A", f"/** The total. */ {method('total')}"),
        RENAMED,
    ),
    simple("line ends", A, B.replace("\n", "\r\n"), RENAMED),
    simple(
        "body changed, too",
        A,
        java("A", method("total", SUM.replace("i = 0", "i = 1"))),
        counts={"rewritten": 1},
    ),
    simple("another body", A, java("A", method("total", JOIN)), counts={"gone": 1, "new": 1}),
    simple("only the body changed", A, java("A", method("compute", JOIN)), counts={"changed": 1}),
    simple("only a comment changed", A, java("A", "// says nothing", method("compute"))),
    simple("only the order changed", A, f"class A {{ {KEEP} {method('compute')} }}"),
    simple(
        "field renamed in the body",
        java("A", method("compute", "return this.a + n * 2;")),
        java("A", method("total", "return this.b + n * 2;")),
        counts={"rewritten": 1},
    ),
    simple(
        "calls of each other",
        java("A", method("ping", "return n + pong(n);"), method("pong", "return n - ping(n);")),
        java("A", method("tick", "return n + tock(n);"), method("tock", "return n - tick(n);")),
        Found("ping", "tick"),
        Found("pong", "tock"),
    ),
    simple(
        "calls in a row",
        java(
            "A", method("a1", "return n + b1(n);"), method("b1", "return n - c1(n);"), method("c1")
        ),
        java(
            "A", method("a2", "return n + b2(n);"), method("b2", "return n - c2(n);"), method("c2")
        ),
        Found("a1", "a2"),
        Found("b1", "b2"),
        Found("c1", "c2"),
    ),
    simple(
        "a call that nobody renamed",
        java("A", method("compute", "return n + open(n);")),
        java("A", method("total", "return n + close(n);")),
        counts={"rewritten": 1},
    ),
    Event(
        "caller in another file",
        {"A.java": A, "B.java": java("B", method("call", "return new A().compute(n);"))},
        [{"A.java": B, "B.java": java("B", method("call", "return new A().total(n);"))}],
        [RENAMED],
    ),
    simple(
        "another call",
        java("A", method("f", "return open(n);")),
        java("A", method("f", "return close(n);")),
        counts={"changed": 1},
    ),
    simple(
        "a local class's method",
        java("A", method("f", "class L { int a() { return n; } } return 1;")),
        java("A", method("f", "class L { int b() { return n; } } return 1;")),
        Found("a", "b", "accessor first-subtoken"),
    ),
]

PLACES = [
    simple(
        "test by folder",
        A,
        B,
        Found("compute", "total", "test first-subtoken"),
        path="src/test/java/A.java",
    ),
    simple(
        "test by annotation",
        java("A", method("compute", head="@Test int")),
        java("A", method("total", head="@Test int")),
        Found("compute", "total", "test first-subtoken"),
    ),
    simple(
        "test by name", A, B, Found("compute", "total", "test first-subtoken"), path="PlanTest.java"
    ),
    simple("no test by name", A, B, RENAMED, path="Contest.java"),
    simple(
        "example by folder",
        A,
        B,
        Found("compute", "total", "example first-subtoken"),
        path="src/samples/A.java",
    ),
    simple(
        "example by name",
        A,
        B,
        Found("compute", "total", "example first-subtoken"),
        path="DemoPlan.java",
    ),
    simple("template is a word of programs", A, B, RENAMED, path="JdbcTemplate.java"),
    simple(
        "generated",
        "// Generated by a tool. Do not edit.\n" + A,
        "// Generated by a tool. Do not edit.\n" + B,
        Found("compute", "total", "generated first-subtoken"),
    ),
]

LONG = "long n"
OVERLOADS = [
    simple(
        "an overload stays",
        java("A", method("compute"), method("compute", JOIN, parameters=LONG)),
        java("A", method("total"), method("compute", JOIN, parameters=LONG)),
        Found("compute", "total", "overload first-subtoken"),
    ),
    simple(
        "all overloads",
        java("A", method("compute"), method("compute", JOIN, parameters=LONG)),
        java("A", method("total"), method("total", JOIN, parameters=LONG)),
        Found("compute", "total", "all-overloads first-subtoken"),
        Found("compute", "total", "all-overloads first-subtoken"),
    ),
    simple(
        "joins an overload",
        java("A", method("compute"), method("total", JOIN, parameters=LONG)),
        java("A", method("total"), method("total", JOIN, parameters=LONG)),
        Found("compute", "total", "joins first-subtoken"),
    ),
    simple(
        "override",
        java("A", method("compute", head="@Override public int")),
        java("A", method("total", head="@Override public int")),
        Found("compute", "total", "override first-subtoken"),
    ),
    Event(
        "an interface and who implements it",
        {
            "I.java": java("I", "int compute(int n);", kind="interface"),
            "A.java": java("A", method("compute", head="@Override public int")),
            "B.java": java("B", method("compute", JOIN, head="@Override public int")),
        },
        [
            {
                "I.java": java("I", "int total(int n);", kind="interface"),
                "A.java": java("A", method("total", head="@Override public int")),
                "B.java": java("B", method("total", JOIN, head="@Override public int")),
            }
        ],
        [
            Found("compute", "total", "hierarchy no-body override first-subtoken"),
            Found("compute", "total", "hierarchy override first-subtoken"),
            Found("compute", "total", "hierarchy override first-subtoken"),
        ],
    ),
    Event(
        "an abstract class and who extends it",
        {
            "I.java": java("I", "abstract int compute(int n);", kind="abstract class"),
            "A.java": java("A", method("compute", head="@Override int")),
        },
        [
            {
                "I.java": java("I", "abstract int total(int n);", kind="abstract class"),
                "A.java": java("A", method("total", head="@Override int")),
            }
        ],
        [
            Found("compute", "total", "hierarchy no-body first-subtoken"),
            Found("compute", "total", "hierarchy override first-subtoken"),
        ],
    ),
    simple(
        "an interface alone, another word",
        java("I", "void close();", kind="interface"),
        java("I", "void flush();", kind="interface"),
        Found("close", "flush", "ambiguous no-body override first-subtoken"),
    ),
    simple(
        "an interface alone, a word kept",
        java("I", "void closeAll();", kind="interface"),
        java("I", "void endAll();", kind="interface"),
        Found("closeAll", "endAll", "no-body override first-subtoken"),
    ),
    simple(
        "a static method of an interface",
        java("I", method("compute", head="static int"), kind="interface"),
        java("I", method("total", head="static int"), kind="interface"),
        RENAMED,
    ),
    simple(
        "an empty body",
        java("A", "void onOpen() { }"),
        java("A", "void onStart() { /* no */ }"),
        Found("onOpen", "onStart", "empty"),
    ),
]

GETTER = "return count;"
HEADS = [
    simple(
        "accessor",
        java("A", method("count", GETTER, parameters="")),
        java("A", method("getCount", GETTER, parameters="")),
        Found("count", "getCount", "accessor first-subtoken"),
    ),
    simple(
        "accessor that sets",
        java("A", method("count", "this.count = n;", head="void")),
        java("A", method("setCount", "this.count = n;", head="void")),
        Found("count", "setCount", "accessor first-subtoken"),
    ),
    simple(
        "visibility",
        java("A", method("compute", head="public int")),
        java("A", method("total", head="private int")),
        Found("compute", "total", "visibility first-subtoken"),
    ),
    simple(
        "static",
        A,
        java("A", method("total", head="static int")),
        Found("compute", "total", "signature first-subtoken"),
    ),
    simple(
        "throws",
        A,
        B.replace("total(int n)", "total(int n) throws Exception"),
        Found("compute", "total", "signature first-subtoken"),
    ),
    simple(
        "a parameter's name",
        java("A", method("compute", "return 1 + 2;")),
        java("A", method("total", "return 1 + 2;", parameters="int m")),
        Found("compute", "total", "signature first-subtoken"),
    ),
    simple(
        "an annotation",
        A,
        java("A", method("total", head="@Deprecated int")),
        RENAMED,
    ),
    simple(
        "another parameter",
        A,
        java("A", method("total", parameters="short n")),
        counts={"gone": 1, "new": 1},
    ),
    simple(
        "another result", A, java("A", method("total", head="long")), counts={"gone": 1, "new": 1}
    ),
    simple(
        "only a parameter",
        A,
        java("A", method("compute", parameters="short n")),
        counts={"signature": 1},
    ),
    simple(
        "a package before a type",
        java("A", method("compute", parameters="java.util.List<T> n")),
        java("A", method("total", parameters="List<T> n")),
        Found("compute", "total", "signature first-subtoken"),
    ),
    simple(
        "generics and dots",
        java("A", method("compute", head="<T> T[]", parameters="T... n")),
        java("A", method("total", head="<T> T[]", parameters="T... n")),
        RENAMED,
    ),
]

WORDS = ["Name", "Size", "Kind", "Root", "Path", "Mode", "Time", "User", "Line", "Page"]


def many(verb: str, words: list[str]) -> str:
    return java("A", *(method(f"{verb}{word}", f"return find{word}(n) + n;") for word in words))


TOGETHER = [
    simple(
        "mass",
        many("get", WORDS),
        many("fetch", WORDS),
        *(Found(f"get{word}", f"fetch{word}", "mass first-subtoken") for word in WORDS),
    ),
    simple(
        "nine are no mass",
        many("get", WORDS[:9]),
        many("fetch", WORDS[:9]),
        *(Found(f"get{word}", f"fetch{word}") for word in WORDS[:9]),
    ),
    simple(
        "equal bodies",
        java("A", method("first"), method("second")),
        java("A", method("head"), method("tail")),
        Found("first", "head", "ambiguous first-subtoken"),
        Found("second", "tail", "ambiguous first-subtoken"),
    ),
    simple(
        "equal bodies, one goes away",
        java("A", method("readAll"), method("sum")),
        java("A", method("sumUp")),
        Found("sum", "sumUp", "ambiguous"),
        counts={"gone": 1},
    ),
    simple(
        "names exchanged",
        java("A", method("first"), method("second", JOIN)),
        java("A", method("second"), method("first", JOIN)),
        Found("first", "second", "swap first-subtoken"),
        Found("second", "first", "swap first-subtoken"),
    ),
    simple(
        "a name passed on",
        java("A", method("first"), method("second", JOIN)),
        java("A", method("second"), method("third", JOIN)),
        Found("first", "second", "swap first-subtoken"),
        Found("second", "third", "swap first-subtoken"),
    ),
    simple(
        "short bodies exchanged",
        java("A", method("yes", "return 1;"), method("no", "return 0;")),
        java("A", method("yes", "return 0;"), method("no", "return 1;")),
        counts={"changed": 2},
    ),
    simple(
        "the old name calls the new one",
        A,
        java("A", method("total"), method("compute", "return total(n);", head="@Deprecated int")),
        counts={"changed": 1, "new": 1, "delegates": 1},
    ),
    simple(
        "one goes, another comes", A, java("A", method("join", JOIN)), counts={"gone": 1, "new": 1}
    ),
    simple(
        "two at once",
        java("A", method("compute"), method("join", JOIN)),
        java("A", method("total"), method("glue", JOIN)),
        RENAMED,
        Found("join", "glue"),
    ),
]

TYPES = [
    simple(
        "a class without a name",
        java("A", "Object o = new Thing() { int f(int n) { return n + 1; } };"),
        java("A", "Object o = new Thing() { int g(int n) { return n + 1; } };"),
        Found("f", "g", "anonymous first-subtoken"),
    ),
    simple(
        "a class without a name, another before it",
        java("A", "Object o = new Thing() { int f(int n) { return n + 1; } };"),
        java(
            "A",
            "Object p = new Other() { };",
            "Object o = new Thing() { int g(int n) { return n + 1; } };",
        ),
        Found("f", "g", "anonymous first-subtoken"),
    ),
    simple(
        "an enum's constant",
        "enum E { ONE { int f(int n) { return n + 1; } } }",
        "enum E { ONE { int g(int n) { return n + 1; } } }",
        Found("f", "g", "anonymous first-subtoken"),
    ),
    simple(
        "an enum",
        "enum E { ONE; int compute(int n) { return n + 1; } }",
        "enum E { ONE; int total(int n) { return n + 1; } }",
        RENAMED,
    ),
    simple(
        "a record",
        "record R(int a) { int compute(int n) { return n + a; } }",
        "record R(int a) { int total(int n) { return n + a; } }",
        RENAMED,
    ),
    simple(
        "a nested class",
        f"class A {{ static class B {{ {method('compute')} }} }}",
        f"class A {{ static class B {{ {method('total')} }} }}",
        RENAMED,
    ),
    simple(
        "a constructor is no method",
        java("A", "A(int n) { this.n = n; }"),
        java("B", "B(int n) { this.n = n; }"),
    ),
    simple(
        "an annotation's element is no method",
        "@interface N { String text(); }",
        "@interface N { String value(); }",
    ),
    simple(
        "a field is no method",
        java("A", "int a = 1;"),
        java("A", "int b = 1;"),
    ),
]

AT_ONCE = [*NAMES, *BODIES, *PLACES, *OVERLOADS, *HEADS, *TOGETHER, *TYPES]


def link(target: str) -> tuple[bytes, FileMode]:
    return target.encode(), FileMode.LINK
