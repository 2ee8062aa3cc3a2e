"""Where a corpus comes from: projects, and their files.

``projects`` turns what a person names (a folder, a zip, ``git:``, ``debian:``, ``npm:``, a recipe)
into projects whose files any process can list and read.
"""

from codeacumen.corpus.sources.find import FORMS, projects
from codeacumen.corpus.sources.project import Entry, Project

__all__ = ["FORMS", "Entry", "Project", "projects"]
