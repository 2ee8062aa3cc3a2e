"""The **text** view: a method's source as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acumen.api import Json, Table
from acumen.lang.java.file import JavaFile
from acumen.lang.lines import lines_of
from acumen.registry import view


@view("text", summary="the method's source as it is written")
class TextView:
    name = "text"
    # The text stands in the store's table of methods.
    tables: tuple[Table, ...] = ()
    compats: Mapping[str, str] = {"gluecode": "lines, with their ends, joined by a comma"}

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return method["text"]

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        text = file.syntax.text(file.declarations.methods[place].node)
        return ", ".join(lines_of(text))
