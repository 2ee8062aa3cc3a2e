"""Fixtures of the package's tests that these tests use too."""

from conftest import codeacumen_here, examples_corpus, home, shared_folder, warm_python

__all__ = ["codeacumen_here", "examples_corpus", "home", "shared_folder", "warm_python"]
