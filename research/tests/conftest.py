"""Fixtures that these tests share with the package's tests."""

from conftest import codeacumen_here, examples_corpus, home, shared_folder, warm_python

__all__ = ["codeacumen_here", "examples_corpus", "home", "shared_folder", "warm_python"]
