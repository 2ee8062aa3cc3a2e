"""Events that take several files, several commits or several branches, or that no parser likes."""

from __future__ import annotations

from pygit2.enums import FileMode

from renames.events import (
    AT_ONCE,
    JOIN,
    KEEP,
    RENAMED,
    SUM,
    A,
    B,
    Event,
    Found,
    Merge,
    java,
    link,
    method,
    simple,
)

# Long enough that half of it stays when one method changes, whoever counts.
LONG_A = java(
    "A", *(method(f"f{i}", f"return {i} * n + {i};") for i in range(9)), method("compute")
)
LONG_B = LONG_A.replace("compute", "total")
MOVED = Found("compute", "total", "moved first-subtoken")
C = A.replace("class A", "class C")
D = B.replace("class A", "class C")
NESTED = f"static class B {{ {method('join', JOIN)} {method('compute')} }}"

MOVES = [
    Event("a file moves", {"A.java": A}, [{"A.java": None, "sub/A.java": A}]),
    Event(
        "a file moves, and a rename",
        {"A.java": LONG_A},
        [{"A.java": None, "sub/A.java": LONG_B}],
        [MOVED],
    ),
    Event("a class is renamed", {"A.java": A}, [{"A.java": None, "C.java": C}]),
    Event(
        "a class is renamed, and a method",
        {"A.java": LONG_A},
        [{"A.java": None, "C.java": LONG_B.replace("class A", "class C")}],
        [MOVED],
    ),
    Event(
        "a class is renamed that bodies name",
        {"A.java": A, "B.java": java("B", method("f", "return new A().keep(n);"))},
        [
            {
                "A.java": None,
                "C.java": C,
                "B.java": java("B", method("f", "return new C().keep(n);")),
            }
        ],
    ),
    simple(
        "a nested class is renamed, and a method",
        java("A", NESTED),
        java("A", NESTED.replace("class B", "class N").replace("compute", "total")),
        MOVED,
    ),
    Event(
        "a method moves",
        {"A.java": A, "B.java": java("B")},
        [{"A.java": java("A"), "B.java": java("B", method("compute"))}],
        counts={"moved": 1},
    ),
    Event(
        "a method moves and is renamed",
        {"A.java": A, "B.java": java("B")},
        [{"A.java": java("A"), "B.java": java("B", method("total"))}],
        [MOVED],
    ),
    Event(
        "a method moves to a new file",
        {"A.java": java("A", method("compute"), method("f", JOIN))},
        [{"A.java": java("A", method("f", JOIN)), "B.java": f"class B {{ {method('compute')} }}"}],
        counts={"moved": 1},
    ),
    Event(
        "a nested class gets its own file, and a rename",
        {"A.java": java("A", NESTED)},
        [{"A.java": java("A"), "B.java": NESTED[7:].replace("compute", "total")}],
        [MOVED],
    ),
    Event("a file is deleted", {"A.java": A, "B.java": java("B")}, [{"A.java": None}]),
    Event("a file is new", {"A.java": A}, [{"B.java": java("B", method("total"))}]),
    Event("a file is copied", {"A.java": A}, [{"B.java": B}]),
]

