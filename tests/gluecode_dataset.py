"""A GLUECode data set written by hand: five tasks, three training projects, one for dev and six for
test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codeacumen.core.files import sha256_of
from codeacumen.datasets.built import SCHEMA

TRAIN = ("alpha", "beta", "gamma")
DEV = ("delta",)
TEST = ("epsilon", "zeta", "eta", "theta", "iota", "kappa")

Row = dict[str, Any]

NPATH = (
    ("1", "void m{n}() {{ run(value{n}); }}"),
    ("2", "void m{n}() {{ if (value{n} > 0) {{ run(); }} }}"),
    ("4", "void m{n}() {{ if (value{n} > 0) {{ run(); }} if (other{n}) {{ stop(); }} }}"),
)
OPERATORS = (
    ("<", "int m{n}(int n) {{ for (int i = 0; i <MASK> n; i++) run(i); return {n}; }}"),
    ("!=", "void m{n}(Object x{n}) {{ if (x{n} <MASK> null) {{ run(x{n}); }} }}"),
    ("+", 'String m{n}(String s) {{ return "value{n}: " <MASK> s; }}'),
)
NAMING = (
    ("getSize", "int METHOD_NAME() {{ return size{n}; }}"),
    ("close", "void METHOD_NAME() throws IOException {{ stream{n}.close(); }}"),
)
# Each with its origin, the receiver's type, the number of arguments, and the candidates.
COMPLETION = (
    (
        "add",
        "void m{n}(List list, Object o) {{ list.<MASK>(o); }}",
        "library",
        "java.util.List",
        1,
        ["add", "contains", "remove"],
    ),
    (
        "append",
        'void m{n}(StringBuilder b) {{ b.<MASK>("{n}"); }}',
        "library",
        "java.lang.StringBuilder",
        1,
        ["append", "delete"],
    ),
)
NULLTOKEN = (
    ("text", "void m{n}() {{ String text = null; use({n}); text.trim(); }}"),
    ("get", "int m{n}(Map map) {{ return map.get({n}).size(); }}"),
    ("<none>", "int m{n}(int i) {{ return i + {n}; }}"),
)


def write_methods(folder: Path, train: Sequence[str] = TRAIN, **changes: Any) -> Path:
    """Write the folder that `codeacumen dataset build gluecode` would write, with ``changes`` to
    its ``dataset.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: Mapping[str, list[Row]] = {
        "npath": [],
        "operators": [],
        "naming": [],
        "completion": [],
        "nulltoken": [],
    }
    splits = {**dict.fromkeys(train, "train"), **dict.fromkeys(DEV, "dev")}
    plain = {"npath": NPATH, "operators": OPERATORS, "naming": NAMING, "nulltoken": NULLTOKEN}
    for number, project in enumerate((*train, *DEV, *TEST)):
        common_fields = {
            "project": project,
            "split": splits.get(project, "test"),
            "path": "A.java",
            "line": 1,
            "type": "A",
            "near_duplicate": False,
        }
        for task, patterns in plain.items():
            for number_in_task, (label, text) in enumerate(patterns):
                id_ = f"{task}-{project}-{number_in_task}"
                label_and_text = {"label": label, "text": text.format(n=number)}
                rows[task].append({"id": id_, **common_fields, **label_and_text})
        rows["completion"] += [
            *make_library_calls(project, number, common_fields),
            make_project_call(project, common_fields),
        ]
    for task, task_rows in rows.items():
        (folder / f"{task}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in task_rows))
    about = {
        "family": "gluecode",
        "schema": SCHEMA,
        "kinds": {task: f"what about {task}?" for task in rows},
        "settings": {},
        "counts": {},
        "files": {f"{task}.jsonl": sha256_of(folder / f"{task}.jsonl") for task in rows},
        **changes,
    }
    (folder / "dataset.json").write_text(json.dumps(about))
    return folder


def make_library_calls(project: str, number: int, common_fields: Row) -> list[Row]:
    return [
        {
            "id": f"completion-{project}-{place}",
            **common_fields,
            "label": label,
            "text": text.format(n=number),
            "origin": origin,
            "receiver": receiver,
            "arguments": arguments,
            "candidates": candidates,
            "static": False,
        }
        for place, (label, text, origin, receiver, arguments, candidates) in enumerate(COMPLETION)
    ]


def make_project_call(project: str, common_fields: Row) -> Row:
    """Return a call that only the project's own classes determine."""
    name = f"ring{project.capitalize()}"
    return {
        "id": f"completion-{project}-own",
        **common_fields,
        "label": name,
        "text": "void m(Bell bell) { bell.<MASK>(); }",
        "origin": "project",
        "receiver": f"{project}.Bell",
        "arguments": 0,
        "candidates": [name],
        "static": False,
    }
