"""Events with several files, commits or branches, and events with unusual files."""

from __future__ import annotations

from pygit2.enums import FileMode

from renames.events import (
    JOIN_BODY,
    KEEP_METHOD,
    ORIGINAL_FILE,
    PLAIN_RENAME,
    RENAMED_FILE,
    SINGLE_COMMIT_EVENTS,
    SUM_BODY,
    Event,
    ExpectedRename,
    Merge,
    java_file,
    method_source,
    single_file_event,
    symbolic_link,
)

# Long enough that by any measure more than half stays equal when one method changes.
LONG_ORIGINAL = java_file(
    "A",
    *(method_source(f"f{i}", f"return {i} * n + {i};") for i in range(9)),
    method_source("compute"),
)
LONG_RENAMED = LONG_ORIGINAL.replace("compute", "total")
MOVE_AND_RENAME = ExpectedRename("compute", "total", "moved first-subtoken")
CLASS_RENAMED_FILE = ORIGINAL_FILE.replace("class A", "class C")
CLASS_AND_METHOD_RENAMED_FILE = RENAMED_FILE.replace("class A", "class C")
NESTED_CLASS = f"static class B {{ {method_source('join', JOIN_BODY)} {method_source('compute')} }}"

MOVE_EVENTS = [
    Event(
        "a file moves", {"A.java": ORIGINAL_FILE}, [{"A.java": None, "sub/A.java": ORIGINAL_FILE}]
    ),
    Event(
        "a file moves, and a rename",
        {"A.java": LONG_ORIGINAL},
        [{"A.java": None, "sub/A.java": LONG_RENAMED}],
        [MOVE_AND_RENAME],
    ),
    Event(
        "a class is renamed",
        {"A.java": ORIGINAL_FILE},
        [{"A.java": None, "C.java": CLASS_RENAMED_FILE}],
    ),
    Event(
        "a class is renamed, and a method",
        {"A.java": LONG_ORIGINAL},
        [{"A.java": None, "C.java": LONG_RENAMED.replace("class A", "class C")}],
        [MOVE_AND_RENAME],
    ),
    Event(
        "a class is renamed that bodies name",
        {
            "A.java": ORIGINAL_FILE,
            "B.java": java_file("B", method_source("f", "return new A().keep(n);")),
        },
        [
            {
                "A.java": None,
                "C.java": CLASS_RENAMED_FILE,
                "B.java": java_file("B", method_source("f", "return new C().keep(n);")),
            }
        ],
    ),
    single_file_event(
        "a nested class is renamed, and a method",
        java_file("A", NESTED_CLASS),
        java_file("A", NESTED_CLASS.replace("class B", "class N").replace("compute", "total")),
        MOVE_AND_RENAME,
    ),
    Event(
        "a method moves",
        {"A.java": ORIGINAL_FILE, "B.java": java_file("B")},
        [{"A.java": java_file("A"), "B.java": java_file("B", method_source("compute"))}],
        counts={"moved": 1},
    ),
    Event(
        "a method moves and is renamed",
        {"A.java": ORIGINAL_FILE, "B.java": java_file("B")},
        [{"A.java": java_file("A"), "B.java": java_file("B", method_source("total"))}],
        [MOVE_AND_RENAME],
    ),
    Event(
        "a method moves to a new file",
        {"A.java": java_file("A", method_source("compute"), method_source("f", JOIN_BODY))},
        [
            {
                "A.java": java_file("A", method_source("f", JOIN_BODY)),
                "B.java": f"class B {{ {method_source('compute')} }}",
            }
        ],
        counts={"moved": 1},
    ),
    Event(
        "a nested class gets its own file, and a rename",
        {"A.java": java_file("A", NESTED_CLASS)},
        [{"A.java": java_file("A"), "B.java": NESTED_CLASS[7:].replace("compute", "total")}],
        [MOVE_AND_RENAME],
    ),
    Event(
        "a file is deleted", {"A.java": ORIGINAL_FILE, "B.java": java_file("B")}, [{"A.java": None}]
    ),
    Event(
        "a file is new",
        {"A.java": ORIGINAL_FILE},
        [{"B.java": java_file("B", method_source("total"))}],
    ),
    Event("a file is copied", {"A.java": ORIGINAL_FILE}, [{"B.java": RENAMED_FILE}]),
]