LATER = [
    simple(
        "taken back",
        A,
        B,
        Found("compute", "total", "reverted first-subtoken", False),
        Found("total", "compute", "reverts first-subtoken"),
        later=[{"A.java": A}],
    ),
    simple(
        "renamed again",
        A,
        B,
        Found("compute", "total", "again first-subtoken", False),
        Found("total", "sum"),
        later=[{"A.java": java("A", method("sum"))}],
    ),
    simple(
        "renamed again, then taken back",
        A,
        B,
        Found("compute", "total", "again reverted first-subtoken", False),
        Found("total", "sum", "again first-subtoken", False),
        Found("sum", "compute", "reverts first-subtoken"),
        later=[{"A.java": java("A", method("sum"))}, {"A.java": A}],
    ),
    simple(
        "body changed later",
        A,
        B,
        Found("compute", "total", body_stable=False),
        later=[{"A.java": java("A", method("total", JOIN))}],
        counts={"changed": 1},
        stable=True,
    ),
    simple(
        "body changed and changed back",
        A,
        B,
        Found("compute", "total", body_stable=False),
        later=[{"A.java": java("A", method("total", JOIN))}, {"A.java": B}],
        counts={"changed": 2},
    ),
    simple(
        "another body changed later",
        A,
        B,
        RENAMED,
        later=[{"A.java": B.replace("n * 3", "n * 4")}],
        counts={"changed": 1},
        stable=False,
    ),
    simple(
        "another method renamed later",
        A,
        B,
        RENAMED,
        Found("keep", "hold"),
        later=[{"A.java": B.replace("keep", "hold")}],
        stable=False,
    ),
    simple(
        "file deleted later",
        A,
        B,
        Found("compute", "total", name_stable=None, body_stable=None),
        later=[{"A.java": None}],
        stable=False,
    ),
    simple(
        "method deleted later",
        A,
        B,
        Found("compute", "total", name_stable=None, body_stable=None),
        later=[{"A.java": java("A")}],
        counts={"gone": 1},
        stable=True,
    ),
    simple(
        "file moved later", A, B, RENAMED, later=[{"A.java": None, "sub/A.java": B}], stable=True
    ),
    simple(
        "class renamed later", A, B, RENAMED, later=[{"A.java": None, "C.java": D}], stable=True
    ),
    simple(
        "parameter changed later",
        A,
        B,
        RENAMED,
        later=[{"A.java": java("A", method("total", parameters="short n"))}],
        counts={"signature": 1},
    ),
    simple(
        "renamed and changed later",
        A,
        B,
        Found("compute", "total", "again first-subtoken", False, False),
        later=[{"A.java": java("A", method("sum", SUM.replace("i = 0", "i = 1")))}],
        counts={"rewritten": 1},
    ),
    Event(
        "moved to another class later",
        {"A.java": A, "B.java": java("B")},
        [{"A.java": B}, {"A.java": java("A"), "B.java": java("B", method("total"))}],
        [RENAMED],
        counts={"moved": 1},
    ),
    Event(
        "what it calls is renamed later",
        {
            "A.java": java("A", method("compute", "return open(n) + 1;")),
            "B.java": java("B", method("open")),
        },
        [
            {"A.java": java("A", method("total", "return open(n) + 1;"))},
            {
                "A.java": java("A", method("total", "return start(n) + 1;")),
                "B.java": java("B", method("start")),
            },
        ],
        [RENAMED, Found("open", "start")],
    ),
    Event(
        "a class it names is renamed later",
        {"A.java": java("A", method("compute", "return new B().keep(n);")), "B.java": java("B")},
        [
            {"A.java": java("A", method("total", "return new B().keep(n);"))},
            {
                "A.java": java("A", method("total", "return new E().keep(n);")),
                "B.java": None,
                "E.java": java("E"),
            },
        ],
        [RENAMED],
    ),
    Event(
        "a file goes and comes back",
        {"A.java": A},
        [{"A.java": B}, {"A.java": None}, {"A.java": B}],
        [RENAMED],
    ),
]

