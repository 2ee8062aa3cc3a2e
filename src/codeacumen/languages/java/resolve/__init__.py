"""The methods that each call of a project's source may run, by class-hierarchy analysis.

``extract_facts`` needs one file only; a ``JavaProject`` links the facts of its files.
"""

from __future__ import annotations

from codeacumen.languages.java.resolve.facts import FileFacts, extract_facts
from codeacumen.languages.java.resolve.link import Call, JavaProject
from codeacumen.languages.java.resolve.world import Platform, load_platform

__all__ = ["Call", "FileFacts", "JavaProject", "Platform", "extract_facts", "load_platform"]