LATER_EVENTS = [
    single_file_event(
        "taken back",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "reverted first-subtoken", False),
        ExpectedRename("total", "compute", "reverts first-subtoken"),
        later_steps=[{"A.java": ORIGINAL_FILE}],
    ),
    single_file_event(
        "renamed again",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "again first-subtoken", False),
        ExpectedRename("total", "sum"),
        later_steps=[{"A.java": java_file("A", method_source("sum"))}],
    ),
    single_file_event(
        "renamed again, then taken back",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "again reverted first-subtoken", False),
        ExpectedRename("total", "sum", "again first-subtoken", False),
        ExpectedRename("sum", "compute", "reverts first-subtoken"),
        later_steps=[{"A.java": java_file("A", method_source("sum"))}, {"A.java": ORIGINAL_FILE}],
    ),
    single_file_event(
        "body changed later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", body_stable=False),
        later_steps=[{"A.java": java_file("A", method_source("total", JOIN_BODY))}],
        counts={"changed": 1},
        stable=True,
    ),
    single_file_event(
        "body changed and changed back",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", body_stable=False),
        later_steps=[
            {"A.java": java_file("A", method_source("total", JOIN_BODY))},
            {"A.java": RENAMED_FILE},
        ],
        counts={"changed": 2},
    ),
    single_file_event(
        "another body changed later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        PLAIN_RENAME,
        later_steps=[{"A.java": RENAMED_FILE.replace("n * 3", "n * 4")}],
        counts={"changed": 1},
        stable=False,
    ),
    single_file_event(
        "another method renamed later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        PLAIN_RENAME,
        ExpectedRename("keep", "hold"),
        later_steps=[{"A.java": RENAMED_FILE.replace("keep", "hold")}],
        stable=False,
    ),
    single_file_event(
        "file deleted later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", name_stable=None, body_stable=None),
        later_steps=[{"A.java": None}],
        stable=False,
    ),
    single_file_event(
        "method deleted later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", name_stable=None, body_stable=None),
        later_steps=[{"A.java": java_file("A")}],
        counts={"removed": 1},
        stable=True,
    ),
    single_file_event(
        "file moved later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        PLAIN_RENAME,
        later_steps=[{"A.java": None, "sub/A.java": RENAMED_FILE}],
        stable=True,
    ),
    single_file_event(
        "class renamed later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        PLAIN_RENAME,
        later_steps=[{"A.java": None, "C.java": CLASS_AND_METHOD_RENAMED_FILE}],
        stable=True,
    ),
    single_file_event(
        "parameter changed later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        PLAIN_RENAME,
        later_steps=[{"A.java": java_file("A", method_source("total", parameters="short n"))}],
        counts={"signature": 1},
    ),
    single_file_event(
        "renamed and changed later",
        ORIGINAL_FILE,
        RENAMED_FILE,
        ExpectedRename("compute", "total", "again first-subtoken", False, False),
        later_steps=[
            {"A.java": java_file("A", method_source("sum", SUM_BODY.replace("i = 0", "i = 1")))}
        ],
        counts={"rewritten": 1},
    ),
    Event(
        "moved to another class later",
        {"A.java": ORIGINAL_FILE, "B.java": java_file("B")},
        [
            {"A.java": RENAMED_FILE},
            {"A.java": java_file("A"), "B.java": java_file("B", method_source("total"))},
        ],
        [PLAIN_RENAME],
        counts={"moved": 1},
    ),
    Event(
        "the called method is renamed later",
        {
            "A.java": java_file("A", method_source("compute", "return open(n) + 1;")),
            "B.java": java_file("B", method_source("open")),
        },
        [
            {"A.java": java_file("A", method_source("total", "return open(n) + 1;"))},
            {
                "A.java": java_file("A", method_source("total", "return start(n) + 1;")),
                "B.java": java_file("B", method_source("start")),
            },
        ],
        [PLAIN_RENAME, ExpectedRename("open", "start")],
    ),
    Event(
        "a class it names is renamed later",
        {
            "A.java": java_file("A", method_source("compute", "return new B().keep(n);")),
            "B.java": java_file("B"),
        },
        [
            {"A.java": java_file("A", method_source("total", "return new B().keep(n);"))},
            {
                "A.java": java_file("A", method_source("total", "return new E().keep(n);")),
                "B.java": None,
                "E.java": java_file("E"),
            },
        ],
        [PLAIN_RENAME],
    ),
    Event(
        "a file is deleted and restored",
        {"A.java": ORIGINAL_FILE},
        [{"A.java": RENAMED_FILE}, {"A.java": None}, {"A.java": RENAMED_FILE}],
        [PLAIN_RENAME],
    ),
]

