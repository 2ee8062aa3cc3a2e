"""codeacumen measures how well a model understands code.

The functions below are loaded when they are first used; the import alone loads nothing else.
``docs/python.md`` shows them in the order of a notebook.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.interface import (
        Results,
        build_corpus,
        compare,
        evaluate,
        list_models,
        list_tasks,
        load_model,
        load_task,
    )
    from codeacumen.registry import model, task, view

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "Results",
    "__version__",
    "build_corpus",
    "compare",
    "evaluate",
    "list_models",
    "list_tasks",
    "load_model",
    "load_task",
    "model",
    "task",
    "view",
]

_MODULES = {
    "Corpus": "codeacumen.corpus",
    "model": "codeacumen.registry",
    "task": "codeacumen.registry",
    "view": "codeacumen.registry",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'codeacumen' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES.get(name, "codeacumen.interface")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
