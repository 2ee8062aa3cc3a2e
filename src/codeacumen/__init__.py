"""codeacumen measures how well a model understands code.

The functions below are loaded when they are first used; the import alone loads nothing else.
``docs/python.md`` shows them in the order of a notebook.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.interface.catalogue import (
        describe_model,
        describe_task,
        list_models,
        list_tasks,
        load_model,
        load_task,
    )
    from codeacumen.interface.corpora import build_corpus, embed_corpus, embed_lines
    from codeacumen.interface.datasets import (
        audit_dataset,
        build_dataset,
        describe_dataset,
        export_dataset,
        get_dataset,
    )
    from codeacumen.interface.evaluation import compare, evaluate, score
    from codeacumen.interface.measures import (
        find_null_dereferences,
        measure_npath,
        measure_operators,
    )
    from codeacumen.interface.names import check_names, compare_names, suggest_names
    from codeacumen.interface.renames import mine_renames
    from codeacumen.interface.results import Results, write_report
    from codeacumen.interface.training import train_embedding, train_network
    from codeacumen.interface.transformation import transform
    from codeacumen.registry import language, metric, model, network, task, view

__version__ = "0.1.0"

_MODULES = {
    "Corpus": "codeacumen.corpus",
    "Results": "codeacumen.interface.results",
    "audit_dataset": "codeacumen.interface.datasets",
    "build_corpus": "codeacumen.interface.corpora",
    "build_dataset": "codeacumen.interface.datasets",
    "check_names": "codeacumen.interface.names",
    "compare": "codeacumen.interface.evaluation",
    "compare_names": "codeacumen.interface.names",
    "describe_dataset": "codeacumen.interface.datasets",
    "describe_model": "codeacumen.interface.catalogue",
    "describe_task": "codeacumen.interface.catalogue",
    "embed_corpus": "codeacumen.interface.corpora",
    "embed_lines": "codeacumen.interface.corpora",
    "evaluate": "codeacumen.interface.evaluation",
    "export_dataset": "codeacumen.interface.datasets",
    "find_null_dereferences": "codeacumen.interface.measures",
    "get_dataset": "codeacumen.interface.datasets",
    "language": "codeacumen.registry",
    "list_models": "codeacumen.interface.catalogue",
    "list_tasks": "codeacumen.interface.catalogue",
    "load_model": "codeacumen.interface.catalogue",
    "load_task": "codeacumen.interface.catalogue",
    "measure_npath": "codeacumen.interface.measures",
    "measure_operators": "codeacumen.interface.measures",
    "metric": "codeacumen.registry",
    "mine_renames": "codeacumen.interface.renames",
    "model": "codeacumen.registry",
    "network": "codeacumen.registry",
    "score": "codeacumen.interface.evaluation",
    "suggest_names": "codeacumen.interface.names",
    "task": "codeacumen.registry",
    "train_embedding": "codeacumen.interface.training",
    "train_network": "codeacumen.interface.training",
    "transform": "codeacumen.interface.transformation",
    "view": "codeacumen.registry",
    "write_report": "codeacumen.interface.results",
}

__all__ = [
    "Corpus",
    "Results",
    "__version__",
    "audit_dataset",
    "build_corpus",
    "build_dataset",
    "check_names",
    "compare",
    "compare_names",
    "describe_dataset",
    "describe_model",
    "describe_task",
    "embed_corpus",
    "embed_lines",
    "evaluate",
    "export_dataset",
    "find_null_dereferences",
    "get_dataset",
    "language",
    "list_models",
    "list_tasks",
    "load_model",
    "load_task",
    "measure_npath",
    "measure_operators",
    "metric",
    "mine_renames",
    "model",
    "network",
    "score",
    "suggest_names",
    "task",
    "train_embedding",
    "train_network",
    "transform",
    "view",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'codeacumen' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
