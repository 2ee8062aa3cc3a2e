"""Calls: what each call of a project's source may reach, by class-hierarchy analysis.

``facts`` is made of each file by itself; a ``Project`` links the files' facts.
"""

from __future__ import annotations

from acumen.lang.java.calls.facts import Facts, facts
from acumen.lang.java.calls.link import Call, Project
from acumen.lang.java.calls.world import Platform, platform

__all__ = ["Call", "Facts", "Platform", "Project", "facts", "platform"]