OTHER_FILE = java_file("B", method_source("f"))
MERGE_EVENTS = [
    Event(
        "a branch renames",
        {"A.java": ORIGINAL_FILE, "B.java": java_file("B")},
        [Merge([{"A.java": RENAMED_FILE}], [{"B.java": OTHER_FILE}], {"A.java": RENAMED_FILE})],
        [PLAIN_RENAME],
        {"new": 1},
    ),
    Event(
        "a merge without own changes",
        {"A.java": ORIGINAL_FILE},
        [Merge([{"B.java": OTHER_FILE}], [{"A.java": RENAMED_FILE}], {"B.java": OTHER_FILE})],
        [PLAIN_RENAME],
    ),
    Event(
        "both branches make the same rename",
        {"A.java": ORIGINAL_FILE},
        [Merge([{"A.java": RENAMED_FILE}], [{"A.java": RENAMED_FILE}])],
        [PLAIN_RENAME, PLAIN_RENAME],
    ),
    Event(
        "a merge renames",
        {
            "A.java": java_file(
                "A", method_source("compute"), "int a;", method_source("f", "return 1;")
            )
        },
        [
            Merge(
                [
                    {
                        "A.java": java_file(
                            "A", method_source("compute"), "int a;", method_source("f", "return 2;")
                        )
                    }
                ],
                [
                    {
                        "A.java": java_file(
                            "A", method_source("compute"), "int b;", method_source("f", "return 1;")
                        )
                    }
                ],
                {
                    "A.java": java_file(
                        "A", method_source("total"), "int b;", method_source("f", "return 2;")
                    )
                },
            )
        ],
        [ExpectedRename("compute", "total", "merge first-subtoken")],
        {"changed": 1},
    ),
    Event(
        "a branch changes the body meanwhile",
        {"A.java": ORIGINAL_FILE},
        [
            Merge(
                [{"A.java": java_file("A", method_source("compute", JOIN_BODY))}],
                [{"A.java": RENAMED_FILE}],
                {"A.java": java_file("A", method_source("total", JOIN_BODY))},
            )
        ],
        [ExpectedRename("compute", "total", body_stable=False)],
        {"changed": 1},
    ),
    Event(
        "a branch moves the file meanwhile",
        {"A.java": LONG_ORIGINAL},
        [
            Merge(
                [{"A.java": None, "sub/A.java": LONG_ORIGINAL}],
                [{"A.java": LONG_RENAMED}],
                {"A.java": None, "sub/A.java": LONG_RENAMED},
            )
        ],
        [PLAIN_RENAME],
    ),
    Event(
        "a merge loses the rename",
        {"A.java": ORIGINAL_FILE},
        [
            Merge(
                [{"B.java": OTHER_FILE}],
                [{"A.java": RENAMED_FILE}],
                {"B.java": OTHER_FILE, "A.java": ORIGINAL_FILE},
            )
        ],
        [ExpectedRename("compute", "total", name_stable=None, body_stable=None)],
    ),
]

LATIN_1_CLASS = "class A {{ // größer\n {} {} }}\n"
ODD_EVENTS = [
    single_file_event("broken", ORIGINAL_FILE, RENAMED_FILE[:-3], counts={"files: broken": 1}),
    single_file_event(
        "broken, mended under another name",
        ORIGINAL_FILE,
        RENAMED_FILE[:-3],
        later_steps=[{"A.java": RENAMED_FILE}],
        counts={"files: broken": 2},
    ),
    Event(
        "Latin-1",
        {"A.java": LATIN_1_CLASS.format(method_source("compute"), KEEP_METHOD).encode("latin-1")},
        [{"A.java": LATIN_1_CLASS.format(method_source("total"), KEEP_METHOD).encode("latin-1")}],
        [PLAIN_RENAME],
    ),
    Event(
        "another encoding with the rename",
        {"A.java": LATIN_1_CLASS.format(method_source("compute"), KEEP_METHOD).encode("latin-1")},
        [{"A.java": LATIN_1_CLASS.format(method_source("total"), KEEP_METHOD).encode()}],
        [PLAIN_RENAME],
    ),
    Event(
        "UTF-16",
        {"A.java": ORIGINAL_FILE.encode("utf-16")},
        [{"A.java": RENAMED_FILE.encode("utf-16")}],
        [PLAIN_RENAME],
    ),
    Event(
        "binary",
        {"A.java": ORIGINAL_FILE},
        [{"A.java": bytes(range(256)) * 9}],
        counts={"files: binary": 1},
    ),
    Event(
        "a link",
        {"A.java": ORIGINAL_FILE, "L.java": symbolic_link("A.java")},
        [{"A.java": RENAMED_FILE, "L.java": symbolic_link("./A.java")}],
        [PLAIN_RENAME],
    ),
    Event(
        "a file becomes a link",
        {"A.java": ORIGINAL_FILE, "B.java": ORIGINAL_FILE},
        [{"B.java": symbolic_link("A.java")}],
    ),
    Event(
        "a submodule",
        {"A.java": ORIGINAL_FILE, "lib.java": (bytes(range(20)), FileMode.COMMIT)},
        [{"A.java": RENAMED_FILE, "lib.java": (bytes(range(1, 21)), FileMode.COMMIT)}],
        [PLAIN_RENAME],
    ),
    Event("no Java", {"README": ORIGINAL_FILE}, [{"README": RENAMED_FILE}]),
    Event("empty", {"A.java": ""}, [{"A.java": "\n"}, {"A.java": ""}]),
    Event(
        "too large",
        {"A.java": ORIGINAL_FILE},
        [{"A.java": ORIGINAL_FILE + " " * (9 << 20)}],
        counts={"files: too large": 1},
    ),
    Event(
        "nested deep",
        {"A.java": "class A {" * 200 + "}" * 200},
        [{"A.java": "class A {" * 200 + " " + "}" * 200}],
        counts={"files: too deep": 2},
    ),
    single_file_event(
        "deep expressions",
        java_file("A", method_source("compute", f"return {'(' * 9999}n{')' * 9999};")),
        java_file("A", method_source("total", f"return {'(' * 9999}n{')' * 9999};")),
        PLAIN_RENAME,
    ),
]

EVENTS = [*SINGLE_COMMIT_EVENTS, *MOVE_EVENTS, *LATER_EVENTS, *MERGE_EVENTS, *ODD_EVENTS]
