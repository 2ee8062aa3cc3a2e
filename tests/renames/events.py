"""Events in a history, written by hand, with the renames that mining must find in each.

Each event has a folder of its own, and the first commit of the repository adds the initial files of
all events. The steps of an event are commits or merges. ``ExpectedRename`` is a rename with all of
its tags; ``counts`` holds the other expected counts of the methods in its commits, 0 where a key
is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pygit2.enums import FileMode

from renames.repositories import Files

SUM_BODY = "int sum = 0; for (int i = 0; i < n; i++) { sum += i; } return sum;"
JOIN_BODY = (
    "StringBuilder all = new StringBuilder(); all.append(n).append(','); return all.length();"
)
KEEP_METHOD = "int keep(int n) { return n * 3 + 1; }"


def java_file(name: str, *members: str, kind: str = "class", head: str = "") -> str:
    """Return a file with one type; each class also has the method ``keep``, which never changes."""
    body = "\n\n".join(
        f"    {member}" for member in (*members, KEEP_METHOD if kind == "class" else "")
    )
    return f"{head}{kind} {name} {{\n{body}\n}}\n"


def method_source(
    name: str, body: str = SUM_BODY, head: str = "int", parameters: str = "int n"
) -> str:
    return f"{head} {name}({parameters}) {{ {body} }}"


@dataclass(frozen=True)
class ExpectedRename:
    old: str
    new: str
    tags: str = "first-subtoken"
    name_stable: bool | None = True
    body_stable: bool | None = True


@dataclass(frozen=True)
class Merge:
    """The commits of two branches from the current commit, and the changes of their merge."""

    side: list[Files]
    main: list[Files]
    changes: Files = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    name: str
    initial_files: Files
    steps: list[Files | Merge]
    renames: list[ExpectedRename] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    # Whether the method ``keep`` of its file is stable; None: not checked.
    stable: bool | None = None


def single_file_event(
    name: str,
    before: str,
    after: str,
    *renames: ExpectedRename,
    path: str = "A.java",
    counts: dict[str, int] | None = None,
    stable: bool | None = None,
    later_steps: list[Files] | None = None,
) -> Event:
    """Return an event of one file that changes in one commit, and optional later steps."""
    steps: list[Files | Merge] = [{path: after}, *(later_steps or [])]
    return Event(name, {path: before}, steps, list(renames), counts or {}, stable)


def name_event(name: str, old: str, new: str, tags: str = "first-subtoken") -> Event:
    """Return the event that a method is renamed."""
    before, after = (java_file("A", method_source(method)) for method in (old, new))
    return single_file_event(name, before, after, ExpectedRename(old, new, tags))


ORIGINAL_FILE = java_file("A", method_source("compute"))
RENAMED_FILE = java_file("A", method_source("total"))
PLAIN_RENAME = ExpectedRename("compute", "total")


def body_event(name: str, before: str, after: str) -> Event:
    """Return the event that ``compute`` is renamed ``total``, whose body was ``before``."""
    old, new = method_source("compute", before), method_source("total", after)
    return single_file_event(name, java_file("A", old), java_file("A", new), PLAIN_RENAME)


NAME_EVENTS = [
    single_file_event("plain", ORIGINAL_FILE, RENAMED_FILE, PLAIN_RENAME, stable=True),
    name_event("first subtoken kept", "getUserCount", "getAllCount", ""),
    name_event("typo", "recieveAll", "receiveAll", "typo first-subtoken"),
    name_event("typo, letters exchanged", "getLenght", "getLength", "typo"),
    name_event("no typo: two words", "readFirst", "loadFirst", "first-subtoken"),
    name_event("no typo: an abbreviation", "calcSum", "calculateSum", "first-subtoken"),
    name_event("case", "getURL", "getUrl", "case"),
    name_event("underscore", "get_count", "getCount", "case"),
    name_event("letters of no English", "größe", "zählung"),
]

RECURSIVE_BODY = "return n < 1 ? 0 : n + {}(n - 1);"
BODY_EVENTS = [
    body_event("recursion", RECURSIVE_BODY.format("compute"), RECURSIVE_BODY.format("total")),
    body_event(
        "reference to itself", "return all(n, this::compute);", "return all(n, this::total);"
    ),
    body_event("delegate keeps the name", "return other.compute(n);", "return other.compute(n);"),
    body_event("delegate goes along", "return other.compute(n);", "return other.total(n);"),
    single_file_event(
        "comment in the body",
        ORIGINAL_FILE,
        java_file("A", method_source("total", "/* all */ " + SUM_BODY)),
        PLAIN_RENAME,
    ),
    single_file_event(
        "white space",
        ORIGINAL_FILE,
        RENAMED_FILE.replace("{ int sum", "{\n\n\t\tint sum").replace("; ", ";\n"),
        PLAIN_RENAME,
    ),
    single_file_event(
        "JavaDoc",
        java_file("A", f"/** Computes. */ {method_source('compute')}"),
        java_file("A", f"/** The total. */ {method_source('total')}"),
        PLAIN_RENAME,
    ),
    single_file_event("line ends", ORIGINAL_FILE, RENAMED_FILE.replace("\n", "\r\n"), PLAIN_RENAME),
    single_file_event(
        "body changed, too",
        ORIGINAL_FILE,
        java_file("A", method_source("total", SUM_BODY.replace("i = 0", "i = 1"))),
        counts={"rewritten": 1},
    ),
    single_file_event(
        "another body",
        ORIGINAL_FILE,
        java_file("A", method_source("total", JOIN_BODY)),
        counts={"removed": 1, "new": 1},
    ),
    single_file_event(
        "only the body changed",
        ORIGINAL_FILE,
        java_file("A", method_source("compute", JOIN_BODY)),
        counts={"changed": 1},
    ),
    single_file_event(
        "only a comment changed",
        ORIGINAL_FILE,
        java_file("A", "// says nothing", method_source("compute")),
    ),
    single_file_event(
        "only the order changed",
        ORIGINAL_FILE,
        f"class A {{ {KEEP_METHOD} {method_source('compute')} }}",
    ),
    single_file_event(
        "field renamed in the body",
        java_file("A", method_source("compute", "return this.a + n * 2;")),
        java_file("A", method_source("total", "return this.b + n * 2;")),
        counts={"rewritten": 1},
    ),
    single_file_event(
        "calls of each other",
        java_file(
            "A",
            method_source("ping", "return n + pong(n);"),
            method_source("pong", "return n - ping(n);"),
        ),
        java_file(
            "A",
            method_source("tick", "return n + tock(n);"),
            method_source("tock", "return n - tick(n);"),
        ),
        ExpectedRename("ping", "tick"),
        ExpectedRename("pong", "tock"),
    ),
    single_file_event(
        "calls in a row",
        java_file(
            "A",
            method_source("a1", "return n + b1(n);"),
            method_source("b1", "return n - c1(n);"),
            method_source("c1"),
        ),
        java_file(
            "A",
            method_source("a2", "return n + b2(n);"),
            method_source("b2", "return n - c2(n);"),
            method_source("c2"),
        ),
        ExpectedRename("a1", "a2"),
        ExpectedRename("b1", "b2"),
        ExpectedRename("c1", "c2"),
    ),
    single_file_event(
        "a call that was not renamed",
        java_file("A", method_source("compute", "return n + open(n);")),
        java_file("A", method_source("total", "return n + close(n);")),
        counts={"rewritten": 1},
    ),
    Event(
        "caller in another file",
        {
            "A.java": ORIGINAL_FILE,
            "B.java": java_file("B", method_source("call", "return new A().compute(n);")),
        },
        [
            {
                "A.java": RENAMED_FILE,
                "B.java": java_file("B", method_source("call", "return new A().total(n);")),
            }
        ],
        [PLAIN_RENAME],
    ),
    single_file_event(
        "another call",
        java_file("A", method_source("f", "return open(n);")),
        java_file("A", method_source("f", "return close(n);")),
        counts={"changed": 1},
    ),
    single_file_event(
        "a local class's method",
        java_file("A", method_source("f", "class L { int a() { return n; } } return 1;")),
        java_file("A", method_source("f", "class L { int b() { return n; } } return 1;")),
        ExpectedRename("a", "b", "accessor first-subtoken"),
    ),
]

PLACE_EVENTS = [
    single_file_event(
        "test by folder",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "test first-subtoken"),
        path="src/test/java/A.java",
    ),
    single_file_event(
        "test by annotation",
        java_file("A", method_source("compute", head="@Test int")),
        java_file("A", method_source("total", head="@Test int")),
        ExpectedRename("compute", "total", "test first-subtoken"),
    ),
    single_file_event(
        "test by name",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "test first-subtoken"),
        path="PlanTest.java",
    ),
    single_file_event(
        "no test by name", ORIGINAL_FILE, RENAMED_FILE, PLAIN_RENAME, path="Contest.java"
    ),
    single_file_event(
        "example by folder",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "example first-subtoken"),
        path="src/samples/A.java",
    ),
    single_file_event(
        "example by name",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "example first-subtoken"),
        path="DemoPlan.java",
    ),
    single_file_event(
        "template is a word of programs",
        ORIGINAL_FILE,
        RENAMED_FILE,
        PLAIN_RENAME,
        path="JdbcTemplate.java",
    ),
    single_file_event(
        "generated",
        "// Generated by a tool. Do not edit.\n" + ORIGINAL_FILE,
        "// Generated by a tool. Do not edit.\n" + RENAMED_FILE,
        ExpectedRename("compute", "total", "generated first-subtoken"),
    ),
]

LONG_PARAMETER = "long n"
OVERLOAD_EVENTS = [
    single_file_event(
        "an overload stays",
        java_file(
            "A",
            method_source("compute"),
            method_source("compute", JOIN_BODY, parameters=LONG_PARAMETER),
        ),
        java_file(
            "A",
            method_source("total"),
            method_source("compute", JOIN_BODY, parameters=LONG_PARAMETER),
        ),
        ExpectedRename("compute", "total", "overload first-subtoken"),
    ),
    single_file_event(
        "all overloads",
        java_file(
            "A",
            method_source("compute"),
            method_source("compute", JOIN_BODY, parameters=LONG_PARAMETER),
        ),
        java_file(
            "A",
            method_source("total"),
            method_source("total", JOIN_BODY, parameters=LONG_PARAMETER),
        ),
        ExpectedRename("compute", "total", "all-overloads first-subtoken"),
        ExpectedRename("compute", "total", "all-overloads first-subtoken"),
    ),
    single_file_event(
        "joins an overload",
        java_file(
            "A",
            method_source("compute"),
            method_source("total", JOIN_BODY, parameters=LONG_PARAMETER),
        ),
        java_file(
            "A",
            method_source("total"),
            method_source("total", JOIN_BODY, parameters=LONG_PARAMETER),
        ),
        ExpectedRename("compute", "total", "joins first-subtoken"),
    ),
    single_file_event(
        "override",
        java_file("A", method_source("compute", head="@Override public int")),
        java_file("A", method_source("total", head="@Override public int")),
        ExpectedRename("compute", "total", "override first-subtoken"),
    ),
    Event(
        "an interface and its implementation",
        {
            "I.java": java_file("I", "int compute(int n);", kind="interface"),
            "A.java": java_file("A", method_source("compute", head="@Override public int")),
            "B.java": java_file(
                "B", method_source("compute", JOIN_BODY, head="@Override public int")
            ),
        },
        [
            {
                "I.java": java_file("I", "int total(int n);", kind="interface"),
                "A.java": java_file("A", method_source("total", head="@Override public int")),
                "B.java": java_file(
                    "B", method_source("total", JOIN_BODY, head="@Override public int")
                ),
            }
        ],
        [
            ExpectedRename("compute", "total", "hierarchy no-body override first-subtoken"),
            ExpectedRename("compute", "total", "hierarchy override first-subtoken"),
            ExpectedRename("compute", "total", "hierarchy override first-subtoken"),
        ],
    ),
    Event(
        "an abstract class and its subclass",
        {
            "I.java": java_file("I", "abstract int compute(int n);", kind="abstract class"),
            "A.java": java_file("A", method_source("compute", head="@Override int")),
        },
        [
            {
                "I.java": java_file("I", "abstract int total(int n);", kind="abstract class"),
                "A.java": java_file("A", method_source("total", head="@Override int")),
            }
        ],
        [
            ExpectedRename("compute", "total", "hierarchy no-body first-subtoken"),
            ExpectedRename("compute", "total", "hierarchy override first-subtoken"),
        ],
    ),
    single_file_event(
        "an interface alone, another word",
        java_file("I", "void close();", kind="interface"),
        java_file("I", "void flush();", kind="interface"),
        ExpectedRename("close", "flush", "ambiguous no-body override first-subtoken"),
    ),
    single_file_event(
        "an interface alone, a word kept",
        java_file("I", "void closeAll();", kind="interface"),
        java_file("I", "void endAll();", kind="interface"),
        ExpectedRename("closeAll", "endAll", "no-body override first-subtoken"),
    ),
    single_file_event(
        "a static method of an interface",
        java_file("I", method_source("compute", head="static int"), kind="interface"),
        java_file("I", method_source("total", head="static int"), kind="interface"),
        PLAIN_RENAME,
    ),
    single_file_event(
        "an empty body",
        java_file("A", "void onOpen() { }"),
        java_file("A", "void onStart() { /* no */ }"),
        ExpectedRename("onOpen", "onStart", "empty"),
    ),
]

GETTER_BODY = "return count;"
HEADER_EVENTS = [
    single_file_event(
        "accessor",
        java_file("A", method_source("count", GETTER_BODY, parameters="")),
        java_file("A", method_source("getCount", GETTER_BODY, parameters="")),
        ExpectedRename("count", "getCount", "accessor first-subtoken"),
    ),
    single_file_event(
        "accessor that sets",
        java_file("A", method_source("count", "this.count = n;", head="void")),
        java_file("A", method_source("setCount", "this.count = n;", head="void")),
        ExpectedRename("count", "setCount", "accessor first-subtoken"),
    ),
    single_file_event(
        "visibility",
        java_file("A", method_source("compute", head="public int")),
        java_file("A", method_source("total", head="private int")),
        ExpectedRename("compute", "total", "visibility first-subtoken"),
    ),
    single_file_event(
        "static",
        ORIGINAL_FILE,
        java_file("A", method_source("total", head="static int")),
        ExpectedRename("compute", "total", "signature first-subtoken"),
    ),
    single_file_event(
        "throws",
        ORIGINAL_FILE,
        RENAMED_FILE.replace("total(int n)", "total(int n) throws Exception"),
        ExpectedRename("compute", "total", "signature first-subtoken"),
    ),
    single_file_event(
        "a parameter's name",
        java_file("A", method_source("compute", "return 1 + 2;")),
        java_file("A", method_source("total", "return 1 + 2;", parameters="int m")),
        ExpectedRename("compute", "total", "signature first-subtoken"),
    ),
    single_file_event(
        "an annotation",
        ORIGINAL_FILE,
        java_file("A", method_source("total", head="@Deprecated int")),
        PLAIN_RENAME,
    ),
    single_file_event(
        "another parameter",
        ORIGINAL_FILE,
        java_file("A", method_source("total", parameters="short n")),
        counts={"removed": 1, "new": 1},
    ),
    single_file_event(
        "another result",
        ORIGINAL_FILE,
        java_file("A", method_source("total", head="long")),
        counts={"removed": 1, "new": 1},
    ),
    single_file_event(
        "only a parameter",
        ORIGINAL_FILE,
        java_file("A", method_source("compute", parameters="short n")),
        counts={"signature": 1},
    ),
    single_file_event(
        "a package before a type",
        java_file("A", method_source("compute", parameters="java.util.List<T> n")),
        java_file("A", method_source("total", parameters="List<T> n")),
        ExpectedRename("compute", "total", "signature first-subtoken"),
    ),
    single_file_event(
        "generics and dots",
        java_file("A", method_source("compute", head="<T> T[]", parameters="T... n")),
        java_file("A", method_source("total", head="<T> T[]", parameters="T... n")),
        PLAIN_RENAME,
    ),
]

WORDS = ["Name", "Size", "Kind", "Root", "Path", "Mode", "Time", "User", "Line", "Page"]


def class_with_methods(verb: str, words: list[str]) -> str:
    return java_file(
        "A", *(method_source(f"{verb}{word}", f"return find{word}(n) + n;") for word in words)
    )


COMBINED_EVENTS = [
    single_file_event(
        "mass",
        class_with_methods("get", WORDS),
        class_with_methods("fetch", WORDS),
        *(ExpectedRename(f"get{word}", f"fetch{word}", "mass first-subtoken") for word in WORDS),
    ),
    single_file_event(
        "nine are no mass",
        class_with_methods("get", WORDS[:9]),
        class_with_methods("fetch", WORDS[:9]),
        *(ExpectedRename(f"get{word}", f"fetch{word}") for word in WORDS[:9]),
    ),
    single_file_event(
        "equal bodies",
        java_file("A", method_source("first"), method_source("second")),
        java_file("A", method_source("head"), method_source("tail")),
        ExpectedRename("first", "head", "ambiguous first-subtoken"),
        ExpectedRename("second", "tail", "ambiguous first-subtoken"),
    ),
    single_file_event(
        "equal bodies, one goes away",
        java_file("A", method_source("readAll"), method_source("sum")),
        java_file("A", method_source("sumUp")),
        ExpectedRename("sum", "sumUp", "ambiguous"),
        counts={"removed": 1},
    ),
    single_file_event(
        "names exchanged",
        java_file("A", method_source("first"), method_source("second", JOIN_BODY)),
        java_file("A", method_source("second"), method_source("first", JOIN_BODY)),
        ExpectedRename("first", "second", "swap first-subtoken"),
        ExpectedRename("second", "first", "swap first-subtoken"),
    ),
    single_file_event(
        "a name passed on",
        java_file("A", method_source("first"), method_source("second", JOIN_BODY)),
        java_file("A", method_source("second"), method_source("third", JOIN_BODY)),
        ExpectedRename("first", "second", "swap first-subtoken"),
        ExpectedRename("second", "third", "swap first-subtoken"),
    ),
    single_file_event(
        "short bodies exchanged",
        java_file("A", method_source("yes", "return 1;"), method_source("no", "return 0;")),
        java_file("A", method_source("yes", "return 0;"), method_source("no", "return 1;")),
        counts={"changed": 2},
    ),
    single_file_event(
        "the old name calls the new one",
        ORIGINAL_FILE,
        java_file(
            "A",
            method_source("total"),
            method_source("compute", "return total(n);", head="@Deprecated int"),
        ),
        counts={"changed": 1, "new": 1, "delegates": 1},
    ),
    single_file_event(
        "one method is removed, another added",
        ORIGINAL_FILE,
        java_file("A", method_source("join", JOIN_BODY)),
        counts={"removed": 1, "new": 1},
    ),
    single_file_event(
        "two at once",
        java_file("A", method_source("compute"), method_source("join", JOIN_BODY)),
        java_file("A", method_source("total"), method_source("glue", JOIN_BODY)),
        PLAIN_RENAME,
        ExpectedRename("join", "glue"),
    ),
]

TYPE_EVENTS = [
    single_file_event(
        "an anonymous class",
        java_file("A", "Object o = new Thing() { int f(int n) { return n + 1; } };"),
        java_file("A", "Object o = new Thing() { int g(int n) { return n + 1; } };"),
        ExpectedRename("f", "g", "anonymous first-subtoken"),
    ),
    single_file_event(
        "a class without a name, another before it",
        java_file("A", "Object o = new Thing() { int f(int n) { return n + 1; } };"),
        java_file(
            "A",
            "Object p = new Other() { };",
            "Object o = new Thing() { int g(int n) { return n + 1; } };",
        ),
        ExpectedRename("f", "g", "anonymous first-subtoken"),
    ),
    single_file_event(
        "an enum's constant",
        "enum E { ONE { int f(int n) { return n + 1; } } }",
        "enum E { ONE { int g(int n) { return n + 1; } } }",
        ExpectedRename("f", "g", "anonymous first-subtoken"),
    ),
    single_file_event(
        "an enum",
        "enum E { ONE; int compute(int n) { return n + 1; } }",
        "enum E { ONE; int total(int n) { return n + 1; } }",
        PLAIN_RENAME,
    ),
    single_file_event(
        "a record",
        "record R(int a) { int compute(int n) { return n + a; } }",
        "record R(int a) { int total(int n) { return n + a; } }",
        PLAIN_RENAME,
    ),
    single_file_event(
        "a nested class",
        f"class A {{ static class B {{ {method_source('compute')} }} }}",
        f"class A {{ static class B {{ {method_source('total')} }} }}",
        PLAIN_RENAME,
    ),
    single_file_event(
        "a constructor is no method",
        java_file("A", "A(int n) { this.n = n; }"),
        java_file("B", "B(int n) { this.n = n; }"),
    ),
    single_file_event(
        "an annotation's element is no method",
        "@interface N { String text(); }",
        "@interface N { String value(); }",
    ),
    single_file_event(
        "a field is no method",
        java_file("A", "int a = 1;"),
        java_file("A", "int b = 1;"),
    ),
]

SINGLE_COMMIT_EVENTS = [
    *NAME_EVENTS,
    *BODY_EVENTS,
    *PLACE_EVENTS,
    *OVERLOAD_EVENTS,
    *HEADER_EVENTS,
    *COMBINED_EVENTS,
    *TYPE_EVENTS,
]


def symbolic_link(target: str) -> tuple[bytes, FileMode]:
    return target.encode(), FileMode.LINK
