"""Find methods of a corpus by name."""

from __future__ import annotations

from codeacumen.corpus.store import Corpus
from codeacumen.corpus.stored import Row

_SQL = """
select method_id, project, path, line, type, signature from methods
where (name = ? and kind not like '%constructor' or ? and kind like '%constructor')
and (? = '' or type = ? or type like '%.' || ?)
order by project, path, line limit ?
"""


def find_methods(corpus: Corpus, name: str, limit: int) -> list[Row]:
    """Return the first methods with a name or with ``Type.name``, by project, path and line.

    A constructor is ``Type.<init>`` or ``Type.Type``.
    """
    owner, _, short_name = name.rpartition(".")
    are_constructors = short_name == "<init>" or short_name == owner.rpartition(".")[2]
    parameters = [short_name, are_constructors, owner, owner, owner, limit]
    return [dict(row) for row in corpus.query(_SQL, parameters).to_pylist()]


def is_method_id(text: str) -> bool:
    """Return whether a text has the form of a method's id."""
    return len(text) == 36 and text.count("-") == 4
