"""The registry of models, tasks, views, metrics, networks and languages.

Modules of codeacumen register their models, tasks and so on with the decorators of
``registry.entries`` when they are imported. Other packages declare entry points in the groups
``codeacumen.models``, ``codeacumen.tasks`` and so on; the registry lists these by name and imports
them only when they are used. A single Python file is a plug-in too (``--plugin FILE``).
"""

from codeacumen.registry.code_hash import hash_code, hash_modules, hash_packages
from codeacumen.registry.entries import (
    BrokenError,
    Entry,
    Kind,
    check_task_name,
    language,
    metric,
    model,
    network,
    task,
    view,
)
from codeacumen.registry.lookup import (
    find_entry,
    list_benchmarks,
    list_data_families,
    list_input_levels,
    list_loadable_names,
    list_loaded_plugins,
    list_names,
    list_recipes,
    list_report_modules,
    list_summaries,
    list_task_groups,
    load_plugin,
    select_tasks,
)
from codeacumen.registry.make import (
    LoadedModel,
    check_model,
    compute_fingerprint,
    list_broken_metrics,
    make_metrics,
    make_model,
    make_task,
    make_view,
    parse_reference,
)

__all__ = [
    "BrokenError",
    "Entry",
    "Kind",
    "LoadedModel",
    "check_model",
    "check_task_name",
    "compute_fingerprint",
    "find_entry",
    "hash_code",
    "hash_modules",
    "hash_packages",
    "language",
    "list_benchmarks",
    "list_broken_metrics",
    "list_data_families",
    "list_input_levels",
    "list_loadable_names",
    "list_loaded_plugins",
    "list_names",
    "list_recipes",
    "list_report_modules",
    "list_summaries",
    "list_task_groups",
    "load_plugin",
    "make_metrics",
    "make_model",
    "make_task",
    "make_view",
    "metric",
    "model",
    "network",
    "parse_reference",
    "select_tasks",
    "task",
    "view",
]
