"""Statistics of a corpus, for ``codeacumen corpus show`` and the report."""

from __future__ import annotations

from typing import Any

from codeacumen.api import Json
from codeacumen.corpus.store import Corpus

_PROJECTS = """
select p.project, p.split, p.revision, f.files, f.lines, f.bytes, t.types, m.methods, m.bodies,
       m.javadoc, c.calls, c.inside, c.ambiguous,
       coalesce(list_distinct([l.licence for l in p.licences]), []) as licences
from projects p
left join (select project, count(*) files, sum(lines)::bigint lines, sum(bytes)::bigint bytes
           from files group by 1) f using (project)
left join (select project, count(*) types from types group by 1) t using (project)
left join (select project, count(*) methods, count(*) filter (body) bodies,
                  count(*) filter (body and javadoc <> '') javadoc
           from methods group by 1) m using (project)
left join (select project, count(*) calls, count(*) filter (inside) inside,
                  count(*) filter (ambiguous) ambiguous from calls group by 1) c using (project)
order by p.project
"""
_SIZES = """
select quantile_disc(end_line - line + 1, [0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1]) as lines
from methods where body
"""


def compute_stats(corpus: Corpus) -> Json:
    """Return counts by project and by split, quantiles of the methods' lines, and problems."""
    projects = _query_rows(corpus, _PROJECTS)
    for row in projects:
        for key, value in row.items():
            if value is None:
                row[key] = 0
    return {
        "totals": corpus.manifest.counts,
        "projects": projects,
        "splits": _count_by(corpus, "split", "projects"),
        "methods_by_split": _count_by(corpus, "split", "methods where body"),
        "method_kinds": _count_by(corpus, "kind", "methods"),
        "type_kinds": _count_by(corpus, "kind", "types"),
        "lines_of_a_method": _query_method_sizes(corpus),
        "languages": _count_by(corpus, "language", "files"),
        "origins": _count_by(corpus, "origin", "files"),
        "encodings": _count_by(corpus, "encoding", "files"),
        "problems": count_problems(corpus),
    }


def _query_method_sizes(corpus: Corpus) -> Json:
    """Return quantiles of the number of lines of methods with a body; empty if there are none."""
    quantiles = _query_rows(corpus, _SIZES)[0]["lines"]
    names = ("5 %", "25 %", "median", "75 %", "95 %", "99 %", "largest")
    return dict(zip(names, quantiles, strict=True)) if quantiles else {}


def count_problems(corpus: Corpus) -> list[Json]:
    """Return each kind of problem with the number of files and of skipped files that have it."""
    return _query_rows(
        corpus,
        "select kind, count(*) as files, count(*) filter (skipped) as skipped from problems "
        "group by 1 order by 2 desc, 1",
    )


def _count_by(corpus: Corpus, column: str, table: str) -> dict[str, int]:
    """Return the number of rows for each value of a column, most frequent first.

    ``table`` may be followed by a condition.
    """
    rows = _query_rows(
        corpus, f"select {column} as name, count(*) as n from {table} group by 1 order by 2 desc, 1"
    )
    return {str(row["name"]): row["n"] for row in rows}


def _query_rows(corpus: Corpus, sql: str) -> list[dict[str, Any]]:
    return [dict(row) for row in corpus.query(sql).to_pylist()]
