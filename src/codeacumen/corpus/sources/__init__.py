"""Sources of a corpus: projects and their files.

``find_projects`` turns the sources that a user names (a folder, a zip, ``git:``, ``debian:``,
``npm:``, a recipe) into projects whose files any process can list and read.
"""

from codeacumen.corpus.sources.find import FORMS, find_projects
from codeacumen.corpus.sources.project import Entry, Project

__all__ = ["FORMS", "Entry", "Project", "find_projects"]
