"""``acumen train names``: the lexicon of the model ``acumen-names``."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from acumen.cli._corpora import corpus_of
from acumen.cli._show import progress_bar, say

if TYPE_CHECKING:
    from acumen.models.names.learn.build import Settings


def train_names(
    sources: Sequence[str], wordnet: Path | None, texts: Sequence[Path], out: Path,
    without: Sequence[str], settings: Settings, workers: int,
) -> None:  # fmt: skip
    from acumen.api import AcumenError
    from acumen.datasets import acumen_home
    from acumen.engines import engine as make_engine
    from acumen.files import write_atomically
    from acumen.models.names.learn.build import INGREDIENTS
    from acumen.models.names.learn.train import FILE, train
    from acumen.models.names.lexicon import packed

    if wordnet is None:
        raise AcumenError(
            "names are learned with WordNet",
            "--wordnet DIR; scripts/names_resources.py fetches it and texts",
        )
    if wrong := sorted(set(without) - set(INGREDIENTS)):
        raise AcumenError(
            f"there is no ingredient called {wrong[0]!r}", f"one of {', '.join(INGREDIENTS)}"
        )
    if out.exists() and (not out.is_dir() or any(not _ours(file, FILE) for file in out.iterdir())):
        raise AcumenError(f"{out} holds other files", "choose another --out")
    began = time.monotonic()
    with progress_bar() as step, ExitStack() as stack:
        engine = make_engine("local", workers)
        corpora = [stack.enter_context(corpus_of([source], engine, step)) for source in sources]
        arrays, left_out = train(
            corpora, wordnet, texts, settings, engine, acumen_home(), without, step
        )
    if left_out:
        say(f"{left_out:,} files left out: they end any process that reads them")
    data = packed(arrays)
    write_atomically(out / FILE, data)
    about = json.loads(arrays["about"].tobytes())
    people, other = (about["learned"][name] for name in ("simlex999", "wordsim353"))
    say(
        f"SimLex-999 (ten-fold, {people['pairs']} pairs): {people['ten-fold']}; "
        f"WordSim-353 ({other['pairs']} pairs): {other['similarity']}"
    )
    said = f"{len(arrays['frequency']):,} words, {len(arrays['pair']):,} pairs"
    say(f"{said}, {len(data) / 1e6:.1f} MB, in {time.monotonic() - began:.0f} s: {out / FILE}")


def _ours(file: Path, name: str) -> bool:
    return file.name == name or (file.name.startswith(name) and file.name.endswith(".part"))
