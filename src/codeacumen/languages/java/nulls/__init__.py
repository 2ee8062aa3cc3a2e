"""Interprocedural analysis of null dereferences, from source.

``facts`` translates each file by itself; ``solve`` analyses the methods of a project bottom-up
over its call graph and returns reports; ``analyse`` does both for sources in memory.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls.facts import Facts, facts
from codeacumen.languages.java.nulls.report import Report, Step
from codeacumen.languages.java.nulls.solve import analyse, solve

__all__ = ["Facts", "Report", "Step", "analyse", "facts", "solve"]
