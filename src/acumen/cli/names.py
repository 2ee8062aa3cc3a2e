"""``acumen names``: renames mined, made into a benchmark, and names checked."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from acumen.cli._app import Verb, verbs

app = verbs("Check method names; mine renames from history and reviews.")

for _verb in ("check", "calibrate", "learn", "mine", "reviews", "dataset"):
    if find_spec(f"acumen.cli._names_{_verb}") is not None:
        _module = import_module(f"acumen.cli._names_{_verb}")
        app.command(_verb, cls=Verb)(getattr(_module, _verb))
