"""Calls: what each call of a project's source may reach, by class-hierarchy analysis.

``facts`` is made of each file by itself; a ``Project`` links the files' facts.
"""

from __future__ import annotations

from codeacumen.languages.java.resolve.facts import Facts, facts
from codeacumen.languages.java.resolve.link import Call, Project
from codeacumen.languages.java.resolve.world import Platform, platform

__all__ = ["Call", "Facts", "Platform", "Project", "facts", "platform"]