OTHER = java("B", method("f"))
MERGES = [
    Event(
        "a branch renames",
        {"A.java": A, "B.java": java("B")},
        [Merge([{"A.java": B}], [{"B.java": OTHER}], {"A.java": B})],
        [RENAMED],
        {"new": 1},
    ),
    Event(
        "a merge of nothing of its own",
        {"A.java": A},
        [Merge([{"B.java": OTHER}], [{"A.java": B}], {"B.java": OTHER})],
        [RENAMED],
    ),
    Event(
        "both branches rename alike",
        {"A.java": A},
        [Merge([{"A.java": B}], [{"A.java": B}])],
        [RENAMED, RENAMED],
    ),
    Event(
        "a merge renames",
        {"A.java": java("A", method("compute"), "int a;", method("f", "return 1;"))},
        [
            Merge(
                [{"A.java": java("A", method("compute"), "int a;", method("f", "return 2;"))}],
                [{"A.java": java("A", method("compute"), "int b;", method("f", "return 1;"))}],
                {"A.java": java("A", method("total"), "int b;", method("f", "return 2;"))},
            )
        ],
        [Found("compute", "total", "merge first-subtoken")],
        {"changed": 1},
    ),
    Event(
        "a branch changes the body meanwhile",
        {"A.java": A},
        [
            Merge(
                [{"A.java": java("A", method("compute", JOIN))}],
                [{"A.java": B}],
                {"A.java": java("A", method("total", JOIN))},
            )
        ],
        [Found("compute", "total", body_stable=False)],
        {"changed": 1},
    ),
    Event(
        "a branch moves the file meanwhile",
        {"A.java": LONG_A},
        [
            Merge(
                [{"A.java": None, "sub/A.java": LONG_A}],
                [{"A.java": LONG_B}],
                {"A.java": None, "sub/A.java": LONG_B},
            )
        ],
        [RENAMED],
    ),
    Event(
        "a merge loses the rename",
        {"A.java": A},
        [Merge([{"B.java": OTHER}], [{"A.java": B}], {"B.java": OTHER, "A.java": A})],
        [Found("compute", "total", name_stable=None, body_stable=None)],
    ),
]

GERMAN = "class A {{ // größer\n {} {} }}\n"
ODD = [
    simple("broken", A, B[:-3], counts={"files: broken": 1}),
    simple(
        "broken, mended under another name",
        A,
        B[:-3],
        later=[{"A.java": B}],
        counts={"files: broken": 2},
    ),
    Event(
        "Latin-1",
        {"A.java": GERMAN.format(method("compute"), KEEP).encode("latin-1")},
        [{"A.java": GERMAN.format(method("total"), KEEP).encode("latin-1")}],
        [RENAMED],
    ),
    Event(
        "another encoding with the rename",
        {"A.java": GERMAN.format(method("compute"), KEEP).encode("latin-1")},
        [{"A.java": GERMAN.format(method("total"), KEEP).encode()}],
        [RENAMED],
    ),
    Event("UTF-16", {"A.java": A.encode("utf-16")}, [{"A.java": B.encode("utf-16")}], [RENAMED]),
    Event(
        "binary", {"A.java": A}, [{"A.java": bytes(range(256)) * 9}], counts={"files: binary": 1}
    ),
    Event(
        "a link",
        {"A.java": A, "L.java": link("A.java")},
        [{"A.java": B, "L.java": link("./A.java")}],
        [RENAMED],
    ),
    Event("a file becomes a link", {"A.java": A, "B.java": A}, [{"B.java": link("A.java")}]),
    Event(
        "a submodule",
        {"A.java": A, "lib.java": (bytes(range(20)), FileMode.COMMIT)},
        [{"A.java": B, "lib.java": (bytes(range(1, 21)), FileMode.COMMIT)}],
        [RENAMED],
    ),
    Event("no Java", {"README": A}, [{"README": B}]),
    Event("empty", {"A.java": ""}, [{"A.java": "\n"}, {"A.java": ""}]),
    Event(
        "too large",
        {"A.java": A},
        [{"A.java": A + " " * (9 << 20)}],
        counts={"files: too large": 1},
    ),
    Event(
        "nested deep",
        {"A.java": "class A {" * 200 + "}" * 200},
        [{"A.java": "class A {" * 200 + " " + "}" * 200}],
        counts={"files: too deep": 2},
    ),
    simple(
        "deep expressions",
        java("A", method("compute", f"return {'(' * 9999}n{')' * 9999};")),
        java("A", method("total", f"return {'(' * 9999}n{')' * 9999};")),
        RENAMED,
    ),
]

EVENTS = [*AT_ONCE, *MOVES, *LATER, *MERGES, *ODD]
