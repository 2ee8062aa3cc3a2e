"""Null dereferences, found from source across methods.

``facts`` is made of each file by itself; ``solve`` runs the methods of a project bottom-up over
its call graph and gives reports; ``analyse`` does all of it for sources in memory.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls.facts import Facts, facts
from codeacumen.languages.java.nulls.report import Report, Step
from codeacumen.languages.java.nulls.solve import analyse, solve

__all__ = ["Facts", "Report", "Step", "analyse", "facts", "solve"]
