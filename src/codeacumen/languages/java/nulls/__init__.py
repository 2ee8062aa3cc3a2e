"""Interprocedural analysis of null dereferences, from source.

``extract_facts`` translates each file by itself; ``solve_project`` analyses the methods of a
project bottom-up over its call graph and returns reports; ``analyse_sources`` does both for sources
in memory.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls.facts import NullFacts, extract_facts
from codeacumen.languages.java.nulls.report import Report, Step
from codeacumen.languages.java.nulls.solve import analyse_sources, solve_project

__all__ = ["NullFacts", "Report", "Step", "analyse_sources", "extract_facts", "solve_project"]
